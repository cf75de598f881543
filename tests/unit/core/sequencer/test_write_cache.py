"""What may be lost with the drive's cache, against a model of sets of sectors."""

import random

import pytest

from sata_recorder.core.sequencer.write_cache import WriteCache
from unit.bench import Bench

#: Clocks until ``lba`` and ``sectors`` count.
SETTLES = 4


class CacheModel:
    """``dirty``: sectors were not flushed; ``unflushed``: some may be lost; ``emptied``: the latest command has flushed
    some. While one of these is true, from ``first`` to before ``end``."""

    def __init__(self):
        self.first = self.end = 0
        self.held = self.dirty = self.unflushed = self.emptied = False

    def completes(self, origin, end):
        if not self.held:
            self.first, self.end = origin, end
        self.first, self.end = min(self.first, origin), max(self.end, end)
        self.held = self.dirty = True
        self.emptied = False

    def flushes(self):
        self.emptied, self.dirty = self.dirty, False
        self.held = self.unflushed

    def succeeds(self):
        """Another command."""
        self.emptied = False

    def loses(self):
        self.unflushed |= self.dirty
        self.dirty = self.emptied = False

    def revokes(self):
        """The latest command has not succeeded."""
        self.dirty |= self.emptied
        self.held |= self.dirty
        CacheModel.loses(self)

    def clears(self):
        self.unflushed = False
        self.held = self.dirty


#: What comes with an event, besides its own signal.
BESIDE = {"completed": {"succeeded": 1}, "flushed": {"succeeded": 1}, "revoked": {"lost": 1}}


@pytest.mark.parametrize("top", [100, 1 << 48])
def test_random(seed, top):
    rng, model = random.Random(seed), CacheModel()

    async def script(bench):
        for _ in range(300):
            event = rng.choice(["completed", "completed", "flushed", "succeeded", "lost", "revoked", "clear"])
            origin = rng.randrange(top - 1)
            end = rng.randrange(origin + 1, top)
            if event == "completed":
                model.completes(origin, end)
            else:
                {"flushed": model.flushes, "succeeded": model.succeeds, "lost": model.loses, "revoked": model.revokes,
                 "clear": model.clears}[event]()
            bench.set(origin=origin, end=end)
            await bench.pulse(**{event: 1}, **BESIDE.get(event, {}))
            await bench.tick()
            bench.set(origin=rng.randrange(top), end=rng.randrange(top))
            await bench.tick(SETTLES)
            assert bench.get("unflushed") == model.unflushed
            if model.unflushed:
                assert bench.get("lba") == model.first
                assert bench.get("sectors") == model.end - model.first
    Bench(WriteCache()).run(script)


class Through(CacheModel):
    """Each command may write ``through`` the cache: then only the latest can be lost, and only if the
    drive takes its status back."""

    through = False

    def completes_through(self, first, origin, end):
        if self.unflushed:
            self.completes(origin, end)
        else:
            self.first, self.end = first, end
            self.held = self.dirty = True
        self.through = True

    def flushes(self):
        super().flushes()
        self.emptied &= not self.through

    def loses(self):
        if self.through:
            self.dirty = False
            self.held = self.unflushed
        super().loses()


@pytest.mark.parametrize("top", [100, 1 << 48])
def test_random_through(seed, top):
    rng, model = random.Random(seed), Through()

    async def script(bench):
        for _ in range(300):
            event = rng.choice(["completed", "through", "through", "flushed", "succeeded", "lost", "revoked", "clear"])
            origin = rng.randrange(top - 2)
            first = rng.randrange(origin, top - 1)
            end = rng.randrange(first + 1, top)
            pulse = {event: 1} | BESIDE.get(event, {})
            if event == "completed":
                # Not after a command through the cache: the drive is the same.
                if model.dirty and model.through:
                    continue
                model.completes(origin, end)
                model.through = False
            elif event == "through":
                if model.dirty and not model.through:
                    continue
                model.completes_through(first, origin, end)
                pulse |= {"completed": 1, "succeeded": 1}
            else:
                {"flushed": model.flushes, "succeeded": model.succeeds, "lost": model.loses, "revoked": model.revokes,
                 "clear": model.clears}[event]()
            bench.set(origin=origin, end=end, first=first)
            await bench.pulse(**pulse)
            await bench.tick()
            bench.set(origin=rng.randrange(top), end=rng.randrange(top), first=rng.randrange(top))
            await bench.tick(SETTLES)
            assert bench.get("unflushed") == model.unflushed
            if model.unflushed:
                assert bench.get("lba") == model.first
                assert bench.get("sectors") == model.end - model.first
    Bench(WriteCache()).run(script)

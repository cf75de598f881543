"""Looks at a recording while it runs, each compared with what was recorded."""

import random
from collections import Counter

from integration.benches import CAPACITY
from integration.modes import record
from integration.small import RETRY, SMALL, connect, works

from sata_recorder.interface.look import LookState
from sata_recorder.interface.recording import RecordingMode, RecordingState
from sata_recorder.simulation import Event
from sata_recorder.facts.units import SECTOR_WORDS

__all__ = ["BETWEEN", "CORE", "READ", "REPLAYS", "SHORT_READ", "SHORT_WRITE", "WRITE", "Looks", "bench_of",
           "codes", "goes_on", "look", "looking", "shown"]

READ, WRITE, SHORT_READ, SHORT_WRITE = 0x25, 0x35, 0xC8, 0xCA
CORE = SMALL | {"extents": "modes", "look_sectors": 16, "buffer_words": 512, "max_command_sectors": 8}
REPLAYS = RETRY | {"extents": "modes", "look_sectors": 16, "buffer_words": 2048, "max_command_sectors": 8,
                   "retain_sectors": 8}
#: All that may come between two commands.
BETWEEN = {"flush_commands": 3, "smart_commands": 2, "smart_temperature": True, "trim_ahead": True}
IDLE, WAITS, READS, READY, GONE, FAILED, OUT_OF_RANGE = LookState
#: Clocks from a look to the last one in which it may be known that its sectors are gone.
_JUDGED = 40


def codes(b):
    """The commands that have got a status, a letter each, but for IDENTIFY DEVICE."""
    letters = {READ: "R", SHORT_READ: "R", WRITE: "W", SHORT_WRITE: "W", 0x3D: "W", 0xEA: "F", 0xE7: "F",
               0xB0: "S", 0x47: "L", 0x06: "T", 0xEC: ""}
    return "".join(letters[one.command] for one in b.drive.completed)


def check_between_looks(b, *, fails):
    """A write command is between two looks. Where something ``fails`` a loss may have taken its status, so that
    it is not listed: then the one listed next does not begin where the one listed before has ended."""
    text, done = codes(b), [one for one in b.drive.completed if one.command != 0xEC]
    for at in range(text.find("RR"), len(text) - 1) if "RR" in text else ():
        if text[at:at + 2] != "RR":
            continue
        before, after = text.rfind("W", 0, at), text.find("W", at)
        assert fails and before >= 0, "a write command is between two looks"
        ended = done[before].lba + done[before].sectors
        assert after < 0 or done[after].lba != ended, "a write command is between two looks"


def look(b, sector, count, room=0):
    """Asks for a look."""
    b.engine.set(look_start=1, look_sector=sector, look_count=count, look_room=room)
    b.engine.run(2)     # what is shown is a clock late


def shown(b, count, run=None):
    """The words of ``count`` sectors of the look that is READY."""
    run, words = run or b.engine.run, []
    for address in range(SECTOR_WORDS * count + 2):
        b.engine.set(look_address=min(address, SECTOR_WORDS * count - 1))
        run(1)
        words.append(b.engine.output("look_data"))
    return words[2:]


class Looks:
    """Asks for looks at random while a recording runs, and compares each with what was recorded.

    ``found`` counts how they ended. ``fails``: one may end as FAILED; ``stops``: some are withdrawn or
    replaced. ``most`` sectors each, with up to ``room`` words of room; ``margin`` as many sectors after the
    oldest one or before the newest one are asked for.
    """

    def __init__(self, b, plan, *, seed=0, most=16, room=0, fails=False, stops=False, margin=20, logical=1):
        self.b, self.plan, self.rng = b, plan, random.Random(seed)
        self.most, self.room, self.fails, self.stops, self.margin = most, room, fails, stops, margin
        self.logical = logical
        self.found, self.asked, self.run = Counter(), None, b.engine.run
        self.reads, self.over = 0, Event(0)

    def __enter__(self):
        self.b.engine.run = self._run
        return self

    def __exit__(self, *_):
        self.b.engine.run = self.run

    def _run(self, clocks, until=Event(0)):
        while clocks > 0:
            step = min(clocks, self.rng.choice((1, 2, 9, 40, 150, 400)))
            if found := self.run(step, until):
                return found
            clocks -= step
            if found := self._poll(until):
                return found
        return Event(0)

    def _poll(self, until):
        b, rng, state = self.b, self.rng, LookState(self.b.engine.output("look_state"))
        if state in (WAITS, READS):
            if self.stops and rng.random() < 0.05:
                return self._withdraw(state, until)
            return Event(0)
        if self.asked:
            found, ended = self._judge(state, until)
            if found or not ended:
                return found
        if b.engine.output("recording_state") == RecordingState.RUNNING and rng.random() < 0.7:
            return self._ask(until)
        return Event(0)

    def _ask(self, until):
        b, rng = self.b, self.rng
        oldest, newest = b.engine.output("recording_oldest"), b.engine.output("recording_newest")
        count = rng.choice((rng.randint(1, self.most), self.most, 1))
        sector = max(0, rng.choice((newest - count, oldest, rng.randint(oldest, max(oldest, newest - count)),
                                    newest - count - rng.randrange(self.margin),
                                    oldest + rng.randrange(self.margin), oldest - 1, newest - count + 1)))
        if self.logical > 1 and rng.random() < 0.9:
            count = max(self.logical, count // self.logical * self.logical)
            sector = sector // self.logical * self.logical
        if rng.random() < 0.03:
            count = rng.choice((0, self.most + 1, 127))
        self.asked = sector, count, oldest, newest, b.engine.state().cycle
        b.engine.set(look_start=1, look_sector=sector, look_count=count,
                     look_room=rng.randrange(self.room + 1))
        return self.run(1, until)

    def _withdraw(self, state, until):
        """The one that waits; or another one takes its place, after the one that is read."""
        if self.rng.random() < 0.5:
            self.found["replaced"] += 1
            return self._ask(until)
        self.b.engine.set(look_stop=1)
        if state == WAITS:
            self.asked = None
            self.found["withdrawn"] += 1
        return self.run(1, until)

    def _judge(self, state, until):
        """How the look has ended, and whether that can be; with the event that came meanwhile."""
        b = self.b
        sector, count, oldest, newest, cycle = self.asked
        self.found[state.name] += 1
        self.asked = None
        running = b.engine.output("recording_state") == RecordingState.RUNNING
        bad = not 1 <= count <= self.most or count % self.logical or sector % self.logical
        assert (state == OUT_OF_RANGE) == bool(bad) or self.stops and state == IDLE, (state, sector, count)
        if state == READY:
            self.reads += 1
            assert oldest <= sector and sector + count <= b.engine.output("recording_newest")
            event = Event(0)

            def run(clocks):
                nonlocal event
                event = self.run(clocks, until) or event
            words = shown(b, count, run)
            first = self.plan.base + SECTOR_WORDS * sector
            wanted = [n & 0xFFFFFFFF for n in range(first, first + SECTOR_WORDS * count)]
            wrong = [n for n, pair in enumerate(zip(words, wanted, strict=True)) if pair[0] != pair[1]]
            assert not wrong, (sector, count, wrong[:5])
            return event, True
        if state == GONE and running:
            now = b.engine.output("recording_oldest")
            # A command that has failed takes it back.
            assert sector < max(oldest, now) or sector + count > newest, (sector, count, oldest, now, newest)
        assert state != FAILED or self.fails
        assert state != IDLE or self.stops
        return Event(0), True


def looking(b, plan, *, go=record, least=1, **options):
    """Records with looks at random; returns what was recorded, and the :class:`Looks`."""
    with Looks(b, plan, **options) as looks:
        found = go(b, plan)
    check_between_looks(b, fails=options.get("fails"))
    assert looks.reads >= least, looks.found
    assert found.outputs["looks"] >= looks.reads or found.outputs["words"] == 0
    return found, looks


def bench_of(bench, core=CORE, unit=None, **options):
    """A bench with a drive of these options."""
    return bench(connect(sectors=CAPACITY, unit=unit, **options), **core)


def goes_on(b):
    """A recording without a mode, and a playback of it, have no look."""
    b.engine.set(recording_mode=RecordingMode.FIXED, recording_words=0, recording_position=0)
    before = codes(b).count("R"), b.outputs()["look_state"]
    works(b, clean=False)
    assert codes(b).count("R") - before[0] == 3 and b.outputs()["look_state"] == before[1]

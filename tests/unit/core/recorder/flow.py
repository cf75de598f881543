"""A user and a drive around a recorder, each at its own rhythm."""

import random

from sata_recorder.core.drive_port import DrivePort, Operation
from unit.core.recorder.on_fake import bench

__all__ = ["Flow", "run", "RESERVE"]

#: Words that a drive may still send after ``hold``.
RESERVE = DrivePort().reserve_words


class Flow:
    """One operation, clock by clock. ``user`` and ``drive``: the parts of the clocks in which each
    of them moves a word; ``burst``: how long they stay of one mind."""

    def __init__(self, bench, *, seed=0, user=1.0, drive=1.0, burst=1):
        self.bench = bench
        self.rng = random.Random(seed)
        self.rates = {"user": user, "drive": drive}
        self.minds = {"user": (False, 0), "drive": (False, 0)}
        self.burst = burst
        self.accepted, self.delivered = [], []      # at the user's side, at the other
        self.offered = None         # what one side shows until it is taken
        self.held = self.highest = self.lasts = 0
        self.lost = self.stopped = False
        self.next = 1               # words are 1, 2, 3, ...

    def get(self, name):
        """What is visible; ``port__`` stands for the recorder's drive port."""
        return self.bench.get(f"recorder__{name}" if name.startswith("port__") else name)

    def wants(self, who):
        mind, left = self.minds[who]
        if not left:
            mind, left = self.rng.random() < self.rates[who], self.rng.randint(1, self.burst)
        self.minds[who] = mind, left - 1
        return mind

    async def start(self, kind, sectors):
        """The operation begins, but may not move data."""
        operation = Operation.RECORD if kind == "recording" else Operation.PLAY
        self.bench.set(knobs__waits=1, knobs__stalls=1, control__operation=operation)
        await self.bench.pulse(control__start=1, control__sectors=sectors)

    async def begin(self, kind, sectors, before=0):
        """The operation begins, and may move data after ``before`` clocks."""
        await self.start(kind, sectors)
        await self.bench.tick(before)
        self.bench.set(knobs__waits=0)
        for _ in range(10):
            if self.get(f"port__{kind}"):
                return
            await self.bench.tick()
        raise AssertionError("the operation does not begin")

    async def end(self):
        """Lets the drive continue to the end of the operation; the user takes nothing more."""
        self.bench.set(i__valid=0, o__ready=0, knobs__stalls=0)
        for _ in range(10_000):
            if self.get("ready"):
                return
            await self.bench.tick()
        raise AssertionError("the operation does not end")

    async def record(self, stop=False):
        """A clock of a recording."""
        bench = self.bench
        self.offered = self.offered or self.wants("user")
        bench.set(i__valid=self.offered, i__payload=self.next if self.offered else 0xBAD,
                  knobs__stalls=not self.wants("drive"), control__stop=stop)
        undelivered = max(len(self.accepted) - len(self.delivered), 0)
        self.highest = max(self.highest, undelivered)
        if self.get("port__stopped"):
            assert 128 * self.get("port__pending_sectors") >= undelivered
        takes = self.get("i__ready")
        if self.get("port__write_data__valid") and self.get("port__write_data__ready"):
            self.delivered.append(self.get("port__write_data__payload"))
        if self.offered and takes:
            assert not self.stopped, "accepted after the stop"
            self.accepted.append(self.next)
            self.next, self.offered = self.next + 1, None
        elif self.offered:
            self.held += 1
        self.stopped |= stop
        await bench.tick()
        bench.set(control__stop=0)

    async def play(self, total, stop=False):
        """A clock of a playback of ``total`` words."""
        bench = self.bench
        ready = self.wants("user")
        bench.set(knobs__stalls=not self.wants("drive"), control__stop=stop, o__ready=ready)
        self.highest = max(self.highest, len(self.accepted) - len(self.delivered))
        valid, word, last = self.get("o__valid"), self.get("o__payload"), self.get("last")
        self.lost |= self.get("port__lost")
        if self.offered is not None:
            assert valid and word == self.offered, "what was offered has changed"
        self.offered = word if valid and not ready and not stop else None
        if valid and ready:
            assert not self.stopped, "delivered after the stop"
            self.delivered.append(word)
            self.lasts += last
            assert last == (len(self.delivered) == total)
        elif valid:
            self.held += 1
        if self.get("port__read_data__valid"):
            self.accepted.append(self.get("port__read_data__payload"))
        self.stopped |= stop
        await bench.tick()
        bench.set(control__stop=0)

    def counters(self):
        return tuple(self.get(f"counters__{name}")
                     for name in ("words", "high_water", "held_cycles"))


def run(script, depth=128, *, held_words=RESERVE, **options):
    async def with_flow(bench):
        return await script(Flow(bench, **options))
    return bench(depth=depth, held_words=held_words).run(with_flow)

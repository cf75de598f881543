"""A user and a drive around a recorder, each at its own rhythm."""

import functools
import random

from sata_recorder.recorder import Recorder
from unit.bench import Bench

__all__ = ["Flow", "run", "RESERVE"]

#: Words that a drive may still send after ``hold``.
RESERVE = 96


@functools.cache
def bench(depth):
    return Bench(Recorder(depth=depth))


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
        self.extra = 0              # words after ``hold``
        self.lost = self.stopped = False
        self.next = 1               # words are 1, 2, 3, ...

    def get(self, name):
        return self.bench.get(name)

    def wants(self, who):
        mind, left = self.minds[who]
        if not left:
            mind, left = self.rng.random() < self.rates[who], self.rng.randint(1, self.burst)
        self.minds[who] = mind, left - 1
        return mind

    async def begin(self, kind, sectors, before=0):
        """The operation begins; ``before``: clocks until it may move data."""
        await self.bench.pulse(port__extent__ready=1, control__start=1, control__sectors=sectors)
        for _ in range(before):
            await self.clock()
        self.bench.set(**{f"port__{kind}": 1})

    async def clock(self, **inputs):
        self.bench.set(control__stop=0, **inputs)
        await self.bench.tick()

    async def record(self, stop=False):
        """A clock of a recording."""
        bench = self.bench
        self.offered = self.offered or self.wants("user")
        ready = self.wants("drive")
        bench.set(i__valid=self.offered, i__payload=self.next if self.offered else 0xBAD,
                  port__write_data__ready=ready, control__stop=stop)
        undelivered = max(len(self.accepted) - len(self.delivered), 0)
        self.highest = max(self.highest, undelivered)
        if self.get("port__stopped"):
            assert 128 * self.get("port__pending_sectors") >= undelivered
        takes = self.get("i__ready")
        if self.get("port__write_data__valid") and ready:
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
        """A clock of a play-back of ``total`` words."""
        bench = self.bench
        held_back = self.get("port__hold")
        self.extra = self.extra + 1 if held_back else 0
        sends = self.next <= total and self.wants("drive") and (
            self.extra <= self.rng.randint(0, RESERVE))
        ready = self.wants("user")
        bench.set(port__read_data__valid=sends, control__stop=stop, o__ready=ready,
                  port__read_data__payload=self.next if sends else 0xBAD)
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
        if sends:
            self.accepted.append(self.next)
            self.next += 1
        self.stopped |= stop
        await bench.tick()
        bench.set(control__stop=0)

    def counters(self):
        return tuple(self.get(f"counters__{name}")
                     for name in ("words", "high_water", "held_cycles"))


def run(script, depth=128, **options):
    async def with_flow(bench):
        return await script(Flow(bench, **options))
    return bench(depth).run(with_flow)

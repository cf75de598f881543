"""A sequencer whose commands fail, around a recorder: what has to be on the drive, or delivered."""

import functools
import random

from sata_recorder.recorder import Recorder
from unit.bench import Bench

__all__ = ["Recording", "PlayBack", "run"]

#: Clocks between a command and its data, and between its data and its end, at least.
_APART = 5
_RESERVE = 96


@functools.cache
def bench(**parameters):
    return Bench(Recorder(**parameters))


class Operation:
    """One operation of ``sectors``: the parts of clocks in which ``user`` and ``drive`` move words,
    ``failures`` of commands and of those the part that is ``skips``; a stop after ``stop`` clocks.
    With ``retain`` some of the commands that can be are kept, or ``always`` all."""

    def __init__(self, bench, *, seed, sectors, user=1.0, drive=1.0, failures=0.5, skips=0.3,
                 stop=None, longest=8, retain=False, always=False):
        self.bench = bench
        self.get = bench.get
        self.rng = random.Random(seed)
        self.sectors, self.user, self.drive = sectors, user, drive
        self.failures, self.skips, self.stop = failures, skips, stop
        self.longest, self.retain, self.always = longest, retain, always
        self.now = 0
        self.position = 0       # sectors of the extent in commands before
        self.offered = False
        self.passed = []        # of ("completed" | "lost" | "skipped", first sector, sectors)

    @property
    def stopped(self):
        return self.stop is not None and self.now > self.stop

    async def pulse(self, **inputs):
        self.bench.set(**inputs)
        await self.clock()
        self.bench.set(**dict.fromkeys(inputs, 0))

    async def clocks(self, count):
        for _ in range(count):
            await self.clock()

    async def run(self, depth):
        await self.bench.pulse(port__extent__ready=1, control__start=1,
                               control__sectors=self.sectors)
        self.bench.set(**{f"port__{self.kind}": 1})
        await self.clocks(10)
        while self.position < self.sectors:
            length = min(self.rng.randint(1, self.longest), self.sectors - self.position)
            if self.get("port__stopped"):
                length = min(length, self.get("port__pending_sectors"))
                if not length:
                    break
            await self.command(length, depth)
        await self.drain()

    async def command(self, length, depth):
        """Commands until those sectors have been passed, one way or the other."""
        retain = self.retain and 128 * length <= depth and (
            self.always or self.rng.random() < 0.7)
        await self.pulse(port__command=1, port__retain=retain)
        await self.clocks(_APART)
        fails = self.rng.random() < self.failures
        limit = self.rng.randint(0, 128 * length) if fails else 128 * length
        await self.move(length, limit, fails)
        if not fails:
            await self.clocks(_APART)
            self.passed.append(("completed", self.position, length))
            self.position += length
            await self.pulse(port__completed=1)
            await self.clocks(6)
            return
        await self.clocks(self.rng.choice([0, 0, 3]))
        for _ in range(self.rng.choice([1, 1, 2])):
            await self.pulse(port__recovery__rewind=1)
            await self.clocks(3)
            await self.look_back(length, retain)
        left = self.end - self.position
        if left and self.rng.random() < self.skips:
            await self.pulse(port__recovery__skip=1, port__recovery__skip_sectors=left)
            self.passed.append(("skipped", self.position, left))
            self.skipped(left)
            self.position += left
        await self.clocks(6)
        for _ in range(100_000):
            if self.get("port__recovery__settled"):
                break
            await self.clock()
        assert self.get("port__recovery__settled")

    async def drain(self):
        for _ in range(200_000):
            if self.get("port__drained"):
                break
            await self.clock()
        assert self.get("port__drained")


class Recording(Operation):
    kind = "recording"

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.accepted = 0
        self.taken = None       # words of the command; None: the drive takes none
        self.disk = {}

    async def clock(self):
        bench, get = self.bench, self.get
        self.offered = self.offered or self.rng.random() < self.user
        takes = self.taken is not None and self.rng.random() < self.drive
        bench.set(i__valid=self.offered, i__payload=self.accepted + 1 if self.offered else 0xBAD,
                  port__write_data__ready=takes, control__stop=self.now == self.stop)
        if takes and get("port__write_data__valid"):
            self.disk[128 * self.position + self.taken] = get("port__write_data__payload")
            self.taken += 1
        if self.offered and get("i__ready"):
            assert not self.stopped
            self.accepted += 1
            self.offered = False
        self.now += 1
        await bench.tick()

    async def move(self, length, limit, fails):
        self.taken, self.end = 0, self.position + length
        for _ in range(100_000):
            if self.taken == limit:
                break
            await self.clock()
        assert self.taken == limit
        self.count, self.taken = limit, None

    async def look_back(self, length, retain):
        behind = self.get("port__recovery__resume_offset")
        assert behind == (0 if retain else -(-self.count // 128))
        if behind:
            self.passed.append(("lost", self.position, behind))
        self.position += behind
        self.count = 0

    def skipped(self, sectors):
        pass

    def check(self):
        """Words are in their places, or in a sector that was passed over, or not accepted."""
        assert self.accepted == 128 * self.sectors or self.stopped
        assert self.get("counters__words") == self.accepted
        if self.position < self.sectors:
            assert self.accepted <= 128 * self.position
        assert [first for _, first, _ in self.passed] == [
            sum(length for *_, length in self.passed[:n]) for n in range(len(self.passed))]
        for how, first, length in self.passed:
            if how == "completed":
                for n in range(128 * first, 128 * (first + length)):
                    assert self.disk[n] == (n + 1 if n < self.accepted else 0), n


class PlayBack(Operation):
    kind = "playing"

    def __init__(self, *arguments, depth, fis=300, whole=None, **keywords):
        super().__init__(*arguments, **keywords)
        self.verifies = depth >= 4096
        self.fis, self.whole = fis, whole       # words: at most, or exactly
        self.sends = None       # the word to be sent, if the drive may
        self.delivered, self.expected = [], []
        self.fresh = self.extra = self.lasts = self.holds = 0

    async def clock(self):
        bench, get = self.bench, self.get
        self.extra = self.extra + 1 if get("port__hold") else 0
        self.holds += get("port__hold")
        ready = self.rng.random() < self.user
        sends = self.sends is not None and self.rng.random() < self.drive and (
            self.extra <= self.rng.randint(0, _RESERVE))
        bench.set(port__read_data__valid=sends, o__ready=ready, control__stop=self.now == self.stop,
                  port__read_data__payload=self.sends if sends else 0xBAD)
        assert not get("port__lost")
        if ready and get("o__valid"):
            assert not self.stopped
            self.delivered.append(get("o__payload"))
            self.lasts += get("last")
            assert get("last") == (len(self.delivered) == 128 * self.sectors)
        if sends:
            self.sends = None
        self.now += 1
        await bench.tick()

    async def send(self, word):
        self.sends = word
        for _ in range(100_000):
            await self.clock()
            if self.sends is None:
                return
        raise AssertionError("the drive may not go on")

    async def move(self, length, limit, fails):
        """FISes; what comes of the last one before a failure is wrong."""
        self.end, first = self.position + length, 128 * self.position
        sent = self.fresh = 0
        while sent < limit:
            count = min(self.whole or self.rng.randint(1, self.fis), limit - sent)
            bad = fails and sent + count == limit and self.rng.random() < 0.7
            words = range(first + sent, first + sent + count)
            for n in words:
                await self.send(0xBAD00000 + n if bad and self.verifies else n + 1)
                if not self.verifies and n >= len(self.expected):
                    self.expected.append(n + 1)
                    self.fresh += 1
            sent += count
            if bad:
                break
            await self.clock()
            await self.pulse(port__verified=1)
            self.fresh = 0
            if self.verifies:
                self.expected += [n + 1 for n in words if n >= len(self.expected)]

    async def look_back(self, length, retain):
        assert self.get("port__recovery__tainted") == (self.fresh > 0)
        self.fresh = 0
        behind = self.get("port__recovery__resume_offset")
        assert behind == len(self.expected) // 128 - self.position
        self.position += behind

    def skipped(self, sectors):
        zeros = 128 * (self.position + sectors) - len(self.expected)
        self.expected += [0] * zeros

    def check(self):
        assert self.get("counters__words") == len(self.delivered)
        if self.stopped:
            assert self.delivered == self.expected[:len(self.delivered)]
        else:
            assert self.delivered == self.expected and len(self.expected) == 128 * self.sectors
            assert self.lasts == 1


def run(kind, *, depth, retain=False, skipping=True, **options):
    """Runs and checks an operation; returns it."""
    if kind is PlayBack:
        options["depth"] = depth
    else:
        options["retain"] = retain

    async def script(bench):
        operation = kind(bench, **options)
        await operation.run(depth)
        operation.check()
        return operation
    return bench(depth=depth, retain=retain, skips=skipping).run(script)

"""A recorder above a drive whose commands fail: what has to be on the disk, or delivered."""

import random

from contracts.knobs import Remedy
from sata_recorder.core.drive_port import JournalKind, Operation
from sata_recorder.facts.units import SECTOR_WORDS
from unit.core.recorder.journal import read_journal
from unit.core.recorder.on_fake import bench

__all__ = ["PlayBack", "Recording", "run"]

#: Clocks from ``rewind`` until what the recorder reports counts.
_ANSWER = 4


class Course:
    """One operation of ``sectors``: the parts of clocks in which ``user`` and ``drive`` move words,
    ``failures`` of commands and of those the part that is ``skips``; a stop after ``stop`` clocks.
    Commands have up to ``longest`` sectors."""

    def __init__(self, bench, *, seed, sectors, depth, user=1.0, drive=1.0, failures=0.5, skips=0.3,
                 stop=None, longest=8):
        self.bench, self.get = bench, bench.get
        self.rng = random.Random(seed)
        self.sectors, self.depth, self.user, self.drive = sectors, depth, user, drive
        self.failures, self.skips, self.stop, self.longest = failures, skips, stop, longest
        self.now = self.commands = self.failed = 0
        self.moved = 0          # words of the command in flight
        self.settles = None     # clocks since ``rewind``, until the recorder's answer was seen

    def port(self, name):
        return self.get(f"recorder__port__{name}")

    @property
    def stopped(self):
        return self.stop is not None and self.now > self.stop

    async def run(self):
        self.plan()
        self.bench.set(control__operation=self.operation)
        await self.bench.pulse(control__start=1, control__sectors=self.sectors)
        for _ in range(400_000):
            if self.get("ready"):
                break
            await self.clock()
        assert self.get("ready"), "the operation does not end"
        await self.bench.tick(60)
        self.journal = await read_journal(self.bench)

    def told(self, kind):
        return {sector for how, first, sectors, _ in self.journal if how & 15 == kind
                for sector in range(first, first + sectors)}

    def plan(self):
        """What the next command is like."""
        self.length = self.rng.randint(1, self.longest)
        self.bench.set(knobs__longest=self.length, knobs__retains=self.retains())

    def retains(self):
        return False

    async def clock(self):
        self.bench.set(knobs__stalls=self.rng.random() >= self.drive,
                       control__stop=self.now == self.stop)
        self.give_and_take()
        if self.settles is not None:
            self.settles += 1
            if self.settles == _ANSWER:
                self.answered()
        if self.port("recovery__rewind"):
            self.settles = 0
        if self.port("command"):
            self.moved, self.settles = 0, None
            self.begins()
            await self.next_clock()
            self.plan_failure(self.get("drive__count"))
            self.plan()
            return
        await self.next_clock()

    async def next_clock(self):
        self.now += 1
        await self.bench.tick()

    def plan_failure(self, sectors):
        """Whether and how the command that has begun fails."""
        self.commands += 1
        self.place, self.count = self.get("drive__place"), sectors
        fails = self.rng.random() < self.failures
        after = self.rng.randint(0, SECTOR_WORDS * sectors)
        bad = max(0, after - self.rng.randint(1, 300)) if self.rng.random() < 0.7 else after
        skips = self.rng.random() < self.skips
        self.failed += fails
        self.bench.set(
            knobs__fails=fails, knobs__fail_after=after, knobs__bad_from=bad,
            knobs__remedy=Remedy.SKIP if skips else self.rng.choice([Remedy.AGAIN, Remedy.RESUME]))


class Recording(Course):
    """With ``retain`` some of the commands that can be are kept, or ``always`` all."""

    operation = Operation.RECORD

    def __init__(self, *arguments, retain=False, always=False, **keywords):
        self.retain, self.always = retain, always
        super().__init__(*arguments, **keywords)
        self.accepted = 0
        self.offered = False

    def retains(self):
        return self.retain and SECTOR_WORDS * self.length <= self.depth and (
            self.always or self.rng.random() < 0.7)

    def begins(self):
        self.retained = self.port("retain")

    def give_and_take(self):
        self.offered = self.offered or self.rng.random() < self.user
        self.bench.set(i__valid=self.offered,
                       i__payload=self.word(self.accepted) if self.offered else 0xBAD)
        self.moved += self.port("write_data__valid") & self.port("write_data__ready")
        if self.offered and self.get("i__ready"):
            assert not self.stopped
            self.accepted += 1
            self.offered = False

    @staticmethod
    def word(place):
        """Not what is on the disk before."""
        return place + 0x10001

    def answered(self):
        expected = 0 if self.retained else -(-self.moved // SECTOR_WORDS)
        assert self.port("recovery__resume_offset") == expected

    def check(self):
        """Words are in their places, or in a sector that was skipped, or not accepted."""
        assert self.accepted == SECTOR_WORDS * self.sectors or self.stopped
        assert self.get("counters__words") == self.accepted
        skipped = self.told(JournalKind.SKIPPED)
        if self.always and not self.skips:
            assert not skipped
        disk = self.bench.component.drive.words
        for sector in sorted(set(range(-(-self.accepted // SECTOR_WORDS))) - skipped):
            for n in range(SECTOR_WORDS * sector, SECTOR_WORDS * (sector + 1)):
                expected = self.word(n) if n < self.accepted else 0
                assert self.bench.peek(disk[n]) == expected, n


class PlayBack(Course):
    """A read in which up to ``fis`` words are found good together, or exactly ``whole``."""

    operation = Operation.PLAY

    def __init__(self, *arguments, fis=300, whole=None, **keywords):
        super().__init__(*arguments, **keywords)
        self.verifies = self.depth >= 4096
        self.fis, self.whole = fis, whole
        self.delivered, self.expected = [], []
        self.fresh = []         # words that came and were not found good
        self.tainted = False    # some of them are delivered
        self.ends = False       # a command has failed then
        self.lasts = self.holds = 0
        self.burst = self.next_burst()

    def next_burst(self):
        return self.whole or self.rng.randint(1, self.fis)

    def begins(self):
        pass

    def give_and_take(self):
        get = self.get
        ready = self.rng.random() < self.user
        self.bench.set(o__ready=ready, knobs__burst=self.burst)
        self.holds += self.port("hold")
        if ready and get("o__valid"):
            assert not self.stopped
            self.delivered.append(get("o__payload"))
            self.lasts += get("last")
            assert get("last") == (len(self.delivered) == SECTOR_WORDS * self.sectors)
        if self.port("read_data__valid"):
            assert not self.port("lost")
            place = SECTOR_WORDS * self.place + self.moved
            self.fresh.append((place, self.port("read_data__payload")))
            self.moved += 1
            if not self.verifies:
                self.tainted |= place >= len(self.expected)
                self.expect(*self.fresh[-1])
        if self.port("verified"):
            for word in self.fresh:
                self.expect(*word)
            self.fresh, self.tainted = [], False
            self.burst = self.next_burst()
        if self.port("recovery__skip"):
            end = (SECTOR_WORDS * (self.place + self.port("recovery__resume_offset")
                                   + self.port("recovery__skip_sectors")))
            self.expected += [0] * (end - len(self.expected))

    def expect(self, place, word):
        """The user is to have this word."""
        if place >= len(self.expected):
            assert place == len(self.expected)
            self.expected.append(word)

    def answered(self):
        assert self.port("recovery__tainted") == self.tainted
        self.ends |= self.tainted
        self.fresh, self.tainted = [], False
        offset = self.port("recovery__resume_offset")
        assert offset == max(0, len(self.expected) // SECTOR_WORDS - self.place)

    def check(self):
        assert self.get("counters__words") == len(self.delivered)
        assert self.delivered == self.expected[:len(self.delivered)]
        if self.stopped:
            return
        if self.ends:
            assert self.told(JournalKind.IN_DOUBT)
            return
        assert self.delivered == self.expected and len(self.expected) == SECTOR_WORDS * self.sectors
        assert self.lasts == 1
        skipped = self.told(JournalKind.SKIPPED)
        for place, word in enumerate(self.expected):
            assert word == place + 1 or (word == 0 and place // SECTOR_WORDS in skipped), place


def run(kind, *, depth, retain=False, skipping=True, **options):
    """Runs and checks an operation; returns it."""
    if kind is Recording:
        options["retain"] = retain

    async def script(bench):
        operation = kind(bench, depth=depth, **options)
        await operation.run()
        operation.check()
        return operation
    return bench(depth=depth, retain=retain, skips=skipping).run(script)

"""A command that is read again brings what was delivered before, or the recorder reports it."""

import random

import pytest
from sata_recorder.core.recorder import Recorder
from unit.bench import World
from unit.compiled_bench import CompiledBench

_benches = {}
#: Clocks from ``rewind`` to the next command.
_PAUSE = 12


def bench(depth):
    """Of a recorder with a buffer of that depth; one of 4096 words delivers words when good."""
    if depth not in _benches:
        _benches[depth] = CompiledBench(Recorder(depth=depth))
    return _benches[depth]


class PlayWorld(World):
    """The drive's side of a playback, told what to send; ``lost`` where the recorder reports it."""

    def __init__(self, bench):
        super().__init__(bench)
        self.delivered = []

    @property
    def lost(self):
        return self.bench.get("port__lost")

    async def tick(self, **inputs):
        self.bench.set(**inputs)
        if self.bench.get("o__valid"):
            self.delivered.append(self.bench.get("o__payload"))
        await self.bench.tick()
        self.bench.set(**dict.fromkeys(inputs, 0))

    async def clocks(self, count):
        for _ in range(count):
            await self.tick()

    async def begin(self, sectors):
        await self.bench.pulse(port__extent__ready=1, control__start=1, control__sectors=sectors)
        self.bench.set(port__playing=1, o__ready=1)
        await self.tick(port__command=1)

    async def send(self, words, verified=True):
        """A Data FIS: words, and whether they were found good."""
        for word in words:
            await self.tick(port__read_data__valid=1, port__read_data__payload=word)
        await self.clocks(3)
        if verified:
            await self.tick(port__verified=1)
        await self.clocks(2)

    async def fail(self, reread=True):
        """The command fails; the next one is all of it again, or begins elsewhere."""
        await self.tick(port__recovery__rewind=1)
        await self.clocks(_PAUSE)
        assert not self.lost
        if reread:
            await self.tick(port__recovery__reread=1)
        await self.clocks(_PAUSE)
        await self.tick(port__command=1)


_RNG = random.Random(1)
WORDS = [_RNG.getrandbits(32) for _ in range(128 * 4)]


def wrong(kind, count):
    """What a drive with that mistake delivers as the first words of :data:`WORDS`."""
    right = list(WORDS[:count])
    return {"a word too many": right[:40] + [0] + right[40:-1],
            "a word too few": right[:40] + WORDS[41:count + 1],
            "a sector twice": right[:128] + right[:count - 128],
            "two words changed over": right[:-2] + [right[-1], right[-2]],
            "a bit": right[:-1] + [right[-1] ^ 0x80000000]}[kind]


@pytest.mark.parametrize("depth", [256, 4096])
@pytest.mark.parametrize("pieces", [(300,), (128, 172), (299, 1), (3, 297)])
def test_the_same_words(depth, pieces):
    """In whatever Data FISes they come, and however often the command fails before they are over."""
    async def script(bench):
        drive = PlayWorld(bench)
        await drive.begin(4)
        await drive.send(WORDS[:300])
        for again in range(3):
            await drive.fail()
            at = 0
            for piece in pieces[:1 + again]:
                await drive.send(WORDS[at:at + piece])
                at += piece
        await drive.send(WORDS[sum(pieces):])
        assert not drive.lost
        await drive.clocks(600)
        assert drive.delivered == WORDS
    bench(depth).run(script)


@pytest.mark.parametrize("depth", [256, 4096])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("kind", ["a word too many", "a word too few", "a sector twice",
                                  "two words changed over", "a bit"])
def test_other_words(depth, first, kind):
    """Wrong the first time or the second: nothing more is delivered for good, and it is said."""
    async def script(bench):
        drive = PlayWorld(bench)
        await drive.begin(4)
        await drive.send(wrong(kind, 300) if first else WORDS[:300])
        assert not drive.lost
        await drive.fail()
        again = WORDS[:300] if first else wrong(kind, 300)
        await drive.send([*again, *WORDS[300:310]], verified=False)
        assert not drive.lost       # it may be the line's fault
        await drive.tick(port__verified=1)
        await drive.tick()
        assert drive.lost
        await drive.clocks(9)
        assert drive.lost and (depth < 4096 or len(drive.delivered) == 300)
        await drive.tick(port__recovery__rewind=1)
        await drive.clocks(2)
        assert not drive.lost
        # What was delivered is not forgotten: the recovery cannot trust it.
        await drive.clocks(4)
        assert bench.get("port__recovery__resume_offset") == 2
        assert bench.get("port__recovery__partial")
    bench(depth).run(script)


@pytest.mark.parametrize("depth", [256, 4096])
@pytest.mark.parametrize("after", range(5))
def test_other_words_as_the_link_falls(depth, after):
    """The command fails before it can fail for the words: they are found out in its next repetition, or the
    recovery cannot trust what was delivered."""
    async def script(bench):
        drive = PlayWorld(bench)
        await drive.begin(4)
        await drive.send(wrong("a word too many", 300))
        await drive.fail()
        await drive.send(WORDS[:310], verified=False)
        # The link falls in the clock before ``verified``, or later.
        bench.set(port__verified=1, port__recovery__rewind=after == 0)
        await drive.tick()
        bench.set(port__verified=0, port__recovery__rewind=0)
        if after:
            await drive.clocks(after - 1)
            await drive.tick(port__recovery__rewind=1)
        await drive.clocks(_PAUSE)
        if depth < 4096:
            assert bench.get("port__recovery__tainted")
            return
        await drive.tick(port__recovery__reread=1)
        await drive.clocks(_PAUSE)
        await drive.tick(port__command=1)
        await drive.send(WORDS[:310])
        assert drive.lost and len(drive.delivered) == 300
    bench(depth).run(script)


@pytest.mark.parametrize("depth", [256, 4096])
def test_damage_in_the_repetition(depth):
    """Words that were not found good accuse nobody: the next repetition counts."""
    async def script(bench):
        drive = PlayWorld(bench)
        await drive.begin(4)
        await drive.send(WORDS[:300])
        await drive.fail()
        await drive.send(wrong("a bit", 300), verified=False)
        await drive.fail()
        await drive.send(WORDS)
        assert not drive.lost
        await drive.clocks(600)
        assert drive.delivered == WORDS
    bench(depth).run(script)


@pytest.mark.parametrize("depth", [256, 4096])
def test_command_that_begins_elsewhere(depth):
    """Its repetition is compared with what it has delivered itself."""
    async def script(bench):
        drive = PlayWorld(bench)
        await drive.begin(4)
        await drive.send(WORDS[:300])
        # The next command begins with the sector of which a part is delivered already.
        await drive.fail(reread=False)
        await drive.send(WORDS[256:280])
        await drive.fail()
        await drive.send(WORDS[256:400])
        assert not drive.lost
        await drive.fail()
        await drive.send(WORDS[256:401])
        assert not drive.lost
        await drive.fail()
        await drive.send([*WORDS[257:402], 0])
        assert drive.lost
        await drive.clocks(600)
        assert drive.delivered[:401] == WORDS[:401]
    bench(depth).run(script)

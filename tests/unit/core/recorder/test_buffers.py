"""The recorder's buffer, in block RAM and in a memory: one contract for both."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.core.recorder.memory import MemoryShape
from sata_recorder.interface.memory import MemoryFailure
from unit.core.recorder.axi_memory import Pace
from unit.core.recorder.buffer_user import MEMORIES, RESERVE, SHAPES, User, bench

EXAMPLES = settings().max_examples
PACES = st.sampled_from([
    {}, {"latency": 40}, {"address": 0.3, "data": 0.7, "answer": 0.5, "read": 0.7, "latency": 7},
    {"answer": 0.05}, {"read": 0.3}, {"address": 0.1, "latency": 90}])
RATES = st.sampled_from([1, 0.6, 0.1])


@pytest.mark.parametrize("name", SHAPES)
@settings(max_examples=EXAMPLES // 5)
@given(seed=st.integers(0, 2**32), pace=PACES, fast=RATES, slow=RATES, retain=st.booleans())
def test_recordings(name, seed, pace, fast, slow, retain):
    """Words come in their order, those that were kept once more, and zeros after the last one."""
    async def script(b):
        user = User(b, name, seed=seed, playing=0, retain=retain, pace=Pace(**pace), fast=fast, slow=slow)
        rng = user.rng
        for _ in range(3):
            await user.clock(begin=True)
            for _ in range(rng.randint(1, 6)):
                kept = rng.random() < 0.6
                await user.clocks(rng.randint(0, 700), keep=kept, go=rng.random() < 0.9)
                await user.clock(**{rng.choice(["settle", "rewind"]): True})
            if rng.random() < 0.5:
                await user.clock(settle=True)
                await user.drain()
                await user.clocks(20, fill=True)
    bench(name, retain).run(script)


@pytest.mark.parametrize("name", SHAPES)
@settings(max_examples=EXAMPLES // 5)
@given(seed=st.integers(0, 2**32), pace=PACES, fast=RATES, slow=RATES)
def test_playbacks(name, seed, pace, fast, slow):
    """A word comes out after it was found good, or never."""
    async def script(b):
        user = User(b, name, seed=seed, playing=1, pace=Pace(**pace), fast=fast, slow=slow)
        rng = user.rng
        for _ in range(3):
            await user.clock(begin=True)
            for _ in range(rng.randint(1, 8)):
                await user.clocks(rng.randint(0, 400))
                # A clock without a word: it must not be one of both kinds.
                kind = rng.choice(["settle", "settle", "rewind", "good"])
                if kind == "good":
                    await user.clock(settle=True, enter=False)
                    await user.clocks(rng.randint(0, 50), good=True)
                else:
                    await user.clock(**{kind: True}, enter=False)
            if rng.random() < 0.5:
                await user.clock(settle=True, enter=False)
                await user.drain()
    bench(name).run(script)


@pytest.mark.parametrize("name", [name for name in MEMORIES if SHAPES[name][0] >= 768])
@pytest.mark.parametrize("playing", [0, 1])
def test_a_word_a_clock(name, playing):
    """On both sides at once, with a memory that takes and gives a beat in each clock."""
    async def script(b):
        user = User(b, name, seed=7, playing=playing, pace=Pace(latency=20))
        await user.clock(begin=True)
        clocks = 6000
        for _ in range(clocks // 50):
            await user.clocks(50, good=bool(playing), keep=False)
        assert user.number > clocks - 10 and user.came > clocks - 700
    bench(name).run(script)


@pytest.mark.parametrize("name", ["whole bursts", "whole wide bursts"])
def test_bursts_are_whole(name):
    """Where there are words enough, of 4 KiB or 256 beats, in both directions."""
    async def script(b):
        user = User(b, name, seed=3, playing=0)
        await user.clock(begin=True)
        await user.clocks(7000, take=False, go=False)
        await user.drain()
        return user.memory.lengths
    lengths = bench(name).run(script)
    assert max(lengths["aw"]) == max(lengths["ar"]) == 256
    assert sum(length == 256 for length in lengths["aw"]) > 3


@pytest.mark.parametrize("name", MEMORIES)
@pytest.mark.parametrize("playing", [0, 1])
@pytest.mark.parametrize("kind", ["bad_write", "bad_read"])
@pytest.mark.parametrize("number", [0, 3, 20])
def test_a_memory_that_fails(name, playing, kind, number):
    """No word that came after the error comes out; the next operation begins afresh."""
    async def script(b):
        user = User(b, name, seed=5, playing=playing, pace=Pace(**{kind: number}), slow=0.5)
        await user.clock(begin=True)
        while not b.get("broken"):
            await user.clock(good=bool(playing))
        assert b.get("memory__failure") == 1
        user.goes = 1
        for _ in range(300):
            user.silent = 0
            await user.clock(good=bool(playing), enter=False)
        assert user.inside and b.get("broken")
        user.memory.pace = Pace()
        await user.clock(begin=True)
        assert not b.get("broken")
        await user.clocks(400, good=bool(playing))
        await user.drain()
        assert not b.get("broken")
    bench(name).run(script)


def test_a_failed_write_is_not_read_after_a_rewind():
    """Words that have not come when it fails are lost, also those that were good."""
    async def script(b):
        user = User(b, "64 bits", seed=1, playing=1, pace=Pace(latency=60, bad_write=1))
        await user.clock(begin=True)
        await user.clocks(32, take=False)
        await user.clock(settle=True, enter=False, take=False)
        await user.clocks(16, take=False)
        while not user.memory.lengths["aw"][1:]:
            await user.clock(enter=False, take=False)
        await user.clocks(20, enter=False, take=False)
        await user.clock(rewind=True, take=False)
        while not b.get("broken"):
            await user.clock(enter=False)
        for _ in range(500):
            user.silent = 0
            await user.clock(enter=False)
        assert user.came == 0 and b.get("broken")
    bench("64 bits").run(script)


def test_words_after_a_rewind_whose_forgotten_write_fails():
    """What was stored before the rewind is not taken for the words after it."""
    async def script(b):
        user = User(b, "64 bits", seed=1, playing=1, pace=Pace(latency=60, bad_write=1))
        await user.clock(begin=True)
        await user.clocks(40, take=False)
        while not user.memory.lengths["aw"][1:]:
            await user.clock(enter=False, take=False)
        await user.clocks(20, enter=False, take=False)
        await user.clock(rewind=True, take=False)
        await user.clocks(8, take=False)
        await user.clock(settle=True, enter=False, take=False)
        for _ in range(500):
            user.silent = 0
            await user.clock(enter=False)
        assert user.came == 0 and b.get("broken")
    bench("64 bits").run(script)


@pytest.mark.parametrize("way", ["answer", "read"])
def test_a_memory_that_does_not_answer(way):
    """One way is enough, however much the other one moves."""
    async def script(b):
        user = User(b, "whole bursts", seed=1, playing=0, fast=0.1)
        await user.clock(begin=True)
        await user.clocks(300)
        assert not b.get("broken")
        setattr(user.memory.pace, way, 0)
        clocks = 0
        while not b.get("broken"):
            user.silent = 0
            await user.clock()
            clocks += 1
            assert clocks < 6000
        assert b.get("memory__failure") == 2
    bench("whole bursts").run(script)


def test_a_memory_cannot_fail_while_nothing_moves():
    async def script(b):
        user = User(b, "64 bits", seed=1, playing=0, pace=Pace(answer=0))
        await user.clock(begin=True)
        await user.clocks(20)
        b.set(active=0)
        for _ in range(9000):
            user.silent = 0
            await user.clock(enter=False)
        assert not b.get("broken")
    bench("64 bits").run(script)


@pytest.mark.parametrize("name", ["block RAM", "small", "64 bits"])
def test_words_that_come_after_a_request_for_a_pause(name):
    """As many as were reserved find room."""
    async def script(b):
        user = User(b, name, seed=1, playing=1)
        await user.clock(begin=True)
        while not b.get("hold"):
            await user.clock(take=False, good=True)
        before = user.number
        await user.clocks(60, take=False, good=True)
        assert user.number - before >= RESERVE
        await user.clock(take=False, settle=True, enter=False)
        await user.drain()
        assert not b.get("hold")
    bench(name).run(script)


@pytest.mark.parametrize("name", ["small", "64 bits"])
def test_a_memory_that_takes_no_words_requests_a_pause(name):
    """As early as a full buffer, and until it takes some again."""
    async def script(b):
        user = User(b, name, seed=1, playing=1, pace=Pace(address=0))
        await user.clock(begin=True)
        await user.clocks(20, take=False, good=True)
        assert not b.get("hold") and not b.get("crowded")
        while not b.get("hold"):
            await user.clock(take=False, good=True)
            assert user.number < 60, "none is requested"
        assert b.get("crowded")
        before = user.number
        await user.clocks(60, take=False, good=True)
        assert user.number - before >= RESERVE
        user.memory.pace.address = 1
        await user.clocks(60, enter=False)
        assert not b.get("hold") and not b.get("crowded")
        await user.drain()
    bench(name).run(script)


@pytest.mark.parametrize("name", MEMORIES)
def test_high_water(name):
    """It is the most there ever was, also where a completion comes with it."""
    async def script(b):
        user = User(b, name, seed=4, playing=0, fast=0.7, slow=0.5)
        for _ in range(2):
            await user.clock(begin=True)
            await user.clocks(3, enter=False)
            assert b.get("memory__high_water") == 0
            most = 0
            for number in range(900):
                words = len(user.inside) + len(user.kept)
                most = max(most, words)
                await user.clock(keep=True, settle=number % 97 == 0)
            await user.clocks(3, enter=False, take=False)
            assert b.get("memory__high_water") == most and b.get("memory__level") == len(user.inside)
    bench(name).run(script)


async def over(user):
    """The recording ends."""
    user.bench.set(over=1)
    await user.clock(enter=False, take=False)
    user.bench.set(over=0)


@pytest.mark.parametrize("words", [0, 1, 30])
@pytest.mark.parametrize("abandoned", [0, 1])
def test_what_a_recording_leaves(words, abandoned):
    """It is counted at the end, and stays so; a failure is what its user has given up."""
    async def script(b):
        def reported():
            return b.get("memory__lost"), b.get("memory__failure")

        user = User(b, "64 bits", seed=1, playing=0)
        await user.clock(begin=True)
        b.set(abandoned=abandoned)
        await user.clocks(words, take=False)
        await user.clocks(9, enter=False, take=False)
        assert reported() == (0, MemoryFailure.NONE)
        await over(user)
        await user.drain()
        await user.clocks(9, enter=False)
        assert reported() == (words, MemoryFailure.GIVEN_UP if words and abandoned else MemoryFailure.NONE)
        assert not b.get("broken")
        b.set(abandoned=0)
        await user.clock(begin=True)
        assert reported() == (0, MemoryFailure.NONE)
    bench("64 bits").run(script)


def test_a_failed_memory_is_not_what_was_given_up():
    async def script(b):
        user = User(b, "64 bits", seed=5, playing=0, pace=Pace(bad_write=0))
        await user.clock(begin=True)
        while not b.get("broken"):
            await user.clock()
        b.set(abandoned=1)
        await over(user)
        b.set(abandoned=0)
        assert b.get("memory__lost") == len(user.inside) and b.get("memory__failure") == MemoryFailure.ERROR
    bench("64 bits").run(script)


@pytest.mark.parametrize("also", [{}, {"settle": True}, {"rewind": True}, {"enter": False}])
@pytest.mark.parametrize("name", ["64 bits", "no power of two"])
def test_a_playback_that_is_forgotten(name, also):
    """All at once, whatever comes in the same clock, and the words after it come."""
    async def script(b):
        user = User(b, name, seed=4, playing=1, pace=Pace(latency=9))
        await user.clock(begin=True)
        for clocks in (700, 30, 3, 0, 90):
            await user.clocks(clocks, good=True, take=False)
            await user.clocks(clocks // 10, take=False)
            await user.clock(forget=True, **also)
            await user.clocks(clocks // 7, good=True)
        await user.clocks(300, good=True)
        await user.drain()
    bench(name).run(script)


def test_clocks_of_a_memory_that_is_too_slow():
    """Those in which a word that there is room for cannot enter; none without such a word, or after the operation."""
    async def script(b):
        user = User(b, "64 bits", seed=4, playing=0)
        await user.clock(begin=True)
        await user.clocks(900, keep=True)
        await user.clock(settle=True)
        assert b.get("memory__waits") < 9       # a burst has 16 words here
        user.memory.pace.answer = 0
        while b.get("i__ready"):
            await user.clock(go=False)
        user.silent = 0
        await user.clock(enter=False)
        before = b.get("memory__waits")
        await user.clocks(70, go=False)
        await user.clocks(50, go=False, enter=False)
        assert 70 <= b.get("memory__waits") - before <= 72
        before = b.get("memory__waits")
        b.set(active=0)
        await user.clocks(50, go=False)
        assert b.get("memory__waits") - before <= 2
    bench("64 bits").run(script)


def test_clocks_of_a_memory_that_takes_no_reads():
    """Those in which a whole burst of words is in it, and none comes out though one could be taken."""
    async def script(b):
        user = User(b, "64 bits", seed=4, playing=0)
        user.memory.pace.fetch = 0
        await user.clock(begin=True)
        await user.clocks(5)
        await user.clocks(60, enter=False)
        assert b.get("memory__waits") == 0
        await user.clocks(40)
        await user.clocks(60, enter=False)
        before = b.get("memory__waits")
        await user.clocks(50, enter=False)
        assert b.get("memory__waits") - before == 50
        await user.clock(go=False, enter=False)
        before = b.get("memory__waits")
        await user.clocks(50, go=False, enter=False)
        assert b.get("memory__waits") == before
    bench("64 bits").run(script)


@pytest.mark.parametrize("depth", [832, 64, 100])
def test_a_memory_that_is_no_multiple_of_its_fifos(depth):
    with pytest.raises(ValueError, match=f"{depth} words"):
        MemoryShape(depth, fifo=64)

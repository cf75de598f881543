"""The room for frames, against a plain sum."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sata_recorder.bricks.frames.frame_room import FrameRoom
from sata_recorder.facts.units import SECTOR_WORDS
from sata_recorder.facts.vita49 import AROUND
from unit.bench import Bench

PAYLOADS = (1, 100, 115, 2034)
BENCHES = {payload: Bench(FrameRoom(payload)) for payload in PAYLOADS}


def sectors_of(words):
    return -(-(words + AROUND) // SECTOR_WORDS)


async def frames(bench, payload, sectors, rng, pause):
    """Frames until there is no room for another one, each as long as ``rng`` has it; returns what was begun, and
    what was left in all clocks in which no frame was open."""
    longest = sectors_of(payload)
    await bench.pulse(begin=1, sectors=sectors, endless=0)
    for _ in range(4):
        assert not bench.get("begun")
        await bench.tick()
    assert bench.get("begun")
    left = sectors - 1          # but for the last frame
    begun = 0
    while True:
        assert bench.get("fits") == (left >= longest), (begun, left)
        if left < longest or begun == 60:
            return begun
        if rng.random() < pause:
            await bench.tick()
            continue
        # One word in the clock of the begin; and the frame ends with it, with a later one, is cut, or is full.
        begun += 1
        whole = SECTOR_WORDS * rng.randint(1, longest) - AROUND     # words that fill their sectors
        words = rng.choice((1, 1, 2, payload, rng.randint(1, payload), whole, whole + 1))
        words, cut = min(words, payload), rng.random() < 0.2
        for word in range(words):
            bench.set(begins=word == 0, enters=1, closes=word == words - 1 and (words == payload or not cut))
            await bench.tick()
        bench.set(begins=0, enters=0, closes=0)
        if cut and words < payload:
            bench.set(closes=1)
            await bench.tick()
            bench.set(closes=0)
        left -= sectors_of(words)


@pytest.mark.sample(4)
@pytest.mark.parametrize("payload", PAYLOADS)
@settings(max_examples=settings().max_examples // 4)
@given(sectors=st.one_of(st.integers(1, 200), st.integers(1, (1 << 48) - 1)), rng=st.randoms(use_true_random=False),
       pause=st.sampled_from([0, 0.3, 0.8]))
@example(sectors=60, rng=None, pause=0)
def test_fits_while_there_is_room(payload, sectors, rng, pause):
    """In each clock between two frames, however short these are."""
    if rng is None:
        class rng:      # one word each, one after the other
            random = staticmethod(lambda: 1.0)
            choice = staticmethod(lambda options: 1)
            randint = staticmethod(lambda low, high: low)

    async def script(bench):
        return await frames(bench, payload, sectors, rng, pause)
    BENCHES[payload].run(script)

"""The FIFO of a lane loses and doubles nothing, takes a word in every clock, and states what is in it."""

import random

import pytest
from unit.bench import Bench

from sata_recorder.bricks.array.lane_buffer import LaneBuffer

DEPTH = 16
#: How often the two sides are ready, in percent.
PACES = [(100, 100), (100, 30), (30, 100), (60, 50)]


def beat_of(number, words):
    """A beat, and the words that it is made of."""
    parts = [(number * words + n) * 0x9E3779B1 & 0xFFFFFFFF for n in range(words)]
    return sum(part << 32 * n for n, part in enumerate(parts)), parts


async def cleared(bench, plays):
    bench.set(clear=1, plays=plays)
    await bench.tick()
    bench.set(clear=0)
    await bench.tick()


async def recorded(bench, rng, words, clocks, paces):
    """Beats that went in, words that came out, and in each clock what is to be in the buffer and what it states."""
    await cleared(bench, 0)
    went, came, taken = [], [], 0
    stated = []
    for _ in range(clocks):
        inside = taken * words - len(came)
        beat, parts = beat_of(taken, words)
        offers, wants = (rng.randrange(100) < pace for pace in paces)
        bench.set(i__valid=offers, i__payload=beat, words_out__ready=wants)
        entered = offers and bench.get("i__ready")
        if wants and bench.get("words_out__valid"):
            came.append(bench.get("words_out__payload"))
        if entered:
            went += parts
            taken += 1
        await bench.tick()
        stated.append((inside, bool(entered), bench.get("left"), bench.get("empty")))
    return went, came, stated


async def played(bench, rng, words, clocks, paces):
    """Words that went in, words of the beats that came out."""
    await cleared(bench, 1)
    went, came = [], []
    for _ in range(clocks):
        number = len(went)
        word = beat_of(number // words, words)[1][number % words]
        offers, wants = (rng.randrange(100) < pace for pace in paces)
        bench.set(words_in__valid=offers, words_in__payload=word, o__ready=wants)
        if offers and bench.get("words_in__ready"):
            went.append(word)
        if wants and bench.get("o__valid"):
            beat = bench.get("o__payload")
            came += [beat >> 32 * n & 0xFFFFFFFF for n in range(words)]
        await bench.tick()
    return went, came


@pytest.mark.parametrize("paces", PACES)
@pytest.mark.parametrize("words", [2, 4])
def test_a_recording_passes(words, paces):
    """The words come in their order, and ``left`` and ``empty`` are those of the clock before."""
    bench = Bench(LaneBuffer(32 * words, DEPTH))
    went, came, stated = bench.run(recorded, random.Random(words), words, 600, paces)
    assert came == went[:len(came)]
    assert len(went) - len(came) <= (DEPTH + 2) * words
    assert len(came) > 100
    for inside, entered, left, empty in stated:
        assert left == inside
        assert empty == (inside == 0 and not entered)


@pytest.mark.parametrize("paces", PACES)
@pytest.mark.parametrize("words", [2, 4])
def test_a_playback_passes(words, paces):
    bench = Bench(LaneBuffer(32 * words, DEPTH))
    went, came = bench.run(played, random.Random(words), words, 600, paces)
    assert came == went[:len(came)]
    assert len(went) - len(came) <= (DEPTH + 1) * words
    assert len(came) > 100


@pytest.mark.parametrize("words", [2, 4])
def test_a_word_in_every_clock(words):
    """After the first beats neither side waits for the buffer."""
    bench = Bench(LaneBuffer(32 * words, DEPTH))
    # A recording: beats come faster than the words leave, so there is always a word.
    _, came, _ = bench.run(recorded, random.Random(1), words, 400, (100, 100))
    assert len(came) >= 395
    # A playback: a word enters in each clock.
    went, came = bench.run(played, random.Random(1), words, 400, (100, 100))
    assert len(went) == 400
    assert len(came) >= 400 - 4 * words


@pytest.mark.parametrize("words", [2, 4])
def test_it_fills(words):
    """A lane that takes nothing holds up its beats only when all places but one are full."""
    bench = Bench(LaneBuffer(32 * words, DEPTH))
    went, came, _ = bench.run(recorded, random.Random(1), words, 100, (100, 0))
    assert not came
    # Two more beats are between the FIFO and the words.
    assert len(went) // words == DEPTH - 1 + 2

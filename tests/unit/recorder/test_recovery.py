"""Commands that fail: no word is lost, doubled or made up, and none comes in a wrong place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.recorder.recovery import PlayBack, Recording, run

EXAMPLES = settings().max_examples
RATES = st.sampled_from([1, 0.9, 0.5, 0.2])
COURSE = {"seed": st.integers(0, 2**32 - 1), "sectors": st.integers(1, 8),
          "user": RATES, "drive": RATES, "failures": st.sampled_from([0, 0.3, 0.7]),
          "skips": st.sampled_from([0, 0.3, 1]), "longest": st.integers(1, 5)}
STOP = st.one_of(st.none(), st.integers(0, 2000))


@settings(max_examples=EXAMPLES // 3)
@given(depth=st.sampled_from([128, 512]), retain=st.booleans(), stop=STOP, **COURSE)
def test_recording(depth, retain, **course):
    run(Recording, depth=depth, retain=retain, **course)


@settings(max_examples=EXAMPLES // 5)
@given(retain=st.booleans(), stop=STOP, fis=st.sampled_from([20, 300, 700]), **COURSE)
def test_play_back_of_verified_words(**course):
    run(PlayBack, depth=4096, **course)


@settings(max_examples=EXAMPLES // 5)
@given(retain=st.booleans(), stop=STOP, fis=st.sampled_from([20, 300]), **COURSE)
def test_play_back_of_words_as_they_come(**course):
    run(PlayBack, depth=256, **course)

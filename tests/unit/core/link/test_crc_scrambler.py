"""CrcScrambler: CRC and keystream of every dword of a frame, whatever comes between them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.core.link.crc_scrambler import CrcScrambler
from unit.bench import Bench
from unit.core.link.reference import crc, keystream

BENCH = Bench(CrcScrambler())
SIDES = ["receive", "transmit"]


def trace(side, rows):
    """Keystream and CRC of each clock, which are the same on both sides."""
    rows = [{f"{side}__{name}": value for name, value in row.items()}
            | {"transmitting": side == "transmit"} for row in rows]
    seen = BENCH.trace(rows, [f"{side}__{name}" for side in SIDES for name in ("keystream", "crc")])
    for clock in seen:
        assert (clock["receive__keystream"], clock["receive__crc"]) == (
            clock["transmit__keystream"], clock["transmit__crc"])
    return [{name: clock[f"{side}__{name}"] for name in ("keystream", "crc")} for clock in seen]


def test_before_a_frame():
    (seen,) = trace("receive", [{}])
    assert seen == {"keystream": keystream(1)[0], "crc": crc([])}


@pytest.mark.parametrize("side", SIDES)
@given(st.lists(st.tuples(st.sampled_from("rrsss-"), st.integers(0, 2**32 - 1)), max_size=30))
def test_restart_and_step(side, events):
    """r: restart, s: a dword passes, -: neither, and then the word at the port means nothing."""
    rows = [{"restart": event == "r", "step": event == "s", "word": word}
            for event, word in events] + [{}]
    expected, passed = [], []
    for event, word in [*events, ("-", 0)]:
        expected.append({"keystream": keystream(len(passed) + 1)[-1], "crc": crc(passed)})
        if event == "r":
            passed = []
        elif event == "s":
            passed.append(word)
    assert trace(side, rows) == expected


def test_restart_comes_before_step():
    """The clock of SOF may still show a dword."""
    rows = [{"step": 1, "word": 0x12345678}, {"restart": 1, "step": 1, "word": 1}, {}]
    assert trace("receive", rows)[-1] == {"keystream": keystream(1)[0], "crc": crc([])}


def test_longest_frame():
    words = [random.Random(1).getrandbits(32) for _ in range(2050)]
    seen = trace("receive", [{"step": 1, "word": word} for word in words] + [{}])
    assert [clock["keystream"] for clock in seen] == keystream(2051)
    assert seen[-1]["crc"] == crc(words)

"""What goes out before and after there is a link."""

import random

import pytest
from sata_drive_model.protocol.primitives import ALIGN, SYNC

from sata_recorder.core.phy.dword_source import DwordSource
from unit.core.phy.compiled import Compiled


@pytest.fixture(scope="module")
def dut():
    return Compiled(DwordSource())


def sent(dut, clocks, started, ready, rng):
    """33-bit words that were taken, those of the link layer numbered from 0 on."""
    dut.restart()
    words, number = [], 0
    for clock in range(clocks):
        dut.set(step=rng.random() < 0.8, started=clock >= started, ready=clock >= ready,
                tx_data=number, tx_k=0)
        dut.edge(0)
        if dut.i[dut.inputs["step"]]:
            words.append(dut.get("data") | dut.get("k") << 32)
        taken = dut.get("taken")
        dut.edge(1)
        number += taken
    return words


@pytest.mark.parametrize("started, ready", [
    (50, 50), (50, 51), (50, 60), (50, 2000), (50, 377), (50, 378), (50, 379), (50, 380)])
def test_order(dut, started, ready, seed):
    """ALIGN alone, SYNC with a pair of ALIGN in 256 dwords, a pair, then all of the link layer's."""
    words = sent(dut, 3000, started, ready, random.Random(seed))
    link = [word for word in words if not word >> 32]
    assert link == list(range(len(link))) and link
    first = words.index(0)
    assert words[first:] == link, "nothing in between"
    before = words[:first]
    assert before[-2:] == [ALIGN] * 2
    begin = before.index(SYNC) if SYNC in before else len(before)
    assert set(before[:begin]) == {ALIGN} and set(before[begin:]) <= {ALIGN, SYNC}
    text = "".join("a" if word == ALIGN else "s" for word in before[begin:])
    runs = [run for run in text.split("s") if run]
    assert all(len(run) % 2 == 0 for run in runs)
    assert max(map(len, text.split("a")), default=0) <= 254


def test_only_align_before(dut):
    assert set(sent(dut, 500, 10**6, 10**6, random.Random(1))) == {ALIGN}

"""What is on the line: OOB bit for bit, D10.2, dwords, and ALIGN pairs where dwords are missing."""

import random

import pytest
from sata_drive_model.phy.coding import DECODED, decode_dword
from sata_drive_model.protocol.primitives import ALIGN, SYNC

from sata_recorder.core.phy.oob import Line
from sata_recorder.core.phy.pcs_transmitter import PcsTransmitter
from unit.core.phy.compiled import Compiled

GEARINGS = [2, 4]
TRANSMITTERS = {}


def sent(gearing, items):
    """Words of the line, (bits, idle, oob), while `items` are taken and for 16 clocks more: (line,
    33-bit data), or None for a clock in which nothing is there."""
    if gearing not in TRANSMITTERS:
        TRANSMITTERS[gearing] = Compiled(PcsTransmitter(gearing))
    dut = TRANSMITTERS[gearing]
    dut.restart()
    words = []
    for item in [*items, *[None] * 16]:
        line, data = item or (0, 0)
        dut.set(valid=item is not None, i=data & 0xFFFFFFFF | (data >> 32) << 32 | line << 33)
        taken = False
        while not taken:
            taken = item is None or dut.get("ready")
            dut.edge(1)
            words.append(tuple(dut.get(name) for name in ("data", "idle", "oob")))
    return words


def dwords(words, gearing):
    """The dwords on the line, from the first on that is no silence."""
    start = next(n for n, (_, idle, _) in enumerate(words) if not idle)
    words = [bits for bits, _, _ in words[start:]]
    found, disparity = [], 0
    group = 4 // gearing
    for n in range(0, len(words) - group + 1, group):
        bits = sum(word << 10 * gearing * k for k, word in enumerate(words[n:n + group]))
        if n == 0 and bits & 1023 not in DECODED[0]:
            disparity = 1
        word, disparity, error = decode_dword(bits, disparity)
        assert not error
        found.append(word)
    return found


@pytest.mark.parametrize("gearing", GEARINGS)
@pytest.mark.parametrize("generation", [1, 2, 3])
def test_burst(gearing, generation):
    """D24.3 as a line of Gen1 has it: 0011 over and over, whatever the line rate."""
    count = 4 << generation - 1
    words = sent(gearing, [(Line.IDLE, 0)] * 3 + [(Line.GAP, 0)] * 2
                 + [(Line.BURST, generation | (n & 1) << 2) for n in range(count)]
                 + [(Line.GAP, 0)] * 2 + [(Line.IDLE, 0)])
    bits = "".join(f"{word:0{10 * gearing}b}"[::-1] for word, idle, _ in words if not idle)
    half = 2 << generation - 1
    assert len(bits) == 40 * count == 160 << generation - 1
    assert bits == ("0" * half + "1" * half) * (len(bits) // (2 * half))
    assert all(oob for _, idle, oob in words if not idle)
    quiet = [(word, oob) for word, idle, oob in words if idle]
    assert {word for word, _ in quiet} == {0}
    assert sum(oob for _, oob in quiet) == 4 * 4 // gearing


@pytest.mark.parametrize("gearing", GEARINGS)
def test_dwords(gearing, seed):
    rng = random.Random(seed)
    data = [rng.choice([rng.getrandbits(32), SYNC]) for _ in range(300)]
    words = sent(gearing, [(Line.IDLE, 0)] + [(Line.DWORD, word) for word in data])
    assert dwords(words, gearing)[:300] == data


@pytest.mark.parametrize("gearing", GEARINGS)
def test_missing_dwords(gearing, seed):
    """Each gap is filled with whole ALIGN pairs, and nothing is lost."""
    rng = random.Random(seed)
    data = [rng.getrandbits(32) for _ in range(300)]
    items = [(Line.DWORD, SYNC)]
    for word in data:
        items += [None] * rng.choice([0, 0, 0, 1, 2, 5]) + [(Line.DWORD, word)]
    found = dwords(sent(gearing, items), gearing)
    assert [word for word in found if word != ALIGN][1:301] == data
    run = 0
    for word in found[:-16]:
        if word == ALIGN:
            run += 1
        else:
            assert run % 2 == 0
            run = 0


@pytest.mark.parametrize("gearing", GEARINGS)
def test_wait_goes_on(gearing):
    """D10.2 and silence need no new dwords: ALIGN there would be a false answer."""
    found = dwords(sent(gearing, [(Line.IDLE, 0), (Line.WAIT, 0)]), gearing)
    assert set(found) == {0x4A4A4A4A}
    assert all(idle for _, idle, _ in sent(gearing, [(Line.IDLE, 0)]))

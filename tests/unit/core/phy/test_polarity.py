"""Swapped pairs: the receiver finds them, the transmitter makes up for them."""

import random

import pytest
from sata_drive_model.phy.coding import decode_dword, encode_dword
from sata_drive_model.protocol.primitives import ALIGN, NAMES

from sata_recorder.core.phy.dwords import ALIGN as HOST_ALIGN
from sata_recorder.core.phy.dwords import INVERTED_ALIGN, PRIMITIVES
from sata_recorder.core.phy.oob import Line
from unit.core.phy.ecp5_bench import follows
from unit.core.phy.test_pcs_receiver import GEARINGS, Stream, content, good, received, receiver
from unit.core.phy.test_pcs_transmitter import TRANSMITTERS, dwords, sent


def inverted(stream):
    """The bits with P and N swapped."""
    stream.value ^= (1 << stream.length) - 1
    return stream


@pytest.mark.parametrize("disparity", [0, 1])
def test_inverted_align(disparity):
    """It is no code error and no disparity error, only another dword."""
    bits, _ = encode_dword(ALIGN, disparity)
    word, _, error = decode_dword(bits ^ (1 << 40) - 1, 1 - disparity)
    assert (word & 0xFFFFFFFF, error) == (INVERTED_ALIGN, False)


def test_primitives():
    """All those that the drive model knows, and no other."""
    assert {word & 0xFFFFFFFF for word in NAMES} == {HOST_ALIGN, *PRIMITIVES}


@pytest.mark.parametrize("gearing", GEARINGS)
@pytest.mark.parametrize("slip", [0, 1, 7, 20, 33])
def test_receiver_finds_it(gearing, slip):
    """After two inverted ALIGN and the dwords on the way all is as sent; swapped back again, too."""
    rng = random.Random(slip)
    first, second = content(rng, 60), content(rng, 60)
    stream = Stream(rng).raw(0, slip).dwords([ALIGN] * 20 + first)
    found = good(received(gearing, inverted(stream)))
    assert follows(first[:-2], found)
    assert receiver(gearing).get("inverted") == 1
    stream.dwords([ALIGN] * 20 + second)
    assert follows(second[:-2], good(received(gearing, stream)))
    assert receiver(gearing).get("inverted") == 0


@pytest.mark.parametrize("gearing", GEARINGS)
def test_one_inverted_align_is_not_enough(gearing):
    rng = random.Random(3)
    words = content(rng, 60)
    single = [0x1_0000_0000 | INVERTED_ALIGN]
    stream = Stream(rng).dwords([ALIGN] * 3 + single + words + single + words)
    found = good(received(gearing, stream))
    assert follows(words[:-2], found) and receiver(gearing).get("inverted") == 0


@pytest.mark.parametrize("gearing", GEARINGS)
@pytest.mark.parametrize("swap", [0, 1])
def test_transmitter(gearing, swap):
    """Dwords and D10.2 are swapped where that is asked for; bursts look as before."""
    words = content(random.Random(4), 40)
    items = [(Line.DWORD, word | swap << 36) for word in [ALIGN] * 3 + words]
    mask = (1 << 10 * gearing) - 1
    line = [(bits ^ mask * swap, idle, oob) for bits, idle, oob in sent(gearing, items)]
    assert dwords(line, gearing)[:43] == [ALIGN] * 3 + words
    assert gearing in TRANSMITTERS
    burst = [(Line.BURST, 2)] * 4
    plain = [bits for bits, _, oob in sent(gearing, burst) if oob]
    other = [bits for bits, _, oob in sent(gearing, [(line, data | 1 << 36)
                                                     for line, data in burst]) if oob]
    assert plain and plain == other

"""The drive model's 8b/10b code against the published tables."""

import random

from sata_drive_model.phy.coding import DECODED, ENCODED, decode_dword, encode_dword
from sata_drive_model.protocol.primitives import ALIGN, NAMES
from unit.core.phy.tables import CODE


def test_code():
    assert ENCODED == CODE
    assert [len(table) for table in DECODED] == [268, 268]


def test_dwords(seed):
    rng = random.Random(seed)
    sent = coded = 0
    for _ in range(2000):
        word = rng.choice([rng.getrandbits(32), *NAMES])
        bits, after = encode_dword(word, sent)
        assert decode_dword(bits, coded) == (word, after, False)
        sent = coded = after


def test_align():
    """As printed: K28.5 D10.2 D10.2 D27.3, from negative disparity."""
    bits, after = encode_dword(ALIGN, 0)
    assert f"{bits:040b}"[::-1] == "0011111010" "0101010101" "0101010101" "0010011100"
    assert after == 0
    bits, after = encode_dword(ALIGN, 1)
    assert f"{bits:040b}"[::-1] == "1100000101" "0101010101" "0101010101" "1101100011"
    assert after == 1


def test_errors():
    good, _ = encode_dword(ALIGN, 0)
    assert decode_dword(good ^ 1, 0)[2]
    assert decode_dword(good, 1)[2]
    assert decode_dword(good & ~(1023 << 10) | (good & 1023) << 10, 0)[2], "K beyond byte 0"

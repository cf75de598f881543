"""CRC, scrambler, primitives and frames against published vectors.

The CRC vector with its running values is the output of the sample program of the Serial ATA
specification (CRC appendix), as quoted in public copies of it, for example LiteX
misoclib/mem/litesata/test/crc.c and hydrausb3/wch-ch569-serdes. The keystream's first dword is
named by the specification's scrambler program. The second CRC is quoted for a drive's signature FIS
in the public test bench of a SATA host (Linkos sata_crc_tb.vhd), which prints the error register as
0 where a signature has 1 (diagnostics passed).
"""

import random
import struct

import pytest
from sata_drive_model import primitives
from sata_drive_model.crc import SEED, crc_dwords, crc_swapped
from sata_drive_model.frame import decode, encode
from sata_drive_model.scrambler import JUNK, generate, keystream, xor

SAMPLE = (0x00308027, 0xE1234567, 0x00000000, 0x00000002, 0x00000000)
RUNNING = (0x11E353FD, 0x0F656DA7, 0x3D14369C, 0x92D0D681, 0x319FFF6F)


def test_crc_sample_of_the_specification():
    crc = SEED
    for dword, expected in zip(SAMPLE, RUNNING):
        crc = crc_dwords([dword], crc)
        assert crc == expected


def test_crc_of_a_signature():
    assert crc_dwords((0x01500034, 1, 0, 1, 0)) == 0xDC052495


@pytest.mark.parametrize("size", [1, 2, 5, 128, 2049])
def test_fast_crc_is_the_table_crc(size):
    dwords = [random.Random(size).getrandbits(32) for _ in range(size)]
    assert crc_swapped(struct.pack(f">{size}I", *dwords)) == crc_dwords(dwords)


def test_keystream():
    assert keystream(3)[:3] == [0xC2D2768D, 0x1F26B368, 0xA508436C]
    assert keystream(5000)[:2050] == generate(2050)
    assert len(keystream(5000)) >= 5000


def test_keystream_has_the_longest_period():
    stream = generate(65535 + 3)
    assert stream[65535:] == stream[:3]
    assert len(set(zip(stream, stream[1:]))) == 65535


def test_junk_is_another_stretch():
    assert JUNK[:2] != keystream(2)[:2] and len(JUNK) == 4096


def test_scrambling_twice_is_nothing():
    data = random.Random(1).randbytes(8200)
    assert xor(xor(data)) == data
    assert xor(bytes(12)) == struct.pack("<3I", 0xC2D2768D, 0x1F26B368, 0xA508436C)


def test_frame_of_the_sample():
    words = encode(struct.pack("<5I", *SAMPLE))
    assert words[0] == primitives.SOF and words[-1] == primitives.EOF
    plain = [word ^ key for word, key in zip(words[1:-1], keystream(6))]
    assert plain == [*SAMPLE, 0x319FFF6F]
    assert decode(words[1:-1]) == (struct.pack("<5I", *SAMPLE), True)
    assert not decode(words[1:-2])[1]
    assert not decode([])[1]


def test_damaged_frame():
    assert not decode(encode(bytes(8), damage=1 << 17)[1:-1])[1]


#: Serial ATA Revision 3.x, primitive encoding: the four characters in the order of transmission.
CHARACTERS = {
    "ALIGN": "K28.5 D10.2 D10.2 D27.3", "CONT": "K28.3 D10.5 D25.4 D25.4",
    "DMAT": "K28.3 D21.5 D22.1 D22.1", "EOF": "K28.3 D21.5 D21.6 D21.6",
    "HOLD": "K28.3 D10.5 D21.6 D21.6", "HOLDA": "K28.3 D10.5 D21.4 D21.4",
    "PMACK": "K28.3 D21.4 D21.4 D21.4", "PMNAK": "K28.3 D21.4 D21.7 D21.7",
    "PMREQ_P": "K28.3 D21.5 D23.0 D23.0", "PMREQ_S": "K28.3 D21.4 D21.3 D21.3",
    "R_ERR": "K28.3 D21.5 D22.2 D22.2", "R_IP": "K28.3 D21.5 D21.2 D21.2",
    "R_OK": "K28.3 D21.5 D21.1 D21.1", "R_RDY": "K28.3 D21.4 D10.2 D10.2",
    "SOF": "K28.3 D21.5 D23.1 D23.1", "SYNC": "K28.3 D21.4 D21.5 D21.5",
    "WTRM": "K28.3 D21.5 D24.2 D24.2", "X_RDY": "K28.3 D21.5 D23.2 D23.2",
}


@pytest.mark.parametrize("name", CHARACTERS)
def test_primitive(name):
    word = getattr(primitives, name)
    for number, character in enumerate(CHARACTERS[name].split()):
        low, high = character[1:].split(".")
        assert word >> 8 * number & 0xFF == int(low) | int(high) << 5
    assert word >> 32 == 1
    assert primitives.NAMES[word] == primitives.name(word) == name

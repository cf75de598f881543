"""What crosses the dword port, bit by bit from the definitions; shares nothing with the core.

The characters of the primitives are the table of the Serial ATA specification (link layer,
primitive encoding) as quoted in the public sources apahm/sata3, rtl/defines.vh, and VLSI-EDA/PoC,
src/sata/sata_pkg.vhdl.
"""

_CHARACTERS = {
    "ALIGN": "D27.3 D10.2 D10.2 K28.5",
    "CONT": "D25.4 D25.4 D10.5 K28.3",
    "DMAT": "D22.1 D22.1 D21.5 K28.3",
    "EOF": "D21.6 D21.6 D21.5 K28.3",
    "HOLD": "D21.6 D21.6 D10.5 K28.3",
    "HOLDA": "D21.4 D21.4 D10.5 K28.3",
    "PMACK": "D21.4 D21.4 D21.4 K28.3",
    "PMNAK": "D21.7 D21.7 D21.4 K28.3",
    "PMREQ_P": "D23.0 D23.0 D21.5 K28.3",
    "PMREQ_S": "D21.3 D21.3 D21.4 K28.3",
    "R_ERR": "D22.2 D22.2 D21.5 K28.3",
    "R_IP": "D21.2 D21.2 D21.5 K28.3",
    "R_OK": "D21.1 D21.1 D21.5 K28.3",
    "R_RDY": "D10.2 D10.2 D21.4 K28.3",
    "SOF": "D23.1 D23.1 D21.5 K28.3",
    "SYNC": "D21.5 D21.5 D21.4 K28.3",
    "WTRM": "D24.2 D24.2 D21.5 K28.3",
    "X_RDY": "D23.2 D23.2 D21.5 K28.3",
}

_MASK = 0xFFFFFFFF


def _dword(characters):
    value = 0
    for character in characters.split():        # byte 3 first
        low, high = character[1:].split(".")
        value = value << 8 | int(high) << 5 | int(low)
    return value


#: Dword of each primitive, and the name of each such dword.
PRIMITIVES = {name: _dword(characters) for name, characters in _CHARACTERS.items()}
NAMES = {dword: name for name, dword in PRIMITIVES.items()}


def crc(dwords, value=0x52325032):
    """The CRC: x^32+x^26+x^23+x^22+x^16+x^12+x^11+x^10+x^8+x^7+x^5+x^4+x^2+x+1, bit 31 first."""
    for dword in dwords:
        for bit in reversed(range(32)):
            feedback = value >> 31 ^ dword >> bit & 1
            value = value << 1 & _MASK ^ 0x04C11DB7 * feedback
    return value


def keystream(count, register=0xFFFF):
    """The first dwords of the scrambler x^16+x^15+x^13+x^4+1, bit 0 first."""
    keys = []
    for _ in range(count):
        key = 0
        for bit in range(32):
            out = register >> 15
            key |= out << bit
            register = register << 1 & 0xFFFF ^ 0xA011 * out
        keys.append(key)
    return keys


def frame(dwords):
    """(dword, k) of the frame with this content, from SOF to EOF."""
    content = [*dwords, crc(dwords)]
    scrambled = [dword ^ key for dword, key in zip(content, keystream(len(content)))]
    return [(PRIMITIVES["SOF"], 1), *((dword, 0) for dword in scrambled), (PRIMITIVES["EOF"], 1)]


def content(scrambled):
    """The dwords of a frame from those between SOF and EOF; the CRC must be good."""
    plain = [dword ^ key for dword, key in zip(scrambled, keystream(len(scrambled)))]
    assert len(plain) >= 2 and crc(plain[:-1]) == plain[-1], [f"{dword:08X}" for dword in plain]
    return plain[:-1]


def named(line):
    """What the (dword, k) of ``line`` are: names of primitives, dwords as they are."""
    for dword, k in line:
        assert k in (0, 1), f"a control character outside byte 0: {k:04b}"
        assert k == 0 or dword in NAMES, f"no primitive: {dword:08X}"
    return [NAMES[dword] if k else dword for dword, k in line]


def check_aligns(line):
    """Fails unless an ALIGN pair begins every 256 dwords of ``line``, and none is anywhere else."""
    aligns = [n for n, item in enumerate(named(line)) if item == "ALIGN"]
    first, second = aligns[::2], aligns[1::2]
    assert second == [n + 1 for n in first if n + 1 < len(line)], "ALIGN not in pairs"
    assert all(b - a == 256 for a, b in zip(first, first[1:])), "pairs are not 256 dwords apart"
    assert len(line) - (first[-1] if first else 0) <= 256, "a pair is missing"


def expanded(line):
    """``line`` (see :func:`named`) without ALIGN; CONT and junk become what they continue.

    Fails where a receiver could not follow: CONT after anything but two equal primitives, or data
    that cannot be told from junk.
    """
    result, junk = [], False
    for item in named(line):
        if item == "ALIGN":
            continue
        if item == "CONT":
            assert not junk and len(result) > 1 and isinstance(result[-1], str), "misplaced CONT"
            assert result[-1] == result[-2], f"CONT after one {result[-1]}"
            junk = True
        elif isinstance(item, str):
            junk = False
        result.append(result[-1] if junk else item)
    return result

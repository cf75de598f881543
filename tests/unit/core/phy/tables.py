"""The 8b/10b code as published: both columns of both sub-blocks, first bit on the line first.

IEEE 802.3, clause 36, tables 36-1 and 36-2, put together from 5b/6b and 3b/4b.
"""

__all__ = ["CONTROLS", "CODE"]

#: x: abcdei at negative and at positive running disparity.
_SIX = {
    0: "100111 011000", 1: "011101 100010", 2: "101101 010010", 3: "110001 110001",
    4: "110101 001010", 5: "101001 101001", 6: "011001 011001", 7: "111000 000111",
    8: "111001 000110", 9: "100101 100101", 10: "010101 010101", 11: "110100 110100",
    12: "001101 001101", 13: "101100 101100", 14: "011100 011100", 15: "010111 101000",
    16: "011011 100100", 17: "100011 100011", 18: "010011 010011", 19: "110010 110010",
    20: "001011 001011", 21: "101010 101010", 22: "011010 011010", 23: "111010 000101",
    24: "110011 001100", 25: "100110 100110", 26: "010110 010110", 27: "110110 001001",
    28: "001110 001110", 29: "101110 010001", 30: "011110 100001", 31: "101011 010100",
}
#: y: fghj at negative and at positive running disparity after the first sub-block.
_FOUR = {0: "1011 0100", 1: "1001 1001", 2: "0101 0101", 3: "1100 0011", 4: "1101 0010",
         5: "1010 1010", 6: "0110 0110", 7: "1110 0001"}
_SEVEN = "0111 1000"
#: The twelve control characters as they are printed: name, RD-, RD+.
_CONTROL = """
    K28.0 001111 0100 110000 1011
    K28.1 001111 1001 110000 0110
    K28.2 001111 0101 110000 1010
    K28.3 001111 0011 110000 1100
    K28.4 001111 0010 110000 1101
    K28.5 001111 1010 110000 0101
    K28.6 001111 0110 110000 1001
    K28.7 001111 1000 110000 0111
    K23.7 111010 1000 000101 0111
    K27.7 110110 1000 001001 0111
    K29.7 101110 1000 010001 0111
    K30.7 011110 1000 100001 0111"""


def _value(bits):
    return int(bits[::-1], 2)


def _after(disparity, bits):
    """The running disparity, 0 or 1, after a sub-block or character."""
    ones, zeros = bits.count("1"), bits.count("0")
    return disparity if ones == zeros else int(ones > zeros)


def _code():
    for x, six in _SIX.items():
        for y in range(8):
            for disparity in (0, 1):
                first = six.split()[disparity]
                between = _after(disparity, first)
                second = _FOUR[y].split()[between]
                # D.x.P7 would make a run of five: D.x.A7 instead.
                if y == 7 and (first[-2:] + second[:3]) in ("11111", "00000"):
                    second = _SEVEN.split()[between]
                yield (x | y << 5, 0, disparity), first + second
    for line in _CONTROL.split("\n")[1:]:
        name, *parts = line.split()
        x, y = map(int, name[1:].split("."))
        for disparity in (0, 1):
            yield (x | y << 5, 1, disparity), "".join(parts[2 * disparity:2 * disparity + 2])


#: (byte, k, running disparity before: 0 or 1): (code, running disparity after).
CODE = {key: (_value(bits), _after(key[2], bits)) for key, bits in _code()}
CONTROLS = sorted(byte for byte, k, disparity in CODE if k and not disparity)

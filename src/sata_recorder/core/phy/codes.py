"""The 8b/10b code: its two sub-blocks, 5b/6b and 3b/4b.

Franaszek and Widmer, "A DC-balanced, partitioned-block, 8B/10B transmission code" (1983); Serial
ATA Revision 3.x, link layer, encoding. Codes are ints with the first bit on the line in bit 0.
"""

from amaranth.hdl import Cat, Const

__all__ = ["FOUR", "FOUR_A7", "FOUR_K28", "K28", "K7", "SIX", "SIX_K28", "A7_NEGATIVE",
           "A7_POSITIVE", "alternates", "lookup", "unbalanced"]


def _codes(text):
    return tuple(int(code[::-1], 2) for code in text.split())


#: ``abcdei`` of D0 to D31 at negative running disparity.
SIX = _codes("""
    100111 011101 101101 110001 110101 101001 011001 111000
    111001 100101 010101 110100 001101 101100 011100 010111
    011011 100011 010011 110010 001011 101010 011010 111010
    110011 100110 010110 110110 001110 101110 011110 101011""")
SIX_K28, = _codes("001111")
K28 = 28
#: K23.7, K27.7, K29.7 and K30.7: the code of the data character, with the other form of ``.7``.
K7 = frozenset({23, 27, 29, 30})

#: ``fghj`` of Dx.0 to Dx.7 at negative running disparity; ``.7`` has another form.
FOUR = _codes("1011 1001 0101 1100 1101 1010 0110 1110")
FOUR_A7, = _codes("0111")
#: The same after K28, which has its own balanced codes.
FOUR_K28 = _codes("1011 0110 1010 1100 1101 0101 1001 0111")
#: Data characters whose ``.7`` has the other form, by the disparity between the sub-blocks.
A7_NEGATIVE = frozenset({17, 18, 20})
A7_POSITIVE = frozenset({11, 13, 14})


def unbalanced(code, width):
    """Whether ``code`` changes the running disparity."""
    return 2 * code.bit_count() != width


def alternates(code, width):
    """Whether a data character uses the complement at positive running disparity."""
    half = width // 2
    return unbalanced(code, width) or code in ((1 << half) - 1, ((1 << half) - 1) << half)


def lookup(address, table, width=1):
    """``table[address]``, combinational, of ``width`` bits; ``table`` has an int or bool for each
    address."""
    assert len(table) == 1 << len(address)
    return Cat(Const(sum((int(entry) >> bit & 1) << place for place, entry in enumerate(table)),
                     len(table)).bit_select(address, 1) for bit in range(width))

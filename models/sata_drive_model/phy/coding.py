"""The 8b/10b code, from the logic equations of its inventors.

Franaszek and Widmer, "Byte oriented DC balanced (0,4) 8B/10B partitioned block transmission code",
US patent 4,486,739. Codes are ints with the first bit on the line in bit 0; running disparity is 0
(negative) or 1.
"""

from functools import lru_cache

from ..protocol.primitives import K

#: K28.5 at either disparity.
COMMA = frozenset({0b0101111100, 0b1010000011})

_CONTROLS = (*(28 | y << 5 for y in range(8)), *(x | 7 << 5 for x in (23, 27, 29, 30)))


def _encode(byte, k, disparity):
    """(code, running disparity after)."""
    a, b, c, d, e, f, g, h = (bool(byte >> bit & 1) for bit in range(8))
    ab, cd = a == b, c == d
    l22 = a and b and not c and not d or c and d and not a and not b or not ab and not cd
    l40 = a and b and c and d
    l04 = not (a or b or c or d)
    l13 = not ab and not c and not d or not cd and not a and not b
    l31 = not ab and c and d or not cd and a and b
    d24 = e and d and not c and not b and not a
    six = (a, b and not l40 or l04, l04 or c or d24, d and not (a and b and c),
           (e or l13) and not d24,
           l22 and not e or e and not d and not c and not (a and b) or e and l40
           or k and e and d and c and not b and not a or e and not d and c and not b and not a)
    plus = d24 or not e and not l22 and not l31         # wants positive disparity before it
    minus = k or e and not l22 and not l13 or not e and not d and c and b and a
    if minus and disparity or plus and not disparity:
        six = tuple(not bit for bit in six)
    between = disparity ^ bool(d24 or not e and not l22 and not l31 or k
                               or e and not l22 and not l13)
    seven = f and g and h and (k or (not e and d and l31 if disparity else e and not d and l13))
    four = (f and not seven, g or not f and not g and not h, h, not h and g != f or seven)
    plus = not f and not g or k and f != g
    minus = f and g
    if minus and between or plus and not between:
        four = tuple(not bit for bit in four)
    after = between ^ bool(not f and not g or f and g and h)
    return sum(bool(bit) << place for place, bit in enumerate(six + four)), after


#: (byte, k, disparity before): (code, disparity after).
ENCODED = {(byte, k, disparity): _encode(byte, k, disparity)
           for k, bytes_ in ((0, range(256)), (1, _CONTROLS))
           for byte in bytes_ for disparity in (0, 1)}
#: For each disparity before it: code: (byte, k, disparity after).
DECODED = tuple({code: (byte, k, after) for (byte, k, before), (code, after) in ENCODED.items()
                 if before == disparity} for disparity in (0, 1))


@lru_cache(1 << 16)
def encode_dword(dword, disparity):
    """(40 bits, disparity after) of a 33-bit word as the link layer has it."""
    bits = 0
    for place in range(4):
        code, disparity = ENCODED[dword >> 8 * place & 255, dword >> 32 if place == 0 else 0,
                                  disparity]
        bits |= code << 10 * place
    return bits, disparity


@lru_cache(1 << 16)
def decode_dword(bits, disparity):
    """(33-bit word, disparity after, error) of 40 bits; an error may be a character that is not in
    the code or not at this disparity, or a control character beyond byte 0."""
    word, error = 0, False
    for place in range(4):
        code = bits >> 10 * place & 1023
        found = DECODED[disparity].get(code)
        if found is None:
            error = True
            found = DECODED[1 - disparity].get(code, (code & 255, 0, disparity))
        byte, k, disparity = found
        word |= byte << 8 * place
        if k:
            if place:
                error = True
            else:
                word |= K
    return word, disparity, error

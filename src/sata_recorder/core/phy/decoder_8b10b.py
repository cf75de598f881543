"""The 8b/10b decoder (Serial ATA Revision 3.x, link layer, decoding)."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .codes import (A7_NEGATIVE, A7_POSITIVE, FOUR, FOUR_A7, FOUR_K28, K7, K28, SIX, SIX_K28, alternates,
                    lookup)

__all__ = ["Decoder8b10b"]

_ONES = [code.bit_count() for code in range(64)]


def _columns(codes, width):
    """The codes at negative and at positive running disparity."""
    mask = (1 << width) - 1
    return set(codes), {code ^ mask if alternates(code, width) else code for code in codes}


_SIX = _columns([*SIX, SIX_K28], 6)
_FOUR = _columns([*FOUR, FOUR_A7], 4)


def _x(code):
    """x of the 6-bit code, 0 for none."""
    for x, form in [*enumerate(SIX), (K28, SIX_K28)]:
        if code == form or alternates(form, 6) and code == form ^ 63:
            return x
    return 0


def _y(code):
    """y of the 4-bit code after a data character, 0 for none."""
    for y, form in [*enumerate(FOUR), (7, FOUR_A7)]:
        if code == form or alternates(form, 4) and code == form ^ 15:
            return y
    return 0


class Decoder8b10b(wiring.Component):
    """Decodes ``characters`` a clock and checks code and running disparity.

    A character that is in the code, but not at the running disparity, is a disparity error; one
    that is in neither column of the code is a code error. Either way the disparity continues from
    what was received. After reset it is negative, so the first character may seem in error.
    Latency: 2 clocks.

    Parameters
    ----------
    characters : int    Characters a clock.

    Members
    -------
    i : In(10 * characters)
        These are the codes that were received. Bit 0 was the first on the line.
    o : Out(8 * characters)
        These are the characters, the first one in bits 7:0. One with a code error is arbitrary.
    k : Out(characters)
        Each bit shows whether a character is a control character.
    code_error : Out(characters)
        Each bit shows whether a character had a code error.
    disparity_error : Out(characters)
        Each bit shows whether a character had a disparity error.
    """

    def __init__(self, characters):
        self._characters = characters
        super().__init__({
            "i": In(10 * characters), "o": Out(8 * characters), "k": Out(characters),
            "code_error": Out(characters), "disparity_error": Out(characters),
        })

    def elaborate(self, platform):
        m = Module()
        disparity = Signal()
        before = disparity
        values, controls, codes, disparities = [], [], [], []
        for n in range(self._characters):
            value, control, valid, after = self._character(m, self.i[10 * n:10 * n + 10])
            values.append(value)
            controls.append(control)
            codes.append(~valid.any())
            disparities.append(Mux(before, valid[0] & ~valid[1], valid[1] & ~valid[0]))
            following = Signal()
            m.d.comb += following.eq(Mux(before, after[1], after[0]))
            before = following
        m.d.sync += [
            self.o.eq(Cat(values)),
            self.k.eq(Cat(controls)),
            self.code_error.eq(Cat(codes)),
            self.disparity_error.eq(Cat(disparities)),
            disparity.eq(before),
        ]
        return m

    @staticmethod
    def _character(m, code):
        """One character, registered: value, control, and for negative and positive disparity
        before it: whether it is valid, and the disparity after it."""
        six, four = code[:6], code[6:]
        of_x = [_x(code) for code in range(64)]
        x = lookup(six, of_x, 5)
        k28 = lookup(six, [code in (SIX_K28, SIX_K28 ^ 63) for code in range(64)])
        # After K28 the codes of both disparities are complements of each other.
        straight = four ^ (six == SIX_K28).replicate(4)
        y = Mux(k28,
                lookup(straight, [FOUR_K28.index(c) if c in FOUR_K28 else 0 for c in range(16)], 3),
                lookup(four, [_y(code) for code in range(16)], 3))
        in_k28 = lookup(straight, [code in FOUR_K28 for code in range(16)])
        a7 = lookup(four, [code in (FOUR_A7, FOUR_A7 ^ 15) for code in range(16)])
        p7 = lookup(four, [code in (FOUR[7], FOUR[7] ^ 15) for code in range(16)])
        k7 = lookup(six, [x in K7 for x in of_x])

        validity, afters = [], []
        for positive in (0, 1):
            between = lookup(six, [ones > 3 or ones == 3 and positive for ones in _ONES])
            special = Mux(between, lookup(six, [x in A7_POSITIVE for x in of_x]),
                          lookup(six, [x in A7_NEGATIVE for x in of_x]))
            in_four = lookup(Cat(four, between),
                             [code in _FOUR[column] for column in (0, 1) for code in range(16)])
            form = Mux(a7, special | k7, ~(p7 & special))
            validity.append(lookup(six, [code in _SIX[positive] for code in range(64)])
                            & Mux(k28, in_k28, in_four & form))
            afters.append(lookup(Cat(four, between),
                                 [ones > 2 or ones == 2 and column for column in (0, 1)
                                  for ones in _ONES[:16]]))
        value = Signal(8)
        control = Signal()
        valid = Signal(2)
        after = Signal(2)
        m.d.sync += [
            value.eq(Cat(x, y)),
            control.eq(k28 | a7 & k7),
            valid.eq(Cat(validity)),
            after.eq(Cat(afters)),
        ]
        return value, control, valid, after

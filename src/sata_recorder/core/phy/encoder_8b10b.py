"""The 8b/10b encoder (Serial ATA Revision 3.x, link layer, encoding)."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .codes import (A7_NEGATIVE, A7_POSITIVE, FOUR, FOUR_A7, FOUR_K28, K28, SIX, SIX_K28, alternates, lookup,
                    unbalanced)

__all__ = ["Encoder8b10b"]


class Encoder8b10b(wiring.Component):
    """Encodes ``characters`` a clock.

    The running disparity is negative after reset. What is no character of the code (a control
    character other than the twelve) comes out as some 10 bits. Latency: 2 clocks.

    Parameters
    ----------
    characters : int    Characters a clock.

    Members
    -------
    i : In(8 * characters)
        These are the characters to be encoded, the first one in bits 7:0.
    k : In(characters)
        Each bit shows whether a character is a control character.
    o : Out(10 * characters)
        These are the codes to be sent, bit 0 first.
    """

    def __init__(self, characters):
        self._characters = characters
        super().__init__({"i": In(8 * characters), "k": In(characters), "o": Out(10 * characters)})

    def elaborate(self, platform):
        m = Module()
        disparity = Signal()        # positive before the first character of the second stage
        before = disparity
        sixes = [*SIX, *(SIX_K28 if x == K28 else SIX[x] for x in range(32))]
        fours = [*FOUR, *FOUR_K28]
        codes = []
        for n in range(self._characters):
            x, y = self.i[8 * n:8 * n + 5], self.i[8 * n + 5:8 * n + 8]
            k = self.k[n]
            six = Signal(6)
            four = Signal(4)
            six_turns = Signal()
            six_changes = Signal()
            four_turns = Signal()
            four_changes = Signal()
            a7_negative = Signal()
            a7_positive = Signal()
            xk = Cat(x, k)
            yk = Cat(y, k & (x == K28))
            m.d.sync += [
                six.eq(lookup(xk, sixes, 6)),
                six_turns.eq(lookup(xk, [alternates(code, 6) for code in sixes])),
                six_changes.eq(lookup(xk, [unbalanced(code, 6) for code in sixes])),
                four.eq(lookup(yk, fours, 4)),
                four_turns.eq(lookup(yk, [index >= 8 or alternates(code, 4)
                                          for index, code in enumerate(fours)])),
                four_changes.eq(lookup(yk, [unbalanced(code, 4) for code in fours])),
                a7_negative.eq((y == 7) & (k | lookup(x, [x in A7_NEGATIVE for x in range(32)]))),
                a7_positive.eq((y == 7) & (k | lookup(x, [x in A7_POSITIVE for x in range(32)]))),
            ]
            between = Signal()
            after = Signal()
            chosen = Mux(Mux(between, a7_positive, a7_negative), FOUR_A7, four)
            m.d.comb += [between.eq(before ^ six_changes), after.eq(between ^ four_changes)]
            codes += [six ^ (before & six_turns).replicate(6),
                      chosen ^ (between & four_turns).replicate(4)]
            before = after
        m.d.sync += [self.o.eq(Cat(codes)), disparity.eq(before)]
        return m

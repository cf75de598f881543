"""The word aligner: characters and dwords out of words at any bit position.

Serial ATA Revision 3.x, phy layer, word alignment: K28.5 occurs in ALIGN only, as its first
character.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Aligner", "COMMA", "LOSS", "RECOVERY"]

#: K28.5 at negative running disparity, first bit on the line in bit 0.
COMMA = int("0011111010"[::-1], 2)
#: Bad dwords after which the alignment is considered lost.
LOSS = 8
#: Good dwords in a row that make up for one bad dword.
RECOVERY = 4


class Aligner(wiring.Component):
    """Finds K28.5 and puts it into the first character of a dword.

    While searching, the next K28.5 in either polarity sets the position; then it is kept. It is
    searched for again after :data:`LOSS` bad dwords, where each :data:`RECOVERY` good ones in a
    row make up for one bad one; until K28.5 is found the old position stays. A dword is bad that
    the decoder calls so, and one that has K28.5 elsewhere than at the position: an error-free
    line never has (Franaszek and Widmer: the comma is singular). Latency: 4 clocks from the
    last bit of a word, 5 where a word needs no shift.

    Parameters
    ----------
    gearing : int       Characters of 10 bits a clock, 2 or 4.

    Members
    -------
    i : In(10 * gearing)
        This is the word that the line brings in this clock. Bit 0 came first; characters may begin
        at any bit.
    enable : In(1)
        There is data to be received. While it is low, nothing is aligned.
    judge : In(1)
        A dword was decoded.
    bad : In(1)
        With ``judge``, the dword had an error.
    o : Out(10 * gearing)
        While ``valid``, this is a word of whole characters.
    first : Out(1)
        While ``valid``, a dword begins with ``o``.
    valid : Out(1)
        A position was found.
    """

    def __init__(self, gearing):
        self._gearing = gearing
        width = 10 * gearing
        super().__init__({
            "i": In(width), "enable": In(1), "judge": In(1), "bad": In(1),
            "o": Out(width), "first": Out(1), "valid": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        width = 10 * self._gearing
        step = width // 5           # the shift: one of five coarse steps, then bit by bit

        words = [Signal(width, name=f"word{n}") for n in range(4)]
        m.d.sync += [word.eq(source) for word, source in zip(words, [self.i, *words])]

        # Where K28.5 begins, in clock 1 each place for itself, in clock 2 as a number.
        window = Cat(words[1], words[0])
        found = Signal(width)
        m.d.sync += found.eq(Cat((window[p:p + 10] == COMMA) | (window[p:p + 10] == COMMA ^ 1023)
                                 for p in range(width)))
        place = Signal(range(width))
        m.d.comb += place.eq(Cat(Cat(found[p] for p in range(width) if p >> bit & 1).any()
                                 for bit in range(len(place))))

        aligned = Signal()          # a position was found and is not in doubt
        offset = Signal(range(width))
        half = Signal()             # the second half of a dword is at ``offset``
        next_half = ~half if self._gearing == 2 else 0
        take = Signal()
        misplaced = Signal()
        m.d.comb += take.eq(found.any() & ~aligned & self.enable)
        m.d.sync += [
            half.eq(next_half),
            misplaced.eq(found.any() & aligned & ((place != offset) | next_half)),
        ]
        with m.If(take):
            m.d.sync += [offset.eq(place), half.eq(0)]

        window = Cat(words[3], words[2])
        coarse = Signal(width + step - 1)
        with m.Switch(offset // step):
            for n in range(5):
                with m.Case(n):
                    m.d.comb += coarse.eq(window[n * step:n * step + len(coarse)])
        started = Signal()
        m.d.sync += [
            self.o.eq(coarse >> (offset % step)),
            self.first.eq(~half),
            self.valid.eq(started & self.enable),
        ]

        level = Signal(range(LOSS + 1))
        good = Signal(range(RECOVERY))
        wrong = Signal()            # in the dword that is judged next
        with m.If(take):
            m.d.sync += [aligned.eq(1), started.eq(1), level.eq(0), good.eq(0)]
        with m.Elif(~self.enable):
            m.d.sync += [aligned.eq(0), started.eq(0)]
        with m.Elif(level == LOSS):
            m.d.sync += aligned.eq(0)
        with m.Elif(self.judge):
            with m.If(self.bad | wrong):
                m.d.sync += [level.eq(level + 1), good.eq(0)]
            with m.Else():
                m.d.sync += good.eq(good + 1)
                with m.If((good == RECOVERY - 1) & (level != 0)):
                    m.d.sync += level.eq(level - 1)
        m.d.sync += wrong.eq(misplaced | wrong & ~self.judge)
        return m

"""The end of a recording on any word."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["WordGate"]


class WordGate(wiring.Component):
    """Lets this many words pass, and no more.

    Members
    -------
    begin : In(1)           A recording begins; no word passes before the third clock after it.
    limit : In(48)          With ``begin``: the words that may pass; 0: any number.
    passes : In(1)          A word passes; never while ``open`` is low.
    close : In(1)           No word may pass any more, from the next clock on.
    open : Out(1)           A word may pass.
    closed : Out(1)         The last word of the limit passed in the clock before.
    """

    begin: In(1)
    limit: In(48)
    passes: In(1)
    close: In(1)
    open: Out(1)
    closed: Out(1)

    def elaborate(self, platform):
        m = Module()
        limited = Signal()
        left = Signal(48)           # words that may pass
        last = Signal()             # the word that passes next is the last one
        ends = Signal()
        m.d.comb += ends.eq(self.passes & last & limited)
        m.d.sync += [
            last.eq(Mux(self.passes, left == 2, left == 1)),
            left.eq(left - self.passes),
            self.closed.eq(ends),
        ]
        with m.If(ends | self.close):
            m.d.sync += self.open.eq(0)
        with m.If(self.begin):
            m.d.sync += [left.eq(self.limit), limited.eq(self.limit != 0), self.open.eq(1)]
        return m

"""The gaps of a recording whose source cannot wait."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .journal import Gap

__all__ = ["Overflow"]

#: With fewer words than this for the drive, words are accepted as long as there is any room.
_FEW = 64


class Overflow(wiring.Component):
    """Decides which words are accepted, and measures the gaps that the others leave.

    After a word was lost none is accepted until a quarter of the buffer is free, so that gaps are few, with long
    pauses between them. Words that are kept for a replay do not become free when the drive takes them, so a quarter may
    not become free before the command has got all its words: while there are few words for the drive, any room will do.

    Parameters
    ----------
    depth : int             words in the buffer

    Members
    -------
    begin : In(1)           an operation begins: no word has been lost
    accepts : In(1)         the recording runs and takes words
    offered : In(1)         the user offers a word
    room : In(1)            the buffer has room for a word
    crowded : In(1)         it takes words more slowly than they come, however much room it has
    open : Out(1)           a word for which there is room is accepted, not lost
    level : In              words in the buffer for the drive
    held : In               the same, with those that are kept for a replay
    words : In(48)          words accepted in this recording
    dropped : Out(48)       words lost in this recording
    gap : Out(stream Gap)   comes once the gap is over: with the next word that is accepted, or
                            when ``accepts`` falls
    """

    def __init__(self, *, depth):
        self._depth = depth
        super().__init__({
            "begin": In(1), "accepts": In(1), "offered": In(1), "room": In(1), "crowded": In(1),
            "open": Out(1),
            "level": In(range(depth + 2)), "held": In(range(depth + 2)), "words": In(48),
            "dropped": Out(48), "gap": Out(stream.Signature(Gap)),
        })

    def elaborate(self, platform):
        m = Module()
        gap, held = self.gap, self.held
        closed = Signal()
        in_gap = Signal()
        length = Signal(48)
        clocks = Signal(48)
        loses = Signal()
        ends = Signal()
        enough = Signal()
        m.d.comb += [
            self.open.eq(~closed),
            loses.eq(self.offered & self.accepts & (closed | ~self.room)),
            ends.eq(in_gap & ((self.offered & self.room & ~closed) | ~self.accepts) & ~gap.valid),
            # A quarter of the depth is free.
            enough.eq(~self.crowded & (held < self._depth - self._depth // 4 if self._depth & (self._depth - 1) else
                      ~held[-1] & ~(held[-2] & held[-3]))),
        ]
        with m.If(closed):
            m.d.sync += closed.eq(gap.valid | ~(enough | (self.room & (self.level < _FEW))))
        with m.Else():
            m.d.sync += closed.eq(loses)

        m.d.sync += self.dropped.eq(self.dropped + loses)
        with m.If(ends):
            m.d.sync += in_gap.eq(0)
        with m.Elif(loses):
            m.d.sync += in_gap.eq(1)
        with m.If(in_gap):
            m.d.sync += [length.eq(length + loses), clocks.eq(clocks + self.accepts)]
        with m.Else():
            m.d.sync += [length.eq(1), clocks.eq(1)]

        with m.If(ends):
            m.d.sync += [
                gap.valid.eq(1),
                gap.payload.position.eq(self.words),
                gap.payload.length.eq(length),
                gap.payload.clocks.eq(clocks),
            ]
        with m.Elif(gap.ready):
            m.d.sync += gap.valid.eq(0)
        with m.If(self.begin):
            m.d.sync += [closed.eq(0), in_gap.eq(0), self.dropped.eq(0), gap.valid.eq(0)]
        return m

"""Which recordings of the console have frames, and their stream identifiers."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class FrameRequest(wiring.Component):
    """Counts stream identifiers: each recording with frames has the one after that of the latest."""

    set: In(1)          # High for one clock: ``first`` is that of the next recording; 0: it has no frames.
    first: In(32)
    start: In(1)        # High for one clock: an operation begins.
    records: In(1)      # ... a recording that can have frames.
    enable: Out(1)      # It has frames, from the clock of ``start`` on.
    framed: Out(1)      # The latest operation had frames, from the clock after ``start`` on.
    stream_id: Out(32)  # Its stream identifier, from the same clock on.

    def elaborate(self, platform):
        m = Module()
        following = Signal(32)      # 0: none
        after = Signal(32)
        m.d.comb += [
            after.eq(following + 1),
            self.enable.eq(self.framed),
        ]
        with m.If(self.set):
            m.d.sync += following.eq(self.first)
        with m.If(self.start):
            m.d.comb += self.enable.eq(self.records & following.any())
            m.d.sync += self.framed.eq(self.enable)
            with m.If(self.enable):
                m.d.sync += [self.stream_id.eq(following),
                             following.eq(after | ~after.any())]      # 1 after the last one
        return m

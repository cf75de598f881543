"""Where in a stream a recording has ended."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RecordingBoundary"]


class RecordingBoundary(wiring.Component):
    """Asks the source for a boundary after each recording, and tells what of the stream is older than the last one.

    Members
    -------
    ended : In(1)       A recording ends in this clock.
    request : Out(1)    It changes when the next beat of the source is to be the first one after a boundary: 2 clocks
                        after ``ended``, so that a synchroniser never shows it before the end itself.
    passes : In(1)      A beat with a boundary goes.
    at_boundary : In(1) The beat that is there has a boundary.
    old : Out(1)        What happens at the beat that is there was before the end of a recording.
    """

    ended: In(1)
    request: Out(1)
    passes: In(1)
    at_boundary: In(1)
    old: Out(1)

    def elaborate(self, platform):
        m = Module()
        ended = Signal()
        waits = Signal()            # for the boundary that was asked for
        again = Signal()            # another recording has ended meanwhile
        latest = self.at_boundary & ~again & ~ended
        m.d.comb += self.old.eq((waits | ended) & ~latest)
        m.d.sync += ended.eq(self.ended)
        with m.If(self.passes | ~waits):
            m.d.sync += [waits.eq(again | ended), again.eq(0), self.request.eq(self.request ^ (again | ended))]
        with m.Elif(ended):
            m.d.sync += again.eq(1)
        return m

"""Where in a stream a recording has ended."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["NUMBER_BITS", "RecordingBoundary"]

#: Bits of the number of a recording.
NUMBER_BITS = 4


class RecordingBoundary(wiring.Component):
    """Numbers the recordings, and tells what of the stream is older than the last one.

    The source puts a boundary with the latest number before its next beat. The numbers do not wrap before the first
    boundary of them has passed: until then what comes is old.

    Members
    -------
    ended : In(1)       A recording ends in this clock.
    number : Out(4)     Of the recording, as a Gray code: it changes 2 clocks after ``ended``, so that a synchronizer
                        never shows it before the end itself.
    boundary : In(1), boundary_number : In(4)       The beat that is there has a boundary, with this number.
    passes : In(1)      It goes.
    old : Out(1)        What happens at the beat that is there was before the end of a recording.
    """

    ended: In(1)
    number: Out(NUMBER_BITS)
    boundary: In(1)
    boundary_number: In(NUMBER_BITS)
    passes: In(1)
    old: Out(1)

    def elaborate(self, platform):
        m = Module()
        count = Signal(NUMBER_BITS)
        following = Signal(NUMBER_BITS)
        passed = Signal(NUMBER_BITS)        # the number of the last boundary that has gone
        latest = Signal(NUMBER_BITS)        # ... or is there
        ended = Signal()
        waits = Signal()                    # a recording has ended that has no number yet
        m.d.comb += [
            following.eq(count + 1), latest.eq(Mux(self.boundary, self.boundary_number, passed)),
            self.old.eq(waits | ended | (latest != self.number)),
        ]
        m.d.sync += ended.eq(self.ended)
        with m.If(self.boundary & self.passes):
            m.d.sync += passed.eq(self.boundary_number)
        code = following ^ Cat(following[1:], 0)
        with m.If((waits | ended) & (code != passed)):
            m.d.sync += [count.eq(following), self.number.eq(code), waits.eq(0)]
        with m.Elif(ended):
            m.d.sync += waits.eq(1)
        return m

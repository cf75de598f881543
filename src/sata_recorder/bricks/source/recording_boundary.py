"""Where in a stream a recording has ended."""

from amaranth.hdl import Cat, Module, Signal
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
    boundary : In(1), boundary_number : In(4)       A boundary passes, with this number.
    old : Out(1)        What comes after the latest boundary was before the end of a recording.
    """

    ended: In(1)
    number: Out(NUMBER_BITS)
    boundary: In(1)
    boundary_number: In(NUMBER_BITS)
    old: Out(1)

    def elaborate(self, platform):
        m = Module()
        count = Signal(NUMBER_BITS)
        following = Signal(NUMBER_BITS)
        passed = Signal(NUMBER_BITS)        # the number of the last boundary
        stale = Signal()                    # it is not the latest
        ended = Signal()
        waits = Signal()                    # a recording has ended that has no number yet
        m.d.comb += [following.eq(count + 1), self.old.eq(waits | ended | stale)]
        m.d.sync += ended.eq(self.ended)
        with m.If(self.boundary):
            m.d.sync += [passed.eq(self.boundary_number), stale.eq(self.boundary_number != self.number)]
        code = following ^ Cat(following[1:], 0)
        with m.If((waits | ended) & (code != passed)):
            m.d.sync += [count.eq(following), self.number.eq(code), waits.eq(0), stale.eq(1)]
        with m.Elif(ended):
            m.d.sync += waits.eq(1)
        return m

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
        ended = Signal()
        waits = Signal()                    # a recording has ended that has no number yet
        # ``old`` is a flop, as every word waits for it: what it is in the next clock.
        ends, stale = Signal(), Signal()    # a recording waits for its number; the last number is not the latest
        was_stale = Signal()
        numbers = Signal()                  # a recording gets its number
        code = following ^ Cat(following[1:], 0)
        pending = waits | ended
        m.d.comb += [
            following.eq(count + 1), numbers.eq(pending & (code != passed)),
            ends.eq(pending & ~numbers), stale.eq(numbers | Mux(
                self.boundary, self.boundary_number != self.number, was_stale)),
        ]
        m.d.sync += [ended.eq(self.ended), waits.eq(ends), was_stale.eq(stale),
                     self.old.eq(self.ended | ends | stale)]
        with m.If(self.boundary):
            m.d.sync += passed.eq(self.boundary_number)
        with m.If(numbers):
            m.d.sync += [count.eq(following), self.number.eq(code)]
        return m

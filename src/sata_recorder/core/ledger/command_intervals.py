"""How long the turnaround and the overhead of a command are."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CommandIntervals"]

class CommandIntervals(wiring.Component):
    """Measures each turnaround, and the clocks from one command's payload to the next one's.

    A measurement stays until it has been read, which is once in 32 clocks. A turnaround
    saturates with all bits set.

    Parameters
    ----------
    turnaround_width, overhead_width : int      bits of the longest ones

    Members
    -------
    clear : In(1)           what was measured is forgotten
    transfer : In(1)        this clock belongs to data commands, and with it:
    turnaround_clock : In(1)        the clock is one of a turnaround;
    issue : In(1)           a command that follows another is issued;
    payload_clock : In(1)   a payload dword crosses, at least 128 times a command
    visit : In(1)           what is new now is read, until
    visited : In(1)         the visit is over
    turnaround : Out        clocks of the last turnaround
    overhead : Out          clocks since the last payload dword, up to the first one of the next
                            command
    turnaround_new, overhead_new : Out(1)   the value had not been read when ``visit`` came
    """

    def __init__(self, *, turnaround_width, overhead_width):
        super().__init__({
            "clear": In(1), "transfer": In(1), "turnaround_clock": In(1), "issue": In(1),
            "payload_clock": In(1), "visit": In(1), "visited": In(1),
            "turnaround": Out(turnaround_width), "overhead": Out(overhead_width),
            "turnaround_new": Out(1), "overhead_new": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        turnaround_ended = Signal()
        overhead_ended = Signal()
        between = Signal()      # a command has been issued, none of its payload has crossed
        full = Signal()
        ended = Cat(turnaround_ended, overhead_ended)
        seen = Cat(self.turnaround_new, self.overhead_new)
        with m.If(self.visit):
            m.d.sync += seen.eq(ended)
        with m.If(self.visited):
            m.d.sync += ended.eq(ended & ~seen)

        m.d.sync += full.eq(self.turnaround[1:].all())
        with m.If(self.payload_clock & ~turnaround_ended):
            m.d.sync += self.turnaround.eq(0)
        with m.Elif(self.transfer & self.turnaround_clock & ~full):
            m.d.sync += self.turnaround.eq(self.turnaround + 1)
        with m.If(self.transfer & self.issue):
            m.d.sync += [turnaround_ended.eq(1), between.eq(1)]

        # The overhead stays from the first payload dword on, and is counted again long before the
        # last one.
        with m.If(self.transfer & self.payload_clock & between):
            m.d.sync += [overhead_ended.eq(1), between.eq(0)]
        with m.Elif(self.transfer & ~overhead_ended):
            m.d.sync += self.overhead.eq(self.overhead + 1)
        with m.If(self.transfer & self.payload_clock & ~between & ~overhead_ended):
            m.d.sync += self.overhead.eq(0)
        with m.If(self.clear):
            m.d.sync += [between.eq(0), ended.eq(0)]
        return m

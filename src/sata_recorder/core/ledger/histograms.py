"""Histograms of what takes time: commands, and stalls of the drive."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import BINS
from ...interface import HISTOGRAM
from ...interface.histogram import LEAST_STALL, HistogramKind

__all__ = ["BinFinder", "Histograms"]

_BIN_BITS = (BINS - 1).bit_length()


class BinFinder(wiring.Component):
    """Finds the bin of a time: its logarithm to base 2, a bit a clock.

    Parameters
    ----------
    width : int             bits of a time

    Members
    -------
    take : In(1)            ``clocks`` is a new time; not before the one before has been taken away
    clocks : In(width)
    clear : In(1)           no time is left; one that comes in this clock is forgotten
    valid : Out(1)          ``bin`` is that of the time, at most ``width`` clocks after ``take``
    bin : Out(5)            0 for a time of 0 or 1
    ready : In(1)           it is taken away
    """

    def __init__(self, *, width):
        super().__init__({"take": In(1), "clocks": In(width), "clear": In(1),
                          "valid": Out(1), "bin": Out(_BIN_BITS), "ready": In(1)})

    def elaborate(self, platform):
        m = Module()
        rest = Signal.like(self.clocks)
        there = Signal()
        m.d.comb += self.valid.eq(there & ~rest[1:].any())
        with m.If(self.take):
            m.d.sync += [rest.eq(self.clocks), self.bin.eq(0), there.eq(1)]
        with m.Elif(rest[1:].any()):
            m.d.sync += [rest.eq(rest[1:]), self.bin.eq(self.bin + 1)]
        with m.Elif(self.ready):
            m.d.sync += there.eq(0)
        with m.If(self.clear):
            m.d.sync += there.eq(0)
        return m


class Histograms(wiring.Component):
    """Counts in one memory how many commands, and how many stalls of the drive, took how long.

    They continue from one operation to the next, until ``user.clear``. A command that fails does not
    count. A time is in the memory at most 40 clocks after its end, 64 more after ``user.clear``.

    Parameters
    ----------
    time_width, count_width : int       bits of a time, and of a bin: both saturate

    Members
    -------
    begins : In(1)          a command that moves data is requested in this clock
    completed : In(1)       the command was completed a clock ago; the next one may have been requested
                            in that clock
    stalls : In(1)          the drive takes no word of those there are
    user : In               the group "histogram" of :mod:`...interface`
    """

    def __init__(self, *, time_width=32, count_width=32):
        self._time_width = time_width
        self._count_width = count_width
        super().__init__({"begins": In(1), "completed": In(1), "stalls": In(1),
                          "user": In(HISTOGRAM.signature)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.command = command = BinFinder(width=self._time_width)
        m.submodules.stall = stall = BinFinder(width=self._time_width)
        self._measure(m, command, stall)

        m.submodules.memory = mem = memory.Memory(
            shape=self._count_width, depth=2 * BINS, init=[], attrs={"ram_style": "block"})
        # Read and written at one address: a port of the block RAM.
        write, counted = mem.write_port(), mem.read_port()
        user = mem.read_port()
        place = Signal(range(2 * BINS))
        sweeps = Signal(init=1)     # all bins become 0
        swept = Signal.like(place)
        adds = Signal(2)            # 1 to the bin that is read: in the second clock, when ``full`` is known
        full = Signal(4)            # in parts
        of_stall = Signal()         # it is one of a stall
        m.d.comb += [
            user.addr.eq(self.user.address), write.addr.eq(place), counted.addr.eq(place),
            command.clear.eq(self.user.clear), stall.clear.eq(self.user.clear),
            place.eq(Mux(of_stall, Cat(stall.bin, Const(HistogramKind.STALLS, 1)),
                         Cat(command.bin, Const(HistogramKind.COMMANDS, 1)))),
        ]
        m.d.sync += self.user.data.eq(user.data)
        of_stall_before = Signal()
        m.d.sync += of_stall_before.eq(of_stall)
        with m.If(sweeps):
            m.d.comb += [place.eq(swept), write.en.eq(1)]
            m.d.sync += [swept.eq(swept + 1), sweeps.eq(~swept.all())]
        with m.Elif(adds.any()):
            m.d.comb += of_stall.eq(of_stall_before)
            m.d.sync += [full.eq(Cat(part.all() for part in _quarters(counted.data))), adds.eq(adds << 1)]
            with m.If(adds[1]):
                m.d.comb += [write.data.eq(counted.data + 1), write.en.eq(~full.all()),
                             stall.ready.eq(of_stall), command.ready.eq(~of_stall)]
        with m.Else():
            m.d.comb += of_stall.eq(~command.valid)
            m.d.sync += adds.eq(command.valid | stall.valid)
        with m.If(self.user.clear):
            m.d.sync += [sweeps.eq(1), swept.eq(0), adds.eq(0)]
        return m

    def _measure(self, m, command, stall):
        """The times. A counter lags what it counts by a clock."""
        began = Signal()
        timer = Signal(self._time_width)
        run = Signal(self._time_width)
        stood = Signal()
        # That a command begins is known late in a clock.
        m.d.sync += began.eq(self.begins)
        with m.If(began):
            m.d.sync += timer.eq(2)
        with m.Elif(~timer.all()):
            m.d.sync += timer.eq(timer + 1)
        m.d.sync += [command.clocks.eq(timer), stood.eq(self.stalls)]
        m.d.comb += command.take.eq(self.completed)
        with m.If(~self.stalls):
            m.d.sync += run.eq(0)
        with m.Elif(~run.all()):
            m.d.sync += run.eq(run + 1)
        m.d.comb += [stall.clocks.eq(run),
                     stall.take.eq(stood & ~self.stalls & run[LEAST_STALL.bit_length() - 1:].any())]


def _quarters(value):
    """``value`` in four parts, some of which may be empty."""
    size = -(-len(value) // 4)
    return [value[size * number:size * (number + 1)] for number in range(4)]

"""What two drives that hold the same have done of an operation."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .progress import LaneReport

__all__ = ["MirrorProgress"]

_LANES = 2


class MirrorProgress(wiring.Component):
    """Keeps what the lanes show of each part of an operation, and adds it up.

    Latency: 4 clocks.

    Members
    -------
    restart, part, base, lanes, counts : In         As those of :class:`.mirror_operation.MirrorOperation`.
    reports : In(LaneReport) array      What the lanes show.
    active : In(2)          The lanes that are used.
    located : In(1), size : In(48)      The lane whose ``error_lba`` is shown, if it is one of so many sectors.
    sectors_done, longest_stall, unflushed_lba, unflushed_sectors, error_lba : Out(48)
    retries, high_water : Out(16), unflushed : Out(1)  See :mod:`...interface`. ``unflushed``: of all that are used.
    """

    restart: In(1)
    part: In(1)
    base: In(48)
    lanes: In(_LANES)
    counts: In(1)
    reports: In(LaneReport).array(_LANES)
    active: In(_LANES)
    located: In(1)
    size: In(48)
    sectors_done: Out(48)
    longest_stall: Out(48)
    unflushed_lba: Out(48)
    unflushed_sectors: Out(48)
    error_lba: Out(48)
    retries: Out(16)
    high_water: Out(16)
    unflushed: Out(1)

    def elaborate(self, platform):
        m = Module()
        done = [Signal(48, name=f"done{lane}") for lane in range(_LANES)]
        retries = [Signal(16, name=f"retries{lane}") for lane in range(_LANES)]
        before, total = Signal(16), Signal(17)
        least, base, whole = Signal(48), Signal(48), Signal(48)
        # A playback that goes on with the other lane reads again what was in the buffer of the first.
        floor = Signal(48)
        m.d.comb += total.eq(before + retries[0])
        sums = Signal(18)
        m.d.sync += [
            least.eq(Mux(self.lanes[0] & (~self.lanes[1] | (done[0] < done[1])), done[0], done[1])),
            base.eq(self.base), whole.eq(base + least), self.sectors_done.eq(Mux(whole < floor, floor, whole)),
            sums.eq(total + retries[1]), self.retries.eq(Mux(sums[16:].any(), 0xFFFF, sums)),
        ]
        with m.If(self.part | self.restart):
            m.d.sync += [before.eq(Mux(self.restart, 0, self.retries)), *(one.eq(0) for one in (*done, *retries))]
        with m.Elif(self.counts):
            for lane, report in enumerate(self.reports):
                with m.If(self.lanes[lane]):
                    m.d.sync += [done[lane].eq(report.sectors_done), retries[lane].eq(report.retries)]
        with m.If(self.part | self.restart):
            m.d.sync += floor.eq(Mux(self.restart, 0, self.sectors_done))
        with m.If(self.restart):
            m.d.sync += [self.high_water.eq(0), self.longest_stall.eq(0)]
        for lane, report in enumerate(self.reports):
            with m.Elif(self.counts & self.lanes[lane] & (
                    (report.high_water > self.high_water) | (report.longest_stall > self.longest_stall))):
                with m.If(report.high_water > self.high_water):
                    m.d.sync += self.high_water.eq(report.high_water)
                with m.If(report.longest_stall > self.longest_stall):
                    m.d.sync += self.longest_stall.eq(report.longest_stall)
        named = Array(self.reports)[self.located].error_lba
        with m.If(self.counts & (self.lanes >> self.located)[0] & (named < self.size)):
            m.d.sync += self.error_lba.eq(named)
        self._unflushed(m)
        return m

    def _unflushed(self, m):
        """The first and the last sector that may be lost, if no lane has them for certain."""
        ends = [Signal(48, name=f"end{lane}") for lane in range(_LANES)]
        first, last = Signal(48), Signal(48)
        one, two = self.reports
        both = self.active.all()
        m.d.comb += self.unflushed.eq(self.active.any() & (one.unflushed | ~self.active[0])
                                      & (two.unflushed | ~self.active[1]))
        m.d.sync += [
            *(end.eq(report.unflushed_lba + report.unflushed_sectors) for end, report in zip(ends, self.reports)),
            first.eq(Mux(self.active[0] & (~both | (one.unflushed_lba < two.unflushed_lba)), one.unflushed_lba,
                         two.unflushed_lba)),
            last.eq(Mux(self.active[0] & (~both | (ends[0] > ends[1])), *ends)),
            self.unflushed_lba.eq(first), self.unflushed_sectors.eq(last - first),
        ]

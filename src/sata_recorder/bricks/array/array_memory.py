"""What the memories of the lanes of an array report, as those of one."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...interface.memory import MemoryFailure

__all__ = ["ArrayMemory", "MemoryReport", "lane_memories"]


class MemoryReport(data.Struct):
    """What one memory reports, see the group "memory" of :mod:`...interface`."""

    level: 48
    high_water: 48
    waits: 48
    lost: 48
    failure: MemoryFailure


class LaneMemory:
    """Of a lane with a memory: the user gives up what it holds; words in the buffer before it."""

    def __init__(self):
        self.abandoned = Signal()
        self.left = Signal(range(1 << 16))


def lane_memories(m, user, cores, operation, progress, *, narrow):
    """What the memories of the lanes report, as one to the ``user``. Returns a :class:`LaneMemory` of each. They are
    abandoned only while an operation of the user runs: superblocks are not the user's. ``narrow``: there is no buffer
    before the lanes, so this abandons them at once."""
    cores = [core.user.memory for core in cores]
    m.submodules.memory = memory = ArrayMemory(len(cores))
    m.d.comb += [
        memory.restart.eq(progress.restart), memory.counts.eq(operation.counts), memory.takes.eq(operation.started),
        user.level.eq(memory.shown.level), user.high_water.eq(memory.shown.high_water),
        user.waits.eq(memory.shown.waits), user.lost.eq(memory.shown.lost),
        user.failure.eq(memory.shown.failure),
    ]
    lanes = [LaneMemory() for _ in cores]
    for report, core, lane in zip(memory.lanes, cores, lanes):
        m.d.comb += [report.level.eq(core.level), report.high_water.eq(core.high_water),
                     report.waits.eq(core.waits), report.failure.eq(core.failure),
                     # Words that a lane has left in its buffer when it has ended are lost, too.
                     report.lost.eq(core.lost + Mux(operation.settle & ~operation.plays, lane.left, 0)),
                     core.abandon.eq(lane.abandoned)]
        if narrow:
            m.d.comb += lane.abandoned.eq(user.abandon & operation.counts)
    return lanes


class ArrayMemory(wiring.Component):
    """Goes round the lanes, and shows after each round the sums of what they report, but for ``high_water`` and
    ``failure``, of which it is the highest.

    Latency: 2 clocks a lane, twice at most, and 2 clocks.

    Parameters
    ----------
    lanes : int

    Members
    -------
    restart : In(1)         One clock: an operation begins.
    counts : In(1)          What the lanes report is of this operation. While low what is shown stays.
    takes : In(lanes)       Those that take part in it.
    lanes : In(MemoryReport) array
    shown : Out(MemoryReport)
    """

    def __init__(self, lanes):
        self._lanes = lanes
        super().__init__({
            "restart": In(1), "counts": In(1), "takes": In(lanes), "lanes": In(MemoryReport).array(lanes),
            "shown": Out(MemoryReport),
        })

    def elaborate(self, platform):
        m = Module()
        lane, adds = Signal(range(self._lanes)), Signal()
        last = lane == self._lanes - 1
        report, sums = Signal(MemoryReport), Signal(MemoryReport)
        closed, current = Signal(), Signal()    # a round has ended; it began while ``counts``
        m.d.sync += [
            adds.eq(~adds), closed.eq(adds & last),
            report.eq(Mux((self.takes >> lane)[0], Array(self.lanes)[lane], 0)),
        ]
        with m.If(closed):
            m.d.sync += [sums.eq(0), current.eq(self.counts)]
        with m.If(~self.counts):
            m.d.sync += current.eq(0)
        with m.If(adds):
            m.d.sync += [
                lane.eq(Mux(last, 0, lane + 1)), sums.level.eq(sums.level + report.level),
                sums.waits.eq(sums.waits + report.waits), sums.lost.eq(sums.lost + report.lost),
            ]
            with m.If(sums.high_water < report.high_water):
                m.d.sync += sums.high_water.eq(report.high_water)
            with m.If(sums.failure < report.failure):
                m.d.sync += sums.failure.eq(report.failure)
        with m.If(self.restart):
            m.d.sync += self.shown.eq(0)
        with m.Elif(closed & current & self.counts):
            m.d.sync += self.shown.eq(sums)
        return m

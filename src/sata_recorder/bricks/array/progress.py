"""What all lanes have done of an operation, summed up one lane after the other."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...facts.array import DATA_OFFSET
from .geometry import Division

__all__ = ["LaneReport", "ArrayProgress"]

#: The latency of :class:`.geometry.StripedJoin`, and how long a lane takes, in clocks.
_JOINED = 3
_STEPS = 14


class LaneReport(data.Struct):
    """What one lane shows."""

    sectors_done: 48
    skipped_sectors: 48
    retries: 16
    high_water: 16
    longest_stall: 48
    held_cycles: 48
    unflushed: 1
    unflushed_lba: 48
    unflushed_sectors: 48
    error_lba: 48


class ArrayProgress(wiring.Component):
    """Goes round the lanes, and after each round shows the sum of what they show.

    Latency: two rounds at most, each of 14 clocks a lane.

    Parameters
    ----------
    lanes : int
    skips : bool            Lanes may pass over sectors.
    queued : bool           An operation may have several extents.
    commands : bool         There is the operation COMMAND, of one lane.

    Members
    -------
    restart : In(1)         One clock: an operation begins.
    extent : In(Division)   Its extent; if it has several, one after the other, the one whose sectors are being written.
    base : In(48)           The sectors of those before it.
    before : In(48)         With ``share_first``: the sectors that the lane has of those before it.
    last : In(1)            There is none after it.
    whole : Out(1)          One clock: all lanes have done this extent. Unless it is the ``last`` one, the next round is
                            about the one after it, which is there 2 clocks later.
    lane : Out(range)       The lane that ``report`` is about; and, a clock later, ``share_first`` and ``share_length``,
                            its part of the extent.
    report : In(LaneReport)
    share_first, share_length : In(48)
    join_lane, join_own : Out           A sector of a lane; ``joined`` is that sector of the array, 3 clocks later.
    joined : In(48)
    counts : In(1)          What the lanes show is of this operation. While low what is shown stays, but for
                            ``unflushed`` and its sectors.
    settle : In(1)          While high: ``settled`` is to come.
    settled : Out(1)        One clock: a round has ended that began after ``settle`` rose, and no extent is left that
                            may be ``whole``.
    takes : In(1)           ``lane`` takes part in the operation.
    passed : In(1)          With ``skips``: what ``lane`` has not done of its part is passed over.
    clear_unflushed : In(1)         One clock: the user clears ``unflushed``; the lanes follow a clock later.
    located : In(range)     The lane whose ``error_lba`` is shown, if that is a sector of the array.
    commanded : In(1)       The operation is COMMAND: ``sectors_done`` and ``error_lba`` are those of its lane.
    named : In(1)           With ``commands``: ``error_lba`` is of this operation. After COMMAND the lanes show what is
                            no sector of the array.
    sectors_done, skipped_sectors, longest_stall, held_cycles, unflushed_lba, unflushed_sectors,
    error_lba : Out(48)
    retries, high_water : Out(16), unflushed : Out(1)
                            See :mod:`...interface`. ``sectors_done`` is the length of the longest part from the
                            beginning of the extent that all lanes have done, less the sectors that were passed over;
                            ``unflushed_sectors`` are those from the first to the last one of any lane.
    """

    def __init__(self, lanes, *, skips, queued=False, commands=False):
        self._lanes = lanes
        self._skips = skips
        self._queued = queued
        self._commands = commands
        super().__init__({
            "restart": In(1), "extent": In(Division), "lane": Out(range(lanes)), "report": In(LaneReport),
            "share_first": In(48), "share_length": In(48), "base": In(48), "before": In(48), "last": In(1, init=1),
            "whole": Out(1),
            "join_lane": Out(range(lanes)), "join_own": Out(48), "joined": In(48),
            "counts": In(1), "settle": In(1), "settled": Out(1), "takes": In(1),
            "passed": In(1),
            "clear_unflushed": In(1), "located": In(range(lanes)), "commanded": In(1), "named": In(1),
            "sectors_done": Out(48), "skipped_sectors": Out(48), "retries": Out(16), "high_water": Out(16),
            "longest_stall": Out(48), "held_cycles": Out(48), "unflushed": Out(1), "unflushed_lba": Out(48),
            "unflushed_sectors": Out(48), "error_lba": Out(48),
        })

    def elaborate(self, platform):
        m = Module()
        step = Signal(range(_STEPS))
        last_lane = self.lane == self._lanes - 1
        ends = Signal()             # the last clock of a lane
        closes = Signal()           # the last clock of a round
        fresh = Signal()            # this round began after ``settle`` rose
        current = Signal()          # this round began after ``counts`` rose
        publishes = Signal()
        shown = Signal(LaneReport)
        first, length, before = Signal(48), Signal(48), Signal(48)
        # Flops, as much depends on them.
        m.d.sync += [ends.eq(step == _STEPS - 2), closes.eq((step == _STEPS - 2) & last_lane)]
        m.d.comb += publishes.eq(closes & current & self.counts)
        with m.If(ends):
            m.d.sync += [step.eq(0), self.lane.eq(Mux(last_lane, 0, self.lane + 1))]
        with m.Else():
            m.d.sync += step.eq(step + 1)
        m.d.sync += self.settled.eq(closes & fresh & self.settle & ~(self.whole & ~self.last))
        with m.If(closes):
            m.d.sync += [fresh.eq(1), current.eq(self.counts)]
        with m.If(~self.settle):
            m.d.sync += fresh.eq(0)
        # The next operation may begin before the end of this round.
        with m.If(~self.counts):
            m.d.sync += current.eq(0)
        with m.If(step == 1):
            m.d.sync += [shown.eq(self.report), first.eq(self.share_first), length.eq(self.share_length),
                         before.eq(self.before)]
        with m.If((step == 2) & self.passed):
            m.d.sync += shown.skipped_sectors.eq(length - shown.sectors_done)
        # A lane that was not started shows what it did before.
        done, passed = Signal(48), Signal(48)       # sectors of the lane; of its part
        m.d.sync += done.eq(Mux(self.takes, shown.sectors_done + (shown.skipped_sectors if self._skips else 0), 0))
        if self._queued:
            within = Signal(48)
            m.d.sync += [within.eq(Mux(done > before, done - before, 0)),
                         passed.eq(Mux(within > length, length, within))]
        else:
            m.d.sync += passed.eq(done)
        self._ask(m, step, shown, first + passed)
        skipped = self._sums(m, step, closes, publishes, shown)
        self._prefix(m, step, shown, publishes, passed, length, skipped)
        self._unflushed(m, step, closes, shown)
        # A sector of the superblock is none of the array's.
        inside, sector = shown.error_lba[DATA_OFFSET.bit_length() - 1:].any(), self.joined
        if self._commands:
            inside, sector = self.named & (inside | self.commanded), Mux(self.commanded, shown.error_lba, sector)
        with m.If((step == 5 + _JOINED) & (self.lane == self.located) & self.takes & self.counts & inside):
            m.d.sync += self.error_lba.eq(sector)
        return m

    def _ask(self, m, step, shown, open_):
        """Asks where sectors of a lane are in the array. What is set in a step is there in the next one, and its answer
        ``_JOINED`` clocks after that."""
        past = Signal(48)
        m.d.sync += past.eq(shown.unflushed_lba + shown.unflushed_sectors)
        m.d.comb += self.join_lane.eq(self.lane)
        with m.Switch(step):
            with m.Case(4):
                m.d.sync += self.join_own.eq(shown.error_lba - DATA_OFFSET)
            with m.Case(5):
                m.d.sync += self.join_own.eq(shown.unflushed_lba - DATA_OFFSET)
            with m.Case(6):
                m.d.sync += self.join_own.eq(past - (DATA_OFFSET + 1))
            with m.Case(7):
                m.d.sync += self.join_own.eq(open_)

    def _prefix(self, m, step, shown, publishes, passed, length, skipped):
        """The first sector of the extent that is not done on its lane."""
        lowest, end, done = Signal(48), Signal(48), Signal(48)
        whole = Signal()
        m.d.sync += [whole.eq((passed == length) | (length == 0)), done.eq(lowest - self.extent.first + self.base),
                     end.eq(self.extent.first + self.extent.total)]
        with m.If((step == 2) & (self.lane == 0)):
            m.d.sync += lowest.eq(end)
        with m.Elif((step == 8 + _JOINED) & ~whole & (self.joined < lowest)):
            m.d.sync += lowest.eq(self.joined)
        m.d.comb += self.whole.eq(publishes & (lowest == end))
        # A lane that is ahead may have passed over more sectors than all lanes have done.
        whole_done = Mux(done > skipped, done - skipped, 0) if self._skips else done
        if self._commands:
            alone = Signal(48)      # of the lane that has the COMMAND
            with m.If((step == 4) & self.takes):
                m.d.sync += alone.eq(shown.sectors_done)
            whole_done = Mux(self.commanded, alone, whole_done)
        with m.If(self.restart):
            m.d.sync += self.sectors_done.eq(0)
        with m.Elif(publishes):
            m.d.sync += self.sectors_done.eq(whole_done)

    def _unflushed(self, m, step, closes, shown):
        """The first and the last sector that may be lost, of all lanes."""
        some = Signal()
        least, most = Signal(48), Signal(48)
        with m.If((step == 6 + _JOINED) & shown.unflushed & (~some | (self.joined < least))):
            m.d.sync += least.eq(self.joined)
        with m.If((step == 7 + _JOINED) & shown.unflushed):
            m.d.sync += some.eq(1)
            with m.If(~some | (self.joined > most)):
                m.d.sync += most.eq(self.joined)
        with m.If(closes):
            m.d.sync += [some.eq(0), self.unflushed.eq(some), self.unflushed_lba.eq(least),
                         self.unflushed_sectors.eq(most - least + 1)]
        with m.If(self.clear_unflushed):
            m.d.sync += [some.eq(0), shown.unflushed.eq(0), self.unflushed.eq(0)]

    def _sums(self, m, step, closes, publishes, shown):
        """Counts of the operation. Returns the sectors that were passed over."""
        skipped, longest, held = Signal(48), Signal(48), Signal(48)
        retries = Signal(16 + self._lanes.bit_length())
        highest = Signal(16)
        counted = Signal(16)
        m.d.sync += [counted.eq(Mux(retries[16:].any(), 0xFFFF, retries))]
        with m.If(closes):
            m.d.sync += [skipped.eq(0), retries.eq(0), highest.eq(0), longest.eq(0), held.eq(0)]
        with m.Elif((step == 4) & self.takes):
            m.d.sync += [held.eq(held + shown.held_cycles), skipped.eq(skipped + shown.skipped_sectors),
                         retries.eq(retries + shown.retries)]
            with m.If(shown.high_water > highest):
                m.d.sync += highest.eq(shown.high_water)
            with m.If(shown.longest_stall > longest):
                m.d.sync += longest.eq(shown.longest_stall)
        with m.If(self.restart):
            m.d.sync += [self.skipped_sectors.eq(0), self.retries.eq(0), self.high_water.eq(0),
                         self.longest_stall.eq(0), self.held_cycles.eq(0)]
        with m.Elif(publishes):
            m.d.sync += [self.skipped_sectors.eq(skipped), self.retries.eq(counted), self.high_water.eq(highest),
                         self.longest_stall.eq(longest), self.held_cycles.eq(held)]
        return skipped

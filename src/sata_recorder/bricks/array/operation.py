"""One operation of an array: divides its extent, starts the lanes, and ends when all of them have."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.drive_port import Error, Operation
from ...facts.array import DATA_OFFSET
from ...facts.units import LONG_SECTOR_SHIFT
from .geometry import Divide

__all__ = ["COMPARED", "SHARED", "STARTED", "ArrayOperation", "Spans"]

#: Clocks until the end of an extent is compared with the capacity, and until a lane's share of it is known.
COMPARED, SHARED = 3, 5
#: Clocks after the start of a lane until what it shows is that of this operation.
STARTED = 9


class Spans(wiring.Signature):
    """The spans with which a recording continues, seen from the operation.

    Members
    -------
    begin : Out(1)          One clock: an operation begins. ``records``: it is a recording.
    records : Out(1)
    begin_words : Out(1)    One clock: the extent is divided, and its words may cross from the next clock on.
    ends : Out(1)           The operation has been stopped, or a lane has failed: no further span is taken.
    started : Out(lanes)    The lanes that have been started.
    gone : Out(lanes)       The drive of this lane was away in this operation: whose it is now has not been checked.
    long : Out(1)           A span must not split a logical sector of 4096 bytes.
    more : In(1)            A span may follow: the lanes wait for it.
    start : In(lanes)       One clock of a bit: this lane begins with ``sectors`` of a span, from sector ``lba`` of its
                            drive on.
    lba, sectors : In(48)
    lost : In(lanes)        One clock of a bit: this lane was to begin, and is ``gone``. It fails.
    takes_part : In(lanes)  One clock of a bit: what that lane shows is of this operation.
    holds : In(lanes)       One clock of a bit: a lane that was started before has sectors of a span.
    refused : In(1), error : In(Error)      A span cannot be recorded, for this reason: the operation ends with it after
                            those before it.
    """

    def __init__(self, lanes):
        super().__init__({
            "begin": Out(1), "records": Out(1), "begin_words": Out(1), "ends": Out(1), "started": Out(lanes),
            "gone": Out(lanes), "long": Out(1), "more": In(1), "start": In(lanes), "lba": In(48), "sectors": In(48),
            "lost": In(lanes), "takes_part": In(lanes),
            "holds": In(lanes), "refused": In(1), "error": In(Error),
        })


class ArrayOperation(wiring.Component):
    """The course of an operation.

    An operation with FLUSH CACHE runs on each lane, even if it has no sectors of the extent. When a lane fails the
    others are stopped, as by ``stop``. COMMAND runs on one lane, with the registers and the length that the user gives.

    Latency: 60 clocks and some 9 a lane from ``start`` to the start of the lanes.

    Parameters
    ----------
    lanes : int
    queued : bool           A recording continues with spans, see :class:`.array_queue.ArrayQueue`: a lane that has no
                            sectors of the extent may have some of these. Only after the last one does it begin with its
                            FLUSH CACHE, if the operation has that.
    command_sectors : int   The longest COMMAND; None: there is none.
    goes_on : bool          A recording goes on when a lane fails, see :class:`.kept_words.KeptWords`, which stops the
                            lanes once words may cross.

    Members
    -------
    start, stop : In(1), operation : In(Operation), lba, sectors : In(48)
                            Of the user, see :mod:`...interface`.
    ready : In(1)           All drives are ready, and the members are good.
    commanded : In(1), command_lane : In(range)         From the clock after ``start`` on: it is COMMAND, for that lane.
    refusal : In(Error)     The error of an operation that is started while ``ready`` is low.
    long : In(1)            With ``ready``: a drive has logical sectors of 4096 bytes, and an extent must not split one.
    capacity : In(48)       Sectors of the array.
    divide : Out(Divide)    The division of the extent among the lanes.
    opens : Out(1)          With ``divide.begin``: nothing is wrong with the extent.
    cleared : In(1)         The ledger is clear: words may cross.
    lane_start : Out(lanes), lane_operation : Out(Operation), lane_lba, lane_sectors : Out(48)
                            One clock of a bit: the operation of this lane begins.
    lane_stop : Out(1)      One clock: all lanes stop.
    lane_done, lane_failed : In(lanes)      One clock of a bit: the operation of a lane ends; with an error.
    lane_errors : In(Error) array           In that clock: the error.
    lane_away : In(lanes)   The drive of this lane is away.
    lane_lost_before : In(lanes)            With ``lane_failed``: only what earlier operations recorded may be lost.
    holds, started : Out(lanes)     The lanes that have sectors of the extent, and those that were started.
    counts : Out(1)         What the lanes show is of this operation. It falls when that has ended.
    plays : Out(1)          The operation is PLAY.
    moves : Out(1)          Words may cross.
    words_begin : Out(1)    One clock: they may from the next one on.
    total : Out(48)         Sectors of the extent.
    spans : Out(Spans)      The queue; it is not driven unless ``queued``.
    delivers : In(1)        Words of a playback have left the lanes, but not yet the array.
    keeps : Out(1)          With ``goes_on``: words of a recording may cross.
    asked : Out(1)          The operation is to end before all of it is done.
    hands : In(1)           What a lane has not written may still go to another one.
    runs : Out(lanes)       The lanes that have been started and have not ended.
    settle : Out(1)         All lanes have ended.
    settled : In(1)         What they show is summed up.
    failed : Out(lanes)     Lanes that have failed; ``first_failed`` is the one that did so first.
    first_failed : Out(range)
    busy, done : Out(1), error : Out(Error)         See :mod:`...interface`.
    """

    def __init__(self, lanes, *, queued=False, command_sectors=None, goes_on=False):
        self._lanes = lanes
        self._goes_on = goes_on
        self._queued = queued
        self._command_sectors = command_sectors
        super().__init__({
            "start": In(1), "stop": In(1), "operation": In(Operation), "lba": In(48), "sectors": In(48),
            "commanded": In(1), "command_lane": In(range(lanes)),
            "ready": In(1), "refusal": In(Error), "long": In(1), "capacity": In(48),
            "divide": Out(Divide(lanes)), "opens": Out(1), "cleared": In(1),
            "lane_start": Out(lanes), "lane_operation": Out(Operation), "lane_lba": Out(48), "lane_sectors": Out(48),
            "lane_stop": Out(1), "lane_done": In(lanes), "lane_failed": In(lanes),
            "lane_errors": In(Error).array(lanes), "lane_lost_before": In(lanes), "lane_away": In(lanes),
            "holds": Out(lanes), "started": Out(lanes), "counts": Out(1), "plays": Out(1),
            "moves": Out(1), "words_begin": Out(1),
            "spans": Out(Spans(lanes)),
            "keeps": Out(1), "asked": Out(1), "hands": In(1), "runs": Out(lanes),
            "total": Out(48), "delivers": In(1), "settle": Out(1), "settled": In(1),
            "failed": Out(lanes), "first_failed": Out(range(lanes)),
            "busy": Out(1), "done": Out(1), "error": Out(Error),
        })

    def elaborate(self, platform):
        m = Module()
        clocks = Signal(range(max(COMPARED, SHARED, STARTED) + 1))
        operation = Signal(Operation)
        sectors = self.total
        empty, beyond = Signal(), Signal()
        long, splits = Signal(), Signal()
        end = Signal(49)
        moving = Signal()           # it has words, which are the user's
        flushes = Signal()
        launch = None if self._command_sectors is None else Signal()        # COMMAND begins
        too_far, unaligned = end > self.capacity, long & (self.divide.lba | sectors)[:LONG_SECTOR_SHIFT].any()
        records = ~self.plays & moving
        if launch is not None:
            too_far = Mux(self.commanded, sectors > self._command_sectors, too_far)
            unaligned, records = unaligned & ~self.commanded, records & ~self.commanded
        # Flops, as much depends on them: the extent has been compared.
        m.d.sync += [self.divide.begin.eq(0), self.opens.eq(0)]
        m.d.sync += [self.done.eq(0), clocks.eq(clocks + 1), end.eq(self.divide.lba + sectors),
                     beyond.eq(too_far), empty.eq(sectors == 0), splits.eq(unaligned)]
        m.d.comb += [
            self.counts.eq(0), self.divide.end.eq(end),
            moving.eq(operation != Operation.FLUSH),
            self.spans.begin.eq(self.divide.begin), self.spans.records.eq(records),
            self.spans.begin_words.eq(self.words_begin), self.spans.started.eq(self.started),
            self.spans.long.eq(long),
            flushes.eq((operation == Operation.FLUSH) | (operation == Operation.RECORD_FLUSH)),
        ]
        running = self.runs
        failure, flushed = self._lead_lanes(m, operation, flushes, moving, launch, records if self._goes_on else C(0))

        def enter(state):
            m.d.sync += clocks.eq(0)
            m.next = state

        def finish(error):
            # A flop of its own, as much depends on it.
            m.d.sync += [self.error.eq(error), self.done.eq(1), self.busy.eq(0)]
            m.next = "IDLE"

        with m.FSM():
            with m.State("IDLE"):
                with m.If(self.start):
                    m.d.sync += [operation.eq(self.operation), self.plays.eq(self.operation == Operation.PLAY),
                                 self.divide.lba.eq(self.lba),
                                 sectors.eq(Mux(self.operation == Operation.FLUSH, 0, self.sectors)),
                                 long.eq(self.long), self.failed.eq(0), self.holds.eq(0), self.started.eq(0),
                                 self.error.eq(Error.NONE)]
                    m.d.sync += self.busy.eq(1)
                    enter("CHECK")
                    with m.If(~self.ready):
                        finish(self.refusal)
            with m.State("CHECK"):
                with m.If(clocks == COMPARED - 1):
                    m.d.sync += [self.divide.begin.eq(1), self.opens.eq(~moving | ~(empty | splits | beyond))]
                with m.If(self.divide.begin):
                    m.d.sync += self.divide.lane.eq(0)
                    enter("DIVIDE")
                    if launch is not None:
                        with m.If(self.commanded):
                            m.next = "LAUNCH"
                    with m.If(moving & empty):
                        finish(Error.ZERO_SECTORS)
                    with m.Elif(moving & splits):
                        finish(Error.SECTOR_SIZE)
                    with m.Elif(moving & beyond):
                        finish(Error.OUT_OF_RANGE)
            if launch is not None:
                with m.State("LAUNCH"):
                    m.d.comb += launch.eq(1)
                    enter("BEGIN")
            with m.State("DIVIDE"):
                with m.If(self.divide.valid):
                    enter("SHARE")
            with m.State("SHARE"):
                with m.If(clocks == SHARED):
                    m.d.comb += self.divide.advance.eq(1)
                    m.d.sync += self.divide.lane.eq(self.divide.lane + 1)
                    enter("SHARE")
                    with m.If(self.divide.lane == self._lanes - 1):
                        enter("BEGIN")
            with m.State("BEGIN"):
                with m.If(clocks == STARTED):
                    m.d.sync += clocks.eq(clocks)
                    with m.If(self.cleared):
                        m.d.comb += self.words_begin.eq(1)
                        enter("RUN")
            with m.State("RUN"):
                m.d.comb += self.counts.eq(1)
                with m.If(~running.any() & ~self.delivers & flushed & ~self.hands):
                    enter("SETTLE")
            with m.State("SETTLE"):
                m.d.comb += [self.settle.eq(1), self.counts.eq(1)]
                with m.If(self.settled):
                    finish(Mux(self.failed.any(), failure, Mux(self.spans.refused, self.spans.error, Error.NONE)))
        return m

    def _lead_lanes(self, m, operation, flushes, moving, launch, goes_on):
        """Starts and stops the lanes; the operation ``goes_on`` when one fails. Returns the error of the first one that
        failed, and whether none is still to begin."""
        running = self.runs
        stopped = Signal()
        fails = Signal()
        failure = Signal(Error)
        failing = Signal(self._lanes)
        # As with one drive: FLUSH fails if earlier sectors may be lost, and a recording with a flush does not.
        excused = Mux(operation == Operation.RECORD_FLUSH, self.lane_lost_before & ~self.holds, 0)
        m.d.comb += [
            failing.eq((self.lane_failed & running & ~excused) | self.spans.lost), fails.eq(failing.any()),
        ]
        starts = Signal(self._lanes)
        wanted = Signal()
        some = Signal()             # the lane has sectors of it; a clock late
        m.d.sync += some.eq(self.divide.length.any())
        shared = Mux(self.divide.advance & wanted & (~self.failed.any() & ~fails | goes_on), 1 << self.divide.lane, 0)
        m.d.comb += [
            wanted.eq(some & moving | (flushes & ~self.spans.records if self._queued else flushes)),
            starts.eq(shared if launch is None else Mux(launch, 1 << self.command_lane, shared)),
        ]
        late, late_begun, flushed = self._flush_late(m, flushes, fails) if self._queued else (0, 0, 1)
        m.d.comb += [
            self.lane_start.eq(starts | self.spans.start | late),
            # A lane that has no sectors has only the flush that follows.
            self.lane_operation.eq(Mux(some, operation, Operation.FLUSH)),
            self.lane_lba.eq(self.divide.first + DATA_OFFSET), self.lane_sectors.eq(self.divide.length),
        ]
        if launch is not None:
            with m.If(self.commanded):
                m.d.comb += [self.lane_operation.eq(operation), self.lane_lba.eq(self.divide.lba),
                             self.lane_sectors.eq(self.total)]
            with m.If(launch):
                m.d.sync += self.holds.eq(1 << self.command_lane)
        if self._queued:
            with m.If(late.any()):
                m.d.comb += self.lane_operation.eq(Operation.FLUSH)
            with m.Elif(self.spans.start.any()):
                m.d.comb += [self.lane_operation.eq(operation), self.lane_lba.eq(self.spans.lba),
                             self.lane_sectors.eq(self.spans.sectors)]
            with m.If((self.spans.start | self.spans.holds).any()):
                m.d.sync += self.holds.eq(self.holds | self.spans.start | self.spans.holds)
        with m.If(self.divide.advance & some & moving):
            m.d.sync += self.holds.eq(self.holds | 1 << self.divide.lane)
        m.d.sync += running.eq((running & ~self.lane_done) | self.lane_start)
        begun = starts | self.spans.takes_part | late_begun
        with m.If(begun.any()):
            m.d.sync += self.started.eq(self.started | begun)
        with m.If(fails):
            m.d.sync += self.failed.eq(self.failed | failing)
            with m.If(~self.failed.any()):
                # The lowest one of those that fail in one clock.
                for lane in reversed(range(self._lanes)):
                    with m.If(failing[lane]):
                        # It is kept, as bring-up of the drive may show another error while other lanes run.
                        # A lane that is not ready now was ready when the operation began.
                        error = self.lane_errors[lane]
                        m.d.sync += [self.first_failed.eq(lane),
                                     failure.eq(Mux((error == Error.NOT_READY) | self.spans.lost[lane],
                                                    Error.LINK_LOST, error))]
        # A stop waits until the lanes that it is for have been started.
        launched, asked = Signal(), self.asked
        m.d.comb += self.keeps.eq(self.moves & goes_on)
        ends = fails & ~goes_on | self.stop & self.busy
        last_starts = self.divide.advance & (self.divide.lane == self._lanes - 1)
        if launch is not None:
            last_starts |= launch
        with m.If(self.start & ~self.busy):
            m.d.sync += [launched.eq(0), asked.eq(0), stopped.eq(0), self.moves.eq(0), self.spans.gone.eq(0)]
        with m.Else():
            m.d.sync += [asked.eq(asked | ends),
                         launched.eq(launched | last_starts),
                         stopped.eq(stopped | self.lane_stop), self.spans.gone.eq(self.spans.gone | self.lane_away)]
            with m.If(self.words_begin):
                m.d.sync += self.moves.eq(moving & ~asked & ~self.lane_stop)
            # What the lanes play back after that is superblocks.
            with m.Elif((asked | self.lane_stop) & ~self.keeps | self.settle):
                m.d.sync += self.moves.eq(0)
        m.d.comb += [self.lane_stop.eq(launched & ~stopped & (asked | ends) & ~self.keeps),
                     self.spans.ends.eq(asked | ends | self.failed.any())]
        return failure, flushed

    def _flush_late(self, m, flushes, fails):
        """The lanes that begin with FLUSH CACHE once no span can follow, in the clock in which they do; those of which
        what they show is of this operation from the next clock on; and whether none is to come."""
        launched = Signal(self._lanes)      # the lanes that have been started for this operation
        over = Signal()
        late, waiting = Signal(self._lanes), Signal(self._lanes)
        clocks = Signal(range(STARTED + 1))
        fit = self.counts & self.spans.records & ~self.settle
        with m.If(self.divide.begin):
            m.d.sync += [launched.eq(0), over.eq(0)]
        with m.Else():
            m.d.sync += [launched.eq(launched | self.lane_start), over.eq(over | fit & ~self.spans.more)]
        with m.If(fit & ~self.spans.more & ~over & flushes & ~self.failed.any() & ~fails):
            m.d.comb += late.eq(~launched)
            m.d.sync += [waiting.eq(~launched), clocks.eq(0)]
        with m.Elif(clocks != STARTED):
            m.d.sync += clocks.eq(clocks + 1)
        begun = Mux(clocks == STARTED, waiting, 0)
        with m.If(begun.any()):
            m.d.sync += waiting.eq(0)
        return late, begun, over | ~self.spans.records

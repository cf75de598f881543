"""One operation of two drives that hold the same: both take part, or the one that is left."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.drive_port import Error, Operation
from ...facts.units import LONG_SECTOR_SHIFT
from .mirror_marks import Mark
from .mirror_part import MirrorPart

__all__ = ["MirrorOperation"]

_LANES = 2
_BOTH = 3
#: Clocks until the end of an extent is compared with the capacity; from the start of the lanes until what they show is
#: of this operation; and from their end, or that of a mark, until all that they show is known.
_COMPARED, _STARTED, _ENDED = 3, 9, 9


class MirrorOperation(wiring.Component):
    """The course of an operation, in parts: after a lane has failed the other one goes on with a part of its own.

    A recording marks the superblocks as dirty before its first word, unless they are. When a lane fails, words are
    taken to the end of a sector, the other lane is stopped there, and its superblock marked: the failed one is dropped.
    Then it goes on with the next sector. A recording with a flush, and a flush, mark the superblocks as clean if
    nothing is in doubt. A playback reads one lane, and goes on with the other one at the word at which the first has
    failed; it drops none.

    A lane that alone may have lost earlier sectors with its cache has failed, too: it is not read, and the next
    recording or flush drops it.

    Latency: 14 clocks from ``start`` to ``lane_start``; more while the ledger is being cleared, or a mark written.

    Members
    -------
    start, stop : In(1), operation : In(Operation), lba, sectors : In(48)
                            Of the user, see :mod:`...interface`.
    ready : In(1), refusal : In(Error), long : In(1), capacity : In(48)
                            As those of :class:`.operation.ArrayOperation`.
    active : In(2)          The lanes that are used.
    lane_ready : In(2)
    lane_gone : In(2)       The drive was away while this lane did nothing: it may be another one, and the lane fails.
    judged : In(1)          One clock: the superblocks have been read.
    found_dirty : In(1)     With ``judged``: they state that the lanes may differ.
    found_marked : In(1)    With ``found_dirty``: both state it, with the same count of events.
    doubt : In(1)           One clock: the user has taken note that both lanes may have lost sectors. They may differ.
    lane_start : Out(2), lane_operation : Out(Operation), lane_lba, lane_sectors : Out(48)
                            One clock: a part begins.
    lane_stop : Out(2)      One clock: it is stopped.
    lane_done, lane_failed : In(2), lane_errors : In(Error) array       It ends; with an error.
    lane_unflushed : In(2)  Sectors may be lost with the cache of this drive.
    moves : In(1)           A word crosses.
    takes : Out(2)          Words of a recording go to these lanes, each when all of them can take it.
    reads : Out(2)          The lane that is read.
    passes : Out(1)         The next word of that lane is one that the user already had from the other lane.
    passed : In(1)          Such a word has come.
    words : Out(48)         The words that have crossed.
    mark_begin : Out(1), mark : Out(Mark), mark_lanes : Out(2), mark_done : In(1), mark_failed : In(2)
                            Of :class:`.mirror_marks.MirrorMarks`.
    forget : Out(1), drop : Out(2)      Of :class:`.mirror_members.MirrorMembers`.
    dirty : Out(1)          A superblock states that the lanes may differ.
    restart : Out(1)        One clock: an operation begins.
    part : Out(1)           One clock: a part begins.
    base : Out(48)          The sectors of the operation before that part.
    lanes : Out(2)          Those whose ``sectors_done`` count.
    counts : Out(1)         What the lanes show is of this part.
    copy : Out(1)           The journals of the lanes are to be copied.
    copied : In(1)          They have been copied.
    opens : Out(1)          One clock: nothing is wrong with the extent.
    cleared, booked : In(1)     The ledger is clear, so that a part may begin; it is complete.
    more : Out(1)           Words are to cross, now or after a lane has been dropped.
    records, plays : Out(1)
    failed : Out(2), first_failed : Out(1), busy, done : Out(1), error : Out(Error)     See :mod:`...interface`.
    """

    def __init__(self):
        super().__init__({
            "start": In(1), "stop": In(1), "operation": In(Operation), "lba": In(48), "sectors": In(48),
            "ready": In(1), "refusal": In(Error), "long": In(1), "capacity": In(48), "active": In(_LANES),
            "lane_ready": In(_LANES), "lane_gone": In(_LANES), "judged": In(1), "found_dirty": In(1),
            "found_marked": In(1), "doubt": In(1),
            "lane_start": Out(_LANES), "lane_operation": Out(Operation), "lane_lba": Out(48), "lane_sectors": Out(48),
            "lane_stop": Out(_LANES), "lane_done": In(_LANES), "lane_failed": In(_LANES),
            "lane_errors": In(Error).array(_LANES), "lane_unflushed": In(_LANES),
            "moves": In(1), "takes": Out(_LANES), "reads": Out(_LANES), "passes": Out(1), "passed": In(1),
            "words": Out(48), "mark_begin": Out(1), "mark": Out(Mark), "mark_lanes": Out(_LANES), "mark_done": In(1),
            "mark_failed": In(_LANES), "forget": Out(1), "drop": Out(_LANES), "dirty": Out(1),
            "restart": Out(1), "part": Out(1), "base": Out(48), "lanes": Out(_LANES), "counts": Out(1),
            "copy": Out(1), "copied": In(1), "booked": In(1), "more": Out(1), "opens": Out(1),
            "cleared": In(1),
            "records": Out(1), "plays": Out(1), "failed": Out(_LANES), "first_failed": Out(1),
            "busy": Out(1), "done": Out(1), "error": Out(Error),
        })

    def elaborate(self, platform):
        m = Module()
        course = _Course()
        operation, good = course.operation, course.good
        m.submodules.part = part = course.part
        m.d.sync += [self.done.eq(0), self.mark_begin.eq(0), course.clocks.eq(course.clocks + 1)]
        m.d.comb += [
            self.busy.eq(1), course.moving.eq(operation != Operation.FLUSH),
            course.flushes.eq((operation == Operation.FLUSH) | (operation == Operation.RECORD_FLUSH)),
            self.plays.eq(operation == Operation.PLAY), self.records.eq(course.moving & ~self.plays),
            good.eq(self.active & ~self.failed), course.both.eq(self.active == _BOTH),
            self.dirty.eq(course.marked | course.doubted), self.more.eq(course.moving & ~part.over),
        ]
        with m.If(self.judged):
            m.d.sync += [course.marked.eq(self.found_marked), course.doubted.eq(self.found_dirty)]
        with m.If(self.doubt):
            m.d.sync += course.doubted.eq(1)
        with m.FSM():
            self._start(m, course)
            self._run(m, course)
            self._judge(m, course)
            self._end(m, course)
        self._connect(m, part, course)
        return m

    def _connect(self, m, part, course):
        """The part of the operation that runs, and what it has of the user and of the lanes."""
        m.d.comb += [
            part.restart.eq(self.restart), part.first.eq(course.first), part.sectors.eq(course.sectors),
            part.long.eq(course.long), part.plays.eq(self.plays), part.records.eq(self.records),
            part.good.eq(course.good), part.ready.eq(self.lane_ready), part.gone.eq(self.lane_gone),
            part.unflushed.eq(self.lane_unflushed), part.lane_done.eq(self.lane_done),
            part.stop.eq(self.stop & self.busy),
            part.moves.eq(self.moves), part.passed.eq(self.passed), self.words.eq(part.words),
            self.base.eq(part.base), self.lane_start.eq(part.start), self.lane_stop.eq(part.lane_stop),
            self.lane_operation.eq(course.operation), self.lane_lba.eq(part.lba), self.lane_sectors.eq(part.length),
            self.takes.eq(part.takes), self.reads.eq(part.reads), self.passes.eq(part.passes), self.part.eq(part.begin),
        ]
        with m.If(self.restart):
            m.d.sync += self.lanes.eq(0)
        with m.Elif(part.begin):
            m.d.sync += self.lanes.eq(part.lanes)

    def _fail(self, m, course, lanes):
        """These ``lanes`` have failed, if any."""
        with m.If(lanes.any()):
            m.d.sync += self.failed.eq(self.failed | lanes)
            m.d.comb += course.part.fails.eq(1)
            with m.If(~self.failed.any()):
                which = ~lanes[0]
                error = Array(self.lane_errors)[which]
                # The drive was ready when the operation began. Without an error it has lost what was in its cache.
                m.d.sync += [self.first_failed.eq(which), course.failure.eq(Mux(
                    (error == Error.NONE) | (error == Error.NOT_READY), Error.LINK_LOST, error))]

    def _mark(self, m, course, mark, lanes, state):
        m.d.sync += [self.mark_begin.eq(1), self.mark.eq(mark), self.mark_lanes.eq(lanes)]
        course.enter(m, state)

    def _finish(self, m, error):
        m.d.sync += [self.error.eq(error), self.done.eq(1)]
        m.next = "IDLE"

    def _settle(self, m, course, error):
        m.d.sync += self.error.eq(error)
        course.enter(m, "SETTLE")

    def _both_lost(self, m, course):
        # The superblocks may or may not state which drive has what: they are read again.
        m.d.comb += self.forget.eq(course.both)
        self._settle(m, course, course.failure)

    def _start(self, m, course):
        """Whether anything is wrong with the extent, and the mark before the first word."""
        first, sectors, end = course.first, course.sectors, Signal(49)
        empty, beyond, splits = Signal(), Signal(), Signal()
        m.d.sync += [end.eq(first + sectors), beyond.eq(end > self.capacity), empty.eq(sectors == 0),
                     splits.eq(course.long & (first | sectors)[:LONG_SECTOR_SHIFT].any())]
        with m.State("IDLE"):
            m.d.comb += [self.busy.eq(0), self.more.eq(0)]
            with m.If(self.start):
                m.d.comb += self.restart.eq(1)
                m.d.sync += [
                    course.operation.eq(self.operation), first.eq(self.lba), course.long.eq(self.long),
                    sectors.eq(Mux(self.operation == Operation.FLUSH, 0, self.sectors)),
                    self.failed.eq(0), self.error.eq(Error.NONE), course.failure.eq(Error.NONE),
                ]
                course.enter(m, "CHECK")
                with m.If(~self.ready):
                    self._finish(m, self.refusal)
        with m.State("CHECK"):
            m.d.comb += self.more.eq(0)
            with m.If(course.clocks == _COMPARED):
                course.enter(m, "BEGIN")
                m.d.comb += self.opens.eq(~course.moving | ~(empty | splits | beyond))
                with m.If(course.moving & empty):
                    self._finish(m, Error.ZERO_SECTORS)
                with m.Elif(course.moving & splits):
                    self._finish(m, Error.SECTOR_SIZE)
                with m.Elif(course.moving & beyond):
                    self._finish(m, Error.OUT_OF_RANGE)
                with m.Elif(self.records & course.both & ~course.marked):
                    self._mark(m, course, Mark.DIRTY, _BOTH, "DIRTY")
        with m.State("DIRTY"):
            m.d.sync += course.marked.eq(1)
            with m.If(self.mark_done):
                self._fail(m, course, self.mark_failed)
                course.enter(m, "JUDGE")
                with m.If(~self.mark_failed.any()):
                    course.enter(m, "BEGIN")

    def _run(self, m, course):
        """A part."""
        part, clocks = course.part, course.clocks
        lost = Signal(_LANES)       # lanes that alone may have lost sectors
        m.d.comb += lost.eq(Mux(course.both & (self.lane_unflushed != _BOTH), self.lane_unflushed, 0))
        # Some clocks after a mark, or the part before: the lanes must be idle, and the sums of that part known.
        with m.State("BEGIN"):
            with m.If(clocks == _ENDED):
                m.d.sync += clocks.eq(clocks)
            with m.If((clocks == _ENDED) & self.cleared):
                course.enter(m, "RUN")
                m.d.comb += part.begin.eq(1)
                gone = part.lanes & (self.lane_gone | Mux(self.plays, lost, 0))
                with m.If(gone.any()):
                    m.d.comb += part.begin.eq(0)
                    self._fail(m, course, gone)
                    course.enter(m, "JUDGE")
        with m.State("RUN"):
            with m.If(clocks == _STARTED):
                m.d.comb += [self.counts.eq(1), part.open.eq(1)]
                m.d.sync += clocks.eq(clocks)
                with m.If(~part.running.any()):
                    course.enter(m, "ENDED")
            # What one lane alone has lost is not to be read from it.
            self._fail(m, course, part.running & (self.lane_failed | Mux(self.plays & ~part.over, lost, 0)))
        # What a lane has lost shows some clocks later.
        with m.State("ENDED"):
            m.d.comb += self.counts.eq(1)
            with m.If(clocks == _ENDED):
                course.enter(m, "JUDGE")
                with m.If(~self.plays):
                    self._fail(m, course, lost)

    def _judge(self, m, course):
        """What follows a part, or a mark."""
        part, good = course.part, course.good
        with m.State("JUDGE"):
            with m.If(~part.bad):
                self._settle(m, course, Error.NONE)
                with m.If(course.flushes & course.both & course.marked & ~course.doubted & ~self.lane_unflushed.any()):
                    self._mark(m, course, Mark.CLEAN, _BOTH, "CLEAN")
            with m.Elif(~good.any()):
                self._both_lost(m, course)
            with m.Elif(self.plays):
                course.enter(m, "BEGIN")
                with m.If(part.over | ~(self.lane_ready & good).any()):
                    self._settle(m, course, course.failure)
            with m.Else():
                course.enter(m, "COPY")
        with m.State("CLEAN"):
            with m.If(self.mark_done):
                m.d.sync += course.marked.eq(0)
                self._fail(m, course, self.mark_failed)
                course.enter(m, "CLEANED")
        with m.State("CLEANED"):
            self._settle(m, course, Error.NONE)
            with m.If(part.bad):
                course.enter(m, "COPY")
                with m.If(~good.any()):
                    self._both_lost(m, course)

    def _end(self, m, course):
        """A lane is dropped; or all is done."""
        part, good, clocks = course.part, course.good, course.clocks
        # Copied before the next part, which begins new journals.
        with m.State("COPY"):
            m.d.comb += self.copy.eq(1)
            with m.If(self.copied):
                self._mark(m, course, Mark.DROP, good, "DROP")
        with m.State("DROP"):
            with m.If(self.mark_done):
                m.d.sync += clocks.eq(0)
                with m.If(self.mark_failed.any()):
                    self._fail(m, course, self.mark_failed)
                    m.next = "LOST"
                with m.Else():
                    m.d.comb += self.drop.eq(self.failed)
                    m.next = "BEGIN"
                    with m.If(part.over):
                        m.d.sync += self.lanes.eq(good)
                        self._settle(m, course, Error.NONE)
        with m.State("LOST"):
            self._both_lost(m, course)
        with m.State("SETTLE"):
            m.d.comb += self.more.eq(0)
            with m.If(clocks == _ENDED):
                m.d.comb += self.copy.eq(1)
                m.d.sync += clocks.eq(clocks)
                with m.If(self.copied & self.booked):
                    self._finish(m, self.error)


class _Course:
    """What the states share."""

    def __init__(self):
        self.part = MirrorPart()
        self.clocks = Signal(range(max(_COMPARED, _STARTED, _ENDED) + 1))
        self.operation, self.first, self.sectors = Signal(Operation), Signal(48), Signal(48)
        self.long, self.moving, self.flushes, self.both = Signal(), Signal(), Signal(), Signal()
        #: The error of the lane that failed first, and the lanes that have not failed.
        self.failure, self.good = Signal(Error), Signal(_LANES)
        #: Both superblocks are dirty; the lanes may differ, whatever is flushed from now on.
        self.marked, self.doubted = Signal(), Signal()

    def enter(self, m, state):
        m.d.sync += self.clocks.eq(0)
        m.next = state

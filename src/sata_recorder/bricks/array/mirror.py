"""Two drives that hold the same: two cores, and the interface of one."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from ...core.drive_port import Error, Operation
from ...facts.units import LONG_SECTOR_BLOCKS
from ...interface import ARRAY, AWAY, BASE, CHECKS, LAST, LINK, MIRROR, SECTOR, STREAM_IN, STREAM_OUT, Face
from .array_journal import ArrayJournal
from .array_ledger import ArrayLedger
from .lane_state import tell_checks, watch
from .lanes import connect_lanes, lane_cores, phy_members
from .mirror_compare import MirrorCompare
from .mirror_marks import MirrorMarks
from .mirror_members import MirrorMembers
from .mirror_operation import MirrorOperation
from .mirror_progress import MirrorProgress
from .shown_lane import see_lanes

__all__ = ["DriveMirror"]

_LANES = 2
#: The pause before superblocks that could not be read are read again, in pauses before a command is issued again.
_PAUSES = 128


class DriveMirror(wiring.Component):
    """RAID 1: each word of a recording goes to both drives, and a playback comes from one.

    Each lane is a core with its own buffer, recovery, ledger and journal. A drive that fails in a recording or a flush
    is dropped: the superblock of the other one states this before anything counts that only the other one has.

    Parameters
    ----------
    configuration : Configuration
    files : bool            The recording table and file system of both are compared before they are used.
    phy_status : bool       The PHYs report about themselves; the user sees and controls that of ``array_lane``.

    Members
    -------
    user : In(Face)                 That of a core, see :mod:`...interface`, and the groups ``array`` and ``mirror``.
    phy, phy1 : Out(DwordPort)      The PHYs.
    phy_status, phy_status1 : Out   What they report; they are there if ``phy_status``.
    """

    def __init__(self, configuration, *, files=False, phy_status=False):
        self.configuration = configuration
        self._files = files
        self._cores = lane_cores(configuration, phy_status)
        #: The groups that its user has besides those of every core, and those that only a stage sees.
        self.groups = self._cores[0].groups | {ARRAY, MIRROR} | ({CHECKS} if files else set())
        self.inner = []
        #: Its streams.
        self.streams = (STREAM_IN, STREAM_OUT, LAST)
        super().__init__({
            "user": In(Face(*self.streams, AWAY, LINK, *BASE, *sorted(self.groups, key=lambda group: group.name))),
            **phy_members(_LANES, phy_status),
        })

    def elaborate(self, platform):
        m = Module()
        config, cores = self.configuration, self._cores
        connect_lanes(m, self, cores)
        m.submodules.members = members = MirrorMembers(
            pause=config.clocks(_PAUSES * config.retry_delay), compares=self._files)
        m.submodules.marks = marks = MirrorMarks()
        m.submodules.operation = operation = MirrorOperation()
        m.submodules.progress = progress = MirrorProgress()
        m.submodules.journal = journal = ArrayJournal(_LANES, offset=0, appends=True)
        compare = None
        if self._files:
            m.submodules.compare = compare = MirrorCompare()
        states = watch(m, cores)
        gone = self._judge(m, members, operation, compare, states)
        self._mark(m, members, operation, marks, states)
        self._start(m, members, operation, marks, compare)
        self._lead(m, members, operation, marks, states, gone)
        self._move(m, members, operation, marks, compare)
        ledger = self._book(m, operation)
        shown = self._show(m, members, operation, progress, ledger)
        self._sum_up(m, operation, progress, members, shown)
        self._enter(m, operation, progress, journal)
        return m

    def _of(self, which, lane=None):
        """What ``which`` takes from the status of both cores, or from that of ``lane``."""
        values = [which(core.user.status) for core in self._cores]
        return Cat(values) if lane is None else Array(values)[lane]

    def _judge(self, m, members, operation, compare, states):
        """Which drives are there, and what they are to each other. Returns those that are away, or were during the
        operation that has just ended."""
        cores = self._cores
        idle = Signal()
        gone, before = Signal(_LANES), Signal(_LANES)
        of_read = Array(states)[members.lane]
        m.d.comb += [
            idle.eq(~operation.busy & ~self.user.control.start),
            gone.eq(Cat(one.away for one in states) | before),
            members.idle.eq(idle), members.ready.eq(Cat(one.ready for one in states)),
            # A drive that is being brought up is waited for.
            members.settled.eq(Cat(one.ready | ~core.user.link.up | one.error.any()
                                   for one, core in zip(states, cores))),
            # A lane itself copes with a drive that is away during an operation; what that drive is to the array is
            # checked after the operation.
            members.away.eq(Mux(operation.busy, 0, gone)),
            members.forget.eq(operation.forget), members.drop.eq(operation.drop),
            *(capacity.eq(core.user.status.capacity) for capacity, core in zip(members.capacity, cores)),
            members.words.valid.eq(Array(core.user.o.valid for core in cores)[members.lane]),
            members.words.payload.eq(Array(core.user.o.payload for core in cores)[members.lane]),
            members.done.eq(of_read.done), members.failed.eq(of_read.error.any()),
        ]
        m.d.sync += before.eq(Mux(operation.busy, gone, 0))
        if compare is None:
            return gone
        m.d.comb += [
            compare.begin.eq(members.compare), members.compared.eq(compare.done),
            members.differs.eq(compare.differs), members.compare_failed.eq(compare.failed),
            # What was in doubt may well differ.
            compare.directories.eq(~members.dirty),
            compare.lane_done.eq(Cat(one.done for one in states)),
            compare.lane_failed.eq(Cat(one.error.any() & (one.error != Error.OUT_OF_RANGE) for one in states)),
            *(words.valid.eq(core.user.o.valid) for words, core in zip(compare.words, cores)),
            *(words.payload.eq(core.user.o.payload) for words, core in zip(compare.words, cores)),
        ]
        if SECTOR in self.groups:
            m.d.comb += compare.long.eq(Cat(core.user.sector.long_sectors for core in cores).any())
        return gone

    def _mark(self, m, members, operation, marks, states):
        """The superblocks, as they are read and written."""
        of_marked = Array(states)[marks.lane]
        # What was written may have been lost with the cache before a FLUSH CACHE that then succeeded, even if the user
        # has taken note of it since.
        lost, before = Signal(), Signal()
        m.d.sync += before.eq(marks.writes & lost)
        m.d.comb += [
            lost.eq(of_marked.unflushed | before),
            marks.read_begins.eq(members.start), marks.read_lane.eq(members.lane),
            marks.read.eq(members.words.valid & members.reads), marks.read_word.eq(members.words.payload),
            marks.counts.eq(members.judged),
            # A mark that was interrupted is made again with the same count: no drive must be 2 behind if that is
            # interrupted, too.
            marks.events.eq(members.events - (members.dirty & ~members.marked)),
            marks.begin.eq(operation.mark_begin), marks.mark.eq(operation.mark), marks.lanes.eq(operation.mark_lanes),
            operation.mark_done.eq(marks.done), operation.mark_failed.eq(marks.failed),
            marks.lane_done.eq(of_marked.done),
            marks.lane_failed.eq(of_marked.error.any() | lost),
            # While no lane is used, what was known of the superblocks stays.
            operation.judged.eq(members.judged & members.active.any()), operation.found_dirty.eq(members.dirty),
            operation.found_marked.eq(members.marked),
        ]

    def _start(self, m, members, operation, marks, compare):
        """What starts the lanes: the user's operation, and the reading and writing of superblocks."""
        long = Cat(core.user.sector.long_sectors for core in self._cores).any() if SECTOR in self.groups else 0
        compares = compare.start if compare else 0
        for lane, core in enumerate(self._cores):
            control = core.user.control
            reads, writes = members.start & (members.lane == lane), marks.start & (marks.lane == lane)
            aside = reads | writes | compares
            m.d.sync += [
                core.aside.eq(aside), control.start.eq(aside | operation.lane_start[lane]),
                control.operation.eq(operation.lane_operation), control.lba.eq(operation.lane_lba),
                control.sectors.eq(operation.lane_sectors), control.stop.eq(operation.lane_stop[lane]),
            ]
            with m.If(reads | writes):
                m.d.sync += [
                    control.operation.eq(Mux(reads, Operation.PLAY, Operation.RECORD_FLUSH)),
                    control.lba.eq(members.place[lane]),
                    control.sectors.eq(Mux(reads | long, LONG_SECTOR_BLOCKS, 1)),
                ]
            if compare:
                with m.Elif(compare.start):
                    m.d.sync += [control.operation.eq(Operation.PLAY), control.lba.eq(compare.lba),
                                 control.sectors.eq(compare.sectors)]

    def _lead(self, m, members, operation, marks, states, gone):
        """The user's operation, which begins with no drive that is ``gone``."""
        control, cores = self.user.control, self._cores
        refusal = Signal(Error)
        ready, away = Cat(one.ready for one in states), Cat(one.away for one in states)
        unflushed = Cat(one.unflushed for one in states)
        # During an operation a lane itself checks whether the drive is still the same; between two nobody would.
        exchanged = Signal(_LANES)
        idle = ~Cat(one.busy for one in states)
        m.d.sync += exchanged.eq(Mux(operation.busy, exchanged | (away & idle), 0))
        clears = self.user.status.clear_unflushed & self.user.status.unflushed
        m.d.sync += refusal.eq(Mux(members.wrong, Error.OTHER_DRIVE, Error.NOT_READY))
        m.d.comb += [
            operation.start.eq(control.start), operation.stop.eq(control.stop),
            operation.operation.eq(control.operation), operation.lba.eq(control.lba),
            operation.sectors.eq(control.sectors), operation.refusal.eq(refusal),
            operation.ready.eq((ready & ~gone | ~members.active).all() & members.good & ~members.reads),
            operation.capacity.eq(members.size), operation.active.eq(members.active),
            operation.lane_ready.eq(ready), operation.lane_gone.eq(exchanged),
            marks.lane_gone.eq((exchanged >> marks.lane)[0]), operation.lane_done.eq(Cat(one.done for one in states)),
            operation.lane_failed.eq(Cat(one.failed for one in states)),
            *(errors.eq(one.error) for errors, one in zip(operation.lane_errors, states)),
            operation.lane_unflushed.eq(unflushed),
            # If only one lane may have lost sectors, this must not be forgotten: the lane will be dropped.
            operation.doubt.eq(clears),
            *(core.user.status.clear_unflushed.eq(clears) for core in cores),
        ]

    def _move(self, m, members, operation, marks, compare):
        """Words to and from the lanes."""
        user, cores = self.user, self._cores
        takes = operation.takes
        accepts = Cat(core.user.i.ready for core in cores) | ~takes
        m.d.comb += [
            user.i.ready.eq(takes.any() & accepts.all()),
            user.o.valid.eq(~operation.passes & (operation.reads & Cat(core.user.o.valid for core in cores)).any()),
            user.o.payload.eq(Array(core.user.o.payload for core in cores)[operation.reads[1]]),
            user.last.eq(Array(core.user.last for core in cores)[operation.reads[1]]),
            operation.moves.eq((user.i.valid & user.i.ready) | (user.o.valid & user.o.ready)),
            operation.passed.eq(operation.passes & (operation.reads & Cat(core.user.o.valid for core in cores)).any()),
            marks.words.ready.eq(Array(core.user.i.ready for core in cores)[marks.lane]),
        ]
        for lane, core in enumerate(cores):
            marked = marks.writes & (marks.lane == lane)
            compared = compare.words[lane].ready if compare else 0
            m.d.comb += [
                core.user.i.valid.eq(Mux(marked, marks.words.valid, takes[lane] & accepts[1 - lane] & user.i.valid)),
                core.user.i.payload.eq(Mux(marked, marks.words.payload, user.i.payload)),
                core.user.o.ready.eq(operation.reads[lane] & (user.o.ready | operation.passes)),
            ]
            with m.If(members.reads):
                m.d.comb += core.user.o.ready.eq(Mux(compare.runs, compared, 1) if compare else 1)

    def _sum_up(self, m, operation, progress, members, shown):
        """What both lanes show of an operation, as one."""
        cores, counters, status = self._cores, self.user.counters, self.user.status
        held = Signal(48)
        waits = operation.takes.any() & self.user.i.valid & ~self.user.i.ready
        with m.If(operation.restart):
            m.d.sync += held.eq(0)
        with m.Elif(waits | (self.user.o.valid & ~self.user.o.ready)):
            m.d.sync += held.eq(held + 1)
        for report, core in zip(progress.reports, cores):
            of_lane, counted = core.user.status, core.user.counters
            m.d.comb += [
                report.sectors_done.eq(of_lane.sectors_done), report.skipped_sectors.eq(0),
                report.retries.eq(of_lane.retries), report.error_lba.eq(of_lane.error_lba),
                report.unflushed.eq(of_lane.unflushed), report.unflushed_lba.eq(of_lane.unflushed_lba),
                report.unflushed_sectors.eq(of_lane.unflushed_sectors), report.high_water.eq(counted.high_water),
                report.longest_stall.eq(counted.longest_stall), report.held_cycles.eq(0),
            ]
        m.d.sync += [
            progress.restart.eq(operation.restart), progress.part.eq(operation.part), progress.base.eq(operation.base),
            progress.lanes.eq(operation.lanes), progress.counts.eq(operation.counts),
        ]
        m.d.comb += [
            progress.active.eq(members.active), progress.located.eq(shown), progress.size.eq(members.size),
            status.sectors_done.eq(progress.sectors_done), status.skipped_sectors.eq(0),
            status.retries.eq(progress.retries), status.error_lba.eq(progress.error_lba),
            status.unflushed.eq(progress.unflushed), status.unflushed_lba.eq(progress.unflushed_lba),
            status.unflushed_sectors.eq(progress.unflushed_sectors),
            counters.high_water.eq(progress.high_water), counters.longest_stall.eq(progress.longest_stall),
            counters.held_cycles.eq(held), counters.words.eq(operation.words), counters.dropped.eq(0),
        ]

    def _book(self, m, operation):
        """The ledger of the array as a whole, or None. In a recording it is the turn of a lane that takes no word."""
        user = self.user
        if not self.configuration.ledger:
            m.d.comb += [operation.booked.eq(1), operation.cleared.eq(1)]
            return None
        m.submodules.ledger = ledger = ArrayLedger(_LANES)
        refuses = operation.takes & ~Cat(core.user.i.ready for core in self._cores)
        turns = Mux(refuses.any(), refuses, operation.takes | operation.reads)
        over = Signal()     # the last word of a playback has crossed
        with m.If(operation.restart):
            m.d.sync += over.eq(0)
        with m.Elif(user.o.valid & user.o.ready & user.last):
            m.d.sync += over.eq(1)
        m.d.comb += [
            ledger.begin.eq(operation.opens), operation.cleared.eq(ledger.cleared),
            ledger.stream.crosses.eq(operation.moves), ledger.stream.lane.eq(turns == 2),
            ledger.stream.open.eq(operation.more & ~over), ledger.stream.plays.eq(operation.plays),
            ledger.stream.idle.eq(Mux(operation.plays, user.o.valid & ~user.o.ready, ~user.i.valid)),
            ledger.stream.failed.eq(operation.failed.any()), operation.booked.eq(ledger.settled),
            *(booked.eq(core.booked) for booked, core in zip(ledger.booked, self._cores)),
        ]
        return ledger

    def _enter(self, m, operation, progress, journal):
        """The journals of the lanes as one. A lane that has not been started since the last copy has nothing new."""
        journals = Array(core.user.journal for core in self._cores)
        fresh, copies = Signal(_LANES), Signal()
        connect(m, flipped(self.user).journal, journal.user)
        m.d.sync += copies.eq(operation.copy)
        with m.If(operation.restart):
            m.d.sync += fresh.eq(0)
        with m.Elif(copies & ~operation.copy):
            m.d.sync += fresh.eq(0)
        with m.Elif(operation.lane_start.any()):
            m.d.sync += fresh.eq(fresh | operation.lane_start)
        m.d.comb += [
            journal.forget.eq(operation.restart), journal.copy.eq(operation.copy), operation.copied.eq(journal.copied),
            journal.data.eq(journals[journal.lane].data),
            journal.count.eq(Mux((fresh >> journal.lane)[0], journals[journal.lane].count, 0)),
            journal.sector.eq(journal.own),
            *(core.user.journal.address.eq(journal.address) for core in self._cores),
        ]

    def _show(self, m, members, operation, progress, ledger):
        """The state of the lanes. Returns the lane whose details are shown."""
        cores, status, array, mirror = self._cores, self.user.status, self.user.array, self.user.mirror
        chosen, shown = Signal(), Signal()
        caused, causes = Signal(), Signal()     # a lane has recovered, or failed, in this operation; which one
        cause = Signal(Error)
        drive_status, drive_error = Signal(8), Signal(8)
        bring_up = Signal(Error)
        used = Signal(_LANES)
        m.d.comb += [chosen.eq(array.lane == 1), used.eq(Mux(members.good, members.active, (1 << _LANES) - 1))]
        m.d.sync += [bring_up.eq(Error.NONE), shown.eq(Mux(
            operation.failed.any(), operation.first_failed, Mux(caused, causes, chosen)))]
        with m.If(operation.restart):
            m.d.sync += [caused.eq(0), cause.eq(Error.NONE)]
        with m.Elif(operation.counts & (operation.lanes >> shown)[0]):
            m.d.sync += cause.eq(self._of(lambda one: one.cause, shown))
        for lane in reversed(range(_LANES)):
            of_lane = cores[lane].user.status
            with m.If(operation.counts & operation.lanes[lane] & of_lane.cause.any() & ~caused):
                m.d.sync += [caused.eq(1), causes.eq(lane)]
            with m.If(used[lane] & ~of_lane.ready & ~of_lane.busy & of_lane.error.any()):
                m.d.sync += bring_up.eq(of_lane.error)
        idle_error = Mux(members.wrong, Error.OTHER_DRIVE, bring_up)
        m.d.comb += [
            drive_status.eq(self._of(lambda one: one.drive_status, shown)),
            drive_error.eq(self._of(lambda one: one.drive_error, shown)),
            status.ready.eq(operation.ready & ~operation.busy), status.busy.eq(operation.busy),
            status.done.eq(operation.done),
            status.error.eq(Mux((operation.error != Error.NONE) | operation.busy | operation.done, operation.error,
                                idle_error)),
            status.drive_status.eq(drive_status), status.drive_error.eq(drive_error), status.cause.eq(cause),
            status.capacity.eq(Mux(members.good, members.size, 0)),
            status.lba48.eq((self._of(lambda one: one.lba48) | ~used).all()),
            status.recovering.eq((self._of(lambda one: one.recovering) & used).any()),
            array.up.eq(Cat(core.user.link.up for core in cores)), array.ready.eq(self._of(lambda one: one.ready)),
            array.members.eq(Cat(members.states)), array.failed.eq(operation.failed),
            array.first.eq(operation.first_failed),
            mirror.dropped.eq(members.dropped), mirror.dirty.eq(operation.dirty),
            self.user.away.eq(~members.good | (Cat(core.user.away for core in cores) & members.active).any()),
            self.user.link.up.eq((array.up[:_LANES] | ~used).all()),
            self.user.link.generation.eq(Array(core.user.link.generation for core in cores)[chosen]),
        ]
        if CHECKS in self.groups:
            tell_checks(m, self.user.checks, members.reads)
        if SECTOR in self.groups:
            # An extent may split no logical sector of any lane.
            m.d.comb += [self.user.sector.long_sectors.eq(
                (Cat(core.user.sector.long_sectors for core in cores) & used).any()),
                operation.long.eq(self.user.sector.long_sectors)]
        see_lanes(m, self.user, {*BASE, *self.groups}, [core.user for core in cores], chosen, ledger)
        return shown

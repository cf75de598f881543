"""An array of drives: a core for each lane, and the interface of a single core."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from ...core.drive_port import Error, Operation
from ...facts.array import DEFAULT_CHUNK, LINEAR, MD_LBA
from ...facts.units import LONG_SECTOR_BLOCKS
from ...interface import ARRAY, ARRAY_STREAMS, AWAY, BASE, CHECKS, LAST, LINK, SECTOR, STREAM_IN, STREAM_OUT, Face
from ...interface.group import WORD
from .array_command import command_part, names_sector, run_commands
from .array_journal import ArrayJournal
from .array_ledger import ArrayLedger
from .array_memory import lane_memories
from .array_queue import ArrayQueue
from .geometry import Division, LinearJoin, StripedJoin
from .going_on import go_on, kept_words
from .lane_buffer import buffered
from .lane_state import tell_checks, watch
from .lanes import bus_groups, connect_lanes, lane_cores, phy_members
from .members import MemberCheck
from .operation import ArrayOperation
from .progress import ArrayProgress
from .shares import Shares
from .shown_lane import see_lanes
from .word_router import WordRouter

__all__ = ["DriveArray"]

#: The pause before a superblock that could not be read is read again, in pauses before a command is issued again.
_PAUSES = 128


class DriveArray(wiring.Component):
    """Several drives as one: RAID 0, or linear, which is one after the other.

    An extent is divided among the lanes, each of which is a core with its own buffer, recovery, ledger and journal. A
    word goes to the lane that has its sector, and waits while the buffer of that lane is full. The operation ends when
    all lanes have ended.

    Parameters
    ----------
    configuration : Configuration
    phy_status : bool       The PHYs report about themselves; the user sees and controls that of ``array_lane``.

    Members
    -------
    user : In(Face)                 As that of a core, see :mod:`...interface`, with the group ``array``, and streams of
                                    ``array_width`` bits.
    phy : Out(DwordPort)            The PHY of lane 0.
    phy1, phy2 ... : Out(DwordPort)         The PHYs of the other lanes.
    phy_status, phy_status1 ... : Out       What they report; they are there if ``phy_status``.
    """

    def __init__(self, configuration, *, phy_status=False):
        self.configuration = configuration
        self._lanes = configuration.drives
        self._cores = lane_cores(configuration, phy_status)
        self._command = command_part(configuration)
        self._kept = kept_words(configuration)
        #: The groups that its user has besides those of every core, and those that only a stage sees.
        self.groups = self._cores[0].groups | {ARRAY, *bus_groups(configuration)} | (
            {CHECKS} if CHECKS.exists(configuration) else set())
        self.inner = []
        self._width = configuration.array_width
        #: Its streams, of ``array_width`` bits.
        self.streams = (*(ARRAY_STREAMS.get(self._width) or (STREAM_IN, STREAM_OUT)), LAST)
        super().__init__({
            "user": In(Face(*self.streams, AWAY, LINK, *BASE, *sorted(self.groups, key=lambda group: group.name))),
            **phy_members(self._lanes, phy_status),
        })

    def elaborate(self, platform):
        m = Module()
        config, lanes, cores = self.configuration, range(self._lanes), self._cores
        striped = config.array == "raid0"
        shift = (config.chunk_sectors if striped else DEFAULT_CHUNK[LINEAR]).bit_length() - 1
        connect_lanes(m, self, cores)
        m.submodules.members = members = MemberCheck(
            self._lanes, level=config.array, chunk_shift=shift, pause=config.clocks(_PAUSES * config.retry_delay))
        queued, commands = config.extents != "single", config.commands
        m.submodules.operation = operation = ArrayOperation(
            self._lanes, queued=queued, command_sectors=config.max_command_sectors if commands else None,
            goes_on=self._kept is not None)
        m.submodules.shares = shares = Shares(self._lanes, striped=striped, chunk_shift=shift, spans=queued)
        # From a lane's sectors to the array's: of what the lane shows, and of its journal.
        join_kind = StripedJoin if striped else LinearJoin
        m.submodules.join = join = join_kind(self._lanes, chunk_shift=shift)
        m.submodules.journal_join = journal_join = join_kind(self._lanes, chunk_shift=shift)
        m.submodules.journal = journal = ArrayJournal(self._lanes, passes=self._kept is not None)
        m.submodules.router = router = WordRouter(self._lanes, chunk_shift=shift, striped=striped,
                                                  words=self._width // WORD, commands=commands)
        m.submodules.progress = progress = ArrayProgress(self._lanes, skips=config.on_failure != "stop", queued=queued,
                                                         commands=commands)
        m.d.comb += [one.sizes[lane].eq(members.sizes[lane])
                     for lane in lanes for one in (shares, join, journal_join, journal)]
        queue = self._divide(m, shares, operation, router, progress)
        memories = lane_memories(m, self.user.memory, cores, operation, progress,
                                 narrow=self._width == WORD) if config.memory else None
        streams = buffered(m, self, cores, operation, members, memories) if self._width > WORD else [
            (core.user.i, core.user.o) for core in cores]
        self._move(m, members, operation, router, streams)
        states = watch(m, cores)
        self._lead(m, members, operation, states)
        ledger = self._book(m, operation, router, queue.turning if queued else 0)
        shown = self._show(m, members, operation, progress, ledger)
        words = self._sum_up(m, operation, router, join, progress, shown)
        if queued:
            m.d.comb += queue.words.eq(words)
        if self._kept is not None:
            go_on(m, self._kept, self, self._cores, operation, router, progress, journal)
        if commands:
            run_commands(m, self._command, self, cores, operation, router, progress)
        self._enter(m, operation, progress, journal, journal_join, ledger.settled if ledger else 1)
        return m

    def _divide(self, m, shares, operation, router, progress):
        """Divides the extent of an operation among the lanes. Returns the queue, or None."""
        striped = self.configuration.array == "raid0"
        extent = Signal(Division)
        command, first_lane = self._command, operation.divide.at_lane
        if command is not None:
            first_lane = Mux(command.commanded, command.lane, first_lane)
        connect(m, operation.divide, shares.extent)
        m.d.comb += [
            extent.first.eq(operation.divide.lba), extent.total.eq(operation.total),
            extent.lane.eq(first_lane), extent.holds.eq(operation.holds),
            extent.left.eq(operation.divide.left if striped else shares.routed_length),
            shares.summed_lane.eq(progress.lane), progress.share_first.eq(shares.summed_first),
            progress.share_length.eq(shares.summed_length), router.next_left.eq(shares.routed_length),
            shares.routed_lane.eq(Mux(operation.moves, router.following, operation.divide.at_lane)),
        ]
        if self.configuration.extents != "single":
            return self._continue(m, shares, operation, router, progress, extent)
        m.d.comb += [router.begin.eq(operation.words_begin), router.division.eq(extent), progress.extent.eq(extent)]
        return None

    def _continue(self, m, shares, operation, router, progress, extent):
        """Lets a recording go on with spans. Returns the queue that divides them."""
        m.submodules.queue = queue = ArrayQueue(self._lanes, striped=self.configuration.array == "raid0")
        connect(m, flipped(self.user).queue, queue.user)
        connect(m, operation.spans, queue.operation)
        connect(m, queue.divide, shares.span)
        m.d.comb += [
            shares.of_span.eq(queue.divides), shares.slot.eq(queue.slot), shares.summed_slot.eq(queue.done_slot),
            shares.routed_slot.eq(queue.moved_slot), queue.extent.eq(extent), queue.capacity.eq(operation.capacity),
            queue.restart.eq(progress.restart), queue.over.eq(router.over), queue.whole.eq(progress.whole),
            router.begin.eq(operation.words_begin | queue.turns),
            router.division.eq(Mux(queue.turns, queue.moved, extent)), progress.extent.eq(queue.done_of),
            progress.base.eq(queue.base), progress.before.eq(shares.summed_before), progress.last.eq(queue.last),
        ]
        for lane, core in enumerate(self._cores):
            of_core = core.user.queue
            m.d.comb += [
                core.more.eq(operation.spans.more), of_core.valid.eq(queue.pushes[lane]),
                of_core.lba.eq(operation.spans.lba), of_core.sectors.eq(operation.spans.sectors),
                of_core.ahead.eq(self.user.queue.ahead), queue.takes[lane].eq(of_core.ready),
            ]
        return queue

    def _move(self, m, members, operation, router, streams):
        """Words to and from the lanes, whose ``streams`` are pairs: one in and one out."""
        user, cores = self.user, self._cores
        here = Signal(self._lanes)
        i = user.i if self._kept is None else self._kept.o
        m.d.comb += [
            here.eq(Mux(operation.moves, router.here, 0)),
            i.ready.eq((here & Cat(into.ready for into, _ in streams)).any()),
            user.o.valid.eq((here & Cat(o.valid for _, o in streams)).any()),
            user.o.payload.eq(Array(o.payload for _, o in streams)[router.lane]),
            user.last.eq(router.last),
            router.moves.eq((i.valid & i.ready) | (user.o.valid & user.o.ready)),
            members.words.valid.eq(Array(core.user.o.valid for core in cores)[members.lane]),
            members.words.payload.eq(Array(core.user.o.payload for core in cores)[members.lane]),
        ]
        for lane, (into, o) in enumerate(streams):
            m.d.comb += [into.valid.eq(here[lane] & i.valid), into.payload.eq(i.payload),
                         o.ready.eq(here[lane] & user.o.ready | members.takes)]

    def _lead(self, m, members, operation, states):
        """What starts and ends the operations of the lanes: the user's, and the reading of superblocks."""
        control, cores, lanes = self.user.control, self._cores, range(self._lanes)
        # A user who gives up what the memories hold wants no more words.
        gives_up = self.user.memory.abandon if self.configuration.memory else 0
        refusal = Signal(Error)
        ready, away = Signal(), Signal()
        # A lane itself copes with a drive that is away during an operation; what that drive is to the array is checked
        # after the operation.
        away_before = Signal()
        of_read = Array(states)[members.lane]
        stops = C(0, self._lanes) if self._kept is None else self._kept.stops
        m.d.comb += [ready.eq(Cat(one.ready for one in states).all()),
                     away.eq(Cat(one.away for one in states).any() | away_before)]
        m.d.sync += [
            away_before.eq(away & operation.busy),
            refusal.eq(Mux(members.wrong, Error.OTHER_DRIVE, Error.NOT_READY)),
        ]
        m.d.comb += [
            operation.start.eq(control.start), operation.stop.eq(control.stop | gives_up),
            operation.operation.eq(control.operation), operation.lba.eq(control.lba),
            operation.sectors.eq(control.sectors), operation.refusal.eq(refusal),
            operation.ready.eq(ready & members.good & ~members.reads & ~away),
            operation.lane_done.eq(Cat(one.done for one in states)),
            operation.lane_failed.eq(Cat(one.failed for one in states)),
            *(errors.eq(one.error) for errors, one in zip(operation.lane_errors, states)),
            operation.lane_away.eq(Cat(one.away for one in states)),
            # FLUSH reports them without a failure of its own.
            operation.lane_lost_before.eq(Cat(one.lost_before for one in states)),
            members.usable.eq(ready & ~operation.busy & ~control.start),
            members.away.eq(away & ~operation.busy),
            members.capacity.eq(Array(core.user.status.capacity for core in cores)[members.lane]),
            members.done.eq(of_read.done), members.failed.eq(of_read.failed | of_read.skipped),
        ]
        for lane, core in zip(lanes, cores):
            of_core = core.user.control
            m.d.sync += [
                of_core.start.eq(operation.lane_start[lane] | members.start & (members.lane == lane)),
                core.aside.eq(members.start),
                of_core.operation.eq(Mux(members.start, Operation.PLAY, operation.lane_operation)),
                of_core.lba.eq(Mux(members.start, MD_LBA, operation.lane_lba)),
                of_core.sectors.eq(Mux(members.start, LONG_SECTOR_BLOCKS, operation.lane_sectors)),
            ]
            if self._width == WORD:
                m.d.sync += of_core.stop.eq(operation.lane_stop | stops[lane])

    def _sum_up(self, m, operation, router, join, progress, shown):
        """What the lanes show of an operation, as one."""
        cores, counters = self._cores, self.user.counters
        status, of_lane = self.user.status, Array(core.user.status for core in cores)[progress.lane]
        counted = Array(core.user.counters for core in cores)[progress.lane]
        report = progress.report
        words, held = Signal(48), Signal(48)
        # ``held``: clocks in which a word waits. The lanes do not know them in a playback, in which a word may wait for
        # the turn of its lane and not for the user, nor where something is between each lane and the user.
        counts = self._width > WORD or self._kept is not None
        accepts = operation.moves & ~operation.plays & ~router.over & ~(operation.keeps & operation.asked)
        waits = self.user.i.valid & accepts if counts else 0
        crosses = (self.user.i.valid & self.user.i.ready) | (self.user.o.valid & self.user.o.ready)
        held_up = Signal()          # a clock ago
        m.d.sync += held_up.eq((self.user.o.valid | waits) & ~crosses & ~progress.restart)
        with m.If(progress.restart):
            m.d.sync += [words.eq(0), held.eq(0)]
        with m.Else():
            with m.If(crosses):
                m.d.sync += words.eq(words + self._width // WORD)
            with m.If(held_up):
                m.d.sync += held.eq(held + 1)
        m.d.comb += [
            report.sectors_done.eq(of_lane.sectors_done), report.skipped_sectors.eq(of_lane.skipped_sectors),
            report.retries.eq(of_lane.retries), report.error_lba.eq(of_lane.error_lba),
            report.unflushed.eq(of_lane.unflushed), report.unflushed_lba.eq(of_lane.unflushed_lba),
            report.unflushed_sectors.eq(of_lane.unflushed_sectors), report.high_water.eq(counted.high_water),
            report.longest_stall.eq(counted.longest_stall), report.held_cycles.eq(counted.held_cycles),
            join.lane.eq(progress.join_lane), join.own.eq(progress.join_own), progress.joined.eq(join.sector),
            progress.restart.eq(self.user.control.start & ~operation.busy), progress.counts.eq(operation.counts),
            progress.takes.eq((operation.started >> progress.lane)[0]),
            progress.settle.eq(operation.settle), progress.located.eq(shown),
            progress.clear_unflushed.eq(status.clear_unflushed),
            status.sectors_done.eq(progress.sectors_done), status.skipped_sectors.eq(progress.skipped_sectors),
            status.retries.eq(progress.retries), status.error_lba.eq(progress.error_lba),
            status.unflushed.eq(progress.unflushed), status.unflushed_lba.eq(progress.unflushed_lba),
            status.unflushed_sectors.eq(progress.unflushed_sectors),
            counters.high_water.eq(progress.high_water), counters.longest_stall.eq(progress.longest_stall),
            counters.held_cycles.eq(held if counts else Mux(operation.plays, held, progress.held_cycles)),
            counters.words.eq(words), counters.dropped.eq(0),
            *(core.user.status.clear_unflushed.eq(status.clear_unflushed) for core in cores),
        ]
        return words

    def _book(self, m, operation, router, turning):
        """The ledger of the array as a whole, or None. A lane has its turn until its kept words are written."""
        user, kept = self.user, self._kept
        if not self.configuration.ledger:
            m.d.comb += operation.cleared.eq(1)
            return None
        m.submodules.ledger = ledger = ArrayLedger(self._lanes)
        m.d.comb += [
            ledger.begin.eq(operation.opens), operation.cleared.eq(ledger.cleared),
            ledger.stream.crosses.eq((user.i.valid & user.i.ready) | (user.o.valid & user.o.ready)),
            ledger.stream.lane.eq(Mux(operation.keeps, kept.owner, router.lane) if kept else router.lane),
            ledger.stream.open.eq(operation.moves & (router.here.any() | turning)),
            ledger.stream.plays.eq(operation.plays), ledger.stream.failed.eq(operation.failed.any() & operation.keeps),
            ledger.stream.idle.eq(Mux(operation.plays, user.o.valid & ~user.o.ready, ~user.i.valid)),
            *(booked.eq(core.booked) for booked, core in zip(ledger.booked, self._cores)),
        ]
        return ledger

    def _enter(self, m, operation, progress, journal, join, booked):
        """The journals of the lanes as one. The operation ends when they are copied, and it is ``booked``."""
        journals = Array(core.user.journal for core in self._cores)
        command, sector = self._command, join.sector
        if command is not None:
            m.d.comb += command.own.eq(journal.own)
            sector = Mux(command.commanded, command.sector, sector)
        connect(m, flipped(self.user).journal, journal.user)
        m.d.comb += [
            journal.forget.eq(progress.restart), journal.copy.eq(operation.settle),
            operation.settled.eq(progress.settled & journal.copied & booked),
            journal.data.eq(journals[journal.lane].data),
            # A lane that was not started has that of an operation before.
            journal.count.eq(Mux((operation.started >> journal.lane)[0], journals[journal.lane].count, 0)),
            join.lane.eq(journal.lane), join.own.eq(journal.own), journal.sector.eq(sector),
            *(core.user.journal.address.eq(journal.address) for core in self._cores),
        ]

    def _show(self, m, members, operation, progress, ledger):
        """The state of the lanes. Returns the lane whose details are shown."""
        cores, lanes, status, array = self._cores, range(self._lanes), self.user.status, self.user.array
        chosen = Signal(range(self._lanes))
        shown = Signal(range(self._lanes))
        caused = Signal()           # a lane has recovered, or failed, in this operation
        causes = Signal(range(self._lanes))     # which one
        cause = Signal(Error)
        bring_up = Signal(Error)
        seen = chosen if self._command is None else self._command.seen
        m.d.comb += chosen.eq(Mux(array.lane < self._lanes, array.lane, 0))
        m.d.sync += [bring_up.eq(Error.NONE), shown.eq(Mux(
            operation.failed.any(), operation.first_failed, Mux(caused, causes, seen)))]
        detail = Array(core.user.status for core in cores)[shown]
        if self._command is not None:
            m.d.comb += [self._command.chosen.eq(chosen), progress.named.eq(names_sector(detail))]
        # After the operation the lanes show how superblocks are read.
        with m.If(operation.counts):
            m.d.sync += cause.eq(Mux((operation.started >> shown)[0], detail.cause, 0))
        with m.If(progress.restart):
            m.d.sync += [caused.eq(0), cause.eq(Error.NONE)]
        for lane in reversed(lanes):
            of_lane = cores[lane].user.status
            with m.If(operation.counts & operation.started[lane] & of_lane.cause.any()):
                m.d.sync += [caused.eq(1), causes.eq(lane)]
            with m.If(~of_lane.ready & ~of_lane.busy & of_lane.error.any()):
                m.d.sync += bring_up.eq(of_lane.error)
        idle_error = Mux(members.wrong, Error.OTHER_DRIVE, bring_up)
        m.d.comb += [
            status.ready.eq(operation.ready & ~operation.busy), status.busy.eq(operation.busy),
            status.done.eq(operation.done),
            status.error.eq(Mux((operation.error != Error.NONE) | operation.busy | operation.done, operation.error,
                                idle_error)),
            status.drive_status.eq(detail.drive_status), status.drive_error.eq(detail.drive_error),
            status.cause.eq(cause),
            status.capacity.eq(Mux(members.good, operation.capacity, 0)),
            status.lba48.eq(Cat(core.user.status.lba48 for core in cores).all()),
            status.recovering.eq(Cat(core.user.status.recovering for core in cores).any()),
            array.up.eq(Cat(core.user.link.up for core in cores)),
            array.ready.eq(Cat(core.user.status.ready for core in cores)),
            array.members.eq(Cat(members.states)),
            array.failed.eq(operation.failed), array.first.eq(operation.first_failed),
            self.user.away.eq(Cat(core.user.away for core in cores).any()),
            self.user.link.up.eq(array.up[:self._lanes].all()),
            self.user.link.generation.eq(Array(core.user.link.generation for core in cores)[chosen]),
        ]
        self._capacity(m, members, operation)
        if CHECKS in self.groups:
            tell_checks(m, self.user.checks, members.reads)
        if SECTOR in self.groups:
            # An extent may split no logical sector of any lane.
            m.d.comb += [self.user.sector.long_sectors.eq(Cat(core.user.sector.long_sectors for core in cores).any()),
                         operation.long.eq(self.user.sector.long_sectors)]
        see_lanes(m, self.user, {*BASE, *self.groups}, [core.user for core in cores], chosen, ledger)
        return shown

    def _capacity(self, m, members, operation):
        """The sectors of all lanes, which are added one after the other."""
        sums = [members.sizes[0], *(Signal(48, name=f"sectors{lane}") for lane in range(1, self._lanes))]
        for lane in range(1, self._lanes):
            m.d.sync += sums[lane].eq(sums[lane - 1] + members.sizes[lane])
        m.d.comb += operation.capacity.eq(sums[-1])

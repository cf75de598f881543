"""The sequencer: from link-up to an identified drive, and from an extent to commands."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...facts.ata import ErrorBit
from ...interface import ALIGNMENT, IDENTIFY, PACING, SECTOR, STATUS, TASK
from ..command import CommandSignature
from ..drive_port import Coming, DrivePort
from ..phy import PhyControlSignature
from .activity import SequencerActivity
from .alignment import AlignmentCounter
from .between import Between, interjections
from .command_operation import CommandOperation, NoCommandOperation
from .extent_queue import ExtentQueue
from .extent_splitter import ExtentSplitter
from .identified_drive import IdentifiedDrive
from .logical_sector import LogicalSector
from .operation import OperationControl
from .pacing import CommandPacing
from .phase import CommandEnd
from .recorded_range import RecordedRange
from .recovery import NoRecovery, Recovery
from .silence_timer import SilenceTimer
from .task_file import TaskFileEncoder
from .timer import CLOCKS_BITS
from .written import UnflushedSectors, WrittenThrough

__all__ = ["Sequencer"]


class Sequencer(wiring.Component):
    """Runs operations on a drive, without a processor.

    :class:`.bring_up.BringUp` gets a drive ready. :class:`.operation.OperationControl` then moves
    an extent as a chain of READ or WRITE DMA (EXT) commands of maximal length; a recording continues
    with the extents in :class:`.extent_queue.ExtentQueue`.
    :class:`.recovery.Recovery` decides what follows a command that fails. The drive is brought up
    again by COMRESET if it may still be executing the command.
    Latency: ``command.start`` of the next command comes 3 clocks after a status FIS's EOF was at the dword port, unless
    a pause delays it.

    Parameters
    ----------
    configuration : Configuration
    clear_clocks, settle_clocks : int       Clocks that the ledger takes to be cleared before an
                        operation, and to settle after it.
    identity_width : int        See :class:`.identity.Identity`.

    Members
    -------
    away : Out(1)           There is no usable drive: see :class:`...interface.UserSignature`.
    commanded : Out(1)      The operation is COMMAND; from the clock after its start to the start of the next operation.
    status, identify, pacing, task, alignment, sector : In      Groups of the user, see :mod:`...interface`. Those
                            that the configuration does not have are not driven.
    port : In(DrivePort)        The recorder.
    groups : In                 The ports of what comes between two commands, see :class:`.between.Between`.
    coming : In(Coming)         An extent comes, see :class:`.identified_drive.HeldLink`; not driven without
                            modes.
    more : In(1)                With a queue: a recording waits for spans, however long that takes.
    complete : In(1)            Nothing is passed over in the operation that runs: it ends as with ``on_failure``
                                = ``stop``.
    command : Out(CommandSignature), phy : Out(PhyControlSignature)
    activity : Out(SequencerActivity)       For the ledger.
    """

    def __init__(self, configuration, *, clear_clocks, settle_clocks, identity_width=32):
        self._configuration = config = configuration
        self._queued = queued = config.extents != "single"
        kinds = interjections(config)
        self._between = Between(config)
        self._drive = IdentifiedDrive(
            holds=config.extents == "modes", width=identity_width, long_sectors=config.long_logical_sectors)
        self._splitter = ExtentSplitter(max_sectors=config.max_command_sectors, queued=queued)
        self._pacing = CommandPacing(programmable=config.pacing == "programmable")
        self._encoder = TaskFileEncoder()
        self._silence_timer = SilenceTimer(
            signature=config.clocks(config.signature_timeout),
            identify=config.clocks(config.identify_timeout),
            command=config.clocks(config.command_timeout),
            flush=config.clocks(config.flush_timeout))
        self._raw = (CommandOperation(max_sectors=config.max_command_sectors) if config.commands
                     else NoCommandOperation())
        self._recovery = Recovery(
            retries=config.retries, delay=config.clocks(config.retry_delay),
            timeout=config.clocks(config.recovery_timeout), skips=config.on_failure == "skip",
            queued=queued) if config.recovery else NoRecovery()
        self._operation = OperationControl(
            clear_clocks=clear_clocks, settle_clocks=settle_clocks, queued=queued, between=bool(kinds))
        self._sector = LogicalSector()
        self._through = WrittenThrough()
        self._cache = UnflushedSectors(within=any(kind.flushes_cache for kind in kinds))
        super().__init__({
            "away": Out(1), "commanded": Out(1), "status": In(STATUS.signature), "identify": In(IDENTIFY.signature),
            "pacing": In(PACING.signature), "task": In(TASK.signature), "alignment": In(ALIGNMENT.signature),
            "sector": In(SECTOR.signature), "groups": self._between.signature.members["groups"],
            "coming": In(Coming), "complete": In(1), "more": In(1), "port": In(DrivePort(
                queued=queued, looks=any(kind.wants_room for kind in kinds),
                long_sectors=config.long_logical_sectors)),
            "command": Out(CommandSignature()), "phy": Out(PhyControlSignature()),
            "activity": Out(SequencerActivity),
        })

    def elaborate(self, platform):
        m = Module()
        config, status, port = self._configuration, self.status, self.port
        m.submodules.identified_drive = drive = self._drive
        m.submodules.splitter = splitter = self._splitter
        m.submodules.pacing = self._pacing
        m.submodules.encoder = encoder = self._encoder
        m.submodules.silence_timer = silence_timer = self._silence_timer
        m.submodules.recovery = recovery = self._recovery
        m.submodules.operation = operation = self._operation
        m.submodules.written = self._cache
        command = Signal(CommandEnd)
        m.d.comb += [
            command.done.eq(self.command.done), command.succeeded.eq(self.command.succeeded),
            command.result.eq(self.command.result), command.needs_comreset.eq(self.command.needs_comreset),
        ]
        m.submodules.raw = self._raw
        m.submodules.logical_sector = self._sector
        self._command_operation(m)
        self._logical_sector(m)
        m.submodules.written_through = through = self._through
        m.d.comb += [
            through.begin.eq(operation.begin), through.usable.eq(drive.usable),
            through.revoked.eq(self.command.revoked), encoder.fua.eq(through.through),
            recovery.safe.eq(through.safe), self._cache.through.eq(through.through),
            self._cache.command_lba.eq(splitter.command_lba),
        ]
        if config.fua:
            m.d.comb += through.fua.eq(drive.fua)
        self._connect_drive(m, command)
        self._commands(m, command)
        self._data(m, command)
        completed = self._watch_cache(m, command)
        if config.alignment:
            m.submodules.alignment = alignment = AlignmentCounter()
            connect(m, flipped(self.alignment), alignment.user)
            m.d.comb += [
                alignment.forget.eq(drive.forgets), alignment.completed.eq(completed),
                alignment.payload.payload.eq(self.command.read_data.payload),
                alignment.payload.valid.eq(self.command.read_data.valid & drive.identifying),
                alignment.lba.eq(splitter.command_lba), alignment.sectors.eq(splitter.command_sectors),
            ]
        if self._queued:
            self._go_on(m)

        # The end of a wait for the drive, and what follows a failure.
        connect(m, operation.recovery, recovery.control)
        connect(m, recovery.resume, splitter.resume)
        connect(m, recovery.port, flipped(port.recovery))
        connect(m, recovery.journal, flipped(port.journal))
        clocks = Signal(CLOCKS_BITS)
        m.d.sync += clocks.eq(clocks + 1)
        m.d.comb += [
            silence_timer.clocks.eq(clocks), recovery.clocks.eq(clocks),
            silence_timer.usable.eq(drive.usable), silence_timer.waits.eq(drive.waiting),
            silence_timer.pause.eq(drive.pause), silence_timer.identifying.eq(drive.identifying),
            silence_timer.phase.eq(operation.phase), silence_timer.done.eq(self.command.done),
            silence_timer.pausing.eq(self._pacing.pausing), silence_timer.progress.eq(self.command.progress),
            drive.silent.eq(silence_timer.expired), operation.silent.eq(silence_timer.expired),
            recovery.command.lba.eq(splitter.command_lba), recovery.command.sectors.eq(splitter.command_sectors),
            recovery.command.line_error.eq(self.command.status.err & self.command.error[ErrorBit.ICRC]),
            # After any other error the LBA may be what the command has left there.
            recovery.command.located.eq(self.command.status.err & (
                self.command.error[ErrorBit.UNC] | self.command.error[ErrorBit.IDNF])),
            recovery.command.error_lba.eq(status.error_lba),
            recovery.complete.eq(self.complete), recovery.stopped.eq(port.stopped), recovery.drained.eq(port.drained),
            recovery.journal_room.eq(port.journal_room),
        ]
        m.submodules.arbiter = self._between
        self._gap(m, command)
        self._between_commands(m, command)
        return m

    def _gap(self, m, command):
        """What can be seen of the operation, the drive and the recorder between two commands."""
        gap, port, drive, operation, splitter, raw = (
            self._between.gap, self.port, self._drive, self._operation, self._splitter, self._raw)
        m.d.sync += [
            gap.records.eq(operation.writes & ~raw.active & ~port.stopped),
            gap.begin.eq(operation.begin), gap.next.eq(operation.next),
            gap.begins_recording.eq(port.extent.payload.operation[0] & ~raw.begins),
            gap.query_failed.eq(operation.between & operation.recovery.failed & ~self._between.repeated),
        ]
        m.d.comb += [
            gap.writing.eq(operation.phase.moves & ~self._pacing.pausing & operation.writes & ~raw.active),
            gap.written.eq(command.succeeded & operation.phase.moves & operation.writes & ~raw.active),
            gap.on_medium.eq(self._through.through),
            gap.lba.eq(splitter.command_lba), gap.sectors.eq(splitter.command_sectors),
            gap.ends.eq(operation.closes), gap.recovers.eq(operation.phase.recovers),
            gap.known.eq(drive.usable & ~drive.changed), gap.brings_up.eq(drive.start),
            gap.other_drive.eq(drive.other), gap.renewed.eq(drive.renewed),
            gap.lba48.eq(drive.lba48), gap.flush_ext.eq(drive.flush_ext),
            gap.trim.eq(drive.trim), gap.logs.eq(drive.logs),
            gap.long_sectors.eq(self._sector.long), gap.room.eq(port.room),
        ]

    def _between_commands(self, m, command):
        """The path of what comes between two commands to the drive and back."""
        between, operation, runs = self._between, self._operation, self._operation.between
        connect(m, flipped(self.groups), between.groups)
        m.d.comb += [
            between.more.eq(~operation.no_more | (operation.gathers | operation.pending)),
            between.waits.eq(operation.waits), between.issue.eq(operation.issue),
            between.runs.eq(runs), between.done.eq(command.done), between.final.eq(self.command.final),
            between.result.eq(command.result), between.resets.eq(operation.needs_comreset),
            between.read.payload.eq(self.command.read_data.payload),
            between.read.valid.eq(self.command.read_data.valid),
            between.write.ready.eq(self.command.write_data.ready & runs),
            operation.wanted.eq(between.wanted), operation.repeated.eq(between.repeated),
            operation.clean.eq(between.clean), self._recovery.query.eq(runs & ~between.repeated),
            self._encoder.between.eq(runs), self._encoder.request.eq(between.request),
            self._silence_timer.between.eq(runs), self._silence_timer.patient.eq(between.patient),
        ]

    def _connect_drive(self, m, command):
        """The drive and its link, connected to the command layer and to whatever depends on them."""
        drive, operation, recovery, status = self._drive, self._operation, self._recovery, self.status
        through = self._through
        unfit = self._splitter.beyond | ((through.fua != through.through) & operation.writes) | self._sector.other
        connect(m, drive.phy, flipped(self.phy))
        connect(m, flipped(self.identify), drive.user)
        m.d.comb += [
            drive.command.eq(command), drive.signature_received.eq(self.command.signature_received),
            drive.is_ata.eq(self.command.is_ata), drive.read.payload.eq(self.command.read_data.payload),
            drive.read.valid.eq(self.command.read_data.valid), drive.coming.eq(self.coming),
            drive.needs_comreset.eq(operation.needs_comreset), drive.fault.eq(self.command.status.df),
            drive.downshift.eq(recovery.downshift),
            drive.downshift_to.eq(recovery.downshift_to), drive.begin.eq(operation.begin),
            drive.began.eq(operation.began & ~self._raw.active),
            drive.unfit.eq(unfit), recovery.drive.eq(drive.state), operation.usable.eq(drive.usable),
            operation.unusable.eq(drive.unusable), operation.judgement.eq(drive.state.judgement),
            operation.lost.eq(drive.lost), operation.failed_bring_up.eq(drive.failed),
            operation.failure.eq(drive.failure), self.away.eq(drive.lost),
            status.capacity.eq(drive.capacity), status.lba48.eq(drive.lba48),
        ]

    def _command_operation(self, m):
        """COMMAND."""
        operation, recovery, raw = self._operation, self._recovery, self._raw
        connect(m, flipped(self.task), raw.user)
        m.d.comb += [
            raw.begin.eq(operation.begin), raw.extent.eq(self.port.extent.payload),
            raw.phase.eq(operation.phase), raw.writes.eq(operation.writes),
            raw.lba.eq(self._splitter.origin), raw.own.eq(self._encoder.spec),
            raw.final.eq(self.command.final), self.command.pio_out.eq(raw.pio_out),
            recovery.once.eq(raw.active | self.port.broken | operation.recovery.abandoned),
            self.commanded.eq(raw.active),
        ]

    def _logical_sector(self, m):
        """Drives that count sectors of 4096 bytes."""
        drive, operation, port, sector = self._drive, self._operation, self.port, self._sector
        m.d.comb += [
            sector.begin.eq(operation.begin), sector.extent.eq(port.extent.payload),
            sector.raw.eq(self._raw.begins), sector.drive.eq(drive.long), sector.locates.eq(self.command.locates),
            operation.splits.eq(sector.splits), self._encoder.long.eq(sector.long),
            self._splitter.long.eq(sector.long), port.long.eq(sector.long),
            self.sector.long_sectors.eq(drive.long & drive.usable),
            self.status.error_lba.eq(sector.error_lba), sector.named.eq(self.command.error_lba),
        ]
        with m.If(~drive.addressed48):
            m.d.comb += sector.named[24:].eq(self.command.error_device)

    def _watch_cache(self, m, command):
        """What the drive may have lost with its write cache; COMMAND reveals nothing about it. Returns whether a
        write command of a recording succeeds."""
        cache, operation, recovery, splitter, raw = (
            self._cache, self._operation, self._recovery, self._splitter, self._raw)
        flushes = (operation.phase.flushes & ~raw.no_data) | (operation.between & self._between.flushes)
        records = operation.writes & ~raw.active
        m.d.comb += [
            cache.command.eq(command), cache.completed.eq(command.succeeded & operation.phase.moves & records),
            cache.flushes.eq(flushes), cache.away.eq(self._drive.lost), cache.revoked.eq(self.command.revoked),
            cache.clear.eq(self.status.clear_unflushed), cache.begin.eq(operation.begin),
            cache.taken.eq(splitter.taken), cache.origin.eq(splitter.origin), cache.end.eq(splitter.next_lba),
            operation.unflushed.eq(cache.unflushed & ~raw.active), recovery.unflushed_lba.eq(cache.lba),
            recovery.unflushed_sectors.eq(cache.sectors), self.status.unflushed.eq(cache.unflushed),
            self.status.unflushed_lba.eq(cache.lba), self.status.unflushed_sectors.eq(cache.sectors),
        ]
        return cache.completed

    def _go_on(self, m):
        """The sectors with which a recording continues after its extent."""
        drive, operation, splitter, port = self._drive, self._operation, self._splitter, self.port
        m.submodules.queue = queue = ExtentQueue()
        m.submodules.range = recorded = RecordedRange()
        connect(m, flipped(port.queue), queue.queue)
        m.d.comb += [
            queue.begin.eq(operation.begin), queue.usable.eq(drive.usable), queue.capacity.eq(drive.capacity),
            queue.open.eq(operation.extends & port.recording & ~port.stopped),
            queue.taken.eq(splitter.taken), queue.long.eq(port.long),
            splitter.waits.eq(queue.waits), splitter.span.eq(queue.span),
            splitter.gathers.eq(port.gathers & operation.writes),
            operation.gathers.eq(splitter.gathering), operation.pending.eq(queue.pending | self.more),
            operation.more.eq(self.more),
            operation.closing.eq(~operation.waits),
            operation.refused.eq(queue.refused), operation.refusal.eq(queue.error),
            port.extended.eq(queue.extended), port.begun.eq(splitter.begun),
            recorded.keep.eq(~operation.begin), recorded.completed.eq(splitter.completed & operation.writes),
            recorded.origin.eq(splitter.origin), recorded.end.eq(splitter.next_lba),
            self._recovery.recorded.lba.eq(recorded.lba), self._recovery.recorded.sectors.eq(recorded.sectors),
        ]

    def _commands(self, m, command):
        """From the extent to the command layer."""
        drive, operation, splitter, pacing, encoder, raw = (
            self._drive, self._operation, self._splitter, self._pacing, self._encoder, self._raw)
        extent = self.port.extent
        connect(m, flipped(extent), operation.extent)
        connect(m, flipped(self.pacing), pacing.user)
        completed = Signal()
        waits = Signal()            # the recording waits if no command is left
        issued = Signal()           # what comes between has its LBA from elsewhere: there is time to clear this one
        m.d.sync += issued.eq(operation.issue)
        m.d.comb += [
            completed.eq(command.succeeded & operation.phase.moves),
            waits.eq(operation.writes & (operation.gathers | operation.pending)),
            splitter.load.eq(operation.begin), splitter.lba.eq(extent.payload.lba),
            splitter.sectors.eq(extent.payload.sectors), splitter.capacity.eq(drive.capacity),
            # COMMAND is one command, however long its registers make it.
            splitter.limit.eq(Mux(raw.active, 0, pacing.limit)),
            splitter.lba48.eq(drive.lba48 | raw.active), splitter.shorten.eq(self.port.stopped & ~raw.active),
            splitter.shorten_to.eq(self.port.pending_sectors), splitter.next.eq(operation.next),
            splitter.clear.eq(operation.flush | issued | drive.start), splitter.completed.eq(completed),
            pacing.moves.eq(operation.phase.moves), pacing.succeeded.eq(command.succeeded),
            pacing.no_more.eq(splitter.resume.no_more & ~waits),
            pacing.lost.eq(drive.lost), operation.command.eq(command),
            operation.beyond.eq(Mux(raw.active, raw.too_long, splitter.beyond)),
            operation.no_more.eq(splitter.resume.no_more), operation.next_due.eq(pacing.next_due),
            operation.pausing.eq(pacing.pausing), encoder.phase.eq(operation.phase),
            encoder.spins_up.eq(drive.spinning_up), encoder.writes.eq(operation.writes),
            encoder.lba48.eq(drive.lba48), encoder.flush_ext.eq(drive.flush_ext),
            encoder.lba.eq(splitter.command_lba), encoder.sectors.eq(splitter.command_sectors),
            self.command.spec.eq(raw.spec),
            # Operations and bring-up begin commands. Without a drive a command fails at once.
            self.command.start.eq((operation.starts & ~drive.lost) | drive.start),
            self.command.clear.eq(drive.clear),
        ]
        between, runs, phase = self._between, operation.between, operation.phase
        # The clock for which a recording waits in any case is part of what comes after it.
        last = operation.waits & operation.no_more & ~waits
        flushes = phase.flushes | runs | (last & operation.closes)
        moves = phase.moves | (operation.waits & ~last)
        m.d.comb += [
            # What comes before the first data command, and its failure, is no part of the transfer.
            self.activity.clear.eq(phase.checks | between.ahead),
            # A flush on its own is no transfer.
            self.activity.enable.eq(moves | ((flushes | phase.recovers) & operation.began)),
            self.activity.flush.eq(flushes), self.activity.query.eq(runs & ~between.repeated),
            self.activity.from_x_rdy.eq(runs & between.booked_late), self.activity.recovery.eq(phase.recovers),
            self.activity.completed.eq(completed),
        ]

    def _data(self, m, command):
        """The words, and what the recorder and the user get."""
        drive, operation, splitter, recovery = self._drive, self._operation, self._splitter, self._recovery
        port, status, phase = self.port, self.status, operation.phase
        words = Mux(operation.between, self._between.write.payload, port.write_data.payload)
        m.d.comb += [
            port.read_data.payload.eq(self.command.read_data.payload),
            port.read_data.valid.eq(self.command.read_data.valid & phase.moves),
            self.command.write_data.payload.eq(words),
            self.command.write_data.valid.eq((port.write_data.valid & phase.moves) | operation.between),
            port.write_data.ready.eq(self.command.write_data.ready & phase.moves),
            self.command.hold.eq(port.hold & phase.moves), port.opening.eq(operation.opening),
            port.command.eq(operation.next),
            port.retain.eq(operation.writes & (
                splitter.next_sectors <= self._configuration.retain_sectors)),
            operation.broken.eq(port.broken), operation.abandoned.eq(port.abandoned),
            operation.word_lost.eq(port.lost | (port.broken & (operation.recording | operation.playing))),
            operation.tainted.eq(port.recovery.tainted),
            operation.drained.eq(port.drained), recovery.origin.eq(splitter.origin),
            status.ready.eq(port.extent.ready & drive.usable), status.busy.eq(operation.busy),
            status.done.eq(operation.done), status.error.eq(operation.error),
            status.drive_status.eq(self.command.status), status.drive_error.eq(self.command.error),
            status.sectors_done.eq(splitter.resume.sectors_done),
            status.recovering.eq(phase.recovers), status.cause.eq(recovery.status.cause),
            status.retries.eq(recovery.status.retries),
            status.skipped_sectors.eq(recovery.status.skipped),
        ]
        m.d.sync += [
            port.verified.eq(self.command.verified & phase.moves),
            port.completed.eq(command.succeeded & phase.moves),
            port.recording.eq(operation.recording), port.playing.eq(operation.playing),
        ]

"""The sequencer: from link-up to an identified drive, and from an extent to commands."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...facts.ata import ErrorBit
from ...interface import ALIGNMENT, IDENTIFY, PACING, SECTOR, STATUS, TASK
from ..command import CommandSignature
from ..drive_port import DrivePort
from ..phy import PhyControlSignature
from .activity import SequencerActivity
from .between import Between, interjections
from .bring_up import BringUp, held_link
from .command_operation import CommandOperation
from .extent_queue import attach_queue
from .extent_splitter import ExtentSplitter
from .identity import Identity
from .link_speed import LinkSpeed
from .logical_sector import attach_logical_sector
from .operation import OperationControl
from .other_drive import OtherDrive
from .pacing import CommandPacing
from .phase import CommandEnd
from .recovery import NoRecovery, Recovery
from .silence_timer import SilenceTimer
from .task_file import TaskFileEncoder
from .written import count_misaligned, follow_cache, written_through

__all__ = ["Sequencer"]


class Sequencer(wiring.Component):
    """Runs operations on a drive, with no processor.

    :class:`.bring_up.BringUp` gets a drive ready. :class:`.operation.OperationControl` then moves
    an extent as a chain of READ or WRITE DMA (EXT) commands of maximal length, a recording after
    it those that it finds in :class:`.extent_queue.ExtentQueue`, and
    :class:`.recovery.Recovery` decides what follows a command that fails. The drive is brought up
    again by COMRESET when it may still be in the command.
    Latency: the next command is requested 4 clocks after EOF of a status was at the dword port.

    Parameters
    ----------
    configuration : Configuration
    clear_clocks, settle_clocks : int       Clocks that the ledger takes to be cleared before an
                        operation, and to settle after it.
    identity_width : int        See :class:`.identity.Identity`.

    Members
    -------
    away : Out(1)           there is no usable drive: see :class:`..interface.UserSignature`
    status, identify, pacing, task, alignment, sector : In      Groups of the user, see
                        :mod:`..interface`; the last three are there if the configuration says so.
    port : In(DrivePort)        The recorder.
    groups : In                 The ports of what comes between two commands, see :class:`.between.Between`;
                        they are there if the configuration has something that does.
    coming : In(1)              An extent comes, see :func:`.bring_up.held_link`; it is there with modes.
    complete : In(1)            Nothing is passed over in the operation that runs: it ends as with ``on_failure``
                                = ``stop``. It is there with files and ``on_failure`` = ``skip``.
    command : Out(CommandSignature), phy : Out(PhyControlSignature)
    activity : Out(SequencerActivity)       For the ledger.
    """

    def __init__(self, configuration, *, clear_clocks, settle_clocks, identity_width=32):
        self._configuration = configuration
        self._ledger_clocks = {"clear_clocks": clear_clocks, "settle_clocks": settle_clocks}
        self._identity_width = identity_width
        self._queued = configuration.extents != "single"
        self._interjections = kinds = interjections(configuration)
        self._between = Between(configuration) if kinds else None
        self._final = configuration.commands or any(kind.wants_final for kind in kinds)
        room = any(kind.wants_room for kind in kinds)
        self._long = {"long_sectors": configuration.long_logical_sectors}
        super().__init__({
            "away": Out(1), "status": In(STATUS.signature), "identify": In(IDENTIFY.signature), "pacing": In(PACING.signature),
            **({"task": In(TASK.signature)} if configuration.commands else {}),
            **({"alignment": In(ALIGNMENT.signature)} if configuration.alignment else {}),
            **({"sector": In(SECTOR.signature)} if configuration.long_logical_sectors else {}),
            **({"groups": self._between.signature.members["groups"]} if kinds else {}),
            **({"coming": In(1)} if configuration.extents == "modes" else {}),
            **({"complete": In(1)} if configuration.skips_but_files else {}),
            "port": In(DrivePort(queued=self._queued, looks=room, **self._long)),
            "command": Out(CommandSignature(any_command=self._final,
                                            locates=configuration.long_logical_sectors)),
            "phy": Out(PhyControlSignature()), "activity": Out(SequencerActivity),
        })

    def elaborate(self, platform):
        m = Module()
        config = self._configuration
        programmable = config.pacing == "programmable"
        m.submodules.bring_up = bring_up = BringUp()
        m.submodules.identity = identity = Identity(
            width=self._identity_width, fua=config.fua, logs=config.smart_temperature, trim=config.trim_ahead,
            **self._long)
        m.submodules.speed = speed = LinkSpeed()
        m.submodules.splitter = splitter = ExtentSplitter(
            max_sectors=config.max_command_sectors, limited=programmable, queued=self._queued,
            **self._long)
        m.submodules.pacing = pacing = CommandPacing(programmable=programmable)
        between = self._between
        there = {"between": between is not None}
        m.submodules.encoder = encoder = TaskFileEncoder(fua=config.fua, **there, **self._long)
        m.submodules.silence_timer = silence_timer = SilenceTimer(
            signature=config.clocks(config.signature_timeout),
            identify=config.clocks(config.identify_timeout),
            command=config.clocks(config.command_timeout),
            flush=config.clocks(config.flush_timeout), **there)
        m.submodules.recovery = recovery = Recovery(
            retries=config.retries, delay=config.clocks(config.retry_delay),
            timeout=config.clocks(config.recovery_timeout), skips=config.on_failure == "skip",
            queued=self._queued, once=config.commands, safe=config.fua,
            query=between is not None, complete=config.skips_but_files) if config.recovery else (
                NoRecovery())
        if config.skips_but_files:
            m.d.comb += recovery.complete.eq(self.complete)
        m.submodules.operation = operation = OperationControl(
            **self._ledger_clocks, queued=self._queued, **there, **self._long)

        command = Signal(CommandEnd)
        # However short a loss of the link is: bring-up has begun then and owns the command layer.
        lost = Signal()
        m.d.comb += [
            command.done.eq(self.command.done), command.succeeded.eq(self.command.succeeded),
            command.result.eq(self.command.result),
            command.needs_comreset.eq(self.command.needs_comreset),
            lost.eq(~self.phy.link_up | ~bring_up.usable), self.away.eq(lost),
        ]
        self._drive(m, command, lost, bring_up, identity, speed, operation, recovery)
        raw = self._command_operation(m, splitter, encoder, operation, recovery)
        through = None
        if config.fua:
            through, safe = written_through(m, identity, operation.begin, bring_up.usable,
                                            self.command.revoked)
            m.d.comb += encoder.fua.eq(through)
            if config.recovery:
                m.d.comb += recovery.safe.eq(safe)
        sector = attach_logical_sector(m, self, bring_up, identity, splitter, encoder, operation,
                                       raw) if config.long_logical_sectors else None
        other_drive = self._other_drive(m, bring_up, identity, speed, splitter, operation, recovery,
                                        raw, through, sector)
        self._commands(m, command, lost, bring_up, identity, splitter, pacing, encoder, operation,
                       raw)
        named = self.status.error_lba if sector is None else sector.named
        m.d.comb += named.eq(self.command.error_lba)
        with m.If(~other_drive.addressed48):
            m.d.comb += named[24:].eq(self.command.error_device)
        self._data(m, command, bring_up, identity, splitter, operation, recovery)
        completed = follow_cache(
            m, self.status, command=command, lost=lost, revoked=self.command.revoked,
            splitter=splitter, operation=operation, recovery=recovery, raw=raw, through=through,
            between=between, queued=self._queued)
        if config.alignment:
            count_misaligned(m, self.alignment, completed=completed, splitter=splitter,
                             bring_up=bring_up, read_data=self.command.read_data)
        if self._queued:
            attach_queue(m, self, bring_up, identity, splitter, pacing, operation, recovery,
                         recovers=config.recovery, **self._long)

        # The end of a wait for the drive, and what follows a failure.
        connect(m, operation.recovery, recovery.control)
        connect(m, recovery.resume, splitter.resume)
        connect(m, recovery.port, flipped(self.port.recovery))
        connect(m, recovery.journal, flipped(self.port.journal))
        m.d.comb += [
            silence_timer.usable.eq(bring_up.usable), silence_timer.waits.eq(bring_up.waiting),
            silence_timer.pause.eq(bring_up.pause), silence_timer.identify.eq(bring_up.identify),
            silence_timer.identifying.eq(bring_up.identifying),
            silence_timer.phase.eq(operation.phase), silence_timer.flush.eq(operation.flush),
            silence_timer.done.eq(self.command.done), silence_timer.pausing.eq(pacing.pausing),
            silence_timer.progress.eq(self.command.progress),
            bring_up.silent.eq(silence_timer.expired), operation.silent.eq(silence_timer.expired),
            recovery.command.lba.eq(splitter.command_lba),
            recovery.command.sectors.eq(splitter.command_sectors),
            recovery.command.line_error.eq(
                self.command.status.err & self.command.error[ErrorBit.ICRC]),
            recovery.command.located.eq(self.command.status.err | self.command.status.df),
            recovery.command.error_lba.eq(self.status.error_lba),
            recovery.stopped.eq(self.port.stopped), recovery.drained.eq(self.port.drained),
            recovery.journal_room.eq(self.port.journal_room),
        ]
        if between is not None:
            m.submodules.arbiter = between
            self._gap(m, bring_up, identity, other_drive, splitter, operation, command, raw, through, sector)
            self._between_commands(m, command, encoder, silence_timer, operation, recovery)
        return m

    def _gap(self, m, bring_up, identity, other_drive, splitter, operation, command, raw, through,
             sector):
        """What can be seen of the operation, the drive and the recorder between two commands."""
        gap, port, config = self._between.gap, self.port, self._configuration
        ours = C(1) if raw is None else ~raw.active
        m.d.comb += [
            gap.begin.eq(operation.begin),
            gap.begins_recording.eq(port.extent.payload.operation[0] & ours),
            gap.records.eq(operation.writes & ours & ~port.stopped),
            gap.written.eq(command.succeeded & operation.phase.moves & operation.writes & ours),
            gap.on_medium.eq(0 if through is None else through),
            gap.lba.eq(splitter.command_lba), gap.sectors.eq(splitter.command_sectors), gap.next.eq(operation.next),
            gap.ends.eq(operation.closes), gap.recovers.eq(operation.phase.recovers),
            gap.query_failed.eq(operation.between & operation.recovery.failed & ~self._between.repeated),
            gap.known.eq(bring_up.usable & ~other_drive.changed), gap.brings_up.eq(bring_up.start),
            gap.other_drive.eq(other_drive.other), gap.renewed.eq(other_drive.renewed),
            gap.lba48.eq(identity.lba48), gap.flush_ext.eq(identity.flush_ext),
            gap.trim.eq(identity.trim if config.trim_ahead else 0),
            gap.logs.eq(identity.logs if config.smart_temperature else 0),
            gap.long_sectors.eq(0 if sector is None else sector.long),
            gap.room.eq(port.room if any(kind.wants_room for kind in self._interjections) else 0),
        ]

    def _between_commands(self, m, command, encoder, silence_timer, operation, recovery):
        """The way of what comes between two commands to the drive and back."""
        between, runs = self._between, operation.between
        connect(m, flipped(self.groups), between.groups)
        more = ~operation.no_more
        if self._queued:
            more |= operation.gathers | operation.pending
            m.d.comb += between.waits.eq(operation.waits)
        if self._final:
            m.d.comb += between.final.eq(self.command.final)
        if self._configuration.recovery:
            m.d.comb += recovery.query.eq(runs & ~between.repeated)
        m.d.comb += [
            between.more.eq(more), between.issue.eq(operation.issue),
            between.runs.eq(runs), between.done.eq(command.done),
            between.result.eq(command.result), between.resets.eq(operation.needs_comreset),
            between.read.payload.eq(self.command.read_data.payload),
            between.read.valid.eq(self.command.read_data.valid),
            between.write.ready.eq(self.command.write_data.ready & runs),
            operation.wanted.eq(between.wanted), operation.repeated.eq(between.repeated),
            operation.clean.eq(between.clean), encoder.between.eq(runs),
            encoder.request.eq(between.request), silence_timer.between.eq(runs),
            silence_timer.begun.eq(between.begun), silence_timer.patient.eq(between.patient),
        ]

    def _drive(self, m, command, lost, bring_up, identity, speed, operation, recovery):
        """The drive and its link."""
        connect(m, bring_up.identity, identity.check)
        connect(m, flipped(self.identify), identity.user)
        m.d.comb += [
            bring_up.link_up.eq(self.phy.link_up if self._configuration.extents != "modes" else held_link(
                m, self.phy.link_up, usable=bring_up.usable, coming=self.coming, taken=operation.begin)),
            bring_up.needs_comreset.eq(operation.needs_comreset | recovery.downshift),
            bring_up.signature_received.eq(self.command.signature_received),
            bring_up.is_ata.eq(self.command.is_ata), bring_up.done.eq(command.done),
            bring_up.succeeded.eq(command.succeeded), bring_up.unclear.eq(command.needs_comreset),
            identity.payload.payload.eq(self.command.read_data.payload),
            identity.payload.valid.eq(self.command.read_data.valid & bring_up.identifying),
            speed.generation.eq(self.phy.generation), speed.lost.eq(lost),
            speed.downshift.eq(recovery.downshift), speed.downshift_to.eq(recovery.downshift_to),
            self.phy.reset.eq(bring_up.comreset), self.phy.limit.eq(speed.limit),
            recovery.drive.usable.eq(~lost), recovery.drive.unusable.eq(bring_up.unusable),
            recovery.drive.judgement.eq(bring_up.judgement),
            recovery.drive.generation.eq(speed.last), operation.usable.eq(bring_up.usable),
            operation.unusable.eq(bring_up.unusable), operation.judgement.eq(bring_up.judgement),
            operation.lost.eq(lost), operation.failed_bring_up.eq(bring_up.failed),
            operation.failure.eq(bring_up.failure), self.status.capacity.eq(identity.capacity),
            self.status.lba48.eq(identity.lba48),
        ]

    def _command_operation(self, m, splitter, encoder, operation, recovery):
        """COMMAND, or None where there is no such operation."""
        if not self._configuration.commands:
            return None
        m.submodules.raw = raw = CommandOperation(
            max_sectors=self._configuration.max_command_sectors)
        connect(m, flipped(self.task), raw.user)
        m.d.comb += [
            raw.begin.eq(operation.begin), raw.extent.eq(self.port.extent.payload),
            raw.phase.eq(operation.phase), raw.writes.eq(operation.writes),
            raw.lba.eq(splitter.origin), raw.own.eq(encoder.spec),
            raw.final.eq(self.command.final), self.command.pio_out.eq(raw.pio_out),
        ]
        if self._configuration.recovery:
            m.d.comb += recovery.once.eq(raw.active)
        return raw

    def _other_drive(self, m, bring_up, identity, speed, splitter, operation, recovery, raw, through, sector):
        """Whether the drive that has come back is another one."""
        m.submodules.comparison = other = OtherDrive()
        unfit = splitter.beyond
        if through is not None:
            unfit |= (identity.fua != through) & operation.writes
        if sector is not None:
            unfit |= sector.other
        m.d.comb += [
            other.begin.eq(operation.begin), other.began.eq(operation.began if raw is None else
                                                            operation.began & ~raw.active),
            other.usable.eq(bring_up.usable), other.link_up.eq(self.phy.link_up),
            other.checked.eq(identity.check.checked & ~identity.check.unsound),
            other.differs.eq(identity.differs), other.unlike.eq(identity.unlike),
            other.lba48.eq(identity.lba48), other.unfit.eq(unfit),
            speed.other_drive.eq(other.other), recovery.drive.changed.eq(other.changed),
        ]
        return other

    def _commands(self, m, command, lost, bring_up, identity, splitter, pacing, encoder,
                  operation, raw):
        """From the extent to the command layer."""
        extent = self.port.extent
        connect(m, flipped(extent), operation.extent)
        if self._configuration.pacing == "programmable":
            connect(m, flipped(self.pacing), pacing.user)
            m.d.comb += splitter.limit.eq(self.pacing.command_limit)
        completed = Signal()
        others, flushes, clears, query, late = (
            operation.flush, operation.phase.flushes, operation.phase.checks, 0, 0)
        if self._between is not None:
            runs, moved = operation.between, Signal()
            with m.If(operation.begin):
                m.d.sync += moved.eq(0)
            with m.Elif(operation.next):
                m.d.sync += moved.eq(1)
            others, flushes = others | operation.issue, flushes | runs
            # What comes before the first data command, and its failure, is no part of the transfer either.
            clears |= (runs | operation.phase.recovers) & ~moved
            query, late = runs & ~self._between.repeated, runs & self._between.booked_late
        m.d.comb += [
            completed.eq(command.succeeded & operation.phase.moves),
            splitter.load.eq(operation.begin), splitter.lba.eq(extent.payload.lba),
            splitter.sectors.eq(extent.payload.sectors),
            splitter.lba48.eq(identity.lba48 if raw is None else identity.lba48 | raw.active),
            splitter.capacity.eq(identity.capacity), splitter.shorten.eq(self.port.stopped),
            splitter.shorten_to.eq(self.port.pending_sectors), splitter.next.eq(operation.next),
            splitter.clear.eq(others | bring_up.start), splitter.completed.eq(completed),
            pacing.moves.eq(operation.phase.moves), pacing.succeeded.eq(command.succeeded),
            *([] if self._queued else [pacing.no_more.eq(splitter.resume.no_more)]),
            pacing.lost.eq(lost), operation.command.eq(command),
            operation.beyond.eq(splitter.beyond if raw is None else
                                Mux(raw.active, raw.too_long, splitter.beyond)),
            operation.no_more.eq(splitter.resume.no_more), operation.next_due.eq(pacing.next_due),
            operation.pausing.eq(pacing.pausing), encoder.phase.eq(operation.phase),
            encoder.spins_up.eq(bring_up.spinning_up), encoder.writes.eq(operation.writes),
            encoder.lba48.eq(identity.lba48), encoder.flush_ext.eq(identity.flush_ext),
            encoder.lba.eq(splitter.command_lba), encoder.sectors.eq(splitter.command_sectors),
            self.command.spec.eq(encoder.spec if raw is None else raw.spec),
            # Commands begin in three ways. Without a drive a command fails at once.
            self.command.start.eq(
                (operation.starts & ~lost) | bring_up.start),
            self.command.clear.eq(bring_up.clear),
        ]
        phase = operation.phase
        moves = phase.moves | operation.waits if self._queued else phase.moves
        m.d.comb += [
            self.activity.clear.eq(clears),
            # A flush on its own is no transfer.
            self.activity.enable.eq(moves | ((flushes | phase.recovers) & operation.began)),
            self.activity.flush.eq(flushes), self.activity.query.eq(query),
            self.activity.from_x_rdy.eq(late), self.activity.recovery.eq(phase.recovers),
            self.activity.completed.eq(completed),
        ]

    def _data(self, m, command, bring_up, identity, splitter, operation, recovery):
        """The words, and what the recorder and the user are told."""
        port, status, phase = self.port, self.status, operation.phase
        words, valid = port.write_data.payload, port.write_data.valid & phase.moves
        if self._between is not None:
            words = Mux(operation.between, self._between.write.payload, words)
            valid |= operation.between
        m.d.comb += [
            port.read_data.payload.eq(self.command.read_data.payload),
            port.read_data.valid.eq(self.command.read_data.valid & phase.moves),
            self.command.write_data.payload.eq(words), self.command.write_data.valid.eq(valid),
            port.write_data.ready.eq(self.command.write_data.ready & phase.moves),
            self.command.hold.eq(port.hold & phase.moves), port.opening.eq(operation.opening),
            port.command.eq(operation.next),
            port.retain.eq(operation.writes & (
                splitter.next_sectors <= self._configuration.retain_sectors)),
            operation.word_lost.eq(port.lost), operation.tainted.eq(port.recovery.tainted),
            operation.drained.eq(port.drained), recovery.origin.eq(splitter.origin),
            status.ready.eq(port.extent.ready & bring_up.usable), status.busy.eq(operation.busy),
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

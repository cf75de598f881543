"""The sequencer: from link-up to an identified drive, and from an extent to commands."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..ata import ErrorBit
from ..command import CommandResult, CommandSignature
from ..interface import group
from ..phy import PhyControlSignature
from .activity import SequencerActivity
from .bring_up import BringUp
from .command_splitter import Extent
from .identity import Identity
from .recovery import Recovery
from .task_file import Composer
from .timer import Timer
from .types import Error, Operation, StreamSignature

__all__ = ["Sequencer"]

_ERRORS = {
    CommandResult.DRIVE_ERROR: Error.DRIVE_ERROR,
    CommandResult.SHORT_DATA: Error.SHORT_DATA,
    CommandResult.DATA_CRC: Error.DATA_CRC,
    CommandResult.PROTOCOL: Error.PROTOCOL,
    CommandResult.REFUSED: Error.COMMAND_REFUSED,
}


class Sequencer(wiring.Component):
    """Runs operations on a drive, with no processor.

    :class:`.bringup.BringUp` gets a drive ready. An operation then moves an
    extent as a chain of READ or WRITE DMA (EXT) commands of maximal length. An operation that
    cannot be done is refused before any command. A command that fails, or a drive that is silent
    for longer than the configuration allows, begins a recovery: :class:`.recovery.Recovery`. The
    drive is brought up anew by COMRESET when it may still be in the command.
    Latency: the next command is requested 4 clocks after EOF of a status was at the dword port.

    Parameters
    ----------
    configuration : Configuration
    clear_clocks, settle_clocks : int       which the ledger takes to be cleared before an
                        operation, and to settle after it

    Members
    -------
    control, status, identify, pacing : In      Groups of the user's signals, see
                        :mod:`..interface`.
    stream : In(StreamSignature)
    command : Out(CommandSignature)
    phy : Out(PhyControlSignature)
    activity : Out(SequencerActivity)       For the ledger.
    """

    def __init__(self, configuration, *, clear_clocks, settle_clocks):
        self._configuration = configuration
        self._clear_clocks = clear_clocks
        self._settle_clocks = settle_clocks
        super().__init__({
            **{name: In(group(name))
               for name in ("control", "status", "identify", "pacing")},
            "stream": In(StreamSignature()),
            "command": Out(CommandSignature()),
            "phy": Out(PhyControlSignature()), "activity": Out(SequencerActivity),
        })

    def elaborate(self, platform):
        m = Module()
        config = self._configuration
        control, status, stream, command = self.control, self.status, self.stream, self.command

        m.submodules.bring_up = bring_up = BringUp()
        m.submodules.identity = identity = Identity()
        m.submodules.extent = extent = Extent(
            max_sectors=config.max_command_sectors, limited=config.pacing == "programmable")
        limits = [config.signature_timeout, config.identify_timeout, config.command_timeout,
                  config.flush_timeout]
        m.submodules.timer = timer = Timer([config.clocks(limit) for limit in limits])
        awaiting_signature, identifying, moving, flushing = range(len(limits))

        operation = Signal(Operation)
        writes = Signal()
        moved = Signal()            # a data command has been begun
        flushes = Signal()          # and FLUSH CACHE
        ending = Signal(Error)      # of a play-back, once its words are with the user
        empty = Signal()
        m.d.comb += writes.eq(operation[0])
        succeeded = Signal()
        m.d.comb += succeeded.eq(command.done & (command.result == CommandResult.SUCCESS))

        # However short a loss of the link is: bring-up has begun then and owns the command layer.
        lost = Signal()
        m.d.comb += lost.eq(~self.phy.link_up | ~bring_up.usable)

        next_command = Signal()
        flush_start = Signal()

        # Data paths.
        in_move = Signal()
        in_flush = Signal()
        in_deliver = Signal()
        in_recovery = Signal()
        m.d.comb += [
            identity.payload.payload.eq(command.payload.payload),
            identity.payload.valid.eq(command.payload.valid & bring_up.identifying),
            stream.payload.payload.eq(command.payload.payload),
            stream.payload.valid.eq(command.payload.valid & in_move),
            command.data.payload.eq(stream.data.payload),
            command.data.valid.eq(stream.data.valid & in_move),
            stream.data.ready.eq(command.data.ready & in_move),
            command.hold.eq(stream.hold & in_move),
        ]
        m.d.sync += [
            stream.verified.eq(command.verified & in_move),
            stream.completed.eq(succeeded & in_move),
            stream.recording.eq((in_move | in_recovery) & writes),
            stream.playing.eq((in_move | in_recovery | in_deliver) & ~writes),
        ]

        # What the user sees.
        m.d.comb += [
            status.drive_status.eq(command.status),
            status.drive_error.eq(command.error),
            status.error_lba.eq(command.error_lba),
            status.capacity.eq(identity.capacity),
            status.lba48.eq(identity.lba48),
            identity.address.eq(self.identify.address),
            self.identify.data.eq(identity.data),
            status.sectors_done.eq(extent.sectors_done),
            self.activity.completed.eq(succeeded & in_move),
            # A flush on its own is no transfer.
            self.activity.enable.eq(in_move | ((in_flush | in_recovery) & moved)),
            self.activity.flush.eq(in_flush),
            self.activity.recovery.eq(in_recovery),
        ]
        addressed48 = Signal()      # the command in flight; IDENTIFY DEVICE may be read anew
        with m.If(next_command | flush_start):
            m.d.sync += addressed48.eq(identity.lba48)
        with m.If(~addressed48):
            m.d.comb += status.error_lba[24:].eq(command.error_device)

        # A command that follows another may have to wait, as one of a slower controller would.
        delay = Signal()
        delaying = Signal()
        delayed = Signal()
        if config.pacing == "programmable":
            pause = Signal(32)
            m.d.comb += [
                delay.eq(self.pacing.turnaround != 0),
                # Without a drive the next command fails at once, and what follows is a recovery.
                delayed.eq(delaying & ((pause == 0) | lost | extent.no_more)),
                extent.limit.eq(self.pacing.command_limit),
            ]
            m.d.sync += [
                pause.eq(Mux(delaying, pause, self.pacing.turnaround) - 1),
                delaying.eq(in_move & ~delayed
                            & (delaying | (succeeded & delay & ~extent.no_more))),
            ]

        # Commands begin in three ways.
        with m.If(next_command):
            m.d.sync += moved.eq(1)
        m.d.comb += [
            extent.next.eq(next_command),
            # Without a drive it fails at once.
            command.start.eq(((next_command | flush_start) & ~lost) | bring_up.start),
        ]

        # The extent.
        m.d.comb += [
            extent.lba.eq(control.lba),
            extent.sectors.eq(control.sectors),
            extent.lba48.eq(identity.lba48),
            extent.capacity.eq(identity.capacity),
            extent.shorten.eq(stream.stopped),
            extent.shorten_to.eq(stream.pending_sectors),
            extent.completed.eq(succeeded & in_move),
            stream.sectors.eq(control.sectors),
            stream.command.eq(next_command),
            stream.retain.eq(writes & (extent.next_sectors <= config.retain_sectors)),
        ]

        m.d.comb += [
            bring_up.link_up.eq(self.phy.link_up),
            self.phy.reset.eq(bring_up.comreset),
            bring_up.signature_received.eq(command.signature_received),
            bring_up.is_ata.eq(command.is_ata),
            bring_up.done.eq(command.done),
            bring_up.succeeded.eq(succeeded),
            bring_up.expired.eq(timer.expired),
            command.clear.eq(bring_up.clear),
            identity.begin.eq(bring_up.clear | bring_up.start),
            identity.check.eq(bring_up.check),
            bring_up.checked.eq(identity.checked),
        ]
        for name in "dma", "lba", "packet", "long_sectors":
            m.d.comb += getattr(bring_up, name).eq(getattr(identity, name))

        m.submodules.composer = composer = Composer()
        m.d.comb += [
            composer.moves.eq(in_move),
            composer.flushes.eq(in_flush),
            composer.writes.eq(writes),
            composer.lba48.eq(identity.lba48),
            composer.flush_ext.eq(identity.flush_ext),
            composer.lba.eq(extent.command_lba),
            composer.sectors.eq(extent.command_sectors),
            composer.identifies.eq(bring_up.start),
            composer.begins.eq(next_command),
            composer.next_sectors.eq(extent.next_sectors),
            command.spec.eq(composer.spec),
            extent.clear.eq(flush_start | bring_up.start),
        ]

        # One timer for both.
        with m.If(bring_up.usable):
            m.d.comb += [
                timer.select.eq(Mux(in_flush | flush_start, flushing, moving)),
                timer.restart.eq(command.start | command.progress | delaying
                                 | ~(in_move | in_flush)),
            ]
        with m.Else():
            m.d.comb += [
                timer.select.eq(Mux(bring_up.identifying | bring_up.start, identifying,
                                    awaiting_signature)),
                timer.restart.eq(bring_up.waiting
                                 | (bring_up.identifying & command.progress)),
            ]

        error = status.error
        unusable_error = Signal(Error)
        with m.If(bring_up.failed):
            m.d.sync += unusable_error.eq(bring_up.failure)
            with m.If(~status.busy):
                m.d.sync += error.eq(bring_up.failure)

        m.submodules.recovery = recovery = Recovery(
            retries=config.retries, delay=config.clocks(config.retry_delay),
            timeout=config.clocks(config.recovery_timeout), skips=config.on_failure == "skip")
        changed = Signal()          # another drive since the operation began
        origin = Signal(48)
        with m.If(identity.checked & identity.differs):
            # A slower link is for the drive that needed it.
            m.d.sync += [changed.eq(1), self.phy.limit.eq(0)]
        with m.Elif(recovery.slower):
            m.d.sync += self.phy.limit.eq(recovery.slower_to)
        generation = Signal(2)      # that of the link while there was one
        with m.If(~lost):
            m.d.sync += generation.eq(self.phy.generation)
        m.d.comb += [
            recovery.begin.eq(stream.begin),
            recovery.writes.eq(writes),
            recovery.generation.eq(generation),
            recovery.flushing.eq(in_flush),
            recovery.succeeded.eq(succeeded & (in_move | in_flush)),
            recovery.usable.eq(~lost),
            recovery.unusable.eq(bring_up.unusable),
            recovery.judgement.eq(unusable_error),
            recovery.changed.eq(changed),
            recovery.lba.eq(extent.command_lba),
            recovery.sectors.eq(extent.command_sectors),
            recovery.interface.eq(command.status.err & command.error[ErrorBit.ICRC]),
            recovery.located.eq(command.status.err | command.status.df),
            recovery.error_lba.eq(status.error_lba),
            recovery.passed.eq(extent.sectors_done),
            recovery.origin.eq(origin),
            extent.rewind.eq(recovery.advance),
            extent.rewind_to.eq(recovery.advance_to),
            extent.credit.eq(recovery.credit),
            extent.again.eq(recovery.repeats),
            extent.again_sectors.eq(recovery.repeat_sectors),
            status.recovering.eq(in_recovery),
            status.cause.eq(recovery.last_cause),
            status.retries.eq(recovery.retries),
            status.skipped_sectors.eq(recovery.skipped),
        ]
        with m.If(recovery.slower):
            m.d.comb += bring_up.renew.eq(1)
        for name in ("stopped", "behind", "partial", "tainted", "settled", "mark_room",
                     "drained"):
            m.d.comb += getattr(recovery, name).eq(getattr(stream, name))
        m.d.comb += recovery.last.eq(extent.no_more)
        for name in "rewind", "repeat", "skip", "skip_sectors":
            m.d.comb += getattr(stream, name).eq(getattr(recovery, name))
        connect(m, recovery.mark, flipped(stream.mark))

        m.d.comb += status.busy.eq(1)
        m.d.sync += status.done.eq(0)
        clocks = Signal(range(max(self._clear_clocks, self._settle_clocks) + 1))
        m.d.sync += clocks.eq(clocks + 1)

        def finish(which):
            m.d.sync += [clocks.eq(0), error.eq(which)]
            m.next = "SETTLE"

        def fail(cause):
            m.d.comb += [recovery.failed.eq(1), recovery.cause.eq(cause)]
            m.next = "RECOVER"

        def failures():
            """How a command fails while it is in flight."""
            with m.If(lost):
                fail(Error.LINK_LOST)
            with m.Elif(command.done & ~succeeded):
                m.d.comb += [bring_up.renew.eq(command.needs_comreset),
                             recovery.idle.eq(~command.needs_comreset)]
                with m.Switch(command.result):
                    for result, which in _ERRORS.items():
                        with m.Case(result):
                            fail(which)
            with m.Elif(timer.expired):
                m.d.comb += bring_up.renew.eq(1)
                fail(Error.TIMEOUT)
            with m.Elif(stream.lost):
                m.d.comb += bring_up.renew.eq(1)
                fail(Error.PROTOCOL)

        def go_on():
            """The next command, or what comes after the last one."""
            with m.If(~extent.no_more):
                m.d.comb += next_command.eq(1)
                m.next = "MOVE"
            with m.Elif(operation == Operation.RECORD_FLUSH):
                m.d.comb += flush_start.eq(1)
                m.next = "FLUSH"
            with m.Elif(writes):
                finish(Error.NONE)
            with m.Else():
                m.next = "DELIVER"

        with m.FSM() as fsm:
            m.d.comb += [
                in_move.eq(fsm.ongoing("MOVE")),
                in_flush.eq(fsm.ongoing("FLUSH")),
                in_deliver.eq(fsm.ongoing("DELIVER")),
                in_recovery.eq(fsm.ongoing("RECOVER")),
                self.activity.clear.eq(fsm.ongoing("CHECK")),
                # What is wrong with the extent is known by then.
                stream.opening.eq(fsm.ongoing("CHECK") & writes & clocks[3:].any() & ~empty
                                  & ~extent.beyond),
                recovery.ended.eq(fsm.ongoing("SETTLE") & (clocks == 0)),
            ]

            with m.State("IDLE"):
                m.d.comb += [status.busy.eq(0), status.ready.eq(bring_up.usable)]
                with m.If(control.start):
                    m.d.comb += [extent.load.eq(1), stream.begin.eq(1)]
                    m.d.sync += [
                        flushes.eq(0),
                        ending.eq(Error.NONE),
                        operation.eq(control.operation),
                        origin.eq(control.lba),
                        empty.eq(control.sectors == 0),
                        moved.eq(0),
                        changed.eq(0),
                        clocks.eq(0),
                        error.eq(Error.NONE),
                    ]
                    with m.If(bring_up.usable):
                        m.next = "CHECK"
                    with m.Elif(bring_up.unusable):
                        m.d.sync += [error.eq(unusable_error), status.done.eq(1)]
                    with m.Else():
                        m.d.sync += [error.eq(Error.NOT_READY), status.done.eq(1)]

            with m.State("CHECK"):
                with m.If(clocks == self._clear_clocks):
                    with m.If(lost):
                        finish(Error.LINK_LOST)
                    with m.Elif(operation == Operation.FLUSH):
                        m.d.comb += flush_start.eq(1)
                        m.next = "FLUSH"
                    with m.Elif(empty):
                        finish(Error.ZERO_SECTORS)
                    with m.Elif(extent.beyond):
                        finish(Error.OUT_OF_RANGE)
                    # Stopped before there was anything to write: no more.
                    with m.Else():
                        go_on()

            with m.State("MOVE"):
                # A command that has succeeded cannot fail any more, whatever happens to the link.
                with m.If(succeeded & (~delay | extent.no_more) | delayed):
                    go_on()
                with m.Elif(~succeeded & ~delaying):
                    failures()

            with m.State("FLUSH"):
                m.d.sync += flushes.eq(1)
                with m.If(succeeded):
                    finish(Error.NONE)
                with m.Else():
                    failures()

            with m.State("RECOVER"):
                with m.If(recovery.surrender):
                    with m.If((operation == Operation.PLAY) & ~stream.tainted):
                        m.d.sync += ending.eq(recovery.error)
                        m.next = "DELIVER"
                    with m.Else():
                        finish(recovery.error)
                with m.If(recovery.again):
                    with m.If(flushes):
                        m.d.comb += flush_start.eq(1)
                        m.next = "FLUSH"
                    with m.Else():
                        go_on()

            # What is good is here, but not yet all of it with the user.
            with m.State("DELIVER"):
                with m.If(stream.drained):
                    finish(ending)

            with m.State("SETTLE"):
                with m.If(clocks == self._settle_clocks):
                    m.d.sync += status.done.eq(1)
                    m.next = "IDLE"
        return m

"""The core: the layers on top of each other, nothing else."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .command import Command
from .drive_port import DrivePort, LookPort, TrimPort
from ..interface import QUEUE, RECORDING, TASK, UserSignature
from .ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, Histograms, Ledger, LedgerTaps
from .link import Link
from ..bricks.pass_through import OPTIONS
from .phy import DwordPort
from .recorder import Recorder
from .sequencer import Sequencer
from .transport import Transport

__all__ = ["SataRecorder"]


def _groups(configuration):
    """The groups of the core itself; modes, which are above it, need its queue."""
    queue = {QUEUE} if RECORDING in configuration.groups else set()
    return configuration.groups & (OPTIONS | {QUEUE, TASK}) | queue


class SataRecorder(wiring.Component):
    """The recorder core between a user and a PHY.

    All outputs depend on the inputs through flops only.

    Parameters
    ----------
    configuration : Configuration
    taps : bool
        Another ledger can be connected.

    Members
    -------
    user : In(UserSignature)    The streams, and all control and status: see :mod:`.interface`.
    phy : Out(DwordPort)        The PHY.
    trim : In(TrimPort)         What is trimmed ahead of a recording, if the configuration says so.
    look : In(LookPort)         What is read between its commands, if the configuration says so.
    coming : In(1)              See :class:`.sequencer.Sequencer`; it is there with modes.
    taps : Out(LedgerTaps)      What each layer shows of its work; it is there if ``taps``.
    """

    def __init__(self, configuration, *, taps=False):
        self.configuration = configuration
        self._has_taps = taps
        super().__init__({
            **({"taps": Out(LedgerTaps())} if taps else {}),
            **({"trim": In(TrimPort())} if configuration.trim_ahead else {}),
            **({"look": In(LookPort())} if configuration.look_sectors else {}),
            **({"coming": In(1)} if configuration.extents == "modes" else {}),
            "user": In(UserSignature(*_groups(configuration))),
            "phy": Out(DwordPort()),
        })

    def elaborate(self, platform):
        m = Module()
        config = self.configuration
        queued = config.extents != "single"
        m.submodules.link = link = Link(
            send_cont=config.send_cont, sync_between_frames=config.sync_between_frames)
        m.submodules.transport = transport = Transport(
            results=config.commands or config.smart_commands > 0)
        m.submodules.command = command = Command(
            any_command=config.commands or config.smart_commands > 0,
            locates=config.long_logical_sectors)
        m.submodules.sequencer = sequencer = Sequencer(
            config, clear_clocks=CLEAR_CLOCKS, settle_clocks=SETTLE_CLOCKS)
        m.submodules.recorder = recorder = Recorder(
            depth=config.buffer_words, retain=config.retain_sectors > 0,
            port=DrivePort(queued=queued, long_sectors=config.long_logical_sectors,
                           looks=config.look_sectors > 0),
            skips=config.on_failure == "skip", drop=config.on_overflow == "drop",
            journal=config.journal, shows_stalls=config.histograms)

        # The user.
        user = flipped(self.user)
        connect(m, user.i, recorder.i)
        connect(m, recorder.o, user.o)
        connect(m, user.control, recorder.control)
        connect(m, user.status, sequencer.status)
        connect(m, user.identify, sequencer.identify)
        connect(m, user.counters, recorder.counters)
        connect(m, user.journal, recorder.journal)
        if config.pacing == "programmable":
            connect(m, user.pacing, sequencer.pacing)
        if queued:
            connect(m, user.queue, recorder.queue)
        if config.commands:
            connect(m, user.task, sequencer.task)
        if config.alignment:
            connect(m, user.alignment, sequencer.alignment)
        if config.long_logical_sectors:
            connect(m, user.sector, sequencer.sector)
        if config.smart_commands:
            connect(m, user.health, sequencer.health)
        if config.smart_temperature:
            connect(m, user.temperature, sequencer.temperature)
        if config.extents == "modes":
            m.d.comb += sequencer.coming.eq(self.coming)
        if config.trim_ahead:
            connect(m, flipped(self.trim), sequencer.trim)
        if config.look_sectors:
            connect(m, flipped(self.look), sequencer.look)
        m.d.comb += [self.user.last.eq(recorder.last), self.user.away.eq(sequencer.away)]

        # The layers.
        connect(m, recorder.port, sequencer.port)
        connect(m, sequencer.command, command.user)
        connect(m, command.transport, transport.user)
        connect(m, transport.send, link.send)
        connect(m, transport.receive, link.receive)
        if config.ledger:
            m.submodules.ledger = ledger = Ledger(
                trims=config.trim_ahead or config.look_sectors > 0, looks=config.look_sectors > 0)
            connect(m, user.ledger, ledger.user)
            m.d.comb += [
                ledger.link_activity.eq(link.activity),
                ledger.transport_activity.eq(transport.activity),
                ledger.command_activity.eq(command.activity),
                ledger.sequencer_activity.eq(sequencer.activity),
            ]
            if config.smart_commands or config.trim_ahead or config.look_sectors:
                # Behind an error of what is only asked there is no recovery.
                m.d.comb += ledger.command_activity.success.eq(
                    command.activity.success | sequencer.asks)
            if config.look_sectors:
                m.d.comb += ledger.look.eq(sequencer.look.reads)
            if config.smart_temperature:
                # The words of a log are no payload.
                m.d.comb += ledger.command_activity.complete.eq(
                    command.activity.complete | sequencer.activity.flush)
        if config.histograms:
            m.submodules.histograms = histograms = Histograms()
            connect(m, user.histogram, histograms.user)
            m.d.comb += [
                histograms.begins.eq(sequencer.port.command),
                histograms.completed.eq(sequencer.port.completed),
                histograms.stalls.eq(recorder.stalls),
            ]
        if self._has_taps:
            m.d.comb += [
                self.taps.link_activity.eq(link.activity),
                self.taps.transport_activity.eq(transport.activity),
                self.taps.command_activity.eq(command.activity),
                self.taps.sequencer_activity.eq(sequencer.activity),
            ]

        # The PHY.
        connect(m, link.phy, flipped(self.phy))
        connect(m, sequencer.phy, link.control)
        return m

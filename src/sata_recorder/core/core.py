"""The core: the layers on top of each other, nothing else."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..interface import (ALIGNMENT, HISTOGRAM, MEMORY, MEMORY_BUSES, PACING, PHY_STATUS, QUEUE, RECORDING, SECTOR,
                         STREAMS, TASK, UserSignature)
from ..interface.face import part
from ..interface.group import BareGroup
from .command import Command
from .drive_port import COMING, COMPLETE
from .ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, BookedCycle, Histograms, Ledger, LedgerTaps
from .link import Link
from .phy import DwordPort
from .recorder import MemoryShape, Recorder
from .sequencer import Sequencer, interjections
from .transport import Transport

__all__ = ["SataRecorder"]

#: The groups of the core itself; the groups of what comes between two commands are added to these.
_OWN = frozenset({ALIGNMENT, HISTOGRAM, MEMORY, *MEMORY_BUSES.values(), PACING, QUEUE, SECTOR, TASK})

#: The bit of ``queue.ahead`` that lets a command be longer than what is in the buffer by any number of sectors.
_ANY_AHEAD_BIT = 16


class SataRecorder(wiring.Component):
    """The recorder core between a user and a PHY.

    The outputs depend on the inputs through flops only, except ``user.link``, ``user.away``, ``user.phy_status`` and
    the ``ready`` of ``trim`` and ``look``.

    Latency: about 40 clocks from ``user.control.start`` to the first X_RDY at ``phy``, about 70 from the end of the
    last status to ``user.status.done``, plus one for each word that a playback still delivers (docs/latency.md).
    Rate: a word of 32 bits in each clock, as far as link and drive allow. To the drive it is a host of Serial ATA
    Revision 3.x (link and transport layers) and ATA8-ACS. An operation that fails ends with a code in
    ``user.status.error``.

    Parameters
    ----------
    configuration : Configuration
    taps : bool
        The activity of each layer is at ``taps``, for another ledger.
    phy_status : bool
        The PHY reports on itself: ``phy_status`` is there.
    aside : bool
        What is around the core has operations of its own: ``aside``, ``more`` and ``booked`` are there.

    Members
    -------
    user : In(UserSignature)    The streams, and all control and status: see :mod:`..interface`.
    phy : Out(DwordPort)        The PHY.
    trim : In(TrimPort), look : In(LookPort)    Ports of what comes between two commands, for a stage around the
                                core; they are present if the configuration has them.
    coming : In(Coming), complete : In(1)       See :class:`.sequencer.Sequencer`; the first is there with modes, the
                                second with files and ``on_failure`` = ``skip``.
    phy_status : Out(PHY_STATUS.signature)      What the PHY reports, for the user; it is there if ``phy_status``.
    taps : Out(LedgerTaps)      What each layer shows of its work; it is there if ``taps``.
    aside : In(1)               With ``user.control.start``: journal, ledger and histograms remain those of the
                                operation before.
    more : In(1)                With a queue: the recording does not end for want of sectors, but waits for those of
                                the queue.
    booked : Out(BookedCycle)   What the ledger books in this clock.
    """

    def __init__(self, configuration, *, taps=False, phy_status=False, aside=False):
        self.configuration = configuration
        self._aside = aside
        self._has_taps = taps
        self._kinds = interjections(configuration)
        self._between = [kind.group for kind in self._kinds if kind.group]
        #: The streams of its user.
        self.streams = STREAMS
        #: The groups for a stage around the core; its user does not see them.
        self.inner = [group for group in (COMING, COMPLETE, *self._between)
                      if isinstance(group, BareGroup) and group.exists(configuration)]
        # Modes, which are above the core, need its queue.
        own = configuration.groups & _OWN | ({QUEUE} if RECORDING in configuration.groups else set())
        #: The groups that its user has besides those of every core.
        self.groups = own | {*self._between}.difference(self.inner) | ({PHY_STATUS} if phy_status else set())
        super().__init__({
            **({"taps": Out(LedgerTaps())} if taps else {}),
            **({"aside": In(1), "more": In(1), "booked": Out(BookedCycle)} if aside else {}),
            **({"phy_status": Out(PHY_STATUS.signature)} if phy_status else {}),
            **{group.name: group.member.flip() for group in self.inner},
            "user": In(UserSignature(*self.groups)),
            "phy": Out(DwordPort()),
        })

    def elaborate(self, platform):
        m = Module()
        config = self.configuration
        queued = config.extents != "single"
        m.submodules.link = link = Link(
            send_cont=config.send_cont, sync_between_frames=config.sync_between_frames)
        m.submodules.sequencer = sequencer = Sequencer(
            config, clear_clocks=CLEAR_CLOCKS, settle_clocks=SETTLE_CLOCKS)
        results = config.commands or any(kind.wants_final for kind in self._kinds)
        m.submodules.transport = transport = Transport(results=results)
        m.submodules.command = command = Command(any_command=results, locates=config.long_logical_sectors)
        memory = MemoryShape(depth=config.buffered_words, width=config.memory_width, fifo=config.buffer_words,
                             base=config.memory_base) if config.memory else None
        m.submodules.recorder = recorder = Recorder(
            depth=config.buffered_words, memory=memory, retain=config.retain_sectors > 0,
            port=sequencer.port.signature.flip(),
            skips=config.on_failure == "skip", drop=config.on_overflow == "drop",
            journal=config.journal)

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
        if config.memory:
            connect(m, user.memory, recorder.memory)
            connect(m, user.m_axi, recorder.bus)
        if queued:
            self._queue(m, recorder.queue, sequencer.commanded)
        if config.commands:
            connect(m, user.task, sequencer.task)
            # The data of a COMMAND are shifted by a word that is lost.
            m.d.comb += recorder.waits.eq(sequencer.commanded)
        if config.alignment:
            connect(m, user.alignment, sequencer.alignment)
        if config.long_logical_sectors:
            connect(m, user.sector, sequencer.sector)
        if COMING in self.inner:
            m.d.comb += sequencer.coming.eq(self.coming)
        if COMPLETE in self.inner:
            m.d.comb += sequencer.complete.eq(self.complete)
        if PHY_STATUS in self.groups:
            connect(m, user.phy_status, flipped(self.phy_status))
        for group in self._between:
            connect(m, part(flipped(self) if group in self.inner else user, group), part(sequencer.groups, group))
        m.d.comb += [self.user.last.eq(recorder.last), self.user.away.eq(sequencer.away),
                     self.user.link.up.eq(self.phy.link_up), self.user.link.generation.eq(self.phy.generation)]

        # The layers.
        connect(m, recorder.port, sequencer.port)
        connect(m, sequencer.command, command.user)
        connect(m, command.transport, transport.user)
        connect(m, transport.send, link.send)
        connect(m, transport.receive, link.receive)
        if self._aside:
            m.d.comb += [recorder.aside.eq(self.aside), sequencer.more.eq(self.more)]
        if config.ledger:
            m.submodules.ledger = ledger = Ledger()
            connect(m, user.ledger, ledger.user)
            if self._aside:
                m.d.comb += self.booked.eq(ledger.booked)
            m.d.comb += [
                ledger.link_activity.eq(link.activity),
                ledger.transport_activity.eq(transport.activity),
                ledger.command_activity.eq(command.activity),
                ledger.sequencer_activity.eq(Mux(recorder.set_aside, 0, sequencer.activity)),
            ]
        if config.histograms:
            m.submodules.histograms = histograms = Histograms()
            connect(m, user.histogram, histograms.user)
            m.d.comb += [
                histograms.begins.eq(sequencer.port.command),
                histograms.completed.eq(sequencer.port.completed & ~recorder.set_aside),
                histograms.stalls.eq(recorder.stalls & ~recorder.set_aside if self._aside else recorder.stalls),
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

    def _queue(self, m, queue, commanded):
        """Connects the user's queue to the recorder's. COMMAND takes no extent from it, and is one command however
        few of its words have come."""
        user = self.user.queue
        m.d.comb += [
            queue.valid.eq(user.valid & ~commanded), user.ready.eq(queue.ready & ~commanded),
            queue.lba.eq(user.lba), queue.sectors.eq(user.sectors),
            queue.ahead.eq(user.ahead | commanded << _ANY_AHEAD_BIT), user.begun.eq(queue.begun),
        ]

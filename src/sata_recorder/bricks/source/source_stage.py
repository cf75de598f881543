"""The stream of a source, of any width and in a clock of its own."""

from amaranth.hdl import ClockDomain, ClockSignal, DomainRenamer, Module, Mux, ResetSignal, Signal
from amaranth.lib import data, stream
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer
from amaranth.lib.wiring import connect

from ...interface import (CONTROL, FILE, FILE_END, PACKET_END, RECORDING, SOURCE, SOURCE_CLOCK, SOURCE_ENDS,
                          SOURCE_LOSS, SOURCE_STREAMS, SOURCE_TRIGGER, STATUS, STREAM_IN)
from ...interface.file import FileState
from ...interface.group import WORD
from ..clock_crossing import ClockCrossing
from ..stage import Stage, StageRow
from .beat_marker import BeatMarker
from .beat_packer import BeatPacker
from .word_splitter import WordSplitter

__all__ = ["SourceStage"]

_DOMAIN = "source"


class SourceStage(Stage):
    """Turns beats of 8 to 128 bits, which may have a clock of their own, into words in the core's clock.

    A trigger, a pulse, a stop and the end of a file travel with the beat beside which they come, and reach the core
    with its words, however long these wait. They count from 2 clocks of the core and 4 of the source after the
    start of a recording to its end. Beats that a recording leaves are the first ones of the next, unless the source
    does not wait (``source_waits`` is false): then they are dropped, and beats that find no room within a recording
    are counted.

    Latency: 1 clock in the core's clock, 2 for beats of 8 and 16 bits; with a clock of their own see
    :class:`..clock_crossing.ClockCrossing`. Rate: a word in each clock of the core.

    Parameters
    ----------
    configuration : Configuration   ``source_width`` is not 32, or ``source_clock`` is true.

    Members
    -------
    user : In(Face)     The user, with the stream of the source.
    core : Out(Face)    The recorder, with a stream of 32 bits.

    A simulation sees ``source_flowing``: high while a recording takes words, after it has been ready for the first one.
    """

    row = StageRow(
        "source",
        adds={*SOURCE_STREAMS.values(), *SOURCE_ENDS.values(), SOURCE, SOURCE_TRIGGER, SOURCE_CLOCK, SOURCE_LOSS},
        takes={STREAM_IN, FILE_END}, claims={CONTROL, STATUS, RECORDING, FILE, PACKET_END},
        below={"source_width": WORD, "source_clock": False, "source_waits": True})

    def __init__(self, configuration, beside=()):
        super().__init__(configuration, beside)
        self.watched = {"source_flowing": Signal(name="flowing")}

    def elaborate(self, platform):
        m = Module()
        config, user, core = self.configuration, self.user, self.core
        counts = not config.source_waits
        width = max(WORD, config.source_width)
        marker = BeatMarker(config.source_width, counts=counts)
        opened = Signal()           # no reset
        m.submodules.splitter = splitter = WordSplitter(width, counts=counts)
        self.hand_on(m, STATUS)
        self.hand_on(m, CONTROL, but=("stop",))
        self.hand_on(m, FILE, but=("stop",))
        self.hand_on(m, RECORDING, but=("trigger", "pps"))
        m.d.comb += [
            marker.i.payload.eq(user.i.payload), marker.i.valid.eq(user.i.valid & opened),
            user.i.ready.eq(marker.i.ready & opened), marker.stop.eq(user.source.stop), marker.keep.eq(~0),
            core.i.payload.eq(splitter.o.payload), core.i.valid.eq(splitter.o.valid),
            splitter.o.ready.eq(core.i.ready), core.control.stop.eq(user.control.stop | splitter.stop),
        ]
        begins, ended = core.control.start & ~core.status.busy & core.control.operation[0], core.status.done
        if FILE in self.below:
            released = core.file.state == FileState.RELEASED
            filed = Signal()        # the recording becomes a file
            begins = Mux(released, begins, core.file.start & ~core.file.busy)
            with m.If(begins):
                m.d.sync += filed.eq(~released)
            ended = Mux(filed, core.file.done, ended)
            m.d.comb += [
                marker.last.eq(user.file_end.last), core.file.stop.eq(user.file.stop | splitter.stop),
                core.file_end.last.eq(splitter.last), core.file_end.keep.eq(splitter.keep),
            ]
            with m.If(user.file_end.last):
                m.d.comb += marker.keep.eq(user.file_end.keep)
        if PACKET_END in self.below:
            m.d.comb += [marker.last.eq(user.packet_end.last), core.packet_end.last.eq(splitter.last)]
        if RECORDING in self.below:
            triggered = Signal()
            m.d.sync += triggered.eq(user.recording.trigger)
            m.d.comb += [
                marker.trigger.eq(user.source_trigger.trigger), marker.pps.eq(user.source_trigger.pps),
                # An edge: the user's pin may stay high.
                core.recording.trigger.eq((user.recording.trigger & ~triggered) | splitter.trigger),
                core.recording.pps.eq(user.recording.pps | splitter.pps),
            ]
        active = Signal()           # a recording runs
        flowing = self.watched["source_flowing"]
        with m.If(begins):
            m.d.sync += [active.eq(1), flowing.eq(0)]
        with m.Elif(ended):
            m.d.sync += [active.eq(0), flowing.eq(0)]
        with m.Elif(active & core.i.ready):
            m.d.sync += flowing.eq(1)
        m.d.comb += [splitter.active.eq(active), splitter.flowing.eq(flowing), splitter.ended.eq(active & ended)]
        if counts:
            self._loss(m, splitter, begins)
        known = (active, marker.active), (splitter.number, marker.number)
        self._cross(m, marker, splitter, known, opened)
        return m

    def _cross(self, m, marker, splitter, known, opened):
        """From the source to the words, through a FIFO if it has a clock of its own."""
        config = self.configuration
        rename = DomainRenamer(_DOMAIN if config.source_clock else "sync")
        m.submodules.marker = rename(marker)
        beats = marker.o
        if config.source_width < WORD:
            packer = BeatPacker(config.source_width, counts=not config.source_waits)
            m.submodules.packer = rename(packer)
            connect(m, marker.o, packer.i)
            beats = packer.o
        same = self._same()
        carried = data.StructLayout({name: shape for name, shape in beats.payload.shape().members.items()
                                     if name not in same})
        if not config.source_clock:
            m.d.comb += [opened.eq(~ResetSignal("sync")), *(seen.eq(signal) for signal, seen in known)]
            held = stream.Signature(carried).create()
            self._hold(m, beats, held)
            self._give(m, held, splitter.i, same)
            return
        m.domains += ClockDomain(_DOMAIN, local=True)
        m.d.comb += ClockSignal(_DOMAIN).eq(self.user.source_clock.clk)
        m.submodules.reset = ResetSynchronizer(ResetSignal("sync"), domain=_DOMAIN)
        for signal, seen in known:
            m.submodules[f"{signal.name}_synchronizer"] = FFSynchronizer(signal, seen, o_domain=_DOMAIN)
        m.submodules.crossing = crossing = ClockCrossing(
            carried, config.source_depth, writer=_DOMAIN, reader="sync", cut=True)
        m.d.comb += opened.eq(crossing.opened)
        self._give(m, beats, crossing.i)
        self._give(m, crossing.o, splitter.i, same)

    def _same(self):
        """Fields that are the same in all beats, as nothing here drives them: they need not be carried."""
        same = {}
        if FILE not in self.below:
            same["keep"] = ~0
        if FILE not in self.below and PACKET_END not in self.below:
            same["last"] = 0
        if RECORDING not in self.below:
            same |= {"trigger": 0, "pps": 0}
        return same

    def _give(self, m, beats, taker, same=()):
        """Gives ``beats`` to a ``taker``, which may have fewer fields, or more: those that are the ``same`` in all."""
        m.d.comb += [taker.valid.eq(beats.valid), beats.ready.eq(taker.ready),
                     *(taker.payload[name].eq(same[name] if name in same else beats.payload[name])
                       for name in taker.payload.shape().members)]

    def _hold(self, m, beats, held):
        """A register: a beat has come as a whole before its first word goes."""
        full = Signal()
        m.d.comb += [held.valid.eq(full), beats.ready.eq(~full | held.ready)]
        with m.If(beats.ready):
            m.d.sync += [full.eq(beats.valid), *(held.payload[name].eq(beats.payload[name])
                                                 for name in held.payload.shape().members)]

    def _loss(self, m, splitter, begins):
        """What the source has lost because there was no room."""
        user, core = self.user.source_loss, self.core
        whole = Signal()            # nothing is lost yet
        # A clock late: the path from the ready of the core to here is long.
        taken, lost = Signal(), Signal.like(splitter.lost)
        m.d.sync += [taken.eq(core.i.valid & core.i.ready), lost.eq(splitter.lost)]
        with m.If(begins):
            m.d.sync += [user.lost.eq(0), user.intact.eq(0), whole.eq(1)]
        with m.Else():
            m.d.sync += [user.lost.eq(user.lost + lost), whole.eq(whole & (lost == 0))]
            with m.If(whole & (lost == 0)):
                m.d.sync += user.intact.eq(user.intact + taken)

"""Several streams are one recording in frames."""

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib.wiring import connect, flipped

from ...interface import CHANNEL, CHANNEL_STREAMS, CONTROL, FILE, FILE_END, FRAME, PACKET_END, STATUS, STREAM_IN
from ...interface.face import part
from ...interface.file import FileState
from ...interface.group import WORD
from ..stage import Stage, StageRow
from .channel_multiplexer import ChannelMultiplexer

__all__ = ["ChannelStage"]


class ChannelStage(Stage):
    """Gives the packets of several channels to the frames of a recording: a packet each, which has its channel.

    Each recording has frames. Channels are taken from the first clock in which the recording takes words, and begin
    with no word of another one. ``stop`` ends it once each channel has given what it has, in a last packet. A recording
    that ends by itself has no such packets; ``channel.left`` counts the words that are not in it.

    Latency: see :class:`.channel_multiplexer.ChannelMultiplexer`.

    Parameters
    ----------
    configuration : Configuration   ``channels`` is more than 1.

    Members
    -------
    user : In(Face)     The user, with a stream for each channel.
    core : Out(Face)    The recorder, with packets in frames.
    """

    row = StageRow(
        "channels", adds={CHANNEL, *CHANNEL_STREAMS.values()}, takes={STREAM_IN, PACKET_END, FILE_END},
        claims={CONTROL, STATUS, FILE, FRAME},
        below={"channel_width": WORD, "channel_waits": True})

    def elaborate(self, platform):
        m = Module()
        config, user, core = self.configuration, self.user, self.core
        depth = 1 << (2 * config.channel_words - 1).bit_length()
        multiplexer = ChannelMultiplexer(channels=config.channels, width=config.channel_width,
                                         words=config.channel_words, depth=depth, waits=config.channel_waits)
        begins = core.control.start & ~core.status.busy & core.control.operation[0]
        ended, stop = core.status.done, user.control.stop
        self.hand_on(m, STATUS)
        self.hand_on(m, CONTROL, but=("stop",))
        self.hand_on(m, FILE, but=("stop",))
        self.hand_on(m, FRAME, but=("enable",))
        active, flowing, stopping = Signal(), Signal(), Signal()
        passes = Signal()           # the stop goes to the recorder
        if FILE in self.below:
            released = core.file.state == FileState.RELEASED
            filed = Signal()        # the recording becomes a file
            begins = Mux(released, begins, core.file.start & ~core.file.busy)
            with m.If(begins):
                m.d.sync += filed.eq(~released)
            ended, stop = Mux(filed, core.file.done, ended), Mux(filed, user.file.stop, stop)
            m.d.comb += [core.file.stop.eq(Mux(active, passes & filed, user.file.stop)), core.file_end.keep.eq(~0)]
        m.submodules.multiplexer = ResetInserter(begins)(multiplexer)
        for number in range(config.channels):
            beats = part(flipped(self.user), CHANNEL_STREAMS[number, config.channel_width])
            connect(m, beats, multiplexer.i[number])
        m.d.comb += [
            core.frame.enable.eq(1),
            core.i.payload.eq(multiplexer.o.payload), core.i.valid.eq(multiplexer.o.valid & active),
            multiplexer.o.ready.eq(core.i.ready & active), core.packet_end.last.eq(multiplexer.last),
            multiplexer.enable.eq(active & flowing & ~stopping), multiplexer.flush.eq(stopping),
            passes.eq(stopping & multiplexer.flushed),
            core.control.stop.eq(Mux(active, passes, user.control.stop)),
            multiplexer.select.eq(user.channel.select), user.channel.lost.eq(multiplexer.lost),
            user.channel.left.eq(multiplexer.left),
        ]
        with m.If(begins):
            m.d.sync += [active.eq(1), flowing.eq(0), stopping.eq(0)]
        with m.Elif(ended):
            m.d.sync += [active.eq(0), flowing.eq(0), stopping.eq(0)]
        with m.Elif(active):
            m.d.sync += [flowing.eq(flowing | core.i.ready), stopping.eq(stopping | stop)]
        return m

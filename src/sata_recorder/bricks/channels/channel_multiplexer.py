"""Packets of one channel after the other."""

from amaranth.hdl import Array, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...interface.group import WORD
from .channel_arbiter import ChannelArbiter
from .channel_input import ChannelInput

__all__ = ["ChannelMultiplexer"]


class ChannelMultiplexer(wiring.Component):
    """Gives the beats of several streams as packets of words, see :class:`.channel_arbiter.ChannelArbiter`.

    Reset begins a recording.

    Parameters
    ----------
    channels : int      How many.
    width : int         Bits of a beat: 8, 16 or 32.
    words : int         Of a packet.
    depth : int         Words of the FIFO of each channel.
    waits : bool        See :class:`.channel_input.ChannelInput`.

    Members
    -------
    i : In(stream width), one for each channel
    enable : In(1)      Beats are taken.
    flush : In(1)       Not together with ``enable``, and until ``flushed``: the channels end.
    flushed : Out(1)    They have ended.
    o : Out(stream 32)
    last : Out(1)       With ``o.valid``: the word is the last one of a packet.
    select : In(4)      The channel of ``lost`` and ``left``.
    lost : Out(32)      Words that were lost.
    left : Out(16)      Words that have not gone.
    """

    def __init__(self, *, channels, width, words, depth, waits):
        self._arbiter = ChannelArbiter(channels=channels, words=words)
        self._inputs = [ChannelInput(width, depth, waits=waits) for _ in range(channels)]
        super().__init__({
            "i": In(stream.Signature(width)).array(channels),
            "enable": In(1), "flush": In(1), "flushed": Out(1), "o": Out(stream.Signature(WORD)), "last": Out(1),
            "select": In(4), "lost": Out(WORD), "left": Out(16)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.arbiter = arbiter = self._arbiter
        for number, one in enumerate(self._inputs):
            m.submodules[f"input{number}"] = one
            connect(m, flipped(self.i[number]), one.i)
            connect(m, one.o, arbiter.i[number])
            m.d.comb += [one.enable.eq(self.enable), one.flush.eq(self.flush)]
        connect(m, arbiter.o, flipped(self.o))
        m.d.comb += [arbiter.flush.eq(self.flush), self.flushed.eq(arbiter.flushed), self.last.eq(arbiter.last)]
        self._tell(m)
        return m

    def _tell(self, m):
        """What became of the selected channel."""
        inputs = self._inputs
        number = Signal(4)
        m.d.comb += number.eq(Mux(self.select < len(inputs), self.select, 0))
        selected = Array(inputs)[number]
        m.d.sync += [self.lost.eq(selected.o.lost), self.left.eq(selected.o.level + ~selected.o.whole)]

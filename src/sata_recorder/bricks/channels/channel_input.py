"""The beats of a channel as words in a FIFO."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...core.block_fifo import BlockFifo
from ...interface.group import WORD
from .channel_arbiter import WaitingWords

__all__ = ["ChannelInput"]


class ChannelInput(wiring.Component):
    """Packs beats into words, the first one into the lowest bits, and keeps them until they are read.

    Latency: 2 clocks from the beat that completes a word. Rate: a beat a clock.

    Parameters
    ----------
    width : int         Bits of a beat: 8, 16 or 32.
    depth : int         Words of the FIFO: a power of two.
    waits : bool        A beat waits while there is no room. If not, a word that finds none is lost, and so are all
                        that follow until ``settle``.

    Members
    -------
    i : In(stream width)
    enable : In(1)      Beats are taken.
    flush : In(1)       Not together with ``enable``: what there is of a word becomes one, filled with zeros.
    o : Out(WaitingWords)       ``level``: words in the FIFO. ``whole``: no word has begun. ``spare``: after ``flush``,
                        bytes of the last word that are filled. ``lost``: words that were lost, this clock's with them.
                        ``shut``: words are being lost; with ``settle`` from the next clock on they are not.
    """

    def __init__(self, width, depth, *, waits):
        self._width, self._depth, self._waits = width, depth, waits
        super().__init__({
            "i": In(stream.Signature(width)), "enable": In(1), "flush": In(1), "o": Out(WaitingWords())})

    def elaborate(self, platform):
        m = Module()
        # Its output register holds one more: the memory is a power of two.
        m.submodules.fifo = fifo = BlockFifo(width=WORD, depth=self._depth + 1)
        beats = WORD // self._width
        puts = Signal()             # a word is complete
        completes = Signal()        # the next beat completes it
        shut, lost = Signal(), Signal(WORD)
        room = fifo.w_rdy & ~shut
        enters = self.i.valid & self.i.ready
        connect(m, fifo.r_stream, flipped(self.o.words))
        m.d.comb += [
            self.i.ready.eq(self.enable & (~completes | room) if self._waits else self.enable),
            fifo.w_en.eq(puts & room), self.o.level.eq(fifo.level), self.o.shut.eq(shut),
            self.o.lost.eq(lost + (puts & ~room) if not self._waits else 0),
        ]
        if not self._waits:
            m.d.sync += lost.eq(self.o.lost)
            with m.If(self.o.settle):
                m.d.sync += shut.eq(0)
            with m.Elif(puts & ~room):
                m.d.sync += shut.eq(1)
        if beats == 1:
            m.d.comb += [completes.eq(1), puts.eq(enters), fifo.w_data.eq(self.i.payload), self.o.whole.eq(1)]
            return m
        place = Signal(range(beats))
        word = Signal(WORD)         # its beats so far, and zeros
        rest = self.flush & (place != 0)
        m.d.comb += [
            completes.eq(place == beats - 1), self.o.whole.eq(place == 0),
            puts.eq((enters & completes) | rest),
            fifo.w_data.eq(Mux(rest, word, Cat(word[:WORD - self._width], self.i.payload))),
        ]
        with m.If(rest & (room if self._waits else 1)):
            m.d.sync += [place.eq(0), self.o.spare.eq(Mux(room, WORD // 8 - place * (self._width // 8), 0))]
        with m.Elif(enters):
            m.d.sync += [place.eq(place + 1), word.word_select(place, self._width).eq(self.i.payload)]
            with m.If(completes):
                m.d.sync += word.eq(0)
        return m

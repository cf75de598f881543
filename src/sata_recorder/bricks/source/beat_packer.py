"""Short beats as words."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...interface.group import WORD
from .beat import beat_layout

__all__ = ["BeatPacker"]


class BeatPacker(wiring.Component):
    """Puts beats of 8 or 16 bits into words, the first one into the lowest bits.

    A word that a stop or the end of a file leaves incomplete is filled with zeros. What happens within a word
    belongs to it: a trigger or a pulse comes before the word that has its beat. A boundary within a word comes before
    it; of sources that do not wait it begins a new one.

    Parameters
    ----------
    width : int         8 or 16.
    counts : bool       See :func:`.beat.beat_layout`.

    Members
    -------
    i : In(stream of beats of ``width`` bits)
    o : Out(stream of beats of 32 bits)     Latency: a clock from the beat that completes a word.
    """

    def __init__(self, width, *, counts):
        self._width, self._counts = width, counts
        super().__init__({"i": In(stream.Signature(beat_layout(width, counts=counts))),
                          "o": Out(stream.Signature(beat_layout(WORD, counts=counts)))})

    def elaborate(self, platform):
        m = Module()
        width, beat, o = self._width, self.i.payload, self.o
        word = Signal.like(o.payload)
        place = Signal(range(WORD // width))    # of the next beat in the word
        complete = Signal()
        base = Signal.like(word)                # what the beat is added to
        at = Signal.like(place)
        ends = at.all() | beat.stop | beat.last
        m.d.comb += [
            o.payload.eq(word), o.valid.eq(complete),
            self.i.ready.eq(~complete | o.ready),
            at.eq(Mux(beat.boundary, 0, place) if self._counts else place),
            base.eq(Mux(at == 0, 0, word)),
        ]
        with m.If(complete & o.ready):
            m.d.sync += complete.eq(0)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [
                word.eq(base), word.has_data.eq(base.has_data | beat.has_data),
                # What was before a boundary is over.
                word.trigger.eq((base.trigger & ~beat.boundary) | beat.trigger),
                word.pps.eq((base.pps & ~beat.boundary) | beat.pps),
                word.stop.eq(beat.stop), word.last.eq(beat.has_data & beat.last),
                word.boundary.eq(base.boundary | beat.boundary),
                word.number.eq(Mux(beat.boundary, beat.number, base.number)),
                # Nothing waits for the rest of a word that has not begun.
                complete.eq(beat.stop | Mux(beat.has_data, ends, at == 0)),
            ]
            if self._counts:
                m.d.sync += word.lost.eq(base.lost + beat.lost)
            with m.If(beat.has_data):
                m.d.sync += [
                    word.data.word_select(at, width).eq(beat.data),
                    word.keep.word_select(at, width // 8).eq(beat.keep),
                    place.eq(Mux(ends, 0, at + 1)),
                ]
            with m.Elif(beat.stop | (at == 0)):
                m.d.sync += place.eq(0)
        return m

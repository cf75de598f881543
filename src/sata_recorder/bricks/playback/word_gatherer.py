"""Words as long beats, in the clock of the core."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...interface.group import WORD
from .played_beat import played_layout

__all__ = ["WordGatherer"]

#: Clocks of the core in which ``discards`` is seen before a beat that was written after it.
_REST = 4


class WordGatherer(wiring.Component):
    """Puts the words of a playback into beats, the first one into the lowest bits, and ends each playback with a beat
    that has ``last``.

    A playback that ends otherwise than with its last word, after a failure or a stop, ends with the words that a beat
    has by then, or with a beat without a word. Beats that were given before a stop are to be dropped: ``discards`` is
    high until all of them have gone. Words that come meanwhile are dropped, too, until the operation has ended; those
    of the next one wait.

    Parameters
    ----------
    width : int         Bits of a beat, 32 or more.

    Members
    -------
    i : In(stream 32), last : In(1)     The playback; with ``i.valid``: its last word.
    room : In(1)        Beats that complete in this clock and the next ones will be taken: the core's way from
                        ``i.ready`` is long.
    busy : In(1)        An operation of the user runs, of any kind.
    done : In(1)        It ends in this clock.
    stop : In(1)        A stop of what is played back, in this clock.
    resumed : In(1)     It changes with each beat that has ``resumes`` once this and all before it have gone.
    discards : Out(1)
    o : Out(stream of beats)    Latency: a clock from the word that completes a beat. A word in each clock.
    """

    def __init__(self, width):
        self._words = width // WORD
        super().__init__({
            "i": In(stream.Signature(WORD)), "last": In(1), "room": In(1), "busy": In(1), "done": In(1), "stop": In(1),
            "resumed": In(1), "discards": Out(1), "o": Out(stream.Signature(played_layout(width)))})

    def elaborate(self, platform):
        m = Module()
        words, beat, o = self._words, self.o.payload, self.o
        full = Signal()
        index = Signal(range(words))
        playing = Signal()          # words have come, and not the last one
        ends = Signal()             # the end of an operation is to be marked
        marked = Signal()           # that of the one that was stopped has been
        known = Signal()            # ``resumed``, a clock ago
        rests = Signal(_REST)       # ``discards`` has just fallen
        free = Signal()             # of the beat
        takes = Signal()
        m.d.comb += [
            o.valid.eq(full), free.eq(~full | o.ready),
            # What comes between a stop and the end of its operation is nobody's.
            self.i.ready.eq(~ends & Mux(self.discards, ~marked, self.room & ~rests.any())),
            takes.eq(self.i.valid & self.i.ready & ~self.discards),
        ]
        m.d.sync += rests.eq(rests << 1)
        with m.If(o.ready):
            m.d.sync += full.eq(0)
        with m.If(takes):
            for number in range(words):
                with m.If(index == number):
                    m.d.sync += [beat.data.word_select(number, WORD).eq(self.i.payload),
                                 beat.keep.eq((2 << number) - 1)]
            m.d.sync += [
                index.eq(Mux(self.last | (index == words - 1), 0, index + 1)),
                beat.last.eq(self.last), beat.cut.eq(0), beat.resumes.eq(0),
                full.eq(self.last | (index == words - 1)), playing.eq(~self.last),
            ]
        with m.Elif(ends & free):
            with m.If(index == 0):
                m.d.sync += beat.keep.eq(0)
            m.d.sync += [
                beat.last.eq(playing), beat.cut.eq(playing), beat.resumes.eq(self.discards), full.eq(1),
                ends.eq(0), index.eq(0), playing.eq(0), marked.eq(self.discards),
            ]
        with m.If(self.stop & ~self.discards):
            m.d.sync += [self.discards.eq(1), ends.eq(ends | ~self.busy)]
        # The last word of an operation comes before its end. One that was stopped has one end.
        with m.If(self.done & (playing | self.discards | self.stop) & ~marked & ~(ends & free)):
            m.d.sync += ends.eq(1)
        m.d.sync += known.eq(self.resumed)
        with m.If(marked & ~full & (known != self.resumed)):
            m.d.sync += [self.discards.eq(0), marked.eq(0), rests.eq(1)]
        return m

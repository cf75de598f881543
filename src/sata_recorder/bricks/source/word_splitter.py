"""Long beats as words, in the clock of the core."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...interface.group import WORD
from .beat import LOST_BITS, beat_layout
from .recording_boundary import NUMBER_BITS, RecordingBoundary

__all__ = ["WordSplitter"]


class WordSplitter(wiring.Component):
    """Gives the words of each beat, the lowest bits first, and what happens beside them in the clock in which it is to
    happen for the core.

    A beat with ``last`` gives only the words that have bytes of the file. Triggers and words wait for ``flowing``. A
    beat with a trigger takes a clock more, and so does one with a boundary.

    Parameters
    ----------
    width : int         Bits of a beat, 32 or more.
    counts : bool       Beats that find no room are lost. Then beats are also dropped while ``flowing`` is low, and up
                        to the boundary of the recording before, so that no recording begins with old ones.

    Members
    -------
    i : In(stream of beats)
    active : In(1)      A recording runs.
    flowing : In(1)     It takes words.
    ended : In(1)       A recording ends in this clock.
    number : Out(4)     See :class:`.recording_boundary.RecordingBoundary`.
    o : Out(stream 32)
    last : Out(1), keep : Out(4)        With ``o.valid``: the file ends with the word, which has these bytes of it.
    trigger : Out(1)    For one clock, before the first word of a beat is accepted, or in that clock; low before the
                        next. It comes only if ``flowing`` was high in the clock before.
    pps : Out(1)        High before the first word of a beat is accepted, or in that clock; low before the next rising
                        edge.
    stop : Out(1)       For one clock, in which the last word of a beat may be accepted.
    lost : Out(40)      For one clock: as many beats were lost between two that have gone to the core.
    """

    def __init__(self, width, *, counts):
        self._words, self._counts = width // WORD, counts
        super().__init__({
            "i": In(stream.Signature(beat_layout(width, counts=counts))),
            "active": In(1), "flowing": In(1), "ended": In(1), "number": Out(NUMBER_BITS),
            "o": Out(stream.Signature(WORD)), "last": Out(1), "keep": Out(WORD // 8),
            "trigger": Out(1), "pps": Out(1), "stop": Out(1), "lost": Out(LOST_BITS)})

    def elaborate(self, platform):
        m = Module()
        words, beat, o = self._words, self.i.payload, self.o
        index = Signal(range(words))
        there = Signal()            # there is a beat
        final = Signal()            # the word is the last one of it
        drops = Signal()
        ends = Signal()             # nothing of the beat is left
        known = Signal()            # what happens is of the recording that runs
        first = Signal(init=1) if words > 1 else C(1)      # ``index`` is 0
        m.submodules.boundary = boundary = RecordingBoundary()
        asks = Signal()             # the beat's trigger comes in the next clock
        told = Signal()             # ... has come, or comes
        parts = Signal()            # the beat's boundary passes in this clock
        parted = Signal()           # ... has passed
        fired = Signal()            # a pulse ended a clock ago: the line must be low once
        free = told | ~beat.trigger | ~first
        m.d.comb += [
            parts.eq(self.i.valid & beat.boundary & ~parted),
            there.eq(self.i.valid & (parted | ~beat.boundary) & ~(first & fired & beat.pps)),
            asks.eq(there & ~free & self.flowing),
            boundary.ended.eq(self.ended), self.number.eq(boundary.number),
            boundary.boundary.eq(parts), boundary.boundary_number.eq(beat.number),
            known.eq(self.active & ~boundary.old),
            drops.eq((~self.flowing | boundary.old) if self._counts else 0),
            o.payload.eq(beat.data.word_select(index, WORD)),
            o.valid.eq(there & beat.has_data & self.flowing & ~drops & free),
            self.keep.eq(beat.keep.word_select(index, WORD // 8)), self.last.eq(beat.last & final),
            # A trigger alone waits for a recording that has begun.
            ends.eq(there & (drops | Mux(beat.has_data, o.ready & final & self.flowing & free, free | ~known))),
            self.i.ready.eq(ends),
            self.pps.eq(there & beat.pps & first),
            self.stop.eq(ends & beat.stop & known),
        ]
        left = beat.keep >> (WORD // 8)     # the bytes of the words after this one
        for number in range(words):
            with m.If(index == number):
                m.d.comb += final.eq(number == words - 1 or (
                    beat.last & ~left[number * WORD // 8:].any()))
        begun = there & first & (ends | (o.valid & o.ready))
        m.d.sync += [self.trigger.eq(asks & known), told.eq((told | asks) & ~begun), fired.eq(begun & beat.pps),
                     parted.eq((parted | parts) & ~ends)]
        with m.If(ends):
            m.d.sync += index.eq(0)
        with m.Elif(o.valid & o.ready):
            m.d.sync += index.eq(index + 1)
        if words > 1:
            m.d.sync += first.eq(ends | (first & ~(o.valid & o.ready)))
        if self._counts:
            started = Signal()      # a word of this recording has gone: what is lost now is a gap
            m.d.sync += started.eq(self.flowing & (started | (o.valid & o.ready)))
            m.d.comb += self.lost.eq(Mux(begun & started & ~drops & ~self.ended, beat.lost, 0))
        return m

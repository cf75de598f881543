"""What is counted while an operation runs."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import SECTOR_SHIFT

__all__ = ["StallMeter", "WordCounter"]


class WordCounter(wiring.Component):
    """Counts the words that pass the user's side, and marks the last one.

    Parameters
    ----------
    depth : int             words in the buffer
    queued : bool           whether the extent can become longer: whether ``extend`` counts

    Members
    -------
    begin : In(1)           an operation begins
    sectors : In(48)        with ``begin``: the length of its extent
    moves : In(1)           a word passes
    waits : In(1)           a word of the extent waits: for room, or for the user to take it
    held : In               words in the buffer, with those that are kept for a replay
    last : Out(1)           the word that passes next is the last one of the extent
    complete : Out(1)       all words of the extent have passed
    words : Out(48)         words that have passed
    high_water : Out(16)    the most words that the buffer held; 65,535 if there were more
    held_cycles : Out(48)   clocks in which a word waited; a clock late
    extend : In(1)          the extent becomes longer; not sooner than 2 clocks after ``begin`` or
                            ``extend``. From the next clock on ``complete`` is low, but ``last`` is
                            valid 2 clocks later only
    more : In(48)           with ``extend``: by this many sectors, at least 1
    """

    def __init__(self, *, depth, queued=False):
        self._queued = queued
        super().__init__({
            "begin": In(1), "sectors": In(48), "moves": In(1), "waits": In(1),
            "held": In(range(depth + 2)),
            "last": Out(1), "complete": Out(1),
            "words": Out(48), "high_water": Out(16), "held_cycles": Out(48),
            "extend": In(1), "more": In(48),
        })

    def elaborate(self, platform):
        m = Module()
        final_sector = Signal(48)
        words = Signal(48 + SECTOR_SHIFT)      # of any extent there can be
        final = Signal()                       # the words are those of the last sector
        m.d.comb += [
            self.words.eq(words),
            self.last.eq(final & words[:SECTOR_SHIFT].all()),
        ]
        # A clock late, which does no harm: it changes only between two sectors.
        m.d.sync += final.eq(words[SECTOR_SHIFT:] >= final_sector)
        # What is known late in a clock enables a sum that is there already.
        waited = Signal()
        m.d.sync += waited.eq(self.waits & ~self.begin)
        with m.If(self.begin):
            m.d.sync += [
                final_sector.eq(self.sectors - 1),
                words.eq(0),
                self.complete.eq(0),
                self.high_water.eq(0),
                self.held_cycles.eq(0),
            ]
        with m.Else():
            with m.If(self.moves):
                m.d.sync += words.eq(words + 1)
            with m.If(waited):
                m.d.sync += self.held_cycles.eq(self.held_cycles + 1)
            m.d.sync += [
                self.complete.eq(self.complete | (self.moves & self.last)),
                self.high_water.eq(Mux(self.high_water < self.held, self._shown(self.held), self.high_water)),
            ]
            if self._queued:
                extended = Signal()         # ``last`` is still that of the shorter extent
                m.d.sync += extended.eq(self.extend)
                with m.If(self.extend):
                    m.d.sync += final_sector.eq(final_sector + self.more)
                with m.If(self.extend | extended):
                    m.d.sync += self.complete.eq(0)
        return m

    def _shown(self, held):
        most = (1 << len(self.high_water)) - 1
        return held if len(held) <= len(self.high_water) else Mux(held > most, most, held)


class StallMeter(wiring.Component):
    """Keeps the longest run of clocks in which the drive took no word of those there were.

    Members
    -------
    begin : In(1)           an operation begins; ``stalls`` is low
    stalls : In(1)          there are words for the drive, and none leaves
    longest : Out(48)       clocks of the longest run; two clocks late
    """

    begin: In(1)
    stalls: In(1)
    longest: Out(48)

    def elaborate(self, platform):
        m = Module()
        # The run is compared a clock late; between two runs it is 0 for a clock.
        run = Signal(48)
        before = Signal(48)
        longer = Signal()
        with m.If(~self.stalls):
            m.d.sync += run.eq(0)
        with m.Else():
            m.d.sync += run.eq(run + 1)
        m.d.sync += [before.eq(run), longer.eq(self.longest < run)]
        with m.If(self.begin):
            m.d.sync += [self.longest.eq(0), longer.eq(0)]
        with m.Elif(longer):
            m.d.sync += self.longest.eq(before)
        return m

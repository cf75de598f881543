"""A part of an operation of two drives that hold the same: which lanes, from where on, and when words may cross."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import LONG_SECTOR_SHIFT, SECTOR_SHIFT

__all__ = ["MirrorPart"]

_LANES = 2


class MirrorPart(wiring.Component):
    """Starts and stops the lanes of a part. The first part begins with the extent, the one that follows with the sector
    in which the next word is. A playback passes over the words of it that the user has.

    After a lane of a recording has failed, words are taken up to a sector with which another part can begin; then the
    other lane is stopped. A lane that is read and still runs is stopped at once.

    Members
    -------
    restart : In(1)         One clock: an operation begins, without any part.
    first, sectors : In(48)     Its extent.
    long : In(1)            A part begins with a logical sector of 4096 bytes.
    plays, records : In(1)
    stop : In(1)            One clock: the user ends the operation.
    good : In(2)            Lanes that have not failed.
    ready : In(2)           Lanes that are ready.
    gone : In(2)            Lanes that may have another drive.
    unflushed : In(2)       Lanes that may have lost sectors.
    begin : In(1)           One clock: a part begins.
    lanes : Out(2)          The lanes of that part. A playback has one: the one most certain to hold everything.
    open : In(1)            Its words may cross.
    fails : In(1)           One clock: a lane has failed.
    bad : Out(1)            A lane has failed since the part began.
    over : Out(1)           No part is to follow.
    start, lane_stop : Out(2), lba, length : Out(48), lane_done : In(2)
    running : Out(2)        Lanes that were started and have not ended.
    takes, reads : Out(2), passes : Out(1), passed : In(1), moves : In(1), words : Out(48), base : Out(48)
                            See :class:`.mirror_operation.MirrorOperation`.
    """

    restart: In(1)
    first: In(48)
    sectors: In(48)
    long: In(1)
    plays: In(1)
    records: In(1)
    stop: In(1)
    good: In(_LANES)
    ready: In(_LANES)
    gone: In(_LANES)
    unflushed: In(_LANES)
    begin: In(1)
    lanes: Out(_LANES)
    open: In(1)
    fails: In(1)
    bad: Out(1)
    over: Out(1)
    start: Out(_LANES)
    lane_stop: Out(_LANES)
    lba: Out(48)
    length: Out(48)
    lane_done: In(_LANES)
    running: Out(_LANES)
    takes: Out(_LANES)
    reads: Out(_LANES)
    passes: Out(1)
    passed: In(1)
    moves: In(1)
    words: Out(48)
    base: Out(48)

    def elaborate(self, platform):
        m = Module()
        asked, stopped = Signal(), Signal()
        complete = Signal()         # all words of the extent have crossed
        boundary = Signal()         # the next word is the first one of a sector with which a part can begin
        cut = Signal()              # here the lane that is left, or is to be read no more, is stopped
        next_base = Signal(48)      # of the part that would follow
        skip = Signal(LONG_SECTOR_SHIFT + SECTOR_SHIFT)
        in_sector, whole = self.words[:SECTOR_SHIFT], self.words[SECTOR_SHIFT:]
        in_long = whole[:LONG_SECTOR_SHIFT]
        usable = self.good & self.ready & ~self.gone
        # What one alone has lost of what was in its cache the other has.
        best = Mux((usable & ~self.unflushed).any(), usable & ~self.unflushed, Mux(usable.any(), usable, self.good))
        crosses = self.open & ~asked & ~stopped & ~cut
        m.d.comb += [
            boundary.eq((in_sector == 0) & (~self.long | (in_long == 0))),
            cut.eq(self.bad & (self.plays | (self.records & boundary))),
            self.over.eq(asked | complete), self.passes.eq(skip != 0),
            self.lanes.eq(Mux(self.plays, Mux(best[0], 1, 2), self.good)),
            self.start.eq(Mux(self.begin, self.lanes, 0)),
            self.lane_stop.eq(Mux(self.open & ~stopped & (asked | cut), self.running, 0)),
            self.takes.eq(Mux(crosses & self.records & ~complete, self.running, 0)),
            self.reads.eq(Mux(crosses & self.plays, self.running, 0)),
        ]
        m.d.sync += [
            complete.eq(whole >= self.sectors),
            next_base.eq(Mux(self.long, whole & -(1 << LONG_SECTOR_SHIFT), whole)),
            self.lba.eq(self.first + next_base), self.length.eq(self.sectors - next_base),
            self.running.eq((self.running & ~self.lane_done) | self.start),
        ]
        with m.If(self.moves):
            m.d.sync += self.words.eq(self.words + 1)
        with m.If(self.passed):
            m.d.sync += skip.eq(skip - 1)
        with m.If(self.lane_stop.any()):
            m.d.sync += stopped.eq(1)
        with m.If(self.stop):
            m.d.sync += asked.eq(1)
        with m.If(self.fails):
            m.d.sync += self.bad.eq(1)
        with m.If(self.begin):
            m.d.sync += [self.base.eq(next_base), stopped.eq(0), self.bad.eq(0),
                         skip.eq(Cat(in_sector, Mux(self.long, in_long, 0)))]
        with m.If(self.restart):
            m.d.sync += [self.words.eq(0), self.base.eq(0), asked.eq(0), self.bad.eq(0)]
        return m

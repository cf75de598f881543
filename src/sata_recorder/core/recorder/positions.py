"""Where the words of a buffer are: the newest, the mark to go back to, and how many there are."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Positions"]


class Positions(wiring.Component):
    """Counts the words of a buffer, and knows the place of the word it can go back to.

    Positions are those of a :class:`.word_ring.WordRing`. What the inputs mean is described by :class:`.buffer.Buffer`.

    Parameters
    ----------
    ring : WordRing             The memory, of which a word may be outside.
    retain, verify : bool   See :class:`.buffer.Buffer`.

    Members
    -------
    begin, playing, good, keep, settle, rewind : In(1)      See :class:`.buffer.Buffer`.
    enters, leaves : In(1)  A word enters or leaves.
    newest : Out            Where the next word goes.
    mark : Out              The oldest word that is kept; in a playback, where the next good word goes. 0 without
                            ``retain`` and ``verify``.
    level, held : Out       See :class:`.buffer.Buffer`.
    marked : Out            Words from ``mark`` on: including those that are kept, or only those that are good.
    back : Out(1)           The words that are kept are to come out once more, from ``mark`` on.
    forth : Out(1)          The words from ``mark`` on are forgotten.
    """

    def __init__(self, ring, *, retain=False, verify=False):
        self._ring = ring
        self._retain = retain
        self._verify = verify
        super().__init__({
            "begin": In(1), "playing": In(1), "good": In(1), "keep": In(1), "settle": In(1), "rewind": In(1),
            "enters": In(1), "leaves": In(1),
            "newest": Out(ring.positions), "mark": Out(ring.positions),
            "level": Out(range(ring.depth + 2)), "held": Out(range(ring.depth + 2)),
            "marked": Out(range(ring.depth + 2)),
            "back": Out(1), "forth": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        after, recording = self._ring.after, ~self.playing
        keep = self.keep if self._retain else C(0)
        good = self.good if self._verify else C(1)
        m.d.comb += [
            self.back.eq(self.rewind & recording if self._retain else 0),
            self.forth.eq(self.rewind & self.playing if self._verify else 0),
        ]
        # ``enters`` is late: it only enables what has been added up already.
        with m.If(self.begin):
            m.d.sync += self.newest.eq(0)
        with m.Elif(self.forth):
            m.d.sync += self.newest.eq(self.mark)
        with m.Elif(self.enters):
            m.d.sync += self.newest.eq(after(self.newest, 1))

        def count(level, start, up, down):
            with m.If(self.begin):
                m.d.sync += level.eq(0)
            with m.Elif(up != down):
                m.d.sync += level.eq(Mux(down, start - 1, start + 1))
            with m.Else():
                m.d.sync += level.eq(start)

        if not (self._retain or self._verify):
            count(self.level, self.level, self.enters, self.leaves)
            m.d.comb += [self.held.eq(self.level), self.marked.eq(self.level)]
            return m

        # Where nothing is kept or in doubt it is the level.
        marked = self.marked
        released = Signal()
        approved = Signal()
        m.d.comb += [
            released.eq(self.leaves & ~(keep & recording)),
            approved.eq(self.enters & (good | recording)),
            self.held.eq(Mux(recording, marked, self.level) if self._retain else self.level),
        ]
        count(self.level, Mux(self.rewind, marked, self.level), self.enters, self.leaves)
        count(marked, Mux(self.settle, self.level, marked), approved, released)

        left = Signal.like(self.mark)    # recording: the next word to leave
        with m.If(self.begin):
            m.d.sync += [self.mark.eq(0), left.eq(0)]
        with m.Elif(recording):
            if self._retain:
                # ``leaves`` is late, too.
                with m.If(self.rewind):
                    m.d.sync += left.eq(self.mark)
                with m.Elif(self.leaves):
                    m.d.sync += left.eq(after(left, 1))
                with m.If(self.settle):
                    m.d.sync += self.mark.eq(left)
                with m.Elif(released):
                    m.d.sync += self.mark.eq(after(self.mark, 1))
        with m.Elif(self.settle):
            m.d.sync += self.mark.eq(self.newest)
        with m.Elif(self.enters & good):
            m.d.sync += self.mark.eq(after(self.mark, 1))
        return m

"""Which lane the words of a stream go to or come from."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import SECTOR_WORDS

__all__ = ["WordRouter"]


class WordRouter(wiring.Component):
    """Counts the words of an operation, and shows the lane of the next one.

    Parameters
    ----------
    lanes : int
    chunk_shift : int       A chunk has 1 << ``chunk_shift`` sectors.
    striped : bool          After a chunk, not after all that the lane has, comes the next lane.

    Members
    -------
    begin : In(1)           One clock: the words of an operation begin, with ``at_lane``, ``left`` sectors before its
                            lane changes. ``holds`` are the lanes that have any; it stays.
    at_lane : In(range), left : In(48), holds : In(lanes)
    following : Out(range)  The lane after ``lane``; not ``striped`` it is the next one that has any sectors.
    next_left : In(48)      What ``left`` is for that one, from 4 clocks after a change on; it counts if not
                            ``striped``.
    moves : In(1)           A word crosses in this clock.
    ends : In(1)            With ``moves``: it is the last one of its lane.
    lane : Out(range)       That of the next word.
    last : Out(1)           Words come from no other lane any more.
    """

    def __init__(self, lanes, *, chunk_shift, striped):
        self._lanes = lanes
        self._shift = chunk_shift
        self._striped = striped
        super().__init__({
            "begin": In(1), "at_lane": In(range(lanes)), "left": In(48), "holds": In(lanes),
            "following": Out(range(lanes)), "next_left": In(48),
            "moves": In(1), "ends": In(1), "lane": Out(range(lanes)), "last": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        word = Signal(range(SECTOR_WORDS))
        left = Signal(self._shift + 1 if self._striped else 48)
        last_sector, last_word = Signal(), Signal()
        turns = Signal()
        m.d.comb += turns.eq(self.moves & last_word & last_sector)
        m.d.sync += last_sector.eq(left == 1)
        m.d.comb += self.following.eq(Mux(self.lane == self._lanes - 1, 0, self.lane + 1))
        if not self._striped:
            for lane in reversed(range(self._lanes)):
                with m.If(self.holds[lane] & (self.lane < lane)):
                    m.d.comb += self.following.eq(lane)
        with m.If(self.begin):
            m.d.sync += [self.lane.eq(self.at_lane), left.eq(self.left), word.eq(0), last_word.eq(0)]
        with m.Elif(self.moves):
            m.d.sync += [word.eq(word + 1), last_word.eq(word == SECTOR_WORDS - 2)]
            with m.If(last_word):
                m.d.sync += left.eq(left - 1)
            with m.If(turns):
                m.d.sync += [self.lane.eq(self.following),
                             left.eq(1 << self._shift if self._striped else self.next_left)]
        # Lanes that have words of a playback.
        remaining = Signal(self._lanes)
        with m.If(self.begin):
            m.d.sync += remaining.eq(self.holds)
        with m.Elif(self.moves & self.ends):
            m.d.sync += remaining.eq(remaining & ~(1 << self.lane))
        m.d.comb += self.last.eq(Cat((remaining & ~(1 << lane) == 0) & (self.lane == lane)
                                     for lane in range(self._lanes)).any())
        return m

"""Which lane the words of a stream go to or come from."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import SECTOR_WORDS
from .geometry import Division

__all__ = ["WordRouter"]


class WordRouter(wiring.Component):
    """Counts the words of an operation, and shows the lane of the next one.

    Parameters
    ----------
    lanes : int
    chunk_shift : int       A chunk has 1 << ``chunk_shift`` sectors.
    striped : bool          After a chunk, not after all that the lane has, comes the next lane.
    words : int             Words that cross at once, a power of two.
    commands : bool         There is the operation COMMAND.

    Members
    -------
    begin : In(1)           One clock: the words of the ``division`` begin.
    division : In(Division)
    following : Out(range)  The lane after ``lane``; not ``striped`` it is the next one that has any sectors.
    next_left : In(48)      What ``left`` is for that one, from a read port: a clock after it, and right from 4 clocks
                            after a change on. It counts if not ``striped``.
    stays : In(1)           With ``commands``: all words are those of the first lane.
    passes : In(1)          Not ``striped``, one clock, some clocks after a word: ``lane`` gets no more of them, and the
                            ``following`` one is next.
    follows : Out(1)        Not ``striped``: a lane after this one has sectors.
    left : Out              Sectors that the lane has in this turn, less those all of whose words have crossed; a clock
                            after the last of them.
    moves : In(1)           A word crosses in this clock.
    lane : Out(range)       That of the next word; ``here`` has its bit, and none after the last one. Both from flops.
    here : Out(lanes)
    last : Out(1)           That one is the last of the division.
    over : Out(1)           It has crossed.
    """

    def __init__(self, lanes, *, chunk_shift, striped, words=1, commands=False):
        self._lanes = lanes
        self._shift = chunk_shift
        self._striped = striped
        self._beats = SECTOR_WORDS // words
        self._commands = commands
        super().__init__({
            "begin": In(1), "division": In(Division),
            "following": Out(range(lanes)), "next_left": In(48),
            "stays": In(1), "passes": In(1), "follows": Out(1),
            "left": Out(chunk_shift + 1 if striped else 48), "moves": In(1), "lane": Out(range(lanes)),
            "here": Out(lanes), "last": Out(1), "over": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        word = Signal(range(self._beats))
        left = self.left
        rest = Signal(48)           # sectors of the division
        holds = Signal(self._lanes)
        last_sector, last_of_all = Signal(), Signal()
        last_word, turning = Signal(), Signal()     # the next word is the last one of its sector; of its turn
        leaves = Signal()                           # ``here`` is another one after the next word
        closed, turned = Signal(), Signal()         # a clock ago it was, and has crossed; sectors are counted then
        before_last = Signal()
        m.d.comb += [
            before_last.eq(word == self._beats - 2),
            self.following.eq(Mux(self.lane == self._lanes - 1, 0, self.lane + 1)),
        ]
        if not self._striped:
            for lane in reversed(range(self._lanes)):
                with m.If(holds[lane] & (self.lane < lane)):
                    m.d.comb += [self.following.eq(lane), self.follows.eq(1)]
        if self._commands:
            with m.If(self.stays):
                m.d.comb += self.following.eq(self.lane)
        m.d.sync += [last_sector.eq(left == 1), last_of_all.eq(rest == 1), closed.eq(self.moves & last_word),
                     turned.eq(self.moves & turning)]
        with m.If(self.moves):
            m.d.sync += [word.eq(word + 1), last_word.eq(before_last), turning.eq(before_last & last_sector),
                         self.last.eq(before_last & last_of_all),
                         leaves.eq(before_last & (last_sector | last_of_all))]
        # Whether a word crosses is known late: it only enables.
        with m.If(self.moves & turning):
            m.d.sync += self.lane.eq(self.following)
        with m.If(self.moves & leaves):
            m.d.sync += self.here.eq(Mux(self.last, 0, 1 << self.following))
        with m.If(self.moves & self.last):
            m.d.sync += self.over.eq(1)
        with m.If(closed):
            m.d.sync += [left.eq(left - 1), rest.eq(rest - 1)]
        with m.If(turned):
            m.d.sync += left.eq(1 << self._shift if self._striped else self.next_left)
        if not self._striped:
            after = Signal(48)      # sectors of the lanes after this one
            m.d.sync += after.eq(rest - left)
            with m.If(self.passes):
                m.d.sync += [self.lane.eq(self.following), self.here.eq(1 << self.following), left.eq(self.next_left),
                             rest.eq(after), word.eq(0), last_word.eq(0), turning.eq(0), leaves.eq(0), self.last.eq(0)]
        with m.If(self.begin):
            division = self.division
            m.d.sync += [self.lane.eq(division.lane), self.here.eq(1 << division.lane), left.eq(division.left),
                         word.eq(0), last_word.eq(0), turning.eq(0), leaves.eq(0), self.last.eq(0),
                         rest.eq(division.total),
                         holds.eq(division.holds), self.over.eq(0), closed.eq(0), turned.eq(0)]
        return m

"""The queue of an array: the spans with which a recording continues, divided among the lanes."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ...core.drive_port import Error
from ...facts.array import DATA_OFFSET
from ...facts.units import LONG_SECTOR_BLOCKS, LONG_SECTOR_SHIFT, SECTOR_SHIFT, SECTOR_WORDS
from ...interface import QUEUE
from .geometry import Divide, Division
from .operation import COMPARED, SHARED, STARTED, Spans
from .shares import SLOTS

__all__ = ["ArrayQueue"]

_SECTORS = 48
#: Clocks from a change of the slot until its memory shows it.
_READ = 2


class ArrayQueue(wiring.Component):
    """Divides the spans, hands a share to the queue of each lane, and keeps the divisions in their order.

    A lane that had no sectors before is started. The words of a span begin after those of the one before it; ``moved``
    is then the division of the words, and ``done_of`` the one whose sectors are written.

    Latency: some 60 clocks for a span, and 9 more for each lane, if the queue of each lane has room; 3 clocks between
    the words of two spans.

    Parameters
    ----------
    lanes : int
    striped : bool          The array has chunks.

    Members
    -------
    user : In               The queue of the user, see :mod:`...interface`. ``begun`` is an upper bound: all logical
                            sectors of which a word has crossed; with ``ahead``, and in a playback, all that the
                            operation has.
    operation : In(Spans)   What it continues.
    extent : In(Division)   With ``operation.begin_words``: the extent of the operation.
    capacity : In(48)       Sectors of the array.
    restart : In(1)         One clock: an operation begins, or is refused.
    words : In(48)          Words that have crossed in this operation.
    divide : Out(Divide)    The division of a span, while ``divides`` is high.
    divides : Out(1), slot : Out(range)     The slot of this span.
    pushes : Out(lanes)     ``operation.lba`` and ``operation.sectors`` are for the queue of this lane, until it
                            ``takes`` them.
    takes : In(lanes)
    over : In(1)            The words of a division have all crossed.
    turns : Out(1)          One clock: the words of ``moved`` begin; ``moved_slot`` is its slot from the next clock on.
    turning : Out(1)        No word crosses, but those of another division will.
    moved : Out(Division), moved_slot : Out(range)
    done_of : Out(Division), done_slot : Out(range), base : Out(48)
                            The division whose sectors are being written, and the sectors of those before it.
    whole : In(1)           One clock: all its sectors are done.
    last : Out(1)           There is none after it.
    """

    def __init__(self, lanes, *, striped):
        self._lanes = lanes
        self._striped = striped
        super().__init__({
            "user": In(QUEUE.signature),
            "operation": In(Spans(lanes)), "extent": In(Division), "capacity": In(_SECTORS), "restart": In(1),
            "words": In(_SECTORS), "divide": Out(Divide(lanes)), "divides": Out(1),
            "pushes": Out(lanes), "takes": In(lanes),
            "slot": Out(range(SLOTS)), "over": In(1), "turns": Out(1), "turning": Out(1),
            "moved": Out(Division), "moved_slot": Out(range(SLOTS)),
            "done_of": Out(Division), "done_slot": Out(range(SLOTS)), "base": Out(_SECTORS),
            "whole": In(1), "last": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        # In a ring, from the oldest one that is not done to the newest one; ``next_slot`` is the place for another.
        next_slot = Signal(range(SLOTS))
        m.submodules.divisions = divisions = memory.Memory(shape=Division, depth=SLOTS, init=[])
        write = divisions.write_port()
        with m.If(write.en & ~self.operation.begin_words):
            m.d.sync += next_slot.eq(next_slot + 1)
        with m.If(self.operation.begin):
            m.d.sync += next_slot.eq(1)
        with m.If(self.operation.begin_words):
            m.d.comb += [write.en.eq(1), write.addr.eq(0), write.data.eq(self.extent)]
        running = Signal()          # the extent of the operation is divided
        m.d.comb += self.slot.eq(next_slot)
        idle = self._divide(m, running & (next_slot != self.done_slot), next_slot, write)
        self._route(m, divisions, next_slot)
        self._retire(m, divisions, next_slot)
        # As with one drive a span may come until all sectors of those before it are done.
        closes = self.whole & self.last & idle & ~(self.user.valid & self.user.ready)
        with m.If(self.operation.begin):
            m.d.sync += [self.operation.more.eq(self.operation.records), running.eq(0)]
        with m.Elif(self.operation.ends | closes):
            m.d.sync += self.operation.more.eq(0)
        with m.If(self.operation.begin_words):
            m.d.sync += running.eq(1)
        return m

    def _divide(self, m, room, next_slot, write):
        """One span after the other, while there is ``room``. Returns whether none is on its way to the lanes."""
        fits = Signal()             # one of ``sectors`` is, from this clock on
        clocks = Signal(range(STARTED + 1))
        sectors, division = Signal(_SECTORS), Signal(Division)
        empty, beyond, splits = Signal(), Signal(), Signal()
        end = Signal(_SECTORS + 1)
        span = self.divide.lba
        idle, here = Signal(), Signal(self._lanes)
        some = Signal()             # the lane has sectors of the span; a clock late
        m.d.sync += [
            clocks.eq(clocks + 1), some.eq(self.divide.length.any()),
            end.eq(span + sectors), beyond.eq(end > self.capacity), empty.eq(sectors == 0),
            splits.eq(self.operation.long & (span | sectors)[:LONG_SECTOR_SHIFT].any()),
        ]
        m.d.comb += [here.eq(1 << self.divide.lane), self.divide.end.eq(end), self.divides.eq(~idle)]
        finished = self.divide.lane == self._lanes - 1

        def enter(state):
            m.d.sync += clocks.eq(0)
            m.next = state

        def refuse(error):
            m.d.sync += [self.operation.refused.eq(1), self.operation.error.eq(error)]
            m.next = "IDLE"

        with m.If(self.operation.begin):
            m.d.sync += self.operation.refused.eq(0)

        def give_up():
            """What is not in the queues of all lanes is not recorded."""
            with m.If(self.operation.ends):
                m.next = "IDLE"

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [idle.eq(1), self.user.ready.eq(
                    room & self.operation.more & ~self.operation.ends & ~self.operation.refused)]
                with m.If(self.user.valid & self.user.ready):
                    m.d.sync += [span.eq(self.user.lba), sectors.eq(self.user.sectors), division.holds.eq(0)]
                    enter("CHECK")
            with m.State("CHECK"):
                with m.If(clocks == COMPARED):
                    m.d.comb += [self.divide.begin.eq(1), fits.eq(~(empty | splits | beyond))]
                    m.d.sync += [self.divide.lane.eq(0), division.first.eq(span), division.total.eq(sectors)]
                    enter("DIVIDE")
                    with m.If(empty):
                        refuse(Error.ZERO_SECTORS)
                    with m.Elif(splits):
                        refuse(Error.SECTOR_SIZE)
                    with m.Elif(beyond):
                        refuse(Error.OUT_OF_RANGE)
                give_up()
            with m.State("DIVIDE"):
                with m.If(self.divide.valid):
                    enter("SHARE")
                give_up()
            with m.State("SHARE"):
                with m.If(clocks == SHARED):
                    m.d.comb += self.divide.advance.eq(1)
                    m.d.sync += [self.operation.lba.eq(self.divide.first + DATA_OFFSET),
                                 self.operation.sectors.eq(self.divide.length)]
                    m.next = "NEXT"
                    with m.If(some):
                        m.d.sync += division.holds.eq(division.holds | here)
                        with m.If(~division.holds.any()):
                            m.d.sync += division.left.eq(self.divide.length)
                        m.next = "PUSH"
                give_up()
            with m.State("PUSH"):
                with m.If((self.operation.started & here).any()):
                    m.d.comb += [self.pushes.eq(here), self.operation.holds.eq(here & self.takes)]
                    with m.If((self.takes & here).any()):
                        m.next = "NEXT"
                with m.Elif((self.operation.gone & here).any()):
                    m.d.comb += self.operation.lost.eq(here)
                with m.Else():
                    m.d.comb += self.operation.start.eq(Mux(self.operation.ends, 0, here))
                    enter("START")
                give_up()
            with m.State("START"):
                with m.If(clocks == STARTED):
                    m.d.comb += self.operation.takes_part.eq(here)
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.d.sync += self.divide.lane.eq(self.divide.lane + 1)
                enter("SHARE")
                with m.If(finished):
                    m.d.sync += division.lane.eq(self.divide.at_lane)
                    if self._striped:
                        m.d.sync += division.left.eq(self.divide.left)
                    m.next = "KEEP"
                give_up()
            with m.State("KEEP"):
                m.d.comb += [write.en.eq(~self.operation.ends), write.addr.eq(next_slot), write.data.eq(division)]
                m.next = "IDLE"
        self._count(m, fits, sectors)
        return idle

    def _route(self, m, divisions, next_slot):
        """The words of one division after those of another."""
        read = divisions.read_port()
        following = Signal(range(SLOTS))
        kept = Signal()
        clocks = Signal(range(_READ + 1))       # since the memory is to show it
        m.d.comb += [
            following.eq(self.moved_slot + 1), kept.eq(following != next_slot), read.addr.eq(following),
            self.turning.eq(self.over & kept), self.turns.eq(self.turning & (clocks == _READ)),
            self.moved.eq(read.data),
        ]
        with m.If(~kept | self.turns):
            m.d.sync += clocks.eq(0)
        with m.Elif(clocks != _READ):
            m.d.sync += clocks.eq(clocks + 1)
        with m.If(self.operation.begin):
            m.d.sync += self.moved_slot.eq(0)
        with m.Elif(self.turns):
            m.d.sync += self.moved_slot.eq(following)

    def _retire(self, m, divisions, next_slot):
        """The oldest division, whose sectors are being written."""
        read = divisions.read_port()
        m.d.comb += [read.addr.eq(self.done_slot), self.done_of.eq(read.data),
                     self.last.eq((self.done_slot + 1)[:len(next_slot)] == next_slot)]
        with m.If(self.operation.begin):
            m.d.sync += [self.done_slot.eq(0), self.base.eq(0)]
        with m.Elif(self.whole & ~self.last):
            m.d.sync += [self.done_slot.eq(self.done_slot + 1), self.base.eq(self.base + self.done_of.total)]

    def _count(self, m, fits, sectors):
        """The sectors for which a lane may have begun a command."""
        known = Signal(_SECTORS)    # of the extent and all spans
        with m.If(self.restart):
            m.d.sync += known.eq(0)
        with m.Elif(self.operation.begin_words):
            m.d.sync += known.eq(self.extent.total)
        with m.Elif(fits):
            m.d.sync += known.eq(known + sectors)
        crossed = (self.words + (SECTOR_WORDS - 1))[SECTOR_SHIFT:]
        whole = (crossed + (LONG_SECTOR_BLOCKS - 1))[LONG_SECTOR_SHIFT:] << LONG_SECTOR_SHIFT
        m.d.sync += self.user.begun.eq(Mux(self.user.ahead.any() | ~self.operation.records, known,
                                            Mux(self.operation.long, whole, crossed)))

"""Whether the drives are those of the array: their superblocks are read after they were brought up."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...facts.array import DATA_OFFSET
from ...interface.array import MemberState
from .superblock_check import SuperblockCheck

__all__ = ["MemberCheck"]

#: Clocks after which the state of a member is known, and the size of what it holds; or the sum of all.
_SETTLE = 7


class MemberCheck(wiring.Component):
    """Reads the superblock of each lane when all drives are ready, and again after one was away. While one could not be
    read it tries again after a pause: what has failed may not fail for ever.

    Parameters
    ----------
    lanes : int
    level : str             "raid0" or "linear".
    chunk_shift : int       A chunk has 1 << ``chunk_shift`` sectors.
    pause : int             In clocks.

    Members
    -------
    usable : In(1)          All drives are ready, and no operation of the user's runs or starts.
    away : In(1)            One may have been exchanged: what is known of the members is void.
    lane : Out(range)       The lane that is read; ``capacity`` is that of its drive in sectors, and ``words``,
                            ``done`` and ``failed`` are its.
    start : Out(1)          One clock: a playback of the sector of the superblock begins.
    words : In(stream 32)   Its words.
    done : In(1), failed : In(1)    It ends; with an error, or with sectors that were passed over.
    reads : Out(1)          Superblocks are read.
    takes : Out(1)          The words of the lane are taken; a clock after ``reads``.
    good : Out(1)           All drives are members, or all are blank.
    wrong : Out(1)          All are known, and they are neither.
    states : Out(MemberState) array
    sizes : Out(48) array           Sectors of the array that each lane holds, while ``good``: what the members state;
                                    of blank drives all from ``DATA_OFFSET`` on, in whole chunks. Of a striped
                                    array all are the least.
    """

    def __init__(self, lanes, *, level, chunk_shift, pause):
        self._lanes = lanes
        self._pause = pause
        self._level = level
        self._shift = chunk_shift
        super().__init__({
            "usable": In(1), "away": In(1), "lane": Out(range(lanes)), "capacity": In(48),
            "start": Out(1), "words": In(stream.Signature(32)), "done": In(1), "failed": In(1),
            "reads": Out(1), "takes": Out(1),
            "good": Out(1), "wrong": Out(1),
            "states": Out(MemberState).array(lanes), "sizes": Out(48).array(lanes),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.check = check = SuperblockCheck(self._lanes, level=self._level, chunk_shift=self._shift)
        known, failed = Signal(), Signal()
        void = Signal()             # one was away since the first of them was read
        settled = Signal(range(_SETTLE + 1))
        states = self.states
        state = Signal(MemberState)
        m.d.comb += [
            state.eq(Mux(failed, MemberState.UNREADABLE, check.state)),
            check.valid.eq(self.words.valid), check.word.eq(self.words.payload), check.lane.eq(self.lane),
            check.capacity.eq(self.capacity), self.words.ready.eq(1),
        ]
        judged = Signal()
        m.d.sync += self.takes.eq(self.reads)
        with m.FSM():
            with m.State("WAIT"):
                m.d.sync += self.lane.eq(0)
                m.d.comb += check.forget.eq(1)
                m.d.sync += void.eq(0)
                with m.If(self.usable & ~known & ~self.away):
                    m.next = "START"
            with m.State("START"):
                m.d.comb += [self.start.eq(1), check.begin.eq(1), self.reads.eq(1)]
                m.next = "READ"
            with m.State("READ"):
                m.d.comb += self.reads.eq(1)
                m.d.sync += [failed.eq(self.failed), settled.eq(0)]
                with m.If(self.done):
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                m.d.comb += self.reads.eq(1)
                m.d.sync += settled.eq(settled + 1)
                with m.If(settled == _SETTLE):
                    m.next = "JUDGE"
            with m.State("JUDGE"):
                m.d.comb += [judged.eq(1), self.reads.eq(1), check.keep.eq(
                    (state == MemberState.MEMBER) | (state == MemberState.OTHER_LANE))]
                m.d.sync += [self.lane.eq(self.lane + 1), settled.eq(0)]
                m.next = "START"
                with m.If(void):
                    m.next = "WAIT"
                with m.Else():
                    m.d.sync += Array(states)[self.lane].eq(state)
                    with m.If(self.lane == self._lanes - 1):
                        m.next = "ADD"
            # The sum of all sizes is known with what they are.
            with m.State("ADD"):
                m.d.comb += self.reads.eq(1)
                m.d.sync += settled.eq(settled + 1)
                with m.If(settled == _SETTLE):
                    m.d.sync += known.eq(~void)
                    m.next = "WAIT"
        unreadable = Signal()
        pause = Signal(range(self._pause + 1))
        m.d.sync += unreadable.eq(known & Cat(one == MemberState.UNREADABLE for one in states).any())
        with m.If(~unreadable):
            m.d.sync += pause.eq(self._pause)
        with m.Elif(pause != 0):
            m.d.sync += pause.eq(pause - 1)
        with m.Elif(self.usable):
            m.d.sync += known.eq(0)
        with m.If(self.away):
            m.d.sync += [void.eq(1), known.eq(0), *(one.eq(MemberState.UNKNOWN) for one in states)]
        uniform, compared = Signal(), Signal()
        m.d.sync += [
            compared.eq(known), uniform.eq(Cat(one == MemberState.MEMBER for one in states).all()
                       | Cat(one == MemberState.BLANK for one in states).all()),
            self.good.eq(compared & known & uniform & ~self.away),
            self.wrong.eq(compared & known & ~uniform & ~self.away),
        ]
        self._sizes(m, check.size, state, judged)
        return m

    def _sizes(self, m, stated, state, judged):
        """What the lanes hold, from their superblocks or, while there are none, from the capacities."""
        chunk = 1 << self._shift
        room, held = Signal(48), Signal(48)
        m.d.sync += [
            room.eq(Mux(self.capacity < DATA_OFFSET, 0, self.capacity - DATA_OFFSET)),
            held.eq(Mux(state == MemberState.MEMBER, stated, room) & -chunk),
        ]
        if self._level == "linear":
            for lane in range(self._lanes):
                with m.If(judged & (self.lane == lane)):
                    m.d.sync += self.sizes[lane].eq(held)
            return
        least = Signal(48)
        with m.If(judged & ((self.lane == 0) | (held < least))):
            m.d.sync += least.eq(held)
        m.d.comb += [size.eq(least) for size in self.sizes]

"""Whether two drives are those of an array that holds the same on both, and which of them are used."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...interface.array import MemberState
from .superblock_check import SuperblockCheck

__all__ = ["MirrorMembers"]

_LANES = 2
_BOTH = 3
#: Clocks after which the state of a member is known, and what both are to each other.
_SETTLE = 7
#: From the end of a drive to its superblock, and to what it is a multiple of.
_FROM_END, _ALIGNED = 16, 8


class MirrorMembers(wiring.Component):
    """Reads the superblocks of the drives that are there, once none is coming any more, and judges them.

    Both are used if neither states that the other has failed, and their counts of events differ by 1 at most: a mark of
    one was interrupted. One alone is used if it states so of the other, which is not newer and does not state the same.
    All else, a single drive and drives without superblocks included, is not used.

    Parameters
    ----------
    pause : int             In clocks; while one could not be read it tries again after it.
    compares : bool         Before both are used, their sectors are compared.

    Members
    -------
    idle : In(1)            No operation of the user's runs or starts.
    settled : In(2)         The drive of this lane is ready, or is not coming.
    ready : In(2)
    away : In(2)            With ``idle``: one may have been exchanged.
    forget : In(1)          One clock: the superblocks are to be read again.
    drop : In(2)            One clock: this lane is not used any more.
    capacity : In(48) array
    lane : Out(1)           The lane that is read; ``words``, ``done`` and ``failed`` are its.
    place : Out(48) array   Where the superblocks are.
    start : Out(1)          One clock: a playback of 8 sectors from there on begins.
    words : In(stream 32), done : In(1), failed : In(1)
    reads : Out(1)          Superblocks are read, or sectors compared.
    compare : Out(1)        One clock: the sectors of both are to be compared.
    compared, differs, compare_failed : In(1)       One clock: this has ended; they differ; it failed.
    good : Out(1)           The lanes ``active`` are used.
    wrong : Out(1)          All superblocks that are there have been read, and none of the drives can be used.
    active : Out(2)
    dropped : Out(2)        While ``good``: the lanes that are not used.
    states : Out(MemberState) array
    size : Out(48)          Sectors of the array.
    judged : Out(1)         One clock: the lanes that are ``active`` are known, and the next three are about them.
    events : Out(48)        The count of events, that of the newer one.
    dirty : Out(1)          The drives may differ.
    marked : Out(1)         All superblocks state that they may differ, with the same count.
    """

    def __init__(self, *, pause, compares):
        self._pause = pause
        self._compares = compares
        super().__init__({
            "idle": In(1), "settled": In(_LANES), "ready": In(_LANES), "away": In(_LANES), "forget": In(1),
            "drop": In(_LANES), "capacity": In(48).array(_LANES), "lane": Out(1), "place": Out(48).array(_LANES),
            "start": Out(1), "words": In(stream.Signature(32)), "done": In(1), "failed": In(1), "reads": Out(1),
            "compare": Out(1), "compared": In(1), "differs": In(1), "compare_failed": In(1),
            "good": Out(1), "wrong": Out(1), "active": Out(_LANES), "dropped": Out(_LANES),
            "states": Out(MemberState).array(_LANES), "size": Out(48), "judged": Out(1), "events": Out(48),
            "dirty": Out(1), "marked": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.check = check = SuperblockCheck(_LANES, level="raid1")
        known, failed, void = Signal(), Signal(), Signal()
        there = Signal(_LANES)      # the drives that are read
        clocks = Signal(range(_SETTLE + 1))
        read_state = Signal(MemberState)
        members = self._members(m, check)
        m.d.comb += [
            read_state.eq(Mux(failed, MemberState.UNREADABLE, check.state)), self.words.ready.eq(1),
            check.valid.eq(self.words.valid), check.word.eq(self.words.payload), check.lane.eq(self.lane),
            check.capacity.eq(Array(self.capacity)[self.lane]), check.place.eq(Array(self.place)[self.lane]),
            self.dropped.eq(Mux(known, ~self.active, 0)),
        ]
        m.d.sync += [place.eq((capacity - _FROM_END) & -_ALIGNED) for place, capacity in zip(self.place, self.capacity)]
        m.d.sync += clocks.eq(clocks + 1)
        judge = Signal()
        usable = Signal(_LANES)
        dirty, marked, newest, states = self._judge(m, members, there, usable)

        def enter(state):
            m.d.sync += clocks.eq(0)
            m.next = state
        with m.FSM():
            with m.State("WAIT"):
                m.d.comb += check.forget.eq(1)
                m.d.sync += [void.eq(0), self.lane.eq(0)]
                with m.If(self.idle & ~known & self.settled.all() & self.ready.any() & ~(self.away & self.ready).any()):
                    m.d.sync += [self.active.eq(0), there.eq(self.ready)]
                    enter("LANE")
            with m.State("LANE"):
                m.d.comb += self.reads.eq(1)
                with m.If(clocks == _SETTLE):
                    enter("START")
                    with m.If(~(there >> self.lane)[0]):
                        m.d.sync += Array(self.states)[self.lane].eq(MemberState.UNKNOWN)
                        enter("NEXT")
            with m.State("START"):
                m.d.comb += [self.reads.eq(1), self.start.eq(1), check.begin.eq(1)]
                m.next = "READ"
            with m.State("READ"):
                m.d.comb += self.reads.eq(1)
                m.d.sync += [failed.eq(self.failed), clocks.eq(0)]
                with m.If(self.done):
                    enter("SETTLE")
            with m.State("SETTLE"):
                m.d.comb += self.reads.eq(1)
                with m.If(clocks == _SETTLE):
                    m.d.comb += [judge.eq(1), check.keep.eq(read_state == MemberState.MEMBER)]
                    m.d.sync += Array(self.states)[self.lane].eq(read_state)
                    enter("NEXT")
            with m.State("NEXT"):
                m.d.comb += self.reads.eq(1)
                m.d.sync += self.lane.eq(1)
                enter("LANE")
                with m.If(self.lane):
                    enter("JUDGE")
            with m.State("JUDGE"):
                m.d.comb += self.reads.eq(1)
                with m.If(clocks == _SETTLE):
                    m.d.sync += [self.active.eq(usable), self.dirty.eq(dirty), self.marked.eq(marked),
                                 self.events.eq(newest)]
                    for lane in range(_LANES):
                        m.d.sync += self.states[lane].eq(states[lane])
                    enter("END")
                    if self._compares:
                        with m.If((usable == _BOTH) & ~void):
                            enter("COMPARE")
            with m.State("COMPARE"):
                m.d.comb += [self.reads.eq(1), self.compare.eq(clocks == 0)]
                with m.If(clocks != 0):
                    m.d.sync += clocks.eq(1)
                with m.If(self.compared):
                    with m.If(self.compare_failed | self.differs):
                        which = Mux(self.compare_failed, MemberState.UNREADABLE, MemberState.DIFFERS)
                        m.d.sync += [self.active.eq(0), *(state.eq(which) for state in self.states)]
                    enter("END")
            with m.State("END"):
                m.d.comb += self.reads.eq(1)
                with m.If(clocks == _SETTLE):
                    m.d.comb += self.judged.eq(~void)
                    m.d.sync += known.eq(~void)
                    m.next = "WAIT"
        self._keep(m, judge, members, check, read_state)
        with m.If(self.drop.any()):
            m.d.sync += self.active.eq(self.active & ~self.drop)
            for lane in range(_LANES):
                with m.If(self.drop[lane]):
                    m.d.sync += self.states[lane].eq(MemberState.DROPPED)
        self._void(m, known, void, there)
        return m

    def _members(self, m, check):
        """What is kept of each superblock."""
        return [{"member": Signal(name=f"member{lane}"), "drops": Signal(name=f"drops{lane}"),
                 "dirty": Signal(name=f"dirty{lane}"), "events": Signal(48, name=f"events{lane}"),
                 "size": Signal(48, name=f"size{lane}"), "differs": Signal(name=f"differs{lane}")}
                for lane in range(_LANES)]

    def _keep(self, m, judge, members, check, state):
        for lane, member in enumerate(members):
            with m.If(judge & (self.lane == lane)):
                m.d.sync += [
                    member["member"].eq(state == MemberState.MEMBER), member["drops"].eq(check.drops),
                    member["dirty"].eq(check.dirty), member["events"].eq(check.events), member["size"].eq(check.size),
                    member["differs"].eq(check.differs),
                ]

    def _judge(self, m, members, there, usable):
        """Which lanes are ``usable``, from some clocks after the last was read on. Returns whether they may differ,
        whether all state it, their count of events, and what each is."""
        exists = [there[lane] & member["member"] for lane, member in enumerate(members)]
        first, second = (member["events"] for member in members)
        ahead = Signal(49)          # of lane 0, signed
        equal, near = Signal(), Signal()
        newer = Signal(_LANES)
        set_differs, dirty, marked = Signal(), Signal(), Signal()
        newest = Signal(48)
        m.d.sync += [
            ahead.eq(first - second), equal.eq(ahead == 0),
            near.eq((ahead == 0) | (ahead == 1) | ahead.all()), newer.eq(Cat(~ahead[-1] & ahead.any(), ahead[-1])),
            set_differs.eq(exists[0] & exists[1] & members[1]["differs"]),
        ]
        drops = [exists[lane] & members[lane]["drops"] for lane in range(_LANES)]
        alone = Signal(_LANES)      # this one, by what it states
        together = Signal()
        m.d.sync += together.eq(exists[0] & exists[1] & ~set_differs & ~drops[0] & ~drops[1] & near)
        for lane, other in ((0, 1), (1, 0)):
            contradicted = exists[other] & ~set_differs & (drops[other] | newer[other])
            m.d.sync += alone[lane].eq(drops[lane] & ~contradicted & ~(set_differs & drops[other]))
        states = []
        for lane, other in ((0, 1), (1, 0)):
            state = Signal(MemberState, name=f"judged{lane}")
            m.d.comb += state.eq(self.states[lane])
            with m.If(exists[lane] & exists[other] & set_differs & ~alone[lane] & (alone[other] | (lane == 1))):
                m.d.comb += state.eq(MemberState.OTHER_ARRAY)
            with m.Elif(exists[lane] & exists[other] & ~set_differs & (
                    drops[other] | ((drops[lane] | ~near) & newer[other])) & ~alone[lane]):
                m.d.comb += state.eq(MemberState.DROPPED)
            states.append(state)
        m.d.comb += [
            usable.eq(Mux(together, _BOTH, alone)),
            newest.eq(Mux(alone[0] | (~alone[1] & newer[0]), first, second)),
            dirty.eq(Mux(together, members[0]["dirty"] | members[1]["dirty"] | ~equal,
                         Mux(alone[0], members[0]["dirty"], members[1]["dirty"]))),
            marked.eq(Mux(together, members[0]["dirty"] & members[1]["dirty"] & equal, dirty)),
        ]
        m.d.sync += self.size.eq(Mux(self.active[0], members[0]["size"], members[1]["size"]))
        return dirty, marked, newest, states

    def _void(self, m, known, void, there):
        """When what is known does not hold any more."""
        unreadable = Signal()
        pause = Signal(range(self._pause + 1))
        used = self.active.any()
        m.d.sync += unreadable.eq(known & ~used & Cat(one == MemberState.UNREADABLE for one in self.states).any())
        with m.If(~unreadable):
            m.d.sync += pause.eq(self._pause)
        with m.Elif(pause != 0):
            m.d.sync += pause.eq(pause - 1)
        with m.Elif(self.idle):
            m.d.sync += known.eq(0)
        # One that is not used may come and go; while none is, any other one may be the answer.
        gone = (self.away & Mux(used & known, self.active, there)).any()
        changed = self.idle & known & ~used & ((self.ready != there) | ~self.settled.all())
        with m.If(self.forget | gone | changed):
            m.d.sync += [void.eq(1), known.eq(0)]
            for state in self.states:
                m.d.sync += state.eq(MemberState.UNKNOWN)
        compared = Signal()
        m.d.sync += [
            compared.eq(known), self.good.eq(compared & known & used & ~gone & ~self.forget),
            self.wrong.eq(compared & known & ~used & ~gone & ~self.forget),
        ]

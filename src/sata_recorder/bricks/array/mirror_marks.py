"""The superblocks of two drives that hold the same: kept as they were read, changed, and written."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import enum, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ...facts.array import CLEAN, ROLE_FAULTY
from ...facts.units import SECTOR_WORDS

__all__ = ["Mark", "MirrorMarks"]

#: Where the words are that a mark changes: events and resync offset are two each; from the last place on there are
#: roles, two in a word, to the end of the sector.
_EVENTS, _RESYNC, _SUM, _ROLES = 50, 52, 54, 64
_LANES = 2


class Mark(enum.Enum, shape=2):
    """What a superblock is to state."""

    DIRTY = 0       # the drives may differ
    CLEAN = 1       # they hold the same
    DROP = 2        # the other drive has failed


class MirrorMarks(wiring.Component):
    """Changes the superblocks, and writes them, one after the other; each is flushed before the next is touched.

    A mark raises the count of events, which both share: by 1, and with DROP by 2, as Linux takes a drive that is
    1 behind for one whose update was interrupted (drivers/md/md.c, super_1_validate). DROP leaves the resync offset as
    it is.

    Latency: 140 clocks for each drive, and the time of its writing.

    Members
    -------
    read_begins : In(1)     One clock: the next words are the superblock of ``read_lane``.
    read_lane : In(1), read : In(1), read_word : In(32)     While ``read``: the next word; those that follow the sector
                            do not count.
    counts : In(1), events : In(48)     One clock: ``events`` is the count of events.
    begin : In(1), mark : In(Mark), lanes : In(2)       One clock: the superblocks of these lanes are to be marked. With
                            DROP it is one lane.
    done : Out(1), failed : Out(2)      One clock: all are marked, except those that have failed.
    lane : Out(1)           The lane whose superblock is being written.
    start : Out(1)          One clock: the operation of that lane begins.
    words : Out(stream 32)  The words that it writes: the superblock, and then zeros.
    lane_done : In(1), lane_failed : In(1)      One clock: it ends; with an error.
    lane_gone : In(1)       The operation cannot begin: another drive may be there.
    writes : Out(1)         From ``start`` to the end.
    """

    read_begins: In(1)
    read_lane: In(1)
    read: In(1)
    read_word: In(32)
    counts: In(1)
    events: In(48)
    begin: In(1)
    mark: In(Mark)
    lanes: In(_LANES)
    done: Out(1)
    failed: Out(_LANES)
    lane: Out(1)
    start: Out(1)
    words: Out(stream.Signature(32))
    lane_done: In(1)
    lane_failed: In(1)
    lane_gone: In(1)
    writes: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.kept = kept = memory.Memory(shape=32, depth=_LANES * SECTOR_WORDS, init=[])
        write, read = kept.write_port(), kept.read_port()
        mark = Signal(Mark)
        rest = Signal(_LANES)       # lanes that follow
        index = Signal(range(SECTOR_WORDS + 1))
        came = Signal(range(SECTOR_WORDS + 1))      # the index of the word that the memory gives
        adds = Signal()
        total = Signal(32 + SECTOR_WORDS.bit_length())
        events = Signal(48)
        read_index = Signal(range(SECTOR_WORDS + 1))
        value = Signal(32)
        m.d.sync += [self.done.eq(0), adds.eq(0), came.eq(index)]
        with m.If(self.counts):
            m.d.sync += events.eq(self.events)
        with m.If(self.read_begins):
            m.d.sync += read_index.eq(0)
        with m.Elif(self.read & ~read_index[-1]):
            m.d.sync += read_index.eq(read_index + 1)

        m.d.comb += [
            read.addr.eq(Cat(index[:-1], self.lane)), value.eq(self._marked(m, mark, came, read.data, events)),
            write.addr.eq(Cat(read_index[:-1], self.read_lane)), write.data.eq(self.read_word),
            write.en.eq(self.read & ~read_index[-1]),
        ]
        with m.If(adds):
            m.d.comb += [write.addr.eq(Cat(came[:-1], self.lane)), write.data.eq(value), write.en.eq(1)]
            with m.If(came != _SUM):
                m.d.sync += total.eq(total + value)

        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [index.eq(0), total.eq(0)]
                with m.If(self.begin):
                    m.d.sync += [mark.eq(self.mark), rest.eq(self.lanes), self.failed.eq(0),
                                 events.eq(events + Mux(self.mark == Mark.DROP, 2, 1))]
                    m.next = "LANE"
            with m.State("LANE"):
                m.d.sync += [self.lane.eq(~rest[0]), rest.eq(Mux(rest[0], rest & 2, 0)), index.eq(0), total.eq(0)]
                m.next = "SUM"
                with m.If(~rest.any()):
                    m.d.sync += self.done.eq(1)
                    m.next = "IDLE"
            with m.State("SUM"):
                with m.If(~index[-1]):
                    m.d.sync += [index.eq(index + 1), adds.eq(1)]
                with m.Elif(~adds):
                    m.next = "STATE"
            with m.State("STATE"):
                m.d.comb += [write.addr.eq(Cat(Const(_SUM, SECTOR_WORDS.bit_length() - 1), self.lane)), write.en.eq(1),
                             write.data.eq(total[:32] + total[32:])]
                m.d.sync += index.eq(0)
                m.next = "START"
            with m.State("START"):
                m.d.comb += [self.start.eq(~self.lane_gone), self.writes.eq(1)]
                m.next = "FETCH"
                with m.If(self.lane_gone):
                    self._fails(m, 1)
            with m.State("FETCH"):
                m.d.comb += self.writes.eq(1)
                m.next = "WRITE"
                self._ends(m)
            with m.State("WRITE"):
                m.d.comb += [self.writes.eq(1), self.words.valid.eq(1),
                             self.words.payload.eq(Mux(index[-1], 0, read.data))]
                with m.If(self.words.ready):
                    with m.If(~index[-1]):
                        m.d.sync += index.eq(index + 1)
                    m.next = "FETCH"
                self._ends(m)
        return m

    def _ends(self, m):
        with m.If(self.lane_done):
            self._fails(m, self.lane_failed)

    def _fails(self, m, fails):
        m.d.sync += self.failed.eq(self.failed | Mux(fails, 1 << self.lane, 0))
        m.next = "LANE"

    def _marked(self, m, mark, place, word, events):
        """The ``word`` at ``place`` as the mark changes it."""
        value = Signal(32)
        m.d.comb += value.eq(word)
        resync = Mux(mark == Mark.CLEAN, CLEAN & 0xFFFF_FFFF, 0)
        with m.Switch(place):
            for half in range(2):
                with m.Case(_EVENTS + half):
                    m.d.comb += value.eq(events[32:] if half else events[:32])
                with m.Case(_RESYNC + half):
                    with m.If(mark != Mark.DROP):
                        m.d.comb += value.eq(resync)
            with m.Case(*range(_ROLES, SECTOR_WORDS)):
                with m.If(mark == Mark.DROP):
                    # The role of the other lane, whatever number its drive has.
                    roles = word[:16], word[16:]
                    m.d.comb += value.eq(Cat(Mux(role == ~self.lane, ROLE_FAULTY, role)[:16] for role in roles))
        return value

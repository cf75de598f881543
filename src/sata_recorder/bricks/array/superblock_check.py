"""Whether the words of a sector are the superblock of the member that a lane of an array should have."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ...facts.array import DATA_OFFSET, LINEAR, MD_LBA, MD_MAGIC, RAID0
from ...facts.units import SECTOR_WORDS
from ...interface.array import MemberState

__all__ = ["SuperblockCheck"]

_LEVELS = {"raid0": RAID0, "linear": LINEAR & 0xFFFF_FFFF}
#: Roles that it has room for: with these it ends with its sector.
_ROLES = 128
#: Words of it that have a part in more than one thing.
_MAGIC, _DATA_SIZE, _NUMBER, _SUM, _FIRST_ROLE = 0, 34, 40, 54, 64
#: Words that are equal in all members: the set's UUID, its time of creation, and the count of events.
_EQUAL = (4, 5, 6, 7, 16, 17, 50, 51)


class SuperblockCheck(wiring.Component):
    """Compares a superblock as it comes with what it must be, and with that of a lane before.

    The words are those of ``mdp_superblock_1`` of Linux (include/uapi/linux/raid/md_p.h), whose number, of the member,
    and role must both be the lane.

    Parameters
    ----------
    lanes : int
    level : str             "raid0" or "linear".
    chunk_shift : int       A chunk has 1 << ``chunk_shift`` sectors.

    Members
    -------
    begin : In(1)           One clock: the next word is the first one of a sector.
    valid : In(1), word : In(32)    A word of it; those that follow the sector do not count.
    lane : In(range), capacity : In(48)     Whose it is, and the sectors of its drive.
    keep : In(1)            One clock: the words that must be equal are from now on those that came last.
    forget : In(1)          One clock: there are none to be equal to.
    state : Out(MemberState)        BLANK, MEMBER, OTHER_LANE or OTHER_ARRAY; 4 clocks after the last word.
    size : Out(48)          The sectors of data that the member states.
    """

    def __init__(self, lanes, *, level, chunk_shift):
        self._lanes = lanes
        self._level = level
        self._shift = chunk_shift
        super().__init__({
            "begin": In(1), "valid": In(1), "word": In(32), "lane": In(range(lanes)), "capacity": In(48),
            "keep": In(1), "forget": In(1), "state": Out(MemberState), "size": Out(48),
        })

    def elaborate(self, platform):
        m = Module()
        index = Signal(range(SECTOR_WORDS + 1))
        came = Signal()             # a word, a clock ago: the next three are of it
        word, number = Signal(32), Signal(range(SECTOR_WORDS))
        inside = ~index[-1]
        m.d.sync += [came.eq(self.valid & inside), word.eq(self.word), number.eq(index)]
        with m.If(self.begin):
            m.d.sync += index.eq(0)
        with m.Elif(self.valid & inside):
            m.d.sync += index.eq(index + 1)

        blank = Signal()
        damaged = Signal()
        differs = Signal()
        misplaced = Signal()
        with m.If(self.begin):
            m.d.sync += [blank.eq(0), damaged.eq(0), misplaced.eq(0)]
        with m.Elif(came):
            with m.Switch(number):
                for place, expected in self._constants().items():
                    with m.Case(place):
                        with m.If(word != expected):
                            m.d.sync += (blank if place == _MAGIC else damaged).eq(1)
                with m.Case(_NUMBER):
                    with m.If(word != self.lane):
                        m.d.sync += misplaced.eq(1)
                for pair in range((self._lanes + 1) // 2):
                    with m.Case(_FIRST_ROLE + pair):
                        # The role of the lane's number is half a word.
                        role = Mux(self.lane[0], word[16:], word[:16])
                        with m.If((self.lane[1:] == pair) & (role != self.lane)):
                            m.d.sync += misplaced.eq(1)
                with m.Case(_DATA_SIZE):
                    m.d.sync += self.size[:32].eq(word)
                with m.Case(_DATA_SIZE + 1):
                    m.d.sync += self.size[32:].eq(word)
                    with m.If(word[16:].any()):
                        m.d.sync += damaged.eq(1)

        m.d.comb += differs.eq(self._compare(m, came, word, number))
        wrong_sum = self._add(m, came, word, number)
        room = Signal(48)
        too_large, unfit = Signal(), Signal()
        m.d.sync += [
            room.eq(Mux(self.capacity < DATA_OFFSET, 0, self.capacity - DATA_OFFSET)),
            too_large.eq(self.size > room),
            unfit.eq(damaged | differs | wrong_sum | too_large | inside),
            self.state.eq(Mux(blank, MemberState.BLANK, Mux(unfit, MemberState.OTHER_ARRAY, Mux(
                misplaced, MemberState.OTHER_LANE, MemberState.MEMBER)))),
        ]
        return m

    def _constants(self):
        """Words that have one value in each member: magic, version, features, level, layout, size of a component, chunk
        and number of drives, the beginning of the data, the superblock's sector, the number of roles."""
        return {_MAGIC: MD_MAGIC, 1: 1, 2: 0, 18: _LEVELS[self._level], 19: 0, 20: 0, 21: 0, 22: 1 << self._shift,
                23: self._lanes, 32: DATA_OFFSET, 33: 0, 36: MD_LBA, 37: 0, 55: _ROLES}

    def _compare(self, m, came, word, number):
        """Whether a word differs from that of the member that was kept, where they must be equal."""
        places = _EQUAL + ((_DATA_SIZE, _DATA_SIZE + 1) if self._level == "raid0" else ())
        m.submodules.kept = kept = memory.Memory(shape=32, depth=len(places), init=[])
        write, read = kept.write_port(), kept.read_port(domain="comb")
        address = Signal(range(len(places)))
        counts = Signal()
        with m.Switch(number):
            for position, place in enumerate(places):
                with m.Case(place):
                    m.d.comb += [address.eq(position), counts.eq(came)]
        exists = Signal()
        differs = Signal()
        with m.If(self.forget):
            m.d.sync += exists.eq(0)
        with m.Elif(self.keep):
            m.d.sync += exists.eq(1)
        m.d.comb += [write.addr.eq(address), read.addr.eq(address), write.data.eq(word), write.en.eq(counts & ~exists)]
        with m.If(self.begin):
            m.d.sync += differs.eq(0)
        with m.Elif(counts & exists & (read.data != word)):
            m.d.sync += differs.eq(1)
        return differs

    def _add(self, m, came, word, number):
        """Whether the sum of all words is not what its own word states: the carries are added to it."""
        total = Signal(32 + SECTOR_WORDS.bit_length())
        stated = Signal(32)
        wrong = Signal()
        with m.If(self.begin):
            m.d.sync += total.eq(0)
        with m.Elif(came & (number == _SUM)):
            m.d.sync += stated.eq(word)
        with m.Elif(came):
            m.d.sync += total.eq(total + word)
        folded = Signal(32)
        m.d.comb += folded.eq(total[:32] + total[32:])
        m.d.sync += wrong.eq(folded != stated)
        return wrong

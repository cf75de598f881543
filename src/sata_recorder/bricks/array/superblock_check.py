"""Whether the words of a sector are the superblock of the member that a lane of an array should have."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ...facts.array import DATA_OFFSET, LINEAR, MD_LBA, MD_MAGIC, RAID0, RAID1
from ...facts.units import SECTOR_WORDS
from ...interface.array import MemberState

__all__ = ["SuperblockCheck"]

_LEVELS = {"raid0": RAID0, "raid1": RAID1, "linear": LINEAR & 0xFFFF_FFFF}
#: Roles that it has room for: with so many it ends with its sector.
_ROLES = 128
#: Words of it that are needed in more than one place.
_MAGIC, _SIZE, _DATA_SIZE, _PLACE, _NUMBER, _EVENTS, _RESYNC, _SUM, _FIRST_ROLE = 0, 20, 34, 36, 40, 50, 52, 54, 64
#: Words that are equal in all members: the set's UUID and its time of creation; and, except in mirrors, the count of
#: events.
_SET, _COUNT = (4, 5, 6, 7, 16, 17), (_EVENTS, _EVENTS + 1)


class SuperblockCheck(wiring.Component):
    """Compares a superblock, while it is read, with what it must be, and with that of an earlier lane.

    The words are those of ``mdp_superblock_1`` of Linux (include/uapi/linux/raid/md_p.h). The number of the member and
    its role must both be the lane; with "raid1" only the role. With "raid1" a superblock has version 1.0: it is at the
    end of the drive, and the data begin at sector 0. What may differ there between two members that were one array is
    shown, and does not count for ``state``.

    Parameters
    ----------
    lanes : int
    level : str             "raid0", "raid1" or "linear".
    chunk_shift : int       A chunk has 1 << ``chunk_shift`` sectors; not of "raid1".

    Members
    -------
    begin : In(1)           One clock: the next word is the first one of a sector.
    valid : In(1), word : In(32)    A word of it; those that follow the sector do not count.
    lane : In(range), capacity : In(48)     Whose it is, and the sectors of its drive.
    keep : In(1)            One clock: later superblocks must equal the one that came last, unless one was kept before.
    forget : In(1)          One clock: none is kept.
    state : Out(MemberState)        BLANK, MEMBER, OTHER_LANE or OTHER_ARRAY; 5 clocks after the last word. UNREADABLE
                                    while not all of the sector's words have come.
    size : Out(48)          The sectors of data that the member states.

    Of "raid1" also, with ``state``:

    place : In(48)          The sector that is read.
    differs : Out(1)        It is of another set than the one that was kept, or states another size.
    events : Out(48)        Its count of events; one of more than 48 bits counts as damaged.
    dirty : Out(1)          The members may differ.
    drops : Out(1)          No drive has the role of the other lane.
    """

    def __init__(self, lanes, *, level, chunk_shift=0):
        self._lanes = lanes
        self._level = level
        self._shift = chunk_shift
        self._mirrors = level == "raid1"
        super().__init__({
            "begin": In(1), "valid": In(1), "word": In(32), "lane": In(range(lanes)), "capacity": In(48),
            "keep": In(1), "forget": In(1), "state": Out(MemberState), "size": Out(48),
            "place": In(48), "differs": Out(1), "events": Out(48), "dirty": Out(1), "drops": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        index = Signal(range(SECTOR_WORDS + 1))
        came = Signal()             # a word has come, a clock ago: the next two are it and its index
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
        size = _SIZE if self._mirrors else _DATA_SIZE
        data = [Signal(32, name=f"data{half}") for half in range(2)] if self._mirrors else []
        with m.If(self.begin):
            m.d.sync += [blank.eq(0), damaged.eq(0), misplaced.eq(0)]
        with m.Elif(came):
            with m.Switch(number):
                for place, expected in self._constants().items():
                    with m.Case(place):
                        with m.If(word != expected):
                            m.d.sync += (blank if place == _MAGIC else damaged).eq(1)
                if self._mirrors:
                    self._of_mirrors(m, word, number, data, damaged, misplaced)
                else:
                    with m.Case(_NUMBER):
                        with m.If(word != self.lane):
                            m.d.sync += misplaced.eq(1)
                for pair in range(0 if self._mirrors else (self._lanes + 1) // 2):
                    with m.Case(_FIRST_ROLE + pair):
                        # A word has two roles.
                        role = Mux(self.lane[0], word[16:], word[:16])
                        with m.If((self.lane[1:] == pair) & (role != self.lane)):
                            m.d.sync += misplaced.eq(1)
                with m.Case(size):
                    m.d.sync += self.size[:32].eq(word)
                with m.Case(size + 1):
                    m.d.sync += self.size[32:].eq(word)
                    with m.If(word[16:].any()):
                        m.d.sync += damaged.eq(1)

        m.d.comb += differs.eq(self._compare(m, came, word, number))
        wrong_sum = self._add(m, came, word, number)
        needed = Signal(49)         # sectors of a drive that has room
        room = Signal(48)
        too_large, unfit = Signal(), Signal()
        if self._mirrors:
            m.d.comb += self.differs.eq(differs)
            with m.If(came & (number == _ROLES - 1) & (Cat(data)[:48] < self.size)):
                m.d.sync += damaged.eq(1)
        m.d.sync += [
            needed.eq(self.size + (0 if self._mirrors else DATA_OFFSET)),
            room.eq(self.place if self._mirrors else self.capacity),
            too_large.eq(needed > room),
            unfit.eq(damaged | (0 if self._mirrors else differs) | wrong_sum | too_large),
            self.state.eq(Mux(inside, MemberState.UNREADABLE, Mux(blank, MemberState.BLANK, Mux(
                unfit, MemberState.OTHER_ARRAY, Mux(misplaced, MemberState.OTHER_LANE, MemberState.MEMBER))))),
        ]
        return m

    def _constants(self):
        """Words that have the same value in each member: magic, version, features, level, layout, size of a component,
        chunk and number of drives, the beginning of the data, the superblock's sector, the number of roles."""
        size, chunk, data, place = {_SIZE: 0, _SIZE + 1: 0}, 1 << self._shift, DATA_OFFSET, (MD_LBA, 0)
        if self._mirrors:
            size, chunk, data, place = {}, 0, 0, (self.place[:32], self.place[32:])
        return {_MAGIC: MD_MAGIC, 1: 1, 2: 0, 18: _LEVELS[self._level], 19: 0, **size, 22: chunk, 23: self._lanes,
                32: data, 33: 0, _PLACE: place[0], _PLACE + 1: place[1], 55: _ROLES}

    def _of_mirrors(self, m, word, number, data, damaged, misplaced):
        """Words of a member of two that hold the same, as cases of ``number``. Linux may give a drive any number: its
        role counts."""
        own = Signal(32, name="own_number")
        with m.Case(_NUMBER):
            m.d.sync += [own.eq(word), self.drops.eq(1), misplaced.eq(1)]
        with m.Case(*range(_FIRST_ROLE, _ROLES)):
            for half in range(2):
                role = word[16 * half:16 * half + 16]
                with m.If(role == ~self.lane[0]):
                    m.d.sync += self.drops.eq(0)
                with m.If((role == self.lane) & (own == Cat(C(half, 1), number[:6]))):
                    m.d.sync += misplaced.eq(0)
        for half in range(2):
            # What a drive has room for may be more than what all give.
            with m.Case(_DATA_SIZE + half):
                m.d.sync += data[half].eq(word)
            with m.Case(_EVENTS + half):
                m.d.sync += (self.events[32:] if half else self.events[:32]).eq(word)
                if half:
                    with m.If(word[16:].any()):
                        m.d.sync += damaged.eq(1)
            with m.Case(_RESYNC + half):
                m.d.sync += self.dirty.eq((word != 0xFFFF_FFFF) | (self.dirty if half else 0))

    def _compare(self, m, came, word, number):
        """Whether a word that must be equal differs from that of the member that was kept."""
        places = {
            "raid0": (*_SET, *_COUNT, _DATA_SIZE, _DATA_SIZE + 1), "linear": (*_SET, *_COUNT),
            "raid1": (*_SET, _SIZE, _SIZE + 1)}[self._level]
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
        """Whether the sum of all other words, with its carries added to it, is not what the word at ``_SUM`` states."""
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

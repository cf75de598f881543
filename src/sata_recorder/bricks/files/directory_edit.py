"""The directory sector that makes a file of a recording (Microsoft, "exFAT file system
specification", section 6.3 "Generic Primary DirectoryEntry Template", section 7.4 "File Directory
Entry" and section 7.6 "Stream Extension Directory Entry")."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .choice import choice
from .sector_memory import SectorMemoryPort
from .signature import FileTime

__all__ = ["DirectoryEdit"]

#: Words of an entry, and of an entry set: File, Stream Extension, File Name.
_ENTRY, _SET = 8, 24
#: Words of an entry set: times of the File entry; lengths and cluster of the Stream Extension.
_CREATED, _MODIFIED, _ACCESSED, _TIMES_REST, _OFFSET_REST = 2, 3, 4, 5, 6
_VALID_LENGTH, _CLUSTER, _LENGTH = 10, 13, 14
#: Of the Stream Extension: its first word with NameLength, and NameHash; the first word of the File
#: Name.
_STREAM, _NAME_HASH, _NAME = 8, 9, 16
#: First words of the entries of a set of three: EntryType, SecondaryCount; GeneralSecondaryFlags with
#: AllocationPossible and NoFatChain. The second word of the File entry: FileAttributes, Archive.
_FILE_HEAD, _STREAM_HEAD, _NAME_HEAD, _ATTRIBUTES = 0x85 | 2 << 8, 0xC0 | 3 << 8, 0xC1, 0x20


class DirectoryEdit(wiring.Component):
    """Writes both entry sets of a slot in the memory, word by word, with their checksums.

    The recording becomes a file of its length, in use. Nothing is kept of what was in its place:
    another system may have had a file there. The file of what the recording leaves over, whose
    entries are known to be the slot's own, begins after it; it is not in use where nothing is left.
    A second edit of the same sector with other lengths is as good as the first one. Latency: 410
    clocks from ``start`` to ``done``.

    Members
    -------
    start : In(1)           One clock: the others are valid, and stay so until ``done``.
    size : In(48), cluster : In(32)     Bytes of the recording, and where it begins; after ``split`` those of
                            what it leaves over.
    some : In(1)            After ``split``: it leaves something over.
    split : Out(1), split_done : In(1)          Start and end of :class:`.cluster_split.ClusterSplit`.
    time : In(FileTime)     When it began. Without a clock its file is as old as that of what it
                            leaves over.
    name_length : In(4), name_hash : In(16), name_next : Out(1), characters : In(32)
                            Of :class:`.file_name.FileName`.
    memory : Out(SectorMemoryPort)
    done : Out(1)           One clock: the sector in the memory is the new one.
    """

    start: In(1)
    size: In(48)
    cluster: In(32)
    some: In(1)
    split: Out(1)
    split_done: In(1)
    time: In(FileTime)
    name_length: In(4)
    name_hash: In(16)
    name_next: Out(1)
    characters: In(32)
    memory: Out(SectorMemoryPort())
    done: Out(1)

    def elaborate(self, platform):
        m = Module()
        memory = self.memory
        place = Signal(range(2 * _SET))     # of the word in both sets
        heads = Signal()                # the first word of the set a second time, with its checksum
        is_unused = Signal()            # the second set
        byte = Signal(2)
        word = Signal(32)
        total = Signal(16)              # SetChecksum
        in_use = ~is_unused | self.some
        is_first = (place == 0) | (place == _SET)
        ends = (place == _SET - 1) | (place == 2 * _SET - 1)
        m.d.comb += memory.data.eq(Cat(word[:7], Mux(place % _ENTRY == 0, word[7] & in_use, word[7]), word[8:]))
        patched = self._patched(m, place, heads, total)
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [place.eq(0), heads.eq(0), is_unused.eq(0), total.eq(0), word.eq(0)]
                with m.If(self.start):
                    m.next = "READ"
            with m.State("READ"):
                m.d.comb += memory.address.eq(place)
                with m.If(~is_unused & ~self.time.valid & ~heads):
                    # Only the times of what is unused are read.
                    m.d.comb += memory.address.eq(_SET + Mux(place < _TIMES_REST, _CREATED, _TIMES_REST))
                m.next = "PATCH"
            with m.State("PATCH"):
                # For the next word.
                m.d.comb += self.name_next.eq((place >= _NAME) & (place < _SET - 1) & ~heads)
                m.d.sync += [word.eq(patched), byte.eq(0)]
                m.next = "SUM"
                with m.If(heads):
                    m.next = "WRITE"
            with m.State("SUM"):
                # The checksum itself does not count: bytes 2 and 3 of the set.
                with m.If(~is_first | ~byte[1]):
                    m.d.sync += total.eq(Cat(total[1:], total[0]) + word.word_select(byte, 8))
                m.d.sync += byte.eq(byte + 1)
                with m.If(byte == 3):
                    m.next = "WRITE"
            with m.State("WRITE"):
                # The checksum is that of a set in use.
                m.d.comb += [memory.address.eq(place), memory.write.eq(1)]
                m.d.sync += place.eq(place + 1)
                m.next = "READ"
                with m.If(ends):
                    m.d.sync += [place.eq(Mux(is_unused, _SET, 0)), heads.eq(1)]
                with m.If(heads):
                    m.d.sync += [place.eq(_SET), heads.eq(0), is_unused.eq(1), total.eq(0)]
                    m.d.comb += [self.split.eq(~is_unused), self.done.eq(is_unused)]
                    m.next = "SPLIT"
                    with m.If(is_unused):
                        m.next = "IDLE"
            with m.State("SPLIT"):
                with m.If(self.split_done):
                    m.next = "READ"
        return m

    def _patched(self, m, place, heads, total):
        """The word at ``place`` as it becomes, with its type in use; ``place`` has been that for two clocks."""
        read, time, size = self.memory.read, self.time, self.size

        def at(*places):
            """A word of the recording."""
            return ~heads & Cat(place == one for one in places).any()

        def of_both(first):
            return at(first, _SET + first, first + _LENGTH - _VALID_LENGTH, _SET + first + _LENGTH - _VALID_LENGTH)

        unused = (place >= _SET) & ~Cat(
            place == _SET + one
            for one in (_VALID_LENGTH, _VALID_LENGTH + 1, _CLUSTER, _LENGTH, _LENGTH + 1)).any() & ~heads
        times, rest, offset = at(_CREATED, _MODIFIED, _ACCESSED), at(_TIMES_REST), at(_OFFSET_REST)
        old = times & ~time.valid | unused
        old_rest, old_offset = rest & ~time.valid, offset & ~time.valid
        # What is in none of these is 0: place of the lowest bit, condition, value.
        words = [
            (0, at(0), C(_FILE_HEAD, 16)),
            (0, at(1), C(_ATTRIBUTES, 6)),
            (0, times & time.valid, time.seconds),
            (0, rest & time.valid, Cat(time.ten_ms, time.ten_ms, time.offset, time.offset)),
            (0, offset & time.valid, time.offset),
            (0, old | old_rest | heads, read[:8]), (8, old | heads, read[8:16]),
            (16, old | old_rest, read[16:24]), (24, old, read[24:]),
            (8, old_rest, read[:8]), (24, old_rest, read[16:24]), (0, old_offset, read[16:24]),
            (7, unused & (place % _ENTRY == 0), C(1, 1)),
            (0, at(_STREAM), Cat(C(_STREAM_HEAD, 24), self.name_length)),
            (0, at(_NAME_HASH), self.name_hash),
            (0, of_both(_VALID_LENGTH), size[:32]),
            (0, of_both(_VALID_LENGTH + 1), size[32:]),
            (0, at(_CLUSTER, _SET + _CLUSTER), self.cluster),
            (0, at(_NAME), C(_NAME_HEAD | ord("R") << 16, 32)),
            (0, (place > _NAME) & (place < _SET), self.characters),
            (16, heads, total),
        ]
        # In registers: half as many tables.
        selected = Signal(len(words))
        m.d.sync += selected.eq(Cat(condition for _, condition, _ in words))
        return choice((one, Cat(C(0, low), value)) for one, (low, _, value) in zip(selected, words))

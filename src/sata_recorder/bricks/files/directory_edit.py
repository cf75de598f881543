"""The directory sector that makes a file of a recording (Microsoft, "exFAT file system
specification", section 6.3 "Generic Primary DirectoryEntry Template", section 7.4 "File Directory
Entry" and section 7.6 "Stream Extension Directory Entry")."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .choice import choice
from .sector_memory import DIRECTORY_BASE, SectorMemoryPort
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
    A second edit of the same sector with other lengths is as good as the first one. Latency: 340
    clocks from ``start`` to ``done``.

    Members
    -------
    start : In(1)           One clock: the others are valid, and stay so until ``done``.
    bytes : In(48)          Bytes of the recording.
    first_cluster : In(32)  Where it begins.
    time : In(FileTime)     When it began. Without a clock its file is as old as that of what it
                            leaves over.
    unused_cluster : In(32), unused_bytes : In(48)      What it leaves over.
    name_length : In(4), name_hash : In(16), name_pair : Out(3), characters : In(32)
                            Of :class:`.file_name.FileName`.
    memory : Out(SectorMemoryPort)
    done : Out(1)           One clock: the sector in the memory is the new one.
    """

    start: In(1)
    bytes: In(48)
    first_cluster: In(32)
    time: In(FileTime)
    unused_cluster: In(32)
    unused_bytes: In(48)
    name_length: In(4)
    name_hash: In(16)
    name_pair: Out(3)
    characters: In(32)
    memory: Out(SectorMemoryPort())
    done: Out(1)

    def elaborate(self, platform):
        m = Module()
        memory = self.memory
        place = Signal(range(_SET))     # of the word in its set
        is_unused = Signal()            # the second set
        byte = Signal(2)
        word = Signal(32)
        head = Signal(16)               # the lower half of the first word of the set
        total = Signal(16)              # SetChecksum
        in_use = Signal()
        address = Signal(range(2 * _SET))
        patched = Signal(32)
        m.d.comb += [
            address.eq(DIRECTORY_BASE + place + Mux(is_unused, _SET, 0)),
            in_use.eq(~is_unused | (self.unused_bytes != 0)),
            patched.eq(self._patched(m, place, is_unused)),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [place.eq(0), is_unused.eq(0), total.eq(0)]
                with m.If(self.start):
                    m.next = "READ"
            with m.State("READ"):
                m.d.comb += memory.address.eq(address)
                with m.If(~is_unused & ~self.time.valid):
                    # Only the times of what is unused are read.
                    m.d.comb += memory.address.eq(
                        DIRECTORY_BASE + _SET + Mux(place < _TIMES_REST, _CREATED, _TIMES_REST))
                m.next = "PATCH"
            with m.State("PATCH"):
                m.d.sync += [word.eq(patched), byte.eq(0)]
                m.next = "SUM"
            with m.State("SUM"):
                # The checksum itself does not count: bytes 2 and 3 of the set.
                with m.If((place != 0) | ~byte[1]):
                    m.d.sync += total.eq(Cat(total[1:], total[0]) + word[:8])
                m.d.sync += [byte.eq(byte + 1), word.eq(word.rotate_right(8))]
                with m.If(byte == 3):
                    m.next = "WRITE"
            with m.State("WRITE"):
                # The checksum is that of a set in use.
                m.d.comb += [
                    memory.address.eq(address), memory.write.eq(1),
                    memory.data.eq(_typed(word, place % _ENTRY == 0, in_use)),
                ]
                m.d.sync += place.eq(place + 1)
                with m.If(place == 0):
                    m.d.sync += head.eq(_typed(word, 1, in_use)[:16])
                m.next = "READ"
                with m.If(place == _SET - 1):
                    m.d.sync += place.eq(0)
                    m.next = "HEAD"
            with m.State("HEAD"):
                m.d.comb += [memory.address.eq(address), memory.write.eq(1),
                             memory.data.eq(Cat(head, total))]
                m.d.sync += [is_unused.eq(1), total.eq(0)]
                m.next = "READ"
                with m.If(is_unused):
                    m.d.comb += self.done.eq(1)
                    m.next = "IDLE"
        return m

    def _patched(self, m, place, is_unused):
        """The word of the set at ``place`` as it becomes, with its type in use; ``place`` has been
        that for two clocks."""
        read, time = self.memory.read, self.time
        seconds = Mux(time.valid, time.seconds, read)
        ten_ms = Mux(time.valid, time.ten_ms, read[:8])
        offset = Mux(time.valid, time.offset, read[16:24])
        size = Mux(is_unused, self.unused_bytes, self.bytes)
        m.d.comb += self.name_pair.eq(place - _NAME - 1)

        def of_recording(*places):
            return ~is_unused & Cat(place == one for one in places).any()

        def of_unused(*places):
            return is_unused & Cat(place == one for one in places).any()

        def of_both(place):
            return of_recording(place) | of_unused(place)

        lengths = of_unused(_VALID_LENGTH, _VALID_LENGTH + 1, _CLUSTER, _LENGTH, _LENGTH + 1)
        # What is in none of these is 0.
        words = [
            (of_recording(0), C(_FILE_HEAD, 32)),
            (of_recording(1), C(_ATTRIBUTES, 32)),
            (of_recording(_CREATED, _MODIFIED, _ACCESSED), seconds),
            (of_recording(_TIMES_REST), Cat(ten_ms, ten_ms, offset, offset)),
            (of_recording(_OFFSET_REST), offset),
            (of_recording(_STREAM), Cat(C(_STREAM_HEAD, 24), self.name_length)),
            (of_recording(_NAME_HASH), self.name_hash),
            (of_both(_VALID_LENGTH) | of_both(_LENGTH), size[:32]),
            (of_both(_VALID_LENGTH + 1) | of_both(_LENGTH + 1), size[32:]),
            (of_recording(_CLUSTER), self.first_cluster),
            (of_unused(_CLUSTER), self.unused_cluster),
            (of_recording(_NAME), C(_NAME_HEAD | ord("R") << 16, 32)),
            (~is_unused & (place > _NAME), self.characters),
            (is_unused & ~lengths, _typed(read, place % _ENTRY == 0, 1)),
        ]
        # In registers: half as many tables.
        selected = Signal(len(words))
        m.d.sync += selected.eq(Cat(condition for condition, _ in words))
        return choice(zip(selected, (value for _, value in words)))


def _typed(word, is_type, in_use):
    """``word`` with the bit of EntryType that states whether the entry is in use, where it
    ``is_type``."""
    return Cat(word[:7], Mux(is_type, in_use, word[7]), word[8:])

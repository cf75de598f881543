"""The directory sector that makes a file of a recording (Microsoft, "exFAT file system
specification", section 6.3 "Generic Primary DirectoryEntry Template", section 7.4 "File Directory
Entry" and section 7.6 "Stream Extension Directory Entry")."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .choice import choice
from .file_name import NAME_CHARACTERS
from .sector_memory import DIRECTORY_BASE, SectorMemoryPort
from .signature import FileTime

__all__ = ["DirectoryEdit"]

#: Words of an entry, and of an entry set: File, Stream Extension, File Name.
_ENTRY, _SET = 8, 24
#: Words of an entry set: times of the File entry; lengths and cluster of the Stream Extension.
_CREATED, _MODIFIED, _ACCESSED, _TIMES_REST, _OFFSET_REST = 2, 3, 4, 5, 6
_VALID_LENGTH, _CLUSTER, _LENGTH = 10, 13, 14
#: Of the Stream Extension: NameLength and NameHash; the first word of the File Name.
_NAME_LENGTH, _NAME_HASH, _NAME = 8, 9, 16


class DirectoryEdit(wiring.Component):
    """Changes both entry sets of a slot in the memory, word by word, with their checksums.

    The recording becomes a file of its length, in use. The file of what it leaves over begins
    behind it; it is not in use where nothing is left. A second edit of the same sector with other
    lengths is as good as the first one. Latency: 340 clocks from ``start`` to ``done``.

    Members
    -------
    start : In(1)           One clock: the others are valid, and stay so until ``done``.
    bytes : In(48)          Bytes of the recording.
    time : In(FileTime)     When it began.
    unused_cluster : In(32), unused_bytes : In(48)      What it leaves over.
    is_named : In(1)        The file gets another name, of 15 characters the first of which is R.
    name_hash : In(16), name_pair : Out(3), characters : In(32)     Of :class:`.file_name.FileName`.
    memory : Out(SectorMemoryPort)
    done : Out(1)           One clock: the sector in the memory is the new one.
    """

    start: In(1)
    bytes: In(48)
    time: In(FileTime)
    unused_cluster: In(32)
    unused_bytes: In(48)
    is_named: In(1)
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
        size = Mux(is_unused, self.unused_bytes, self.bytes)
        is_timed = time.valid & ~is_unused
        renames = self.is_named & ~is_unused
        m.d.comb += self.name_pair.eq(place - _NAME - 1)

        def at(*places):
            return Cat(place == one for one in places).any()

        changes = [
            (at(_CREATED, _MODIFIED, _ACCESSED) & is_timed, time.seconds),
            (at(_TIMES_REST) & is_timed, Cat(time.ten_ms, time.ten_ms, time.offset, time.offset)),
            (at(_OFFSET_REST) & is_timed, Cat(time.offset, read[8:])),
            (at(_VALID_LENGTH, _LENGTH), size[:32]),
            (at(_VALID_LENGTH + 1, _LENGTH + 1), size[32:]),
            (at(_CLUSTER) & is_unused, self.unused_cluster),
            (at(_NAME_LENGTH) & renames, Cat(read[:7], 1, read[8:24], C(NAME_CHARACTERS, 8))),
            (at(_NAME_HASH) & renames, Cat(self.name_hash, read[16:])),
            (at(_NAME) & renames, Cat(read[:7], 1, read[8:16], C(ord("R"), 16))),
            ((place > _NAME) & renames, self.characters),
        ]
        # In registers: half as many tables.
        selected = Signal(len(changes))
        is_type = Signal()
        stays = Signal()
        m.d.sync += [selected.eq(Cat(condition for condition, _ in changes)),
                     is_type.eq(place % _ENTRY == 0),
                     stays.eq(~Cat(condition for condition, _ in changes).any())]
        return choice([(stays, _typed(read, is_type, 1)),
                       *zip(selected, (value for _, value in changes))])


def _typed(word, is_type, in_use):
    """``word`` with the bit of EntryType that says whether the entry is in use, where it
    ``is_type``."""
    return Cat(word[:7], Mux(is_type, in_use, word[7]), word[8:])

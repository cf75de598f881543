"""Directory entries of exFAT: sets of a file, times, checksums, name hashes.

Microsoft, "exFAT file system specification", section 6 "Directory Structure", section 7.4 "File
Directory Entry", section 7.6 "Stream Extension Directory Entry" and section 7.7 "File Name
Directory Entry".
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Self

from .malformed import Malformed

__all__ = ["ARCHIVE", "DIRECTORY", "END_ENTRY", "ENTRY_BYTES", "HIDDEN", "IN_USE", "READ_ONLY", "SYSTEM",
           "FileSet", "Timestamp", "UNUSED_ENTRY", "bitmap_entry", "check_name", "label_entry",
           "masked", "name_hash", "set_checksum", "upcase_entry", "upcased"]

ENTRY_BYTES = 32
#: FileAttributes (section 7.4.4).
READ_ONLY, HIDDEN, SYSTEM, DIRECTORY, ARCHIVE = 1, 2, 4, 0x10, 0x20
#: The bit of EntryType of an entry that is in use (section 6.2.1.4), and the EntryType after which
#: nothing follows in its directory (section 6.2.1).
IN_USE, END_ENTRY = 0x80, 0x00
_FILE, _STREAM, _NAME = 0x85, 0xC0, 0xC1
_BITMAP, _UPCASE, _LABEL = 0x81, 0x82, 0x83
#: GeneralSecondaryFlags (section 6.4.2).
_ALLOCATION, _NO_FAT_CHAIN = 1, 2
_NAME_CHARACTERS = 15           # of a File Name entry
_MOST_NAME = 255
_FORBIDDEN = '"*/:<>?\\|'       # and the codes below 20h (section 7.7.3)

_FILE_ENTRY = struct.Struct("<BBHHxxIIIBBBBB7x")
_STREAM_ENTRY = struct.Struct("<BBxBHxxQ4xIQ")

#: An entry that is not in use and is not the end of its directory (section 6.2.1).
UNUSED_ENTRY = bytes([_FILE & ~IN_USE]) + bytes(ENTRY_BYTES - 1)


@dataclass(frozen=True)
class Timestamp:
    """A time as an entry has it (section 7.4.8): ``seconds`` is the packed date and time, in steps
    of 2 s; ``ten_ms`` units of 10 ms, 0 to 199; ``offset`` from UTC in quarters of an hour, signed, in bits 6:0, where
    bit 7 states that it is valid."""

    seconds: int
    ten_ms: int = 0
    offset: int = 0x80          # valid, UTC

    @classmethod
    def of(cls, time: datetime) -> Self:
        """The timestamp of a ``datetime``; one without a time zone is UTC, one that is further from UTC than an
        offset can state gets the nearest that can. Raises ``ValueError`` beyond 1980 to 2107."""
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time
        quarters = round((time.utcoffset() or timedelta()) / timedelta(minutes=15))
        quarters = min(max(quarters, -64), 63)
        if 1979 <= time.year <= 2108:       # Python has no time beyond its own years
            time = time.astimezone(timezone(timedelta(minutes=15 * quarters)))
        if not 1980 <= time.year <= 2107:
            raise ValueError(f"the year {time.year} is not in 1980 to 2107")
        seconds = (time.year - 1980 << 25 | time.month << 21 | time.day << 16 | time.hour << 11
                   | time.minute << 5 | time.second // 2)
        return cls(seconds, time.second % 2 * 100 + time.microsecond // 10_000,
                   0x80 | quarters & 0x7F)

    @property
    def packed(self) -> int:
        """As the request `time` of a board takes it: ``seconds`` in bits 31:0, ``ten_ms`` in 39:32,
        ``offset`` in 47:40."""
        return self.seconds | self.ten_ms << 32 | self.offset << 40

    def datetime(self) -> Any:
        """The time; None if the field holds none."""
        word = self.seconds
        quarters = (self.offset & 0x7F ^ 0x40) - 0x40 if self.offset & 0x80 else 0
        try:
            return datetime(
                1980 + (word >> 25), word >> 21 & 15, word >> 16 & 31, word >> 11 & 31,
                word >> 5 & 63, (word & 31) * 2,
                tzinfo=timezone(timedelta(minutes=15 * quarters))) + timedelta(
                    milliseconds=10 * self.ten_ms)
        except (ValueError, OverflowError):
            return None


def set_checksum(entries: bytes | bytearray) -> int:
    """SetChecksum of a set of entries (section 6.3.3)."""
    total = 0
    for place, byte in enumerate(entries):
        if place not in (2, 3):
            total = ((total << 15 | total >> 1) + byte) & 0xFFFF
    return total


def masked(entries: bytes) -> bytes:
    """An entry set as it is compared: without SetChecksum, the archive bit and all times, which a
    system may write when it reads or lists a file."""
    found = bytearray(entries)
    found[2:4] = bytes(2)
    found[4] &= ~ARCHIVE
    found[8:25] = bytes(17)
    return bytes(found)


def name_hash(name: str, upcase: Sequence[int] | None = None) -> int:
    """NameHash of ``name`` (section 7.6.4); ``upcase`` is the expanded up-case table, None the
    mandatory one."""
    total = 0
    for code in upcased(name, upcase):
        for byte in code & 0xFF, code >> 8:
            total = ((total << 15 | total >> 1) + byte) & 0xFFFF
    return total


def upcased(name: str, upcase: Sequence[int] | None = None) -> tuple[int, ...]:
    """The characters of ``name`` in upper case, as numbers: equal for two names that count as one."""
    if upcase is None:
        return tuple(ord(chr(code).upper()) if code < 128 else code for code in _codes(name))
    return tuple(upcase[code] for code in _codes(name))


def _codes(name):
    packed = name.encode("utf-16-le", "surrogatepass")
    return struct.unpack(f"<{len(packed) // 2}H", packed)


def check_name(name: str) -> None:
    """Refuses a name that a file cannot have. Raises ``ValueError`` with the rest of a sentence."""
    if not 1 <= len(_codes(name)) <= _MOST_NAME:
        raise ValueError(f"has {len(_codes(name))} characters, 1 to {_MOST_NAME} are possible")
    for character in name:
        if character in _FORBIDDEN or ord(character) < 32:
            raise ValueError(f"has the character {character!r}, which no exFAT name can have")
    if name != name.rstrip(" ."):
        raise ValueError("ends in a space or a dot, which some systems cut off")


@dataclass(frozen=True)
class FileSet:
    """The entry set of a file or a directory."""

    name: str
    first_cluster: int          # 0 if it has none
    size: int                   # DataLength
    valid: int                  # ValidDataLength
    attributes: int = ARCHIVE
    contiguous: bool = True     # NoFatChain
    created: Timestamp = field(default_factory=lambda: Timestamp.of(datetime(1980, 1, 1)))
    modified: Timestamp | None = None       # None: as created
    accessed: Timestamp | None = None

    def pack(self, *, used: bool = True) -> bytes:
        """The entries; with ``used`` false as those of a file that was deleted."""
        codes = _codes(self.name)
        names = -(-len(codes) // _NAME_CHARACTERS)
        codes += (0,) * (names * _NAME_CHARACTERS - len(codes))
        modified, accessed = self.modified or self.created, self.accessed or self.created
        content = bytearray(_FILE_ENTRY.pack(
            _FILE, 1 + names, 0, self.attributes, self.created.seconds, modified.seconds,
            accessed.seconds, self.created.ten_ms, modified.ten_ms, self.created.offset,
            modified.offset, accessed.offset))
        chain = _NO_FAT_CHAIN if self.contiguous and self.first_cluster else 0
        content += _STREAM_ENTRY.pack(_STREAM, _ALLOCATION | chain, len(_codes(self.name)),
                                      name_hash(self.name), self.valid, self.first_cluster,
                                      self.size)
        for number in range(names):
            part = codes[number * _NAME_CHARACTERS:(number + 1) * _NAME_CHARACTERS]
            content += struct.pack("<BB15H", _NAME, 0, *part)
        struct.pack_into("<H", content, 2, set_checksum(content))
        if not used:
            for place in range(0, len(content), ENTRY_BYTES):
                content[place] &= ~IN_USE
        return bytes(content)

    @classmethod
    def parse(cls, entries: bytes, upcase: Sequence[int] | None = None) -> Self:
        """The set in ``entries``, its checksum and name hash compared; ``upcase`` as in
        :func:`name_hash`. Raises :exc:`.malformed.Malformed`."""
        if set_checksum(entries) != struct.unpack_from("<H", entries, 2)[0]:
            raise Malformed("its checksum differs")
        (_, _, _, attributes, created, modified, accessed, created_ms, modified_ms, *offsets
         ) = _FILE_ENTRY.unpack_from(entries)
        kinds = [entries[place] for place in range(0, len(entries), ENTRY_BYTES)]
        if kinds[1:3] != [_STREAM, _NAME]:
            raise Malformed("no stream extension and name follow it")
        (_, flags, length, hashed, valid, first, size
         ) = _STREAM_ENTRY.unpack_from(entries, ENTRY_BYTES)
        parts = b"".join(entries[place + 2:place + ENTRY_BYTES] for place in range(
            2 * ENTRY_BYTES, len(entries), ENTRY_BYTES) if entries[place] == _NAME)
        name = parts[:2 * length].decode("utf-16-le", "surrogatepass")
        if len(parts) < 2 * length or not length:
            raise Malformed("its name is shorter than it states")
        if name_hash(name, upcase) != hashed:
            raise Malformed(f"the hash of its name {name!r} differs")
        if valid > size:
            raise Malformed(f"{name!r}: ValidDataLength {valid} is beyond DataLength {size}")
        return cls(name, first, size, valid, attributes, bool(flags & _NO_FAT_CHAIN),
                   Timestamp(created, created_ms, offsets[0]),
                   Timestamp(modified, modified_ms, offsets[1]), Timestamp(accessed, 0, offsets[2]))


def bitmap_entry(first_cluster: int, size: int) -> bytes:
    """The Allocation Bitmap entry (section 7.1)."""
    return struct.pack("<BB18xIQ", _BITMAP, 0, first_cluster, size)


def upcase_entry(checksum: int, first_cluster: int, size: int) -> bytes:
    """The Up-case Table entry (section 7.2)."""
    return struct.pack("<B3xI12xIQ", _UPCASE, checksum, first_cluster, size)


def label_entry(label: str) -> bytes:
    """The Volume Label entry (section 7.3), of at most 11 characters."""
    codes = _codes(label)
    return struct.pack("<BB11H8x", _LABEL, len(codes), *codes, *(0,) * (11 - len(codes)))

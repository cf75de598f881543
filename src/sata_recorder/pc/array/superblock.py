"""The superblock of a member of an array, as Linux md has it: version 1.2, at LBA 8.

Format: Linux, include/uapi/linux/raid/md_p.h, struct mdp_superblock_1. docs/array.md has the fields that are used.
"""

import struct
import uuid
from dataclasses import dataclass
from typing import Self

from ...facts.array import CHUNKS, DATA_OFFSET, LINEAR, MD_LBA, MD_MAGIC, MOST_DRIVES, RAID0

__all__ = ["AREA_BYTES", "Superblock", "SuperblockError"]

#: Bytes from LBA 8 on that a superblock can have: 256, and two for each role.
AREA_BYTES = 4096
#: The numbers of an array; of this member; of its state.
_FIELDS = struct.Struct("<III4x16s32sQiiQII32x" "QQQ8xI4x16s8x" "QQQII32x")
_CHECKSUM = slice(216, 220)
_ROLE = struct.Struct("<H")
#: Roles that are written: with them a superblock has 512 bytes.
_ROLES = 128
_SPARE, _FAULTY = 0xFFFF, 0xFFFE
#: Nothing is left to be made alike.
_IN_SYNC = (1 << 64) - 1
_NAMES = {RAID0: "RAID 0", LINEAR: "linear", 1: "RAID 1", 4: "RAID 4", 5: "RAID 5", 6: "RAID 6", 10: "RAID 10"}


class SuperblockError(ValueError):
    """Why a superblock is none, or none of those that are known: the rest of a sentence about the drive."""


@dataclass(frozen=True)
class Superblock:
    """That of one of ``drives`` members; ``lane`` counts from 0. Sectors are of 512 bytes."""

    array: uuid.UUID            # the same in all members
    member: uuid.UUID           # of this one alone
    level: int                  # RAID0 or LINEAR
    chunk_sectors: int
    drives: int
    lane: int
    data_sectors: int           # from LBA DATA_OFFSET on
    created: int                # seconds since 1970 in bits 39:0, microseconds above; the same in all members
    name: str = ""              # of the array, at most 32 bytes
    updated: int = 0            # as `created`
    events: int = 0             # how often md has written the superblocks of the array

    def pack(self) -> bytes:
        """The 512 bytes."""
        roles = b"".join(_ROLE.pack(lane if lane < self.drives else _SPARE) for lane in range(_ROLES))
        content = bytearray(_FIELDS.pack(
            MD_MAGIC, 1, 0, self.array.bytes, self.name.encode(), self.created, self.level, 0, 0, self.chunk_sectors,
            self.drives, DATA_OFFSET, self.data_sectors, MD_LBA, self.lane, self.member.bytes,
            self.updated, self.events, _IN_SYNC, 0, _ROLES) + roles)
        content[_CHECKSUM] = struct.pack("<I", checksum(content))
        return bytes(content)

    @classmethod
    def parse(cls, content: bytes) -> Self:
        """The superblock in the :data:`AREA_BYTES` from LBA 8 on. Raises :exc:`SuperblockError`."""
        if len(content) < _FIELDS.size or int.from_bytes(content[:4], "little") != MD_MAGIC:
            raise SuperblockError("is no member of an array: it has no md superblock at LBA 8")
        (_, major, features, array, name, created, level, layout, _, chunk, drives, offset, data, place, number,
         member, updated, events, _, written, roles) = _FIELDS.unpack_from(content)
        size = _FIELDS.size + _ROLE.size * roles
        if size > len(content) or checksum(content[:size]) != written:
            raise SuperblockError("has an md superblock that is damaged: its checksum differs")
        if (major, place) != (1, MD_LBA):
            raise SuperblockError(f"has an md superblock of version {major} for LBA {place}, not of version 1.2 for "
                                  f"LBA {MD_LBA}")
        if level not in (RAID0, LINEAR):
            raise SuperblockError(f"is a member of an array of {_NAMES.get(level, f'md level {level}')}; only RAID 0 "
                                  "and linear are known")
        for what, value, known in (("features", features, (0,)), ("a layout", layout, (0,)),
                                   ("data from sector", offset, (DATA_OFFSET,)), ("chunks of", chunk, CHUNKS),
                                   ("drives,", drives, range(2, MOST_DRIVES + 1))):
            if value not in known:
                raise SuperblockError(f"is a member of an array that `prepare` has not made: {what} {value}, known is "
                                      f"{_some(known)}")
        role = _ROLE.unpack_from(content, _FIELDS.size + _ROLE.size * number)[0] if number < roles else _SPARE
        if role >= drives:
            what = "spare" if role == _SPARE else "faulty" if role == _FAULTY else f"{role} of {drives}"
            raise SuperblockError(f"has no place in its array: its role is {what}")
        if not data or data % chunk:
            raise SuperblockError(f"has an md superblock that is impossible: {data} sectors of data in chunks of "
                                  f"{chunk}")
        return cls(uuid.UUID(bytes=array), uuid.UUID(bytes=member), level, chunk, drives, role, data, created,
                   name.split(b"\0")[0].decode("utf-8", "replace"), updated, events)


def checksum(content: bytes | bytearray) -> int:
    """The sum of a superblock of this size in words of 32 bits, without the checksum itself: added up in 64 bits,
    of which the upper half is added to the lower one. A half word may come last."""
    words = bytearray(content)
    words[_CHECKSUM] = bytes(4)
    total = sum(value for value, in struct.iter_unpack("<I", words[:len(words) & ~3]))
    if len(words) & 2:
        total += int.from_bytes(words[-2:], "little")
    return (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF


def _some(known):
    known = list(known)
    return f"{known[0]}" if len(known) == 1 else f"{known[0]} to {known[-1]}"

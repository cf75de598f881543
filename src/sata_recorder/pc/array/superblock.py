"""The superblock of a member of an array, as Linux md has it: version 1.2, at LBA 8, or 1.0, near the end of a mirror.

Format: Linux, include/uapi/linux/raid/md_p.h, struct mdp_superblock_1. docs/array.md has the fields that are used.
"""

import struct
import uuid
from dataclasses import dataclass
from typing import Self

from ...facts.array import (CHUNKS, CLEAN, DATA_OFFSET, LINEAR, MD_LBA, MD_MAGIC, MIRRORS, MOST_DRIVES, RAID0, RAID1,
                            ROLE_FAULTY, ROLE_NONE)

__all__ = ["AREA_BYTES", "DamagedSuperblock", "Superblock", "SuperblockError", "remarked"]

#: Bytes from its LBA on that a superblock can have: 256, and two for each role.
AREA_BYTES = 4096
#: The numbers of an array; of this member; of its state.
_FIELDS = struct.Struct("<III4x16s32sQiiQII32x" "QQQ8xI4x16s8x" "QQQII32x")
_CHECKSUM = slice(216, 220)
#: Where the time of the last change, events and resync offset are, and the number of roles.
_STATE_AT, _ROLES_AT = 192, 220
_STATE = struct.Struct("<QQQ")
_ROLE = struct.Struct("<H")
#: Roles that are written: with them a superblock has 512 bytes.
_ROLES = 128
_NAMES = {RAID0: "RAID 0", LINEAR: "linear", RAID1: "RAID 1", 4: "RAID 4", 5: "RAID 5", 6: "RAID 6", 10: "RAID 10"}


class SuperblockError(ValueError):
    """Why something is no superblock, or none of a known kind: the rest of a sentence about the drive."""


class DamagedSuperblock(SuperblockError):
    """What it states is unknown."""


@dataclass(frozen=True)
class Superblock:
    """The superblock of one of ``drives`` members; ``lane`` counts from 0. Sectors are of 512 bytes.

    ``array`` is the same in all members, ``member`` is of this one alone. ``level`` is 0, 1, or -1 for linear;
    ``chunk_sectors`` are 0 for RAID 1. There are ``data_sectors`` from ``offset`` on. ``created`` and ``updated`` are
    seconds since 1970 in bits 39:0, and microseconds above; ``created`` is the same in all members. ``name`` of the
    array has at most 32 bytes. ``events`` counts how often md has written the superblocks of the array; ``resync`` is
    up to which sector mirrors are alike, all bits set: all of them. ``missing`` are lanes that no longer have a drive,
    by this superblock, and ``lba`` is where it is itself.
    """

    array: uuid.UUID
    member: uuid.UUID
    level: int
    chunk_sectors: int
    drives: int
    lane: int
    data_sectors: int
    created: int
    name: str = ""
    updated: int = 0
    events: int = 0
    resync: int = CLEAN
    missing: tuple[int, ...] = ()
    lba: int = MD_LBA

    @property
    def offset(self) -> int:
        """The sector of the drive where the data begin."""
        return 0 if self.level == RAID1 else DATA_OFFSET

    def pack(self) -> bytes:
        """The 512 bytes."""
        roles = b"".join(_ROLE.pack(ROLE_NONE if lane >= self.drives else ROLE_FAULTY if lane in self.missing else lane)
                         for lane in range(_ROLES))
        size = self.data_sectors if self.level == RAID1 else 0
        content = bytearray(_FIELDS.pack(
            MD_MAGIC, 1, 0, self.array.bytes, self.name.encode(), self.created, self.level, 0, size,
            self.chunk_sectors, self.drives, self.offset, self.data_sectors, self.lba, self.lane, self.member.bytes,
            self.updated, self.events, self.resync, 0, _ROLES) + roles)
        content[_CHECKSUM] = struct.pack("<I", checksum(content))
        return bytes(content)

    @classmethod
    def parse(cls, content: bytes, lba: int = MD_LBA) -> Self:
        """The superblock in the :data:`AREA_BYTES` from ``lba`` on. Raises :exc:`SuperblockError`."""
        if len(content) < _FIELDS.size or int.from_bytes(content[:4], "little") != MD_MAGIC:
            raise SuperblockError(f"is no member of an array: it has no md superblock at LBA {lba}")
        (_, major, features, array, name, created, level, layout, size, chunk, drives, offset, data, place, number,
         member, updated, events, resync, written, roles) = _FIELDS.unpack_from(content)
        length = _FIELDS.size + _ROLE.size * roles
        if length > len(content) or checksum(content[:length]) != written:
            raise DamagedSuperblock("has an md superblock that is damaged: its checksum differs")
        if (major, place) != (1, lba):
            raise SuperblockError(f"has an md superblock of version {major} for LBA {place}, not of version "
                                  f"{'1.2' if lba == MD_LBA else '1.0'} for LBA {lba}")
        levels = (RAID0, LINEAR) if lba == MD_LBA else (RAID1,)
        if level not in levels:
            raise SuperblockError(f"is a member of an array of {_NAMES.get(level, f'md level {level}')}; only "
                                  f"{' and '.join(_NAMES[one] for one in levels)} {'are' if levels[1:] else 'is'} known"
                                  + ("" if lba == MD_LBA else " near the end of a drive"))
        of_mirror = level == RAID1
        for what, value, known in (
                ("features", features, (0,)), ("a layout", layout, (0,)),
                ("data from sector", offset, (0 if of_mirror else DATA_OFFSET,)),
                ("chunks of", chunk, (0,) if of_mirror else CHUNKS),
                ("drives,", drives, (MIRRORS,) if of_mirror else range(2, MOST_DRIVES + 1))):
            if value not in known:
                raise SuperblockError(f"is a member of an array that `prepare` has not made: {what} {value}, known is "
                                      f"{_some(known)}")
        known_roles = [_role(content, one) for one in range(roles)]
        role = known_roles[number] if number < roles else ROLE_NONE
        if role >= drives:
            what = "spare" if role == ROLE_NONE else "faulty" if role == ROLE_FAULTY else f"{role} of {drives}"
            raise SuperblockError(f"has no place in its array: its role is {what}")
        if of_mirror and not 0 < size <= min(data, lba):
            raise SuperblockError(f"has an md superblock that is impossible: {size} sectors of the {data} before LBA "
                                  f"{lba}")
        if not of_mirror and (not data or data % chunk):
            raise SuperblockError(f"has an md superblock that is impossible: {data} sectors of data in chunks of "
                                  f"{chunk}")
        return cls(uuid.UUID(bytes=array), uuid.UUID(bytes=member), level, chunk, drives, role,
                   size if of_mirror else data, created, name.split(b"\0")[0].decode("utf-8", "replace"), updated,
                   events, resync, tuple(lane for lane in range(drives) if lane not in known_roles), lba)


def remarked(content: bytes, *, events: int, resync: int | None = None, dropped: int | None = None) -> bytes:
    """The superblock ``content`` with another count of events, with a resync offset, and without the lane
    ``dropped``; all else stays, whoever has written it."""
    changed = bytearray(content)
    updated, _, was = _STATE.unpack_from(changed, _STATE_AT)
    _STATE.pack_into(changed, _STATE_AT, updated, events, was if resync is None else resync)
    roles = int.from_bytes(changed[_ROLES_AT:_ROLES_AT + 4], "little")
    for number in range(roles):
        if dropped is not None and _role(changed, number) == dropped:
            _ROLE.pack_into(changed, _FIELDS.size + _ROLE.size * number, ROLE_FAULTY)
    length = _FIELDS.size + _ROLE.size * roles
    changed[_CHECKSUM] = struct.pack("<I", checksum(changed[:length]))
    return bytes(changed)


def _role(content, number):
    return _ROLE.unpack_from(content, _FIELDS.size + _ROLE.size * number)[0]


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

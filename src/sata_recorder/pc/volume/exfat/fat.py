"""The file allocation table and the allocation bitmap of exFAT.

Microsoft, "exFAT file system specification", section 4.1 "First and Second FAT Sub-regions" and
section 7.1.5 "Allocation Bitmap".
"""

import struct
from collections.abc import Callable
from typing import Self

from .malformed import Malformed

__all__ = ["BAD", "END", "Bitmap", "chain_entries", "first_entries", "follow"]

END, BAD = 0xFFFFFFFF, 0xFFFFFFF7
_MEDIA = 0xFFFFFFF8             # FatEntry[0]; FatEntry[1] has all ones


def first_entries() -> bytes:
    """FatEntry[0] and FatEntry[1]."""
    return struct.pack("<II", _MEDIA, END)


def chain_entries(first: int, count: int) -> bytes:
    """The FAT entries of ``count`` clusters in a row from ``first``: each names the next."""
    return struct.pack(f"<{count}I", *range(first + 1, first + count), END)


def follow(entry: Callable[[int], int], first: int, count: int | None, clusters: int) -> list[int]:
    """The clusters of a chain from ``first``, of ``count`` clusters or up to its end (None).

    ``entry(cluster)`` reads the FAT, of a heap of ``clusters``. Raises :exc:`.malformed.Malformed`.
    """
    found, cluster = [], first
    while True:
        if not 2 <= cluster < clusters + 2:
            raise Malformed(f"has a FAT chain from cluster {first} that leads to {cluster:#x}")
        found.append(cluster)
        if count is not None and len(found) == count:
            return found
        if len(found) > clusters:
            raise Malformed(f"has a FAT chain from cluster {first} that never ends")
        cluster = entry(cluster)
        if cluster == END:
            if count is not None:
                raise Malformed(f"has a FAT chain from cluster {first} that ends after "
                                f"{len(found)} of {count} clusters")
            return found


class Bitmap:
    """Which clusters are in use: bit 0 of byte 0 is cluster 2."""

    def __init__(self, clusters: int, content: bytes | None = None) -> None:
        self.clusters = clusters
        size = -(-clusters // 8)
        if content is not None and len(content) < size:
            raise Malformed(f"has an allocation bitmap of {len(content)} bytes for {clusters} "
                            "clusters")
        self.content = bytearray(size) if content is None else bytearray(content[:size])

    def set(self, first: int, count: int) -> bool:
        """Marks ``count`` clusters from ``first`` as used; returns whether none of them was before."""
        start, stop = first - 2, first - 2 + count
        if not 0 <= start <= stop <= self.clusters:
            raise Malformed(f"has {count} clusters from {first} beyond its {self.clusters}")
        free = True
        while start < stop:
            if start % 8 == 0 and stop - start >= 8:
                size = (stop - start) // 8
                place = slice(start // 8, start // 8 + size)
                free = free and not any(self.content[place])
                self.content[place] = b"\xff" * size
                start += 8 * size
                continue
            free = free and not self.content[start // 8] >> start % 8 & 1
            self.content[start // 8] |= 1 << start % 8
            start += 1
        return free

    def all_used(self, first: int, count: int) -> bool:
        """Whether all of ``count`` clusters from ``first`` are in use; false beyond the heap."""
        start, stop = first - 2, first - 2 + count
        if not 0 <= start <= stop <= self.clusters:
            return False
        while start < stop:
            if start % 8 == 0 and stop - start >= 8:
                size = (stop - start) // 8
                if self.content.count(0xFF, start // 8, start // 8 + size) != size:
                    return False
                start += 8 * size
                continue
            if not self.content[start // 8] >> start % 8 & 1:
                return False
            start += 1
        return True

    def used(self, cluster: int) -> bool:
        """Whether ``cluster`` is in use."""
        return bool(self.content[(cluster - 2) // 8] >> (cluster - 2) % 8 & 1)

    def differing(self, other: Self) -> tuple[int, int | None]:
        """The clusters that are used here and not in ``other``: how many, and the first."""
        mine, theirs = (int.from_bytes(one.content, "little") for one in (self, other))
        extra = mine & ~theirs & (1 << self.clusters) - 1
        return extra.bit_count(), (extra & -extra).bit_length() + 1 if extra else None

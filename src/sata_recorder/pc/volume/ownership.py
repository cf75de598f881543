"""Who has the clusters of the slots: each slot's are those of its own files, and of nothing else."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from .exfat import Malformed, Volume
from .table import Slot

__all__ = ["Ownership"]


class Ownership:
    """The files of a :class:`.exfat.Volume` that have clusters of ``slots``.

    ``problems`` states of which files the clusters are not known: then whose those of a slot are is
    not known either. Raises ``OSError``.
    """

    def __init__(self, volume: Volume, slots: Sequence[Slot]) -> None:
        self._bitmap = volume.bitmap
        self._slots = sorted(slots, key=lambda slot: slot.first_cluster)
        self._starts = [slot.first_cluster for slot in self._slots]
        self._reached = list(accumulate((slot.first_cluster + slot.clusters for slot in self._slots),
                                        max))
        self._owners: dict[int, list[Any]] = {slot.number: [] for slot in slots}
        self.problems = []
        for name, runs in volume.system:
            self._own((None, name), runs)
        for node in volume.walk():
            try:
                self._own((node.place, node.path), volume.clusters(node.set))
            except Malformed as error:
                self.problems.append(f"{node.path}: {error}")

    def _own(self, owner, runs):
        for first, count in runs:
            # From the first slot on that ends after the beginning of this run, or has one before it that does.
            place = bisect_right(self._reached, first)
            while place < len(self._slots) and self._starts[place] < first + count:
                slot = self._slots[place]
                owners = self._owners[slot.number]
                if first < slot.first_cluster + slot.clusters and owner not in owners:
                    owners.append(owner)
                place += 1

    def others(self, slot: Slot, *places: Any) -> list[str]:
        """The paths of those that have clusters of ``slot``, except for the files whose entry sets
        are at these bytes of the disk."""
        return [path for place, path in self._owners[slot.number] if place not in places]

    def has_free(self, first: int, count: int) -> bool:
        """Whether the allocation bitmap has one of ``count`` clusters from ``first`` as free."""
        return not self._bitmap.all_used(first, count)

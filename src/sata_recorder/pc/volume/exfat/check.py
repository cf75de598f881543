"""Whether an exFAT volume agrees with itself: each cluster in use has one owner.

Microsoft, "exFAT file system specification", section 7.1.5 "Allocation Bitmap": a bit is one if,
and only if, its cluster is allocated.
"""

from .fat import Bitmap
from .malformed import Malformed
from .volume import Volume

__all__ = ["check"]


def check(volume: Volume) -> list[str]:
    """What is wrong with the :class:`.volume.Volume`, as sentences; none for a sound one."""
    owned = Bitmap(volume.boot.clusters)
    problems = []

    def own(name, runs):
        for first, count in runs:
            try:
                if not owned.set(first, count):
                    problems.append(f"{name}: its clusters belong to another file, too")
            except Malformed as error:
                problems.append(f"{name}: {error}")

    for name, runs in volume.system:
        own(name, runs)
    names = set()
    for node in volume.walk():
        if node.key in names:
            problems.append(f"{node.path}: there are two of this name")
        names.add(node.key)
        try:
            own(node.path, volume.clusters(node.set))
        except (OSError, Malformed) as error:
            problems.append(f"{node.path}: {error}")
    count, first = owned.differing(volume.bitmap)
    if count:
        problems.append(f"{count} clusters of files are free in the allocation bitmap, from "
                        f"{first} on")
    count, first = volume.bitmap.differing(owned)
    if count:
        problems.append(f"{count} clusters are in use in the allocation bitmap and belong to no "
                        f"file, from {first} on")
    return [*volume.problems, *problems]

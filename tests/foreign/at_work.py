"""A recording after somebody has worked with a prepared drive: it costs him nothing, and is there."""

import random

import pytest
from drive_images import data_of, pc_of, saved

from sata_recorder import outputs
from sata_recorder.pc.volume import Drive, Refused, finalise_image

__all__ = ["CLEAN", "REPAIRED", "files_of", "record_everywhere", "recorded"]

SIZE = 70_001
#: Exit status of fsck.exfat: nothing was wrong, or all of it was repaired.
CLEAN, REPAIRED = 0, 1


def files_of(image, planned):
    return {name: data for name, data in pc_of(image, planned).files().items()
            if not name.lower().endswith(".unused")}


def recorded(path, image, planned, number, size=SIZE):
    """Records random data into a slot, if that is free; the name of the file, or None."""
    slot, data = planned.slots[number - 1], data_of(random.randrange(1 << 30), size)
    saved(image, path)
    outputs.mark(path)
    with Drive(path) as drive:
        free = any(one.number == number and drive.state(one) == "free" for one in drive.slots)
    if not free:
        with pytest.raises(Refused):
            finalise_image(path, number, size)
        assert path.read_bytes() == image, "nothing is written where it is not free"
        return None, None
    with open(path, "r+b") as file:
        file.seek(512 * slot.lba)
        file.write(data)
    outputs.mark(path)
    name = f"R{number:04}{random.randrange(1 << 24):06x}.dat"
    finalise_image(path, number, size, name=name)
    image[:] = path.read_bytes()
    return f"RECORDINGS/{name}", data


def record_everywhere(path, image, planned, repair):
    """Records into each slot that is free, and judges what became of the files; how many were."""
    count, before, was = 0, files_of(image, planned), repair(image, planned, "-n")
    for slot in planned.slots:
        name, data = recorded(path, image, planned, slot.number)
        if name is None:
            continue
        count += 1
        after = files_of(image, planned)
        assert after.pop(name) == data
        assert after == before, "a file of somebody else has changed"
        before[name] = data
        assert repair(image, planned, "-n") <= was, "fsck.exfat finds what it had not found before"
    return count

"""An array that `prepare --raid` has made, with two recordings, and what mdadm reports of its members."""

import os
import random
import re
import subprocess

from sata_recorder.pc.array import open_target, prepare_array
from sata_recorder.pc.volume import Drive, finalise_target

ALIGN = 64 << 10


def recorded_array(folder, level, sizes, logical=512, chunk=None):
    """The paths of the images, by lane, of ``sizes`` bytes, and what the recordings are, by name. ``chunk``: sectors,
    of a level that has chunks."""
    paths = [folder / f"lane{lane}" for lane in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        path.write_bytes(b"")
        os.truncate(path, size)
    prepare_array(paths, level, chunk_sectors=chunk, recordings=3, align=ALIGN, logical=logical)
    data = {}
    with open_target(paths) as target:
        slots = Drive(target.path, target).slots
        # A whole slot, which is on all drives of a RAID 0 and on two of a linear array, and an odd length.
        for slot, size in (slots[0], slots[0].bytes), (slots[1], slots[1].bytes - 12_345):
            content = random.Random(slot.number).randbytes(size)
            target.write(slot.lba, content.ljust(slot.bytes, b"\0"))
            finalise_target(target, slot.number, size)
            data[f"REC0000{slot.number}.dat"] = content
    return paths, data


def examined(mdadm, path):
    """What `mdadm --examine` reports of a member: names to values."""
    told = subprocess.run([mdadm, "--examine", path], capture_output=True, text=True, timeout=60)
    assert told.returncode == 0, told.stdout + told.stderr
    return dict(re.findall(r"^ *(\S.*?) : (.*)$", told.stdout, re.MULTILINE))

"""An array is prepared: all of it or nothing, and the superblocks last."""

import contextlib
import errno
import itertools
import os
from types import SimpleNamespace

import pytest

from sata_recorder import outputs
from sata_recorder.facts.array import CHUNKS, LINEAR, RAID0
from sata_recorder.pc.array import ArrayReader, members, open_disk, opening, prepare, prepare_array
from sata_recorder.pc.volume import (DiskReader, DiskWriter, Drive, LayoutError, Refused, disk_writer, finalise_image,
                                     prepare_target, verify)
from sata_recorder.pc.volume import prepare as prepare_drive

from .conftest import ALIGN, KINDS, SECTORS
from .memory import MemoryDisk

ROOM = {"sectors": SECTORS, "recordings": 3, "align": ALIGN}


@pytest.mark.parametrize("level, drives", KINDS)
def test_prepared(made, level, drives):
    paths = made(level, drives)
    with open_disk(paths) as array:
        drive = Drive(array.path, array)
        assert verify(drive).problems == [] and [drive.state(slot) for slot in drive.slots] == 3 * ["free"]
        assert drive.table.disk_sectors == array.size // 512 == drives * (SECTORS - 2048)
    for path in paths:
        assert os.path.getsize(path) == 512 * SECTORS and outputs.may_be_written(path)
        with pytest.raises(Refused, match="is a member of an array"):
            Drive(path)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_chunks(tmp_path, chunk):
    """Drives of unequal sizes: each gives what the smallest has, in whole chunks."""
    sizes = {tmp_path / "a": 9000, tmp_path / "b": 8000, tmp_path / "c": 8191}
    for path, size in sizes.items():
        path.write_bytes(bytes(512 * size))
    _, where = prepare_array(list(sizes), RAID0, chunk_sectors=chunk, recordings=1, align=ALIGN)
    assert where.data_sectors == 3 * ((8000 - 2048) // chunk * chunk,)
    with open_disk(list(sizes)) as array:
        assert array.geometry == where and verify(Drive(array.path, array)).problems == []


def test_long_sectors(tmp_path):
    """Drives with logical sectors of 4096 bytes: the table is in those of the array."""
    paths = [tmp_path / name for name in "ab"]
    made, _ = prepare_array(paths, RAID0, logical=4096, **ROOM)
    assert made.table.unit == 8
    with open_disk(paths) as array:
        assert verify(Drive(array.path, array)).problems == []


@pytest.mark.parametrize("level, old", [(RAID0, None), (LINEAR, None), (RAID0, "drives"), (RAID0, "array"),
                                        (LINEAR, "array")])
def test_power_fails(monkeypatch, level, old):
    """After each write there is nothing that looks like an array, or all of it, whatever was there before; and no
    member is a drive of its own."""
    steps = []
    disks = [MemoryDisk(SECTORS, f"d{lane}", steps) for lane in range(3)]
    targets = itertools.cycle(disks)
    monkeypatch.setattr(prepare, "new_target", lambda *_, **__: contextlib.nullcontext(next(targets)))
    if old == "drives":
        for disk in disks:
            prepare_target(disk, lambda: None, recordings=1, align=ALIGN)
    if old == "array":
        prepare_array(["d0", "d1", "d2"], LINEAR - level, recordings=5, align=ALIGN)
    before = [bytes(disk.content) for disk in disks]
    assert [recognised([disk]) for disk in disks] == 3 * ["drive" if old == "drives" else None]
    assert recognised(disks) == ("array" if old == "array" else None)
    steps.clear()
    prepare_array(["d0", "d1", "d2"], level, recordings=3, align=ALIGN, overwrite=True)
    assert steps[-1][1] is None
    seen, cleared = [], False
    for disk, content in zip(disks, before, strict=True):
        disk.content[:] = content
    for disk, place, content in list(steps):
        if place is None and not cleared:
            cleared = True      # old marks at both ends are gone before anything new is written
            for one in disks:
                assert not any(one.content[:2048 * 512]) and not any(one.content[-(128 << 10):])
        if place is not None:
            disk.content[place:place + len(content)] = content
        found = recognised(disks)
        seen.append(found)
        if found is None:
            # The drives that are not written over yet may be what they were.
            assert {recognised([one]) for one in disks} <= {None, "drive"}
    assert [found for place, found in enumerate(seen) if place == 0 or found != seen[place - 1]] == [None, "array"]
    written = [(place, disk) for disk, place, _ in steps if place is not None]
    assert written[-3:] == [(4096, disk) for disk in disks]
    last = max(number for number, (_, place, _) in enumerate(steps) if place not in (None, 4096))
    flushed = [disk for disk, place, _ in steps[last:] if place is None]
    assert all(flushed.count(disk) >= 2 for disk in disks), "the superblocks come after a flush, and before one"


def recognised(disks):
    """What reads finds: "array", of which all is sound, "drive", or None."""
    if len(disks) == 1:
        try:
            Drive(disks[0].path, disks[0])
        except Refused:
            return None
        return "drive"
    try:
        known = members(disks)
    except Refused:
        return None
    array = ArrayReader(known.disks, known.geometry)
    assert verify(Drive(array.path, array)).problems == []
    return "array"


def test_recordings_are_not_lost(made, record, tmp_path):
    a, b, c = paths = made()
    prepare_array([c, a, b], LINEAR, **ROOM)        # nothing was recorded
    record(paths, 2, 5000)
    single = tmp_path / "single"
    prepare_drive(single, sectors=SECTORS, recordings=1, align=ALIGN)
    before = [path.read_bytes() for path in (*paths, single)]
    for targets, words in ((paths, f"array {c} {a} {b}: holds the recording REC00002.dat"),
                           ([a, b], "lane 0 of 3 is missing"), ([a, single], "lanes 0 and 2 of 3 are missing")):
        with pytest.raises(Refused, match=words) as error:
            prepare_array(targets, RAID0, **ROOM)
        assert error.value.overwrite
    assert [path.read_bytes() for path in (*paths, single)] == before
    prepare_array(paths, RAID0, **ROOM, overwrite=True)
    with open_disk(paths) as array:
        assert Drive(array.path, array).recordings == []


def test_a_drive_with_recordings_among_them(made, tmp_path):
    single = tmp_path / "single"
    prepare_drive(single, sectors=SECTORS, recordings=1, align=ALIGN)
    finalise_image(single, 1, 100)
    with pytest.raises(Refused, match=f"{single}: holds the recording REC00001.dat"):
        prepare_array([tmp_path / "new", single], RAID0, **ROOM)
    assert sorted(os.listdir(tmp_path)) == ["single"]


def refused(tmp_path, paths, words, error=Refused, level=RAID0, **options):
    """Nothing is changed, and nothing is left."""
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir() if path.is_file()}
    with pytest.raises(error, match=words):
        prepare_array(paths, level, **ROOM | options)
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()
            if path.is_file()} == before


def test_one_of_them_is_refused(made, tmp_path):
    """What is wrong with the last one leaves the others as they were."""
    a, b, c = made()
    photo, new, small = tmp_path / "photo", tmp_path / "new", tmp_path / "small"
    photo.write_bytes(b"a photo")
    small.write_bytes(bytes(512 * 2060))
    refused(tmp_path, [a, new, photo], f"{photo}: it exists, and sata-recorder has not made it")
    refused(tmp_path, [a, new, tmp_path], "a directory")
    refused(tmp_path, [a, b, c, small], "2060 sectors: a member has at least 2080", LayoutError, sectors=None)
    refused(tmp_path, [a, new], f"{new}: no such file; --size makes an image", sectors=None)
    refused(tmp_path, [a], "an array has at least 2 drives")
    refused(tmp_path, [a, b, a], f"{a}: is named twice")
    refused(tmp_path, [new, a, new], f"{new}: is named twice")
    refused(tmp_path, [a, b, c], "2560 bytes: a chunk has 4096, ", ValueError, chunk_sectors=5)
    refused(tmp_path, [a, b, c], "5000: must be 1 to 4096", LayoutError, recordings=5000)
    with DiskReader(c):
        refused(tmp_path, [a, new, c], f"{c}: is in use by")


def test_no_room(made, tmp_path, monkeypatch):
    """Neither for one, nor for all together."""
    a, b, c = made()
    full = os.statvfs_result((4096, 4096, 0, 0, 1, 0, 0, 0, 0, 255))
    monkeypatch.setattr(disk_writer.os, "fstatvfs", lambda handle: full)
    new = [tmp_path / "x", tmp_path / "y"]
    refused(tmp_path, new, f"{new[0]}: its tables take [0-9]+ bytes, and its file system has 4096 that are free")
    prepare_array([a, b, c], RAID0, **ROOM)     # their own blocks become free
    real = os.ftruncate

    def ftruncate(handle, size):
        if size > 512 * SECTORS and os.fstat(handle).st_ino == c.stat().st_ino:
            raise OSError(errno.EFBIG, "File too large")
        real(handle, size)

    monkeypatch.setattr(disk_writer.os, "ftruncate", ftruncate)
    refused(tmp_path, [a, b, c], f"{c}: its file system takes no file of {1024 * SECTORS} bytes: File too large",
            sectors=2 * SECTORS)


@pytest.mark.parametrize("after", [0, 1, 5, 20])
def test_a_write_fails(made, tmp_path, monkeypatch, after):
    """New images are gone; of those that were there nothing looks like an array."""
    a, b, c = made()
    new = [tmp_path / "x", tmp_path / "y"]
    real, left = DiskWriter.write, []

    def write(self, lba, content):
        left.append(self)
        if len(left) > after:
            raise OSError(errno.EIO, "Input/output error")
        real(self, lba, content)

    monkeypatch.setattr(DiskWriter, "write", write)
    with pytest.raises(OSError, match=r"/(x|y|lane\d): Input/output error"):
        prepare_array([*new, a, b, c], LINEAR, **ROOM)
    assert sorted(os.listdir(tmp_path)) == ["lane0", "lane1", "lane2"]
    for paths in [a, b, c], [a], [b], [c]:
        with pytest.raises(Refused):
            array = open_disk(paths)
            Drive(array.path, array)


def test_serial_numbers(monkeypatch):
    """Given in any order; a device without its own is not written, nor one whose number is not its own."""
    devices = {"/dev/a": "S1", "/dev/b": "S2", "/dev/c": None}
    monkeypatch.setattr(opening, "is_device", devices.__contains__)
    monkeypatch.setattr(opening, "device_of", lambda path: SimpleNamespace(serial=devices[path]))
    given = opening.serials_of
    assert given(["/dev/a", "/dev/b"], ["S2", "S1"]) == ["S1", "S2"]
    assert given(["/dev/a", "image", "/dev/b"], ["S2", "S1"]) == ["S1", None, "S2"]
    assert given(["/dev/a", "/dev/b"], ["S2"]) == [None, "S2"]
    assert given(["/dev/a", "/dev/b"], ["S2", "x"]) == ["x", "S2"]       # refused by name when it is opened
    assert given(["/dev/a", "/dev/c"], ["S1"]) == ["S1", None]
    assert given(["image"], ["S1"]) == ["S1"]
    assert given(["image", "other"], []) == [None, None]
    for paths, serials, wrong in ((["image", "other"], ["S1"], "S1"), (["/dev/a", "/dev/b"], ["S1", "S2", "S3"], "S3"),
                                  (["/dev/a", "image"], ["S1", "S1"], "S1")):
        with pytest.raises(Refused, match=f"--serial {wrong}: is that of none of these drives"):
            given(paths, serials)

"""An array is read and written as one drive is."""

import errno
import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.facts.array import CHUNKS, LINEAR, RAID0
from sata_recorder.pc.array import ArrayReader, ArrayWriter, geometry, open_disk, open_target
from sata_recorder.pc.volume import DiskReader, Drive, Refused, SectorRange, copy, verify

from .conftest import KINDS
from .memory import MemoryDisk


@st.composite
def arrays(draw):
    """(the array of some drives in memory, what it holds)"""
    level, chunk = draw(st.sampled_from([RAID0, LINEAR])), draw(st.sampled_from(CHUNKS[:3]))
    sizes = draw(st.lists(st.integers(2048 + chunk, 2048 + 5 * chunk), min_size=2, max_size=5))
    array = ArrayWriter([MemoryDisk(size, f"d{lane}") for lane, size in enumerate(sizes)],
                        geometry(level, sizes, chunk))
    content = random.Random(1).randbytes(array.size)
    array.write(0, content)
    return array, content


@given(arrays(), st.data())
@settings(max_examples=20)
def test_reads_and_writes(made, data):
    array, content = made
    assert array.read(0, array.size) == content
    offset = data.draw(st.integers(0, array.size))
    size = data.draw(st.integers(0, array.size - offset))
    assert array.read(offset, size) == content[offset:offset + size]
    lba = data.draw(st.integers(0, array.sectors))
    count = data.draw(st.integers(0, array.sectors - lba))
    new = random.Random(2).randbytes(512 * count)
    expected = content[:512 * lba] + new + content[512 * (lba + count):]
    array.write(lba, new)
    assert array.read(0, array.size) == expected
    array.zero(lba, count)
    assert array.read(512 * lba, 512 * count) == bytes(512 * count)
    assert all(not any(disk.content[:2048 * 512]) for disk in array.disks)      # where superblocks are
    for beyond in (array.size - 1, 2), (array.size, 1), (array.size + 512, 0):
        with pytest.raises(OSError, match="beyond its end"):
            array.read(*beyond)


@pytest.mark.parametrize("level, drives", KINDS)
def test_tools_need_not_know(made, record, level, drives):
    """Recordings of an array as of one drive: made files, listed, read and verified."""
    paths = made(level, drives)
    data = record(paths, 2, 1_000_003)
    with open_disk(paths[::-1]) as array:
        drive = Drive(array.path, array)
        [recording] = drive.recordings
        assert (recording.name, recording.bytes, recording.slot) == ("REC00002.dat", len(data), 2)
        found = verify(drive)
        assert (found.problems, found.checked) == ([], ["REC00002.dat: its CRC-32 is the recorded one"])
        assert drive.read(recording).tobytes() == data
        with pytest.raises(Refused, match="not in a row in one file: read"):
            drive.memmap(recording)


def test_a_lane_that_cannot_be_read(made, record, monkeypatch):
    """Its chunks are zeros in the copy and named; all others are there. The error names the drive."""
    paths = made(RAID0, 3)
    data = record(paths, 1, 600_000)
    real = DiskReader.read_into

    def read_into(self, offset, *views):
        if self.path == paths[1] and offset >= 512 * 2100:
            raise OSError(errno.EIO, "Input/output error")
        real(self, offset, *views)

    with open_disk(paths) as array:
        lba = Drive(array.path, array).slots[0].lba
        monkeypatch.setattr(DiskReader, "read_into", read_into)
        parts = []
        copied = copy(array, [SectorRange(lba, 1200)], 600_000, lambda view: parts.append(bytes(view)))
        bad = [sector for sector in range(lba, lba + 1172) if array.geometry.place(sector)[0] == 1]
        assert [offset for offset, _ in copied.damaged] == [
            512 * (sector - lba) for sector in bad if sector - 1 not in bad]
        expected = bytearray(data)
        for offset, size in copied.damaged:
            expected[offset:offset + size] = bytes(size)
        assert b"".join(parts) == expected != data
        with pytest.raises(OSError, match=f"{paths[1]}: Input/output error"):
            array.read(512 * bad[0], 512)
        assert array.failures == {str(paths[1]): "Input/output error"}


def test_reads_that_end_early(tmp_path, monkeypatch):
    """A system may read less than was asked for, and takes so many places a call."""
    content = random.Random(3).randbytes(100_000)
    (tmp_path / "disk").write_bytes(content)
    real = os.preadv

    def preadv(handle, views, offset):
        assert len(views) <= 1024
        whole, part = views[:12], memoryview(bytearray(13))
        count = real(handle, [*whole, part], offset)
        if count == sum(map(len, whole)) + 13 and len(views) > 12 and len(views[12]) >= 13:
            views[12][:13] = part
            return count
        return min(count, sum(map(len, whole)))

    monkeypatch.setattr(os, "preadv", preadv)
    with DiskReader(tmp_path / "disk") as disk:
        views = [memoryview(bytearray(size)) for size in 1100 * [20, 0, 37, 1]]
        disk.read_into(100, *views)
        assert b"".join(views) == content[100:100 + sum(map(len, views))]
        with pytest.raises(OSError, match="beyond its end"):
            disk.read_into(99_990, *views[:3])


def test_physical_sectors():
    """The largest of all: a block of the table is at least as large."""
    disks = [MemoryDisk(3000) for _ in range(3)]
    disks[1].physical = 16384
    assert ArrayWriter(disks, geometry(RAID0, [3000] * 3)).physical == 16384


def test_closed_once(made):
    array = open_disk(made())
    assert isinstance(array, ArrayReader) and not array.is_device and not array.is_file
    array.close()
    array.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        array.read(0, 512)


def test_in_use(made):
    """One member that another has is all of the array."""
    paths = made()
    with DiskReader(paths[1]), pytest.raises(Refused, match=f"{paths[1]}: is in use by"), open_target(paths):
        pass
    with open_target(paths), pytest.raises(Refused, match="is in use by"):
        open_disk(paths)
    with open_target(paths) as target:      # nothing is left locked
        assert target.size

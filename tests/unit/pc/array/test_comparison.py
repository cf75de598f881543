"""Mirrors are compared, and what differs is named with whose it is."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.facts.array import RAID1
from sata_recorder.pc.array import MirrorReader, compare_mirrors, open_disk, remarked
from sata_recorder.pc.array.comparison import SectorPlaces, differing_runs
from sata_recorder.pc.volume import DiskReader, Drive, Verified, prepare
from sata_recorder.pc.volume.exfat import name_hash, set_checksum

from .conftest import ALIGN, PLACE, SECTORS
from .members_on_disk import change
from .memory import MemoryDisk


@pytest.fixture
def pair(made, record):
    """The paths of two mirrors with recordings in slots 1 and 2, of 10,000 and 70,000 bytes."""
    paths = made(RAID1, 2)
    record(paths, 1, 10_000)
    record(paths, 2, 70_000)
    return paths


def compared(paths, progress=None):
    found = Verified()
    with open_disk(paths) as source:
        compare_mirrors(Drive(source.path, source), found, progress)
    return found


def test_alike(pair):
    done = []
    found = compared(pair, done.append)
    assert found == Verified(checked=[f"both mirrors: all {PLACE} sectors are alike"])
    assert done[-1] == 512 * PLACE and done == sorted(done)


def test_each_thing_by_name(pair):
    """Recordings with which of the mirrors is right; tables; a free place only as a note."""
    one, other = pair
    with Drive(one) as drive:
        first, second, free = drive.slots
        folder, root = drive.folder_lba, drive.volume.lba(drive.volume.boot.root_cluster)
        [(bitmap, _)] = dict(drive.volume.system)["the allocation bitmap"]
        bitmap = drive.volume.lba(bitmap)
    change(one, first.lba + 19, b"?")
    for place in (5, 6, 7, 20, 30, 40, 50, 60):
        change(other, second.lba + place, b"??")
    change(other, folder + 8, b"??")
    change(other, root, b"??")
    change(other, 3, b"?")
    change(other, bitmap, b"?")
    change(one, PLACE - 1, b"?")            # the backup of the partition table
    change(one, bitmap + 1, b"?")           # after the bits of all clusters
    change(one, first.lba + 20, b"?")       # after its 10,000 bytes
    change(one, free.lba, b"?" * 100_000)
    found = compared(pair)
    assert found.problems == [
        f"tables and file system: the mirrors differ in 5 sectors: LBA 3, {bitmap}, {root}, {folder + 8}, "
        "1 more range",
        f"REC00001.dat: the mirrors differ in 1 sector: LBA {first.lba + 19}; {other} has the recorded CRC-32",
        f"REC00002.dat: the mirrors differ in 8 sectors: LBA {second.lba + 5} to {second.lba + 7}, {second.lba + 20}, "
        f"{second.lba + 30}, {second.lba + 40}, 2 more ranges; {one} has the recorded CRC-32"]
    assert found.notes == [
        f"the mirrors differ where no file is, in 198 sectors: LBA {bitmap + 1}, {first.lba + 20}, {free.lba} to "
        f"{free.lba + 195}; `prepare` does not write there"]
    assert found.checked == []


def test_neither_is_right(pair):
    with Drive(pair[0]) as drive:
        lba = drive.slots[0].lba
    change(pair[0], lba, b"?")
    change(pair[1], lba + 1, b"?")
    assert compared(pair).problems == [
        f"REC00001.dat: the mirrors differ in 2 sectors: LBA {lba} to {lba + 1}; neither has the recorded CRC-32"]


def test_a_file_of_a_user(pair):
    """In the place of a slot, as another system leaves it: the file is named, and so is one that was deleted."""
    with Drive(pair[0]) as drive:
        slot = drive.slots[2]
    for path in pair:
        with open(path, "r+b") as file:
            file.seek(512 * slot.directory_lba)
            sector = bytearray(file.read(512))
            # The name of what is free becomes that of a file of somebody else; its sums are made right.
            entries = sector[96:192]
            entries[64 + 2:64 + 4] = "Z".encode("utf-16-le")
            entries[36:38] = name_hash("ZEC00003.unused").to_bytes(2, "little")
            entries[2:4] = set_checksum(bytes(entries)).to_bytes(2, "little")
            sector[96:192] = entries
            file.seek(512 * slot.directory_lba)
            file.write(sector)
    change(pair[1], slot.lba + 3, b"?")
    found = compared(pair)
    assert found.problems == [f"RECORDINGS/ZEC00003.unused: the mirrors differ in 1 sector: LBA {slot.lba + 3}"]


def test_no_file_system(pair):
    """Recordings are those of the logs, and all before them is what the tables may have."""
    with Drive(pair[0]) as drive:
        start, slot = drive.table.partition_lba, drive.slots[1]
    for path in pair:
        change(path, start, bytes(512 * 24))
    change(pair[1], slot.lba, b"?")
    change(pair[1], start + 1, b"?")
    assert [text.partition(": the mirrors")[0] for text in compared(pair).problems] == [
        "tables and file system", "REC00002.dat"]


@pytest.mark.parametrize("lane", [0, 1])
def test_what_cannot_be_read(pair, monkeypatch, lane):
    """Of one mirror is named, and does not count as a difference."""
    with Drive(pair[0]) as drive:
        lba = drive.slots[1].lba
    real = DiskReader.read_into

    def read_into(self, offset, *views):
        if self.path == pair[lane] and offset < 512 * (lba + 7) and offset + sum(map(len, views)) > 512 * (lba + 5):
            raise OSError(5, "Input/output error")
        real(self, offset, *views)

    change(pair[1], lba + 7, b"?")
    monkeypatch.setattr(DiskReader, "read_into", read_into)
    assert compared(pair).problems == [
        f"REC00002.dat: the mirrors differ in 1 sector: LBA {lba + 7}; "
        + (f"{pair[0]} has the recorded CRC-32" if lane else "neither has the recorded CRC-32"),
        f"{pair[lane]}: cannot be read in 2 sectors: LBA {lba + 5} to {lba + 6}"]


def test_one_alone(pair):
    """There is nothing to compare; that the other has failed is a problem, that it is not there a note."""
    one, _ = pair
    found = compared([one])
    assert found.problems == found.checked == [] and "was not looked at" in found.notes[0]
    with DiskReader(one) as disk:
        content = disk.read(512 * PLACE, 4096)
    change(one, PLACE, remarked(content, events=9, dropped=1))
    found = compared([one])
    assert found.notes == found.checked == [] and found.problems[0].startswith("degraded: ")


def test_dirty_and_alike(pair):
    for path in pair:
        with DiskReader(path) as disk:
            content = disk.read(512 * PLACE, 4096)
        change(path, PLACE, remarked(content, events=9, resync=0))
    found = compared(pair)
    assert found.problems == [] and len(found.notes) == len(found.checked) == 1


def test_a_single_drive(tmp_path):
    prepare(tmp_path / "single", sectors=SECTORS, recordings=1, align=ALIGN)
    assert compared([tmp_path / "single"]) == Verified()


def test_places():
    """Ranges that meet are one, whether they are named or not."""
    places = SectorPlaces()
    for first, end, text in ((5, 6, "1 sector: LBA 5"), (6, 8, "3 sectors: LBA 5 to 7"),
                             (9, 10, "4 sectors: LBA 5 to 7, 9"), (20, 21, None), (30, 40, None),
                             (40, 42, "17 sectors: LBA 5 to 7, 9, 20, 30 to 41"),
                             (50, 51, "18 sectors: LBA 5 to 7, 9, 20, 30 to 41, 1 more range"),
                             (51, 60, "27 sectors: LBA 5 to 7, 9, 20, 30 to 41, 1 more range"),
                             (70, 71, "28 sectors: LBA 5 to 7, 9, 20, 30 to 41, 2 more ranges")):
        places.add(first, end)
        assert text is None or str(places) == text


@settings(max_examples=20)
@given(st.sets(st.integers(0, 9_000 - 1), max_size=12), st.lists(st.tuples(st.integers(0, 8_000), st.integers(
    1, 900)), max_size=3))
def test_ranges(single, runs):
    """All sectors that differ, and no other one, also across the pieces that are read."""
    content = random.Random(1).randbytes(512 * 9_000)
    disks = [MemoryDisk(9_000, f"d{lane}") for lane in range(2)]
    for disk in disks:
        disk.content[:] = content
    wanted = set(single)
    for first, count in runs:
        wanted |= set(range(first, first + count))
    for sector in wanted:
        disks[sector % 2].content[512 * sector + sector % 512] ^= 1
    told = list(differing_runs(MirrorReader(disks, 9_000), [[], []], None))
    assert all(end > first for first, end in told)
    assert [sector for first, end in told for sector in range(first, end)] == sorted(wanted)

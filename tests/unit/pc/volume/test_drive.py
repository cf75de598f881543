"""What is on a drive, also where its file system is damaged or others have changed it."""

import re
import struct

import numpy
import pytest

from sata_recorder.pc.volume import DiskReader, Drive, Refused, find_file, finalise_image, harm, prepare, verify
from sata_recorder.pc.volume.exfat import ARCHIVE, FileSet, Volume, set_checksum

from .conftest import ALIGN, SECTORS


@pytest.fixture
def two(image, recorded):
    """The image with recordings in slots 1 and 2, and their data."""
    data = recorded(1, 100_001), recorded(2, 4096)
    for number, part in enumerate(data, 1):
        finalise_image(image, number, len(part))
    return image, data


def patched(image, offset, content):
    with open(image, "r+b") as file:
        file.seek(offset)
        file.write(content)


def place_of(image, path):
    with Drive(image) as drive:
        return drive.volume.find(path).place


def test_arrays(two):
    image, data = two
    with Drive(image) as drive:
        samples = drive.memmap(drive.recordings[0], "<i2")
    assert samples.tobytes() == data[0][:-1] and samples.dtype == numpy.int16
    assert not samples.flags.writeable


def test_found_by_name(two):
    with Drive(two[0]) as drive:
        for name in "REC00002.dat", "recordings/rec00002.DAT", "/RECORDINGS/REC00002.dat", 2, "2":
            assert drive.find(name).slot == 2
        with pytest.raises(Refused, match="x: there is no such recording on .*there is "
                           "REC00001.dat, REC00002.dat"):
            drive.find("x")


def test_damaged_file_system(two):
    """The logs say where the recordings are; the data can still be copied."""
    image, data = two
    with Drive(image) as drive:
        start = 512 * drive.table.partition_lba
    patched(image, start, bytes(24 * 512))
    with Drive(image) as drive:
        assert [one.bytes for one in drive.recordings] == [100_001, 4096]
        assert drive.memmap(drive.recordings[0]).tobytes() == data[0]
        assert any("file system cannot be read" in one for one in drive.problems)


def test_backup_boot_region(two):
    image, _ = two
    with Drive(image) as drive:
        start = 512 * drive.table.partition_lba
    patched(image, start + 64, b"\xff")
    with Drive(image) as drive:
        assert len(drive.recordings) == 2
        assert sum("backup was read" in one for one in verify(drive).problems) == 1
        assert drive.changes and [drive.state(slot) for slot in drive.slots][2] == "changed"


def test_deleted_recording(two):
    """Another system has deleted the file and freed its clusters: its log still names it."""
    image, _ = two
    place = place_of(image, "RECORDINGS/REC00002.dat")
    with Drive(image) as drive:
        bitmap = 512 * drive.volume.lba(2) + (drive.slots[1].first_cluster - 2) // 8
        patched(image, place, b"\x05")
        patched(image, place + 32, b"\x40")
        patched(image, place + 64, b"\x41")
        first = drive.source.read(bitmap, 1)[0]
        patched(image, bitmap, bytes([first & ~(1 << (drive.slots[1].first_cluster - 2) % 8)]))
    with Drive(image) as drive:
        assert [one.is_file for one in drive.recordings] == [True, False]
        assert drive.state(drive.slots[1]) == "changed"
        found = verify(drive)
        assert found.problems == []
        assert found.notes == ["slot 2: takes no recording: another system has changed its files"]


def test_renamed_recording(two):
    """A longer name stands in another place of the directory, and the data stay where they are."""
    image, data = two
    place = place_of(image, "RECORDINGS/REC00001.dat")
    with Drive(image) as drive:
        old = drive.volume.find("RECORDINGS/REC00001.dat").set
        name = "a name of more than fifteen characters.dat"
        new = FileSet(name, old.first_cluster, old.size, old.valid, ARCHIVE, created=old.created)
        folder = 512 * drive.volume.lba(drive.volume.find("RECORDINGS").set.first_cluster)
    patched(image, folder, new.pack())
    for offset, kind in (0, 0x05), (32, 0x40), (64, 0x41):
        patched(image, place + offset, bytes([kind]))
    with Drive(image) as drive:
        assert verify(drive).problems == []
        assert [one.name for one in drive.recordings] == [name, "REC00002.dat"]
        assert drive.memmap(drive.recordings[0]).tobytes() == data[0]


def test_unprintable_name(two):
    """A name that a terminal would take for an order, or that is half a character."""
    image, data = two
    place = place_of(image, "RECORDINGS/REC00001.dat")
    with Drive(image) as drive:
        old = drive.volume.find("RECORDINGS/REC00001.dat").set
    patched(image, place, FileSet("\x1b[31m\ud800x", old.first_cluster, old.size, 5000).pack())
    with Drive(image) as drive:
        [problem] = verify(drive).problems
        assert problem.startswith("?[31m?x: its CRC-32 is ")
        one = drive.find("?[31m?x")
        assert one.bytes == old.size and one.valid_bytes == 5000
        assert drive.memmap(one).tobytes() == data[0][:5000]


def test_unfinished(image, recorded):
    """The log is there, the directory not yet."""
    recorded(1, 5000)
    before = image.read_bytes()
    finalise_image(image, 1, 5000)
    with Drive(image) as drive:
        slot = drive.slots[0]
    place = 512 * slot.directory_lba
    patched(image, place, before[place:place + 512])
    with Drive(image) as drive:
        assert drive.state(slot) == "unfinished" and not drive.recordings[0].is_file
        [problem] = verify(drive).problems
        assert "slot 1: a recording of 5000 bytes was not made a file" in problem
    finalise_image(image, 1, 5000)
    with Drive(image) as drive:
        assert verify(drive).problems == []


@pytest.mark.parametrize("what, words", [
    ("data", "REC00001.dat: its CRC-32 is"), ("checksum", "its checksum differs"),
    ("length", "in use in the allocation bitmap and belong to no file"),
    ("longer", "clusters belong to another file"), ("valid", "ValidDataLength"),
    ("first", "beyond|are not in the volume"), ("log", "the log of slot 1 cannot be read"),
    ("slot", "slot 1 cannot be read"), ("upcase", "up-case table differs"),
    ("bitmap", "are free in the allocation bitmap"), ("dirty", "not unmounted"),
    ("moved", "formatted since"),
])
def test_verify_finds(two, what, words):
    image, _ = two
    place = place_of(image, "RECORDINGS/REC00001.dat")
    with Drive(image) as drive:
        slot, start = drive.slots[0], 512 * drive.table.partition_lba
        entries = bytearray(drive.source.read(place, 96))
        heap = 512 * drive.volume.lba(2)
        upcase = 512 * drive.volume.lba(3)
        header = drive.table
    fields = {"length": (24, 5000), "longer": (24, slot.bytes), "valid": (8, 1 << 40)}
    if what in fields:
        offset, value = fields[what]
        struct.pack_into("<Q", entries, 32 + offset, value)
        if what != "valid":
            struct.pack_into("<Q", entries, 32 + 8, value)
    if what == "first":
        struct.pack_into("<I", entries, 32 + 20, 1 << 30)
    if what != "checksum":
        struct.pack_into("<H", entries, 2, set_checksum(entries))
    else:
        entries[70] ^= 1
    patched(image, place, entries)
    single = {"data": 512 * slot.lba + 7, "log": 512 * slot.log_lba + 20, "slot": 512 * 1025 + 20,
              "upcase": upcase + 3, "bitmap": heap + (slot.first_cluster - 2) // 8}
    if what in single:
        patched(image, single[what], b"\x00" if what == "bitmap" else b"\x55")
    if what == "dirty":
        patched(image, start + 106, b"\x02")
    if what == "moved":
        from dataclasses import replace
        patched(image, 512 * 1024, replace(header, partition_sectors=9000).pack())
    with Drive(image) as drive:
        found = verify(drive).problems
    assert any(re.search(words, one) for one in found), found


def test_no_prepared_drive(tmp_path):
    path = tmp_path / "x"
    for make, words in ((lambda: None, "No such file"), (path.touch, "has no recording table"),
                        (lambda: path.write_bytes(bytes(1 << 20)), "prepare. makes one")):
        make()
        with pytest.raises(Refused, match=words):
            Drive(path)
    with pytest.raises(Refused, match="a directory"):
        Drive(tmp_path)


def test_existing_file(two):
    image, _ = two
    found = find_file(image, "/recordings/rec00001.DAT")
    with Drive(image) as drive:
        slot = drive.slots[0]
    assert found.extents[0].lba == slot.lba and found.extents[0].sectors == -(-100_001 // 512)
    assert (found.directory_lba, found.directory_offset) == (slot.directory_lba, 0)
    for wanted, words in ("gone", "has no file gone"), ("RECORDINGS", "has no file"):
        with pytest.raises(Refused, match=words):
            find_file(image, wanted)


@pytest.mark.parametrize("fault, words", [("entry", "are not in the volume"), ("medium", "gone bad")])
def test_no_file_of_the_next_volume(image, tmp_path, monkeypatch, fault, words):
    """That is another file of the same name; this one is damaged, or its volume cannot be read."""
    with Drive(image) as drive:
        boot, start = drive.volume.boot, drive.table.partition_lba
        content = image.read_bytes()[512 * start:512 * (start + boot.volume_sectors)]
        root = 512 * (drive.volume.lba(boot.root_cluster) - start)
        first = drive.slots[0].first_cluster
    path, second = tmp_path / "two.img", 64 + boot.volume_sectors
    rows = b"".join(struct.pack("<4xB3xII", 7, lba, boot.volume_sectors) for lba in (64, second))
    path.write_bytes((bytes(446) + rows).ljust(510, b"\0") + b"\x55\xaa" + bytes(63 * 512) + content + content)
    for lba, cluster in (64, boot.clusters if fault == "entry" else first), (second, first):
        patched(path, 512 * lba + root + 192, FileSet("mine", cluster, 10_000, 10_000).pack())
    if fault == "medium":
        def read(self, offset, size, real=DiskReader.read):
            if 512 * 64 <= offset < 512 * second:
                raise OSError(5, "gone bad")
            return real(self, offset, size)

        monkeypatch.setattr(DiskReader, "read", read)
    with pytest.raises(Refused, match=words):
        find_file(path, "mine")


def test_what_cannot_be_read_may_be_lost(image, monkeypatch):
    with Drive(image) as drive:
        lba = drive.slots[0].lba
    assert harm(image, lba, 8) is None

    def read(self, offset, size):
        raise OSError(5, "gone bad")

    monkeypatch.setattr(DiskReader, "read", read)
    assert harm(image, lba, 8) == f"what is on {image} cannot be read, so that it may be lost: gone bad"


def test_file_in_parts(image):
    """A file with a FAT chain that is not one run."""
    with Drive(image) as drive:
        volume, boot = drive.volume, drive.volume.boot
        root = 512 * volume.lba(boot.root_cluster)
        fat = 512 * (volume.start + boot.fat_offset)
        free = drive.slots[0].first_cluster - 8
    chain = {free: free + 2, free + 2: free + 3, free + 3: 0xFFFFFFFF}
    for cluster, following in chain.items():
        patched(image, fat + 4 * cluster, struct.pack("<I", following))
    file = FileSet("parts", free, 10_000, 10_000, contiguous=False)
    patched(image, root + 7 * 32 - 32, file.pack())
    with pytest.raises(Refused, match="parts is in 2 parts"):
        find_file(image, "parts")
    with Drive(image) as drive:
        node = drive.volume.find("parts")
        assert drive.volume.clusters(node.set) == [(free, 1), (free + 2, 2)]


def test_directory_in_itself(image):
    """A damaged directory ends the search and not the program."""
    with Drive(image) as drive:
        folder = drive.volume.find("RECORDINGS").set
        place = 512 * drive.volume.lba(folder.first_cluster)
        start = drive.table.partition_lba
    patched(image, place, FileSet("again", folder.first_cluster, folder.size, folder.size,
                                  0x10).pack())
    with Drive(image) as drive:
        volume = Volume(drive.source, start)
        assert len(list(volume.walk())) == 5
        assert any("in itself" in one for one in volume.problems)


def test_many_slots(tmp_path):
    path = tmp_path / "many.img"
    prepare(path, sectors=SECTORS * 40, recordings=300, align=ALIGN)
    finalise_image(path, 300, 77)
    with Drive(path) as drive:
        assert len(drive.slots) == 300 and drive.recordings[0].slot == 300
        assert verify(drive).problems == []

"""The end of a recording: exact lengths, and a sound file system whenever the power fails."""

import itertools
import random
import struct
from datetime import UTC, datetime

import pytest

from sata_recorder.pc.volume import (FLUSH, Drive, Log, LogEntry, Refused, SectorWrite, Timestamp,
                                      copy, finalise, finalise_image, verify)
from sata_recorder.pc.volume.disk_writer import DiskWriter
from sata_recorder.pc.volume.entries_of_slot import is_free
from sata_recorder.pc.volume.exfat import Volume, check

from .conftest import Disk

CLUSTER = 4096
TIME = Timestamp.of(datetime(2026, 11, 22, 12, 0, 1, tzinfo=UTC))


def files(disk, start):
    """Path, length and written length of each file; the volume must be sound."""
    volume = Volume(disk, start)
    assert check(volume) == []
    return {node.path.rpartition("/")[2]: (node.set.size, node.set.valid)
            for node in volume.walk() if not node.is_directory}


@pytest.fixture
def begun(image):
    """`begun(number)`: the disk, the table, a slot of it and its directory sector."""
    def begun(number):
        with Drive(image) as drive:
            slot = drive.slots[number - 1]
            return (Disk(image.read_bytes()), drive.table, slot,
                    drive.source.read(512 * slot.directory_lba, 512))

    return begun


def sizes(slot):
    yield from (1, 511, 512, CLUSTER, CLUSTER + 1, slot.bytes - CLUSTER, slot.bytes - 1, slot.bytes)
    yield from random.Random(5).sample(range(1, slot.bytes), 6)


def test_power_fails(begun):
    """Whichever of the writes reached the medium, the file is not there or whole, to the byte; and
    the data are flushed before the first of them."""
    disk, table, slot, sector = begun(2)
    for size in sizes(slot):
        first, *middle, last = finalise(slot, sector, CLUSTER, Log(2, size, slot.lba, started=TIME))
        assert first is last is FLUSH and [type(step) for step in middle] == 2 * [SectorWrite]
        for count in range(3):
            for kept in itertools.permutations(middle, count):
                after = Disk(disk.content)
                for write in kept:
                    after.write(write.lba, write.content)
                found = files(after, table.partition_lba)
                left = slot.bytes - -(-size // CLUSTER) * CLUSTER
                if not any(write.lba == slot.directory_lba for write in kept):
                    assert found["REC00002.unused"] == (slot.bytes, slot.bytes)
                    assert "REC00002.dat" not in found
                    continue
                assert found["REC00002.dat"] == (size, size)
                assert found.get("REC00002.unused") == ((left, left) if left else None)


def test_one_sector_changes(begun):
    """But for the log, one sector of 512 bytes, and of it the two sets."""
    _, _, slot, sector = begun(1)
    _, log, directory, _ = finalise(slot, sector, CLUSTER, Log(1, 777, slot.lba, started=TIME))
    assert (log.lba, len(log.content)) == (slot.log_lba, 3 * 512)
    assert (directory.lba, len(directory.content)) == (slot.directory_lba, 512)
    assert directory.content[192:] == sector[192:]
    # The name, its hash and the first cluster have been there before.
    assert directory.content[64 + 1:96] == sector[64 + 1:96]
    assert directory.content[32 + 1:32 + 8] == sector[32 + 1:32 + 8]
    assert directory.content[32 + 20:32 + 24] == sector[32 + 20:32 + 24]
    # Of the unused file: checksum, lengths and first cluster.
    changed = {n - 96 for n in range(96, 192) if directory.content[n] != sector[n]}
    assert changed <= {2, 3, *range(32 + 8, 32 + 16), *range(32 + 20, 32 + 32)}


def by_the_page(sector, slot, size, time):
    """What docs/files.md states of the directory sector, and nothing else of this project."""
    sector = bytearray(sector)
    clusters = -(-size // CLUSTER)

    def put(form, place, value):
        struct.pack_into(form, sector, place, value)

    def checksum(first):
        total = 0
        for place in range(first, first + 96):
            if place - first not in (2, 3):
                total = (total >> 1 | total << 15) + sector[place] & 0xFFFF
        put("<H", first + 2, total)

    for place, kind in (0, 0x85), (32, 0xC0), (64, 0xC1):
        sector[place] = kind
    for place in 8, 12, 16:
        put("<I", place, time.seconds)
    sector[20] = sector[21] = time.ten_ms
    sector[22] = sector[23] = sector[24] = time.offset
    put("<Q", 40, size)
    put("<Q", 56, size)
    checksum(0)
    put("<Q", 136, (slot.clusters - clusters) * CLUSTER)
    put("<Q", 152, (slot.clusters - clusters) * CLUSTER)
    put("<I", 148, slot.first_cluster + clusters)
    checksum(96)
    if clusters == slot.clusters:
        for place, kind in (96, 0x05), (128, 0x40), (160, 0x41):
            sector[place] = kind
    return bytes(sector)


def test_the_page(begun):
    """Who follows docs/files.md writes what this does."""
    _, _, slot, sector = begun(2)
    for size in sizes(slot):
        steps = finalise(slot, sector, CLUSTER, Log(2, size, slot.lba, started=TIME))
        assert steps[2].content == by_the_page(sector, slot, size, TIME)


def test_only_a_free_slot(begun):
    _, _, slot, sector = begun(1)
    log = Log(1, 1000, slot.lba)
    assert is_free(sector, slot)
    taken = finalise(slot, sector, CLUSTER, log)[2].content
    deleted = bytearray(sector)
    for place in 96, 128, 160:
        deleted[place] &= 0x7F
    shortened = bytearray(sector)
    shortened[96 + 32 + 25] ^= 1
    other_file = bytearray(sector)
    other_file[64] |= 0x80
    for changed in taken, bytes(deleted), bytes(shortened), bytes(other_file):
        assert not is_free(changed, slot)
        with pytest.raises(Refused, match="slot 1: is not free"):
            finalise(slot, changed, CLUSTER, log)


@pytest.mark.parametrize("size, name, words", [
    (0, None, "0 bytes: slot 1 takes 1 to"), (1 << 40, None, "slot 1 takes 1 to"),
    (1, "sixteen letters.", "space or a dot"), (1, "sixteen letters!", "more than 15 characters"),
    (1, "a:b", "':'"), (1, "", "0 characters"),
])
def test_refusals(begun, size, name, words):
    _, _, slot, sector = begun(1)
    with pytest.raises(Refused, match=words):
        finalise(slot, sector, CLUSTER, Log(1, size, slot.lba), name=name)


def test_image(image, recorded):
    data = recorded(1, 123_457), recorded(3, 512)
    journal = (LogEntry(1, 0, 40, 9, 100),)
    finalise_image(image, 1, len(data[0]), name="flight.bin", clock_hz=75_000_000, lost_words=9,
                   model="M", serial="S", journal=journal,
                   started=datetime(2026, 11, 22, 12, 0, 1, tzinfo=UTC))
    finalise_image(image, 3, len(data[1]))
    with Drive(image) as drive:
        assert verify(drive).problems == []
        one, other = drive.recordings
        assert (one.name, one.bytes, one.slot, other.name) == ("flight.bin", 123_457, 1,
                                                              "REC00003.dat")
        assert one.created == datetime(2026, 11, 22, 12, 0, 1, tzinfo=UTC)
        assert one.log.journal == journal and one.log.serial == "S"
        for recording, expected in zip(drive.recordings, data, strict=True):
            found = bytearray()
            copied = copy(drive.source, recording.extents, recording.bytes, found.extend)
            assert found == expected and copied.crc32 == recording.log.crc32
    for number, name, words in ((1, None, "not free"), (2, "FLIGHT.bin", "there is such a file"),
                                (0, None, "slot 0"), (4, None, "disk.img has slots 1 to 3")):
        with pytest.raises(Refused, match=words):
            finalise_image(image, number, 10, name=name)
    with pytest.raises(Refused, match="1970"):
        finalise_image(image, 2, 10, started=datetime(1970, 1, 1))


@pytest.mark.parametrize("step", range(5))
def test_interrupted_and_done_again(image, recorded, monkeypatch, step):
    """Whatever was the last step, the second time succeeds, with the log of the first one."""
    data = recorded(2, 30_001)
    steps = []

    def counted(real):
        def method(self, *arguments):
            if len(steps) == step:
                raise KeyboardInterrupt
            steps.append(real.__name__)
            return real(self, *arguments)
        return method

    with monkeypatch.context() as patch:
        for name in "write", "flush":
            patch.setattr(DiskWriter, name, counted(getattr(DiskWriter, name)))
        if step < 4:
            with pytest.raises(KeyboardInterrupt):
                finalise_image(image, 2, len(data), model="M", serial="S", started=datetime(2026, 1, 1))
        else:
            finalise_image(image, 2, len(data), model="M", serial="S", started=datetime(2026, 1, 1))
    log = finalise_image(image, 2, len(data), model="M", serial="S", started=datetime(2026, 2, 2))
    with Drive(image) as drive:
        one, = drive.recordings
        assert one.is_file and one.log == log and drive.memmap(one).tobytes() == data
        assert log.started.datetime().month == (1 if step > 1 else 2), "the log that was there stays"
        assert verify(drive).problems == []


def test_not_done_yet(image, recorded):
    """Another name, another length or other data are not what is there."""
    recorded(1, 5000)
    finalise_image(image, 1, 5000)
    for size, name in (4999, None), (5000, "flight.dat"):
        with pytest.raises(Refused, match="slot 1: is not free: it has the recording RECORDINGS/REC00001.dat "
                           "of 5000 bytes"):
            finalise_image(image, 1, size, name=name)
    with Drive(image) as drive:
        lba = drive.slots[0].lba
    with open(image, "r+b") as file:
        file.seek(512 * lba)
        file.write(b"others")
    with pytest.raises(Refused, match="slot 1: is not free"):
        finalise_image(image, 1, 5000)


def test_no_prepared_image(tmp_path):
    path = tmp_path / "disk.img"
    with pytest.raises(Refused, match="No such file"):
        finalise_image(path, 1, 1)
    for content in b"", bytes(1 << 20):
        path.write_bytes(content)
        with pytest.raises(Refused, match="has no recording table"):
            finalise_image(path, 1, 1)
        assert path.read_bytes() == content

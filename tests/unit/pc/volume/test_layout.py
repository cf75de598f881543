"""Where everything lies on a prepared drive: aligned, apart, and on the drive."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.pc.volume import MOST_SLOTS, LayoutError, layout
from sata_recorder.pc.volume.partitions import partition_table, partitions
from sata_recorder.pc.volume.exfat import Malformed

from .conftest import Disk

MIB = 1 << 20


@given(st.integers(8 * MIB, 20 << 40), st.integers(1, 300) | st.none(),
       st.integers(1, 1 << 41) | st.none(), st.sampled_from([1 << 16, MIB, 4 * MIB, 32 * MIB]),
       st.sampled_from([512, 4096, 16384]))
def test_parts_are_apart(size, recordings, recording_bytes, align, physical):
    try:
        made = layout(size // 512, recordings=recordings, recording_bytes=recording_bytes,
                      align=align, physical=physical)
    except LayoutError:
        return
    table, boot, slots = made.table, made.boot, made.slots
    start = table.partition_lba
    cluster = 1 << table.cluster_shift

    def heap(first, count):
        return start + boot.sector_of(first), count * cluster

    parts = [(0, 34), (1024, 1 + table.slots), *((slot.log_lba, 3) for slot in slots),
             (start, 24), (start + boot.fat_offset, boot.fat_sectors),
             heap(made.bitmap_cluster, made.upcase_cluster - made.bitmap_cluster),
             heap(made.upcase_cluster, boot.root_cluster - made.upcase_cluster),
             heap(boot.root_cluster, 1), heap(made.folder_cluster, made.folder_clusters),
             *((slot.lba, slot.sectors) for slot in slots), (size // 512 - 33, 33)]
    for (first, count), (after, _) in zip(parts, parts[1:], strict=False):
        assert first + count <= after
    assert start + table.partition_sectors <= size // 512 - 33
    assert boot.sector_of(boot.clusters + 2) <= boot.volume_sectors
    assert boot.fat_sectors * 128 >= boot.clusters + 2
    assert len(made.slots) == table.slots <= MOST_SLOTS
    for slot in slots:
        assert slot.lba * 512 % align == 0 == slot.sectors * 512 % align
        assert (slot.lba, slot.sectors) == heap(slot.first_cluster, slot.clusters)
        for block in slot.log_lba, slot.directory_lba:
            assert block * 512 % max(4096, physical) == 0
        folder, folder_sectors = heap(made.folder_cluster, made.folder_clusters)
        assert folder < slot.directory_lba < folder + folder_sectors
    assert recordings is None or recordings == table.slots
    assert recording_bytes is None or slots[0].bytes >= recording_bytes


@pytest.mark.parametrize("options, field, words", [
    ({}, "recordings", "missing"), ({"recordings": 0}, "recordings", "1 to 4096"),
    ({"recordings": 4097}, "recordings", "1 to 4096"),
    ({"recordings": 1, "align": 3 << 20}, "align", "power of two"),
    ({"recordings": 1, "align": 2048}, "align", "power of two"),
    ({"recordings": 1, "align": 1 << 31}, "align", "power of two"),
    ({"recordings": 1, "align": 4096, "physical": 8192}, "align", "physical sector of 8192"),
    ({"recording_bytes": 0}, "recording_bytes", "at least 1"),
    ({"recording_bytes": 60 * MIB}, "recording_bytes", "room for 0"),
    ({"recording_bytes": 20 * MIB, "recordings": 3}, "recording_bytes", "not for 3"),
    ({"recordings": 4000}, "recordings|size", "room for|too few"),
    ({"sectors": 4096, "recordings": 1}, "size", "2097152 bytes: too small"),
])
def test_refusals(options, field, words):
    options = {"sectors": 131072} | options
    with pytest.raises(LayoutError, match=words) as error:
        layout(options.pop("sectors"), **options)
    assert error.value.field in field.split("|")


def test_partition_table():
    """Either header is enough, as long as its sums are right."""
    disk = Disk(bytes(512 * 4096))
    for lba, content in partition_table(4096, 2048, 1000, "NAME", disk=uuid.UUID(int=1),
                                        partition=uuid.UUID(int=2)):
        disk.write(lba, content)
    assert partitions(disk) == [(2048, 1000)]
    disk.content[512 + 30] ^= 1
    assert partitions(disk) == [(2048, 1000)]
    disk.content[512 * 4095 + 40] ^= 1
    with pytest.raises(Malformed, match="neither header"):
        partitions(disk)


def test_other_partition_tables():
    disk = Disk(bytes(512 * 16))
    with pytest.raises(Malformed, match="no partition table"):
        partitions(disk)
    disk.content[510:512] = b"\x55\xaa"
    disk.content[446:462] = bytes(4) + b"\x07" + bytes(3) + b"\x08\0\0\0\x04\0\0\0"
    assert partitions(disk) == [(8, 4)]
    disk.content[3:11] = b"EXFAT   "
    assert partitions(disk) == [(0, 16)]

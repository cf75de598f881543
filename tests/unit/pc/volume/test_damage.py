"""Damaged metadata: whatever the bytes are, the reader tells what is wrong, and ends."""

import random
import struct
import zlib

import pytest

from sata_recorder.pc.volume import (Copied, Drive, Refused, copy, finalise_image, find_file,
                                      harm, renew, sidecar, verify)
from sata_recorder.pc.volume.exfat import set_checksum
from sata_recorder.pc.volume.exfat.boot import checksum

MUTATIONS = 50


def resealed(content, table, folder, root):
    """The content with all its sums made right, so that wrong fields get past them."""
    for lba in [*range(1024, 1028), *range(table.log_lba, table.log_lba + 24, 8)]:
        place = 512 * lba
        if content[place:place + 8] == b"SATA LOG":
            journal = content[place + 512:place + 1536]
            struct.pack_into("<I", content, place + 68, zlib.crc32(journal))
        if content[place:place + 4] == b"SATA":
            struct.pack_into("<I", content, place + 508, zlib.crc32(content[place:place + 508]))
    boot = 512 * table.partition_lba
    total = checksum(content[boot:boot + 11 * 512])
    struct.pack_into("<128I", content, boot + 11 * 512, *128 * [total])
    for place in [root + 96, *range(folder, folder + 16384, 32)]:
        if content[place] == 0x85:
            entries = content[place:place + 32 + 32 * content[place + 1]]
            struct.pack_into("<H", content, place + 2, set_checksum(entries))
    return content


def read_all(path):
    """Everything that the verbs read."""
    try:
        with Drive(path) as drive:
            verify(drive)
            for slot in drive.slots:
                drive.state(slot)
            for one in drive.recordings:
                copy(drive.source, one.extents, min(one.bytes, 1 << 20), None)
                sidecar(one, Copied())
    except Refused:
        pass
    try:
        find_file(path, "RECORDINGS/REC00001.dat")
    except Refused:
        pass


@pytest.fixture
def parts(image):
    """The recording table of the image, with two recordings, and where its metadata are."""
    for number in 1, 2:
        finalise_image(image, number, 5000 * number)
    with Drive(image) as drive:
        table, places = drive.table, [512 * drive.volume.lba(cluster) for cluster in (2, 3, 4, 5)]
    return table, [(0, 17408), (1024 * 512, 2048), (512 * table.log_lba, 12288),
                   (512 * table.partition_lba, 33792),
                   *zip(places, (512, 300, 200, 16384), strict=True)]


def test_any_bytes(image, parts, seed, turns):
    table, areas = parts
    rng = random.Random(seed)
    original = image.read_bytes()
    for _ in range(MUTATIONS * turns(1, 50)):
        content = bytearray(original)
        for _ in range(rng.randrange(1, 4)):
            start, size = rng.choice(areas)
            place, count = start + rng.randrange(size), rng.choice([1, 1, 4, 8])
            content[place:place + count] = rng.choice(
                [rng.randbytes(count), b"\xff" * count, bytes(count)])
        if rng.random() < 0.7:
            content = resealed(content, table, areas[-1][0], areas[-2][0])
        image.write_bytes(content)
        read_all(image)


@pytest.mark.parametrize("size", [0, 511, 1024 * 512 + 100, 1030 * 512, 1200 * 512, 1300 * 512])
def test_truncated(image, parts, size):
    image.write_bytes(image.read_bytes()[:size])
    read_all(image)


@pytest.mark.parametrize("lacks, taken", [(1, set()), (4096, {3}), (8192, {2, 3})])
def test_a_drive_whose_end_is_missing(image, recorded, lacks, taken):
    """An image that was cut, or copied to a smaller drive: what is there is sound, and that is not all."""
    recorded(1, 1000)
    finalise_image(image, 1, 1000)
    with open(image, "r+b") as file:
        held = image.stat().st_size // 512
        file.truncate(512 * (held - lacks))
    with Drive(image) as drive:
        assert f"it has {held - lacks} sectors, and had {held} when it was prepared: its end is missing" \
            in verify(drive).problems
        assert drive.recordings[0].is_file and set(drive.taken) - {1} == taken
        assert {slot.number for slot in drive.slots if drive.state(slot) == "free"} == {2, 3} - taken
        for number in taken:
            assert drive.taken[number].text == "it ends beyond the end of the drive"
            assert f"{image} is not free: it ends beyond" in harm(image, drive.slots[number - 1].lba, 1)
    with pytest.raises(Refused, match="stays as it is: it has .* its end is missing"):
        renew(image)

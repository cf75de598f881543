"""Two mirrors are prepared together: what each then has, and what is refused, so that no recording is lost."""

import itertools
import os
from dataclasses import replace

import pytest

from sata_recorder import outputs
from sata_recorder.facts.array import CLEAN, RAID0, RAID1, mirror_superblock_lba
from sata_recorder.pc.array import MirrorReader, members, open_disk, open_target, prepare_array
from sata_recorder.pc.volume import DiskReader, Drive, Refused, finalise_image, harm, is_mirror, prepare, renew, verify

from .conftest import ALIGN, PLACE, SECTORS
from .members_on_disk import known, mark, notes
from .memory import MemoryDisk


def test_prepared(pair):
    """All that one has, the other has, but for what distinguishes their superblocks; each is a drive by itself."""
    one, other = (path.read_bytes() for path in pair)
    assert len(one) == 512 * SECTORS and one[:512 * PLACE] == other[:512 * PLACE] and not any(one[512 * PLACE + 512:])
    of_one, of_other = map(known, pair)
    assert replace(of_other, lane=0, member=of_one.member) == of_one and of_one.member != of_other.member
    assert (of_one.level, of_one.resync, of_one.events, of_one.lba, of_one.data_sectors) == (
        RAID1, CLEAN, 0, PLACE, PLACE)
    assert of_one.created == of_one.updated > 1.7e9
    for path in pair:
        with Drive(path) as drive:
            assert drive.problems == [] and [drive.state(slot) for slot in drive.slots] == 3 * ["free"]
            assert drive.table.disk_sectors == PLACE


def test_drives_of_unequal_size(tmp_path):
    """Each has the data of the smaller one, and its superblock at its own end."""
    paths = [tmp_path / name for name in "ab"]
    for path, sectors in zip(paths, (9001, 8000), strict=True):
        path.write_bytes(bytes(512 * sectors))
    _, where = prepare_array(paths, RAID1, recordings=2, align=ALIGN)
    assert where.data_sectors == 2 * (mirror_superblock_lba(8000),) and where.sectors == mirror_superblock_lba(8000)
    assert [known(path).lba for path in paths] == [mirror_superblock_lba(9001), mirror_superblock_lba(8000)]
    assert notes(*paths[::-1]) == []


def test_long_sectors(tmp_path):
    paths = [tmp_path / name for name in "ab"]
    made, _ = prepare_array(paths, RAID1, sectors=SECTORS, recordings=2, align=ALIGN, logical=4096)
    assert made.table.unit == 8 and notes(*paths) == []


def test_number_of_drives(tmp_path):
    paths = [tmp_path / name for name in "abc"]
    for some, words in ((paths, f"{paths[2]}: is drive 3 of 3; a RAID 1 has 2"), (paths[:1], "at least 2 drives")):
        with pytest.raises(Refused, match=words):
            prepare_array(some, RAID1, sectors=SECTORS, recordings=1, align=ALIGN)
    with pytest.raises(ValueError, match="16384 bytes: a RAID 1 has no chunks"):
        prepare_array(paths[:2], RAID1, chunk_sectors=32, sectors=SECTORS, recordings=1, align=ALIGN)
    assert not os.listdir(tmp_path)


def test_recordings_are_not_lost(pair, record, tmp_path):
    """Not by `prepare` of both, nor of one with another drive."""
    one, other = pair
    prepare_array(pair[::-1], RAID1, sectors=SECTORS, recordings=3, align=ALIGN)    # nothing was recorded
    record(pair, 2, 5000)
    before = [path.read_bytes() for path in pair]
    for level, paths, words in ((RAID0, pair, f"array {other} {one}: holds the recording REC00002.dat"),
                                (RAID1, [one, tmp_path / "new"], f"{one}: holds the recording REC00002.dat")):
        with pytest.raises(Refused, match=words) as error:
            prepare_array(paths, level, sectors=SECTORS, recordings=3, align=ALIGN)
        assert error.value.overwrite
    assert [path.read_bytes() for path in pair] == before and not (tmp_path / "new").exists()
    prepare_array(pair, RAID0, sectors=SECTORS, recordings=3, align=ALIGN, overwrite=True)
    for path in pair:
        with DiskReader(path) as disk:
            assert not is_mirror(disk)
    prepare_array(pair, RAID1, sectors=SECTORS, recordings=3, align=ALIGN, overwrite=True)
    assert notes(*pair) == []


def test_nothing_is_written_to_one_alone(pair, record):
    """Neither by what takes a drive, nor by what takes an array; only with `overwrite` all of it is lost."""
    one, other = pair
    record(pair, 1, 5000)
    before = [path.read_bytes() for path in pair]
    for drops in False, True:
        if drops:
            mark(one, events=9, dropped=1)
            outputs.mark(one)
            before[0] = one.read_bytes()
        for writes in (lambda: finalise_image(one, 2, 100), lambda: renew(one), lambda: open_target([one]).__enter__()):
            with pytest.raises(Refused, match=f"{one}: is one of two mirrors .* is not written alone"):
                writes()
        assert f"{one} is one of two mirrors" in harm(one, 5000, 1)
        with pytest.raises(Refused, match="holds a part of an array") as error:
            prepare(one, recordings=1, align=ALIGN)
        assert error.value.overwrite
    assert [path.read_bytes() for path in pair] == before
    prepare(one, recordings=1, align=ALIGN, overwrite=True)
    with Drive(one) as drive, open_disk([one]) as source:
        assert drive.problems == [] and not is_mirror(source) and not isinstance(source, MirrorReader)


@pytest.mark.parametrize("overwrites", [False, True])
def test_power_fails_while_they_are_prepared(monkeypatch, overwrites):
    """After each write there are no mirrors, or both of them; each alone is a whole drive from the first on that is
    found as one."""
    from contextlib import nullcontext

    from sata_recorder.pc.array import prepare as preparing
    steps = []
    disks = [MemoryDisk(SECTORS, f"d{lane}", steps) for lane in range(2)]
    targets = itertools.cycle(disks)
    monkeypatch.setattr(preparing, "new_target", lambda *_, **__: nullcontext(next(targets)))
    if overwrites:
        prepare_array(["d0", "d1"], RAID1, recordings=5, align=ALIGN)
    before = [bytes(disk.content) for disk in disks]
    steps.clear()
    prepare_array(["d0", "d1"], RAID1, recordings=3, align=ALIGN, overwrite=True)
    if overwrites:      # what states that they are alike is gone from the medium before anything differs
        assert [(disk, place) for disk, place, _ in steps[:4]] == [
            *((disk, 512 * (SECTORS - 256)) for disk in disks), *((disk, None) for disk in disks)]
    for disk, content in zip(disks, before, strict=True):
        disk.content[:] = content
    seen = []
    for disk, place, content in list(steps):
        if place is not None:
            disk.content[place:place + len(content)] = content
            seen.append(recognised(disks))
    changes = [found for place, found in enumerate(seen) if place == 0 or found != seen[place - 1]]
    assert changes == [None, "mirrors"]
    assert [(disk, place) for disk, place, _ in steps if place is not None][-2:] == [(disk, 512 * PLACE)
                                                                                    for disk in disks]
    last = max(number for number, (_, place, _) in enumerate(steps) if place not in (None, 512 * PLACE))
    flushed = [disk for disk, place, _ in steps[last:] if place is None]
    assert all(flushed.count(disk) >= 2 for disk in disks), "the superblocks come after a flush, and before one"


def recognised(disks):
    """"mirrors", of which all is sound, or None."""
    try:
        found = members(disks)
    except Refused:
        return None
    source = MirrorReader(found.disks, found.geometry.sectors)
    drive = Drive(source.path, source)
    assert verify(drive).problems == [] and len(drive.slots) == 3
    return "mirrors"

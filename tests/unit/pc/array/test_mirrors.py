"""Two mirrors: which states of their superblocks are read, which are refused, and what is told of them."""

import os
import random
import re
import uuid
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.facts.array import CLEAN, RAID0, RAID1
from sata_recorder.pc.array import Superblock, members, members_among, open_disk, open_target, remarked
from sata_recorder.pc.volume import DiskReader, Drive, Refused, prepare

from .conftest import ALIGN, PLACE, SECTORS
from .members_on_disk import change, known, mark, notes, refused
from .memory import MemoryDisk


def test_any_order(pair):
    """Lane 0 is the one that is read."""
    for order in pair, pair[::-1]:
        assert notes(*order) == []
        with open_disk(order) as source:
            assert [disk.path for disk in source.disks] == pair
            assert source.path == f"array {pair[0]} {pair[1]}"
            assert source.size == 512 * PLACE and not source.is_file and not source.is_device


def test_alone(pair, record):
    """It is one of two, and nothing more is known."""
    data = record(pair, 2, 70_001)
    for lane, path in enumerate(pair):
        assert notes(path) == [f"{path} is lane {lane} of two mirrors, and lane {1 - lane} was not looked at: this one "
                               "may be stale"]
        with open_disk([path]) as source:
            drive = Drive(source.path, source)
            assert source.path == path and source.is_file
            assert drive.memmap(drive.recordings[0]).tobytes() == data


def test_dirty(pair):
    for path in pair:
        mark(path, events=1, resync=0)
    text = "not marked clean: the power failed while the mirrors were written, or md has not made them alike yet"
    assert notes(*pair) == [f"{text}: they may differ, which `sata-recorder verify` shows"]
    assert notes(pair[1])[1:] == [text]
    for path in pair:
        mark(path, resync=1000)     # md has come so far
    assert notes(*pair)[0].startswith(text)


def test_failed(pair):
    """The survivor is read alone, the one that was dropped not with it. If the survivor is older, neither is known to
    be whole, as for the recorder."""
    one, other = pair
    mark(one, events=2, dropped=1)
    assert notes(one) == [f"degraded: {one} is lane 0 of two mirrors, and by its superblock lane 1 has failed: what it "
                          "has, it alone has"]
    refused([other, one], f"{other}: is in the array no more: {one} names it as failed, with 2 events, it has 0: name "
            f"{one} alone")
    mark(one, events=0)
    refused(pair, f"{other}: is in the array no more", "with 0 events, it has 0")
    mark(other, events=5)
    refused(pair, f"{other}: {one} names it as failed, but is older, with 0 events to 5: neither is known to be whole")
    mark(other, dropped=0)
    refused(pair, f"{one} {other}: each has gone on without the other, {one} with 0 events, {other} with 5: name")
    with open_disk([other]) as source:
        assert source.is_degraded


def test_stale(pair):
    one, other = pair
    mark(other, events=2)
    refused(pair, f"{one}: is stale: it has 0 events, {other} 2: something was written to the array without it: name "
            f"{other} alone, or let mdadm assemble them")
    assert len(notes(one)) == len(notes(other)) == 1


def test_power_that_fails_between_the_marks_of_the_two(pair):
    """Both are in use, as for md, but not known to be alike."""
    mark(pair[1], events=1, resync=0)
    with open_disk(pair) as source:
        assert len(source.notes) == 1 and "not marked clean" in source.notes[0]


@settings(max_examples=300)
@given(st.tuples(*2 * [st.fixed_dictionaries({"events": st.integers(0, 3), "is_dirty": st.booleans(),
                                             "names": st.booleans()})]), st.permutations([0, 1]))
def test_states(states, order):
    """Of all that two superblocks can state: both are read only if neither is a reason not to, and what is known of
    one alone is told."""
    disks = []
    for lane, state in enumerate(states):
        disk = MemoryDisk(3000, f"d{lane}")
        one = Superblock(uuid.UUID(int=1), uuid.UUID(int=lane), RAID1, 0, 2, lane, 2984, 5, events=state["events"],
                         resync=0 if state["is_dirty"] else CLEAN, missing=(1 - lane,) if state["names"] else (),
                         lba=2984)
        disk.write(2984, one.pack())
        disks.append(disk)
    (a, b), fits = states, not any(state["names"] for state in states)
    apart = abs(a["events"] - b["events"])
    fits = fits and apart <= 1
    try:
        found = members([disks[lane] for lane in order])
    except Refused as error:
        assert not fits
        if a["names"] != b["names"]:
            assert str(error).startswith("d1:" if a["names"] else "d0:")
        elif not a["names"]:
            assert str(error).startswith("d0: is stale" if a["events"] < b["events"] else "d1: is stale")
        told = re.sub(r"d\d|lane \d", "", str(error))
        assert {str(state["events"]) for state in states} <= set(re.findall(r"\d+", told))
    else:
        assert fits and found.disks == disks and bool(found.notes) == (
            a["is_dirty"] or b["is_dirty"] or apart > 0)
        assert not found.is_degraded
    for disk, state in zip(disks, states, strict=True):
        alone = members([disk])
        assert alone.is_degraded == state["names"]
        assert [note.split(":")[0] for note in alone.notes] == (
            ["degraded"] if state["names"] else
            [f"{disk.path} is lane {disks.index(disk)} of two mirrors, and lane {1 - disks.index(disk)} was not looked "
             "at"] + (["not marked clean"] if state["is_dirty"] else []))


def test_foreign(pair, made, tmp_path):
    one, other = pair
    x, y = made(RAID1, 2, "other")
    refused([one, y], f"{y}: is of another array than {one}", str(known(y).array))
    striped = made(RAID0, 2, "striped")
    refused([one, striped[1]], f"{striped[1]}: is of another array")
    single = tmp_path / "single"
    prepare(single, sectors=SECTORS, recordings=1, align=ALIGN)
    for paths in [one, single], [single, one]:
        refused(paths, f"{single}: is no member of an array: it has no md superblock at LBA 8, nor near its end, at "
                f"LBA {PLACE}")
    refused([one, other, x], f"{x}: is of another array")


def test_there_twice(pair, tmp_path):
    one, other = pair
    copy, link = tmp_path / "copy", tmp_path / "link"
    copy.write_bytes(one.read_bytes())
    link.symlink_to(one)
    refused([one, copy], f"{copy}: is lane 0 of the array, as {one} is: the same drive, or a copy of it")
    refused([one, one], f"{one}: is named twice")
    refused([one, link], f"{link}: is {one} by another name")
    refused([one, other, copy], f"{copy}: is lane 0")


def test_another_size(pair):
    """A superblock is where the end of its drive was: elsewhere nobody finds it."""
    one, other = pair
    os.truncate(other, 512 * (SECTORS - 16))
    refused(pair, f"{other}: is no member of an array: it has no md superblock at LBA 8, nor near its end")
    os.truncate(other, 512 * SECTORS)
    change(other, PLACE, replace(known(one), lane=1, data_sectors=PLACE - 8).pack())
    refused(pair, f"{other}: has {PLACE - 8} sectors of the array, {one} {PLACE}: `prepare` gives each drive of a RAID "
            "1 as many")
    change(other, PLACE, replace(known(one), lane=1, data_sectors=PLACE + 1).pack())
    with pytest.raises(Refused, match=f"{other}: .*impossible: {PLACE + 1} sectors"):
        open_disk([other])


def test_damaged(pair):
    """It is refused beside the other, and read alone, as the data need no superblock."""
    one, other = pair
    with open(other, "r+b") as file:
        file.seek(512 * PLACE + 300)
        file.write(b"\1")
    refused(pair, f"{other}: has an md superblock that is damaged")
    assert notes(other) == [f"{other} has an md superblock that is damaged: its checksum differs: whether it is whole, "
                            "stale or degraded is unknown"]
    with pytest.raises(Refused, match="is not written alone"), open_target([other]):
        pass


def test_what_prepare_has_not_made(pair):
    """Such as a bitmap, or a drive that is being rebuilt: alone it is not read, either."""
    one, _ = pair
    content = bytearray(known(one).pack())
    content[8] = 2
    change(one, PLACE, remarked(bytes(content), events=0))
    with pytest.raises(Refused, match="`prepare` has not made: features 2, known is 0"):
        open_disk([one])


def test_members_among_words(pair, tmp_path, monkeypatch):
    """A file that has the name of a recording is none of them."""
    one, other = map(str, pair)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "REC00001.dat").write_bytes(random.Random(1).randbytes(20_000))
    for words, count in (([one], 1), ([one, other], 2), ([one, other, "REC00001.dat"], 2), ([one, "REC00001.dat"], 1),
                         ([other, "none"], 1), ([other, one, one], 2), ([one, str(tmp_path)], 1)):
        assert members_among(words) == count, words


def test_reads_go_on_where_one_cannot_be_read(pair, record, monkeypatch):
    """With what the other has; the one that failed is named. Where neither can be read, nothing is made up."""
    data = record(pair, 1, 600_000)
    with Drive(pair[0]) as drive:
        bad = {pair[0]: (drive.slots[0].lba + 100, drive.slots[0].lba + 200)}
    real = DiskReader.read_into

    def read_into(self, offset, *views):
        first, end = bad.get(self.path, (0, 0))
        if offset < 512 * end and offset + sum(map(len, views)) > 512 * first:
            raise OSError(5, "Input/output error")
        real(self, offset, *views)

    monkeypatch.setattr(DiskReader, "read_into", read_into)
    with open_disk(pair) as source:
        drive = Drive(source.path, source)
        assert drive.read(drive.recordings[0]).tobytes() == data
        assert source.failures == {str(pair[0]): "Input/output error"}
        lba = drive.slots[0].lba + 150
        bad[pair[1]] = lba, lba + 1
        with pytest.raises(OSError, match=f"{pair[1]}: Input/output error"):
            source.read(512 * lba, 512)
        assert len(source.read(512 * (lba - 1), 512)) == 512
        with pytest.raises(OSError, match="beyond its end"):
            source.read(source.size, 1)

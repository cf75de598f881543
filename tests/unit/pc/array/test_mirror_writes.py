"""Both mirrors are written, or neither: whatever fails on the way, they do not state that they are alike and differ."""

import random
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.facts.array import CLEAN, RAID1
from sata_recorder.pc.array import MirrorReader, MirrorWriter, Superblock, members, open_disk, open_target
from sata_recorder.pc.volume import (DiskReader, DiskWriter, Drive, Refused, finalise_target, prepare_target,
                                     renew_target, verify)

from .conftest import ALIGN, PLACE, SECTORS
from .members_on_disk import change, known, mark
from .memory import MemoryDisk


def states(paths):
    """(events, resync offset) of each."""
    return [(one.events, one.resync) for one in map(known, paths)]


def make_dirty(paths):
    for path in paths:
        mark(path, events=7, resync=0)


def test_events(pair, record):
    """Two for what was written; none where nothing is."""
    record(pair, 1, 70_000)
    assert states(pair) == 2 * [(2, CLEAN)]
    with open_target(pair[::-1]) as target:
        assert renew_target(target).changes == ()
    with open_target(pair) as target:
        finalise_target(target, 1, 70_000)      # it is a file already
    assert states(pair) == 2 * [(2, CLEAN)]
    one, other = (path.read_bytes()[:512 * PLACE] for path in pair)
    assert one == other


def test_renewed(pair):
    with open_target(pair) as target:
        for lba in 1, 2:
            target.write(lba, target.read(512 * lba, 512))
        sector = bytearray(target.read(0, 512))
        sector[450] ^= 1
        target.write(0, sector)
    words = f"array {pair[0]} {pair[1]}: the recording table stays"
    with open_target(pair) as target, pytest.raises(Refused, match=words):
        renew_target(target)
    assert states(pair) == 2 * [(2, CLEAN)]


def test_what_was_dirty_stays_dirty(pair, record):
    """What this tool has written is alike, all else is as unknown as it was."""
    make_dirty(pair)
    data = record(pair, 2, 5000)
    assert states(pair) == 2 * [(9, 0)]
    with open_disk(pair) as source:
        drive = Drive(source.path, source)
        assert drive.read(drive.recordings[0]).tobytes() == data and len(source.notes) == 1


@pytest.mark.parametrize("is_dirty", [False, True])
def test_mirrors_that_differ_are_not_written(pair, is_dirty):
    """Where that matters: in what is read to be written, be it the tables or the data of the recording."""
    with Drive(pair[0]) as drive:
        slot, folder, table = drive.slots[1], drive.folder_lba, drive.table.slots_lba
    if is_dirty:
        make_dirty(pair)
    for lba, lane in (slot.lba + 9, 0), (folder + 1, 1), (table, 1):
        real = pair[lane].read_bytes()[512 * lba:512 * (lba + 1)]
        change(pair[lane], lba, real[:-1] + bytes([real[-1] ^ 1]))
        before = [path.read_bytes() for path in pair]
        with pytest.raises(Refused, match=f"{pair[1]}: differs from {pair[0]} at LBA {lba}, so nothing is written"), \
                open_target(pair) as target:
            finalise_target(target, 2, 10_000)
        assert [path.read_bytes() for path in pair] == before
        change(pair[lane], lba, real)
    change(pair[1], slot.lba + 20, b"elsewhere")        # after the 10,000 bytes that become a file
    with open_target(pair) as target:
        finalise_target(target, 2, 10_000)


@pytest.mark.parametrize("lane", [0, 1])
def test_one_cannot_be_written(pair, monkeypatch, lane):
    """The error names it, and the mirrors state that they may differ."""
    real = DiskWriter.write

    def write(self, lba, content):
        if self.path == pair[lane] and lba < PLACE:
            raise OSError(5, "Input/output error")
        real(self, lba, content)

    monkeypatch.setattr(DiskWriter, "write", write)
    with pytest.raises(OSError, match=f"{pair[lane]}: Input/output error"), open_target(pair) as target:
        finalise_target(target, 1, 10_000)
    assert states(pair) == 2 * [(1, 0)]


def test_one_cannot_be_read(pair, monkeypatch):
    """Whether it differs is unknown: nothing is written."""
    real = DiskReader.read

    def read(self, offset, size):
        if self.path == pair[1] and offset == 512:
            raise OSError(5, "Input/output error")
        return real(self, offset, size)

    before = [path.read_bytes() for path in pair]
    monkeypatch.setattr(DiskReader, "read", read)
    with open_target(pair) as target, pytest.raises(OSError, match=f"{pair[1]}: Input/output error"):
        target.read(512, 512)
    assert [path.read_bytes() for path in pair] == before


def new_pair(steps):
    """Mirrors in memory with one slot that has data, and no file yet."""
    disks = [MemoryDisk(SECTORS, f"d{lane}", steps) for lane in range(2)]
    target = MirrorWriter(disks, PLACE)
    prepare_target(target, lambda: None, recordings=1, align=ALIGN)
    target.seal([Superblock(uuid.UUID(int=1), uuid.uuid4(), RAID1, 0, 2, lane, PLACE, 5, lba=PLACE) for lane in (0, 1)])
    drive = Drive(target.path, target)
    target.write(drive.slots[0].lba, random.Random(1).randbytes(512 * 20))
    return disks


_STEPS = []
_DISKS = new_pair(_STEPS)
_BEFORE = [bytes(disk.content) for disk in _DISKS]
_STEPS.clear()
_KNOWN = members(_DISKS)
_TARGET = MirrorWriter(_KNOWN.disks, _KNOWN.geometry.sectors, _KNOWN)
finalise_target(_TARGET, 1, 10_000)
_TARGET.finish()
_WRITTEN = list(_STEPS)


@settings(max_examples=300)
@given(st.data())
def test_power_fails(data):
    """After any write, with any of those lost that were not flushed, of each drive by itself."""
    end = data.draw(st.integers(0, len(_WRITTEN)))
    for disk, content in zip(_DISKS, _BEFORE, strict=True):
        disk.content[:] = content
    waiting = {disk: [] for disk in _DISKS}
    for disk, place, content in _WRITTEN[:end]:
        waiting[disk].append((place, content))
        if place is None:
            apply(disk, waiting[disk], [True] * len(waiting[disk]))
            waiting[disk] = []
    for disk, writes in waiting.items():
        apply(disk, writes, data.draw(st.lists(st.booleans(), min_size=len(writes), max_size=len(writes))))
    one, other = _DISKS
    alike = one.content[:512 * PLACE] == other.content[:512 * PLACE]
    found = members(_DISKS)
    assert alike or found.notes
    for source in MirrorReader(found.disks, PLACE), MirrorReader([one], PLACE), MirrorReader([other], PLACE):
        drive = Drive(source.path, source)
        # A log without a file is what a failure of the power leaves on one drive, too.
        assert [text for text in verify(drive).problems if "was not made a file" not in text] == []
        assert all(len(recording.extents) == 1 and recording.bytes == 10_000 for recording in drive.recordings)


def apply(disk, writes, kept):
    for (place, content), stays in zip(writes, kept, strict=True):
        if stays and place is not None:
            disk.content[place:place + len(content)] = content


def test_order_of_writes():
    """Both are marked, and that is flushed, before anything is written; and taken back when all is flushed."""
    written = [(512 * PLACE == place, place, content) for _, place, content in _WRITTEN]
    while written[0][1] is None:        # what a recorder has written
        del written[0]
    marks = [is_mark for is_mark, place, _ in written if place is not None]
    assert marks == [True, True, *(len(marks) - 4) * [False], True, True] and len(marks) > 6
    for first in 2, -6, -2:
        assert [place for _, place, _ in written][first:][:2] == [None, None]
    assert [states_of(written[place][2]) for place in (0, 1, -4, -3)] == [(1, 0), (1, 0), (2, CLEAN), (2, CLEAN)]


def states_of(content):
    return tuple(int.from_bytes(content[place:place + 8], "little") for place in (200, 208))


@pytest.mark.parametrize("zeros", [False, True])
def test_finish_flushes_what_was_written(zeros):
    """Whoever has written need not have: no mark is there before all else is on both."""
    steps = []
    disks = new_pair(steps)
    found = members(disks)
    steps.clear()
    target = MirrorWriter(found.disks, PLACE, found)
    target.finish()
    assert steps == []          # nothing was written
    if zeros:
        target.zero(5000, 2)
    else:
        target.write(5000, bytes(1024))
    target.finish()
    kinds = ["flush" if place is None else "mark" if place == 512 * PLACE else "data" for _, place, _ in steps]
    assert kinds == 2 * ["mark"] + 2 * ["flush"] + 2 * ["data"] + 2 * ["flush"] + 2 * ["mark"] + 2 * ["flush"]
    assert [disk for disk, *_ in steps] == 6 * disks

"""The file of a ring or of segments is brought up to date while it is recorded."""

from zlib import crc32

import pytest
from unit.bricks.files.fake_core import CLOCK_HZ, TIME
from unit.bricks.files.mode_slots import DRIVE, SECTORS, entries
from unit.bricks.files.world import pattern

from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import Log, SectorOrder, SegmentEntry, finalise, verify

RING, TRIGGERED = RecordingMode.RING, RecordingMode.TRIGGERED


@pytest.mark.sample(2)
@pytest.mark.parametrize("words", [128 * 20, 128 * 24, 128 * 25, 128 * 60, 128 * 60 + 5])
def test_updates_of_a_ring(disk, seen, mode_recorder, words):
    """Each update is one sector of the log, which is the reference's, and the directory: first as
    long as the recording, and all of the slot before anything can be written over."""
    before = disk(3, recording_bytes=512 * SECTORS)
    core = mode_recorder()
    core.table = entries((0, words))
    data = pattern(4 * words)
    assert core.record(data, by="stop", time=TIME, mode=RING, interval=50) == FileError.NONE
    slot = seen(before).slots[0]
    own = [step for step in core.steps if step and not slot.lba <= step[0] < slot.lba + SECTORS]
    updates = words // (128 * 8)
    assert core.resumed == updates and len(own) == 2 * updates + 3
    for number in range(1, updates + 1):
        written = 8 * number
        wraps = written > SECTORS - 8
        size = 512 * (SECTORS if wraps else written)
        log = Log(1, size, slot.lba, CLOCK_HZ, started=TIME, ended=False,
                  crc32=None if wraps else crc32(data[:size]), journal_full=True, order=SectorOrder(
                      RING, SECTORS, 128 * written, written, max(0, written - SECTORS + 8), 0),
                  **DRIVE)
        assert own[2 * number - 2] == (slot.log_lba, log.pack()[:512])
        sector = bytes(before[512 * slot.directory_lba:512 * slot.directory_lba + 512])
        assert own[2 * number - 1] == (slot.directory_lba,
                                       finalise(slot, sector, 4096, log)[2].content)
    # The last log is written from its end on.
    assert [(lba, len(content) // 512) for lba, content in own[-3:]] == [
        (slot.log_lba + 1, 4), (slot.log_lba, 1), (slot.directory_lba, 1)]
    recording = seen(core.disk).find(1)
    first = max(0, -(-words // 128) - SECTORS)
    assert seen(core.disk).read(recording).tobytes() == data[512 * first:]
    assert recording.log.ended and recording.log.crc32 == (None if first else crc32(data))
    assert verify(seen(core.disk)).problems == []


def test_updates_of_segments(disk, seen, mode_recorder):
    """Each comes when a segment has ended, and has the parts of those that have."""
    before = disk(3, recording_bytes=512 * SECTORS)
    core = mode_recorder(offers=0.5)
    core.firsts, ends = [0, 20, 45], [2500, 5500, 9000]
    core.table = entries(*zip(core.firsts, ends))
    data = pattern(4 * 9000)
    assert core.record(data, by="stop", time=TIME, mode=TRIGGERED, part=8, chunk=2, interval=1) \
        == FileError.NONE
    slot = seen(before).slots[0]
    own = [step for step in core.steps if step and not slot.lba <= step[0] < slot.lba + SECTORS]
    assert core.resumed == 2 and len(own) == 9
    for number in (1, 2):
        first = core.firsts[number]
        log = Log(1, 512 * 8 * number, slot.lba, CLOCK_HZ, started=TIME, ended=False,
                  journal_full=True, order=SectorOrder(
                      TRIGGERED, 8, 128 * first, first, first - 8, number,
                      tuple(SegmentEntry(*entry) for entry in core.table[:number])), **DRIVE)
        content = log.pack()
        assert own[3 * number - 3:3 * number - 1] == [
            (slot.log_lba + 1, content[512:]), (slot.log_lba, content[:512])]
        assert own[3 * number - 1][0] == slot.directory_lba
    drive = seen(core.disk)
    assert verify(drive).problems == []
    for one, first, end in zip(drive.find(1).segments, core.firsts, ends):
        last = min([*core.firsts, 71][core.firsts.index(first) + 1], 71)
        assert drive.read(drive.find(1), segment=one.number).tobytes() == data[
            512 * max(first, last - 8):4 * end]


def test_a_recording_that_an_update_ended_interrupts_none_on_a_released_core(mode_recorder):
    """The slot is full with the sector after which the recording was to be interrupted: it ends, and nothing is left
    of the interruption."""
    core = mode_recorder()
    core.offer(pattern(512 * SECTORS))
    last, done = core.words.pop(), core.done
    core.start(interval=1)
    core.until(lambda: not core.words)
    for _ in range(CLOCK_HZ + 500):
        core.tick()
    core.words.append(last)
    core.until(lambda: core.done > done)
    assert (core.get("error"), core.get("bytes")) == (FileError.NONE, 512 * SECTORS)
    assert core.find_slot()
    while core.get("state") != FileState.RELEASED:
        core.tick(release=1)
    core.tick(release=1)
    assert not core.dut.o[core.dut.outputs["core__suspension__suspend"]]

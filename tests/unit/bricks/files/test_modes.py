"""A ring and segments become files: what the stage writes is what the PC's tools would write."""

from zlib import crc32

import pytest
from unit.bricks.files.fake_core import CLOCK_HZ, TIME, FilesCore, data_of
from unit.bricks.files.mode_slots import DRIVE, SECTORS, entries
from unit.bricks.files.world import pattern

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import Log, LogEntry, SectorOrder, SegmentEntry, finalise, verify

RING, TRIGGERED = RecordingMode.RING, RecordingMode.TRIGGERED


@pytest.fixture
def recorder(mode_recorder):
    return mode_recorder


def check_against_reference(core, seen, before, order, size, *, crc32=None, time=TIME, error=0):
    """Log and directory are those of the reference, byte for byte; the data is flushed before."""
    drive = seen(before)
    slot = drive.slots[0]
    sector = bytes(before[512 * slot.directory_lba:512 * slot.directory_lba + 512])
    log = Log(1, size, slot.lba, CLOCK_HZ, error=error, started=time, crc32=crc32, order=order,
              journal=tuple(LogEntry(entry[0] & 15, entry[0] >> 4, *entry[1:])
                            for entry in core.journal), **DRIVE)
    _, wrote_log, wrote_directory, _ = finalise(slot, sector, 4096, log)
    steps = core.steps
    assert steps[-4:] == [(slot.log_lba, wrote_log.content), None,
                          (slot.directory_lba, wrote_directory.content), None]
    assert steps[-5] is None
    assert all(slot.lba <= lba < slot.lba + slot.sectors for lba, _ in filter(None, steps[:-4]))
    drive = seen(core.disk)
    result = verify(drive)
    assert (result.problems, result.notes) == ([], [])
    recording = drive.find(1)
    assert recording.is_file and recording.bytes == size == core.get("bytes")
    return drive, recording


@pytest.mark.sample(2)
@pytest.mark.parametrize("by, size", [
    ("stop", 4 * 128 * 33), ("stop", 4 * (128 * 32 + 1)), ("last", 4 * 128 * 40 - 3),
    ("last", 4 * 128 * 96 + 1), ("stop", 4 * (128 * 150 + 77))])
def test_a_ring_of_several_laps(disk, seen, recorder, by, size):
    """The file has the slot; on the PC it is in order, from the oldest sector to the last byte."""
    before = disk(3, recording_bytes=512 * SECTORS)
    core = recorder()
    words = -(-size // 4)
    core.table = entries((0, words))
    core.journal = [(1, 999, 3, 0)]
    data = pattern(size)
    assert core.record(data, by=by, time=TIME, mode=RING) == FileError.NONE
    sectors = -(-words // 128)
    order = SectorOrder(RING, SECTORS, words, sectors, sectors - SECTORS, 1,
                  (SegmentEntry(*core.table[0]),), -size % 4)
    drive, recording = check_against_reference(core, seen, before, order, 512 * SECTORS)
    assert drive.read(recording).tobytes() == data[512 * (sectors - SECTORS):]
    assert core.mode_inputs["mode"] == RING
    assert (core.mode_inputs["ahead"], core.mode_inputs["position"]) == (0, 0)
    assert core.get("recording__newest") == sectors
    assert core.get("recording__segment_count") == 1
    assert core.get("recording__state") == 0


@pytest.mark.sample(2)
@pytest.mark.parametrize("by, size", [("last", 1), ("stop", 4), ("last", 5001),
                                      ("stop", 512 * SECTORS), ("last", 512 * SECTORS - 2)])
def test_a_ring_that_has_not_wrapped(disk, seen, recorder, by, size):
    """A file of its length, with its CRC-32."""
    before = disk(3, recording_bytes=512 * SECTORS)
    core = recorder()
    words = -(-size // 4)
    core.table = entries((0, words))
    data = pattern(size)
    assert core.record(data, by=by, time=TIME, mode=RING) == FileError.NONE
    order = SectorOrder(RING, SECTORS, words, -(-words // 128), 0, 1,
                        (SegmentEntry(*core.table[0]),), -size % 4)
    crc32 = seen(core.disk).find(1).log.crc32
    drive, recording = check_against_reference(core, seen, before, order, size, crc32=crc32)
    assert data_of(core, seen) == data == drive.read(recording).tobytes()
    assert len(verify(drive).checked) == 1


@pytest.mark.sample(3)
@pytest.mark.parametrize("firsts, ends, words, used", [
    # One segment: not wrapped, just full, wrapped.
    ([0], [700], 700, 6), ([0], [1024], 1024, 8), ([0], [9999], 9999, 8),
    # Several: the last one not wrapped, full, wrapped, stopped before its part began.
    ([0, 20], [2500, 2561], 2561, 9), ([0, 20], [2500, 3584], 3584, 16),
    ([0, 20, 40], [2500, 5100, 128 * 60], 128 * 60, 24),
    ([0, 20, 40], [2500, 5000, 5000], 5000, 16), ([0, 20, 45], [2500, 5000, 5000], 5000, 16)])
def test_segments(disk, seen, recorder, firsts, ends, words, used):
    before = disk(3, recording_bytes=512 * SECTORS)
    core = recorder()
    core.firsts, core.table = firsts, entries(*zip(firsts, ends))
    data = pattern(4 * words)
    assert core.record(data, by="stop", time=TIME, mode=TRIGGERED, part=8, chunk=2, segments=4,
                       words=555, extend=1) == FileError.NONE
    assert core.mode_inputs == {"mode": TRIGGERED, "words": 555, "part": 8, "chunk": 2,
                                "segments": 4, "extend": 1, "ahead": 0, "position": 0}
    written = -(-words // 128)
    order = SectorOrder(TRIGGERED, 8, words, written, max(firsts[-1], written - 8), len(firsts),
                  tuple(SegmentEntry(*entry) for entry in core.table))
    drive, recording = check_against_reference(core, seen, before, order, 512 * used)
    for one, first, end in zip(recording.segments, firsts, ends):
        last = min([*firsts, written][firsts.index(first) + 1], written)
        oldest = max(first, last - 8)
        assert drive.read(recording, segment=one.number).tobytes() == data[512 * oldest:4 * end]


@pytest.mark.parametrize("count", [16, 17, 32])
def test_more_segments_than_the_table_has(disk, seen, recorder, count):
    before = disk(3, recording_bytes=512 * SECTORS)
    core = recorder()
    core.firsts = list(range(0, 2 * count, 2))
    core.table = entries(*((first, 128 * first + 200) for first in core.firsts))
    words = 128 * core.firsts[-1] + 200
    data = pattern(4 * words)
    assert core.record(data, by="stop", mode=TRIGGERED, part=1, time=TIME) == FileError.NONE
    order = SectorOrder(TRIGGERED, 1, words, 2 * count, 2 * count - 1, count,
                  tuple(SegmentEntry(*entry) for entry in core.table[-16:]))
    _, recording = check_against_reference(core, seen, before, order, 512 * count)
    assert [one.number for one in recording.segments] == list(range(count - 15, count + 1))


def test_it_ends_by_itself(recorder, seen):
    """After the last segment no word is taken, and the next recording is as any other."""
    core = recorder()
    core.table, core.ends = entries((0, 1500)), 1500
    core.offer(pattern(8000))
    core.start(mode=TRIGGERED, part=8)
    core.until(lambda: core.get("state") == FileState.CLOSING)
    assert core.taken == 1500
    core.until(lambda: core.done)
    assert (core.get("error"), core.taken) == (FileError.NONE, 1500)
    drive = seen(core.disk)
    assert drive.read(drive.find(1)).tobytes() == pattern(8000)[4 * 128 * 4:6000]
    core.words.clear()
    assert core.find_slot()
    data = pattern(3000)
    assert core.record(data) == FileError.NONE
    assert data_of(core, seen, 2) == data
    log = seen(core.disk).find(2).log
    assert log.order is None and log.crc32 is not None


@pytest.mark.parametrize("asked, told", [(0, 65535), (1, 1), (4, 4)])
def test_no_more_segments_than_the_log_counts(recorder, asked, told):
    """Any number, as many as have a part, is at most what the log has bits for."""
    core = recorder()
    core.table, core.ends = entries((0, 1500)), 1500
    core.offer(pattern(8000))
    core.start(mode=TRIGGERED, part=8, segments=asked)
    core.until(lambda: core.done)
    assert core.mode_inputs["segments"] == told


@pytest.mark.sample(15)
@pytest.mark.parametrize("options, error", [
    ({"mode": TRIGGERED}, FileError.PARTS_DO_NOT_FIT),
    ({"mode": TRIGGERED, "part": 33}, FileError.PARTS_DO_NOT_FIT),
    ({"mode": TRIGGERED, "part": 1 << 47}, FileError.PARTS_DO_NOT_FIT),
    ({"mode": TRIGGERED, "part": 11, "segments": 3}, FileError.PARTS_DO_NOT_FIT),
    ({"mode": TRIGGERED, "part": 1, "segments": 33}, FileError.PARTS_DO_NOT_FIT),
    ({"mode": TRIGGERED, "part": (1 << 48) - 1, "segments": 65535}, FileError.PARTS_DO_NOT_FIT),
    ({"mode": TRIGGERED, "part": 16, "segments": 2}, None),
    ({"mode": TRIGGERED, "part": 32, "segments": 1}, None),
    ({"mode": TRIGGERED, "part": 17}, None),
    ({"mode": RING, "part": 1 << 47, "segments": 65535}, None),
    ({"mode": RING, "length": 4}, FileError.NOT_IN_THIS_MODE),
    ({"mode": RING, "interval": 1, "length": 1}, FileError.NOT_IN_THIS_MODE),
    ({"mode": RING, "interval": 1}, None),
    ({"mode": TRIGGERED, "part": 4, "length": 1}, FileError.NOT_IN_THIS_MODE),
    ({"mode": RecordingMode.FIXED, "words": 128 * SECTORS + 1}, FileError.TOO_LONG),
    ({"mode": RecordingMode.FIXED, "words": 1 << 47}, FileError.TOO_LONG),
    ({"mode": RecordingMode.FIXED, "words": 128 * SECTORS}, None)])
def test_refused_at_once(recorder, options, error):
    core = recorder()
    starts = len(core.starts)
    core.start(**options)
    if error is None:
        core.until(lambda: len(core.starts) > starts)
        return
    clocks = core.until(lambda: core.done)
    assert clocks < 30 and core.get("error") == error and core.get("bytes") == 0
    assert core.get("ready") and len(core.starts) == starts and core.steps == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("mode", [RecordingMode.FIXED, RecordingMode.UNTIL_STOPPED])
@pytest.mark.parametrize("interval", [0, 1])
def test_words_of_a_fixed_recording(recorder, seen, mode, interval):
    """They are its length; in another mode they say nothing."""
    core = recorder(offers=0.2)
    data = pattern(9000)
    core.offer(data)
    core.start(mode=mode, words=2000, interval=interval)
    core.until(lambda: core.done or not core.words)
    if not core.done:
        core.tick(stop=1)
    core.until(lambda: core.done)
    wanted = data[:8000] if mode == RecordingMode.FIXED else data
    core.words.clear()
    assert data_of(core, seen) == wanted
    assert seen(core.disk).find(1).log.order is None


@pytest.mark.sample(3)
@pytest.mark.parametrize("laps, written", [(1, 7), (1, 32), (3, 77), (3, 0)])
def test_a_ring_that_fails(recorder, seen, laps, written):
    """What is on the drive is a file, with the error in its log, and in order on the PC."""
    core = recorder(command_sectors=1)
    lba = seen(core.disk).slots[0].lba
    core.fail_after = written
    core.fails = lambda operation, where: Error.DRIVE_ERROR if where == lba else Error.NONE
    data = pattern(512 * SECTORS * laps)
    core.table = entries((0, len(data) // 4))
    assert core.record(data, by="stop", mode=RING) == FileError.CUT_SHORT
    assert core.get("bytes") == 512 * min(written, SECTORS)
    if not written:
        assert [step for step in core.steps if step] == []
        return
    drive = seen(core.disk)
    recording = drive.find(1)
    assert verify(drive).problems == []
    assert (recording.log.error, recording.log.crc32) == (Error.DRIVE_ERROR, None)
    oldest = max(0, written - SECTORS)
    assert drive.read(recording).tobytes() == data[512 * oldest:512 * written]
    assert Operation.FLUSH in [operation for operation, *_ in core.starts]


def test_stopped_without_a_word(recorder):
    core = recorder()
    core.table = entries((0, 0))
    core.start(mode=TRIGGERED, part=4)
    core.until(lambda: core.get("state") == FileState.RECORDING)
    core.tick(stop=1)
    core.until(lambda: core.done)
    assert (core.get("error"), core.get("bytes")) == (FileError.EMPTY, 0)
    assert [step for step in core.steps if step] == []


@pytest.mark.sample(2)
@pytest.mark.parametrize("modes, offset, is_whole", [
    (True, None, True), (False, None, True), (True, 100, False), (True, 600, False),
    (False, 2000, False)])
def test_a_long_log_without_its_directory(disk, seen, recorder, modes, offset, is_whole):
    """Written, when the power failed: at the next power-on the file is made, with modes or
    without; but not of a log that is torn."""
    core = recorder()
    core.table = entries((0, 128 * 50))
    data = pattern(512 * 50)
    assert core.record(data, by="stop", mode=RING, time=TIME, dated=1) == FileError.NONE
    whole = bytes(core.disk)
    slot = seen(whole).slots[0]
    torn = bytearray(whole)
    place = 512 * slot.directory_lba
    torn[place:place + 512] = disk(3, recording_bytes=512 * SECTORS)[place:place + 512]
    if offset is not None:
        torn[512 * slot.log_lba + offset] ^= 1
    again = FilesCore(torn, modes=modes)
    assert again.find_slot()
    # What is recorded next goes into the slot that is free.
    assert again.record(pattern(100)) == FileError.NONE
    assert again.get("slot") == (2 if is_whole else 1)
    if is_whole:
        drive = seen(again.disk)
        assert bytes(again.disk[place:place + 512]) == whole[place:place + 512]
        assert drive.read(drive.find("R2611220001.dat")).tobytes() == data[512 * 18:]


@pytest.mark.parametrize("version", [0, 4, 1 << 31])
def test_a_log_of_another_version(disk, seen, recorder, version):
    """It is none: the slot is free."""
    core = recorder()
    core.table = entries((0, 1000))
    core.record(pattern(4000), by="stop", mode=RING)
    slot = seen(core.disk).slots[0]
    content = bytearray(disk(3, recording_bytes=512 * SECTORS))
    place = 512 * slot.log_lba
    log = bytearray(core.disk[place:place + 5 * 512])
    log[8:12] = version.to_bytes(4, "little")
    log[508:512] = crc32(log[:508]).to_bytes(4, "little")
    content[place:place + 5 * 512] = log
    again = recorder(content)
    assert again.record(b"1234") == FileError.NONE and again.get("slot") == 1


def test_the_user_sees_the_core(recorder):
    """Trigger, time and the table go through; of the stage's own writes nothing is seen."""
    core = recorder()
    core.table = entries((0, 600))
    core.offer(pattern(2400))
    core.start(mode=TRIGGERED, part=8)
    core.until(lambda: core.taken > 200)
    core.dut.set(user__recording__trigger=1, user__recording__pps=1,
                 core__recording__time=1 << 60, core__recording__pps_edges=9,
                 core__recording__triggers=7)
    core.segment_state = 2
    core.tick()
    for name in ("trigger", "pps"):
        assert core.dut.get(f"core__recording__{name}") == 1
    for name, value in (("time", 1 << 60), ("pps_edges", 9), ("segment_state", 2),
                        ("triggers", 7), ("state", 2)):
        core.tick()
        assert core.get(f"recording__{name}") == value, name
    for field in range(8):
        core.dut.set(user__recording__segment_address=field)
        for _ in range(3):
            core.tick()
        assert core.get("recording__segment_data") == core.table[0][field]
    core.until(lambda: not core.words)
    core.tick(stop=1)
    core.until(lambda: core.get("state") == FileState.CLOSING)
    seen = set()
    while not core.done:
        core.tick()
        seen.add((core.get("recording__state"), core.get("recording__segment_state")))
    assert (0, 0) in seen and core.get("recording__triggers") == 7

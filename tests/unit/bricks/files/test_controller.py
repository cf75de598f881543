"""The files stage on a core in Python: what it writes is what the PC's tools would write."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unit.bricks.files.fake_core import CLOCK_HZ, TIME, FilesCore, data_of
from unit.bricks.files.world import pattern

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.pc.volume import Log, LogEntry, finalise, verify

#: FLUSH CACHE in the steps of a fake core.
FLUSH_STEP = None
DRIVE = {"model": "SATA DRIVE MODEL", "serial": "SN0001"}
#: Reads until the first slot is found: header and proof three times, slot, directory and log.
LOOKS = 9


@pytest.mark.sample(7)
@pytest.mark.parametrize("time", [TIME, None], ids=["time", "no time"])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 511, 512, 513, 4096, 4097, 20_003])
def test_as_the_reference(disk, seen, recorder, size, time):
    """Log and directory sector are those of `finalise`, byte for byte."""
    before = disk()
    core = recorder(disk())
    data = pattern(size)
    assert core.record(data, time=time) == FileError.NONE
    assert (core.get("bytes"), core.get("slot")) == (size, 1)
    drive = seen(before)
    slot = drive.slots[0]
    sector = bytes(before[512 * slot.directory_lba:512 * slot.directory_lba + 512])
    recording = seen(core.disk).find(1)
    log = Log(1, size, slot.lba, CLOCK_HZ, started=time, crc32=recording.log.crc32, **DRIVE)
    _, wrote_log, wrote_directory, _ = finalise(slot, sector, 4096, log)
    content = core.steps[:-4]
    assert core.steps[-4:] == [(slot.log_lba, wrote_log.content), None,
                               (slot.directory_lba, wrote_directory.content), None]
    # The data are flushed before, and nothing else is written.
    assert content[-1] is FLUSH_STEP
    written = b"".join(part for _, part in content[:-1])
    assert written == data.ljust(len(written), b"\0") and len(written) == -(-size // 512) * 512
    assert data_of(core, seen) == data


@pytest.mark.parametrize("interval", [0, 1])
def test_name_of_the_day(disk, seen, interval):
    """As the reference writes it; without a clock the name is that of the slot."""
    before = disk()
    core = FilesCore(disk(), offers=0.2)
    assert core.find_slot()
    data = pattern(9000)
    assert core.record(data, time=TIME, dated=1, interval=interval) == FileError.NONE
    slot = seen(before).slots[0]
    sector = bytes(before[512 * slot.directory_lba:512 * slot.directory_lba + 512])
    *_, wrote, _ = finalise(slot, sector, 4096, Log(1, 9000, slot.lba, started=TIME),
                            name="R2611220001.dat")
    assert core.steps[-2] == (slot.directory_lba, wrote.content)
    assert seen(core.disk).find("R2611220001.dat").bytes == 9000
    assert data_of(core, seen) == data
    core.find_slot()
    assert core.record(data, dated=1) == FileError.NONE
    assert seen(core.disk).find("REC00002.dat").bytes == 9000


@pytest.mark.sample(3)
@pytest.mark.parametrize("by", ["last", "stop"])
@pytest.mark.parametrize("size", [4, 508, 512, 516, 9000])
def test_ends(seen, recorder, by, size):
    core = recorder()
    data = pattern(size)
    assert core.record(data, by=by) == FileError.NONE
    assert data_of(core, seen) == data
    slot = seen(core.disk).slots[0]
    assert core.starts[LOOKS] == (Operation.RECORD_FLUSH, slot.lba, slot.sectors)


@pytest.mark.parametrize("size", [1, 5, 6, 7, 515])
def test_last_word_has_spare_bytes(seen, recorder, size):
    core = recorder()
    data = pattern(size)
    assert core.record(data, by="last") == FileError.NONE
    assert data_of(core, seen) == data


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture],
          max_examples=settings().max_examples // 5)
@given(sizes=st.lists(st.integers(1, 6000), min_size=1, max_size=3), seed=st.integers(0, 999),
       by=st.sampled_from(["length", "last"]), offers=st.sampled_from([1, 0.5]))
def test_any_lengths(disk, seen, sizes, seed, by, offers):
    """Three recordings, over a power cycle before each."""
    content = disk()
    for number, size in enumerate(sizes, 1):
        core = FilesCore(content, seed=seed, offers=offers)
        assert core.find_slot()
        assert core.record(pattern(size, number), by=by, time=TIME) == FileError.NONE
        assert core.get("slot") == number
    for number, size in enumerate(sizes, 1):
        assert data_of(core, seen, number) == pattern(size, number)


def test_until_full(disk, seen):
    """A recording without an end stops with its slot; then there is none left."""
    core = FilesCore(disk(1, recording_bytes=64 << 10), command_sectors=64)
    assert core.find_slot()
    most = seen(core.disk).slots[0].bytes
    data = pattern(most + 4000)
    assert core.record(data, by="stop") == FileError.NONE
    assert core.get("bytes") == most
    assert data_of(core, seen) == data[:most]
    assert not core.find_slot()
    assert (core.get("state"), core.get("refusal")) == (FileState.FULL, FileError.FULL)
    steps = len(core.steps)
    assert core.record(b"1234") == FileError.FULL and core.get("bytes") == 0
    assert len(core.steps) == steps


@pytest.mark.parametrize("over", [0, 1])
def test_too_long(disk, seen, over):
    core = FilesCore(disk(1, recording_bytes=64 << 10))
    assert core.find_slot()
    most = seen(core.disk).slots[0].bytes
    data = pattern(most)
    if over:
        core.start(most + over)
        core.until(lambda: core.done)
        assert core.get("error") == FileError.TOO_LONG
        assert core.steps == [] and core.get("ready")
    # And then one that fits.
    assert core.record(data) == FileError.NONE
    assert data_of(core, seen) == data


@pytest.mark.parametrize("length", [1 << 47, (1 << 48) - 4, (1 << 48) - 1])
def test_far_too_long(recorder, length):
    core = recorder()
    core.start(length)
    core.until(lambda: core.done)
    assert core.get("error") == FileError.TOO_LONG and core.get("ready")


def test_start_of_the_core(recorder):
    core = recorder()
    count, begin = len(core.starts), core.clocks
    core.start(100)
    core.until(lambda: len(core.starts) > count)
    # The core's start was seen two clocks ago, and it is an operation since the last one.
    assert core.clocks - begin == 7 + 2


def test_nothing_recorded(recorder, seen):
    core = recorder()
    core.start()
    core.until(lambda: core.get("state") == FileState.RECORDING)
    core.tick(stop=1)
    core.until(lambda: core.done)
    assert (core.get("error"), core.get("bytes")) == (FileError.EMPTY, 0)
    assert [step for step in core.steps if step] == []
    data = pattern(700)
    assert core.record(data) == FileError.NONE and core.get("slot") == 1
    assert data_of(core, seen) == data


@pytest.mark.sample(2)
@pytest.mark.parametrize("after", range(1, 12))
def test_stop_while_it_begins(recorder, seen, after):
    """From the clock after the start on a stop counts; the words before it are the file."""
    core = recorder()
    core.offer(pattern(400))
    core.start()
    for _ in range(after - 1):
        core.tick()
    core.tick(stop=1)
    taken = core.taken
    core.until(lambda: core.done)
    assert core.get("bytes") == 4 * core.taken == 4 * taken
    if core.taken:
        assert data_of(core, seen) == pattern(400)[:4 * core.taken]


def test_while_busy_nothing_starts(recorder, seen):
    core = recorder()
    data = pattern(3000)
    core.offer(data)
    core.start(len(data))
    while not core.done:
        assert core.get("busy") and not core.get("ready")
        core.tick(start=1, length=4)
    core.find_slot()
    assert core.done == 1
    assert data_of(core, seen) == data


def test_journal_and_losses(recorder, seen):
    core = recorder()
    core.journal = [(1, 1000, 77, 5), (4 | 6 << 4, 1 << 40, 2, 3)]
    core.dropped = (1 << 33) + 5
    core.record(pattern(2000))
    log = seen(core.disk).find(1).log
    assert log.journal == (LogEntry(1, 0, 1000, 77, 5), LogEntry(4, 6, 1 << 40, 2, 3))
    assert (log.lost_words, log.crc32, log.journal_full) == ((1 << 33) + 5, None, False)
    core.find_slot()
    core.journal = [(n, 2 * n, 3 * n, 4 * n) for n in range(1, 33)]
    core.journal_count = 33
    core.dropped = 0
    core.record(pattern(2000))
    log = seen(core.disk).find(2).log
    assert len(log.journal) == 32 and log.journal_full and log.crc32 is not None


@pytest.mark.parametrize("written", [0, 1, 5])
def test_a_recording_that_fails(recorder, seen, written):
    """What was recorded before is a file, flushed, with the error in its log and no CRC-32."""
    core = recorder(command_sectors=1)
    lba = seen(core.disk).slots[0].lba
    core.fail_after = written
    core.fails = lambda operation, where: Error.DRIVE_ERROR if where == lba else Error.NONE
    data = pattern(10_000)
    assert core.record(data) == FileError.CUT_SHORT
    assert core.get("drive_error") == Error.DRIVE_ERROR
    assert core.get("bytes") == 512 * written
    if written:
        recording = seen(core.disk).find(1)
        assert recording.log.error == Error.DRIVE_ERROR and recording.log.crc32 is None
        assert data_of(core, seen) == data[:512 * written]
        # The data are flushed before anything is said of them.
        assert [operation for operation, *_ in core.starts].index(Operation.FLUSH) == LOOKS + 1
    else:
        assert [step for step in core.steps if step] == []


@pytest.mark.parametrize("error", [Error.DRIVE_ERROR, Error.LINK_LOST])
def test_a_recording_that_fails_in_doubt(recorder, seen, error):
    """FLUSH CACHE failed, or the drive was brought up again: a second one would tell nothing."""
    core = recorder(command_sectors=1)
    lba = seen(core.disk).slots[0].lba

    def fails(operation, where):
        core.in_doubt = where == lba
        return error if where == lba else Error.NONE

    core.fail_after, core.fails = 5, fails
    assert core.record(pattern(10_000)) == FileError.CUT_IN_DOUBT
    assert (core.get("drive_error"), core.get("bytes")) == (error, 512 * 5)
    assert seen(core.disk).find(1).log.crc32 is None


@pytest.mark.parametrize("operation, bad", [
    (Operation.FLUSH, "flush"), (Operation.RECORD_FLUSH, "log"),
    (Operation.RECORD_FLUSH, "directory")])
def test_a_file_that_cannot_be_made(recorder, seen, operation, bad):
    """The user is told, and the next search reads all of it again."""
    core = recorder(command_sectors=1)
    slot = seen(core.disk).slots[0]
    where = {"flush": None, "log": slot.log_lba, "directory": slot.directory_lba}[bad]

    def fails(kind, lba):
        if bad == "flush":
            return Error.LINK_LOST if kind == operation else (
                Error.DRIVE_ERROR if lba == slot.lba else Error.NONE)
        return Error.TIMEOUT if kind == operation and lba == where else Error.NONE

    core.fails, core.fail_after = fails, (2 if bad == "flush" else 0)
    assert core.record(pattern(3000)) == FileError.CUT_SHORT
    assert core.get("bytes") == 0
    assert core.get("drive_error") == (Error.LINK_LOST if bad == "flush" else Error.TIMEOUT)
    core.fails = lambda kind, lba: Error.NONE
    assert core.find_slot()
    data = pattern(1234, 5)
    assert core.record(data) == FileError.NONE
    # The log that was written is that of a recording, which has become a file meanwhile.
    assert core.get("slot") == (2 if bad == "directory" else 1)
    assert data_of(core, seen, core.get("slot")) == data
    if bad == "directory":
        assert data_of(core, seen, 1) == pattern(3000)


@pytest.mark.parametrize("first", [0, 1, 2])
def test_the_drive_was_brought_up_again(recorder, seen, first):
    """While data are recorded: the user is told. While log or directory are written: again."""
    core = recorder()
    data = pattern(3000)

    def fails(operation, lba):
        if operation == Operation.RECORD_FLUSH:
            count[0] += 1
            core.in_doubt = count[0] == first + 1
        return Error.NONE

    count = [0]
    core.fails = fails
    assert core.record(data) == (FileError.NONE if first else FileError.IN_DOUBT)
    assert count[0] == (4 if first else 3)
    assert data_of(core, seen) == data


@pytest.mark.parametrize("by, size", [("length", 9001), ("last", 9002), ("stop", 9000)])
def test_brought_up_to_date(disk, seen, by, size):
    """With an interval of a second the file grows while it is recorded: each state is whole."""
    core = FilesCore(disk(), offers=0.1, command_sectors=16)
    assert core.find_slot()
    data, slot, before = pattern(size), seen(core.disk).slots[0], bytes(core.disk)
    assert core.record(data, by=by, time=TIME, interval=1) == FileError.NONE
    lengths, content = [], bytearray(before)
    for step in core.steps:
        if step is None:
            continue
        lba, part = step
        content[512 * lba:512 * lba + len(part)] = part
        if lba == slot.directory_lba:
            drive = seen(content)
            recording = drive.find(1)
            lengths.append(recording.bytes)
            assert drive.memmap(recording).tobytes() == data[:recording.bytes]
            assert verify(drive).problems == []
    assert len(lengths) >= 3 and lengths == sorted(set(lengths)) and lengths[-1] == size
    assert all(length % 512 == 0 for length in lengths[:-1])
    log = seen(core.disk).find(1).log
    assert log.journal_full and log.crc32 is not None
    assert data_of(core, seen) == data


def test_an_update_that_fails(recorder, seen):
    """The file stays what it was at the update before."""
    core = recorder(offers=0.1)
    slot = seen(core.disk).slots[0]
    directory = []

    def fails(operation, lba):
        if operation == Operation.RECORD_FLUSH and lba == slot.directory_lba:
            directory.append(lba)
            if len(directory) == 2:
                return Error.DRIVE_ERROR
        return Error.NONE

    core.fails = fails
    data = pattern(9000)
    assert core.record(data, interval=1) == FileError.CUT_SHORT
    assert 0 < core.get("bytes") < 9000
    assert data_of(core, seen) == data[:core.get("bytes")]


@pytest.mark.wide
def test_many_slots(disk, seen):
    """64 recordings of any length fill a drive; a power cycle after each 20."""
    content, rng = disk(64, align=4096), random.Random(1)
    sizes = [rng.randrange(1, 3000) for _ in range(64)]
    for number, size in enumerate(sizes, 1):
        if number % 20 == 1:
            core = FilesCore(content)
        assert core.find_slot()
        assert core.record(pattern(size, number)) == FileError.NONE
    assert not core.find_slot() and core.get("refusal") == FileError.FULL
    drive = seen(content)
    assert verify(drive).problems == [] and len(drive.recordings) == 64
    for number, size in enumerate(sizes, 1):
        assert drive.memmap(drive.find(number)).tobytes() == pattern(size, number)

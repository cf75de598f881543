"""Proofs of the drive that fail, or that are needed at an awkward moment; headers that cannot be."""

import random
import zlib

import pytest
from short import short
from unit.bricks.files.fake_core import TIME, FilesCore
from unit.bricks.files.test_drive_away import DIRECTORY, away, changes
from unit.bricks.files.world import pattern

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.pc.volume import prepare


def flip(place):
    def change(disk):
        disk[place] ^= 1
    return change


def log_without_file(disk, seen, recorder, slots=1):
    """A disk on which the first slots have a whole log and no file."""
    core = recorder()
    content = disk()
    for _ in range(slots):
        assert core.find_slot()
        core.record(pattern(5000), time=TIME)
    directories = [slot.directory_lba for slot in seen(content).slots]
    for lba, part in filter(None, core.steps):
        if lba not in directories:
            content[512 * lba:512 * lba + len(part)] = part
    return content


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["partition table", "formatted", "folder renamed", "prepared again"])
def test_search_goes_on_after_a_failed_proof(disk, seen, recorder, tmp_path, name):
    """The stage completes slot 1; the drive is away and comes back changed. It must not be READY."""
    content = log_without_file(disk, seen, recorder)
    drive = seen(content)
    again = tmp_path / "again.img"
    prepare(again, sectors=4096, recordings=3, align=16 << 10)
    core = FilesCore(content)
    happened = away(core, drive.slots[0], DIRECTORY,
                    changes(drive.slots[0], drive.table, again.read_bytes())[name])
    core.find_slot()
    assert happened
    seen_as = FileState(core.get("state")).name, FileError(core.get("refusal")).name
    steps = len(core.steps)
    if core.get("state") == FileState.READY:
        error = core.record(pattern(3000))
        written = [step[0] for step in core.steps[steps:] if step]
        raise AssertionError(f"{seen_as}; a recording: {FileError(error).name}, writes at {written}; "
                             f"directory sectors {[slot.directory_lba for slot in drive.slots]}")
    assert seen_as == ("REFUSED", "CHANGED")


def test_next_completion_after_a_failed_proof(disk, seen, recorder):
    """Two slots miss their file: after the failed proof for the first, the second is written."""
    content = log_without_file(disk, seen, recorder, 2)
    drive = seen(content)
    core = FilesCore(content)
    happened = away(core, drive.slots[0], DIRECTORY, flip(512 * drive.table.partition_lba + 100))
    core.find_slot()
    assert [step[0] for step in core.steps[happened[0]:] if step] == [drive.slots[0].directory_lba]


def test_search_goes_on_after_a_proof_that_could_not_be_read(disk, seen, recorder):
    content = log_without_file(disk, seen, recorder)
    drive = seen(content)
    core = FilesCore(content)
    happened = away(core, drive.slots[0], DIRECTORY, flip(512 * drive.table.partition_lba + 100))
    inner = core.fails
    core.fails = lambda operation, lba: Error.DRIVE_ERROR if happened and lba == 0 else inner(
        operation, lba)
    core.find_slot()
    assert core.get("state") != FileState.READY


def recovers(core, condition, change):
    """The drive is away once in an operation that ``condition(operation, lba)`` names, and the core
    repeats the command: nothing is in doubt."""
    happened = []

    def fails(operation, lba):
        if not happened and condition(operation, lba):
            happened.append(len(core.starts))
            core.in_doubt = 1
        return Error.NONE

    def meanwhile():
        core.unflushed = False
        change(core.disk)

    core.fails, core.meanwhile = fails, meanwhile
    return happened


def test_no_operation_of_data_begins_without_a_proof(recorder, seen):
    """The drive was away in the directory write of an update. The next operation of the recording
    writes a slot of a drive that was not proved again."""
    core = recorder(offers=0.2)
    drive = seen(core.disk)
    slot = drive.slots[0]
    happened = recovers(core, lambda operation, lba: operation == Operation.RECORD_FLUSH
                        and lba == slot.directory_lba, flip(512 * drive.table.partition_lba + 100))
    error = core.record(pattern(9000), time=TIME, interval=1)
    assert happened
    after = core.starts[happened[0]:]
    data = [lba for operation, lba, _ in after if operation == Operation.RECORD_FLUSH
            and slot.lba <= lba < slot.lba + slot.sectors]
    assert (data, error) == ([], FileError.CHANGED)


@pytest.mark.parametrize("name", ["file in the directory sector",
                                  "file in the place of the recording"])
def test_directory_sector_changed_while_it_is_written(disk, seen, recorder, name):
    core = recorder()
    drive = seen(core.disk)
    slot = drive.slots[0]
    content = {"file in the directory sector": (192, b"\x85\2" + bytes(range(30))),
               "file in the place of the recording": (0, b"\x85\2" + bytes(range(30)))}[name]
    place = 512 * slot.directory_lba + content[0]

    def change(image):
        image[512 * slot.directory_lba:512 * slot.directory_lba + 512] = \
            disk()[512 * slot.directory_lba:512 * slot.directory_lba + 512]
        image[place:place + 32] = content[1]

    away(core, slot, DIRECTORY, change)
    # Nobody knows whether the drive has lost the write or a PC has been there.
    assert core.record(pattern(9000)) == FileError.CUT_SHORT
    assert bytes(core.disk[place:place + 32]) == content[1]


@pytest.mark.parametrize("failing", [False, True])
def test_ready_means_that_a_start_begins(recorder, seen, failing):
    core = recorder()
    slot = seen(core.disk).slots[0]
    happened = recovers(core, lambda operation, lba: lba == slot.lba, lambda disk: None)
    if failing:
        inner = core.fails
        core.fails = lambda operation, lba: Error.LINK_LOST if inner(operation, lba) is None or (
            lba == slot.lba and len(happened) == 1 and not happened.append(0)) else Error.NONE
        core.offer(pattern(9000))
        core.start(9000)
    else:
        core.start()
        for _ in range(20):
            core.tick()
        core.tick(stop=1)
    core.until(lambda: core.done)
    core.words.clear()
    assert happened and core.get("error") in (FileError.EMPTY, FileError.CUT_SHORT)
    core.find_slot()
    assert core.get("ready")
    assert FileError(core.record(pattern(100))).name == "NONE"


def test_a_drive_smaller_than_its_table_says(disk, seen):
    """A copy of the beginning of a prepared drive on a smaller one: the stage must say something."""
    content = disk()
    del content[512 * seen(content).table.proofs[2].lba:]
    core = FilesCore(content)
    for _ in range(100_000):
        core.tick()
        if core.get("state") in (FileState.REFUSED, FileState.FULL):
            break
    assert FileState(core.get("state")).name == "REFUSED", [lba for _, lba, _ in core.starts]


def sealed(sector):
    return sector[:508] + zlib.crc32(sector[:508]).to_bytes(4, "little")


@pytest.mark.parametrize("place, value, size", [
    (12, 0, 4), (12, 8191, 4), (32, 35, 4), (36, 0, 4), (36, 257, 4), (36, 511, 4),
    (88, 0, 2), (104, 0, 2), (120, 0, 2), (6 + 80, 1, 2), (134, 1, 2)])
def test_headers_that_cannot_be(disk, place, value, size):
    """The tools of the PC refuse them, too."""
    content = disk()
    header = bytearray(content[512 * 1024:512 * 1025])
    header[place:place + size] = value.to_bytes(size, "little")
    if place in (88, 104, 120):
        header[place + 4:place + 8] = bytes(4)
    content[512 * 1024:512 * 1025] = sealed(bytes(header))
    core = FilesCore(content)
    ready = core.find_slot()
    assert not ready, (FileState(core.get("state")).name, core.get("slot"))


KINDS = ["benign", "P0", "P1", "P2"]


@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", short([(seed,) for seed in range(20)], [(0,), (1,), (2,)]))
@pytest.mark.parametrize("kind", KINDS)
def test_random(disk, seen, recorder, seed, kind):
    """The drive is away at random moments, and somebody changes it once: nothing begins to be written
    after that, and in the end the stage reports what is wrong."""
    rng = random.Random(f"{seed} {kind}")
    content = log_without_file(disk, seen, recorder, rng.randrange(3)) if rng.random() < 0.4 \
        else disk()
    drive = seen(content)
    table = drive.table
    change = {"benign": lambda disk: None, "P0": flip(512 * 2 + 56),
              "P1": flip(512 * table.partition_lba + 100),
              "P2": flip(512 * table.proofs[2].lba + 4 * table.proofs[2].first + 66)}[kind]
    core = FilesCore(content, offers=0.3)
    changed, count = [], [rng.randrange(1, 60)]
    again = rng.random() < 0.5
    in_doubt = rng.random() < 0.5

    def away_now():
        if not changed:
            change(core.disk)
            changed.append(len(core.starts))

    def fails(operation, lba):
        count[0] -= 1
        if count[0] == 0:
            core.in_doubt = 1
            if again:
                count[0] = rng.randrange(1, 40)
        return Error.NONE

    def meanwhile():
        if not in_doubt:
            core.unflushed = False
        away_now()

    core.fails, core.meanwhile = fails, meanwhile
    idle_at = rng.randrange(200, 60_000) if rng.random() < 0.3 else None

    real_below = core.below

    def below():
        nonlocal idle_at
        if idle_at is not None and core.clocks >= idle_at and core.running is None and core.following is None:
            core.ready = False
            idle_at = None
            core.return_at = core.clocks + rng.randrange(5, 3000)
            away_now()
        if not core.ready and core.clocks >= core.return_at:
            core.ready = True
        real_below()

    core.below = below
    ends = []
    for _ in range(4):
        if not core.find_slot():
            break
        before = core.done
        data = pattern(rng.choice([100, 3000, 9000]))
        core.offer(data)
        core.start(len(data), interval=rng.choice([0, 1]))
        core.until(lambda: core.done > before, most=1_000_000)
        core.words.clear()
        ends.append(FileError(core.get("error")).name)
        for _ in range(20):
            core.tick()
    core.find_slot()
    if changed and kind != "benign":
        after = [(operation, lba) for operation, lba, _ in core.starts[changed[0]:]
                  if operation == Operation.RECORD_FLUSH]
        assert not after, (after, ends, changed)
        assert core.get("state") == FileState.REFUSED and core.get("refusal") == FileError.CHANGED, (
            core.get("state"), core.get("refusal"), ends)
    elif kind == "benign":
        assert set(ends) <= {"NONE", "IN_DOUBT", "NO_DRIVE", "CUT_SHORT"}, ends

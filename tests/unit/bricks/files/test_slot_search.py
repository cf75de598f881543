"""The files stage looks for a slot: on disks not prepared, damaged, failing, or gone."""

import pytest
from unit.bricks.files.fake_core import TIME, FilesCore, data_of
from unit.bricks.files.world import pattern

from sata_recorder.core.drive_port import Error
from sata_recorder.interface.file import FileError, FileState


def place_of(drive, name):
    """Where a read begins of what has this name; a number stays."""
    return {"boot": drive.table.partition_lba, "root": drive.table.proofs[2].lba,
            "directory": drive.table.folder_lba, "log": drive.slots[0].log_lba}.get(name, name)


@pytest.mark.parametrize("place, refusal", [
    (512 * 1024, FileError.NOT_PREPARED), (512 * 1024 + 8, FileError.NOT_PREPARED),
    (512 * 1024 + 60, FileError.DAMAGED), (512 * 1024 + 511, FileError.DAMAGED)])
def test_not_prepared(disk, place, refusal):
    content = disk()
    content[place] ^= 0x10
    core = FilesCore(content)
    assert not core.find_slot()
    assert (core.get("state"), core.get("refusal")) == (FileState.REFUSED, refusal)
    assert core.record(b"1234") == refusal
    assert core.steps == []
    # Another drive is another chance.
    core.disk[place] ^= 0x10
    core.ready = False
    core.until(lambda: core.get("state") == FileState.OFFLINE)
    core.ready = True
    core.tick()
    core.tick()
    assert core.find_slot()


def test_no_drive(disk):
    core = FilesCore(disk())
    core.ready = False
    core.tick()
    assert core.record(b"1234") == FileError.NO_DRIVE
    assert core.get("state") == FileState.OFFLINE and core.starts == []


def test_empty_disk():
    core = FilesCore(bytearray(1 << 20))
    assert not core.find_slot() and core.get("refusal") == FileError.NOT_PREPARED


@pytest.mark.sample(2)
@pytest.mark.parametrize("change", [
    lambda slot: 512 * slot.directory_lba,          # its set is in use
    lambda slot: 512 * slot.directory_lba + 32,
    lambda slot: 512 * slot.directory_lba + 96,     # another has the rest
    lambda slot: 512 * slot.directory_lba + 148,    # which begins elsewhere
    lambda slot: 512 * slot.directory_lba + 155,    # or is of another length
    lambda slot: 512 * (1024 + slot.number) + 30,   # the slot itself is damaged
    lambda slot: 512 * (1024 + slot.number) + 13])
def test_slots_that_are_not_free_are_passed_over(disk, seen, change):
    content = disk()
    slot = seen(content).slots[0]
    content[change(slot)] ^= 0x80
    core = FilesCore(content)
    assert core.find_slot()
    assert core.record(b"1234") == FileError.NONE and core.get("slot") == 2


@pytest.mark.sample(5)
@pytest.mark.parametrize("damage, dated", [(None, 0), (None, 1), (40, 0), (511, 0), (600, 0),
                                            (1535, 0)])
def test_a_log_without_its_file(disk, seen, recorder, damage, dated):
    """The power failed before the directory sector was written: it is, when it comes back. A log
    that is not whole is none."""
    core = recorder()
    data = pattern(5000)
    core.record(data, time=TIME, dated=dated)
    whole = bytes(core.disk)
    content = disk()
    slot = seen(content).slots[0]
    for lba, part in [step for step in core.steps if step][:-1]:
        content[512 * lba:512 * lba + len(part)] = part
    if damage is not None:
        content[512 * slot.log_lba + damage] ^= 1
    core = FilesCore(content)
    assert core.find_slot()
    if damage is None:
        assert bytes(core.disk) == whole
        assert [step and step[0] for step in core.steps] == [slot.directory_lba, None]
        assert data_of(core, seen) == data
    else:
        assert core.steps == []
    assert core.record(pattern(100)) == FileError.NONE
    assert core.get("slot") == 1 + (damage is None)


@pytest.mark.sample(6)
@pytest.mark.parametrize("lba", [1024, 0, "boot", "root", 1025, "directory", "log"])
@pytest.mark.parametrize("returns", [0, 200])
def test_drive_goes_while_a_slot_is_looked_for(disk, seen, lba, returns):
    """No slot is passed over for that: the search begins again when the drive is back."""
    core = FilesCore(disk())
    lba = place_of(seen(core.disk), lba)
    losses = []

    def lost(operation, where):
        if where == lba and not losses:
            losses.append(where)
            core.ready = not returns
            return Error.LINK_LOST
        return Error.NONE

    core.fails = lost
    core.until(lambda: losses)
    for _ in range(returns):
        core.tick()
    core.ready = True
    assert core.find_slot()
    assert core.record(pattern(5)) == FileError.NONE and core.get("slot") == 1
    places = [where for _, where, _ in core.starts]
    assert places[places.index(lba) + 1] == 1024


@pytest.mark.parametrize("lba", [1025, "log"])
def test_slots_that_cannot_be_read_are_passed_over(disk, seen, lba):
    core = FilesCore(disk())
    lba = place_of(seen(core.disk), lba)
    core.fails = lambda operation, where: Error.DRIVE_ERROR if where == lba else Error.NONE
    assert core.find_slot()
    assert core.record(pattern(5)) == FileError.NONE and core.get("slot") == 2


@pytest.mark.parametrize("slots", [0, 1, 2])
def test_a_folder_that_cannot_be_read_is_not_followed(disk, seen, slots):
    """Nobody knows whether it ends there: a PC may have given what follows to other files."""
    core = FilesCore(disk())
    drive = seen(core.disk)
    lba = drive.slots[slots - 1].directory_lba if slots else drive.table.folder_lba
    core.fails = lambda operation, where: Error.DRIVE_ERROR if where == lba else Error.NONE
    for number in range(1, 1 + slots):
        assert core.find_slot()
        core.fails = lambda operation, where: Error.NONE
        assert core.record(pattern(5)) == FileError.NONE and core.get("slot") == number
        core.fails = lambda operation, where: Error.DRIVE_ERROR if where == lba else Error.NONE
    assert not core.find_slot() and core.get("refusal") == FileError.FULL


@pytest.mark.parametrize("lba", [0, "boot", "root"])
def test_a_drive_that_cannot_be_proved(disk, seen, lba):
    core = FilesCore(disk())
    lba = place_of(seen(core.disk), lba)
    core.fails = lambda operation, where: Error.DRIVE_ERROR if where == lba else Error.NONE
    assert not core.find_slot() and core.get("refusal") == FileError.DRIVE
    assert core.steps == []


def test_header_that_cannot_be_read(disk):
    core = FilesCore(disk())
    core.fails = lambda operation, where: Error.DRIVE_ERROR
    assert not core.find_slot()
    assert (core.get("state"), core.get("refusal"), core.get("drive_error")) == (
        FileState.REFUSED, FileError.DRIVE, Error.DRIVE_ERROR)
    assert len(core.starts) == 1

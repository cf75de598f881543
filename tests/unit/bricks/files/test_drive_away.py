"""The drive is away during a recording: after that nothing of the file system is written before it
is proved again to be the drive that it was, with the directory that it had."""

import pytest
from unit.bricks.files.fake_core import TIME, data_of
from unit.bricks.files.world import pattern

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.file import FileError
from sata_recorder.pc.volume import prepare

#: Which operation of a recording the drive is away in: the data, the log, the directory sector.
DATA, LOG, DIRECTORY = range(3)


def away(core, slot, during, change):
    """The drive is away once, at the end of an operation on the ``slot``, and ``change(disk)`` is
    what somebody does to it meanwhile."""
    places = {DATA: slot.lba, LOG: slot.log_lba, DIRECTORY: slot.directory_lba}
    happened = []

    def fails(operation, lba):
        if operation == Operation.RECORD_FLUSH and lba == places[during] and not happened:
            happened.append(len(core.steps))
            core.in_doubt = 1
        return Error.NONE

    core.fails = fails
    core.meanwhile = lambda: change(core.disk)
    return happened


@pytest.mark.sample(5)
@pytest.mark.parametrize("during", [DATA, LOG, DIRECTORY])
@pytest.mark.parametrize("interval", [0, 1])
def test_the_same_drive(recorder, seen, during, interval):
    """The write is repeated after a proof; the sum of the data continues over it."""
    core = recorder(offers=0.2 if interval else 1)
    slot = seen(core.disk).slots[0]
    away(core, slot, during, lambda disk: None)
    data = pattern(9000)
    assert core.record(data, time=TIME, interval=interval) == (
        FileError.IN_DOUBT if during == DATA else FileError.NONE)
    assert data_of(core, seen) == data
    assert seen(core.disk).find(1).log.crc32 is not None
    # The header is read three times for each proof.
    assert [lba for _, lba, _ in core.starts].count(1024) == 6


def changes(slot, table, other):
    """What somebody does to the drive, by name."""
    def at(place, content):
        def change(disk):
            disk[place:place + len(content)] = content
        return change

    return {
        "partition table": at(512 * 2 + 56, b"X\0"),
        "formatted": at(512 * table.partition_lba + 100, b"\1\2\3\4"),
        "folder renamed": at(512 * table.proofs[2].lba + 4 * table.proofs[2].first + 66, b"X\0"),
        "prepared again": at(512 * 1024, other[512 * 1024:512 * (1024 + 4)]),
        "file in the directory sector": at(512 * slot.directory_lba + 192, b"\x85\2" + bytes(30)),
        "file in the place of the recording": at(512 * slot.directory_lba, b"\x85"),
    }


NAMES = ["partition table", "formatted", "folder renamed", "prepared again",
         "file in the directory sector", "file in the place of the recording"]


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("during", [DATA, LOG])
def test_a_drive_that_somebody_has_changed(disk, seen, recorder, tmp_path, name, during):
    core = recorder()
    drive = seen(core.disk)
    slot = drive.slots[0]
    again = tmp_path / "again.img"
    prepare(again, sectors=4096, recordings=3, align=16 << 10)
    change = changes(slot, drive.table, again.read_bytes())[name]
    happened = away(core, slot, during, change)
    assert core.record(pattern(9000)) == FileError.CHANGED
    assert core.get("bytes") == 0
    # Neither log nor directory sector are written any more.
    written = [step[0] for step in core.steps[happened[0]:] if step]
    assert slot.directory_lba not in written
    assert written.count(slot.log_lba) == (during == LOG)


@pytest.mark.parametrize("name", NAMES[:4])
def test_changed_while_the_directory_is_written(disk, seen, recorder, tmp_path, name):
    """It is not written a second time."""
    core = recorder()
    drive = seen(core.disk)
    slot = drive.slots[0]
    again = tmp_path / "again.img"
    prepare(again, sectors=4096, recordings=3, align=16 << 10)
    away(core, slot, DIRECTORY, changes(slot, drive.table, again.read_bytes())[name])
    assert core.record(pattern(9000)) == FileError.CHANGED
    assert [step[0] for step in core.steps if step].count(slot.directory_lba) == 1


def test_lost_before_the_operation(recorder):
    """A start in the clocks in which the drive goes: no operation is begun without a proof."""
    for clocks in range(12):
        core = recorder()
        starts = len(core.starts)
        core.offer(pattern(100), last=True)
        core.start()
        for _ in range(clocks):
            core.tick()
        if len(core.starts) > starts:
            break
        core.ready = False
        core.until(lambda: core.done)
        assert core.get("error") in (FileError.NO_DRIVE, FileError.CUT_SHORT)
        assert core.steps == []
    assert clocks > 3

"""COMMAND of an array below modes, files and frames: these have the words of recordings, and it has its own."""

import pytest
from integration.arrays import OFFSET, members
from integration.modes import Plan, check_recording, record
from integration.small import content
from integration.test_array_files import bench_of, on_pc
from integration.test_array_files import record as record_file
from integration.test_array_modes import ROOM
from integration.test_file_recorder import wait
from unit.bricks.files.world import pattern

from sata_recorder.core.drive_port import Operation
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import verify

pytestmark = pytest.mark.wide

#: An LBA of which the array makes no use here.
FREE = OFFSET + 1500


def moved(bench, lane, seed, lba=FREE):
    """A COMMAND that writes 5 sectors of a lane, and one that reads them; no other lane has them."""
    data = content(seed, 5)
    before = [port.drive.image.read_sectors(lba, 5) for port in bench.ports]
    bench.engine.set(array_lane=lane)
    written = bench.command(Operation.RECORD, command=0x35, lba=lba, count=5, data=data)
    assert (written.error, written.taken) == (0, 5 * 128)
    assert [port.drive.image.read_sectors(lba, 5) for port in bench.ports] == [
        *before[:lane], data, *before[lane + 1:]]
    read = bench.command(Operation.PLAY, command=0x24, lba=lba, count=5, blocks=5, pio=1)
    assert (read.error, read.data, read.lasts) == (0, data, 1)
    assert bench.command(Operation.FLUSH, command=0xEA).error == 0


@pytest.mark.parametrize("kind, chunk, width", [
    ("raid0", 8, 32), pytest.param("linear", 128, 64, marks=pytest.mark.long)])
def test_between_recordings_in_modes(kind, chunk, width):
    """Whatever the mode is, a COMMAND has all of its words, and the next recording all of its own."""
    bench = members(2, kind=kind, chunk=chunk, extents="modes", commands=True, array_width=width, sectors=[ROOM] * 2)
    bench.bring_up()
    assert bench.settle()["ready"]
    plans = [Plan(RecordingMode.FIXED, 370, 45, words=1026), Plan(RecordingMode.RING, 370, 30, stop=128 * 200 + 77),
             Plan(RecordingMode.TRIGGERED, 300, 900, words=700, part=200, chunk=32, segments=2,
                  triggers=((9000, 0), (41_000, 1)))]
    plans.append(Plan(RecordingMode.FIXED, 5000, 45, words=1026))
    for number, plan in enumerate(plans):
        found = record(bench, plan)
        assert found.outputs["error"] == 0
        check_recording(bench, plan, found)
        for lane in 0, 1:
            moved(bench, lane, number + lane)


def test_between_files(tmp_path):
    """While the core is released; the files after it are as those before it."""
    bench = bench_of(tmp_path, 3, "raid0", 16, commands=True)
    data = [pattern(size, size) for size in (50_000, 70_000)]
    for slot, part in enumerate(data, 1):
        outputs = record_file(bench, part)
        assert (outputs["file_error"], outputs["file_slot"]) == (FileError.NONE, slot)
        wait(bench, lambda outputs: outputs["file_state"] == FileState.READY)
        bench.engine.set(file_release=1)
        wait(bench, lambda outputs: outputs["file_state"] == FileState.RELEASED)
        for lane in range(3):
            moved(bench, lane, slot + lane, lba=4000)
        bench.engine.set(file_release=0)
        wait(bench, lambda outputs: outputs["file_state"] == FileState.READY)
    with on_pc(bench, tmp_path) as drive:
        assert [drive.read(drive.find(slot), "uint8").tobytes() for slot in (1, 2)] == data
        assert verify(drive).problems == []


def test_words_are_in_no_frame():
    """Those of a COMMAND, while those of recordings are."""
    bench = members(2, frames=True, on_overflow="drop", commands=True, sectors=[ROOM] * 2)
    bench.bring_up()
    assert bench.settle()["ready"]
    bench.engine.set(frame_enable=1)
    for lane in 0, 1:
        assert bench.record(content(lane, 20), 100).error == 0
        framed = bench.read(100, 20)
        assert framed != content(lane, 20) and any(framed)
        moved(bench, lane, lane)
        assert bench.read(100, 20) == framed

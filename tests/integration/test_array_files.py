"""Files on an array: what is recorded across the drives is a file of the volume that spans them."""

from contextlib import contextmanager

import pytest
from integration.arrays import members
from integration.test_file_recorder import TIME, wait
from unit.bricks.files.world import pattern

from sata_recorder.facts.array import LINEAR, RAID0
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.pc.array import open_disk, prepare_array
from sata_recorder.pc.volume import Drive, verify
from sata_recorder.simulation.pattern import Bytes

pytestmark = pytest.mark.wide

KINDS = [(3, "raid0", 16), (2, "linear", 128)]


def bench_of(tmp_path, drives, kind, chunk, slots=3, **fields):
    """Drives that a PC has prepared, brought up."""
    paths = paths_of(tmp_path, drives)
    prepare_array(paths, {"raid0": RAID0, "linear": LINEAR}[kind], sectors=4096, recordings=slots, align=16 << 10,
                  chunk_sectors=chunk)
    bench = members(drives, kind=kind, chunk=chunk, sectors=[4096] * drives, files=True, **fields)
    for port, path in zip(bench.ports, paths):
        port.drive.image.write(0, path.read_bytes())
    for level in 1, 0:
        bench.engine.set(rst=level)
        bench.run(4)
    wait(bench, lambda outputs: outputs["file_state"] == FileState.READY)
    return bench


def paths_of(tmp_path, drives):
    return [tmp_path / f"lane{lane}.img" for lane in range(drives)]


@contextmanager
def on_pc(bench, tmp_path):
    """The drives on a PC that finds out by itself in which order they are."""
    paths = paths_of(tmp_path, len(bench.ports))
    for port, path in zip(bench.ports, paths):
        path.write_bytes(port.drive.image.read(0, 512 * 4096))
    with open_disk([str(path) for path in reversed(paths)]) as disk, Drive(disk.path, disk) as drive:
        yield drive


def record(bench, data, by="length"):
    """One recording; the outputs when it is closed."""
    engine = bench.engine
    engine.source(Bytes(data))
    engine.set(file_length=len(data) if by == "length" else 0, file_start=1, file_time=TIME.seconds, file_time_valid=1,
               file_dated=0)
    engine.run(2)
    if by == "stop":
        wait(bench, lambda outputs: engine.state().taken >= len(data) // 4)
        engine.set(file_stop=1)
        engine.run(1)
    wait(bench, lambda outputs: outputs["file_state"] not in (FileState.RECORDING, FileState.CLOSING))
    return engine.outputs()


@pytest.mark.parametrize("drives, kind, chunk", KINDS)
def test_recordings(tmp_path, drives, kind, chunk):
    """Files by length and by stop, across chunks and drives; the log names the first drive."""
    bench = bench_of(tmp_path, drives, kind, chunk)
    data = [pattern(size, size) for size in (200_000, 4096, 333_332)]
    for number, (part, by) in enumerate(zip(data, ("length", "length", "stop")), 1):
        bench.engine.set(array_lane=drives - 1)
        outputs = record(bench, part, by)
        found = [outputs[name] for name in ("file_error", "file_slot", "file_bytes")]
        assert found == [FileError.NONE, number, len(part)]
        wait(bench, lambda outputs: outputs["file_state"] in (FileState.READY, FileState.FULL))
    with on_pc(bench, tmp_path) as drive:
        result = verify(drive)
        assert result.problems == [] and len(result.checked) == 3
        for number, part in enumerate(data, 1):
            recording = drive.find(number)
            assert drive.read(recording, "uint8").tobytes() == part
            assert recording.log.serial == "LANE0"
    assert [[str(found) for found in port.link.violations] for port in bench.ports] == [[]] * drives


@pytest.mark.parametrize("drives, kind, chunk", KINDS)
def test_lane_fails(tmp_path, drives, kind, chunk):
    """A sector of one drive that cannot be written: the file ends before it, and the log has the range in doubt,
    with all that may be of that lane's command."""
    bench = bench_of(tmp_path, drives, kind, chunk, slots=1)
    with on_pc(bench, tmp_path) as drive:
        first = drive.slots[0].lba
    bad = first + 300
    lane, own = bench.place(bad)
    bench.ports[lane].drive.behaviour.fail_lba = own
    data = pattern(400_000, 7)
    outputs = record(bench, data)
    assert outputs["file_error"] in (FileError.CUT_SHORT, FileError.CUT_IN_DOUBT)
    size = outputs["file_bytes"]
    assert 0 < size <= 300 * 512
    with on_pc(bench, tmp_path) as drive:
        recording = drive.find(1)
        assert drive.read(recording, "uint8").tobytes() == data[:size]
        doubt = [(entry.position, entry.length) for entry in recording.log.journal if entry.kind == 3]
        assert any(position <= bad < position + length for position, length in doubt)
        assert verify(drive).problems == []


@pytest.mark.parametrize("drives, kind, chunk", KINDS)
def test_link_of_a_lane_falls(tmp_path, drives, kind, chunk):
    """In a recording, which goes on: it becomes a whole file once the array has looked whose its drives are."""
    bench = bench_of(tmp_path, drives, kind, chunk, slots=1)
    data = pattern(200_000, 7)
    bench.engine.source(Bytes(data))
    bench.engine.set(file_length=len(data), file_start=1, file_dated=0)
    wait(bench, lambda outputs: outputs["sectors_done"] > 200)
    bench.ports[0].drop_link(50)
    wait(bench, lambda outputs: outputs["file_state"] not in (FileState.RECORDING, FileState.CLOSING))
    outputs = bench.engine.outputs()
    # What the drive's cache had may be lost.
    assert (outputs["file_error"], outputs["file_bytes"]) == (FileError.IN_DOUBT, len(data))
    with on_pc(bench, tmp_path) as drive:
        assert drive.read(drive.find(1), "uint8").tobytes() == data


def test_swapped_drives_are_not_written(tmp_path):
    """With drives in each other's places nothing is searched for, and nothing is written."""
    bench = bench_of(tmp_path, *KINDS[0])
    before = [port.drive for port in bench.ports]
    images = [drive.image.read(0, 512 * 4096) for drive in before]
    bench.ports[1].plug(before[2])
    bench.ports[2].plug(before[1])
    bench.run(20_000)
    assert bench.outputs()["file_state"] not in (FileState.READY, FileState.RECORDING)
    bench.engine.source(Bytes(pattern(4096, 1)))
    bench.engine.set(file_start=1, file_length=4096)
    bench.run(20_000)
    assert [drive.image.read(0, 512 * 4096) for drive in before] == images
    bench.ports[1].plug(before[1])
    bench.ports[2].plug(before[2])
    wait(bench, lambda outputs: outputs["file_state"] == FileState.READY)

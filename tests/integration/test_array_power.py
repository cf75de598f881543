"""Power cuts of an array: each drive loses its own cache, and what the user was told of is there all the same."""

import random

import pytest
from integration.arrays import ArrayBench, array
from integration.benches import port_of
from integration.files_station import CACHES, LoggedImage
from integration.test_file_recorder import TIME
from sata_drive_model import Behaviour, Drive
from unit.bricks.files.world import pattern

from sata_recorder.facts.array import LINEAR, RAID0
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.pc.array import open_disk, prepare_array
from sata_recorder.pc.volume import Drive as Volume
from sata_recorder.pc.volume import verify
from sata_recorder.simulation.pattern import Bytes

KINDS = [(3, "raid0", 16), (2, "linear", 128)]
#: Clocks between two looks at what the user is told.
_LOOK = 20


class Recorder:
    """An array on drives whose images keep all that was written to them. ``promises`` has (clock, slot, bytes) of each
    time that the user was told of the bytes of a file."""

    def __init__(self, kind, chunk, contents):
        self.images = [LoggedImage(content) for content in contents]
        ports = [port_of(Drive(image, behaviour=Behaviour(completion_latency=40 + 70 * lane, activate_latency=20),
                               serial=f"LANE{lane}"), seed=lane) for lane, image in enumerate(self.images)]
        self.bench = ArrayBench(array(len(contents), kind, chunk, files=True), ports)
        for image in self.images:
            image.clock_of = lambda: self.clock
        self.promises, self._told = [], 0
        for level in 1, 0:
            self.bench.engine.set(rst=level)
            self.bench.run(4)

    @property
    def clock(self):
        return self.bench.engine.state().cycle

    def until(self, states):
        while True:
            outputs = self.bench.outputs()
            if outputs["file_bytes"] != self._told:
                self._told = outputs["file_bytes"]
                if self._told:
                    self.promises.append((self.clock, outputs["file_slot"], self._told))
            if outputs["file_state"] in states:
                return outputs
            assert self.clock < 3_000_000, outputs
            self.bench.run(_LOOK)

    def record(self, data):
        """A recording that becomes a file."""
        assert self.until({FileState.READY, FileState.FULL})["file_state"] == FileState.READY
        self.bench.engine.source(Bytes(data))
        self.bench.engine.set(file_length=len(data), file_start=1, file_time=TIME.seconds, file_time_valid=1)
        self.bench.run(2)
        outputs = self.until({FileState.READY, FileState.FULL, FileState.SEARCHING})
        assert outputs["file_error"] == FileError.NONE, outputs
        return outputs["file_slot"]


def cut(images, paths, clock, rng):
    """The drives after a power cut, each with as much of its cache as it happens to have kept; what they kept."""
    caches = [rng.choice(CACHES) for _ in images]
    for image, path, cache in zip(images, paths, caches):
        path.write_bytes(image.cut(clock, cache, rng))
    return caches


def check(paths, data, promises, clock, *, whole=True):
    """What the user was told of before the ``clock`` is there; what is there is right, and ``whole`` if nothing is left
    for the hardware to do."""
    with open_disk([str(path) for path in paths]) as disk, Volume(disk.path, disk) as volume:
        found = {one.slot: one for one in volume.recordings if one.is_file}
        for when, slot, size in promises:
            assert when > clock or slot in found and found[slot].bytes >= size
        for slot, recording in found.items():
            assert volume.read(recording, "uint8").tobytes() == data[slot][:recording.bytes]
        assert not whole or verify(volume).problems == []
    return found


@pytest.mark.sample(2)
@pytest.mark.parametrize("drives, kind, chunk", KINDS)
def test_power_cuts(tmp_path, drives, kind, chunk, request):
    """At any moment. At the next power-on all is in order again, the next recording included."""
    paths = [tmp_path / f"lane{lane}.img" for lane in range(drives)]
    prepare_array(paths, {"raid0": RAID0, "linear": LINEAR}[kind], sectors=4096, recordings=4, align=16 << 10,
                  chunk_sectors=chunk)
    recorder = Recorder(kind, chunk, [path.read_bytes() for path in paths])
    data = {number: pattern(size, number) for number, size in enumerate((30_000, 150_000, 4, 77_776), 1)}
    for number, content in data.items():
        assert recorder.record(content) == number
    last, rng = recorder.clock, random.Random(drives)
    flushes = [when for image in recorder.images for when, lba, _ in image.log if lba is None]
    assert len(recorder.promises) >= 4 and len(flushes) >= 4 * drives
    for number in range(150 if request.config.getoption("--long") else 12):
        clock = rng.randrange(last) if number % 2 else max(0, rng.choice(flushes) + rng.randrange(-300, 300))
        caches = cut(recorder.images, paths, clock, rng)
        found = check(paths, data, recorder.promises, clock, whole=False)
        again = Recorder(kind, chunk, [path.read_bytes() for path in paths])
        if again.until({FileState.READY, FileState.FULL})["file_state"] == FileState.READY:
            slot = again.record(pattern(900, 99))
            assert slot not in found, (clock, caches)
            for image, path in zip(again.images, paths):
                path.write_bytes(image.content)
            check(paths, data | {slot: pattern(900, 99)}, again.promises, again.clock)


def test_a_missing_flush_is_found(tmp_path):
    """What judges a power cut would see it if FLUSH CACHE did not reach one of the drives."""
    drives, kind, chunk = KINDS[0]
    paths = [tmp_path / f"lane{lane}.img" for lane in range(drives)]
    prepare_array(paths, RAID0, sectors=4096, recordings=4, align=16 << 10, chunk_sectors=chunk)
    recorder = Recorder(kind, chunk, [path.read_bytes() for path in paths])
    data = {1: pattern(100_000, 1)}
    recorder.record(data[1])
    for image, path, cache in zip(recorder.images, paths, ("kept", "lost", "kept")):
        path.write_bytes(image.cut(recorder.clock, cache, random.Random(1)))
    check(paths, data, recorder.promises, recorder.clock)
    lane = recorder.images[1]
    lane.log = [event for event in lane.log if event[1] is not None]
    paths[1].write_bytes(lane.cut(recorder.clock, "lost", random.Random(1)))
    with pytest.raises(AssertionError):
        check(paths, data, recorder.promises, recorder.clock)

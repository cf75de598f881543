"""Power cuts of an array: each drive loses its own cache, and what the user was told of is there all the same."""

import random

import pytest
from integration.array_recorder import STATES, ArrayRecorder, check_files
from integration.arrays import ArrayBench, array
from integration.files_station import CACHES
from unit.bricks.files.world import pattern

from sata_recorder.facts.array import LINEAR, RAID0
from sata_recorder.interface.file import FileState
from sata_recorder.pc.array import open_disk, prepare_array
from sata_recorder.pc.volume import Drive as Volume

pytestmark = pytest.mark.wide

KINDS = [(3, "raid0", 16), (2, "linear", 128)]


def recorder_on(kind, chunk, paths):
    """An array on drives with the content of these files."""
    configuration = array(len(paths), kind, chunk, files=True)
    return ArrayRecorder([path.read_bytes() for path in paths], lambda ports: ArrayBench(configuration, ports),
                         limit=3_000_000)


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
        return check_files(volume, data, promises, clock, whole)


@pytest.mark.sample(2)
@pytest.mark.parametrize("drives, kind, chunk", KINDS)
def test_power_cuts(tmp_path, drives, kind, chunk, turns):
    """At any moment. At the next power-on all is in order again, the next recording included."""
    paths = [tmp_path / f"lane{lane}.img" for lane in range(drives)]
    prepare_array(paths, {"raid0": RAID0, "linear": LINEAR}[kind], sectors=4096, recordings=4, align=16 << 10,
                  chunk_sectors=chunk)
    recorder = recorder_on(kind, chunk, paths)
    data = {number: pattern(size, number) for number, size in enumerate((30_000, 150_000, 4, 77_776), 1)}
    for number, content in data.items():
        assert recorder.record(content) == number
    last, rng = recorder.clock, random.Random(drives)
    flushes = [when for image in recorder.images for when, lba, _ in image.log if lba is None]
    assert len(recorder.promises) >= 4 and len(flushes) >= 4 * drives
    for number in range(turns(12, 150)):
        clock = rng.randrange(last) if number % 2 else max(0, rng.choice(flushes) + rng.randrange(-300, 300))
        caches = cut(recorder.images, paths, clock, rng)
        found = check(paths, data, recorder.promises, clock, whole=False)
        again = recorder_on(kind, chunk, paths)
        if again.until(STATES)["file_state"] == FileState.READY:
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
    recorder = recorder_on(kind, chunk, paths)
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

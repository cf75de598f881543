"""Files on RAID 1: a PC reads each drive alone; two that differ where a PC would have written are refused."""

import random

import pytest
from integration.array_recorder import STATES, ArrayRecorder, check_files
from integration.files_station import CACHES, LoggedImage
from integration.mirrors import DROPPED, GOOD, PLACE, SECTORS, SIZE, MirrorBench, chosen, mirror, superblock
from unit.bricks.files.world import pattern

from sata_recorder.core.drive_port import Error
from sata_recorder.facts.array import RAID1
from sata_recorder.interface.array import MemberState
from sata_recorder.interface.file import FileState
from sata_recorder.pc.array import open_disk, prepare_array
from sata_recorder.pc.volume import Drive as Volume
from sata_recorder.pc.volume import Refused, prepare, verify

pytestmark = pytest.mark.wide


def prepared(tmp_path, slots=4, logical=None):
    """The content of two drives that a PC has prepared."""
    path = tmp_path / "one.img"
    prepare(path, sectors=SIZE, recordings=slots, align=16 << 10, logical=logical)
    content = path.read_bytes().ljust(512 * SECTORS, b"\0")
    path.unlink()
    return [content[:512 * PLACE] + superblock(lane) + bytes(512 * 15) for lane in range(2)]


def recorder_on(contents, **unit):
    """RAID 1 on drives with these contents."""
    return ArrayRecorder(contents, lambda ports: MirrorBench(mirror(files=True), ports), limit=4_000_000, **unit)


def on_pc(tmp_path, content):
    path = tmp_path / "member.img"
    path.write_bytes(content)
    return Volume(str(path))


def check(tmp_path, content, data, promises, clock, *, whole=True):
    """What the user was told of before the ``clock`` is on this drive; what is there is right, and ``whole`` if nothing
    is left for the hardware to do."""
    with on_pc(tmp_path, content) as volume:
        return check_files(volume, data, promises, clock, whole)


@pytest.mark.parametrize("logical", [512, pytest.param(4096, marks=pytest.mark.long)])
def test_files_on_both(tmp_path, logical):
    """Each drive alone has them, and both are equal and marked as such."""
    unit = {"logical_sector": logical} if logical > 512 else {}
    recorder = recorder_on(prepared(tmp_path, logical=logical), **unit)
    data = {recorder.record(pattern(size, size)): pattern(size, size) for size in (30_000, 100_000, 4)}
    recorder.until(STATES)
    first, second = (image.content for image in recorder.images)
    assert first[:512 * PLACE] == second[:512 * PLACE]
    for content in first, second:
        assert len(check(tmp_path, content, data, recorder.promises, recorder.clock)) == 3
    assert not any(recorder.bench.stated(lane).dirty for lane in range(2))


@pytest.mark.parametrize("lane", [0, 1])
def test_file_with_a_lane_that_fails(tmp_path, lane):
    """The other drive alone has the file whole."""
    recorder = recorder_on(prepared(tmp_path))
    recorder.until(STATES)
    recorder.bench.ports[lane].drive.behaviour.fail_lba = _words(recorder.images[0].content, 1025)[4] + 30
    data = {recorder.record(pattern(80_000, 1)): pattern(80_000, 1)}
    recorder.until(STATES)
    found = check(tmp_path, recorder.images[1 - lane].content, data, recorder.promises, recorder.clock)
    assert len(found) == 1 and recorder.bench.dropped() == 1 << lane


def test_from_prepare_to_a_file(tmp_path):
    """Of mirrors that `prepare` has made the PC reads what was recorded, from both and from the one that is left."""
    paths = [tmp_path / f"lane{lane}.img" for lane in range(2)]
    prepare_array(paths, RAID1, sectors=SECTORS, recordings=4, align=16 << 10)
    recorder = recorder_on([path.read_bytes() for path in paths])
    data = {recorder.record(pattern(50_000, 1)): pattern(50_000, 1)}

    def on_disk(*lanes):
        for image, path in zip(recorder.images, paths):
            path.write_bytes(image.content)
        with open_disk([str(paths[lane]) for lane in lanes]) as disk, Volume(disk.path, disk) as volume:
            found = {one.slot: volume.read(one, "uint8").tobytes() for one in volume.recordings if one.is_file}
            return found, verify(volume).problems, disk.notes
    recorder.until(STATES)
    assert on_disk(1, 0) == (data, [], ())
    slot = recorder.record(pattern(70_000, 2), unplug=1)
    recorder.until(STATES)
    data[slot] = pattern(70_000, 2)
    found, problems, notes = on_disk(0)
    assert (found, problems) == (data, []) and "lane 1 has failed" in " ".join(notes)
    with pytest.raises(Refused, match="is in the array no more"):
        on_disk(0, 1)


def _alter(content, sector, byte=100):
    content = bytearray(content)
    content[512 * sector + byte] ^= 1
    return bytes(content)


def _words(content, sector):
    return [int.from_bytes(content[512 * sector + 4 * n:512 * sector + 4 * n + 4], "little") for n in range(128)]


@pytest.mark.parametrize("lane", [0, 1])
@pytest.mark.parametrize("place", ["table", "boot", "header", "slot", "directory"])
@pytest.mark.parametrize("resync", [(1 << 64) - 1, 0])
def test_compared(tmp_path, place, lane, resync):
    """Two drives that differ are not written. After a power cut the directory may."""
    contents = [content[:512 * PLACE] + superblock(number, resync=resync) + bytes(512 * 15)
                for number, content in enumerate(prepared(tmp_path))]
    words = _words(contents[0], 1024)
    sector = {"table": 0, "boot": words[24], "header": 1024, "slot": 1026, "directory": words[32] + 2 * words[9]}[place]
    contents[lane] = _alter(contents[lane], sector)
    recorder = recorder_on(contents)
    outputs = recorder.bench.settle()
    if place == "directory" and not resync:
        assert outputs["ready"] or recorder.until(STATES)
        return
    assert (outputs["ready"], outputs["error"]) == (0, Error.OTHER_DRIVE)
    assert recorder.bench.states() == [MemberState.DIFFERS] * 2
    recorder.bench.run(20_000)
    assert not any(image.log for image in recorder.images)


def test_compared_beyond_the_first_slots(tmp_path):
    contents = prepared(tmp_path, slots=12)
    for sector in (1024 + 11, 1024 + 12):
        recorder = recorder_on([contents[0], _alter(contents[1], sector)])
        recorder.bench.settle()
        assert recorder.bench.states() == [MemberState.DIFFERS] * 2
    assert recorder_on(contents).until(STATES)["file_state"] == FileState.READY


def test_not_prepared(tmp_path):
    """Without a recording table the first sectors are compared only; the files stage refuses the drive by itself."""
    blank = [bytes(512 * PLACE) + superblock(lane) + bytes(512 * 15) for lane in range(2)]
    recorder = recorder_on(blank)
    assert recorder.bench.settle()["array_members"] == GOOD | GOOD << 3
    other = recorder_on([blank[0], _alter(blank[1], 5)])
    other.bench.settle()
    assert other.bench.states() == [MemberState.DIFFERS] * 2


@pytest.mark.parametrize("number", [0, 1], ids=["both", "one is unplugged"])
def test_power_cuts(tmp_path, number, turns):
    """At any moment. The drives that md takes have what the user was told of; all is in order again after the next
    power-on."""
    contents = prepared(tmp_path)
    recorder = recorder_on(contents)
    data = {}
    for index, size in enumerate((30_000, 90_000, 4), 1):
        slot = recorder.record(pattern(size, index), unplug=0 if number and index == 2 else None)
        data[slot] = pattern(size, index)
    last, rng = recorder.clock, random.Random(number)
    flushes = [when for image in recorder.images for when, lba, _ in image.log if lba in (None, PLACE)]
    for turn in range(turns(3, 60)):
        clock = rng.randrange(last) if turn % 2 else max(0, rng.choice(flushes) + rng.randrange(-300, 300))
        images = [LoggedImage(image.cut(clock, rng.choice(CACHES), rng)) for image in recorder.images]
        lanes = chosen(images)
        for lane in lanes:
            check(tmp_path, images[lane].content, data, recorder.promises, clock, whole=False)
        again = recorder_on([image.content for image in images])
        if again.until(STATES)["file_state"] == FileState.READY:
            slot = again.record(pattern(900, 99))
            for lane in lanes:
                # Of two that may differ the recorder reads the first, and puts that one in order.
                check(tmp_path, again.images[lane].content, data | {slot: pattern(900, 99)}, again.promises,
                      again.clock, whole=lane == lanes[0])
            assert again.bench.dropped() == 3 & ~sum(1 << lane for lane in lanes)
            assert DROPPED in again.bench.states() or len(lanes) == 2

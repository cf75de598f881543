"""What the files stage leaves on a drive, judged by exfatprogs and The Sleuth Kit: the whole
core records onto the drive model."""

import hashlib
import random
import re

import pytest
from foreign.linux import boot, unpacked
from integration.files_modes import check_ring, check_segments, record_mode, triggered
from integration.files_station import CACHES, TIME, Station, a_run, check_cut, moments
from integration.files_updates import UPDATED, check_update, known_at, updated_run
from sata_drive_model.qemu import PACKAGE
from short import short
from unit.bricks.files.world import pattern

from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import Drive, prepare, verify
from sata_recorder.pc.volume.order_sidecar import order_facts

pytestmark = pytest.mark.wide

SECTORS, ALIGN = 4096, 16 << 10


@pytest.fixture
def prepared(tmp_path):
    """``prepared(slots)``: the content of a prepared disk."""
    def prepared(slots, *, sectors=SECTORS, align=ALIGN, recording_bytes=None):
        path = tmp_path / "prepared.img"
        prepare(path, sectors=sectors, recordings=slots, align=align,
                recording_bytes=recording_bytes, overwrite=True)
        return path.read_bytes()
    return prepared


@pytest.fixture
def judged(fsck, sleuth, tmp_path):
    """``judged(content)``: the recordings that the judges see, by slot; all is clean."""
    def judged(content):
        path = tmp_path / "judged.img"
        path.write_bytes(content)
        fsck(path)
        return {int(name[3:8]): data for name, data in sleuth(path).items()
                if name.endswith(".dat")}
    return judged


def test_three_recordings_over_two_power_cycles(prepared, judged):
    content, data = prepared(4), {}
    for number, (size, by) in enumerate(((20_001, "length"), (513, "last"), (8192, "stop")), 1):
        station = Station(content)
        assert station.find_slot()
        data[number] = pattern(size, number)
        assert station.record(data[number], by=by, time=TIME) == FileError.NONE
        content = station.image.content
        assert judged(content) == data


@pytest.mark.quick
def test_stop_at_full(prepared, judged):
    station = Station(prepared(1, recording_bytes=16 << 10))
    assert station.find_slot()
    data = pattern(20_000)
    assert station.record(data, by="stop") == FileError.NONE
    assert station.get("bytes") == 16 << 10
    assert not station.find_slot() and station.get("state") == FileState.FULL
    assert judged(station.image.content) == {1: data[:16 << 10]}


@pytest.mark.quick
@pytest.mark.parametrize("drives, files", [
    (1, 10), pytest.param(4, 50, marks=pytest.mark.long),
    pytest.param(1, 64, marks=pytest.mark.long)])
def test_random_lengths(prepared, judged, drives, files):
    """This many recordings of random byte lengths, until each drive is full."""
    rng = random.Random(files)
    for _ in range(drives):
        station, data = Station(prepared(files, align=4096, recording_bytes=12 << 10)), {}
        for number in range(1, files + 1):
            assert station.find_slot()
            data[number] = pattern(rng.randrange(1, 12 << 10), number)
            by = rng.choice(("length", "last"))
            assert station.record(data[number], by=by) == FileError.NONE
        assert not station.find_slot() and station.get("state") == FileState.FULL
        assert judged(station.image.content) == data


@pytest.mark.parametrize("modes, count", [
    (False, 6), pytest.param(False, 500, marks=pytest.mark.long),
    pytest.param(True, 100, marks=pytest.mark.long)])
def test_power_cuts(prepared, judged, tmp_path, modes, count):
    """At any moment, with the cache kept, lost, or half of it: clean, and the same after the stage
    has been there again."""
    station, data = a_run(prepared(5), modes)
    rng, path = random.Random(count), tmp_path / "cut.img"
    for n, clock in enumerate(moments(station, count, seed=count)):
        content = station.image.cut(clock, CACHES[n % 3], rng)
        seen = judged(content)
        path.write_bytes(content)
        with Drive(path) as drive:
            found = check_cut(drive, station, data, clock)
            assert seen == {slot: data[slot][:one.bytes] for slot, one in found.items()}
        again = Station(content, modes=modes)
        assert again.find_slot(), (clock, CACHES[n % 3])
        assert again.record(pattern(900, 99)) == FileError.NONE
        content = again.image.content
        seen = judged(content)
        assert seen.pop(again.get("slot")) == pattern(900, 99)
        assert set(seen) >= set(found)
        for slot, part in seen.items():
            assert part == data[slot][:len(part)]
        path.write_bytes(content)
        with Drive(path) as drive:
            assert verify(drive).problems == [], (clock, CACHES[n % 3])


#: Inputs of a recording, the words after which it is stopped, and the sectors of its slot: a ring
#: of several laps; three segments with pre-roll; one that has no trigger.
ORDERED = {
    "ring": ({"mode": RecordingMode.RING}, 9000, 24),
    "segments": (triggered(segments=3), None, 128),
    "stopped": (triggered(), 3000, 64),
}
_TRIGGERS = (9000, 9300, 14_000)


def an_ordered_run(prepared, name, slots=2):
    """(station, what its recording took, its slot's sectors)."""
    options, stop, sectors = ORDERED[name]
    station = Station(prepared(slots, align=4096, recording_bytes=512 * sectors), modes=True,
                      drive={"completion_latency": 40, "activate_latency": 20})
    assert station.find_slot()
    taken = record_mode(station, stop=stop, triggers=_TRIGGERS[:3 * (name == "segments")],
                        **options)
    assert taken.error == FileError.NONE
    return station, taken, sectors


def check_ordered(drive, name, taken, sectors):
    if name == "ring":
        check_ring(drive, 1, taken, sectors)
    else:
        check_segments(drive, 1, taken)


@pytest.mark.wide
@pytest.mark.parametrize("name", [*ORDERED])
def test_a_ring_and_segments(prepared, judged, seen, name):
    """The judges see one file, the places of the slot; the PC's tools put it in order."""
    station, taken, sectors = an_ordered_run(prepared, name)
    station.find_slot()
    content = station.image.content
    drive = seen(content)
    check_ordered(drive, name, taken, sectors)
    begin = 512 * drive.slots[0].lba
    assert judged(content) == {1: content[begin:begin + drive.find(1).bytes]}
    # Another recording after it, over a power cycle.
    station = Station(content, modes=True)
    assert station.find_slot()
    assert station.record(pattern(1000)) == FileError.NONE
    files = judged(station.image.content)
    assert set(files) == {1, 2} and files[2] == pattern(1000)
    check_ordered(seen(station.image.content), name, taken, sectors)


def test_a_ring_stopped_at_full(prepared, judged, seen):
    """To the word as many as the slot has: it is a file like any other, with its CRC-32."""
    station = Station(prepared(1, align=4096, recording_bytes=16 << 10), modes=True)
    assert station.find_slot()
    taken = record_mode(station, stop=32 * 128, last=True, mode=RecordingMode.RING)
    assert not station.find_slot() and station.get("state") == FileState.FULL
    drive = seen(station.image.content)
    check_ring(drive, 1, taken, 32)
    assert drive.find(1).log.crc32 is not None
    assert judged(station.image.content) == {1: taken.data}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", [*ORDERED])
@pytest.mark.parametrize("count", [3, pytest.param(150, marks=pytest.mark.long)])
def test_power_cuts_of_a_ring_and_segments(prepared, judged, tmp_path, name, count):
    """Clean at any moment, and the recording is there or its slot is free; so it is after the stage
    has been there again, which may have been without modes."""
    station, taken, sectors = an_ordered_run(prepared, name)
    station.find_slot()
    rng, path, end = random.Random(count), tmp_path / "cut.img", station.promises[0][0]
    clocks = [*moments(station, count, seed=count), end - 60 - rng.randrange(100), end + 300]
    for n, clock in enumerate(clocks):
        content = station.image.cut(clock, CACHES[(n + 1) % 3], rng)
        files = judged(content)
        assert set(files) <= {1} and (files or clock < end)
        path.write_bytes(content)
        again = Station(content, modes=n % 2 == 0)
        assert again.find_slot()
        assert again.record(pattern(900, 99)) == FileError.NONE
        content = again.image.content
        files = judged(content)
        assert files.pop(again.get("slot")) == pattern(900, 99)
        path.write_bytes(content)
        with Drive(path) as drive:
            assert verify(drive).problems == []
            if files:
                check_ordered(drive, name, taken, sectors)


@pytest.mark.parametrize("kind", short([*UPDATED], ["ring"]))
@pytest.mark.parametrize("count", [1, pytest.param(125, marks=pytest.mark.long)])
def test_power_cuts_of_what_is_updated(prepared, judged, tmp_path, kind, count):
    """A ring and segments that are brought up to date: clean at any moment, and there as they were
    at the latest update."""
    station, taken = updated_run(
        lambda sectors: prepared(2, align=4096, recording_bytes=512 * sectors), kind)
    station.find_slot()
    rng, path = random.Random(count), tmp_path / "cut.img"
    clocks = [*moments(station, count, seed=count), station.updates[-1][0] - 600]
    for n, clock in enumerate(clocks):
        content = station.image.cut(clock, CACHES[n % 3], rng)
        files = judged(content)
        words, segments = known_at(station, clock)
        assert set(files) <= {1} and (files or not words)
        again = Station(content, modes=n % 2 == 0)
        assert again.find_slot()
        assert again.record(pattern(900, 99)) == FileError.NONE
        content = again.image.content
        assert judged(content)[again.get("slot")] == pattern(900, 99)
        path.write_bytes(content)
        with Drive(path) as drive:
            assert verify(drive).problems == []
            if files:
                check_update(drive, kind, taken, words=words, segments=segments)
                assert files[1] == content[512 * drive.slots[0].lba:][:len(files[1])]


@pytest.mark.long
def test_linux_mounts_them(prepared, judge, tmp_path):
    """A kernel reads each file that the stage has made, over two power cycles: named after its slot
    or its day, of any length, of a whole slot."""
    qemu = judge("qemu-system-x86_64", PACKAGE)
    root = unpacked(tmp_path)
    content, data = prepared(4, recording_bytes=64 << 10), {}
    for slot, (size, by, name, options) in enumerate((
            (20_001, "length", "R2611220001.dat", {"dated": 1, "time": TIME}),
            (513, "last", "REC00002.dat", {}), (8192, "stop", "REC00003.dat", {"time": TIME}),
            (70_000, "stop", "R2611220004.dat", {"dated": 1, "time": TIME})), 1):
        station = Station(content)
        assert station.find_slot()
        assert station.record(pattern(size, slot), by=by, **options) == FileError.NONE
        data[name] = pattern(size, slot)[:64 << 10]
        content = station.image.content
    path = tmp_path / "recorded.img"
    path.write_bytes(content)
    told = boot(qemu, root, tmp_path, path, """
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sda1 ] || sleep 1; done
mkdir /mnt
mount -t exfat -o ro /dev/sda1 /mnt && echo MOUNTED
cd /mnt/RECORDINGS
for file in *.dat; do echo FILE $file $(stat -c %s $file) $(sha256sum < $file); done
dmesg | grep -i exfat
""", modules=("exfat",))
    assert "MOUNTED" in told, told
    found = {name: (int(size), digest) for name, size, digest in re.findall(
        r"FILE (\S+) (\d+) ([0-9a-f]{64})", told)}
    assert found == {name: (len(part), hashlib.sha256(part).hexdigest())
                     for name, part in data.items()}


#: On one drive, slot after slot: a ring of almost four laps, three segments with pre-roll, a ring that is
#: stopped when its slot is full to the word, and one more.
IN_ORDER = (("ring", {"mode": RecordingMode.RING}, {"stop": 60_000}),
            ("segments", triggered(segments=3), {"triggers": _TRIGGERS}),
            ("full", {"mode": RecordingMode.RING}, {"stop": 128 * 128, "last": True}),
            ("short", {"mode": RecordingMode.RING}, {"stop": 5001}))


@pytest.mark.long
def test_linux_reads_them_in_order(prepared, judge, tmp_path):
    """A kernel mounts the drive; what it reads of the pieces that the sidecar names, one after the other,
    is what was offered."""
    qemu = judge("qemu-system-x86_64", PACKAGE)
    root = unpacked(tmp_path)
    content, offered, orders = prepared(4, align=4096, recording_bytes=64 << 10), {}, []
    path = tmp_path / "recorded.img"
    for slot, (name, options, when) in enumerate(IN_ORDER, 1):
        station = Station(content, modes=True, drive={"completion_latency": 40, "activate_latency": 20})
        assert station.find_slot()
        taken = record_mode(station, seed=slot, **when, **options)
        assert taken.error == FileError.NONE
        content = station.image.content
        path.write_bytes(content)
        with Drive(path) as drive:
            assert verify(drive).problems == []
            recording = drive.find(slot)
            told = order_facts(recording, None, raw=True)
        for one in told["segments"]:
            begin = 4 * one["first_word"]
            offered[f"{name}{one['number']}"] = hashlib.sha256(taken.data[begin:begin + one["bytes"]]).hexdigest()
            parts = "".join(f"part {recording.name} {piece['offset']} {piece['bytes']}; " for piece in one["pieces"])
            orders.append(f"echo SUM {name}{one['number']} $({{ {parts}}} | sha256sum)\n")
        if name in ("ring", "full"):
            # All of the slot, to the newest word; of the first one what came before it was written over.
            assert sum(one["bytes"] for one in told["segments"]) > 127 * 512
            assert (told["segments"][0]["first_word"] > 0, len(told["segments"][0]["pieces"])) == (
                (True, 2) if name == "ring" else (False, 1))
    printed = boot(qemu, root, tmp_path, path, f"""
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sda1 ] || sleep 1; done
mkdir /mnt
mount -t exfat -o ro /dev/sda1 /mnt && echo MOUNTED
cd /mnt/RECORDINGS
part() {{ tail -c +$(($2 + 1)) $1 | head -c $3; }}
{"".join(orders)}""", modules=("exfat",))
    assert "MOUNTED" in printed, printed
    assert dict(re.findall(r"SUM (\w+) ([0-9a-f]{64})", printed)) == offered and len(offered) == 6

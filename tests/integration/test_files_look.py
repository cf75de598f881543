"""Looks at recordings that become files, while these are brought up to date: on the whole core and the drive
model."""

import random

import pytest
from integration.files_looks import LookingStation
from integration.files_modes import check_ring, check_segments, record_mode, triggered
from sata_drive_model import Fault

from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.look import LookState
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import prepare, verify

pytestmark = pytest.mark.wide

DRIVE = {"completion_latency": 40, "activate_latency": 20}
#: Inputs of a recording, the words after which it is stopped, its triggers, the sectors of its slot.
KINDS = {
    "ring": ({"mode": RecordingMode.RING}, 12_000, (), 24),
    "segments": (triggered(), 26_000, (6000, 9300, 18_000), 200),
    "stopped": ({"mode": RecordingMode.UNTIL_STOPPED}, 20_000, (), 200),
    "fixed": ({"mode": RecordingMode.FIXED, "words": 20_001}, None, (), 200),
}
EACH = pytest.mark.parametrize("kind", [*KINDS])


@pytest.fixture
def prepared(tmp_path):
    """``prepared(sectors)``: the content of a prepared disk with two slots of this many sectors."""
    def prepared(sectors):
        path = tmp_path / "look.img"
        prepare(path, sectors=4096, recordings=2, align=4096, recording_bytes=512 * sectors, overwrite=True)
        return path.read_bytes()
    return prepared


def run_of(prepared, kind, *, interval=1, faults=(), offers=0.4, **options):
    """(station, what was taken)"""
    inputs, stop, triggers, sectors = KINDS[kind]
    station = LookingStation(prepared(sectors), drive=DRIVE, offers=offers, **options)
    station.port.inject(list(faults))
    assert station.find_slot()
    taken = record_mode(station, stop=stop, triggers=triggers, interval=interval, **inputs)
    return station, taken


@pytest.mark.sample(10)
@EACH
@pytest.mark.parametrize("interval", [0, 1])
def test_looks_while_a_file_is_recorded(prepared, seen, kind, interval):
    """Each is what was recorded, or ends with a state; none reads outside of its slot, and the file is what
    it is without."""
    station, taken = run_of(prepared, kind, interval=interval)
    assert taken.error == FileError.NONE and station.found[LookState.READY.name] > 10, station.found
    assert bool(station.updates) == bool(interval) and station.moves == []
    station.find_slot()
    drive = seen(station.image.content)
    slot = drive.slots[0]
    reads = station.reads_from(slot.lba)
    assert reads and all(lba < slot.lba + slot.sectors for lba in reads)
    if interval:
        # One that waits continues after the update, and what was there before has the number that it had.
        assert station.interrupted and station.early
    if kind == "ring":
        check_ring(drive, 1, taken, slot.sectors)
    elif kind == "segments":
        check_segments(drive, 1, taken)
    else:
        assert drive.read(drive.find(1)).tobytes() == taken.data and verify(drive).problems == []
    assert station.violations() == []


@pytest.mark.parametrize("kind", ["ring", "stopped"])
def test_the_link_falls(prepared, seen, kind):
    """In an operation of the recording and in an update: a readback ends with it, and what it shows was recorded."""
    clean, _ = run_of(prepared, kind)
    begin = clean.updates[0][0] - 2500
    rng, errors = random.Random(7), set()
    for clock in (clean.updates[1][0] - 300, clean.updates[-1][0] - 1200, *(
            rng.randrange(begin, clean.clocks) for _ in range(3))):
        station, taken = run_of(prepared, kind, fails=True, faults=[
            Fault(kind="link_loss", clock=clock, clocks=50)])
        errors.add(taken.error)
        # The next recording has looks, too.
        if station.find_slot():
            found = station.found.total()
            assert record_mode(station, stop=4000, mode=RecordingMode.RING).error == FileError.NONE
            assert station.found.total() > found
            station.find_slot()
            assert verify(seen(station.image.content)).problems == []
    assert errors <= {FileError.NONE, FileError.CUT_SHORT, FileError.CUT_IN_DOUBT, FileError.IN_DOUBT}


def test_without_a_recording_there_is_none(prepared):
    """Before it, after it, and in what the stage does between two; the log and the directory are no recording."""
    station = LookingStation(prepared(24), drive=DRIVE)
    reads = len(station.image.read_from)

    def asked():
        station.dut.set(look__start=1, look__sector=0, look__count=1, look__room=0)
        super(LookingStation, station).tick()
        station.dut.set(look__start=0)
        for _ in range(3):
            super(LookingStation, station).tick()
        return LookState(station.dut.get("look__state"))

    station.asked = (0, 0, 0, 0, 1 << 40, 0)       # none at random
    while station.get("state") != FileState.READY:
        assert asked() == LookState.GONE
    assert len(station.image.read_from) > reads
    record_mode(station, stop=2000, mode=RecordingMode.RING)
    assert asked() == LookState.GONE

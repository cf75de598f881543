"""Rings that become files, with TRIM ahead of them: on the whole core, with a drive whose trimmed sectors read
zeros, and with the power failing at any moment."""

import random

import pytest
from integration.files_modes import check_verified, record_mode, triggered
from integration.files_station import CACHES, Station, moments, recorded_next
from integration.files_updates import known_at
from sata_drive_model import Fault
from short import short

from sata_recorder.interface.file import FileError
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.interface.trim import TrimState
from sata_recorder.pc.volume import Drive, prepare, verify

pytestmark = pytest.mark.wide

RING = RecordingMode.RING
DRIVE = {"completion_latency": 40, "activate_latency": 20}
CORE = {"trim_ahead": True}
#: (sectors of the slot, trim_ahead, words, how probable it is that a clock offers a word)
RUNS = {
    "laps": (24, 3, 9000, 1.0),
    "most": (24, 99, 9000, 1.0),        # no more than a quarter of the ring counts
    "first lap": (80, 8, 9500, 0.3),    # TRIM gets over its end, or nearly, and the recording does not
    "short": (80, 4, 3000, 1.0),
}
EACH = pytest.mark.parametrize("kind", [*RUNS])


class TrimmedStation(Station):
    """It knows of each recording how far TRIM has taken its ring: ``trims``, and what was told in that clock."""

    def __init__(self, content, *, health=None, core=None, **options):
        super().__init__(content, modes=True, core=CORE | (core or {}), drive=DRIVE, health=health or {}, **options)
        self.told = []              # the oldest sector, in the clock of each TRIM
        discard = self.image.discard

        def noted(lba, count):
            self.told.append((lba, count, self.get("recording__oldest")))
            discard(lba, count)
        self.image.discard = noted


@pytest.fixture
def prepared(tmp_path_factory):
    """``prepared(sectors)``: the content of a prepared disk with two slots of ``sectors``; all they hold is FFh."""
    def prepared(sectors):
        path = tmp_path_factory.getbasetemp() / "trimmed.img"
        prepare(path, sectors=4096, recordings=2, align=4096, recording_bytes=512 * sectors, overwrite=True)
        content = bytearray(path.read_bytes())
        with Drive(path) as drive:
            for slot in drive.slots:
                content[512 * slot.lba:512 * (slot.lba + slot.sectors)] = b"\xff" * (512 * slot.sectors)
        return bytes(content)
    return prepared


def run_of(prepared, kind, *, interval=1, faults=(), **options):
    """(station, what was taken)"""
    sectors, ahead, words, offers = RUNS[kind]
    station = TrimmedStation(prepared(sectors), offers=offers, **options)
    station.port.inject(list(faults))
    assert station.find_slot()
    station.dut.set(user__trim_ahead=ahead)
    taken = record_mode(station, stop=words, interval=interval, mode=RING)
    # It is taken with the start of a recording.
    station.dut.set(user__trim_ahead=0)
    return station, taken


def check_read(drive, taken, *, words=0):
    """What is read was recorded, in its order, up to ``words`` at least; returns the recording."""
    recording = drive.find(1)
    assert [line for line in drive.problems if "cannot be read" not in line] == []
    one, = recording.segments
    begin = 4 * one.first_word
    assert drive.read(recording).tobytes() == taken.data[begin:begin + one.bytes]
    assert begin + one.bytes >= 4 * words
    return recording


def trimmed_to(station, lba, sectors):
    """The sector of the recording up to which TRIM has gone ahead, lap after lap."""
    reached = 0
    for _, first, count in station.image.trims:
        reached += (first - lba - reached) % sectors + count
    return reached


@pytest.mark.sample(10)
@EACH
@pytest.mark.parametrize("interval", [0, 1])
def test_what_trim_took_is_not_read(prepared, seen, kind, interval):
    """What is there is as much as TRIM leaves, and was recorded; no TRIM is outside of the slot."""
    sectors, _, words, _ = RUNS[kind]
    station, taken = run_of(prepared, kind, interval=interval)
    assert taken.error == FileError.NONE and bool(station.updates) == bool(interval)
    assert station.dut.get("trim_state") == TrimState.ON
    slot = seen(station.image.first).slots[0]
    assert station.image.trims and station.dut.get("trim_sectors") == sum(
        count for *_, count in station.image.trims)
    assert all(slot.lba <= lba and lba + count <= slot.lba + sectors for _, lba, count in station.image.trims)
    trims = len(station.image.trims)
    station.find_slot()
    drive = seen(station.image.content)
    recording = check_read(drive, taken, words=words)
    check_verified(drive)
    one, = recording.segments
    written = -(-len(taken.data) // 512)
    # All that TRIM has not taken is there. What is stopped gets none for the words that it has still.
    first = one.first_word // 128
    reached = trimmed_to(station, slot.lba, sectors)
    assert first == max(0, max(written, reached) - sectors)
    assert reached > written - 12
    # The next recording has none: nobody has asked for it.
    assert station.record(b"1234" * 100) == FileError.NONE and len(station.image.trims) == trims
    assert station.violations() == []


def test_trim_tells_before_it_takes(prepared):
    """In the clock of a TRIM the oldest sector of the ring is beyond all that it takes, in each operation of the
    recording; it never goes back."""
    station, _ = run_of(prepared, "laps")
    sectors = RUNS["laps"][0]
    slot_lba = min(lba for lba, *_ in station.told)
    latest = 0
    for lba, count, oldest in station.told:
        assert oldest >= latest
        latest = oldest
        # The sectors of the laps before that have these places are not among what is said to be there.
        places = {lba - slot_lba + n for n in range(count)}
        there = {sector % sectors for sector in range(oldest, oldest + sectors - count)}
        assert not places & there or oldest == 0, (lba, count, oldest)


@pytest.mark.sample(6)
@EACH
@pytest.mark.parametrize("count", [6, pytest.param(170, marks=pytest.mark.long)])
def test_power_cuts(prepared, tmp_path, kind, count):
    """With the cache kept, lost or half of it, and TRIM at once or with the cache: what the PC reads was recorded,
    and so it is after the stage has been there again. No sector of zeros is taken for data."""
    station, taken = run_of(prepared, kind)
    station.find_slot()
    rng, path, files, told = random.Random(count), tmp_path / "cut.img", 0, 0
    trims = [clock for clock, *_ in station.image.trims]
    clocks = [*moments(station, count, seed=count),
              *(clock + rng.randrange(-400, 4000) for clock, *_ in station.updates[1:count]),
              *(rng.choice(trims) + rng.randrange(-20, 200) for _ in range(count))]
    for n, clock in enumerate(clocks):
        clock = min(clock, station.clocks - 1)
        content = station.image.cut(clock, CACHES[n % 3], rng)
        if n % 2:
            # A drive may forget at once what it is to forget, and write later what it is to write.
            for when, lba, sectors in station.image.trims:
                if when <= clock and not any(one > when and start is not None and start < lba + sectors
                                             and lba < start + len(data) // 512
                                             for one, start, data in station.image.log if one <= clock):
                    content[512 * lba:512 * (lba + sectors)] = bytes(512 * sectors)
        words, _ = known_at(station, clock)
        path.write_bytes(content)
        with Drive(path) as drive:
            is_file = any(one.is_file for one in drive.recordings)
            assert is_file or not words
            told += bool(words)
            if is_file:
                check_read(drive, taken, words=words)
                files += 1
        if recorded_next(path, content, modes=n % 2 == 0) == 2:
            with Drive(path) as drive:
                check_read(drive, taken, words=words)
    # Fewer are after the first update of the shortest recording.
    assert files >= told >= count // (4 if kind == "short" else 2)


@pytest.mark.parametrize("kind", short([*RUNS], ["laps"]))
def test_the_link_falls(prepared, seen, kind):
    """In a TRIM, between two, and while an update is written."""
    clean, _ = run_of(prepared, kind)
    rng, errors = random.Random(5), set()
    trims = [clock for clock, *_ in clean.image.trims]
    for clock in (trims[0] - 30, rng.choice(trims) - 30, rng.choice(trims) + 5, clean.updates[:2][-1][0] - 300,
                  clean.updates[-1][0] - 1200):
        station, taken = run_of(prepared, kind, faults=[Fault(kind="link_loss", clock=clock, clocks=50)])
        errors.add(taken.error)
        if station.get("bytes"):
            check_read(seen(station.image.content), taken)
        station.find_slot()
        assert station.record(b"abcd" * 50) == FileError.NONE
        assert verify(seen(station.image.content)).problems == []
    assert errors <= {FileError.NONE, FileError.CUT_SHORT, FileError.CUT_IN_DOUBT, FileError.IN_DOUBT}


def test_no_trim_but_in_a_ring(prepared, seen):
    """Nor where the drive has none."""
    station = TrimmedStation(prepared(200))
    assert station.find_slot()
    station.dut.set(user__trim_ahead=8)
    taken = record_mode(station, stop=8000, triggers=(5000,), interval=1, **triggered())
    assert taken.error == FileError.NONE and station.image.trims == []
    station.find_slot()
    assert station.record(b"abcd" * 900, interval=1) == FileError.NONE and station.image.trims == []
    station = TrimmedStation(prepared(24), health={"trim_blocks": 0})
    assert station.find_slot()
    station.dut.set(user__trim_ahead=8)
    taken = record_mode(station, stop=8000, mode=RING)
    assert taken.error == FileError.NONE and station.dut.get("trim_state") == TrimState.NOT_OFFERED
    station.find_slot()
    check_read(seen(station.image.content), taken, words=8000)

"""What the hardware reports of a recording (IN_DOUBT) the PC reports, too."""

import pytest
from integration.files_modes import record_mode, triggered
from integration.files_station import Station
from sata_drive_model import Fault

from sata_recorder.interface.file import FileError
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import prepare, verify

pytestmark = pytest.mark.wide

DRIVE = {"completion_latency": 40, "activate_latency": 20}


def blacked_out(tmp_path, clock, interval, core, **mode):
    """(station, what was taken) of a recording in which the drive, with what its cache had, loses its power."""
    path = tmp_path / "doubt.img"
    prepare(path, sectors=8192, recordings=3, align=4096, recording_bytes=512 * 200)
    station = Station(path.read_bytes(), modes=True, core=core, buffer_words=1024, drive=DRIVE, offers=0.4)
    image = station.image

    def power_off():
        medium = bytes(image.cut(station.clocks, "lost", station.rng))
        image.disk.write(0, medium)
        image.first = medium
        image.log.clear()
    image.power_off = power_off
    assert station.find_slot()
    station.port.inject([Fault(kind="blackout", clock=clock, clocks=300)])
    taken = record_mode(station, interval=interval, **mode)
    station.find_slot()
    return station, taken


@pytest.mark.parametrize("interval, clock", [(1, 12_000), (0, 20_000)])
def test_segments_in_doubt_are_told_on_the_pc(tmp_path, seen, interval, clock):
    """Of segments there is no CRC-32: nothing else would show what the drive's cache has lost. With an interval the
    journal of that operation is not kept either."""
    station, taken = blacked_out(tmp_path, clock, interval, {"retain_sectors": 4}, stop=26_000,
                                 triggers=(6000, 9300, 18_000), **triggered())
    assert taken.error == FileError.IN_DOUBT and bool(station.updates) == bool(interval)
    drive = seen(station.image.content)
    recording, wrong = drive.find(1), 0
    for one in recording.segments:
        begin = 4 * one.first_word
        wrong += drive.read(recording, segment=one.number).tobytes() != taken.data[begin:begin + one.bytes]
    assert wrong
    assert recording.doubts and verify(drive).notes


def test_what_was_passed_over_is_not_all_that_is_lost(tmp_path, seen):
    """SKIPPED takes the CRC-32 away; what the drive's cache has lost beside is more than what was passed over."""
    station, taken = blacked_out(tmp_path, 20_000, 0, {"on_failure": "skip", "retries": 1}, stop=128 * 150,
                                 mode=RecordingMode.UNTIL_STOPPED)
    assert taken.error == FileError.SKIPPED
    drive = seen(station.image.content)
    recording = drive.find(1)
    content = drive.memmap(recording).tobytes()
    wrong = [n for n in range(len(content) // 512) if content[512 * n:512 * n + 512] !=
             taken.data[512 * n:512 * n + 512]]
    assert len(wrong) > recording.log.skipped
    assert any("cache" in text or "doubt" in text for text in recording.doubts), (len(wrong), recording.doubts)


def test_the_log_of_an_earlier_recording_that_tore_is_not_that_of_an_update(tmp_path, seen):
    """A free slot may have a torn log: an update in UNTIL_STOPPED writes none over it."""
    path = tmp_path / "torn.img"
    prepare(path, sectors=8192, recordings=3, align=4096, recording_bytes=512 * 200)
    core = {"on_failure": "skip", "retries": 1}
    slot = seen(path.read_bytes()).slots[0]
    station = Station(path.read_bytes(), modes=True, core=core, buffer_words=1024, offers=0.4)
    assert station.find_slot()
    record_mode(station, stop=128 * 150, mode=RecordingMode.RING)
    when, _, log = next(row for row in station.image.log if row[1] == slot.log_lba)
    content = station.image.cut(when - 1, "kept", station.rng)
    content[512 * slot.log_lba:512 * slot.log_lba + 512] = log[:512]
    station = Station(bytes(content), modes=True, core=core, buffer_words=1024, offers=0.4)
    assert station.find_slot()
    record_mode(station, stop=128 * 120, interval=1, seed=7, mode=RecordingMode.UNTIL_STOPPED)
    drive = seen(bytes(station.image.cut(station.updates[1][0], "kept", station.rng)))
    recording = drive.find(1)
    assert recording.order is None, "UNTIL_STOPPED is called a ring"

"""Recordings in a mode that are brought up to date while they run, and what must be there of them at
any moment."""

from integration.files_modes import record_mode, triggered
from integration.files_station import Station

from sata_recorder.recording import RecordingMode

__all__ = ["UPDATED", "check_update", "known_at", "updated_run"]

RING = RecordingMode.RING
DRIVE = {"completion_latency": 40, "activate_latency": 20}
#: Inputs of a recording, the words behind which it is stopped, its triggers, the sectors of its slot.
UPDATED = {
    "ring": ({"mode": RING}, 9000, (), 24),
    "unwrapped": ({"mode": RING}, 9000, (), 80),
    "segments": (triggered(), 26_000, (6000, 9300, 18_000), 200),
    "short": (triggered(words=1), 26_000, (6000, 9300, 18_000, 18_001), 200),
}


def updated_run(prepared, kind, *, faults=(), interval=1, **station_options):
    """(station, what was taken) of a recording that is brought up to date."""
    options, stop, triggers, sectors = UPDATED[kind]
    station = Station(prepared(sectors), modes=True, drive=DRIVE, **station_options)
    station.port.inject(list(faults))
    assert station.find_slot()
    taken = record_mode(station, stop=stop, triggers=triggers, interval=interval, **options)
    return station, taken


def check_update(drive, kind, taken, *, words=0, segments=0):
    """What is there was recorded, and so many words or segments are."""
    options, *_ = UPDATED[kind]
    recording = drive.find(1)
    assert [line for line in drive.problems if "cannot be read" not in line] == []
    last = 0
    for one in recording.segments:
        number = one.number if options["mode"] != RING else None
        begin = 4 * one.first_word
        assert drive.read(recording, segment=number).tobytes() == taken.data[
            begin:begin + one.bytes]
        last = begin + one.bytes
    if recording.log is None:
        # A ring between the first log and its file, or the next one: it has not wrapped.
        assert options["mode"] == RING
        data = drive.read(recording).tobytes()
        assert data == taken.data[:len(data)]
        last = len(data)
    if options["mode"] == RING:
        assert last >= 4 * words
        return
    assert recording.order.segments >= segments
    assert len(recording.segments) == min(recording.order.segments, 16)


def known_at(station, clock):
    """(words, segments) of the latest update before that clock."""
    return next(((words, segments) for when, words, segments in reversed(station.updates)
                 if when <= clock), (0, 0))

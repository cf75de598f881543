"""Recordings in a mode that are brought up to date while they run, and what must be there of them at
any moment."""

from dataclasses import dataclass

from integration.files_modes import record_mode, triggered
from integration.files_station import Station

from sata_recorder.interface.recording import RecordingMode

__all__ = ["UPDATED", "check_update", "known_at", "updated_run"]

RING = RecordingMode.RING
DRIVE = {"completion_latency": 40, "activate_latency": 20}


@dataclass(frozen=True)
class Updated:
    """``options``: inputs of a recording; ``stop``: the words after which it is stopped; its
    triggers; the sectors of its slot; how probable it is that a clock offers a word."""

    options: dict
    stop: int
    triggers: tuple
    sectors: int
    offers: float = 1.0


#: The source of the third one is so slow that the timer, not the quarters, tells when; the latest
#: update comes after three quarters of the slot, and tells what the next one may write over.
UPDATED = {
    "ring": Updated({"mode": RING}, 9000, (), 24),
    "unwrapped": Updated({"mode": RING}, 9000, (), 80),
    "slow": Updated({"mode": RING}, 9500, (), 80, offers=0.3),
    "segments": Updated(triggered(), 26_000, (6000, 9300, 18_000), 200),
    "short": Updated(triggered(words=1), 26_000, (6000, 9300, 18_000, 18_001), 200),
}


def updated_run(prepared, kind, *, faults=(), interval=1, **station_options):
    """(station, what was taken) of a recording that is brought up to date."""
    run = UPDATED[kind]
    station = Station(prepared(run.sectors), modes=True, drive=DRIVE, offers=run.offers,
                      **station_options)
    station.port.inject(list(faults))
    assert station.find_slot()
    taken = record_mode(station, stop=run.stop, triggers=run.triggers, interval=interval,
                        **run.options)
    return station, taken


def check_update(drive, kind, taken, *, words=0, segments=0):
    """What is there was recorded, and this many words or segments are."""
    mode = UPDATED[kind].options["mode"]
    recording = drive.find(1)
    assert [line for line in drive.problems if "cannot be read" not in line] == []
    last = 0
    for one in recording.segments:
        number = one.number if mode != RING else None
        begin = 4 * one.first_word
        assert drive.read(recording, segment=number).tobytes() == taken.data[
            begin:begin + one.bytes]
        last = begin + one.bytes
    if mode == RING:
        assert last >= 4 * words
        return
    assert recording.order.segments >= segments
    assert len(recording.segments) == min(recording.order.segments, 16)


def known_at(station, clock):
    """(words, segments) of the latest update before that clock."""
    return next(((words, segments) for when, words, segments in reversed(station.updates)
                 if when <= clock), (0, 0))

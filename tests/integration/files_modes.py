"""Recordings in a mode through the files stage, and whether the PC has them word for word."""

from dataclasses import dataclass

from integration.files_station import TIME
from unit.bricks.files.world import pattern

from sata_recorder.interface.file import FileError
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import verify

__all__ = ["RING_SECTORS", "Taken", "check_ring", "check_segments", "record_mode", "triggered"]

#: Of a slot in these tests.
RING_SECTORS = 16
_MOST = 400_000


@dataclass
class Taken:
    """What a recording has taken: the bytes of its words, and how many came before each trigger."""

    data: bytes
    hits: list
    error: FileError


def triggered(part=40, **options):
    """Inputs of a recording with triggers; its words after them are 700."""
    return {"mode": RecordingMode.TRIGGERED, "part": part, "chunk": 4, "words": 700} | options


def record_mode(station, *, stop=None, triggers=(), seed=0, last=False, most=_MOST, **mode):
    """A recording whose ``stop`` and ``triggers`` come when this many words have been taken; with
    ``last`` a word ends it in place of a stop."""
    before, done = station.taken, station.done
    data = pattern(4 * (stop if last else 1 << 17), seed)
    station.offer(data, last=last)
    waiting, hits, clocks = sorted(triggers), [], 0
    station.start(time=TIME, **mode)
    while station.done == done:
        taken = station.taken - before
        inputs = {}
        if waiting and taken >= waiting[0] and station.get("recording__state") == 2:
            hits.append((waiting.pop(0), taken))
            inputs["recording__trigger"] = 1
        elif stop is not None and not last and taken >= stop:
            inputs["stop"], stop = 1, None
        station.tick(**inputs)
        clocks += 1
        assert clocks < most, ("it does not end", station.get("state"))
    station.words.clear()
    return Taken(data[:4 * (station.taken - before)], [taken for _, taken in hits],
                 FileError(station.get("error")))


def check_ring(drive, number, taken, sectors, spare=0):
    """All that the slot has room for is there, from the oldest sector on, in order."""
    recording = drive.find(number)
    begun = -(-len(taken.data) // 512)
    first = max(0, begun - sectors)
    assert drive.read(recording).tobytes() == taken.data[512 * first:len(taken.data) - spare]
    one, = recording.segments
    assert one.first_word == 128 * first
    assert (one.entry.first, one.entry.end) == (0, len(taken.data) // 4)
    assert recording.order.words == len(taken.data) // 4
    assert (recording.log.crc32 is None) == (first > 0)
    check_verified(drive)


def check_verified(drive):
    result = verify(drive)
    assert (result.problems, result.notes) == ([], [])


def check_segments(drive, number, taken, *, part=40, words=700, extend=False):
    """Each segment is what was taken, from as far before its trigger as its part has room for."""
    recording = drive.find(number)
    written = -(-len(taken.data) // 512)
    firsts = [one.entry.first // 128 for one in recording.segments] + [written]
    for place, one in enumerate(recording.segments):
        begin = 4 * one.first_word
        assert drive.read(recording, segment=one.number).tobytes() == \
            taken.data[begin:begin + one.bytes]
        entry, first, end = one.entry, firsts[place], min(firsts[place + 1], written)
        if entry.end > entry.first:
            assert one.first_word == 128 * max(first, end - part)
            assert begin + one.bytes == 4 * entry.end
        if entry.is_triggered:
            assert entry.trigger in taken.hits
        if entry.is_complete and not extend:
            assert entry.end - max(entry.trigger, entry.first) >= words
            assert place or entry.end - entry.trigger == words
    last = recording.segments[-1].number
    rest = min(max(0, written - firsts[-2]), part)
    assert recording.bytes == 512 * (part * (last - 1) + rest)
    check_verified(drive)
    return recording

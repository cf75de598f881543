"""What a sidecar states about the order of a ring or of segments, and where a copy has what."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from ...facts.units import SECTOR_BYTES
from .order import RING, RecordedSegment
from .recording import Recording

__all__ = ["chosen", "offsets_of", "order_facts", "time_text"]


def time_text(time: datetime | None) -> str | None:
    """A ``datetime`` as ISO 8601 in UTC, None for none."""
    return None if time is None else time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def chosen(recording: Recording, segment: int | None = None) -> RecordedSegment | None:
    """The :class:`.order.RecordedSegment` that :meth:`.recording.Recording.part` gives: that with the number
    ``segment``, from 1, or the first one; None if that is the file."""
    for one in recording.segments:
        if one.number == segment or segment is None:
            return one
    return None


def offsets_of(extents: Iterable[Any], lba: int, sectors: int) -> list[Any]:
    """(offset, bytes) of each run of these sectors in a copy of ``extents``."""
    found, before = [], 0
    for extent in extents:
        first, end = max(lba, extent.lba), min(lba + sectors, extent.lba + extent.sectors)
        if first < end:
            found.append((SECTOR_BYTES * (before + first - extent.lba),
                          SECTOR_BYTES * (end - first)))
        before += extent.sectors
    return found


def order_facts(recording: Recording, segment: int | None, raw: bool) -> dict[str, Any]:
    """What the sidecar states about the order, a dictionary; empty for a recording without one.

    A copy in the order of the recording has ``segment``; one in the order of the places, ``raw``,
    has ``segments``, each with its ``pieces`` in the order of the recording.
    """
    order = recording.order
    if recording.order_is_unknown:
        return {"mode": None, "order": "places"}
    if order is None:
        return {}
    found = {"mode": order.name, "order": "places" if raw else "recorded", "words": order.words,
             "segment_count": order.segments, "ended": recording.log and recording.log.ended}
    if raw:
        segments = [_described(recording, one) | {"pieces": _pieces(recording, one)}
                    for one in recording.segments]
        return found | {"segments": segments}
    one = chosen(recording, segment)
    return found | {"first_word": one.first_word if one else None,
                    "segment": _described(recording, one) if one else None}


def _pieces(recording, one):
    """Where in the file a segment is."""
    found, left = [], one.bytes
    for extent in one.extents:
        for offset, size in offsets_of(recording.extents, extent.lba, extent.sectors):
            found.append({"offset": offset, "bytes": min(size, left)})
            left -= min(size, left)
    return found


def _described(recording, one):
    found = {"number": one.number, "bytes": one.bytes, "first_word": one.first_word,
             "overwritten_words": one.overwritten_words}
    entry = one.entry
    if entry is None:
        return found
    found |= {"end_word": entry.end, "trigger_word": None, "trigger_offset": None,
              "complete": entry.is_complete, "more_triggers": entry.more_triggers,
              "first_time": entry.first_time, "trigger_time": None,
              "waited_clocks": entry.waited,
              "first_wait_time": entry.gap_time if entry.has_waited else None,
              "started": time_text(_started(recording, entry))}
    if recording.order.mode == RING:
        del found["trigger_word"], found["trigger_offset"], found["trigger_time"], found["complete"]
        del found["more_triggers"]
    elif entry.is_triggered:
        found |= {"trigger_word": entry.trigger, "trigger_offset": one.trigger_offset,
                  "trigger_time": entry.trigger_time}
    return found


def _started(recording, entry):
    """When the first word of a segment came, by the clock of the core from that of the first
    segment on; the recording's own start is that of its first word."""
    log, first = recording.log, recording.segments[0]
    if recording.created is None or log.started is None or first.number != 1 or not log.clock_hz:
        return None
    clocks = entry.first_time - first.entry.first_time
    return recording.created + timedelta(seconds=clocks / log.clock_hz) if clocks >= 0 else None

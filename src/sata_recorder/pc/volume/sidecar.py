"""The sidecar of a recording: what is known about it besides its data, as JSON, or as SigMF metadata.

After a gap a new capture begins, whose ``core:global_index`` counts what was lost, too.
"""

import json
from typing import Any

from ... import __version__, outputs
from ...facts.units import WORD_BYTES
from .copying import Copied
from .order_sidecar import chosen, offsets_of, order_facts, time_text
from .recording import Recording
from .sigmf_global import EXTENSION, item_bytes, sigmf_global

__all__ = ["ALGORITHMS", "KINDS", "as_text", "parse_sidecar", "sidecar", "sigmf"]

#: Kinds of journal entries, as docs/recovery.md has them.
_GAP = 1
KINDS = {_GAP: "gap", 2: "skipped", 3: "in doubt", 4: "unflushed"}
#: Digests of the data, of which a sidecar has one.
ALGORITHMS = ("sha256", "sha512")


def sidecar(recording: Recording, copied: Copied, *, algorithm: str = "sha256", segment: int | None = None,
            raw: bool = False, health: Any = None) -> dict[str, Any]:
    """The sidecar of a :class:`.recording.Recording` that was copied with the result ``copied``
    (:class:`.copying.Copied`), a dictionary for JSON. None is unknown.

    It was copied in the order of the recording, a ``segment`` of it if that is a number, from 1, or with
    ``raw`` in the order of the places. ``health`` is what the drive of the log reported about itself, for JSON.
    Raises :exc:`.refused.Refused` for no such segment.
    """
    log = recording.log
    extents = recording.extents if raw else recording.part(segment)[0]
    is_file = extents == recording.extents
    found: dict[str, Any] = {
        "sata_recorder": __version__, "name": recording.name, "bytes": copied.bytes,
        algorithm: copied.digest, "crc32": f"{copied.crc32:08x}",
        "lba": recording.extents[0].lba if recording.extents else None, "slot": recording.slot,
        "started": time_text(recording.created), "clock_hz": None, "error": None,
        "lost_words": None, "skipped_sectors": None, "high_water": None, "drive": None, "health": health,
        "journal": None,
        "journal_is_complete": None, "crc32_matches": None,
        "damaged": [{"offset": offset, "bytes": size} for offset, size in copied.damaged],
    }
    if log is not None:
        found |= {
            "clock_hz": log.clock_hz or None, "error": log.error, "lost_words": log.lost_words,
            "skipped_sectors": log.passed_over[0],
            "high_water": log.high_water,
            "journal": [told for entry in log.journal for told in _entries(
                entry, extents, None if raw else chosen(recording, segment), copied.bytes)],
            "journal_is_complete": not log.journal_full,
        }
        if log.lines is not None:
            found["lines"] = log.lines.facts
        if log.serial is not None:
            found["drive"] = {"model": log.model, "serial": log.serial}
        if log.crc32 is not None and is_file:
            found["crc32_matches"] = log.crc32 == copied.crc32
    return found | order_facts(recording, segment, raw)


def _entries(entry, extents, segment, size):
    """An entry of the journal, once for each part of the copy that it is about, its place as bytes of the copy."""
    kind = KINDS.get(entry.kind, f"kind {entry.kind}")
    if entry.kind == _GAP:
        offset = WORD_BYTES * (entry.position - (segment.first_word if segment else 0))
        if 0 <= offset <= size:
            yield {"kind": kind, "offset": offset, "lost_bytes": WORD_BYTES * entry.length,
                   "clocks": entry.clocks}
        return
    for offset, count in offsets_of(extents, entry.position, entry.length):
        yield {"kind": kind, "cause": entry.cause, "bytes": count, "offset": offset}


def sigmf(found: dict[str, Any], *, datatype: str, sample_rate: float, dataset: str) -> dict[str, Any]:
    """SigMF metadata from a :func:`sidecar`, a dictionary; ``sample_rate`` is in Hz, ``dataset`` the name of the
    file.

    Raises ``ValueError`` for an unknown ``datatype``.
    """
    size = item_bytes(datatype)
    gaps = [entry for entry in found["journal"] or () if entry["kind"] == KINDS[_GAP]]
    captures, annotations = _captures(found, size)
    lost = 0
    for gap in gaps:
        start = gap["offset"] // size
        lost += gap["lost_bytes"]
        captures.append({"core:sample_start": start, "core:global_index":
                         captures[0].get("core:global_index", 0) + start + lost // size})
        annotations.append({"core:sample_start": start, "core:label": "gap",
                            "core:comment": f"{gap['lost_bytes']} bytes were lost here"})
    for entry in found["journal"] or ():
        if entry not in gaps:
            annotations.append({"core:sample_start": entry["offset"] // size,
                                "core:sample_count": entry["bytes"] // size,
                                "core:label": entry["kind"]})
    for entry in found["damaged"]:
        annotations.append({"core:sample_start": entry["offset"] // size,
                            "core:sample_count": -(-entry["bytes"] // size),
                            "core:label": "damaged", "core:comment": "could not be read: zeros"})
    told = sigmf_global(datatype=datatype, sample_rate=sample_rate, dataset=dataset, size=found["bytes"],
                        sha512=found.get("sha512"))
    if found["drive"]:
        told["core:hw"] = "{model} {serial}".format(**found["drive"])
    told[f"{EXTENSION}:recording"] = found
    return {"global": told, "captures": captures,
            "annotations": sorted(annotations, key=lambda one: one["core:sample_start"])}


def _captures(found, size):
    """The captures of a copy without gaps, and the annotations of its triggers."""
    if found.get("order") == "places":
        captures = []
        for one in found["segments"]:
            before = WORD_BYTES * one["first_word"]
            for piece in one["pieces"]:
                captures.append({"core:sample_start": piece["offset"] // size,
                                 "core:global_index": before // size})
                before += piece["bytes"]
        captures.sort(key=lambda one: one["core:sample_start"])
        if captures and captures[0]["core:sample_start"] == 0:
            return captures, []
        return [{"core:sample_start": 0}, *captures], []
    segment = found.get("segment") or {}
    first = {"core:sample_start": 0,
             "core:global_index": WORD_BYTES * segment.get("first_word", 0) // size}
    started = found["started"]
    if segment:
        # When a word came that was not the first one is unknown.
        started = None if segment["overwritten_words"] else segment.get("started")
    if started is not None:
        first["core:datetime"] = started
    trigger = segment.get("trigger_offset")
    if trigger is None:
        return [first], []
    return [first], [{"core:sample_start": trigger // size, "core:label": "trigger",
                      "core:comment": f"word {segment['trigger_word']} of the recording, at "
                                      f"clock {segment['trigger_time']} of the core"}]


def parse_sidecar(text: str | bytes) -> dict[str, Any]:
    """The :func:`sidecar` in the text of a file, JSON or SigMF. Raises ``ValueError``."""
    try:
        found = outputs.parse(text, json.loads)
        found = found.get("global", {}).get(f"{EXTENSION}:recording", found)
        numbers = found["slot"], found["bytes"], (found.get("segment") or {"number": 1})["number"]
        if all(isinstance(one, int) for one in numbers) and any(
                isinstance(found.get(name), str) for name in ALGORITHMS):
            return found
    except (ValueError, KeyError, AttributeError, TypeError):
        pass
    raise ValueError("is no sidecar of a recording")


def as_text(found: dict[str, Any]) -> str:
    """A sidecar as the text of its file."""
    return json.dumps(found, indent=2) + "\n"

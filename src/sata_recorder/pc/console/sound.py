"""Whether an answer is sound: noise on a serial line may have spoilt it."""

from typing import Any

from .answer import Answer
from .grammar import OPERATIONS, VERBS, number

__all__ = ["ACCOUNTS", "SpoiltAnswer", "sound_fields"]

#: Accounts of the ledger, as the console names them in `counters`.
ACCOUNTS = ("payload", "framing", "align", "phy_wait", "handshake", "device_hold", "host_hold",
            "activate_wait", "data_wait", "completion_wait", "command", "turnaround", "recovery",
            "flush")


class SpoiltAnswer(ValueError):
    """An answer whose lines are not those of the console; the text is one line."""


_SECTOR_BYTES = 512
_STATUS = ("generation", "capacity", "retries", "sectors_done", "words", "clocks")
_NUMBERS = {*_STATUS, *ACCOUNTS, "lba", "sectors", "mismatches", "skipped_sectors", "high_water",
            "held_cycles", "longest_stall", "commands", "bytes", "mb_per_s", "error_lba",
            "journal_entries", "drive_status", "drive_error", "overhead_min", "overhead_max",
            "turnaround_min", "turnaround_max", "size", "count", "align", "seed", "accesses",
            "latency_least", "latency_sum", "latency_most",
            "lane", "lanes", "lane_payload", "clock_hz", "buffer_words"}
_NEEDED = {
    "link": (*_STATUS, "link", "ready", "operation", "recovering"),
    "clocks": (*ACCOUNTS, "high_water", "held_cycles"),
    "model": ("serial", "firmware", "capacity"),
    "entries": ("entries",),
    "lane": ("lane", "lanes", "link", "ready", "member", "failed", "failed_first"),
    "record": ("words", "clocks"), "play": ("words", "clocks"), "file": ("bytes", "clocks"),
    "access": ("lba", "sectors", "size", "count", "way", "align", "seed", "sequential", "accesses", "words", "clocks",
               "latency_least", "latency_sum", "latency_most", "stopped"),
    "station": ("core", "clock_hz"),
}
#: What the answer to a whole line must have, too.
_MOVED, _FILED, _TASK = (("sectors_done", "words", "clocks", "stopped", "retries", "skipped_sectors"),
                         ("slot", "bytes", "clocks", "stopped"), ("drive_status", "drive_error", "clocks"))
_WHOLE = {
    "record": _MOVED, "play": (*_MOVED, "mismatches"), "ring-at": _MOVED, "segments-at": (*_MOVED, "segment_count"),
    "file": _FILED, "ring": _FILED, "segments": (*_FILED, "segment_count"), "access": ("retries",),
    "flush": ("clocks",), "command": _TASK, "trim": _TASK,
}
#: The first word of the answer to a request that begins no operation.
_FIRST = {"status": "link", "identify": "model", "counters": "clocks", "journal": "entries", "lane": "lane"}


def sound_fields(answer: Answer, line: str = "") -> dict[str, Any]:
    """The fields of an answer, to ``line`` if that is known. Raises :class:`SpoiltAnswer` if it is that of another
    line, if what is needed is missing or comes twice, or if a number is none."""
    verb = line.split()[0] if line.split() else ""
    if verb == "help":
        return {}
    if answer.lines or not answer.error:
        _check_first(answer, line, verb)
    try:
        fields = answer.fields()
    except (ValueError, KeyError, IndexError) as error:
        raise SpoiltAnswer(str(error)) from None
    for name, value in fields.items():
        if name in _NUMBERS and not isinstance(value, (int, float, type(None))):
            raise SpoiltAnswer(f"{name} is {value!r}")
    needed = *_NEEDED.get(answer.verb or "", ()), *(_WHOLE.get(verb, ()) if answer.lines else ())
    missing = [name for name in needed if name not in fields]
    if missing:
        raise SpoiltAnswer(f"{missing[0]} is missing")
    if answer.verb == "entries" and answer.lines[0] != f"entries {len(fields['entries'])}":
        raise SpoiltAnswer(f"{answer.lines[0]}, and {len(fields['entries'])} came")
    # Where the last line of an answer is spoilt, what comes next seems to belong to it.
    names = [text.partition(" ")[0] for text in answer.lines if " cause " not in text]
    if twice := next((name for n, name in enumerate(names) if name in names[:n]), None):
        raise SpoiltAnswer(f"{twice} comes twice")
    if ((data := answer.data()) or line == "identify raw" and not answer.error) and len(data) != _SECTOR_BYTES:
        raise SpoiltAnswer(f"{len(data)} bytes of {_SECTOR_BYTES}")
    return fields


def _check_first(answer, line, verb):
    """Whether the first line is that of an answer to ``line``."""
    words = answer.lines[0].split() if answer.lines else [""]
    wanted = [] if line == "identify raw" else [_FIRST[verb]] if verb in _FIRST else []
    if verb in OPERATIONS:
        numbers = () if verb == "command" else line.split()[1:1 + len(VERBS[verb].numbers)]
        wanted = [verb, *(str(number(word)) for word in numbers)]
    if words[:len(wanted)] != wanted:
        raise SpoiltAnswer(f"it begins with {' '.join(words)!r}")

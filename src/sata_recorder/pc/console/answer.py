"""The answer to a line."""

import re
from dataclasses import dataclass
from typing import Any

__all__ = ["Answer"]

_TEXTS = ("model", "serial", "firmware", "core")
_WORDS = {"yes": True, "no": False, "-": None}
_ROW = re.compile(r"([0-9a-f]{3}):((?: [0-9a-f]{2}){16})")
_ENTRY = re.compile(r"([a-z-]+) cause ([a-z-]+) lba ([0-9]+) sectors ([0-9]+)")
_BIN = re.compile(r"bin-([0-9]+) ([0-9]+)")
_MOVES = ("record", "play", "ring-at")
#: The names of the numbers of `segments-at`.
_PLACED = ("lba", "sectors", "part", "words_behind")
#: The names of the numbers of `access`.
_ACCESS = ("lba", "sectors", "size", "count")
#: Operations that make a file, and the names of their numbers.
_FILES = {"file": ("length",), "ring": (), "segments": ("part", "words_behind")}
#: Lines of the PHY's page that state more than one thing.
_RANGE = re.compile(r"(burst|gap)-clocks ([0-9]+|-) to ([0-9]+|-)")
_RECENT = re.compile(r"recent-errors ([0-9]+) of ([0-9]+)")


@dataclass(frozen=True)
class Answer:
    """``lines`` as they came, without the last one; ``error`` is the name in the last one, None for ok."""

    lines: tuple
    error: str | None

    @property
    def verb(self) -> str | None:
        """The first word, which distinguishes the answers of operations from those of `status`."""
        return self.lines[0].split()[0] if self.lines else None

    def data(self) -> bytes:
        """The bytes of a dump."""
        rows = (_ROW.fullmatch(line) for line in self.lines)
        return b"".join(bytes.fromhex(row[2]) for row in rows if row)

    def fields(self) -> dict[str, Any]:
        """What the lines contain, by name: numbers, truth values, texts; None for -; dicts of the
        journal's entries; a dict of the bins of a histogram that are not empty, by number.
        """
        found: dict[str, Any] = {}
        for line in self.lines:
            key, _, rest = line.partition(" ")
            if _ROW.fullmatch(line):
                continue
            if key in _MOVES and line == self.lines[0]:
                lba, sectors, pattern, *flush = rest.split()
                found |= {"operation": key, "lba": int(lba), "sectors": int(sectors),
                          "pattern": pattern}
                if key != "play":
                    found["flush"] = bool(flush)
            elif key == "segments-at" and line == self.lines[0]:
                *numbers, pattern = rest.removesuffix(" flush").split()
                found |= {"operation": key, **dict(zip(_PLACED, map(int, numbers))),
                          "pattern": pattern, "flush": rest.endswith(" flush")}
            elif line in ("flush", "command"):
                found["operation"] = key
            elif key == "trim" and line == self.lines[0]:
                lba, sectors = rest.split()
                found |= {"operation": key, "lba": int(lba), "sectors": int(sectors)}
            elif key == "access" and line == self.lines[0]:
                found |= {"operation": key, **dict(zip(_ACCESS, map(int, rest.split())))}
            elif key in _FILES and line == self.lines[0]:
                *numbers, pattern = rest.split()
                found |= {"operation": key, **dict(zip(_FILES[key], map(int, numbers))),
                          "pattern": pattern}
            elif key == "dump" and line == self.lines[0]:
                found |= {"operation": key, "lba": int(rest)}
            elif key == "histogram" and line == self.lines[0]:
                found |= {key: rest, "bins": {}}
            elif one := _BIN.fullmatch(line):
                found.setdefault("bins", {}).update(
                    {int(one[1]): int(one[2])} if int(one[2]) else {})
            elif key == "entries":
                found[key] = []
            elif entry := _ENTRY.fullmatch(line):
                kind, cause, lba, sectors = entry.groups()
                found["entries"].append({"kind": kind, "cause": cause, "lba": int(lba),
                                         "sectors": int(sectors)})
            elif extent := _RANGE.fullmatch(line):
                kind, shortest, longest = extent.groups()
                found |= {f"shortest_{kind}": _value(shortest), f"longest_{kind}": _value(longest)}
            elif recent := _RECENT.fullmatch(line):
                found |= {"recent_errors": int(recent[1]), "recent_dwords": int(recent[2])}
            elif key == "first-mismatch":
                index, _, expected, _, got = rest.split()
                found["first_mismatch"] = {"word": int(index), "expected": int(expected, 16),
                                           "got": int(got, 16)}
            else:
                found[key.replace("-", "_")] = rest if key in _TEXTS else _value(rest)
        data = self.data()
        return found | ({"data": data.hex()} if data else {})


def _value(text):
    if text in _WORDS:
        return _WORDS[text]
    for kind in int, float, lambda number: int(number, 16):
        try:
            return kind(text)
        except ValueError:
            pass
    return text

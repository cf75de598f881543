"""The lengths of the lines of a recording, as its log keeps them: runs of lines of equal length."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from ...facts.units import WORD_BYTES
from .exfat import Malformed

__all__ = ["LINES_OFFSET", "CopiedLine", "LineLengths"]

#: Where they are in the first sector of a log: lines, runs, and from `_RUNS_OFFSET` on each run.
LINES_OFFSET, _RUNS_OFFSET = 184, 256
_HEAD, _RUN = struct.Struct("<QI"), struct.Struct("<II")
_MOST_RUNS = 31


@dataclass(frozen=True)
class CopiedLine:
    """A line of a copy: its ``number`` in the recording, from 0 on; ``first_byte``, its place in the copy, and how many
    ``bytes`` of it are there; ``whole``: these are all."""

    number: int
    first_byte: int
    bytes: int
    whole: bool


@dataclass(frozen=True)
class LineLengths:
    """What is known about the lines of a recording: ``count``, how many have ended, and the lengths of the first ones,
    as ``runs``, (bytes of a line, lines). A line begins at a word."""

    count: int
    runs: tuple = ()

    @property
    def known(self) -> int:
        """Lines whose length is known."""
        return sum(lines for _, lines in self.runs)

    @property
    def are_known(self) -> bool:
        """Whether all lengths are known."""
        return self.known == self.count

    @property
    def end(self) -> int:
        """The byte of the recording after the last line whose length is known."""
        return sum(_place(size) * lines for size, lines in self.runs)

    @property
    def text(self) -> str:
        """For people: how many lines there are, and how much is known about their lengths."""
        if not self.are_known:
            return f"{self.count:,} lines, of which the first {self.known:,} have a length in the log"
        sizes = {size for size, _ in self.runs}
        if len(sizes) == 1:
            return f"{self.count:,} {'line' if self.count == 1 else 'lines'} of {sizes.pop():,} bytes"
        return f"{self.count:,} lines" + (f" of {len(sizes)} lengths" if sizes else "")

    def text_in(self, size: int) -> str:
        """The same for a file of ``size`` bytes, in the order of the recording: one that was cut short does not have
        all that were counted."""
        return self.text + ("" if self.are_in(size) else f"; its file has {self.whole_in(size):,} of them")

    def are_in(self, size: int) -> bool:
        """Whether the first ``size`` bytes of the recording have all lines whose length is known."""
        return self.whole_in(size) == self.known

    def whole_in(self, size: int) -> int:
        """Lines of known length that end in the first ``size`` bytes of the recording."""
        whole = place = 0
        for length, lines in self.runs:
            step = _place(length)
            # The last one needs no whole word.
            fit = min(lines, max(0, (size - place - length) // step + 1))
            whole, place = whole + fit, place + step * lines
            if fit < lines:
                break
        return whole

    @property
    def facts(self) -> dict[str, Any]:
        """The same for JSON."""
        return {"count": self.count, "known": self.known,
                "runs": [{"bytes": size, "lines": lines} for size, lines in self.runs]}

    def within(self, first: int, end: int) -> Iterator[CopiedLine]:
        """Each :class:`CopiedLine` of a copy of the bytes ``first`` to ``end`` of the recording, in part if it is
        not whole there. What follows the last line is a line that has not ended, if ``are_known``."""
        if first >= end:
            return
        number = place = 0
        for size, lines in self.runs:
            step = _place(size)
            skipped = min(lines, max(0, first - place) // step)
            for at in range(skipped, lines):
                begin = place + step * at
                if begin >= end:
                    return
                yield _line(number + at, begin, size, first, end)
            number, place = number + lines, place + step * lines
        if self.are_known and place < end:
            yield CopiedLine(self.count, max(place, first) - first, end - max(place, first), False)

    def pack(self) -> bytes:
        """What is in a log from :data:`LINES_OFFSET` on, as bytes. Raises ``ValueError`` for more runs than it has room
        for."""
        if len(self.runs) > _MOST_RUNS:
            raise ValueError(f"a log has at most {_MOST_RUNS} runs of lines, not {len(self.runs)}")
        return (_HEAD.pack(self.count, len(self.runs)).ljust(_RUNS_OFFSET - LINES_OFFSET, b"\0")
                + b"".join(_RUN.pack(*run) for run in self.runs))

    @classmethod
    def parse(cls, sector: bytes) -> Self:
        """Those in the first sector of a log. Raises :exc:`.exfat.Malformed`."""
        count, runs = _HEAD.unpack_from(sector, LINES_OFFSET)
        if runs > _MOST_RUNS:
            raise Malformed("has a log with impossible fields")
        found = cls(count, tuple(_RUN.unpack_from(sector, _RUNS_OFFSET + _RUN.size * run) for run in range(runs)))
        if found.known > count or not all(size and lines for size, lines in found.runs):
            raise Malformed("has a log with impossible fields")
        return found


def _place(size):
    """The bytes of the recording that a line of this ``size`` takes: whole words."""
    return -(-size // WORD_BYTES) * WORD_BYTES


def _line(number, begin, size, first, end):
    shown = max(begin, first)
    whole = begin >= first and begin + size <= end
    return CopiedLine(number, shown - first, max(0, min(begin + size, end) - shown), whole)

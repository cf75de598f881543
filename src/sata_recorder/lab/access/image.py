"""A disk each sector of which has a content of its own: reads return it, and writes must bring it."""

from typing import Any

from ...facts.units import SECTOR_BYTES, WORD_BYTES

__all__ = ["AccessImage"]


class AccessImage:
    """``sectors`` of a disk; the words of ``data`` are those from sector ``lba`` on, for ``span`` sectors, and are
    there from the beginning. Nothing is stored: what is written is compared with them.

    Members: ``written`` bytes so far; ``problems``, the first write that did not belong to its place, as a text.
    """

    def __init__(self, sectors: int, lba: int, span: int, data: Any) -> None:
        self.sectors = sectors
        self._first, self._end, self._data = SECTOR_BYTES * lba, SECTOR_BYTES * (lba + span), data
        self.written = 0
        self.problems: list[str] = []

    def content(self, offset: int, size: int) -> bytes:
        """The bytes that belong at byte ``offset`` of the disk, whole words within the span."""
        return self._data.read((offset - self._first) // WORD_BYTES, size // WORD_BYTES)

    def _within(self, offset, size):
        return self._first <= offset and offset + size <= self._end

    def read(self, offset: int, size: int) -> bytes:
        """As the drive asks for them; zeros outside the span."""
        return self.content(offset, size) if self._within(offset, size) else bytes(size)

    def write(self, offset: int, data: bytes) -> None:
        """As the drive gives them."""
        self.written += len(data)
        if self.problems:
            return
        place = f"{len(data)} bytes at byte {offset} of the drive"
        if not self._within(offset, len(data)):
            self.problems.append(f"{place} were written, which is outside the span")
        elif bytes(data) != self.content(offset, len(data)):
            self.problems.append(f"{place} were written that belong elsewhere")

    def flush(self, lba: int = 0, count: int | None = None) -> None:
        """There is no volatile cache."""

    def power_off(self) -> None:
        """What was written stays."""

"""The Device Statistics log, 04h (ACS-2 and later, A.5): what a drive reports about itself in the standard's own
units, whoever made it."""

import struct
from collections.abc import Iterable
from typing import Any

__all__ = ["LOG", "PAGES", "pages_of", "statistics_of"]

#: Its address.
LOG = 0x04
_PAGE = 512
#: Bits of a statistic: it is there, its value is valid.
_VALID = 0b11 << 62
#: (Page, offset) of a statistic: its name, and the bits of its value.
_STATISTICS = {
    (1, 16): ("hours", 32), (1, 24): ("written_sectors", 48), (1, 40): ("read_sectors", 48),
    (3, 32): ("reallocated", 32), (4, 8): ("uncorrectable", 32), (5, 8): ("celsius", 8),
    (6, 24): ("crc_errors", 32), (7, 8): ("used", 8),
}
#: The pages that have one.
PAGES = tuple(sorted({page for page, _ in _STATISTICS}))


def pages_of(listing: bytes) -> tuple[int, ...]:
    """Those of :data:`PAGES` that the drive has by page 0, ``listing``."""
    if not _is_page(listing, 0):
        return ()
    return tuple(page for page in PAGES if page in listing[9:9 + listing[8]])


def statistics_of(pages: dict[int, bytes]) -> dict[str, int]:
    """{name: value} of the statistics in ``pages``, 512 bytes by the number of the page. What the drive marks
    as absent, or as not valid, is left out, and so is what is no such page."""
    found = {}
    for (page, offset), (name, bits) in _STATISTICS.items():
        data = pages.get(page)
        if data is None or not _is_page(data, page):
            continue
        quad, = struct.unpack_from("<Q", data, offset)
        if quad & _VALID == _VALID:
            found[name] = quad & (1 << bits) - 1
    return told(found)


def told(found: dict[str, int]) -> dict[str, int]:
    """The statistics ``found``, with the sign of the temperature, and without a temperature of 0, which means none."""
    found = dict(found)
    if "celsius" in found:
        found["celsius"] -= (found["celsius"] & 0x80) << 1
        if not found["celsius"]:
            del found["celsius"]
    return found


def of_smartctl(rows: Iterable[Any]) -> dict[str, int]:
    """The same from what smartctl has read, (page, offset, value) of each that is there and valid."""
    found = {}
    for page, offset, value in rows:
        if (page, offset) in _STATISTICS:
            name, bits = _STATISTICS[page, offset]
            found[name] = value & (1 << bits) - 1
    return told(found)


def _is_page(data, number):
    """Whether ``data`` begins as the page ``number`` does: revision, then its number."""
    return len(data) == _PAGE and int.from_bytes(data[:2], "little") != 0 and data[2] == number

"""SMART data taken apart: the table of attributes as drives have it (SFF-8035i; ATA8-ACS leaves it to
the vendor)."""

import struct
from typing import NamedTuple

__all__ = ["Attribute", "BadPage", "NAMES", "attributes"]

_PAGE, _ROWS, _ROW = 512, 30, 12

#: Names of attributes, as most vendors use the numbers.
NAMES = {
    1: "raw read error rate", 3: "spin-up time", 4: "starts and stops",
    5: "reallocated sectors", 7: "seek error rate", 9: "power-on hours", 10: "spin retries",
    12: "power cycles", 170: "spare blocks", 171: "program failures", 172: "erase failures",
    173: "erase cycles", 174: "losses of power", 175: "program failures", 176: "erase failures",
    177: "wear leveling", 179: "used spare blocks", 180: "unused spare blocks",
    181: "program failures", 182: "erase failures", 183: "interface downshifts",
    184: "end-to-end errors", 187: "uncorrectable errors", 188: "command timeouts",
    190: "airflow temperature", 192: "losses of power", 193: "load cycles", 194: "temperature",
    195: "ECC recovered", 196: "reallocations", 197: "pending sectors",
    198: "offline uncorrectable", 199: "CRC errors of the line", 202: "life left",
    231: "life left", 232: "spare left", 233: "media wearout", 241: "sectors written",
    242: "sectors read", 246: "sectors written", 247: "host pages programmed",
    248: "other pages programmed", 249: "GiB written to flash",
}


class BadPage(ValueError):
    """SMART data that are none; the text says why."""


class Attribute(NamedTuple):
    """An attribute: its ``number``, ``name`` ("attribute N" if not known), the normalised ``value``
    now and the ``worst`` so far, the ``threshold`` (0: none), the ``raw`` value of 48 bits, and
    whether it foretells a failure, ``prefail``, rather than age."""

    number: int
    name: str
    value: int
    worst: int
    threshold: int
    raw: int
    prefail: bool

    @property
    def exceeded(self):
        """Whether the value is at its threshold or below: what the drive promised is over."""
        return self.threshold > 0 and self.value <= self.threshold


def attributes(data, thresholds=None):
    """The attributes of a page of SMART READ DATA by number; with the page of SMART READ
    THRESHOLDS, too, where the drive has one. Raises :class:`BadPage`."""
    limits = {number: row[1] for number, row in _rows("SMART READ THRESHOLDS", thresholds)} \
        if thresholds is not None else {}
    found = {}
    for number, row in _rows("SMART READ DATA", data):
        _, flags, value, worst = struct.unpack_from("<BHBB", row)
        found[number] = Attribute(number, NAMES.get(number, f"attribute {number}"), value, worst,
                                  limits.get(number, 0), int.from_bytes(row[5:11], "little"),
                                  bool(flags & 1))
    return found


def _rows(what, page):
    if len(page) != _PAGE:
        raise BadPage(f"{what}: {len(page)} bytes, it must be {_PAGE}")
    if sum(page) & 0xFF:
        raise BadPage(f"{what}: the sum of its bytes is {sum(page) & 0xFF:#04x}, it must be 0")
    for at in range(2, 2 + _ROWS * _ROW, _ROW):
        if page[at]:
            yield page[at], page[at:at + _ROW]

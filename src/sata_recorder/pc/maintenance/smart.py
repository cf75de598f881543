"""SMART data decoded: the table of attributes as drives have it (SFF-8035i; ATA8-ACS leaves it to
the vendor)."""

import struct
from typing import NamedTuple

from .known_drives import KnownDrive

__all__ = ["Attribute", "BadPage", "attributes", "fields_of", "name_of"]

_PAGE, _ROWS, _ROW = 512, 30, 12

class BadPage(ValueError):
    """What should be SMART data is none; the text states why."""


class Attribute(NamedTuple):
    """An attribute: its ``number``, ``name`` ("attribute N" if not known), the normalised ``value``
    now and the ``worst`` so far, the ``threshold`` (0: none), the ``raw`` value of 48 bits, and
    whether it predicts a failure, ``prefail``, rather than age. ``fields``: (name, count) of what the raw
    value holds, if the drive's family states that it is more than one count of 48 bits."""

    number: int
    name: str
    value: int
    worst: int
    threshold: int
    raw: int
    prefail: bool
    fields: tuple[tuple[str, int], ...] = ()

    @property
    def whole(self) -> int:
        """The count of 64 bits, of a family whose attributes are such counts."""
        return self.value | self.worst << 8 | self.raw << 16

    @property
    def texts(self) -> tuple[str, str, str]:
        """The normalised value, the worst and the raw value for people."""
        normalised = ("-", "-") if self.fields and not self.fields[0][0] else (str(self.value), str(self.worst))
        return *normalised, ", ".join(f"{name} {count:,}".strip() for name, count in self.fields) or f"{self.raw:,}"

    @property
    def exceeded(self) -> bool:
        """Whether the value is at its threshold or below: what the drive promised is over. A threshold of 0
        is never reached (SFF-8035i)."""
        return self.threshold > 0 and self.value <= self.threshold


def name_of(number: int, known: KnownDrive | None) -> str:
    """The name of an attribute of a drive that is ``known`` (None: to nobody)."""
    return known and known.named(number) or f"attribute {number}"


def attributes(data: bytes, thresholds: bytes | None = None, known: KnownDrive | None = None) -> dict[int, Attribute]:
    """The attributes of a page of SMART READ DATA by number; with the page of SMART READ
    THRESHOLDS, too, if the drive has one, and with their names if the drive is ``known``
    (:class:`.known_drives.KnownDrive`). Raises :class:`BadPage`."""
    limits = {number: row[1] for number, row in _rows("SMART READ THRESHOLDS", thresholds)} \
        if thresholds is not None else {}
    if known and known.raw64:
        limits = {}         # what is compared with them elsewhere is a part of a count here
    found = {}
    for number, row in _rows("SMART READ DATA", data):
        _, flags, value, worst = struct.unpack_from("<BHBB", row)
        found[number] = Attribute(number, name_of(number, known), value, worst,
                                  limits.get(number, 0), int.from_bytes(row[5:11], "little"),
                                  bool(flags & 1))
        found[number] = found[number]._replace(fields=fields_of(found[number], known))
    return found


def fields_of(one: Attribute, known: KnownDrive | None) -> tuple[tuple[str, int], ...]:
    """What an attribute's raw value holds, of a drive that is ``known`` (None: to nobody), see :class:`Attribute`."""
    row = known.rows.get(one.number) if known else None
    if row and row.parts:
        return tuple((part.name, part.counted(one.raw)) for part in row.parts)
    return (("", one.whole),) if known and known.raw64 else ()


def _rows(what, page):
    if len(page) != _PAGE:
        raise BadPage(f"{what}: {len(page)} bytes, it must be {_PAGE}")
    if sum(page) & 0xFF:
        raise BadPage(f"{what}: the sum of its bytes is {sum(page) & 0xFF:#04x}, it must be 0")
    for at in range(2, 2 + _ROWS * _ROW, _ROW):
        if page[at]:
            yield page[at], page[at:at + _ROW]

"""What the attributes of a drive mean, if its model is known: smartctl's drive database, or
attributes.toml."""

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any, Self

from .smartctl_program import NotAnswered, find_smartctl, run_smartctl

__all__ = ["KnownDrive", "AttributeMeaning", "drive_family", "known_drive", "simulated_drive", "spelt"]

#: Seconds that smartctl is given; it reads a file, not a drive.
_PATIENCE = 5
_SOURCE = "smartctl's drive database"
_ROW = re.compile(r"(?:ATTRIBUTE OPTIONS:)?\s+(\d{3}) (\S+)")


@dataclass(frozen=True)
class AttributeMeaning:
    """What an attribute is: its ``name``, the ``quantity`` that it reports (None: none of those that are asked
    for), the ``figure`` of it that does, the ``unit`` in which that counts, and the first and the last of the
    ``bytes`` of the raw value that count it, None: all. ``parts``: the same for each figure that the raw value holds,
    if it holds several."""

    name: str
    quantity: str | None = None
    figure: str = "raw"
    unit: int = 1
    bytes: tuple[int, int] | None = None
    parts: tuple["AttributeMeaning", ...] = ()

    def counted(self, raw: int) -> int:
        """What its bytes of the raw value count."""
        first, last = self.bytes or (0, 7)
        return raw >> 8 * first & (1 << 8 * (last - first + 1)) - 1

    @classmethod
    def of(cls, row: dict[str, Any]) -> Self:
        """From a row of the file."""
        found = {key: row[key] for key in ("name", "quantity", "figure", "unit") if key in row}
        return cls(**found, bytes=tuple(row["bytes"]) if "bytes" in row else None,
                   parts=tuple(cls.of(part) for part in row.get("parts", ())))


@dataclass(frozen=True)
class KnownDrive:
    """``rows``: an :class:`AttributeMeaning` by the number of an attribute; ``family`` of drives, and the ``source`` of
    that. ``raw64``: each attribute is one count of 64 bits."""

    family: str
    source: str
    rows: dict
    raw64: bool = False

    def named(self, number: int) -> str | None:
        """The name of an attribute; None if it has none."""
        row = self.rows.get(number)
        return row and row.name


def known_drive(model: str, firmware: str, *, is_disk: bool) -> KnownDrive | None:
    """The :class:`KnownDrive` of a model and its firmware; None for an unknown one; ``is_disk``: the drive
    rotates."""
    model, firmware = spelt(model), spelt(firmware)
    if not model:
        return None
    if (family := _family("models", model)) is not None:
        return family
    program = find_smartctl()
    found = _asked(program, model, firmware) if program else None
    return None if found is None else of_names(*found, is_disk=is_disk)


def simulated_drive() -> KnownDrive:
    """The :class:`KnownDrive` of the drive model, whatever model it claims to be."""
    return _family("name", "the drive model")


def drive_family(name: str) -> KnownDrive | None:
    """The :class:`KnownDrive` of a family by its name in attributes.toml; None if there is none."""
    return _family("name", name)


def of_names(family: str, names: dict[int, str], *, is_disk: bool) -> KnownDrive:
    """The :class:`KnownDrive` of smartctl's ``family``, whose entry gives its attributes these ``names`` by
    number; others have smartctl's own."""
    if (found := _family("smartctl", family)) is not None:
        return found
    defaults = drive_table()["defaults"]
    usual = {int(number): name for kind in ("any", "disk" if is_disk else "ssd")
             for number, name in defaults[kind].items() if int(number) not in names}
    rows = {number: _row(family, name) for number, name in (usual | names).items()}
    if not is_disk and family not in defaults["lba_families"]:
        rows |= {number: AttributeMeaning(usual[number]) for number in defaults["lbas"] if number in usual}
    if (hours := defaults["hours"]) in usual:
        rows[hours] = AttributeMeaning(usual[hours], "hours", bytes=(0, 2))
    return KnownDrive(family, _SOURCE, rows)


def spelt(text: str) -> str:
    """A drive's text as an argument, or as a part of one line."""
    return "".join(char if char.isprintable() else "?" for char in text).strip()


def _row(family, name):
    for meaning in drive_table()["meaning"]:
        if name in meaning["names"] and any(map(family.startswith, meaning.get("families", [""]))):
            return AttributeMeaning.of(meaning | {"name": name})
    return AttributeMeaning(name)


@functools.cache
def _asked(program, model, firmware):
    """smartctl's family of a model, and the names that its entry gives to attributes, by number."""
    try:
        text = run_smartctl(program, ("-P", "showall", model, firmware), _PATIENCE).decode("utf-8", "replace")
    except NotAnswered:
        return None
    # The first entry that fits is the one that smartctl takes.
    family = re.search(r"^MODEL FAMILY: *(.*\S) *$", text, re.MULTILINE)
    if family is None:
        return None
    names = {}
    for line in text[family.end() + 1:].splitlines():
        row = _ROW.match(line)
        if row:
            names[int(row[1])] = row[2]
        elif not line.startswith("ATTRIBUTE OPTIONS:"):
            break
    return family[1], names


def _family(key, value):
    """The family of attributes.toml with this member."""
    for family in drive_table()["family"]:
        found = family.get(key)
        if found == value or isinstance(found, list) and value in found:
            rows = {int(number): AttributeMeaning.of(row) for number, row in family["attributes"].items()}
            return KnownDrive(family["name"], family["source"], rows, raw64=family.get("raw64", False))
    return None


@functools.cache
def drive_table() -> dict[str, Any]:
    return tomllib.loads((resources.files(__package__) / "attributes.toml").read_text(encoding="utf-8"))

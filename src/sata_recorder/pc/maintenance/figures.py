"""Figures of a drive's health: first what the standard's Device Statistics report, then what its attributes report
if their meaning is known (:mod:`.known_drives`)."""

from typing import Any, NamedTuple

from .known_drives import KnownDrive

__all__ = ["Figure", "figures_of"]

_STANDARD = "the Device Statistics log"
#: The most bytes a second that a SATA link carries, and cycles that flash endures (SLC).
_LINK, _CYCLES = 600_000_000, 200_000
#: With this many bytes to the flash for each byte of the host, or more, a count is not of bytes.
_MOST_AMPLIFICATION = 1000
#: Per cent of use from which on the standard's figure does not grow.
_MOST_USED = 255
#: No drive reads so many bits that its error rate has a larger exponent.
_MOST_EXPONENT = 20
#: What together are the blocks that have failed since a drive was new.
_FAILED = ("program_failures", "erase_failures", "read_failures")


class Figure(NamedTuple):
    """A ``value``, whose word it is, ``source``, and whether it is a floor that the drive's counter has
    reached, ``at_least``."""

    value: float
    source: str
    at_least: bool = False


def figures_of(attributes: dict[int, Any], known: KnownDrive | None, statistics: dict[str, Any], *,
               sector_bytes: int = 512, capacity: int | None = None) -> dict[str, Figure]:
    """{quantity: :class:`Figure`} of ``attributes`` by number, of a drive that is ``known`` (None: to nobody),
    and of its Device Statistics. ``capacity`` in bytes, if it is known."""
    found = _of_attributes(attributes, known, sector_bytes) if known else {}
    for name, value in statistics.items():
        if name in ("written_sectors", "read_sectors"):
            name, value = name.replace("sectors", "bytes"), value * sector_bytes
        found[name] = Figure(value, _STANDARD, name == "used" and value == _MOST_USED)
    _drop_impossible(found, capacity)
    found |= {name: figure for name, figure in (
        ("worn", _worn(found)), ("amplification", _amplification(found)),
        ("bit_error_rate", _bit_error_rate(found)), ("bad_blocks", _bad_blocks(found))) if figure}
    return found


def _of_attributes(attributes, known, sector_bytes):
    found = {}
    # If a drive reports a quantity twice, the first one counts; of temperatures that of the drive, 194.
    for number in sorted(known.rows, key=lambda number: (number == 190, number)):
        if number not in attributes:
            continue
        for row in known.rows[number].parts or (known.rows[number],):
            if row.quantity is None or row.quantity in found:
                continue
            figure = _read(attributes[number], row, known.raw64, sector_bytes)
            if figure is not None:
                value, at_least = figure
                found[row.quantity] = Figure(value, f"attribute {number} by {known.source}, {known.family}", at_least)
    return found


def _read(one, row, raw64, sector_bytes):
    """The figure of an attribute, and whether it is a floor; None if it is no figure."""
    raw = row.counted(one.whole if raw64 else one.raw)
    match row.figure:
        case "sectors":
            return raw * sector_bytes, False
        case "celsius":
            # A byte with a sign; 0 is what drives without a sensor give.
            return (raw & 0xFF, False) if 0 < raw & 0xFF < 128 else None
        case "percent":
            # Most normalised values end at 1.
            return (one.value, one.value <= 1) if one.value <= 100 else None
        case "raw percent":
            return (raw, raw == 0) if raw <= 100 else None
        case "agreed percent":
            # Some drives leave the raw value at 0.
            return (one.value, one.value <= 1) if one.value <= 100 and raw in (one.value, 0) else None
        case "exponent":
            return (raw, False) if raw <= _MOST_EXPONENT else None
    return raw * row.unit, False


def _drop_impossible(found, capacity):
    """Drops counts that no drive can have reached: they count something else than their name states."""
    hours = found.get("hours")
    for name in ("written_bytes", "read_bytes"):
        if name in found and hours and found[name].value > 3600 * (hours.value + 1) * _LINK:
            del found[name]
    if capacity and "flash_bytes" in found and found["flash_bytes"].value > _CYCLES * capacity:
        del found["flash_bytes"]


def _worn(found):
    """Per cent of the life that is over."""
    if "used" in found:
        return found["used"]
    worn = found.get("left")
    if worn:
        worn = worn._replace(value=100 - worn.value)
    mean, rated = found.get("mean_erased"), found.get("rated_erased")
    if (worn is None or worn.at_least) and mean and rated and rated.value:
        cycles = mean._replace(value=round(100 * mean.value / rated.value))
        return cycles if worn is None or cycles.value >= worn.value else worn
    return worn


def _amplification(found):
    """Bytes to the flash for each of the host. Below 1 the two counts are not what they are called, or the
    drive compresses; no source states which."""
    flash, written = found.get("flash_bytes"), found.get("written_bytes")
    host, other = found.get("host_pages"), found.get("other_pages")
    if flash and written and written.value:
        value, source = flash.value / written.value, flash.source
    elif host and other and host.value:
        value, source = 1 + other.value / host.value, other.source
    else:
        return None
    return Figure(value, source) if 1 <= value <= _MOST_AMPLIFICATION else None


def _bit_error_rate(found):
    errors, read = found.get("error_bits"), found.get("read_bytes")
    if not errors or not read or not 0 <= errors.value <= 8 * read.value or not read.value:
        return None
    return errors._replace(value=errors.value / (8 * read.value))


def _bad_blocks(found):
    """Blocks that have failed, counted at once or by what failed."""
    if "bad_blocks" not in found and all(name in found for name in _FAILED):
        return found[_FAILED[0]]._replace(value=sum(found[name].value for name in _FAILED))
    return found.get("bad_blocks")

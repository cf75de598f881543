"""What a drive on the flash model reports through SMART, in the attributes of its family, as the PC reads them."""

from dataclasses import dataclass
from typing import Any

from sata_drive_model.flash import FlashDrive, Sample
from sata_drive_model.flash.errors import shown_exponent

from ...pc.maintenance import drive_family

_SECTOR = 512


@dataclass(frozen=True)
class SmartRow:
    """An attribute: its ``number``, ``name``, ``quantity`` and ``raw`` value (None: the model does not know it)."""

    number: int
    name: str
    quantity: str | None
    raw: int | None

    def as_data(self) -> dict[str, Any]:
        """The attribute as plain data."""
        return vars(self).copy()


def reported(drive: FlashDrive, sample: Sample) -> list[SmartRow]:
    """The attributes of the drive's family, with what the model knows of them; none for a drive of no known family."""
    family = None if drive.smart is None else drive_family(drive.smart)
    if family is None:
        return []
    quantities = _quantities(drive, sample)
    rows = []
    for number, row in sorted(family.rows.items()):
        rows.append(SmartRow(number, row.name, row.quantity, _raw(row.parts or (row,), quantities)))
    return rows


def _raw(parts, quantities):
    """The raw value that holds the figures of ``parts``; None if one of them is not known."""
    raw = 0
    for part in parts:
        value = quantities.get(part.quantity)
        if value is None:
            return None
        raw |= round(value / (_SECTOR if part.figure == "sectors" else part.unit)) << 8 * (part.bytes or (0,))[0]
    return raw


def _quantities(drive, sample):
    rated = drive.physical.rated_cycles
    return {
        "written_bytes": sample.host_bytes, "flash_bytes": sample.flash_bytes,
        "least_erased": sample.least, "mean_erased": sample.mean, "most_erased": sample.most, "rated_erased": rated,
        "left": max(0.0, 100 - 100 * sample.mean / rated) if rated else None,
        "spare": None if sample.spare_left is None else 100 * sample.spare_left,
        "reallocated": sample.bad_blocks, "bad_blocks": sample.bad_blocks, "hours": sample.seconds / 3600,
        "error_exponent": _exponent(sample.bit_errors.values()),
        "write_protected": None if sample.spare_left is None else sample.spare_left <= 0}


def _exponent(rates):
    """The exponent of the error rate, if all laws give the same one; otherwise None."""
    found = {shown_exponent(rate) for rate in rates if rate}
    return found.pop() if len(found) == 1 else None

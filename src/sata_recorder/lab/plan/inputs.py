"""Every figure that an answer rests on, with where it is from."""

from dataclasses import dataclass
from typing import Any

from ...facts.throughput import COMMAND_CLOCKS, FIS_CLOCKS
from ...facts.units import SECTOR_BYTES
from ...simulation import Profile
from .requirement import Requirement

#: Fields of a profile that the arithmetic reads, with their units.
_FIELDS = {"capacity_sectors": "sectors", "generation": "", "lba48": "", "scale": "",
           "initial_fill": "", "rated_writes_tb": "TB", "write.mb_per_s": "MB/s",
           "write.zones": "MB/s", "write.command_us": "us", "write.jitter_us": "us",
           "write.completion_us": "us", "write.access_us": "us", "write.buffer_bytes": "bytes",
           "write.cache.bytes": "bytes", "write.cache.minimum_bytes": "bytes",
           "write.cache.mb_per_s": "MB/s", "write.crowded.from_fill": "",
           "write.crowded.mb_per_s": "MB/s", "write.stalls": "", "write.dips": ""}


@dataclass(frozen=True)
class Input:
    """``origin`` is "published", "fitted", "estimate", "default" (not in the profile),
    "asked", or "simulated" (of this core); ``why`` states more."""

    name: str
    value: object
    unit: str
    origin: str
    why: str = ""


def inputs(requirement: Requirement, profile: Profile) -> list[Input]:
    """The :class:`Input` of all that decides the answer."""
    found = [Input("rate", requirement.rate / 1e6, "MB/s", "asked"),
             Input("bytes", requirement.bytes, "bytes", "asked"),
             Input("command_sectors", requirement.command_sectors, "sectors", "asked"),
             Input("fifo_bytes", requirement.fifo_bytes, "bytes", "asked"),
             Input("duty", requirement.duty, "", "asked")]
    for field, unit in _FIELDS.items():
        value, given = _value(profile, field)
        if value is None or value == ():
            continue
        if field == "rated_writes_tb" and requirement.rated_tb is not None:
            continue
        found.append(Input(field, _plain(value), unit, *_origin(profile, field, given)))
    if requirement.rated_tb is not None:
        found.append(Input("rated_writes_tb", requirement.rated_tb, "TB", "asked"))
    found += [Input("clocks a Data FIS", round(FIS_CLOCKS, 1), "clocks", "simulated",
                    "this core, a drive that answers after one dword; a PHY adds its delay"),
              Input("clocks between two commands", COMMAND_CLOCKS, "clocks", "simulated",
                    "this core"),
              Input("sector", SECTOR_BYTES, "bytes", "published", "ATA8-ACS")]
    return found


def _value(profile: Profile, field: str) -> tuple[Any, bool]:
    """The value under a dotted name, and whether the profile's file gives it."""
    part, given = profile, True
    for step in field.split("."):
        if part is None:
            return None, False
        given = given and step in part.model_fields_set
        part = dict(part)[step]
    return part, given


def _origin(profile: Profile, field: str, given: bool) -> tuple[str, str]:
    """Whether a figure is published, or what else it is; a list is what its parts are."""
    for origin, why in (("estimate", profile.estimates), ("fitted", profile.fitted)):
        if field in why:
            return origin, why[field]
    return ("published", "") if given else ("default", "not in the profile")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [part.model_dump(exclude_none=True) if hasattr(part, "model_dump") else list(part)
                for part in value]
    return value

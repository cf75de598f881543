"""Every figure that an answer rests on, and its origin."""

from dataclasses import dataclass
from typing import Any

from ...facts.throughput import COMMAND_CLOCKS, FIS_CLOCKS
from ...facts.units import SECTOR_BYTES
from ...simulation import Profile
from .life import rated_tb
from .requirement import Requirement

#: Fields of a profile that the arithmetic reads, with their units.
_FIELDS = {"capacity_sectors": "sectors", "generation": "", "lba48": "", "scale": "",
           "initial_fill": "", "rated_writes_tb": "TB", "warranty_years": "", "workload_tb_per_year": "TB",
           "write.mb_per_s": "MB/s",
           "write.zones": "MB/s", "write.command_us": "us", "write.jitter_us": "us",
           "write.completion_us": "us", "write.access_us": "us", "write.buffer_bytes": "bytes",
           "write.cache.bytes": "bytes", "write.cache.minimum_bytes": "bytes",
           "write.cache.mb_per_s": "MB/s", "write.crowded.from_fill": "",
           "write.crowded.mb_per_s": "MB/s", "write.dirty.mb_per_s": "MB/s",
           "write.measured_bytes": "bytes", "write.stalls": "", "write.dips": ""}


@dataclass(frozen=True)
class Input:
    """``origin`` is "published", "fitted", "estimate", "default" (not in the profile),
    "asked", "unknown" (the value is None), or "simulated" (of this core); ``why`` states more."""

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
             Input("fifo_bytes", requirement.fifo_bytes, "bytes", "asked") if requirement.memory is None else
             Input("memory", requirement.memory, "bytes", "asked"),
             Input("duty", requirement.duty, "", "asked")]
    found += [Input(name, value, unit, "asked") for name, value, unit in (
        ("width", requirement.width, "bits"),
        ("source_clock", requirement.source_hz and requirement.source_hz / 1e6, "MHz")) if value is not None]
    asked = {field: value for field, value in (
        ("rated_writes_tb", rated_tb(requirement, profile) if requirement.dwpd else requirement.rated_tb),
        ("warranty_years", requirement.warranty_years), ("initial_fill", requirement.fill)) if value is not None}
    for field, unit in _FIELDS.items():
        value, given = _value(profile, field)
        if field in profile.unknown:
            found.append(Input(field, None, unit, "unknown", profile.unknown[field]))
            best = _value(profile, field.replace("mb_per_s", "up_to_mb_per_s"))
            if field.endswith("mb_per_s") and best[0] is not None:
                up_to = field.replace("mb_per_s", "up_to_mb_per_s")
                found.append(Input(up_to, best[0], unit, *_origin(profile, up_to, True)))
        elif field not in asked and value is not None and value != ():
            found.append(Input(field, _plain(value), unit, *_origin(profile, field, given)))
    found += [Input(field, value, _FIELDS[field], "asked") for field, value in asked.items()]
    if requirement.written_tb:
        found.append(Input("written", requirement.written_tb, "TB", "asked"))
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
    """(origin, why) of a figure; a list has the origin of its parts."""
    for origin, why in (("estimate", profile.estimates), ("fitted", profile.fitted)):
        if field in why:
            return origin, why[field]
    return ("published", "") if given else ("default", "not in the profile")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [part.model_dump(exclude_none=True) if hasattr(part, "model_dump") else list(part)
                for part in value]
    return value

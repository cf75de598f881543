"""Which fields of the registers carry codes that have names, for the descriptions of the registers."""

from typing import Any

from ..interface import FILE, HEALTH, LOOK, PHY_STATUS, RECORDING, TEMPERATURE, TRIM, Group
from .description import (codes, file_codes, health_codes, look_codes, phy_codes, recording_codes, temperature_codes,
                          trim_codes)

__all__ = ["enumerations"]

#: Table of :mod:`.description` for (register, field), by the group that has it; None: each bank.
_TABLES: dict[Group | None, dict[tuple[str, str], str]] = {
    None: {("CONTROL", "OPERATION"): "operations", ("ERROR", "CODE"): "errors"},
    PHY_STATUS: {("PHY_STATE", "STATE"): "phy_states", ("PHY_STATE", "REACHED"): "phy_states",
                 ("PHY_STATE", "LAST_FALL"): "phy_falls", ("PHY_STATE", "BIST"): "phy_bist_states"},
    HEALTH: {("DRIVE_HEALTH", "VERDICT"): "drive_health"},
    TEMPERATURE: {("DRIVE_TEMPERATURE", "HEAT"): "drive_heat"},
    RECORDING: {("RECORDING_CONTROL", "MODE"): "recording_modes", ("RECORDING_STATE", "STATE"): "recording_states",
                ("RECORDING_STATE", "SEGMENT_STATE"): "segment_states"},
    TRIM: {("TRIM_STATE", "STATE"): "trim_states"},
    LOOK: {("LOOK_STATE", "STATE"): "look_states"},
    FILE: {("FILE_STATUS", "STATE"): "file_states", ("FILE_STATUS", "ERROR"): "file_errors",
           ("FILE_STATUS", "REFUSAL"): "file_errors", ("FILE_STATUS", "DRIVE_ERROR"): "errors"},
}


def enumerations(*groups: Group) -> dict[tuple[str, str], tuple[str, list[dict[str, Any]]]]:
    """(register, field) to the name of a table and the table itself (name, code, meaning), for the registers that a
    bank with these ``groups`` has."""
    known = (codes() | phy_codes() | health_codes() | temperature_codes() | recording_codes() | trim_codes()
             | look_codes() | file_codes())
    return {place: (name, known[name]) for group, places in _TABLES.items() if group is None or group in groups
            for place, name in places.items()}

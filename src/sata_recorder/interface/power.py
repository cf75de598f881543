"""The ports and registers of the stage that acts when power is about to fail."""

from functools import partial
from typing import Any

from .group import SUM, Group, PortRow, input_row, output_row, port_field
from .registers import Access, Register

__all__ = ["POWER", "POWER_LOST"]


def _output(name: str, width: int, meaning: str, **keywords: Any) -> PortRow:
    return output_row(f"power_{name}", width, meaning, **keywords)


_TABLE = (
    input_row("power_fail", 1, "power is about to fail: what runs is stopped and ended, STANDBY "
              "IMMEDIATE follows, and busy is high until that has ended and power_fail is low again"),
    _output("safe", 1, "STANDBY IMMEDIATE has succeeded, with which the drive has written its cache: "
            "power may go; stays until power_fail is low"),
    _output("failed", 1, "STANDBY IMMEDIATE has failed, or there was no drive: what is in the drive's "
            "cache may be lost; stays until power_fail is low, or the drive is ready again and is tried "
            "once more"),
    _output("error", 4, "how the operation of the user ended that power_fail stopped, see errors; 0 "
            "where none ran; stays until power_fail comes again"),
    _output("sectors", SUM, "sectors_done of that operation; 0 where none ran; stays until power_fail "
            "comes again", at=0x9C8, unit="sectors"),
)

_LOST = _output("lost", SUM, "words of that recording that were left in the memory, memory_lost; 0 where none ran; "
                "stays until power_fail comes again", at=0xAD0, unit="words")

_field = partial(port_field, _TABLE)

_BANK = (
    Register("POWER_CONTROL", 0x9C0, "power is about to fail, by a write; the pin is there, too", (
        _field("FAIL", 0, "power_fail", "as the pin power_fail, which counts as well",
               access=Access.RW),
    )),
    Register("POWER_STATUS", 0x9C4, "whether power may go", (
        _field("SAFE", 0, "power_safe"),
        _field("FAILED", 1, "power_failed"),
        _field("ERROR", 8, "power_error"),
    )),
)

POWER = Group("power", _TABLE, _BANK, exists=lambda configuration: configuration.power_fail)

#: With a memory, more comes of a recording than power lasts for.
POWER_LOST = Group("power_loss", (_LOST,), prefix="power_",
                   exists=lambda configuration: configuration.power_fail and bool(configuration.memory))

"""ATA commands as task files, by name (ATA8-ACS, command descriptions)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

__all__ = ["ERASES", "TASKS", "BadTask", "Task", "erases", "parsed", "task", "trim_extents"]

_LBA = 0x40         # the Device register of every command with an LBA
_SMART = 0xC24F00   # the LBA registers of every SMART command


class BadTask(ValueError):
    """A command that cannot be issued; the text states why."""


@dataclass(frozen=True)
class Task:
    """The registers of one command, and how its data come: ``data`` is "none", or 512 bytes by
    "pio" or by DMA, "in". Raises :class:`BadTask` for a value that does not fit its register."""

    command: int
    features: int = 0
    count: int = 0
    lba: int = 0
    device: int = _LBA
    data: str = "none"

    #: Bits of each register.
    WIDTHS = {"command": 8, "features": 16, "count": 16, "lba": 48, "device": 8}

    def __post_init__(self):
        for name, bits in self.WIDTHS.items():
            value = vars(self)[name]
            if not 0 <= value < 1 << bits:
                raise BadTask(f"{name} = {value:#x}: the register has {bits} bits")
        if self.data not in ("none", "pio", "in"):
            raise BadTask(f"data = {self.data}: must be none, pio or in")

    @property
    def line(self) -> str:
        """The request of the console recorder that issues it."""
        registers = (self.command | self.device << 8 | self.features << 16 | self.count << 32)
        return f"command {registers:#x} {self.lba:#x}" + (
            "" if self.data == "none" else f" {self.data}")

    @classmethod
    def of_line(cls, line: str) -> Self:
        """The task whose :attr:`line` it is; raises :class:`BadTask` for another request."""
        verb, *words = line.split()
        if verb != "command" or not 2 <= len(words) <= 3:
            raise BadTask(f"{line}: no request for a command")
        registers = _number(words[0])
        return cls(registers & 0xFF, registers >> 16 & 0xFFFF, registers >> 32, _number(words[1]),
                   registers >> 8 & 0xFF, words[2] if words[2:] else "none")


#: What can be requested by name. Another command is another row.
TASKS = {
    "smart-read-data": Task(0xB0, 0xD0, 1, _SMART, data="pio"),
    "smart-read-thresholds": Task(0xB0, 0xD1, 1, _SMART, data="pio"),
    "smart-enable": Task(0xB0, 0xD8, 0, _SMART),
    "smart-return-status": Task(0xB0, 0xDA, 0, _SMART),
    "read-log": Task(0x2F, 0, 1, data="pio"),           # lba: the address of the log
    "read-log-dma": Task(0x47, 0, 1, data="in"),
    "check-power-mode": Task(0xE5),
    "standby-immediate": Task(0xE0),
    "idle-immediate": Task(0xE1),
    "flush-cache": Task(0xE7),
    "enable-write-cache": Task(0xEF, 0x02),
    "disable-write-cache": Task(0xEF, 0x82),
    "set-apm": Task(0xEF, 0x05, 0xFE),                  # count: the level
    "disable-apm": Task(0xEF, 0x85),
    # ACS-2. Those that erase are begun; sanitize-status shows how far they are.
    "sanitize-status": Task(0xB4, 0x00),
    "sanitize-crypto": Task(0xB4, 0x11, 0, 0x43727970),
    "sanitize-block": Task(0xB4, 0x12, 0, 0x426B4572),
}

#: Commands after which the drive's data, or the drive itself, may be gone: code to name.
ERASES = {0x37: "SET MAX ADDRESS EXT", 0x45: "WRITE UNCORRECTABLE EXT", 0xB1: "DEVICE CONFIGURATION",
          0xF1: "SECURITY SET PASSWORD", 0xF9: "SET MAX ADDRESS",
          0x92: "DOWNLOAD MICROCODE", 0x93: "DOWNLOAD MICROCODE DMA", 0xB4: "SANITIZE DEVICE",
          0xC0: "CFA ERASE SECTORS", 0xF3: "SECURITY ERASE PREPARE", 0xF4: "SECURITY ERASE UNIT",
          # ACS-3 to ACS-5, ZAC
          0x44: "ZERO EXT", 0x78: "ACCESSIBLE MAX ADDRESS CONFIGURATION", 0x7C: "REMOVE ELEMENT AND TRUNCATE",
          0x7D: "RESTORE ELEMENTS AND REBUILD", 0x7E: "REMOVE ELEMENT AND MODIFY ZONES", 0x96: "MUTATE EXT",
          0x9F: "ZAC MANAGEMENT OUT", 0xB2: "SET SECTOR CONFIGURATION EXT"}
#: Features of SANITIZE DEVICE that only query how far it is.
_SANITIZE_STATUS = 0x00

_VALUE = re.compile(r"0x[0-9a-f]+|[0-9]+")


def task(name: str, **registers: Any) -> Task:
    """The command ``name`` of :data:`TASKS` with other ``registers``."""
    return replace(TASKS[name], **registers)


def parsed(words: Sequence[str]) -> Task:
    """The task of ``words``: a name of :data:`TASKS` or a command code, then REGISTER=VALUE.

    Raises :class:`BadTask`.
    """
    if not words:
        raise BadTask(f"a command is missing: a code, or one of {', '.join(TASKS)}")
    first, *rest = (word.lower() for word in words)
    if first in TASKS:
        found = TASKS[first]
    elif _VALUE.fullmatch(first):
        found = Task(_number(first))
    else:
        raise BadTask(f"{first}: no such command: a code, or one of {', '.join(TASKS)}")
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "data":
            found = replace(found, data=value)
        elif not equals or name not in Task.WIDTHS:
            raise BadTask(f"{word}: must be REGISTER=VALUE with "
                          f"{', '.join(Task.WIDTHS)}, or data=none, pio or in")
        elif not _VALUE.fullmatch(value):
            raise BadTask(f"{word}: {value or 'nothing'} is no number, decimal or hexadecimal "
                          "with 0x")
        else:
            found = replace(found, **{name: _number(value)})
    return found


def erases(line: str) -> str | None:
    """The name of the command that a ``command`` request of the console recorder issues, if it is one
    of :data:`ERASES`, else None."""
    verb, *words = line.lower().split()
    if verb != "command":
        return None
    registers = _number(words[0])
    if registers & 0xFF == 0xB4 and registers >> 16 & 0xFFFF == _SANITIZE_STATUS:
        return None
    return ERASES.get(registers & 0xFF)


def _number(text):
    return int(text, 16 if text.startswith("0x") else 10)


def trim_extents(lba: int, sectors: int, most: int) -> list[tuple[int, int]]:
    """The extent as (LBA, sectors) of at most ``most`` sectors each: one TRIM each."""
    return [(first, min(most, lba + sectors - first))
            for first in range(lba, lba + sectors, most)]

"""The registers as tables in Markdown.

    python -m sata_recorder.export.markdown docs/registers.md

rewrites what is between the markers of that page.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..interface import (ALIGNMENT, ARRAY, FILE, FRAME, GROUPS, HEALTH, HISTOGRAM, LOOK, MIRROR, PHY_STATUS, POWER,
                         RECORDING, REGISTERS, SECTOR, TASK, TEMPERATURE, TRIM)
from ..interface.registers import Field, Register
from .description import (array_codes, codes, file_codes, health_codes, histogram_codes, look_codes, phy_codes,
                          recording_codes, temperature_codes, trim_codes)

__all__ = ["BEGIN", "END", "tables"]

BEGIN, END = "<!-- registers:begin -->\n", "<!-- registers:end -->"


def tables() -> str:
    """The text between the markers: registers, operations, errors, entries of the ledger, the
    journal, logical sectors, COMMAND, the histograms, the physical sectors, the drive's health
    and temperature, the PHY, the modes of a recording, TRIM ahead of a ring, a readback, the files, the
    frames."""
    numbers = (codes() | histogram_codes() | health_codes() | temperature_codes() | phy_codes()
               | recording_codes() | file_codes() | trim_codes() | look_codes() | array_codes())
    header = "offset", "register", "bits", "field", "access", "unit", "meaning"

    def coded(name: str, table: str) -> str:
        return _table(("code", name, "meaning"),
                      ((one["code"], one["name"], one["meaning"]) for one in numbers[table]))

    return "\n".join([
        _table(header, _registers(REGISTERS)),
        "Operations:\n",
        coded("operation", "operations"),
        "Errors:\n",
        coded("error", "errors"),
        "The ledger; entries that are not listed are reserved:\n",
        _ledger(numbers["ledger"]),
        "The journal: 32 entries of 4 fields each, field f of entry e in JOURNAL[4e + f]:\n",
        _table(("f", "field", "meaning"),
               ((one["field"], one["name"], one["meaning"]) for one in numbers["journal"])),
        "Kinds of entries:\n",
        coded("kind", "marks"),
        "With `long_logical_sectors` there is a register for "
        "[logical sectors of 4096 bytes](sectors.md), too:\n",
        _table(header, _registers(SECTOR.registers)),
        "With `commands` there are the registers of [COMMAND](commands.md), too:\n",
        _table(header, _registers(TASK.registers)),
        "With `histograms` there are the registers of the [histograms](ledger.md#histograms), too:\n",
        _table(header, _registers(HISTOGRAM.registers)),
        "Histograms: bin b of histogram h is HISTOGRAM[32h + b]:\n",
        coded("histogram", "histograms"),
        "With `alignment` there are those of the [physical sectors](what-limits.md#physical-sectors), too:\n",
        _table(header, _registers(ALIGNMENT.registers)),
        "With `smart_commands` there are those of the [drive's health](commands.md#while-it-records), too:\n",
        _table(header, _registers(HEALTH.registers)),
        "What the drive reports about its health:\n",
        coded("verdict", "drive_health"),
        "With `smart_temperature` there is that of its [temperature](commands.md#how-hot-the-drive-is), too:\n",
        _table(header, _registers(TEMPERATURE.registers)),
        "How hot the drive reports that it is:\n",
        coded("heat", "drive_heat"),
        "With `--phy` there are the registers of the PHY, too; all counts saturate:\n",
        _table(header, _registers(PHY_STATUS.registers)),
        "States of the PHY:\n",
        coded("state", "phy_states"),
        "Why a try or a link ended:\n",
        coded("fall", "phy_falls"),
        "Results of the loop-back test:\n",
        coded("result", "phy_bist_states"),
        "With `--extents modes` there are the registers of the [modes](recording.md), too:\n",
        _table(header, _registers(RECORDING.registers)),
        "Modes:\n",
        coded("mode", "recording_modes"),
        "States of a recording:\n",
        coded("state", "recording_states"),
        "States of its segment:\n",
        coded("state", "segment_states"),
        "The table of segments: 16 entries of 8 fields each, field f of entry e in "
        "RECORDING_SEGMENT[8e + f]:\n",
        _table(("f", "field", "meaning"),
               ((one["field"], one["name"], one["meaning"]) for one in numbers["segments"])),
        "With `trim_ahead` there are those of [TRIM ahead of a ring](recording.md#trim-ahead-of-a-ring), "
        "too:\n",
        _table(header, _registers(TRIM.registers)),
        "Its states:\n",
        coded("state", "trim_states"),
        "With `look_sectors` there are those of "
        "[reading back while recording](recording.md#reading-back-while-recording), too:\n",
        _table(header, _registers(LOOK.registers)),
        "Its states:\n",
        coded("state", "look_states"),
        "With `files` there are the registers of the [files](files.md#in-hardware), too:\n",
        _table(header, _registers(FILE.registers)),
        "States of the files stage:\n",
        coded("state", "file_states"),
        "How a recording, or the search for a slot, ended:\n",
        coded("error", "file_errors"),
        "With `frames` there are the registers of the [frames](vita49.md#in-the-core), too:\n",
        _table(header, _registers(FRAME.registers)),
        "With `power_fail` there are the registers of what happens "
        "[when power fails](commands.md#when-power-fails), too:\n",
        _table(header, _registers(POWER.registers)),
        "With `drives` there are the registers of the [array](array.md), too:\n",
        _table(header, _registers(ARRAY.registers)),
        "What the drive of a lane is to the array:\n",
        coded("state", "array_members"),
        "While ARRAY_CONTROL.WHOLE is 1, the ledger has no extremes, and this entry, too:\n",
        _ledger(numbers["array_ledger"]),
        "With `array` = `raid1` there is this one, too:\n",
        _table(header, _registers(MIRROR.registers)),
        *(text for group in GROUPS if group.registers and group not in _TOLD for text in (
            f"With {', '.join(f'`{port}`' for port in group.ports)} there are these, too:\n",
            _table(header, _registers(group.registers)))),
    ])


#: The groups that have a sentence of their own above.
_TOLD = (SECTOR, TASK, HISTOGRAM, ALIGNMENT, HEALTH, TEMPERATURE, PHY_STATUS, RECORDING, TRIM, LOOK, FILE, FRAME,
         POWER, ARRAY, MIRROR)


_LEDGER = next(register for register in REGISTERS if register.name == "LEDGER")


def _registers(registers: Iterable[Register]) -> Iterator[tuple[str, ...]]:
    for register in registers:
        for word in register.words:
            offset, name = _hex(word.offset), word.name
            if register.count > 1:
                offset, name = f"{offset} + {register.stride}n", f"{name}[{register.count}]"
            if word.fields[0].name == "VALUE":
                field, = word.fields
                yield offset, name, _bits(field), "", field.access.value, field.unit, word.meaning
                continue
            yield offset, name, "", "", "", "", word.meaning
            for field in word.fields:
                yield ("", "", _bits(field), field.name, field.access.value, field.unit,
                       field.meaning)


def _hex(number: int) -> str:
    return f"0x{number:03X}"


def _bits(field: Field) -> str:
    high = field.low + field.width - 1
    return f"{high}:{field.low}" if field.width > 1 else f"{high}"


def _ledger(entries: Iterable[dict[str, Any]]) -> str:
    return _table(("n", "offset", "entry", "meaning"),
                  ((one["address"], _hex(_LEDGER.offset + _LEDGER.stride * one["address"]), one["name"].upper(),
                    one["meaning"]) for one in entries))


def _table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def _replace(path: Path) -> None:
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{path}: the markers registers:begin and registers:end are missing")
    path.write_text(before + begin + tables() + end + after)


if __name__ == "__main__":
    _replace(Path(sys.argv[1]))

"""The registers as a C header."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import __version__
from ..interface import (ARRAY, FILE, HEALTH, HISTOGRAM, LOOK, PHY_STATUS, RECORDING, TEMPERATURE, TRIM, Group,
                         registers_with)
from ..interface.registers import Access, Word
from .description import (array_codes, codes, file_codes, health_codes, histogram_codes, look_codes, phy_codes,
                          recording_codes, temperature_codes, trim_codes)
from .netlist import TOP

__all__ = ["header"]

_NAME = TOP.upper()

_BEGIN = f"""\
/* {TOP} {__version__}: the registers on AXI4-Lite.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Offsets are in bytes from the base address; every access is 32 bits wide.
 * Registers that are only read and have two words: read ..._LOW first, then its ..._HIGH, with no
 * ..._LOW of another one in between. Reading the low word keeps the high word that belongs to it.
 */
#ifndef {_NAME}_H
#define {_NAME}_H
"""

_WRITING = {Access.RO: "", Access.RW: "", Access.W1P: "write 1; reads 0: ",
            Access.W1C: "write 1 to clear: "}


def header(*groups: Group) -> str:
    """Text of the header: C and C++, on its own.

    ``SATA_RECORDER_<register>_OFFSET`` of each word, with an index where there are several;
    ``..._<field>_MASK`` and ``..._<field>_SHIFT`` in it; ``..._ID_VALUE``; the enumerations
    ``sata_recorder_operation``, ``sata_recorder_error``, ``sata_recorder_ledger``,
    ``sata_recorder_journal`` and ``sata_recorder_mark``; the registers of these ``groups``, see
    :data:`..interface.GROUPS`, and their enumerations: of the histograms ``sata_recorder_histogram``; of
    the drive's health ``sata_recorder_drive_health`` and ``sata_recorder_drive_heat``; of the PHY
    ``sata_recorder_phy_state``, ``sata_recorder_phy_fall`` and ``sata_recorder_phy_bist``; of the modes
    of a recording ``sata_recorder_recording_mode``, ``sata_recorder_recording_state``,
    ``sata_recorder_segment_state`` and ``sata_recorder_segment``; of TRIM ahead of a ring
    ``sata_recorder_trim_state``; of a readback ``sata_recorder_look_state``; of the files
    ``sata_recorder_file_state`` and ``sata_recorder_file_error``; of an array ``sata_recorder_array_member`` and
    ``sata_recorder_array_ledger``.
    """
    tables = (codes() | histogram_codes() | health_codes() | temperature_codes() | phy_codes()
              | recording_codes() | file_codes() | trim_codes() | look_codes() | array_codes())
    registers = registers_with(*groups)
    parts = [_BEGIN, *(_word(word) for register in registers for word in register.words)]
    for name, title, key, table in (
            ("operation", "CONTROL.OPERATION", "code", tables["operations"]),
            ("error", "ERROR.CODE", "code", tables["errors"]),
            ("ledger", "Index of the ledger", "address", tables["ledger"]),
            ("journal", "Field of an entry of the journal", "field", tables["journal"]),
            ("mark", "Kind of an entry of the journal", "code", tables["marks"]),
            *((("histogram", "Number of a histogram", "code", tables["histograms"]),)
              if HISTOGRAM in groups else ()),
            *((("drive_health", "DRIVE_HEALTH.VERDICT", "code", tables["drive_health"]),)
              if HEALTH in groups else ()),
            *((("drive_heat", "DRIVE_TEMPERATURE.HEAT", "code", tables["drive_heat"]),)
              if TEMPERATURE in groups else ()),
            *((("phy_state", "PHY_STATE.STATE", "code", tables["phy_states"]),
               ("phy_fall", "PHY_STATE.LAST_FALL", "code", tables["phy_falls"]),
               ("phy_bist", "PHY_STATE.BIST", "code", tables["phy_bist_states"]))
              if PHY_STATUS in groups else ()),
            *((("recording_mode", "RECORDING_CONTROL.MODE", "code", tables["recording_modes"]),
               ("recording_state", "RECORDING_STATE.STATE", "code", tables["recording_states"]),
               ("segment_state", "RECORDING_STATE.SEGMENT_STATE", "code",
                tables["segment_states"]),
               ("segment", "Field of an entry of the table of segments", "field",
                tables["segments"])) if RECORDING in groups else ()),
            *((("trim_state", "TRIM_STATE.STATE", "code", tables["trim_states"]),)
              if TRIM in groups else ()),
            *((("look_state", "LOOK_STATE.STATE", "code", tables["look_states"]),)
              if LOOK in groups else ()),
            *((("file_state", "FILE_STATUS.STATE", "code", tables["file_states"]),
               ("file_error", "FILE_STATUS.ERROR", "code", tables["file_errors"]))
              if FILE in groups else ()),
            *((("array_member", "Three bits of ARRAY_MEMBERS", "code", tables["array_members"]),
               ("array_ledger", "Index of the ledger while ARRAY_CONTROL.WHOLE is 1, also", "address",
                tables["array_ledger"])) if ARRAY in groups else ())):
        parts.append(_enumeration(name, title, key, table))
    return "\n".join([*parts, f"#endif /* {_NAME}_H */\n"])


def _word(word: Word) -> str:
    name, register = f"{_NAME}_{word.name}", word.register
    offset = f"0x{word.offset:03x}u"
    if register.count > 1:
        lines = [f"#define {name}_OFFSET(index) ({offset} + {register.stride}u * (index))",
                 f"#define {name}_COUNT {register.count}u"]
    else:
        lines = [f"#define {name}_OFFSET {offset}"]
    for field in word.fields:
        if field.name != "VALUE":
            lines.append(f"/* {_WRITING[field.access]}{field.meaning} */")
        lines += [f"#define {name}_{field.name}_MASK 0x{field.mask:08x}u",
                  f"#define {name}_{field.name}_SHIFT {field.low}"]
        if field.value is not None:
            short = name if field.name == "VALUE" else f"{name}_{field.name}"
            lines.append(f"#define {short}_VALUE 0x{field.value:x}u")
    unit = f" [{word.fields[0].unit}]" if word.fields[0].unit else ""
    return f"/* {word.meaning}{unit} */\n" + "\n".join(lines) + "\n"


def _enumeration(name: str, title: str, key: str, table: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for index, one in enumerate(table):
        comma = "," if index < len(table) - 1 else ""       # C90 wants none at the end
        rows.append(f"    /* {one['meaning']} */\n"
                    f"    {_NAME}_{name.upper()}_{one['name'].upper()} = {one[key]}{comma}\n")
    return f"/* {title} */\nenum {TOP}_{name} {{\n{''.join(rows)}}};\n"

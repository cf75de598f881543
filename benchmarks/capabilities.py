"""What each capability that a configuration can leave out, or add, costs."""

import sys
from dataclasses import asdict

from sata_recorder.interface.configuration import Configuration
from sata_recorder.export.top import top
from sata_recorder_platforms import out_of_context

__all__ = ["HEADER", "measured", "rows", "without_parts"]

#: The smallest recorder that still records and plays every extent of a 48-bit drive.
SMALLEST = {"recovery": False, "journal": False, "ledger": False, "send_cont": False,
            "buffer_words": 128, "max_command_sectors": 256}

DEFAULT = "the default"
WITHOUT_PARTS = "the smallest: without all of these"

#: Name of a row, and the fields of the configuration that differ from the default.
VARIANTS = {
    DEFAULT: {},
    "without recovery": {"recovery": False},
    "without journal": {"journal": False},
    "without ledger": {"ledger": False},
    "without CONT": {"send_cont": False},
    "buffer of 128 words": {"buffer_words": 128},
    "commands of 256 sectors": {"max_command_sectors": 256},
    WITHOUT_PARTS: SMALLEST,
    "with registers (AXI4-Lite)": {"control": "axi-lite"},
    "with inputs for the pace": {"pacing": "programmable"},
    "with words kept for a replay": {"retain_sectors": 16, "max_command_sectors": 16},
    "that skips what fails": {"on_failure": "skip"},
    "that drops what a full buffer cannot take": {"on_overflow": "drop"},
    "with histograms": {"histograms": True},
    "with the drive's verdict": {"smart_commands": 64},
    "with its temperature, too": {"smart_commands": 64, "smart_temperature": True},
    "with TRIM ahead of a ring": {"extents": "modes", "trim_ahead": True},
    "with a look while it records": {"extents": "modes", "look_sectors": 16},
    "with write commands that are on the medium": {"fua": True},
    "with a count of misaligned commands": {"alignment": True},
    "with logical sectors of 4096 bytes": {"long_logical_sectors": True},
    "with any ATA command": {"commands": True},
    "with a queue of extents": {"extents": "queued"},
    "with modes of a recording": {"extents": "modes"},
    "with frames of VITA 49": {"frames": True},
}

HEADER = ("", "LUT4", "difference", "carry", "FF", "difference", "LUT RAM", "BRAM", "MHz min")


def measured(seeds, frequency):
    """Area and fmax of each seed in MHz of every variant, as plain data."""
    for name, fields in VARIANTS.items():
        print(f"capabilities: {name} ...", file=sys.stderr, flush=True)
        component, ports = top(Configuration(**fields))
        area, timings = out_of_context.measure(component, ports=ports, seeds=seeds,
                                               frequency=frequency)
        yield {"name": name, "configuration": fields, **asdict(area),
               "fmax": [one.fmax for one in timings]}


def rows(entries):
    """The rows of the table."""
    default = entries[0]
    for entry in entries:
        def difference(field):
            return f"{entry[field] - default[field]:+d}" if entry is not default else ""
        yield (entry["name"], entry["lut4"], difference("lut4"), entry["carry"], entry["ff"],
               difference("ff"), entry["lutram"], entry["bram"],
               f"{min(entry['fmax']):.0f}" if entry["fmax"] else "-")


def without_parts(entries):
    """One sentence: the smallest recorder."""
    small, = (entry for entry in entries if entry["name"] == WITHOUT_PARTS)
    return f"The smallest recorder has {small['lut4']} LUT4 and {small['bram']} BRAM."

"""What the core, its layers and its stages cost on an ECP5, each by itself, and which clock they reach."""

import statistics
from dataclasses import asdict

import placements
from rich.console import Console
from tables import Table, markdown

from sata_recorder.bricks.files import FileController
from sata_recorder.bricks.frames import VrlFramer
from sata_recorder.bricks.modes import RecordingController
from sata_recorder.core import SataRecorder
from sata_recorder.core.command import Command
from sata_recorder.core.ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, Ledger
from sata_recorder.core.link import Link
from sata_recorder.core.recorder import Recorder
from sata_recorder.core.sequencer import Sequencer
from sata_recorder.core.transport import Transport
from sata_recorder.export.top import top
from sata_recorder.interface import named_ports
from sata_recorder.interface.configuration import NAMED, Configuration
from sata_recorder_platforms import out_of_context

SEEDS = (1, 2, 3)
FREQUENCY = 150.0
CELLS = ("lut4", "carry", "ff", "lutram", "bram")
HEADER = ("", "LUT4", "carry", "FF", "LUT RAM", "BRAM")
OPTIONS = {"seeds": {"type": int, "choices": range(10), "help": "placements of each row: 0 for the area "
                     "only, which takes minutes; without this option it is as in docs/"},
           "path": {"action": "store_true", "help": "also show the slowest path of each row"}}
#: The smallest recorder that still records and plays every extent of a 48-bit drive.
SMALLEST = {"recovery": False, "journal": False, "ledger": False, "send_cont": False,
            "buffer_words": 128, "max_command_sectors": 256}
_PACKETS = {"frames": True, "frame_packets": True}
#: What any SATA host core has, whatever stands above it.
_HOST = ("link", "transport", "command")
_DEFAULT, _WITHOUT_PARTS = "the default", "the smallest: without all of these"


def measured(name, make, placed=True, *, seeds=None, path=False):
    """Area and, where it is ``placed``, fmax in MHz of each of the ``seeds``, as plain data. ``make()``
    gives a component, one and its ports, or the RTLIL of the module `component`."""
    seeds = (SEEDS if placed else ()) if seeds is None else range(1, seeds + 1)
    area, timings = placements.placed(placements.netlist(make()), seeds, FREQUENCY)
    if path and timings:
        slowest = min(timings, key=lambda one: one.fmax)
        told = "\n".join(f"  {time:5.2f} {signal}" for signal, time in slowest.path)
        Console().print(f"{name}: slowest path, ns and signal\n{told}", markup=False, highlight=False)
    return {"name": name, **asdict(area), "fmax": [one.fmax for one in timings],
            "seeds": [one.seed for one in timings]}


def cells(entry):
    """The name and the numbers of cells of a row."""
    return (entry["name"], *(entry[field] for field in CELLS))


def _title(entries):
    seeds = max((entry["seeds"] for entry in entries), key=len)
    return out_of_context.DEVICE + (f"; seeds {', '.join(map(str, seeds))}; {FREQUENCY:.0f} MHz required"
                                    if seeds else "")


def _block(entries, header, rows, note=""):
    return "\n".join(filter(None, [f"{_title(entries)}:\n\n{markdown(header, rows)}", note]))


def text(entries, note=""):
    """The block of a table: its area, and the clock where one of its rows is placed."""
    if not any(entry["fmax"] for entry in entries):
        return _block(entries, HEADER, map(cells, entries), note)
    clocks = [[f"{find(entry['fmax']):.0f}" for find in (min, statistics.median, max)] if entry["fmax"]
              else "---" for entry in entries]
    return _block(entries, (*HEADER, "MHz min", "median", "max"),
                  [(*cells(entry), *found) for entry, found in zip(entries, clocks)], note)


def _with_host(entries):
    """The block with one sentence: the layers that a complete SATA host has."""
    ours = [entry for entry in entries if entry["name"] in _HOST]
    if len(ours) < len(_HOST):
        return text(entries)
    total = {field: sum(entry[field] for entry in ours) for field in CELLS}
    clocks = [min(entry["fmax"]) for entry in ours if entry["fmax"]]
    return text(entries, f"Link, transport and command layer together: {total['lut4']} LUT4, "
                f"{total['carry']} carry pairs, {total['ff']} FF, {total['lutram']} distributed RAMs"
                + (f", each layer alone at {min(clocks):.0f} MHz or more." if clocks else "."))


def _with_differences(entries):
    """The block with what each row has more than the default, and one sentence: the smallest recorder."""
    names = {entry["name"]: entry for entry in entries}
    default, small = names.get(_DEFAULT), names.get(_WITHOUT_PARTS)

    def difference(entry, field):
        return f"{entry[field] - default[field]:+d}" if default not in (None, entry) else ""

    rows = [(entry["name"], entry["lut4"], difference(entry, "lut4"), entry["carry"], entry["ff"],
             difference(entry, "ff"), entry["lutram"], entry["bram"],
             f"{min(entry['fmax']):.0f}" if entry["fmax"] else "-") for entry in entries]
    return _block(entries, ("", "LUT4", "difference", "carry", "FF", "difference", "LUT RAM", "BRAM", "MHz min"),
                  rows, small and f"The smallest recorder has {small['lut4']} LUT4 and {small['bram']} BRAM.")


def whole(**fields):
    """The core with what stands round it, as the configuration with these ``fields`` asks for it."""
    return lambda: top(Configuration(**fields))


def named(name):
    """:func:`whole` of the configuration with this name."""
    return lambda: top(Configuration.from_toml(NAMED[name]))


def _core():
    core = SataRecorder(Configuration())
    return core, named_ports(core)


#: What makes every layer as `sata_recorder.core` builds it, and the core.
LAYERS = {
    "link": lambda: Link(send_cont=Configuration().send_cont), "transport": Transport, "command": Command,
    "sequencer": lambda: Sequencer(Configuration(), clear_clocks=CLEAR_CLOCKS, settle_clocks=SETTLE_CLOCKS),
    "ledger": Ledger,
    "recorder": lambda: Recorder(depth=Configuration().buffer_words,
                                 skips=Configuration().on_failure == "skip"),
    "core": _core}

TABLES = (
    Table("area.md", "area", tuple(LAYERS.items()), measured, _with_host, (), OPTIONS),
    Table("area.md", "capabilities", (
        (_DEFAULT, whole()),
        ("without recovery", whole(recovery=False)),
        ("without journal", whole(journal=False)),
        ("without ledger", whole(ledger=False)),
        ("without CONT", whole(send_cont=False)),
        ("buffer of 128 words", whole(buffer_words=128)),
        ("commands of 256 sectors", whole(max_command_sectors=256)),
        (_WITHOUT_PARTS, whole(**SMALLEST)),
        ("with registers (AXI4-Lite)", whole(control="axi-lite")),
        ("with inputs for the pace", whole(pacing="programmable")),
        ("with words kept for a replay", whole(retain_sectors=16, max_command_sectors=16)),
        ("that skips what fails", whole(on_failure="skip")),
        ("that drops what a full buffer cannot take", whole(on_overflow="drop")),
        ("with histograms", whole(histograms=True)),
        ("with the drive's verdict", whole(smart_commands=64)),
        ("with its temperature, too", whole(smart_commands=64, smart_temperature=True)),
        ("with TRIM ahead of a ring", whole(extents="modes", trim_ahead=True)),
        ("with reading back while recording", whole(extents="modes", look_sectors=16)),
        ("with write commands that are on the medium", whole(fua=True)),
        ("with a count of misaligned commands", whole(alignment=True)),
        ("with logical sectors of 4096 bytes", whole(long_logical_sectors=True)),
        ("with any ATA command", whole(commands=True)),
        ("with a queue of extents", whole(extents="queued")),
        ("with modes of a recording", whole(extents="modes")),
        ("with frames of VITA 49", whole(frames=True)),
        ("with a stream of 128 bits in a clock of its own, from a source that does not wait",
         whole(source_width=128, source_clock=True, source_waits=False)),
        ("with a playback of 128 bits in a clock of its own", whole(playback_width=128, playback_clock=True)),
        ("with a memory of 256 MiB at 64 bits, with FIFOs of 1024 words",
         whole(memory=256 << 20, buffer_words=1024)),
        ("with files", whole(files=True)),
        *((f"`{name}`", named(name)) for name in ("minimal", "recorder", "modes", "files", "everything")),
        ("2 drives, RAID 0", whole(drives=2)),
        ("4 drives, RAID 0, streams of 64 bits", whole(drives=4, array_width=64), False)),
        measured, _with_differences, (), OPTIONS),
    Table("files.md", "area", (
        ("the core, for comparison", _core, False),
        ("files", lambda: FileController(FREQUENCY * 1e6), False),
        ("files, for a core with modes", lambda: FileController(FREQUENCY * 1e6, modes=True), False),
        ("files that keep the lengths of lines", lambda: FileController(FREQUENCY * 1e6, lines=True), False)),
        measured, text, (), OPTIONS),
    Table("array.md", "area", (
        ("one drive", whole(), False),
        ("2 drives, RAID 0", whole(drives=2)),
        ("4 drives, RAID 0, streams of 64 bits", whole(drives=4, array_width=64), False),
        ("2 drives, linear", whole(drives=2, array="linear"), False),
        ("the same, which goes on when a drive fails",
         whole(drives=2, array="linear", on_failure="next", max_command_sectors=32), False),
        ("2 drives, RAID 1", whole(drives=2, array="raid1"), False)), measured, text, (), OPTIONS),
    Table("recording.md", "area", (
        ("the core, for comparison", whole(), False),
        ("the core with a queue", whole(extents="queued"), False),
        ("the modes stage", lambda: RecordingController(Configuration(extents="modes"))),
        ("the core with a queue, and the modes stage", whole(extents="modes")),
        ("the same with TRIM ahead of a ring", whole(extents="modes", trim_ahead=True), False),
        ("the same with a readback of 16 sectors", whole(extents="modes", look_sectors=16), False)),
        measured, text, (), OPTIONS),
    Table("source.md", "area", (
        ("the core, with s_axis of 32 bits in its clock", whole()),
        ("64 bits in the core's clock", whole(source_width=64)),
        ("32 bits in a clock of its own", whole(source_clock=True)),
        ("8 bits in a clock of its own", whole(source_width=8, source_clock=True)),
        ("64 bits in a clock of its own", whole(source_width=64, source_clock=True)),
        ("128 bits in a clock of its own, from a source that does not wait",
         whole(source_width=128, source_clock=True, source_waits=False)),
        ("the same with modes of a recording",
         whole(source_width=128, source_clock=True, source_waits=False, extents="modes"))),
        measured, text, (), OPTIONS),
    Table("source.md", "channels-area", (
        ("one stream, in packets of frames", whole(**_PACKETS), False),
        ("2 channels", whole(**_PACKETS, channels=2)),
        ("2 channels that do not wait", whole(**_PACKETS, channels=2, channel_waits=False)),
        ("16 channels", whole(**_PACKETS, channels=16), False)), measured, text, (), OPTIONS),
    Table("playback.md", "area", (
        ("the core, with m_axis of 32 bits in its clock", whole()),
        ("64 bits in the core's clock", whole(playback_width=64)),
        ("32 bits in a clock of its own", whole(playback_clock=True)),
        ("16 bits in a clock of its own, with a FIFO of 1024 words, half of them before a playback begins",
         whole(playback_width=16, playback_clock=True, playback_depth=1024, playback_fill=512)),
        ("128 bits in a clock of its own", whole(playback_width=128, playback_clock=True)),
        ("32 bits in clocks of their own, both ways", whole(playback_clock=True, source_clock=True))),
        measured, text, (), OPTIONS),
    Table("memory.md", "area", (
        ("the core, with a buffer of 4096 words in block RAM", whole()),
        ("a memory of 256 MiB at 64 bits, with FIFOs of 1024 words", whole(memory=256 << 20, buffer_words=1024)),
        ("at 128 bits, with FIFOs of 4096 words", whole(memory=256 << 20, memory_width=128)),
        ("the same, with words kept for a replay",
         whole(memory=256 << 20, memory_width=128, retain_sectors=65536))), measured, text, (), OPTIONS),
    Table("vita49.md", "area", (
        ("a source that waits", VrlFramer, False),
        ("one that does not", lambda: VrlFramer(waits=False), False),
        ("one that does not, frames of 1 sector", lambda: VrlFramer(waits=False, payload=114), False),
        ("packets of a source that waits", lambda: VrlFramer(packets=True), False),
        ("packets of one that does not", lambda: VrlFramer(waits=False, packets=True), False)),
        measured, text, (), OPTIONS),
)

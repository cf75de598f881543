"""The loop of commands run by firmware, measured: soft processors next to the published firmware."""

from dataclasses import dataclass, replace

from ...facts.ata import LBA28_SECTORS
from ...firmware import PROCESSORS, Controller, unavailable
from .parameters import changed
from .runs import Run, RunFigures

#: Clocks of the processors in Hz, the fastest first; the link's is 75 MHz.
_CLOCKS = (75e6, 25e6, 5e6)
#: By the bits of a command: how many commands, and their sectors. The overhead does not depend on the size.
_COMMANDS = {48: (4, 2048), 28: (16, 256)}
#: The processor whose figures are shown next to the published ones.
_PROCESSOR = "picorv32"
_LOOP = 65536


@dataclass(frozen=True)
class FirmwareLoop:
    """A run with a processor: of ``bits``-bit commands, or, if that is 0, of the loops of a table;
    ``row`` is the label of the table's row."""

    processor: str
    hz: float
    bits: int
    row: str


def plan(table, portion, profile):
    """The runs of a table with processors, by :class:`FirmwareLoop`; none if this machine has no
    processor to run, or for tables without firmware."""
    if unavailable() is not None:
        return {}
    if table.kind == "overhead":
        return {FirmwareLoop(processor, hz, bits, row.label): _overhead_run(
            table, profile, processor, hz, bits, row)
            for processor in PROCESSORS for hz in _CLOCKS for bits in _COMMANDS
            for row in table.rows}
    if table.name != "6-1":
        return {}
    loops = portion.loops(8)
    return {FirmwareLoop(_PROCESSOR, _CLOCKS[0], 0, row.label): Run(
        profile(row.profile), table.generation, row.operation, loops * _LOOP,
        expected=row.values[0], command_sectors=_LOOP,
        controller=Controller(_PROCESSOR, _CLOCKS[0]))
        for row in table.rows if row.circuit == "firmware"}


def _overhead_run(table, profile, processor, hz, bits, row):
    commands, size = _COMMANDS[bits]
    drive = profile(row.profile)
    if bits == 28:
        drive = changed(drive, {"lba48": False,
                                "capacity_sectors": min(drive.capacity_sectors, LBA28_SECTORS)})
    return Run(drive, table.generation, row.operation, commands * size, expected=100.0,
               command_sectors=size, controller=Controller(processor, hz))


def measured_cells(cells, runs, results):
    """``cells`` with what was measured: for 6-2 the overhead in us, for 6-1 MB/s."""
    figures = {(loop.row, loop.bits): RunFigures(results[run]) for loop, run in runs.items()
               if (loop.processor, loop.hz) == (_PROCESSOR, _CLOCKS[0])}

    def beside(cell):
        if (cell.row, 48) in figures and cell.column == "firmware":
            found = figures[cell.row, 48]
            return None if found.problems else found.overhead()
        if (cell.row, 0) in figures and cell.simulated is not None:
            found = figures[cell.row, 0]
            return None if found.problems else found.rate
        return None
    return [replace(cell, measured=beside(cell)) for cell in cells]


def result(runs, results):
    """The tables of the overheads as (title, header, rows), and the problems of the runs."""
    rows, problems = [], []
    for loop, run in runs.items():
        figures = RunFigures(results[run])
        problems += [f"{run}: {text}" for text in figures.problems]
        if figures.problems or not loop.bits:
            continue
        share = 100 * figures.overhead() / 1e6 / figures.period
        rows.append([f"{loop.processor} at {loop.hz / 1e6:g} MHz, {loop.bits}-bit, {loop.row}",
                     *(figures.overhead(part) for part in ("host", "drive", "protocol", "total")),
                     share])
    if not rows:
        return [], problems
    sizes = ", ".join(f"{commands} {bits}-bit commands of {size:,} sectors"
                      for bits, (commands, size) in _COMMANDS.items())
    title = ("The same drive with firmware on a soft processor, measured, in us; polling, an "
             f"operation for each command; {sizes}")
    return [(title, ["", "host", "drive", "protocol", "total", "of the time"], rows)], problems


def explained(table, runs, results):
    """Texts on which processor at which clock would have the published overheads."""
    if table.kind != "overhead":
        return []
    if not runs:
        return [f"not measured, {unavailable()}"]
    found = {loop: RunFigures(results[run]) for loop, run in runs.items()}
    if any(figures.problems for figures in found.values()):
        return []
    return [_explained(table, row, processor, found) for row in table.rows
            for processor in PROCESSORS]


def _explained(table, row, processor, found):
    published = table.value(row, "firmware")
    totals = {hz: found[FirmwareLoop(processor, hz, 48, row.label)].overhead() for hz in _CLOCKS}
    fastest = totals[_CLOCKS[0]]
    rest, ticks = line(totals)
    text = (f"{row.label}: {published:,g} us published; {processor} at {_CLOCKS[0] / 1e6:g} MHz "
            f"takes {fastest:,.1f} us, {abs(published - fastest):,.1f} us "
            f"{'less' if fastest < published else 'more'}")
    if rest >= published:
        return f"{text}; no clock explains it, {rest:,.1f} us stay at any"
    return (f"{text}; it would take a clock of {ticks / (published - rest):,.3g} MHz, which is "
            f"{ticks:,.0f} clocks a command")


def line(totals):
    """(us that remain at any clock, clocks of the processor per command): the straight line of
    overhead in us over the time of a clock through the two slowest of ``totals``, Hz to us."""
    slow, slower = sorted(totals)[1::-1]
    ticks = (totals[slower] - totals[slow]) / (1e6 / slower - 1e6 / slow)
    return totals[slow] - ticks * 1e6 / slow, ticks

"""What queued commands (NCQ) could gain at most, for each drive whose rate is known.

Between two commands of a recording no data move: core and protocol take some clocks, which are measured here against
a drive that answers at once, and the drive takes the times of its profile, from the command to the first data and
from the last data to its status. Of a drive whose profile has neither, its part is unknown, and so is the gain. NCQ
can hide no more than these pauses. So

    gain = pause / (bytes of a command / rate)

and the rate cannot exceed the ceiling of the link. The frames that NCQ adds (DMA Setup, Set Device Bits) are left out
in its favour.
"""

import textwrap

import click
from rich.console import Console
from rich.table import Table

from sata_recorder.facts.units import CEILINGS, DWORD_HZ, SECTOR_BYTES
from sata_recorder.lab.measurement import DriveOptions, TransferOptions, as_row, execute, make_job
from sata_recorder.simulation import load_profile, simulated_profile, timed_profile_names

#: Sectors of a command: a page of 4 KiB, as a file system writes; 1 MiB, the default of measure; the longest.
SIZES = 8, 2048, 65536
_COMMANDS = 4


def protocol_seconds():
    """Seconds between two write commands to a drive that takes no time, with the link at generation 2."""
    job = make_job(TransferOptions(operation="record", sectors=str(_COMMANDS * 2048)), DriveOptions(drive="ideal"))
    return float(as_row(execute(job))["total_overhead_mean"]) / DWORD_HZ[2]


def gains(profile, protocol):
    """(pause in seconds, the gain of each of :data:`SIZES`) of writing in order to an empty drive; None where the
    drive's own part of a pause is unknown."""
    write = profile.write
    if not write.command_us + write.completion_us and profile.name != "ideal":
        return None
    pause = protocol + 1e-6 * (write.command_us + write.completion_us)
    rate = min(CEILINGS[profile.generation], 1e6 * (profile.write_first or float("inf")))
    return pause, [pause * rate / (SECTOR_BYTES * size) for size in SIZES]


def main():
    protocol = protocol_seconds()
    table = Table(box=None, pad_edge=False, header_style="")
    table.add_column("drive", no_wrap=True)
    for column in ("pause us", *(f"{size:,} sectors" for size in SIZES)):
        table.add_column(column, justify="right", no_wrap=True)
    unknown = []
    for name in timed_profile_names():
        profile = simulated_profile(load_profile(name))
        if (found := gains(profile, protocol)) is None:
            unknown.append(name)
            continue
        pause, shares = found
        about = "~" if {"write.command_us", "write.completion_us"} & profile.estimates.keys() else ""
        table.add_row(name, f"{about}{1e6 * pause:.1f}", *(f"{100 * share:,.2f} %" for share in shares))
    Console(width=80, highlight=False).print(table)
    click.echo(f"pause: {1e6 * protocol:.2f} us of core and protocol, measured, and the drive's own; ~: an estimate")
    click.echo(textwrap.fill(f"the drive's own pause is unknown of {', '.join(unknown)}", 80))


if __name__ == "__main__":
    main()

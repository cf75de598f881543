"""Area and fmax of every layer and of the whole core on an ECP5, out of context."""

import argparse
import json
import statistics
import sys
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

import tables
from sata_recorder.config import Configuration
from sata_recorder.core import SataRecorder, ports
from sata_recorder_platforms import synthetic

SEEDS = (1, 2, 3)
FREQUENCY = 150.0

#: The smallest complete open SATA host core: link, transport and command layer, as published.
PEER = {"lut4": 2005, "ff": 371, "lutram": 152, "fmax": (117, 122)}

HEADER = ("layer", "LUT4", "carry", "FF", "distributed RAM", "block RAM",
          "fmax MHz, min", "median", "max")


def layers(configuration):
    """Every layer as the core builds it, and the core: name, component and its ports."""
    from sata_recorder.command import Command
    from sata_recorder.link import Link
    from sata_recorder.recorder import Recorder
    from sata_recorder.sequencer import Sequencer
    from sata_recorder.transport import Transport
    core = SataRecorder(configuration)
    return [
        ("link", Link(send_cont=configuration.send_cont), None),
        ("transport", Transport(), None),
        ("command", Command(), None),
        ("sequencer", Sequencer(configuration), None),
        ("recorder", Recorder(depth=configuration.buffer_words), None),
        ("whole core", core, ports(core)),
    ]


def measured(configuration):
    """One entry a layer, as plain data, with a line of progress on standard error."""
    entries = []
    for name, component, its_ports in layers(configuration):
        print(f"area: {name} ...", file=sys.stderr, flush=True)
        area, timings = synthetic.measure(component, ports=its_ports, seeds=SEEDS,
                                          frequency=FREQUENCY)
        entries.append({"name": name, **asdict(area), "fmax": [one.fmax for one in timings],
                        "seeds": list(SEEDS), "met": all(one.met for one in timings)})
    return entries


def rows(entries):
    """The table's text, a row an entry."""
    for entry in entries:
        fmax = sorted(entry["fmax"])
        yield (entry["name"], *(str(entry[field]) for field in (
            "lut4", "carry", "ff", "lutram", "bram")),
            *(f"{value:.0f}" for value in (fmax[0], statistics.median(fmax), fmax[-1])))


def comparison(entries):
    """One sentence: the three layers that a complete SATA host has, beside the published peer."""
    three = [entry for entry in entries if entry["name"] in ("link", "transport", "command")]
    total = {field: sum(entry[field] for entry in three) for field in ("lut4", "ff", "lutram")}
    slowest = min(min(entry["fmax"]) for entry in three)
    return (f"Link, transport and command layer together: {total['lut4']} LUT4, {total['ff']} FF, "
            f"{total['lutram']} distributed RAMs, each at {slowest:.0f} MHz or more. "
            f"The smallest complete open core, as published: {PEER['lut4']} LUT4, {PEER['ff']} FF, "
            f"{PEER['lutram']} distributed RAMs, {PEER['fmax'][0]} to {PEER['fmax'][1]} MHz.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", action="store_true", help="rewrite the table in docs/area.md")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    arguments = parser.parse_args()

    configuration = Configuration()
    entries = measured(configuration)
    title = f"{synthetic.DEVICE}, seeds {', '.join(map(str, SEEDS))}, {FREQUENCY:.0f} MHz asked for"
    table = Table(title=title)
    for column in HEADER:
        table.add_column(column, justify="left" if column == HEADER[0] else "right")
    for row in rows(entries):
        table.add_row(*row)
    console = Console()
    console.print(table)
    console.print(comparison(entries))
    for entry in entries:
        if not entry["met"]:
            console.print(f"{entry['name']}: {FREQUENCY:.0f} MHz missed")
    if arguments.markdown:
        tables.replace("area.md", "area", f"{title}:\n\n{tables.markdown(HEADER, rows(entries))}\n"
                                          f"{comparison(entries)}")
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "device": synthetic.DEVICE, "frequency": FREQUENCY, "layers": entries, "peer": PEER,
            "configuration": configuration.model_dump()}, indent=2) + "\n")


if __name__ == "__main__":
    main()

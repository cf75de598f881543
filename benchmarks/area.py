"""Area and fmax of every layer and of the whole core on an ECP5, out of context."""

import argparse
import json
import statistics
import sys
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

import capabilities
import tables
from sata_recorder.core.command import Command
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core import SataRecorder
from sata_recorder.interface import named_ports
from sata_recorder.core.ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, Ledger
from sata_recorder.core.link import Link
from sata_recorder.core.recorder import Recorder
from sata_recorder.core.sequencer import Sequencer
from sata_recorder.core.transport import Transport
from sata_recorder_platforms import out_of_context

SEEDS = (1, 2, 3)
FREQUENCY = 150.0

#: What any SATA host core has, whatever stands above it.
HOST_LAYERS = ("link", "transport", "command")

#: Every layer as `sata_recorder.core` builds it, and the core.
COMPONENTS = {
    "link": lambda configuration: Link(send_cont=configuration.send_cont),
    "transport": lambda configuration: Transport(),
    "command": lambda configuration: Command(),
    "sequencer": lambda configuration: Sequencer(
        configuration, clear_clocks=CLEAR_CLOCKS, settle_clocks=SETTLE_CLOCKS),
    "ledger": lambda configuration: Ledger(),
    "recorder": lambda configuration: Recorder(
        depth=configuration.buffer_words, skips=configuration.on_failure == "skip"),
    "core": SataRecorder,
}

HEADER = ("", "LUT4", "carry", "FF", "LUT RAM", "BRAM", "MHz min", "median", "max")
TITLE = (f"{out_of_context.DEVICE}; seeds {', '.join(map(str, SEEDS))}; "
         f"{FREQUENCY:.0f} MHz asked for")


def measured(name, configuration):
    """Area, fmax of each seed in MHz, and the slowest path of all seeds, as plain data."""
    print(f"area: {name} ...", file=sys.stderr, flush=True)
    component = COMPONENTS[name](configuration)
    area, timings = out_of_context.measure(
        component, ports=named_ports(component) if name == "core" else None,
        seeds=SEEDS, frequency=FREQUENCY)
    return {"name": name, **asdict(area), "fmax": [one.fmax for one in timings],
            "met": all(one.met for one in timings),
            "slowest_path": min(timings, key=lambda one: one.fmax).path}


def row(entry):
    """A row of the table."""
    fmax = sorted(entry["fmax"])
    return (entry["name"],
            *(str(entry[field]) for field in ("lut4", "carry", "ff", "lutram", "bram")),
            *(f"{value:.0f}" for value in (fmax[0], statistics.median(fmax), fmax[-1])))


def host_layers(entries):
    """One sentence: the layers that a complete SATA host has."""
    ours = [entry for entry in entries if entry["name"] in HOST_LAYERS]
    total = {field: sum(entry[field] for entry in ours)
             for field in ("lut4", "carry", "ff", "lutram")}
    slowest = min(min(entry["fmax"]) for entry in ours)
    return (f"Link, transport and command layer together: {total['lut4']} LUT4, "
            f"{total['carry']} carry pairs, {total['ff']} FF, {total['lutram']} distributed RAMs, "
            f"each layer alone at {slowest:.0f} MHz or more.")


def show(console, entries, paths):
    table = Table(title=TITLE)
    for column in HEADER:
        table.add_column(column, justify="right" if column else "left")
    for entry in entries:
        table.add_row(*row(entry))
    console.print(table)
    for entry in entries:
        if not entry["met"]:
            console.print(f"{entry['name']}: {FREQUENCY:.0f} MHz missed")
        if paths:
            console.print(f"{entry['name']}: slowest path, ns and signal")
            for signal, time in entry["slowest_path"]:
                console.print(f"  {time:5.2f} {signal}", markup=False, highlight=False)


def show_capabilities(arguments):
    """The core as configurations make it; the output that ``arguments`` ask for."""
    seeds = () if arguments.unplaced else SEEDS
    entries = [*capabilities.measured(seeds, FREQUENCY)]
    table = Table(title=out_of_context.DEVICE if arguments.unplaced else TITLE)
    for column in capabilities.HEADER:
        table.add_column(column, justify="right" if column else "left")
    for values in capabilities.rows(entries):
        table.add_row(*map(str, values))
    console = Console()
    console.print(table)
    console.print(capabilities.without_parts(entries))
    if arguments.markdown:
        text = tables.markdown(capabilities.HEADER, capabilities.rows(entries))
        tables.replace("area.md", "capabilities",
                       f"{table.title}:\n\n{text}\n{capabilities.without_parts(entries)}")
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "device": out_of_context.DEVICE, "frequency": FREQUENCY, "seeds": seeds,
            "capabilities": entries}, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("components", nargs="*", choices=[[], *COMPONENTS], metavar="COMPONENT",
                        help=f"some of {', '.join(COMPONENTS)}; all if none is named")
    parser.add_argument("--path", action="store_true", help="also show the slowest path of each")
    parser.add_argument("--capabilities", action="store_true",
                        help="instead: what each capability of the core costs")
    parser.add_argument("--unplaced", action="store_true",
                        help="with --capabilities: the area only, which takes minutes, not an hour")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--markdown", action="store_true",
                        help="also rewrite the table in docs/area.md and README.md; for all components only, "
                             "or with --capabilities")
    arguments = parser.parse_args()
    if arguments.markdown and arguments.components:
        parser.error("--markdown writes the whole table: name no components")
    if arguments.capabilities and (arguments.components or arguments.path):
        parser.error("--capabilities is about the whole core: no components, no --path")
    if arguments.unplaced and not arguments.capabilities:
        parser.error("--unplaced is an option of --capabilities")
    if arguments.capabilities:
        return show_capabilities(arguments)

    configuration = Configuration()
    entries = [measured(name, configuration) for name in arguments.components or COMPONENTS]
    console = Console()
    show(console, entries, arguments.path)
    if not arguments.components:
        console.print(host_layers(entries))
    if arguments.markdown:
        text = f"{TITLE}:\n\n{tables.markdown(HEADER, map(row, entries))}\n{host_layers(entries)}"
        tables.replace("area.md", "area", text)
        tables.replace("../README.md", "area", text)
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "device": out_of_context.DEVICE, "frequency": FREQUENCY, "seeds": SEEDS,
            "components": entries,
            "configuration": configuration.model_dump()}, indent=2) + "\n")


if __name__ == "__main__":
    main()

"""`sata-recorder build`: a bitstream for a board."""

import re
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from .. import outputs
from ..interface.faults import nearest
from .common import Refusal, configuration, named_values, need, phy_fault
from .files import overwrite_option, refusing
from .options import WholeNumber

#: Marks a folder of builds.
_NOTE = ".sata-recorder"
_FOLDER = click.Path(path_type=Path)


@click.command()
@click.option("--board", metavar="NAME", help="The board; --list shows them.")
@click.option("--list", "show", is_flag=True, help="List the boards.")
@click.option("-o", "--output", type=_FOLDER, metavar="DIR",
              help="Folder for all files, made if it does not exist (default: build-NAME).")
@overwrite_option
@click.option("--seed", type=WholeNumber(0, 2**31 - 1), default=1, show_default=True,
              metavar="N", help="Seed of the placement: where a clock was missed, another may do.")
@click.option("--baud", type=int, default=115200, show_default=True, metavar="RATE",
              help="Baud rate of the console.")
@click.option("--config", type=_FOLDER, metavar="FILE|NAME",
              help="Read the core's configuration from this file; clock_hz is 100e6 if it does "
                   "not state it.")
@click.option("--phy-option", "phy_options", metavar="NAME=VALUE", multiple=True,
              help="An option of the PHY in place of the board's, such as los_level=3, dwell_us=10 or "
                   "select_dual=true; may be repeated.")
def build(board, show, output, overwrite, seed, baud, config, phy_options):
    """Build a bitstream for a board: the core with a console on its UART.

    Synthesis, place and route and the bitstream take some minutes. The report has every clock
    with its constraint, the paths between clocks, what has no time, the pads of the SERDES and the
    area of each layer, and is written as build-report.json, too. Exit status: 0 if there is a
    bitstream, 1 if a clock was missed, a constraint was dropped, another check or a tool failed, 2
    for a mistake in the arguments.
    """
    from sata_recorder_platforms.boards import BOARDS
    console = Console()
    if show:
        console.print(_boards(BOARDS))
        return 0
    if board not in BOARDS:
        named = "no board is named" if board is None else f"--board {board}: there is no such board"
        raise Refusal(f"{named}; boards: {', '.join(BOARDS)}{nearest(board, BOARDS)}")
    need("build", "build")
    chosen = configuration(config, _defaults(config))
    handles = named_values("--phy-option", phy_options)
    from sata_recorder_platforms.build import FILES, board_of
    from sata_recorder_platforms.flow import BuildFailed
    from sata_recorder_platforms.top import check
    try:
        board_of(board, handles)
    except ValueError as error:
        raise Refusal(phy_fault(handles, error, "--phy-option")) from None
    try:
        check(board_of(board, handles), chosen, baud)
    except ValueError as error:
        given = str(error).split()[0].rstrip(":") in type(chosen).model_fields and config is not None
        told = str(error).replace(f"baud is {baud}, ", f"--baud {baud}: ", 1)
        raise Refusal(f"--config {config}: {error}" if given else told) from None
    folder = _folder(output or Path(f"build-{board}"), FILES, overwrite)

    from sata_recorder_platforms.build import build as run

    from ..export import yosys
    try:
        result = run(board, folder, chosen, seed=seed, baud=baud, phy_options=handles,
                     progress=lambda step: click.echo(f"{board}: {step} ...", err=True))
    except ValueError as error:
        raise Refusal(str(error)) from None
    except OSError as error:
        raise Refusal(f"--output {folder}: cannot be written: {error.strerror}") from None
    except (BuildFailed, yosys.YosysError) as error:
        raise click.ClickException(str(error)) from None
    _show(console, result, folder)
    return 1 if result.told.faults else 0


def _defaults(config):
    """The defaults of the boards, except for those that the configuration file has a value of."""
    import tomllib

    from sata_recorder_platforms.top import CORE_HZ

    from ..interface.configuration import configuration_file
    try:
        named = {} if config is None else outputs.parse(outputs.read_text(configuration_file(config)), tomllib.loads)
    except (OSError, ValueError):
        return {}           # `configuration` states what is wrong with it
    return {name: value for name, value in {"clock_hz": CORE_HZ, "histograms": True}.items()
            if name not in named}


def _folder(path, names, overwrite):
    """The folder ``path`` with the note that it is one of builds; files called ``names`` in another
    one would be lost."""
    note = path / _NOTE
    if path.exists() and not path.is_dir():
        raise Refusal(f"--output {path}: is no folder")
    with refusing("--output", path):
        path.mkdir(parents=True, exist_ok=True)
        if not overwrite and not note.exists():
            _check_files(path, names)
        note.write_text("What is built in this folder replaces what was built before.\n")
    return path


def _check_files(folder, names):
    try:
        outputs.check(folder / "build-report.json")
        if (folder / "build-report.json").exists():
            return          # of an earlier build
    except outputs.UnfitPath:
        pass
    for name in names:
        if (folder / name).exists():
            raise Refusal(f"--output {folder}: {name} is there, and sata-recorder has not made it; "
                          "--overwrite permits replacing it")


def _boards(boards):
    table = Table(box=None)
    table.add_column("board")
    table.add_column("")
    for name, board in boards.items():
        table.add_row(name, board.title)
    return table


def _show(console, result, folder):
    console.print(f"{result.title}; seed {result.seed}", highlight=False)
    table = Table("clock", title="Clocks", title_justify="left")
    for column in "MHz needed", "MHz reached", "slack ns", "":
        table.add_column(column, justify="right")
    told = result.told
    for clock in told.clocks:
        table.add_row(clock.name, f"{clock.constraint:.2f}", f"{clock.achieved:.2f}",
                      f"{clock.slack:.2f}", "met" if clock.met else "MISSED")
    console.print(table)

    table = Table("crossing", title="Longest paths between clocks", title_justify="left")
    for column in "ns", "at most", "":
        table.add_column(column, justify="right")
    for one in told.crossings:
        table.add_row(f"{one.source} -> {one.target}", f"{one.delay:.2f}", f"{one.limit:.2f}",
                      "met" if one.met else "MISSED")
    console.print(table)
    _show_untimed(console, told.untimed)
    console.print("Pads of the SERDES: " + ", ".join(
        f"{name} {site}" for name, site in told.pads.items()), highlight=False, soft_wrap=True)

    kinds = list(result.layers[0].cells)
    table = Table("layer", title="Area of each layer by itself", title_justify="left")
    for kind in kinds:
        table.add_column(kind, justify="right")
    for layer in result.layers:
        table.add_row(layer.name, *(str(layer.cells[kind]) for kind in kinds))
    total = [sum(layer.cells[kind] for layer in result.layers) for kind in kinds]
    table.add_section()
    table.add_row("together", *map(str, total))
    console.print(table)
    console.print("Device: " + ", ".join(f"{used} of {most} {name}" for name, (used, most)
                                         in told.device.items()), highlight=False)
    for fault in told.faults:
        console.print(f"FAULT {fault}", markup=False, highlight=False, soft_wrap=True)
    if result.bitstream:
        console.print(f"Bitstream: {result.bitstream}", markup=False, highlight=False,
                      soft_wrap=True)
    else:
        console.print("No bitstream.")
    console.print(f"Report: {folder / 'build-report.json'}", markup=False, highlight=False,
                  soft_wrap=True)


def _show_untimed(console, untimed):
    """The ports that no tool times, those with the same reason in one row."""
    rows = {}
    for port, _, why in untimed:
        rows.setdefault(why, []).append(port)
    table = Table("ports", "why that does no harm", title="Ports without a time",
                  title_justify="left")
    for why, ports in rows.items():
        table.add_row(_joined(ports), why)
    console.print(table)


def _joined(ports):
    """Names of ports, the cell they belong to once, a bus as its first and last bit."""
    texts = []
    for port in ports:
        cell, _, name = port.rpartition(".")
        stem = re.fullmatch(r"(.*\D)(\d+)", name)
        if stem and texts and texts[-1][:2] == [cell, stem[1]]:
            texts[-1][3] = stem[2]
        else:
            texts.append([cell, stem[1] if stem else name, stem[2] if stem else "", ""])
    cells = {}
    for cell, name, first, last in texts:
        cells.setdefault(cell, []).append(name + first + (f"-{last}" if last else ""))
    return "; ".join((f"{cell}: " if cell else "") + ", ".join(names)
                     for cell, names in cells.items())

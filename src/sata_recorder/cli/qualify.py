"""`sata-recorder qualify`: the timing of a drive, measured, as a profile."""

from datetime import date
from math import ceil
from pathlib import Path
from typing import Annotated, Literal

import click
from rich.console import Console
from rich.progress import BarColumn, TextColumn

from .. import outputs
from ..lab.measurement import parse_size, reason
from ..board.qualification import (BadLog, QualificationError, curve_csv, fifo_bytes, figures_of_logs,
                             lasting_rates, profile_of, profile_text, qualify as run_sequence)
from ..report import render_profile, render_readings
from ..simulation import ProfileError, load_profile, simulated_profile
from ..lab.options import Options, OptionText
from .common import Refusal, need
from .console_drive import read_care
from .files import overwrite_option, written
from .live_progress import LiveProgress
from .options import options

_FILE = click.Path(path_type=Path)
#: Sectors that are written and read on a simulated drive, unless given.
_SIMULATED_SECTORS = "64MiB"
_PATIENCE_SIMULATED = 120.0
#: Rates that a FIFO is given for, as parts of the lasting rate.
_RATES = (0.5, 0.8, 0.95)


class QualifyOptions(Options):
    """The options of `sata-recorder qualify`."""

    simulate: Annotated[str | None, OptionText("NAME|FILE")] = None
    """Qualify a simulated drive of this profile, which the qualifier does not see."""
    port: Annotated[str | None, OptionText("PORT")] = None
    """Qualify the drive of the board at this serial port."""
    baud: Annotated[int, OptionText("N", kind=click.IntRange(1), shows=True)] = 115200
    """Speed of the port in bits a second."""
    erase: bool = False
    """The drive of the board is overwritten: without this, nothing is done."""
    lba: Annotated[int, OptionText("N", kind=click.IntRange(0), shows=True)] = 0
    """First sector."""
    sectors: Annotated[str | None, OptionText("N")] = None
    """How many sectors, or bytes with a unit. Default: to the drive's end; 64MiB of a simulated one."""
    places: Annotated[int | None, OptionText("N", kind=click.IntRange(2, 1000))] = None
    """Also measure a fifth as many at N places from --lba to the drive's end, for rates by place. These are
    overwritten, too."""
    trim: bool = False
    """At the end write the part twice more, the second time after TRIM."""
    generation: Literal["1", "2", "3"] | None = None
    """With --simulate: generation of the link. Default: 2, or the drive's if that is less."""
    fio_bandwidth: Annotated[Path | None, OptionText("FILE", kind=_FILE)] = None
    """Take the figures from a bandwidth log of fio instead."""
    fio_latency: Annotated[Path | None, OptionText("FILE", kind=_FILE)] = None
    """Also take figures from a latency log of fio."""
    model: Annotated[str | None, OptionText("TEXT")] = None
    """With fio: the model of the drive."""
    capacity: Annotated[int | None, OptionText("SECTORS", kind=click.IntRange(1))] = None
    """With fio: the size of the drive."""
    output: Annotated[Path, OptionText("FILE.toml", kind=_FILE, flags=("-o", "--output"), required=True)]
    """The profile. Its name is the drive's name for `measure --drive`."""
    csv_path: Annotated[Path | None, OptionText("FILE.csv", kind=_FILE, flags=("--csv",))] = None
    """Also write speed and time of each interval against LBA."""


@click.command()
@options(asked=QualifyOptions)
@overwrite_option
def qualify(asked, overwrite):
    """Measure the timing of a drive, and write it as a profile that measure, plan and sweep take.

    The part of the drive that is measured is written and read in order, over the console of a
    board, a simulated one, or from logs of fio. What was there is gone.
    """
    ways = [way for way in (asked.simulate, asked.port, asked.fio_bandwidth) if way is not None]
    if len(ways) != 1:
        raise Refusal("give one of --simulate, --port and --fio-bandwidth")
    _refuse_idle(asked)
    if asked.simulate is not None:
        try:
            simulated_profile(load_profile(asked.simulate))
        except ProfileError as error:
            raise Refusal(f"--simulate {asked.simulate or repr('')}: {error}") from None
    if asked.port is not None and not asked.erase:
        raise Refusal(f"--port {asked.port}: its drive is overwritten; give --erase if that is meant")
    texts = None if asked.fio_bandwidth is None else _logs(asked.fio_bandwidth, asked.fio_latency)
    if asked.fio_bandwidth is not None and (asked.model is None or asked.capacity is None):
        raise Refusal("--fio-bandwidth: the log does not name the drive; give --model and "
                      "--capacity")
    if asked.generation is not None and asked.simulate is None:
        raise Refusal(f"--generation {asked.generation}: the link of a board is as it is; it goes with "
                      "--simulate")
    if asked.fio_bandwidth is not None and asked.trim:
        raise Refusal("--trim: a log of fio does not show it; it goes with --simulate and --port")
    if asked.fio_bandwidth is not None and (asked.places or asked.csv_path):
        raise Refusal("--places and --csv: a log of fio has no places")
    if asked.output.suffix != ".toml":
        raise Refusal(f"-o {asked.output}: the name must end in .toml")
    wanted = asked.sectors or (_SIMULATED_SECTORS if asked.simulate else None)
    try:
        count = None if wanted is None else int(parse_size(wanted))
    except ValueError as error:
        raise Refusal(f"--sectors {wanted}: {reason(error, wanted)}") from None
    with written({"-o": asked.output, "--csv": asked.csv_path}, overwrite=overwrite) as contents:
        if texts:
            try:
                found, source = figures_of_logs(*texts, model=asked.model, capacity=asked.capacity), \
                    "Bandwidth and latency logs of fio"
            except BadLog as error:
                told = str(error).replace("bandwidth log", f"--fio-bandwidth {asked.fio_bandwidth}", 1)
                raise Refusal(told.replace("latency log", f"--fio-latency {asked.fio_latency}", 1)) from None
            care = None, None
        else:
            found, care = _from_board(asked.simulate, asked.port, asked.baud, asked.generation, lba=asked.lba,
                                      sectors=count, places=asked.places or 0, trim=asked.trim)
            source = (f"sata-recorder qualify, {date.today()}, sectors {asked.lba} to "
                      f"{asked.lba + found.sectors - 1}" + (", simulated" if asked.simulate else ""))
        text = profile_text(found, asked.output.stem, source)
        try:
            profile = profile_of(text, asked.output.stem)
        except ProfileError as error:
            raise Refusal(f"-o {error}") from None
        contents["-o"] = text
        if asked.csv_path is not None:
            contents["--csv"] = curve_csv(found)
    console = Console()
    render_profile(console, profile)
    for line in _measured(found):
        click.echo(line)
    if found.trim:
        click.echo(f"written over what was there: {found.trim.before / 1e6:.1f} MB/s; after TRIM, which took "
                   f"{1e3 * found.trim.seconds:.1f} ms: {found.trim.after / 1e6:.1f} MB/s")
    _show_histograms(console, found)
    if any(care):
        render_readings(console, *care, simulated=asked.simulate is not None)
    if found.trim_failure:
        raise click.ClickException(f"--trim: {found.trim_failure}; all the rest is in {asked.output}")


def _refuse_idle(asked):
    """Refuses options that have no effect on what is measured."""
    ways = {"--simulate": asked.simulate, "--port": asked.port, "--fio-bandwidth": asked.fio_bandwidth}
    board, fio = ("--simulate", "--port"), ("--fio-bandwidth",)
    for name, needs in (("lba", board), ("sectors", board), ("baud", ("--port",)), ("erase", ("--port",)),
                        ("fio_latency", fio), ("model", fio), ("capacity", fio)):
        if vars(asked)[name] != type(asked).model_fields[name].default and all(ways[way] is None for way in needs):
            raise Refusal(f"{asked.flag(name)}: goes with {' and '.join(needs)}")


def _logs(bandwidth, latency):
    texts = []
    for option, path in ("--fio-bandwidth", bandwidth), ("--fio-latency", latency):
        try:
            texts.append(None if path is None else outputs.read_text(path))
        except (OSError, UnicodeDecodeError) as error:
            raise Refusal(f"{option} {path}: cannot be read: "
                          f"{getattr(error, 'strerror', None) or error}") from None
    return texts


def _measured(found):
    """What the recording itself shows, besides the profile."""
    rates = lasting_rates(found.written)
    if rates is None:
        return
    least, mean, most = rates
    yield ""
    yield (f"later half, measured: {mean / 1e6:.1f} MB/s; in parts of it {least / 1e6:.1f} to "
           f"{most / 1e6:.1f}")
    for part in _RATES:
        depth = fifo_bytes(found.written, part * mean)
        yield f"a FIFO for {part * mean / 1e6:.1f} MB/s held at most {ceil(depth / 1024):,} KiB"


def _show_histograms(console, found):
    """What the board has counted in the long recording."""
    from ..pc.console.histogram import histogram_rows
    from ..pc.console.show import table_of
    for kind, title in (("commands", "commands"), ("stalls", "times in which the drive took no word")):
        if kind in found.histograms:
            click.echo(f"\n{title} of the long recording, by what they took:")
            console.print(table_of(histogram_rows(found.histograms[kind], found.clock_hz)))


def _from_board(simulate, port, baud, generation, **options):
    need("console", "qualify")
    from ..pc.console.client import Client, ConsoleError
    from ..pc.console.simulated import SimulatedBoard, SimulationFailed
    board = None
    try:
        if simulate is not None:
            board = SimulatedBoard(drive=simulate, generation=generation, in_step=True,
                                   offers=("commands",) if options["trim"] else ())
            port = board.start()
        patience = 3.0 if board is None else _PATIENCE_SIMULATED
        with Client(port, baud=baud, timeout=patience) as client, _Bar() as bar:
            client.connect()
            before = read_care(client)
            found = run_sequence(client, progress=bar, simulated=board is not None, **options)
            return found, (before, read_care(client))
    except (ConsoleError, QualificationError, SimulationFailed) as error:
        raise Refusal(str(error)) from None
    finally:
        if board is not None:
            board.close()


class _Bar(LiveProgress):
    """How far it is, on standard error where that is a terminal."""

    def __init__(self):
        super().__init__(TextColumn("{task.description}"), BarColumn())
        self._task = self.bars.add_task("write", total=1.0)

    def __call__(self, name, part):
        self.bars.update(self._task, description=name, completed=part)

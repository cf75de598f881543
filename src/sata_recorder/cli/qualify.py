"""`sata-recorder qualify`: the timing of a drive, measured, as a profile."""

import sys
from datetime import date
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from .. import outputs
from ..lab.measurement import parse_size
from ..board.qualification import (BadLog, QualificationError, curve_csv, fifo_bytes, figures_of_logs,
                             lasting_rates, profile_of, profile_text, qualify as run_sequence)
from ..report import render_profile
from ..simulation import ProfileError
from .common import Refusal, need
from .drive_care import read_care, show_care
from .files import overwrite_option, written

__all__ = ["qualify"]

_FILE = click.Path(path_type=Path)
#: Sectors that are written and read on a simulated drive, unless it is said.
_SIMULATED_SECTORS = "64MiB"
_PATIENCE_SIMULATED = 120.0
#: Rates that a FIFO is told for, as parts of the lasting rate.
_RATES = (0.5, 0.8, 0.95)


@click.command()
@click.option("--simulate", metavar="NAME|FILE",
              help="Qualify a simulated drive of this profile, which the qualifier does not see.")
@click.option("--port", metavar="PORT", help="Qualify the drive of the board at this serial port.")
@click.option("--baud", type=click.IntRange(1), default=115200, show_default=True, metavar="N",
              help="Its speed in bits a second.")
@click.option("--erase", is_flag=True,
              help="The drive of the board is overwritten: without this, nothing is done.")
@click.option("--lba", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="First sector.")
@click.option("--sectors", metavar="N", help="How many, or bytes with a unit. Default: to the "
              f"drive's end; {_SIMULATED_SECTORS} of a simulated one.")
@click.option("--places", type=click.IntRange(2, 1000), metavar="N",
              help="Also measure a fifth of that at N places from --lba to the drive's end: rates by "
              "place. They are overwritten, too.")
@click.option("--trim", is_flag=True,
              help="At the end write the part twice more, the second time behind TRIM.")
@click.option("--generation", type=click.Choice(["1", "2", "3"]),
              help="With --simulate: of the link. Default: 2, or the drive's if that is less.")
@click.option("--fio-bandwidth", type=_FILE, metavar="FILE",
              help="Take the figures from a bandwidth log of fio instead.")
@click.option("--fio-latency", type=_FILE, metavar="FILE", help="And from a latency log of fio.")
@click.option("--model", metavar="TEXT", help="With fio: the model of the drive.")
@click.option("--capacity", type=click.IntRange(1), metavar="SECTORS", help="With fio: its size.")
@click.option("-o", "--output", type=_FILE, required=True, metavar="FILE.toml",
              help="The profile. Its name is the drive's name for `measure --drive`.")
@click.option("--csv", "csv_path", type=_FILE, metavar="FILE.csv",
              help="Also write speed and time of each interval against LBA.")
@overwrite_option
def qualify(simulate, port, baud, erase, lba, sectors, places, trim, generation, fio_bandwidth,
            fio_latency, model, capacity, output, csv_path, overwrite):
    """Measure the timing of a drive, and write it as a profile that measure, plan and sweep take.

    The part of the drive that is measured is written and read in order, over the console of a
    board, a simulated one, or from logs of fio. What was there is gone.
    """
    ways = [way for way in (simulate, port, fio_bandwidth) if way is not None]
    if len(ways) != 1:
        raise Refusal("say one of --simulate, --port and --fio-bandwidth")
    if port is not None and not erase:
        raise Refusal(f"--port {port}: its drive is overwritten; say --erase if that is meant")
    if fio_bandwidth is not None and (model is None or capacity is None):
        raise Refusal("--fio-bandwidth: the log does not tell the drive; say --model and "
                      "--capacity")
    if generation is not None and simulate is None:
        raise Refusal(f"--generation {generation}: the link of a board is as it is; it goes with "
                      "--simulate")
    if fio_bandwidth is not None and trim:
        raise Refusal("--trim: a log of fio does not tell; it goes with --simulate and --port")
    if fio_bandwidth is not None and (places or csv_path):
        raise Refusal("--places and --csv: a log of fio tells no places")
    if output.suffix != ".toml":
        raise Refusal(f"-o {output}: the name must end in .toml")
    wanted = sectors or (_SIMULATED_SECTORS if simulate else None)
    try:
        count = None if wanted is None else int(parse_size(wanted))
    except ValueError as error:
        raise Refusal(f"--sectors: {error}") from None
    with written({"-o": output, "--csv": csv_path}, overwrite=overwrite) as contents:
        if fio_bandwidth is not None:
            found, source = _from_logs(fio_bandwidth, fio_latency, model, capacity), \
                "Bandwidth and latency logs of fio"
            care = None, None
        else:
            found, care = _from_board(simulate, port, baud, generation, lba=lba, sectors=count,
                                      places=places or 0, trim=trim)
            source = (f"sata-recorder qualify, {date.today()}, sectors {lba} to "
                      f"{lba + found.sectors - 1}" + (", simulated" if simulate else ""))
        text = profile_text(found, output.stem, source)
        try:
            profile = profile_of(text, output.stem)
        except ProfileError as error:
            raise Refusal(f"-o {error}") from None
        contents["-o"] = text
        if csv_path is not None:
            contents["--csv"] = curve_csv(found)
    console = Console()
    render_profile(console, profile)
    for line in _measured(found):
        click.echo(line)
    if found.trim:
        click.echo(f"written over what was there: {found.trim.before / 1e6:.1f} MB/s; behind TRIM, which took "
                   f"{1e3 * found.trim.seconds:.1f} ms: {found.trim.behind / 1e6:.1f} MB/s")
    _show_histograms(console, found)
    show_care(console, *care, simulated=simulate is not None)
    if found.trim_failure:
        raise click.ClickException(f"--trim: {found.trim_failure}; all the rest is in {output}")


def _from_logs(bandwidth, latency, model, capacity):
    texts = []
    for option, path in ("--fio-bandwidth", bandwidth), ("--fio-latency", latency):
        try:
            texts.append(None if path is None else outputs.read_text(path))
        except (OSError, UnicodeDecodeError) as error:
            raise Refusal(f"{option} {path}: cannot be read: "
                          f"{getattr(error, 'strerror', None) or error}") from None
    try:
        return figures_of_logs(*texts, model=model, capacity=capacity)
    except BadLog as error:
        raise Refusal(str(error)) from None


def _measured(found):
    """What the recording itself says, beside the profile."""
    rates = lasting_rates(found.written)
    if rates is None:
        return
    least, mean, most = rates
    yield ""
    yield (f"later half, measured: {mean / 1e6:.1f} MB/s; in parts of it {least / 1e6:.1f} to "
           f"{most / 1e6:.1f}")
    for part in _RATES:
        depth = fifo_bytes(found.written, part * mean)
        yield f"a FIFO for {part * mean / 1e6:.1f} MB/s held at most {depth / 1024:,.0f} KiB"


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
                                   commands=options["trim"])
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


class _Bar:
    """How far it is, on standard error where that is a terminal."""

    def __init__(self):
        self._bars = Progress(TextColumn("{task.description}"), BarColumn(),
                              console=Console(stderr=True), transient=True,
                              disable=not sys.stderr.isatty())
        self._task = self._bars.add_task("write", total=1.0)

    def __enter__(self):
        self._bars.start()
        return self

    def __exit__(self, *exc):
        self._bars.stop()

    def __call__(self, name, part):
        self._bars.update(self._task, description=name, completed=part)

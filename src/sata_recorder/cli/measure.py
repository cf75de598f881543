"""`sata-recorder measure`: the core against the drive model."""

import json
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from ..firmware import EXTENTS, PROCESSORS, WAITS
from ..lab.measurement import LOOKED_AT, MODES, VCD_SCOPES
from ..report import FORMATS
from ..simulation import PATTERNS
from .common import Refusal, need
from .files import check_output, overwrite_option, refusing, written
from .job import check_seeds, make_job, refusing_jobs
from .progress import Progress

# The checks of click would say less than those of make_job.
_FILE = click.Path(path_type=Path, readable=False)
#: How the names of the pictures begin.
_PICTURED = "record", "play"


@click.command()
@click.option("--operation", type=click.Choice(["record", "play", "both"]), default="both",
              help="Record, play what an image holds, or record and play back (default).")
@click.option("--input", "source", type=_FILE, metavar="FILE",
              help="Record this file (`-`: standard input), padded with zeros to whole sectors; "
                   "with --operation play, what the image must hold. Without it, a pattern is "
                   "generated.")
@click.option("--pattern", "kind", type=click.Choice([*PATTERNS]), default="random",
              help="What is generated: words without relation (default), or words that count up "
                   "or down from the seed.")
@click.option("--image", type=_FILE, metavar="FILE",
              help="Keep the disk in this raw image (made sparse, or written in place); "
                   "without it, in memory.")
@click.option("--drive", metavar="NAME|FILE",
              help="Time the drive as this profile does: a name that `sata-recorder drives` "
                   "lists, or a file of your own. Without it, a drive that never waits. `qemu` lets "
                   "QEMU's ATA disk execute the commands.")
@click.option("--lba", type=int, default=0, metavar="N", help="First sector (default 0).")
@click.option("--sectors", metavar="N",
              help="Sectors of 512 bytes to move, or bytes with a unit such as 16GiB (default: the "
                   "input file's, else 8192 sectors).")
@click.option("--capacity", type=int, metavar="SECTORS",
              help="Capacity of the drive (default: the profile's, else 62533296 sectors, 32 GB; "
                   "or the image's if that is more; when playing an image, or with --drive qemu, "
                   "the image's).")
@click.option("--smart", is_flag=True,
              help="A drive that has SMART, and a core with `commands`, which asks it before and "
                   "behind the operation.")
@click.option("--written", "gigabytes", type=float, default=0, metavar="GB",
              help="With --smart, what was written to the drive before; 1.4 times as much reaches its "
                   "flash, which endures 70,000 GB.")
@click.option("--lba28", is_flag=True, help="A drive without 48-bit commands.")
@click.option("--logical-sector", type=click.Choice(["512", "4096"]), default="512",
              help="Bytes of the drive's logical sectors (default 512). With 4096 the core has "
                   "long_logical_sectors, and --lba and --sectors are multiples of 8.")
@click.option("--max-command", type=int, metavar="SECTORS",
              help="Longest command, 1 to 65536 sectors (default 2048); 28-bit ones end at 256.")
@click.option("--turnaround-us", type=float, metavar="US",
              help="Delay each command that follows another by so many microseconds, as a slower "
                   "controller would, such as a firmware loop.")
@click.option("--controller", type=click.Choice(["hardwired", *PROCESSORS]), default="hardwired",
              help="What runs the loop of commands: the core's own sequencer (default), or firmware "
                   "on a soft processor, through the core's registers.")
@click.option("--controller-hz", type=float, metavar="HZ",
              help="With a processor as --controller, its clock, at most the core's (default: the "
                   "core's).")
@click.option("--controller-wait", type=click.Choice(WAITS),
              help="How the firmware learns that an operation has ended (default polling).")
@click.option("--controller-extent", type=click.Choice(EXTENTS),
              help="Whether the firmware makes an operation of each command (default), or one of the "
                   "whole extent.")
@click.option("--input-rate", metavar="RATE",
              help="Record a stream that cannot wait, such as 100MB/s from a sensor, and count "
                   "what is lost.")
@click.option("--fifo-words", metavar="N|endless",
              help="With --input-rate, depth of a FIFO in front of the core (default 1); an "
                   "endless one shows which depth is needed.")
@click.option("--find-rate", is_flag=True,
              help="Search the highest --input-rate without loss, and measure that.")
@click.option("--seeds", type=int, metavar="N",
              help="With --find-rate, search with N seeds and tell the spread; needs a drive whose "
                   "profile varies, or --jitter-us.")
@click.option("--jitter-us", type=float, metavar="US",
              help="Up to so many microseconds more for each command, at random from the seed: an "
                   "estimate, no profile has it.")
@click.option("--mode", type=click.Choice([*MODES]),
              help="Record a number of words (fixed), until stop or until the sectors are full "
                   "(until-stop), round and round (ring), or round triggers (trigger). Without it, "
                   "one extent.")
@click.option("--words", type=int, metavar="N",
              help="With --mode fixed, words to record (default: all that the sectors hold); with "
                   "trigger, words behind each trigger.")
@click.option("--stop-after", type=int, metavar="N",
              help="With --mode, stop comes after so many words.")
@click.option("--trigger", "triggers", type=int, multiple=True, metavar="N",
              help="With --mode trigger, a trigger comes after so many words; can be repeated.")
@click.option("--segments", type=int, metavar="N",
              help="With --mode trigger, cut the sectors into so many parts, one for each segment "
                   "(default 1).")
@click.option("--extend", is_flag=True,
              help="With --mode trigger, a further trigger makes a segment longer; else it begins "
                   "the next one.")
@click.option("--trim-ahead", type=int, metavar="SECTORS",
              help="With --mode ring, TRIM goes so many sectors ahead of it; the drive then has TRIM.")
@click.option("--trim-us", type=float, metavar="US",
              help="With --trim-ahead, what the drive takes for each TRIM: an estimate, no profile has it.")
@click.option("--look", type=int, metavar="SECTORS",
              help="With --mode, look at so many sectors of the recording while it records, again and again, and "
                   "record once more without: what it costs is the difference.")
@click.option("--look-at", type=click.Choice(LOOKED_AT),
              help="With --look, at the latest sectors (default), or at any that are there, from the seed.")
@click.option("--look-every", type=int, metavar="WORDS",
              help="With --look, a look is asked for every so many words of the stream (default 65536).")
@click.option("--look-room", type=int, metavar="WORDS",
              help="With --look, the room in the buffer with which a look begins (default half of the buffer).")
@click.option("--generation", type=click.Choice(["1", "2", "3"]),
              help="Generation of the link: 1.5, 3 or 6 Gb/s (default 2, or the drive's if that "
                   "is less).")
@click.option("--hold", "holds", multiple=True, metavar="WHO:ON/OFF",
              help="Stall periodically: `drive:64/16` lets the drive hold for 16 dwords after "
                   "every 64, `host:100/20` stops the stream for 20 clocks after every 100.")
@click.option("--hostile", is_flag=True,
              help="A drive that does all that the standard permits, at random from the seed.")
@click.option("--flush", is_flag=True, help="Let a FLUSH CACHE follow the recording.")
@click.option("--seed", type=int, default=0, metavar="N",
              help="Seed of the pattern and of a hostile drive, 0 to 2^64 - 1 (default 0).")
@click.option("--engine", type=click.Choice(["auto", "compiled", "cxxrtl", "icarus"]),
              default="auto",
              help="Simulate the core and the drive as compiled code (compiled); the core by CXXRTL "
                   "and the drive in Python (cxxrtl), another opinion, slower; or the "
                   "exported Verilog in Icarus, a thousand times slower. The trace is the same. By default the fastest that works here.")
@click.option("--config", type=_FILE, metavar="FILE|NAME",
              help="Configuration of the core, a TOML file or a name such as `recorder`; --max-command "
                   "wins over it.")
@click.option("--json", "json_output", type=_FILE, metavar="FILE",
              help="Write the result as JSON; `-` writes it to standard output.")
@click.option("--report", type=_FILE, metavar="FILE.html",
              help="Write a page that shows where the time went; it needs no network.")
@click.option("--plots", type=_FILE, metavar="FOLDER",
              help="Write the pictures of the page as PNG and SVG into this folder.")
@click.option("--samples", type=int, default=200, metavar="N",
              help="Most points on the time axis of the report (default 200; 0: no time axis).")
@click.option("--trace", type=_FILE, metavar="FILE",
              help="Write both 8-byte words of the dword port of every clock.")
@click.option("--vcd", type=_FILE, metavar="FILE", help="Write the waves of the whole run.")
@click.option("--vcd-scope", type=click.Choice(VCD_SCOPES),
              help="With --vcd, the waves of all signals of the core (default), or of its ports "
                   "only.")
@overwrite_option
@click.pass_context
def measure(context, engine, json_output, report, plots, overwrite, seeds, **options):
    """Measure the core against a simulated SATA drive.

    By default 4 MiB of a generated pattern are recorded in several commands, played back and
    compared. The result shows where every cycle went and who caused it. Exit status: 0 if all
    data are right and the ledgers of core and drive model agree, 1 if not, 2 for a mistake in
    the arguments.
    """
    for option, path in ("--report", report), ("--plots", plots):
        if path is not None:
            need("report", f"{option} {path}")
    to_stdout = json_output is not None and str(json_output) == "-"
    paths = {"--json": None if to_stdout else json_output, "--report": report}
    job = make_job(context, written={**paths, "--plots": plots}, overwrite=overwrite, **options)
    check_seeds(job, seeds, options["find_rate"])
    if plots is not None:
        _check_pictures(plots, overwrite)
    with refusing_jobs(options), written(paths, overwrite=overwrite) as contents:
        measurement = _run(job, engine, options["find_rate"], seeds)
        _show(measurement, contents, to_stdout, report, plots, overwrite)
    context.exit(1 if measurement.problems or measurement.lost else 0)


def _run(job, engine, find_rate, seeds):
    """Runs the job."""
    from ..lab.measurement import ProbeFailed
    from ..simulation import EngineError, MissingTool, Stuck
    try:
        with Progress() as progress:
            return _measured(job, engine, find_rate, seeds, progress)
    except MissingTool as error:
        raise Refusal(str(error)) from None
    except (EngineError, ProbeFailed, Stuck) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        if not error.strerror:
            raise
        name = error.filename or job.image
        raise click.ClickException(f"{name}: {error.strerror}") from None


def _measured(job, engine, find_rate, seeds, progress):
    """The measurement, and what else is to be known of a stream that cannot wait."""
    from ..lab.measurement import (Store, execute, highest_rate, needed_fifo, spread_of_rates,
                               words_per_clock)
    from ..simulation import Rate
    store = Store() if job.input_rate is not None else None
    search = spread = None
    if seeds is not None:
        spread = spread_of_rates(job, seeds, store=store, engine=engine, progress=progress.search)
    if find_rate:
        search = highest_rate(job, store=store, engine=engine, progress=progress.search)
        rate = words_per_clock(search.rate or search.lossy, job.configuration.clock_hz)
        job = replace(job, input_rate=Rate(*rate.as_integer_ratio()))
    measurement = execute(job, engine, progress)
    measurement.search = search
    measurement.spread = spread
    if measurement.lost:
        try:
            measurement.needed_fifo = needed_fifo(job, store=store, engine=engine,
                                                  progress=progress)
        except KeyboardInterrupt:
            pass    # what has been measured is there
    return measurement


def _check_pictures(folder, overwrite):
    """Refuses to write over a file in ``folder`` that only has the name of a picture."""
    for form in FORMATS:
        for operation in _PICTURED:
            for path in folder.glob(f"{operation}-*.{form}"):
                check_output("--plots", path, overwrite)


def _show(measurement, contents, to_stdout, report, plots, overwrite):
    from ..lab.measurement import as_data
    from ..report import page_text, render_measurement, write_pictures
    console = Console(stderr=to_stdout, soft_wrap=True)
    data = as_data(measurement)
    try:
        contents["--json"] = text = json.dumps(data, indent=2) + "\n"
        if to_stdout:
            click.echo(text, nl=False)
        if report is not None:
            contents["--report"] = page_text(data)
        if plots is not None:
            with refusing("--plots", plots):
                write_pictures(data, plots, overwrite=overwrite)
    finally:
        render_measurement(console, measurement)

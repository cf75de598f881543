"""`sata-recorder wear --port`: a real drive's life, by the console of a board."""

import json
import re
from pathlib import Path
from typing import Annotated

import click
from rich.console import Console
from rich.progress import TextColumn

from .. import outputs as files
from ..lab.measurement import parse_rate, parse_size
from ..lab.options import Options, OptionText
from ..lab.plan import parse_duration
from .common import Refusal, need
from .files import check_outputs, refusing
from .live_progress import LiveProgress

_FILE = click.Path(path_type=Path)
#: Seconds between two readings of SMART: by default, least, most.
_EVERY, _LEAST, _MOST = "1h", 1, 30 * 86400
#: Bytes a second of a rate: least and most.
_RATES = (1e3, 6e9)


class BoardOptions(Options):
    """The options of `sata-recorder wear` that are for a board."""

    port: Annotated[str | None, OptionText("PORT")] = None
    """Wear out the drive of the board at this serial port, or a URL such as socket://host:4000."""
    baud: Annotated[int | None, OptionText("N", kind=click.IntRange(1))] = None
    """Speed of the port in bits a second (default 115200)."""
    timeout: Annotated[float | None, OptionText("SECONDS", kind=click.FloatRange(0.1, 60))] = None
    """Longest silence of the board (default 3)."""
    serial: Annotated[str | None, OptionText("TEXT")] = None
    """With --port: the drive's serial number, to confirm that it is overwritten and worn out."""
    log: Annotated[Path | None, OptionText("FILE.csv", kind=_FILE)] = None
    """With --port: the log, a line at each reading of SMART, and next to it FILE.csv.state."""
    resume: bool = False
    """With --port: go on with the run of this log, on the same drive."""
    lba: Annotated[int | None, OptionText("N", kind=click.IntRange(0))] = None
    """With --port: first sector that is written (default 0)."""
    sectors: Annotated[str | None, OptionText("N")] = None
    """With --port: how many sectors, or bytes with a unit (default: to the drive's end)."""
    every: Annotated[str | None, OptionText("TIME")] = None
    """With --port: time between two readings of SMART (default 1h)."""
    verify: bool = False
    """With --port: read all back and compare, which takes about twice the time."""

    def refuse_alone(self):
        """Refuses what is for a board, where there is none."""
        for name, field in type(self).model_fields.items():
            if vars(self)[name] != field.default:
                raise Refusal(f"{self.flag(name)}: goes with --port")


def wear_on_board(board, options, others, outputs, overwrite):
    """Does the run, and returns the exit status. ``others``: options that are for the model, by their names."""
    for name, value in others.items():
        if value is not None:
            raise Refusal(f"{name}: is for the model of a drive; not together with --port")
    if options["pattern"] == "random":
        raise Refusal("--pattern random: is for the model; a board writes sequential or ring")
    if outputs["--csv"] is not None:
        raise Refusal(f"--csv {outputs['--csv']}: is for the model; on a board the log is --log")
    for name, value, why in (("--serial", board.serial, "the drive's serial number, to confirm that it is overwritten "
                              "and worn out (`sata-recorder console identify` shows it)"),
                             ("--log", board.log, "the file that keeps what is found, such as life.csv")):
        if value is None:
            raise Refusal(f"{name}: is missing; {why}")
    wanted = None if board.resume else _wanted(board, options)
    if board.resume:
        _refuse_new(board, options)
    _check_outputs(board, outputs, overwrite)
    need("console", "wear --port")
    from ..board.endurance import EnduranceError, LogError
    from ..pc.console.client import Client, ConsoleError
    try:
        with Client(board.port, baud=board.baud or 115200, timeout=board.timeout or 3.0) as client:
            client.connect()
            log, request = _opened(client, board, wanted)
            with log:
                return _run(client, request, log, outputs)
    except (EnduranceError, LogError, ConsoleError) as error:
        raise Refusal(str(error)) from None
    except OSError as error:
        raise Refusal(f"--log {board.log}: {error.strerror or error}") from None


def _wanted(board, options):
    from ..board.endurance import EnduranceRequest
    if options["until"] is None:
        raise Refusal("--until: is missing; with --port an end must be given: read-only, mean erases, a time such as "
                      "30d, or bytes such as 100TB")
    try:
        sectors = 0 if board.sectors is None else int(parse_size(board.sectors))
    except ValueError as error:
        raise Refusal(f"--sectors: {error}") from None
    return EnduranceRequest(
        board.serial.strip(), board.lba or 0, sectors, options["pattern"] or "sequential", _rate(options["rate"]),
        _seconds("--every", board.every or _EVERY, _LEAST, _MOST), _end(options["until"].strip()), board.verify)


def _refuse_new(board, options):
    """What a run has from its beginning cannot be given again."""
    given = {"--lba": board.lba, "--sectors": board.sectors, "--every": board.every, "--verify": board.verify or None,
             "--rate": options["rate"], "--pattern": options["pattern"], "--until": options["until"]}
    for name, value in given.items():
        if value is not None:
            raise Refusal(f"{name}: not together with --resume, which goes on as the log was begun")


def _rate(text):
    if text is None:
        return None
    try:
        rate = parse_rate(text)
    except ValueError as error:
        raise Refusal(f"--rate {text}: {str(error).partition(': ')[2] or error}") from None
    if not _RATES[0] <= rate <= _RATES[1]:
        raise Refusal(f"--rate {text}: must be 1 kB/s to 6 GB/s")
    return float(rate)


def _seconds(name, text, least, most):
    try:
        found = parse_duration(text)
    except ValueError:
        raise Refusal(f"{name} {text}: must be a time such as 1h, 30min or 10s") from None
    if not least <= found <= most:
        raise Refusal(f"{name} {text}: must be {least} s to {most // 86400} d")
    return found


def _end(text):
    from ..board.endurance import End
    if text == "read-only":
        return End("read-only")
    if re.fullmatch(r"[0-9]{1,12}", text):
        if not 1 <= int(text) <= 10_000_000:
            raise Refusal(f"--until {text}: must be 1 to 10000000 erases")
        return End("erases", int(text))
    if text.endswith("B"):
        try:
            return End("bytes", 512 * int(parse_size(text)))
        except ValueError as error:
            raise Refusal(f"--until {text}: {str(error).partition(': ')[2]}") from None
    try:
        return End("seconds", parse_duration(text))
    except ValueError:
        raise Refusal(f"--until {text}: must be read-only, a number of erases, a time such as 30d, or bytes such as "
                      "100TB") from None


def _check_outputs(board, outputs, overwrite):
    from ..board.endurance import LogError, state_path
    try:
        state = state_path(board.log)
    except LogError as error:
        raise Refusal(f"--log {error}") from None
    check_outputs(outputs, read=[("--log", board.log), ("the state of --log", state)], overwrite=overwrite,
                  where=" with --port")
    if outputs["--parquet"] is not None:
        need("sweep", f"--parquet {outputs['--parquet']}")
    if (plot := outputs["--plot"]) is not None:
        need("report", f"--plot {plot}")
        from ..report import FORMATS
        if plot.suffix[1:] not in FORMATS:
            raise Refusal(f"--plot {plot}: must end in .png or .svg")


def _opened(client, board, wanted):
    """The log, and what is asked for."""
    from ..board.endurance import EnduranceLog, begin, go_on
    if wanted is None:
        log = EnduranceLog.resume(board.log)
        if log.dropped:
            click.echo(f"warning: {board.log}: its last line was cut short, and is dropped", err=True)
        try:
            request = go_on(client, log, board.serial.strip())
        except BaseException:
            log.__exit__()
            raise
        return log, request
    EnduranceLog.check_new(board.log)
    request, state = begin(client, wanted)
    return EnduranceLog.create(board.log, state), request


def _run(client, request, log, outputs):
    """Runs, writes what was asked for, and shows it; returns the exit status."""
    from ..board.endurance import EnduranceError, EnduranceRun, Ways
    from ..pc.console.client import ConsoleError
    from .wear_board_text import render_run
    ending = lost = None
    parquet = dict.fromkeys(outputs) | {"--parquet": outputs["--parquet"]}
    try:
        with _Progress() as progress:
            ways = Ways(told=progress.event, progress=progress, sampled=lambda: _write(log, None, parquet))
            ending = EnduranceRun(client, request, log, ways).run()
    except KeyboardInterrupt:
        pass
    except (ConsoleError, EnduranceError) as error:
        lost = str(error)
    # The log is whole, however it ended; what is safe is not in it, so it is shown whatever becomes of the files.
    render_run(Console(), log, request, ending, lost)
    _write(log, ending, outputs)
    if lost is not None:
        raise Refusal(f"{lost}; --resume goes on with {log.path}")
    return {"reached": 0, "read-only": 0, "failed": 1}.get(ending.kind if ending else "interrupted", 130)


def _write(log, ending, outputs):
    contents = {}
    if outputs["--parquet"] is not None:
        contents["--parquet"] = log.as_parquet()
    if outputs["--json"] is not None:
        contents["--json"] = json.dumps({
            **log.state, "ending": None if ending is None else vars(ending), "samples": log.rows}, indent=2) + "\n"
    if outputs["--plot"] is not None and log.rows:
        from ..report import wear_picture
        from .wear_board_text import as_picture
        contents["--plot"] = wear_picture(as_picture(log), outputs["--plot"].suffix[1:])
    for option, content in contents.items():
        with refusing(option, outputs[option]):
            part = files.part(outputs[option])
            try:
                files.fill(part, content)
                files.place(part, outputs[option])
            finally:
                part.unlink(missing_ok=True)


class _Progress(LiveProgress):
    """What was written so far, on standard error; events are printed there, too."""

    def __init__(self):
        super().__init__(TextColumn("{task.description}"))
        self._task = self.bars.add_task("reading SMART ...", total=None)

    def __call__(self, written, rate):
        from ..board.endurance import size_text
        self._now = f"{size_text(written)} written, {rate / 1e6:,.1f} MB/s"
        self.bars.update(self._task, description=self._now)

    @staticmethod
    def event(text):
        click.echo(f"* {text}", err=True)

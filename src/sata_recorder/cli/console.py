"""`sata-recorder console`: a board with the console recorder, at a serial port."""

import json
import re
import sys
from datetime import datetime

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from ..pc.console.grammar import (DRIVE_FAILING, DRIVE_TOO_HOT, ENDLESS, FILE_VERBS, OPERATIONS, RECORDED, VERBS,
                               BadLine, checked, number)
from ..pc.maintenance import drive_error_words
from ..pc.volume import Timestamp
from ..facts.units import SECTOR_BYTES
from .common import Refusal, need
from .console_drive import HOST_USAGE, HOST_VERBS, as_line, check, confirm, warn_of_lock
from .console_trouble import refuse_options, tell

__all__ = ["console"]


class _Requests(click.Command):
    """A command whose help lists the requests of the line protocol."""

    def parse_args(self, ctx, args):
        # A number below 0 is a word of the request, which says what is wrong with it; no option.
        for place, word in enumerate(args):
            if re.match(r"-\d", word) and not (place and args[place - 1].startswith("-")):
                args = [*args[:place], "--", *args[place:]]
                break
        return super().parse_args(ctx, args)

    def format_options(self, ctx, formatter):
        with formatter.section("Requests"):
            formatter.write_dl([(verb.usage, verb.meaning) for verb in VERBS.values()],
                               col_max=42)
        with formatter.section("More than one request"):
            formatter.write_dl([*HOST_USAGE.items()], col_max=42)
        super().format_options(ctx, formatter)


@click.command(cls=_Requests)
@click.option("--port", required=True, metavar="PORT",
              help="The serial port, such as /dev/ttyUSB1, or a URL such as socket://host:4000.")
@click.option("--baud", type=click.IntRange(1), default=115200, show_default=True, metavar="N",
              help="Its speed in bits a second.")
@click.option("--timeout", type=click.FloatRange(0.1, 60), default=3.0, show_default=True,
              metavar="SECONDS", help="Longest silence of the board.")
@click.option("--serial", metavar="TEXT",
              help="The drive's serial number, to confirm a command that destroys what is on it.")
@click.option("--check", "checks", is_flag=True,
              help="Before `record`: refuse a drive that is locked or reports that it is failing, and warn of one that "
              "is hot, worn, or whose physical sectors are split.")
@click.option("--physical", type=int, metavar="SECTORS",
              help="With --check: sectors in a physical one, of a drive that says something else.")
@click.option("--diagnose", "smart", is_flag=True,
              help="After a recording that went wrong: show the board's journal, counters and status, then "
              "ask the drive for SMART, which replaces them.")
@click.option("--try-again", is_flag=True,
              help="The same, and record at most two sectors of the extent once more that were not recorded; "
              "for `record`.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
@click.argument("verb", required=False)
@click.argument("words", nargs=-1)
def console(port, baud, timeout, serial, checks, physical, smart, try_again, as_json, verb, words):
    """Talk to a board that has the console recorder in it: record, play back and verify, look at
    counters.

    Without VERB, lines are read from standard input until Ctrl-D. Ctrl-C stops an operation. The
    exit status is 1 if the board answered with an error, which a mismatch is, too, and 2 if there
    is no answer.
    """
    need("console", "console")
    from ..pc.console.client import Client, ConsoleError
    try:
        more = HOST_VERBS.get(verb.lower()) if verb else None
        line = None
        if verb and not more:
            line = checked(tuple((as_line(verb, words) or "").split()) or (verb, *words))
        if as_json and not verb:
            raise Refusal("--json: needs a VERB")
        refuse_options(verb, smart, try_again)
        with Client(port, baud=baud, timeout=timeout, on_event=_event) as client:
            client.connect()
            if line:
                confirm(client, line, serial)
            if checks:
                check(client, line or verb or "nothing", physical)
            status = (more(client, words, as_json, serial) if more else
                      _once(client, line, as_json, smart, try_again) if line else _typed(client, timeout))
    except (BadLine, ConsoleError) as error:
        raise Refusal(str(error)) from None
    click.get_current_context().exit(status)


def _event(text):
    if text == DRIVE_FAILING:
        click.echo("warning: the drive says that it is failing", err=True)
    elif text == DRIVE_TOO_HOT:
        click.echo("warning: the drive says that it is hotter than its specified maximum", err=True)
    else:
        click.echo(f"* {text}", err=True)


def _once(client, line, as_json, smart, try_again):
    """One line and its answer; returns the exit status. ``smart``, ``try_again``: what may be asked after a
    recording that went wrong."""
    from ..pc.console.show import as_data, show
    verb, *words = line.split()
    clock_hz = client.version["clock_hz"]
    if verb in FILE_VERBS:
        # An error, of a board that makes no files, is that of `file`, too.
        now = Timestamp.of(datetime.now().astimezone())
        client.request(f"time {now.packed:#x}")
    if verb in OPERATIONS:
        with _Progress(verb, _bytes(verb, words)) as progress:
            answer = client.operate(line, on_progress=progress)
    elif verb == "stop":
        answer = client.stop()
    else:
        answer = client.request(line)
    if verb in RECORDED:
        tell(client, answer, as_json=as_json, smart=smart, try_again=try_again)
        return 1 if answer.error else 0
    if verb == "identify" and not answer.error:
        warn_of_lock(client)
    if as_json:
        click.echo(json.dumps(as_data(answer, clock_hz), indent=2))
    else:
        show(Console(), answer, clock_hz)
    if answer.error:
        click.echo(f"error: {answer.error}", err=True)
    return 1 if answer.error else 0


def _bytes(verb, words):
    """The bytes that an operation moves, None where its line does not say them."""
    if verb in FILE_VERBS:
        return verb == "file" and number(words[0]) or None
    if verb in ENDLESS:
        return None
    return SECTOR_BYTES * number(words[1]) if len(words) > 1 else None


def _typed(client, timeout):
    """Lines of standard input; returns the exit status."""
    from ..pc.console.typed import Typed
    terminal = sys.stdin.isatty()
    if terminal:
        import readline  # noqa: F401 (input() then edits the line)
        click.echo(f"{client.version['core']}; `help` lists the verbs, Ctrl-D ends")

    def show(answer):
        ending = f"error {answer.error}" if answer.error else "ok"
        click.echo("\n".join([*answer.lines, ending]))

    with Typed(client, show, patience=timeout) as typed:
        try:
            for line in iter(input, None) if terminal else map(str.rstrip, sys.stdin):
                typed.send(line)
        except EOFError:
            click.echo()
    if typed.failure:
        raise typed.failure
    return int(typed.wrong and not terminal)


class _Progress:
    """A bar on standard error, where that is a terminal, from the fields of the status."""

    def __init__(self, verb, size):
        screen = Console(stderr=True)
        self._bars = Progress(TextColumn("{task.description}"), BarColumn(), DownloadColumn(),
                              TransferSpeedColumn(), console=screen, transient=True,
                              disable=not screen.is_terminal)
        self._task = self._bars.add_task(verb, total=size)
        self._before = self._words = self._retries = 0

    def __enter__(self):
        self._bars.start()
        return self

    def __exit__(self, *exc):
        self._bars.stop()

    def __call__(self, fields):
        if (fields.get("retries") or 0) > self._retries:
            self._retries = fields["retries"]
            click.echo(f"* a command has failed, the drive's error is "
                       f"{drive_error_words(fields.get('drive_error') or 0)}; the board tries it again, "
                       f"{self._retries} times so far", err=True)
        # With `every` the board counts anew behind each update of the file.
        if fields["words"] < self._words:
            self._before += self._words
        self._words = fields["words"]
        self._bars.update(self._task, completed=4 * (self._before + self._words))

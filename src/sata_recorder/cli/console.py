"""`sata-recorder console`: a board with the console recorder, at a serial port."""

import json
import re
import sys
from datetime import datetime
from typing import Annotated

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn

from ..pc.console.grammar import (DRIVE_FAILING, DRIVE_TOO_HOT, ENDLESS, FILE_VERBS, OPERATIONS, RECORDED, VERBS,
                               BadLine, checked, number)
from ..pc.maintenance import drive_error_words
from ..pc.volume import Timestamp
from ..facts.units import SECTOR_BYTES
from ..interface.faults import nearest
from ..lab.options import Options, OptionText
from .common import Refusal, need
from .console_drive import HOST_USAGE, HOST_VERBS, as_line, check, confirm, refuse_typed, warn_of_lock
from .console_trouble import refuse_options, tell
from .live_progress import LiveProgress
from .options import options


class _Requests(click.Command):
    """A command whose help lists the requests of the line protocol."""

    def parse_args(self, ctx, args):
        # A number below 0 is a word of the request, which states what is wrong with it; no option.
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


class ConsoleOptions(Options):
    """The options of `sata-recorder console`."""

    port: Annotated[str, OptionText("PORT", required=True)]
    """The serial port, such as /dev/ttyUSB1, or a URL such as socket://host:4000."""
    baud: Annotated[int, OptionText("N", kind=click.IntRange(1), shows=True)] = 115200
    """Speed of the port in bits a second."""
    timeout: Annotated[float, OptionText("SECONDS", kind=click.FloatRange(0.1, 60), shows=True)] = 3.0
    """Longest silence of the board."""
    serial: Annotated[str | None, OptionText("TEXT")] = None
    """The drive's serial number, to confirm a command that destroys what is on it."""
    checks: Annotated[bool, OptionText(flags=("--check",))] = False
    """Before `record`: refuse a drive that is locked or reports that it is failing, and warn of one that is hot,
    worn, or whose physical sectors are split."""
    physical: Annotated[int | None, OptionText("SECTORS")] = None
    """With --check: logical sectors in a physical one, for a drive that reports a wrong number."""
    smart: Annotated[bool, OptionText(flags=("--diagnose",))] = False
    """After a recording that went wrong: show the board's journal, counters and status, then ask the drive for SMART,
    which replaces them."""
    try_again: bool = False
    """The same, and record at most two sectors of the extent once more that were not recorded; for `record`."""
    as_json: Annotated[bool, OptionText(flags=("--json",))] = False
    """JSON instead of tables."""


@click.command(cls=_Requests)
@options(asked=ConsoleOptions)
@click.argument("verb", required=False)
@click.argument("words", nargs=-1)
def console(asked, verb, words):
    """Talk to a board that has the console recorder in it: record, play back and verify, look at
    counters.

    Without VERB, lines are read from standard input until Ctrl-D. Ctrl-C stops an operation. The
    exit status is 1 if the board answered with an error or found a mismatch, and 2 if there is no
    answer.
    """
    need("console", "console")
    from ..pc.console.client import Client, ConsoleError
    try:
        more = HOST_VERBS.get(verb.lower()) if verb else None
        if verb and not more and verb.lower() not in VERBS:
            raise Refusal(f"{verb}: no such request; there are {', '.join([*VERBS, *HOST_VERBS])}"
                          f"{nearest(verb, [*VERBS, *HOST_VERBS])}")
        line = None
        if verb and not more:
            line = checked(tuple((as_line(verb, words) or "").split()) or (verb, *words))
        if asked.as_json and not verb:
            raise Refusal("--json: needs a VERB")
        refuse_options(verb, asked.smart, asked.try_again)
        with Client(asked.port, baud=asked.baud, timeout=asked.timeout, on_event=_event) as client:
            client.connect()
            if line:
                confirm(client, line, asked.serial)
            if asked.checks:
                check(client, line or verb or "nothing", asked.physical)
            status = (more(client, words, asked.as_json, asked.serial) if more else
                      _once(client, line, asked) if line else _typed(client, asked.timeout))
    except (BadLine, ConsoleError) as error:
        raise Refusal(str(error)) from None
    click.get_current_context().exit(status)


def _event(text):
    if text == DRIVE_FAILING:
        click.echo("warning: the drive reports that it is failing", err=True)
    elif text == DRIVE_TOO_HOT:
        click.echo("warning: the drive reports that it is hotter than its specified maximum", err=True)
    else:
        click.echo(f"* {text}", err=True)


def _once(client, line, asked):
    """One line and its answer; returns the exit status."""
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
        tell(client, answer, as_json=asked.as_json, smart=asked.smart, try_again=asked.try_again)
        return 1 if answer.error else 0
    if verb == "identify" and not answer.error:
        warn_of_lock(client)
    if asked.as_json:
        click.echo(json.dumps(as_data(answer, clock_hz), indent=2))
    else:
        show(Console(), answer, clock_hz)
    if answer.error:
        click.echo(f"error: {answer.error}", err=True)
    return 1 if answer.error else 0


def _bytes(verb, words):
    """The bytes that an operation moves, None where its line does not state them."""
    if verb in FILE_VERBS:
        return verb == "file" and number(words[0]) or None
    if verb in ENDLESS:
        return None
    if verb == "access":
        return SECTOR_BYTES * number(words[2]) * number(words[3])
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
                try:
                    refuse_typed(line)
                except Refusal as refusal:
                    if not terminal:
                        raise
                    click.echo(f"error: {refusal}", err=True)
                else:
                    typed.send(line)
        except EOFError:
            click.echo()
    if typed.failure:
        raise typed.failure
    return int(typed.wrong and not terminal)


class _Progress(LiveProgress):
    """A bar on standard error, where that is a terminal, from the fields of the status."""

    def __init__(self, verb, size):
        super().__init__(TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self._task = self.bars.add_task(verb, total=size)
        self._before = self._words = self._retries = 0

    def __call__(self, fields):
        if (fields.get("retries") or 0) > self._retries:
            self._retries = fields["retries"]
            click.echo(f"* a command has failed, the drive's error is "
                       f"{drive_error_words(fields.get('drive_error') or 0)}; the board tries it again, "
                       f"{self._retries} times so far", err=True)
        # With `every` the board counts again after each update of the file.
        if fields["words"] < self._words:
            self._before += self._words
        self._words = fields["words"]
        self.bars.update(self._task, completed=4 * (self._before + self._words))

"""Verbs of `sata-recorder console` that are more than one request: SMART, standby, TRIM of any length."""

import json
from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..pc.console.grammar import OPERATIONS, TRIM_SECTORS, BadLine, checked, number
from ..pc.maintenance import (LOCKED, SANITIZE_WAYS, TASKS, Alignment, BadTask, DriveVerdict, NotOffered,
                           ProcedureFailed, Security, SmartReading, enter_standby, erases, health_words,
                           identify_words, parsed, read_smart, sanitize_drive, trim_range)
from .common import Refusal


def as_line(verb, words):
    """The request for ``command`` as people write it: a name or a code, and REGISTER=VALUE; None for
    any other, and for one with the two numbers of the protocol."""
    if verb.lower() != "command" or len(words) > 1 and "=" not in "".join(words):
        return None
    try:
        return parsed(words).line
    except BadTask as error:
        raise BadLine(f"command: {error}") from None


def confirm(client, line, serial):
    """Refuses a ``line`` that erases the drive, or writes anywhere on it, unless ``serial`` is its serial number."""
    name = erases(line) or _overwrites(line)
    if name is None:
        return
    answer = client.request("identify")
    found = None if answer.error else answer.fields().get("serial")
    if not found:
        raise Refusal(f"{name}: the drive reports no serial number by which to confirm it")
    if serial is None:
        raise Refusal(f"{name} destroys what is on the drive: confirm it with --serial and the drive's "
                      "serial number (`identify` shows it)")
    if serial.strip() != found:
        raise Refusal(f"--serial {serial}: the drive's is {found}")


def _overwrites(line):
    """What a ``line`` would write anywhere on the drive, None: nothing."""
    words = line.split()
    return "access write" if words[0] == "access" and "write" in words else None


def refuse_typed(line):
    """Refuses a ``line`` as somebody typed it that :func:`confirm` would want confirmed."""
    line = line.lower()
    try:
        name = line.strip() and (erases(line) or _overwrites(line))
    except (ValueError, IndexError):
        return              # no request: the board states what is wrong with it
    if name:
        raise Refusal(f"{name} destroys what is on the drive: not in lines that are typed; give it after the options, "
                      "with --serial and the drive's serial number")


def led(client, procedure, name=None, serial=None):
    """What ``procedure`` returns; a terminal shows how far the verb ``name`` is, and a request that
    erases the drive is confirmed by ``serial``."""
    screen, answer = Console(stderr=True), None
    try:
        while True:
            step = procedure.send(answer)
            if name and step.share and screen.is_terminal:
                screen.print(f"{name}: {100 * step.share:.0f} %", end="\r")
            confirm(client, step.line, serial)
            line = checked(step.line.split())
            # While an operation runs an answer to `status` does not end it.
            answer = (client.operate if line.split()[0] in OPERATIONS else client.request)(line)
    except StopIteration as end:
        return end.value
    except NotOffered as error:
        raise Refusal(str(error)) from None


def warn_of_lock(client):
    """Reports on standard error that the drive is locked, if it is."""
    answer = client.request("identify raw")
    if not answer.error and Security.of(identify_words(answer.data())).locked:
        click.echo(f"warning: {LOCKED}", err=True)


def _words(client):
    answer = client.request("identify raw")
    if answer.error:
        raise ProcedureFailed("identify", answer.error)
    return identify_words(answer.data())


def read_care(client):
    """The :class:`..pc.maintenance.SmartReading` of the board's drive; None where the board has no `command`, or
    the drive no SMART."""
    try:
        return SmartReading(*led(client, read_smart(_words(client))))
    except (Refusal, ProcedureFailed):
        return None


def _smart(client, words, as_json):
    """SMART data as attributes, and what they show."""
    if words:
        raise BadLine(f"{words[0]}: does not belong here: smart")
    found, health = led(client, read_smart(_words(client)))
    if as_json:
        click.echo(json.dumps({
            "ok": True, "error": None,
            "health": asdict(health) | {"verdict": health.verdict.value},
            "attributes": [one._asdict() for one in found.values()]}, indent=2))
    else:
        _show(found, health)
    return int(health.verdict is DriveVerdict.FAILING)


def check(client, line, physical):
    """Before a recording: what speaks against it. Refuses a drive that is locked, or failing; the rest is reported
    on standard error. ``physical``: logical sectors in a physical one, None: what the drive reports."""
    verb, *words = line.split()
    if verb != "record":
        raise Refusal(f"--check: is for record, not for {verb}")
    lba, sectors = map(number, words[:2])
    said = _words(client)
    security = Security.of(said)
    if security.locked:
        raise Refusal(LOCKED)
    if security.enabled:
        click.echo("warning: the drive has an ATA Security password: it will be locked after its next loss of power",
                   err=True)
    try:
        alignment = Alignment.of(said, sectors=physical)
    except ValueError as error:
        raise Refusal(f"--physical {physical}: {error}") from None
    if alignment.splits(lba, sectors):
        first, count = alignment.within(lba, sectors)
        click.echo(f"warning: the drive's physical sectors have {alignment.sectors} sectors, and the "
                   f"extent splits one; {first} {count} does not", err=True)
    try:
        _, health = led(client, read_smart(said))
    except Refusal as refusal:
        click.echo(f"warning: the drive reports nothing about its health: {refusal.message}", err=True)
        return
    except ProcedureFailed as failed:
        raise Refusal(f"--check: {failed}") from None
    reasons = "; ".join(health.reasons)
    if health.verdict is DriveVerdict.FAILING:
        raise Refusal(f"the drive is failing: {reasons}")
    if health.verdict is not DriveVerdict.GOOD:
        click.echo(f"warning: the drive's health is {health.verdict.value}: {reasons}", err=True)


def _show(found, health):
    console = Console()
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("", "attribute", "value", "worst", "threshold", "raw"):
        table.add_column(title, justify="left" if title == "attribute" else "right")
    for one in found.values():
        value, worst, raw = one.texts
        table.add_row(*(Text(str(cell)) for cell in (
            one.number, one.name, value, worst, one.threshold or "-", raw)))
    console.print(table)
    console.print()
    rows = Table(box=None, pad_edge=False, show_header=False)
    rows.add_column(style="dim")
    rows.add_column()
    for name, text in health_words(health):
        rows.add_row(name, Text(text))
    rows.add_row("attributes by", Text(health.known_by or "nobody: what they mean is unknown"))
    console.print(rows)


def _standby(client, words, as_json):
    """FLUSH CACHE, then STANDBY IMMEDIATE."""
    if words:
        raise BadLine(f"{words[0]}: does not belong here: standby")
    mode = led(client, enter_standby())
    if as_json:
        click.echo(json.dumps({"ok": True, "error": None, "power_mode": mode}, indent=2))
    else:
        click.echo(f"the drive's cache is flushed, and it is in power mode {mode:#04x}"
                   + (", standby" if mode == 0 else ""))
    return 0


def _trim(client, words, as_json):
    """TRIM of any extent: as many commands as it takes."""
    line = checked(("trim", *words))
    lba, sectors = map(number, line.split()[1:])
    answer = client.request("identify")
    if answer.error:
        raise ProcedureFailed("identify", answer.error)
    capacity = answer.fields()["capacity"]
    done = led(client, trim_range(_words(client), capacity, lba, sectors, TRIM_SECTORS), "trim")
    if as_json:
        click.echo(json.dumps({"ok": True, "error": None, "lba": lba, "sectors": done}, indent=2))
    else:
        click.echo(f"trimmed {done:,} sectors, {lba:,} to {lba + done - 1:,}")
    return 0


def _sanitize(client, words, as_json, serial):
    """SANITIZE DEVICE to its end."""
    if len(words) != 1 or words[0].lower() not in SANITIZE_WAYS:
        raise BadLine(f"sanitize: one of {', '.join(SANITIZE_WAYS)} must follow")
    way = words[0].lower()
    good = led(client, sanitize_drive(_words(client), way), "sanitize", serial)
    if as_json:
        click.echo(json.dumps({"ok": good, "error": None if good else "sanitize-failed"}, indent=2))
    elif good:
        click.echo("the drive is erased")
    if not good:
        click.echo("error: sanitize: the drive has not completed it", err=True)
    return int(not good)


def _guarded(verb):
    """An error of the board ends the verb with status 1, as that of any request does."""
    def run(client, words, as_json, serial):
        try:
            if verb is _sanitize:
                return verb(client, words, as_json, serial)
            return verb(client, words, as_json)
        except ProcedureFailed as failed:
            if as_json:
                click.echo(json.dumps({"ok": False, "error": failed.error}, indent=2))
            click.echo(f"error: {failed}", err=True)
            return 1
    return run


#: What is done by several requests: called with the client, the words after the verb, whether the answer
#: is JSON, and the serial number that was typed; returns the exit status.
HOST_VERBS = {"smart": _guarded(_smart), "standby": _guarded(_standby), "trim": _guarded(_trim),
              "sanitize": _guarded(_sanitize)}
#: What the help prints about verbs and forms that are no requests.
HOST_USAGE = {
    "smart": "SMART attributes by name, wear, temperature, write amplification, and a verdict; "
             "status 1 if the drive is failing",
    "standby": "FLUSH CACHE, then STANDBY IMMEDIATE",
    "sanitize block|crypto": "SANITIZE DEVICE: erases all of the drive; needs --serial",
    f"command {'|'.join(TASKS)}|CODE [REGISTER=VALUE ...] [data=none|in|pio]":
        "any ATA command by its name or code; registers: command, features, count, lba, device",
}

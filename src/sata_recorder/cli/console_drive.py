"""Verbs of `sata-recorder console` that are more than one request: SMART, standby, TRIM of any length."""

import json
from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..console.grammar import TRIM_SECTORS, BadLine, checked, number
from ..maintenance import (TASKS, Alignment, BadPage, BadTask, DriveVerdict, attributes, erases, health_of,
                           parsed, task, trim_extents)
from .common import Refusal

__all__ = ["HOST_USAGE", "HOST_VERBS", "as_line", "check", "confirm"]

#: Words of IDENTIFY DEVICE data and their bits (ATA8-ACS): SMART is there, is enabled; TRIM is there.
_SMART, _SMART_ENABLED, _TRIM = (82, 0), (85, 0), (169, 0)
#: The ways to erase with SANITIZE DEVICE, and the bits that say that they are there (ACS-2).
_SANITIZE = {"block": (59, 15), "crypto": (59, 13)}
#: Bits of Count after SANITIZE STATUS.
_COMPLETED, _IN_PROGRESS = 15, 14


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
    """Refuses a ``line`` that erases the drive, unless ``serial`` is its serial number."""
    name = erases(line)
    if name is None:
        return
    answer = client.request("identify")
    found = None if answer.error else answer.fields().get("serial")
    if not found:
        raise Refusal(f"{name}: the drive tells no serial number by which to confirm it")
    if serial is None:
        raise Refusal(f"{name} destroys what is on the drive: confirm it by --serial and the drive's "
                      "serial number (`identify` shows it)")
    if serial.strip() != found:
        raise Refusal(f"--serial {serial}: the drive is {found}")


def _operate(client, line):
    """The fields of the answer to ``line``, and its data; refuses an error of the board."""
    answer = client.operate(checked(line.split()))
    if answer.error:
        raise _Failed(line.split()[0], answer)
    return answer.fields(), answer.data()


class _Failed(Exception):
    """The board has answered ``verb`` with an error."""

    def __init__(self, verb, answer):
        super().__init__(f"{verb}: {answer.error}")
        self.error = answer.error


def _words(client):
    answer = client.request("identify raw")
    if answer.error:
        raise _Failed("identify", answer)
    page = answer.data()
    return [int.from_bytes(page[n:n + 2], "little") for n in range(0, 512, 2)]


def _has(words, place):
    word, bit = place
    return words[word] >> bit & 1


def _looked_at(client):
    """The SMART attributes, and the health that follows; refuses a drive that has none."""
    said = _words(client)
    if not _has(said, _SMART):
        raise Refusal("smart: the drive has no SMART (word 82 of IDENTIFY DEVICE, bit 0)")
    if not _has(said, _SMART_ENABLED):
        raise Refusal("smart: it is disabled in the drive; `command smart-enable` enables it")
    data = _operate(client, task("smart-read-data").line)[1]
    try:
        # ATA8-ACS has no thresholds any more, and some drives neither.
        limits = _operate(client, task("smart-read-thresholds").line)[1]
    except _Failed:
        limits = None
    status = _operate(client, task("smart-return-status").line)[0]["result_lba"] >> 8 & 0xFFFF
    try:
        found = attributes(data, limits)
    except BadPage as error:
        raise Refusal(f"smart: {error}") from None
    return found, health_of(found, status=status)


def _smart(client, words, as_json):
    """SMART data as attributes, and what they say."""
    if words:
        raise BadLine(f"{words[0]}: does not belong there: smart")
    found, health = _looked_at(client)
    if as_json:
        click.echo(json.dumps({
            "ok": True, "error": None,
            "health": asdict(health) | {"verdict": health.verdict.value},
            "attributes": [one._asdict() for one in found.values()]}, indent=2))
    else:
        _show(found, health)
    return int(health.verdict is DriveVerdict.FAILING)


def check(client, line, physical):
    """Before a recording: what speaks against it. Refuses a drive that is failing; the rest is told on
    the standard error. ``physical`` sectors in a physical one, None: what the drive says."""
    verb, *words = line.split()
    if verb != "record":
        raise Refusal(f"--check: is for record, not for {verb}")
    lba, sectors = map(number, words[:2])
    said = _words(client)
    try:
        alignment = Alignment.of(said, sectors=physical)
    except ValueError as error:
        raise Refusal(f"--physical {physical}: {error}") from None
    if alignment.splits(lba, sectors):
        first, count = alignment.within(lba, sectors)
        click.echo(f"warning: the drive's physical sectors have {alignment.sectors} sectors, and the "
                   f"extent splits one; {first} {count} does not", err=True)
    if not _has(said, _SMART) or not _has(said, _SMART_ENABLED):
        click.echo("warning: the drive says nothing of its health: it has no SMART, or it is disabled",
                   err=True)
        return
    try:
        _, health = _looked_at(client)
    except _Failed as failed:
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
        table.add_row(*(Text(str(cell)) for cell in (
            one.number, one.name, one.value, one.worst, one.threshold or "-", f"{one.raw:,}")))
    console.print(table)
    console.print()
    rows = Table(box=None, pad_edge=False, show_header=False)
    rows.add_column(style="dim")
    rows.add_column()
    for name, text in _told(health):
        rows.add_row(name, Text(text))
    console.print(rows)


def _told(health):
    """What is known in words; what is not is unknown."""
    def known(value, form):
        return "unknown" if value is None else form(value)

    yield "worn", known(health.worn, "{} %".format)
    yield "spare", known(health.spare, "{} % left".format)
    yield "temperature", known(health.celsius, "{} degrees Celsius".format)
    yield "written", known(health.written_bytes, lambda size: f"{size / 1e9:,.2f} GB by the host")
    yield "write amplification", known(health.amplification, "{:.2f}".format)
    yield "raw bit error rate", known(health.bit_error_rate, "{:.1e}".format)
    yield "verdict", health.verdict.value
    for reason in health.reasons:
        yield "", reason


def _standby(client, words, as_json):
    """FLUSH CACHE, then STANDBY IMMEDIATE."""
    if words:
        raise BadLine(f"{words[0]}: does not belong there: standby")
    _operate(client, "flush")
    _operate(client, task("standby-immediate").line)
    mode = _operate(client, task("check-power-mode").line)[0]["result_count"]
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
    said = _words(client)
    if not _has(said, _TRIM):
        raise Refusal("trim: the drive has no TRIM (word 169 of IDENTIFY DEVICE, bit 0)")
    capacity = client.request("identify").fields()["capacity"]
    if not sectors:
        raise Refusal("trim: SECTORS = 0: at least 1")
    if lba + sectors > capacity:
        raise Refusal(f"trim: sectors {lba} to {lba + sectors - 1}: the drive has {capacity}")
    done = 0
    screen = Console(stderr=True)
    for first, count in trim_extents(lba, sectors, TRIM_SECTORS):
        _operate(client, f"trim {first} {count}")
        done += count
        if screen.is_terminal:
            screen.print(f"trim: {100 * done / sectors:.0f} %", end="\r")
    if as_json:
        click.echo(json.dumps({"ok": True, "error": None, "lba": lba, "sectors": done}, indent=2))
    else:
        click.echo(f"trimmed {done:,} sectors, {lba:,} to {lba + done - 1:,}")
    return 0


def _sanitize(client, words, as_json, serial):
    """SANITIZE DEVICE to its end."""
    if len(words) != 1 or words[0].lower() not in _SANITIZE:
        raise BadLine(f"sanitize: one of {', '.join(_SANITIZE)} must follow")
    way = words[0].lower()
    line = task(f"sanitize-{way}").line
    if not _has(_words(client), _SANITIZE[way]):
        raise Refusal(f"sanitize {way}: the drive does not have it (word 59 of IDENTIFY DEVICE, bit "
                      f"{_SANITIZE[way][1]})")
    confirm(client, line, serial)
    _operate(client, line)
    screen = Console(stderr=True)
    while True:
        told = _operate(client, task("sanitize-status").line)[0]
        if not told["result_count"] >> _IN_PROGRESS & 1:
            break
        if screen.is_terminal:
            screen.print(f"sanitize: {100 * (told['result_lba'] & 0xFFFF) / 0xFFFF:.0f} %", end="\r")
    good = bool(told["result_count"] >> _COMPLETED & 1)
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
        except _Failed as failed:
            if as_json:
                click.echo(json.dumps({"ok": False, "error": failed.error}, indent=2))
            click.echo(f"error: {failed}", err=True)
            return 1
    return run


#: What is done by several requests: called with the client, the words behind it, whether the answer
#: is JSON, and the serial number that was typed; returns the exit status.
HOST_VERBS = {"smart": _guarded(_smart), "standby": _guarded(_standby), "trim": _guarded(_trim),
              "sanitize": _guarded(_sanitize)}
#: What the help says of those that are no requests.
HOST_USAGE = {
    "smart": "SMART attributes by name, wear, temperature, write amplification, and a verdict; "
             "status 1 if the drive is failing",
    "standby": "FLUSH CACHE, then STANDBY IMMEDIATE",
    "sanitize block|crypto": "SANITIZE DEVICE: erases all of the drive; needs --serial",
    f"command {'|'.join(TASKS)}|CODE [REGISTER=VALUE ...] [data=none|in|pio]":
        "any ATA command by its name or code; registers: command, features, count, lba, device",
}

"""What `sata-recorder console` prints after a recording that went wrong, and the requests that it may make for that."""

import json
from dataclasses import replace

import click
from rich.console import Console

from ..pc.console.grammar import RECORDED
from ..pc.maintenance import diagnose, needs_diagnosis
from .common import Refusal
from .console_drive import led

#: What the board reports about the recording only until its next operation begins.
_REPLACED = ("journal", "counters", "status")


def refuse_options(verb, smart, try_again):
    """Refuses --diagnose and --try-again where ``verb``, None where lines are typed, is not theirs."""
    for option, given, verbs in (("--diagnose", smart, RECORDED), ("--try-again", try_again, ("record",))):
        if given and (verb or "").lower() not in verbs:
            raise Refusal(f"{option}: is for {', '.join(verbs)}, not for {verb or 'lines that are typed'}")


def tell(client, answer, *, as_json, smart, try_again):
    """Shows the ``answer`` to a recording and what a failure means for the drive.

    Without ``smart`` and ``try_again`` the board is only queried for what it knows. With one of them its
    journal, counters and status are shown before the first operation that replaces them.
    """
    from ..pc.console.show import as_data, show
    clock_hz = client.version["clock_hz"]
    told = as_data(answer, clock_hz)
    wrong = needs_diagnosis(answer.fields(), answer.error)
    asks = wrong and (smart or try_again)
    if not as_json:
        # The journal follows, and what the board has after that is another one.
        lines = (line for line in answer.lines if not (asks and line.startswith("journal-entries ")))
        show(Console(), replace(answer, lines=tuple(lines)), clock_hz)
    if answer.error:
        click.echo(f"error: {answer.error}", err=True)
    try:
        if wrong:
            journal = client.request("journal")
            for verb in _REPLACED if asks else ():
                one = journal if verb == "journal" else client.request(verb)
                told[verb] = one.fields() if verb != "journal" else _entries(one)
                if not as_json:
                    show(Console(), one, clock_hz)
            found = _diagnosed(client, answer, _entries(journal), smart, try_again)
            told["diagnosis"] = {"trouble": found.trouble.value, "text": found.text, "tried": [
                {"lba": lba, "sectors": sectors} for lba, sectors in found.tried]}
            click.echo(f"drive: {found.text}", err=True)
    finally:
        # Also where the board falls silent meanwhile: what it has sent is not lost.
        if as_json:
            click.echo(json.dumps(told, indent=2))


def _entries(journal):
    """The entries of the answer ``journal``, or None."""
    return None if journal.error else journal.fields().get("entries")


def _diagnosed(client, answer, entries, smart, try_again):
    """The :class:`..pc.maintenance.Diagnosis`; nothing that replaces the journal is requested where that could not
    be read."""
    if entries is None and (smart or try_again):
        click.echo("warning: the journal cannot be read, so the drive is not queried", err=True)
        smart = try_again = False
    return led(client, diagnose(answer.fields(), answer.error, entries, smart=smart, try_again=try_again))

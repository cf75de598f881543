"""The table of the lines of a recording that `sata-recorder extract --lines` writes."""

from itertools import islice

import click

from ..facts.units import WORD_BYTES
from .common import Refusal
from .output_file import OutputFile

#: Lines of the table that are written together.
_BATCH = 4096


def check_lines(recording):
    """Refuses a recording whose log has no lines."""
    if recording.log is None or recording.log.lines is None:
        why = "it has no log" if recording.log is None else "its core had no file_lines"
        raise Refusal(f"--lines: nothing shows the lines of {recording.name}: {why}")


def write_lines(recording, first_word, size, path, *, err, overwrite):
    """Writes where each line is in a copy of ``size`` bytes that begins with the word ``first_word`` of the
    ``recording``, as CSV. Returns whether all of them are known, and there. ``err``: it reports on standard error;
    ``overwrite``: it replaces a foreign file."""
    lines, first = recording.log.lines, WORD_BYTES * first_word
    file = OutputFile("--lines", path, overwrite)
    shown = 0
    try:
        file.write(b"line,first_byte,bytes,whole\n")
        found = lines.within(first, first + size)
        while some := list(islice(found, _BATCH)):
            shown += len(some)
            file.write("".join(f"{one.number},{one.first_byte},{one.bytes},{'yes' if one.whole else 'no'}\n"
                               for one in some).encode())
        file.place()
    finally:
        file.discard()
    cut = recording.order is None and not lines.are_in(recording.bytes)
    text = lines.text_in(recording.bytes) if cut else lines.text
    click.echo(f"lines    {path}: {shown:,} here; the recording has {text}", err=err)
    known = lines.are_known or lines.end >= first + size
    if not known:
        click.echo(f"lines    from byte {max(0, lines.end - first):,} of the copy on their lengths are not known: the "
                   "log had no room for more that differ", err=err)
    return known and not cut

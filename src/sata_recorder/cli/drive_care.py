"""What a board's drive says of itself before and behind something that was done to it."""

from rich.table import Table
from rich.text import Text

from ..console.grammar import OPERATIONS
from ..maintenance import NotOffered, ProcedureFailed, health_words, identify_words, read_smart

__all__ = ["read_care", "show_care"]


def read_care(client):
    """(attributes, health) of the drive of the board at ``client``; None where the board has no
    `command`, or the drive no SMART."""
    answer = client.request("identify raw")
    if answer.error:
        return None
    procedure, answer = read_smart(identify_words(answer.data())), None
    try:
        while True:
            line = procedure.send(answer).line
            answer = (client.operate if line.split()[0] in OPERATIONS else client.request)(line)
    except StopIteration as end:
        return end.value
    except (NotOffered, ProcedureFailed):
        return None


def show_care(console, before, behind, *, simulated):
    """Prints both on the rich console; nothing where there is nothing to ask. What the drive does not
    say is "unknown"."""
    if before is None and behind is None:
        return
    console.print()
    console.print("what the drive says of itself, by SMART" + (
        ": a simulated drive, whose figures are those of no real one" if simulated else ""))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    table.add_column("before", justify="right")
    table.add_column("behind", justify="right")
    for name, *values in _rows(before, behind):
        table.add_row(name, *map(Text, values))
    console.print(table)
    for _, health in filter(None, (behind or before,)):
        for reason in health.reasons:
            console.print(Text(reason))


def _rows(before, behind):
    """(name, before, behind) of what is known of the drive's health, then of each attribute."""
    told = [dict(pair for pair in health_words(one[1]) if pair[0]) if one else {} for one in (before, behind)]
    for name in dict.fromkeys([*told[0], *told[1]]):
        yield name, *(one.get(name, "unknown") for one in told)
    found = [one[0] if one else {} for one in (before, behind)]
    for number in sorted({*found[0], *found[1]}):
        name = next(one[number].name for one in found if number in one)
        yield f"{number} {name}", *(f"{one[number].raw:,}" if number in one else "unknown" for one in found)

"""What a board's drive reports about itself before and after something that was done to it."""

from ..pc.console.grammar import OPERATIONS
from ..pc.maintenance import NotOffered, ProcedureFailed, SmartReading, identify_words, read_smart
from ..report import render_readings


def read_care(client):
    """The :class:`..pc.maintenance.SmartReading` of the drive of the board at ``client``; None where the
    board has no `command`, or the drive no SMART."""
    answer = client.request("identify raw")
    if answer.error:
        return None
    procedure, answer = read_smart(identify_words(answer.data())), None
    try:
        while True:
            line = procedure.send(answer).line
            answer = (client.operate if line.split()[0] in OPERATIONS else client.request)(line)
    except StopIteration as end:
        return SmartReading(*end.value)
    except (NotOffered, ProcedureFailed):
        return None


def show_care(console, before, after, *, simulated):
    """Prints both on the rich console; nothing where there is nothing to query. What the drive does not
    report is "unknown"."""
    if before is None and after is None:
        return
    render_readings(console, before, after, simulated=simulated)

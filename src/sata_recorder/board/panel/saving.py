"""What the panel saves: everything as data, and tables of it as CSV."""

import csv
import io
from datetime import datetime

from ...facts.units import BINS
from ...pc.console.access import access_figures
from ...pc.console.grammar import EVERY
from ...pc.console.identify_data import identify_rows
from ...pc.console.sound import ACCOUNTS

SIMULATED = "Simulated: board and drive are software models. Not measured on hardware."
_MEASURED = "Told by the board: its words and its clocks."


def session_data(state):
    """All that is known, in a form that JSON can hold. Its ``statement`` states whether it is simulated."""
    moved = latest_moved(state)
    return {
        "saved": datetime.now().isoformat(timespec="seconds"),
        "simulated": state.is_simulated,
        "statement": SIMULATED if state.is_simulated else _MEASURED,
        "board": {"port": state.port} | state.version,
        "drive": {"model": "no drive"} | state.identity,
        "identify": dict(identify_rows(state.identify_data)) if state.identify_data else {},
        "operation": moved and _with_series(moved),
        "scan": state.scan and _scan(state.scan),
        "access": _access(state),
        "operations": [_row(operation) for operation in _all(state) if not operation.series],
        "counters": state.counters,
        "journal": state.journal,
        "log": [{"at": line.at.strftime("%H:%M:%S"), "kind": line.kind, "text": line.text}
                for line in state.log],
    }


def intervals_csv(data):
    """The intervals of the latest operation, as CSV: rows with its speed, then rows with the shares of
    its ledger."""
    moved = data["operation"] or {"intervals": [], "ledger": []}
    rows = [{"series": "speed", **row} for row in moved["intervals"]]
    rows += [{"series": "ledger", "seconds": row["seconds"], "high_water": row["high_water"],
              **{f"{name}_percent": value for name, value in row["percent"].items()}}
             for row in moved["ledger"]]
    return _csv(["simulated", "series", "seconds", "lba", "mb_per_s", "high_water",
                 *(f"{name}_percent" for name in ACCOUNTS)], rows, data)


def blocks_csv(data):
    """The blocks of the latest scan, as CSV."""
    return _csv(["simulated", "lba", "sectors", "ms", "mb_per_s", "words", "clocks", "mismatches",
                 "error"], data["scan"]["blocks"] if data["scan"] else [], data)


def _csv(columns, rows, data):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({"simulated": data["simulated"]} | row)
    return text.getvalue()


def _all(state):
    return [*state.past, *([state.operation] if state.operation else [])]


def latest_moved(state):
    """The latest operation that moved data, leaving out blocks of scans; None if there is none."""
    return next((operation for operation in reversed(_all(state))
                 if operation.moves and not operation.series), None)


def latest_access(state):
    """The latest accesses; None if there are none."""
    return next((operation for operation in reversed(_all(state)) if operation.verb == "access"), None)


def line_of(operation):
    """The request, as it is typed."""
    numbers = operation.numbers or (operation.lba, operation.sectors if operation.moves else None)
    words = (operation.verb, *numbers, operation.pattern, operation.way,
             "flush" if operation.fields.get("flush") else None,
             *((EVERY, operation.fields[EVERY]) if EVERY in operation.fields else ()))
    return " ".join(str(word) for word in words if word is not None)


def _row(operation):
    fields = operation.fields
    return {"line": line_of(operation), "state": operation.state, "error": operation.error,
            "mb_per_s": fields.get("mb_per_s"), "words": fields.get("words"),
            "clocks": fields.get("clocks"), "mismatches": fields.get("mismatches"),
            "retries": operation.retries, "skipped_sectors": fields.get("skipped_sectors")}


def _access(state):
    """The latest accesses: what the board has answered, what follows from its clock, and the times of their
    commands."""
    operation = latest_access(state)
    if operation is None:
        return None
    found = _row(operation) | operation.fields
    if "accesses" in operation.fields:
        found |= access_figures(operation.fields, state.clock_hz)
    return found | {"command_times": None if state.times is None else list(times_rows(state))}


def times_rows(state):
    """[from, to, commands] in seconds of each range of times that commands of the latest access took; to is None for
    the last range, which has all that took longer."""
    for number, count in sorted((state.times or {}).items()):
        yield [(1 << number) / state.clock_hz, (2 << number) / state.clock_hz if number < BINS - 1 else None, count]


def _with_series(operation):
    return _row(operation) | {
        "intervals": [{"seconds": seconds, "mb_per_s": rate, "lba": lba}
                      for seconds, rate, lba in operation.speeds()],
        "ledger": [{"seconds": seconds, "percent": dict(zip(ACCOUNTS, percent)),
                    "high_water": high_water, "held_percent": held}
                   for (seconds, percent), (_, high_water, held)
                   in zip(operation.shares(), operation.buffer())]}


def _scan(scan):
    return {"verb": scan.verb, "pattern": scan.pattern, "state": scan.state, "error": scan.error,
            "planned": len(scan.plan),
            "blocks": [{"lba": block.lba, "sectors": block.sectors, "ms": block.ms,
                        "mb_per_s": block.mb_per_s, "words": block.words, "clocks": block.clocks,
                        "mismatches": block.mismatches, "error": block.error}
                       for block in scan.blocks]}

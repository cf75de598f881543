"""A real drive's life for people: how it ended, what is safe, and how it came."""

from rich.table import Table

from ..board.endurance import size_text
from .plan_text import duration
from .wear_text import say

_WRITTEN = {"sequential": "trimmed and written in order, again and again", "ring": "in order, round and round, never "
            "trimmed"}
#: Most rows of the table.
_ROWS = 11


def render_run(console, log, request, ending, lost=None):
    """Prints the run of a :class:`..board.endurance.EnduranceLog` on the rich console; without ``ending`` it was ended
    by Ctrl-C, or by ``lost``."""
    drive, done, rows = log.state["drive"], log.state["progress"], log.rows
    rate = "as fast as it goes" if request.rate is None else f"at {request.rate / 1e6:,.6g} MB/s"
    say(console, f"asked  {drive['model']}, {drive['serial']}: sectors {request.lba:,} to "
                 f"{request.lba + request.sectors - 1:,}, {_WRITTEN[request.pattern]}, {rate}, until {request.end}")
    say(console, f"ended  {lost or 'interrupted' if ending is None else ending.text}")
    laps = f"{done['lap']:,} whole lap" + "s" * (done["lap"] != 1)
    say(console, f"wrote  {size_text(done['bytes'])} in {duration(done['seconds'] or 1e-9)}, {laps}; "
                 f"{done['failures']} failures, {done['retries']} commands tried again, {done['mismatches']} words "
                 "that differ")
    for text in ending.safe if ending is not None else ():
        say(console, f"safe   {text}")
    if ending is None or ending.kind == "interrupted":
        say(console, f"       `sata-recorder wear --port PORT --serial '{drive['serial']}' --log {log.path} --resume` "
                     "goes on")
    if ending is not None and ending.kind == "read-only":
        say(console, "       it takes no write any more: copy at once what you need")
    for name, text in _drive(rows):
        say(console, f"{name:<7}{text}")
    _table(console, rows)


def _drive(rows):
    """What the drive reports at the end, and since the beginning."""
    seen = [one for one in rows if one["verdict"] is not None]
    if not seen:
        yield "drive", "it reports nothing by SMART: unknown how worn it is"
        return
    last = seen[-1]
    worn, spare = (_known(last[name], "{:.0f} %") for name in ("worn", "spare"))
    yield "drive", f"{last['verdict']}; worn {worn}, spare {spare}"
    yield "erases", ", ".join(f"{name} {_known(last[f'{name}_erased'], '{:,}')}" for name in ("least", "mean", "most"))
    counted = [one for one in seen if one["mean_erased"] is not None]
    erased = counted[-1]["mean_erased"] - counted[0]["mean_erased"] if counted else 0
    if erased > 0:
        size = counted[-1]["bytes"] - counted[0]["bytes"]
        yield "", f"{size_text(size / erased)} written for each erase in the mean"
    yield "blocks", f"bad: {_known(last['bad_blocks'], '{:,}')}"
    exponent = _known(last["error_exponent"], "; the drive shows the exponent {}")
    yield "errors", f"raw, in a bit read: {_known(last['bit_error_rate'], '{:.2e}')}" + (
        exponent if exponent != "unknown" else "")
    if all(last[name] is None for name in ("worn", "mean_erased", "written_bytes")):
        yield "", f"raw values: {last['attributes']}"


def _known(value, form):
    return "unknown" if value is None else form.format(value)


def _table(console, rows):
    console.print()
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("time", "written", "MB/s", "erases", "worn", "bad", "C", "verdict"):
        table.add_column(title, justify="left" if title in ("time", "verdict") else "right", no_wrap=True)
    step = max(1, -(-len(rows) // _ROWS))
    for one in [*rows[:-1][::step], *rows[-1:]]:
        table.add_row(one["time"], size_text(one["bytes"]), _cell(one["rate"] and one["rate"] / 1e6, "{:,.1f}"),
                      _cell(one["mean_erased"], "{:,}"), _cell(one["worn"], "{:.0f}"), _cell(one["bad_blocks"], "{:,}"),
                      _cell(one["celsius"], "{:.0f}"), one["verdict"] or "-")
    console.print(table, highlight=False)


def _cell(value, form):
    return "-" if value is None else form.format(value)


def as_picture(log):
    """The log as the data of :func:`..report.wear_picture`."""
    request = log.state["request"]
    rows = [one for one in log.rows if one["rate"] is not None] or log.rows[-1:]
    return {"drive": f"{log.state['drive']['model']}, {log.state['drive']['serial']}", "pattern": request["pattern"],
            "rate": request["rate"], "measured": True, "samples": [
                {"host_bytes": one["bytes"], "least": one["least_erased"], "mean": one["mean_erased"],
                 "most": one["most_erased"], "amplification": one["amplification"], "bad_blocks": one["bad_blocks"],
                 "taken": one["rate"], "rate": one["rate"],
                 "bit_errors": {} if one["bit_error_rate"] is None else {"by SMART": one["bit_error_rate"]}}
                for one in rows]}

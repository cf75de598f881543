"""The plots of what the panel has done with a board, from the dictionary that it saves.

They show throughput, ledger and buffer of the latest operation that moved data over time, and speed and
time of blocks against the LBA.
"""

from .colours import COLOURS, WHO
from .drawing import axis, figure, note, rendered


def panels(data):
    """(title, function that draws it on axes) of each plot that has something to show."""
    moved, scan = data.get("operation"), data.get("scan")
    if moved and moved["intervals"]:
        yield _title("Throughput", moved), lambda axes: _throughput(axes, moved)
    if moved and moved["ledger"]:
        yield "Where the time went", lambda axes: _ledger(axes, moved)
        yield "Buffer", lambda axes: _buffer(axes, moved, data["board"].get("buffer_words"))
    places = [row for row in moved["intervals"] if row["lba"] is not None] if moved else []
    if places or scan:
        yield "Speed against LBA", lambda axes: _speed(axes, places, scan)
    if scan:
        yield "Time of a block against LBA", lambda axes: _blocks(axes, scan)


def picture(data):
    """All plots, one below the other, as the bytes of a PNG."""
    drawn = list(panels(data))
    with figure(max(2.0, 2.4 * len(drawn) + 0.4)) as made:
        parts = made.subplots(max(1, len(drawn)), squeeze=False)[:, 0]
        for axes, (title, draw) in zip(parts, drawn):
            axes.set_title(title)
            draw(axes)
        if not drawn:
            parts[0].axis("off")
            parts[0].set_title("Nothing was measured yet")
        note(made, data["statement"])
        return rendered(made, "png")


def _title(text, moved):
    return f"{text}: {moved['line']}"


def _throughput(axes, moved):
    rows = moved["intervals"]
    axes.plot([row["seconds"] for row in rows], [row["mb_per_s"] for row in rows],
              color=WHO["payload"], linewidth=1.5)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time of the operation (s)")
    axes.set_ylabel("MB/s")
    axis(axes.yaxis, ticks=5)


def _ledger(axes, moved):
    rows = moved["ledger"]
    times = [0.0, *(row["seconds"] for row in rows)]
    floor = [0.0] * len(times)
    for account, colour in COLOURS.items():
        values = [row["percent"][account] for row in rows]
        if any(values):
            top = [low + value for low, value in zip(floor, [values[0], *values])]
            axes.fill_between(times, floor, top, step="pre", color=colour, linewidth=0.3,
                              label=account.replace("_", " "))
            floor = top
    axes.set_ylim(0, 100)
    axes.set_xlim(0, times[-1])
    axes.set_xlabel("time of the operation (s)")
    axes.set_ylabel("share of the clocks")
    axis(axes.yaxis, " %", ticks=5)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), handlelength=1.2, fontsize="x-small")


def _buffer(axes, moved, room):
    rows = moved["ledger"]
    times = [row["seconds"] for row in rows]
    axes.step(times, [row["high_water"] for row in rows], where="post", color=WHO["payload"])
    if room:
        axes.axhline(room, color=WHO["total"], linewidth=1.2, dashes=(5, 3))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time of the operation (s)")
    axes.set_ylabel("most words so far")
    axis(axes.yaxis, ticks=5, whole=True)


def _speed(axes, places, scan):
    if places:
        axes.plot([row["lba"] for row in places], [row["mb_per_s"] for row in places],
                  color=WHO["payload"], linewidth=1.3, label="in the operation")
    if scan:
        good = [row for row in scan["blocks"] if row["error"] is None]
        axes.plot([row["lba"] for row in good], [row["mb_per_s"] for row in good], "o",
                  markersize=3, color=WHO["host"], label="blocks of the scan")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("LBA (sector)")
    axes.set_ylabel("MB/s")
    axis(axes.xaxis, ticks=6, whole=True)
    axis(axes.yaxis, ticks=5)
    if places and scan:
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)


def _blocks(axes, scan):
    for error, colour, label in ((False, WHO["drive"], "good"), (True, WHO["recovery"], "error")):
        rows = [row for row in scan["blocks"] if (row["error"] is not None) is error]
        if rows:
            axes.plot([row["lba"] for row in rows], [row["ms"] for row in rows], "o", markersize=3,
                      color=colour, label=label)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("first LBA of the block (sector)")
    axes.set_ylabel("ms")
    axis(axes.xaxis, ticks=6, whole=True)
    axis(axes.yaxis, ticks=5)

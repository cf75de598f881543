"""The pictures of a measurement, from the dictionary that :func:`..lab.measurement.as_data` makes.

Each function draws one transfer. :func:`pictures` lists those that have something to show, which takes
a timeline or more than one command; :func:`write` puts them into files.
"""

import math
from contextlib import contextmanager
from dataclasses import dataclass

from matplotlib.patches import Patch
from matplotlib.ticker import NullLocator

from .. import outputs
from ..simulation import WHOSE
from .intervals import Intervals, held
from .colours import COLOURS, WHO
from .drawing import axis, duration, figure, note, rendered, time_unit
from .picture import FORMATS


@dataclass(frozen=True)
class Picture:
    """``draw()`` is a context manager that gives the figure; ``name`` is for files, ``title`` for people."""

    name: str
    title: str
    draw: callable


def pictures(transfer):
    """All pictures that can be drawn of ``transfer``, an entry of ``transfers``."""
    intervals = Intervals.of(transfer)
    found = []

    def add(name, title, draw, *arguments):
        found.append(Picture(name, title, lambda: draw(transfer, *arguments)))

    if intervals:
        add("ledger", "Where the time went", _ledger, intervals)
        add("throughput", "Throughput", _throughput, intervals)
        add("buffer", "Buffer", _buffer, intervals)
    if len(_detail(transfer).get("clocks", ())) > 1:
        add("commands", "Time of each command", _commands)
    if transfer.get("overhead"):
        add("overhead", "Overhead between commands", _overhead)
    return found


def write(data, folder, formats=FORMATS, *, overwrite=False):
    """Writes the pictures of all transfers into ``folder``, which is created if it is missing.

    The names are ``OPERATION-PICTURE.FORMAT``. Returns the paths; raises ``OSError``, also as
    :func:`..outputs.write` does.
    """
    paths = []
    with outputs.folder(folder) as folder:
        for transfer in data["transfers"]:
            for picture in pictures(transfer):
                with picture.draw() as made:
                    note(made, data["simulation"]["statement"])
                    for form in formats:
                        path = folder / f"{transfer['operation']}-{picture.name}.{form}"
                        outputs.write(path, rendered(made, form), overwrite=overwrite)
                        paths.append(path)
    return paths


def _detail(transfer):
    return transfer.get("commands_detail") or {}


def _time_axis(axes, intervals):
    axes.set_xlim(0, intervals.times[-1])
    axis(axes.xaxis, ticks=9)
    axes.set_xlabel(f"time since the start ({intervals.unit})")


@contextmanager
def _ledger(transfer, intervals):
    shares = intervals.shares
    lost = [sum(shares[account][n] for account in COLOURS if account != "payload")
            for n in range(len(intervals.share_times) - 1)]
    zoomed = 0 < max(lost) < 25
    with figure(5.6 if zoomed else 3.7) as made:
        axes = made.subplots(2 if zoomed else 1, sharex=True, squeeze=False)[:, 0]
        _stack(axes[0], intervals, shares, COLOURS)
        axes[0].set_ylim(0, 100)
        axes[0].set_title("all of the time")
        if zoomed:
            _stack(axes[1], intervals, shares, [name for name in COLOURS if name != "payload"])
            axes[1].set_ylim(0, 1.05 * max(lost))
            axes[1].set_title("what is not payload")
        for part in axes:
            part.set_ylabel("share of the clocks")
            axis(part.yaxis, " %", ticks=6)
        _time_axis(axes[-1], intervals)
        _legend(made, transfer)
        yield made


def _stack(axes, intervals, shares, accounts):
    floor = [0.0] * (len(intervals.share_times) - 1)
    for account in accounts:
        if any(shares[account]):
            top = [low + part for low, part in zip(floor, shares[account])]
            axes.fill_between(intervals.share_times, held(floor), held(top), step="post",
                              color=COLOURS[account], linewidth=0.3)
            floor = top


def _legend(made, transfer):
    """The accounts with any clocks, with their shares, under headings that name whose they are."""
    clocks = {entry["account"]: entry["clocks"] for entry in transfer["ledger"]}
    groups = {}
    for account in COLOURS:
        if clocks[account]:
            groups.setdefault(WHOSE[account] or account, []).append(account)
    handles, headings = [], []
    for whose, accounts in groups.items():
        headings.append(len(handles))
        sole = accounts == [whose]
        handles.append(Patch(visible=sole, color=COLOURS.get(whose), linewidth=0,
                             label=f"{whose}\N{EN SPACE}" + _share(clocks, accounts, transfer)))
        handles += [Patch(color=COLOURS[account], linewidth=0,
                          label=f"{account}\N{EN SPACE}" + _share(clocks, [account], transfer))
                    for account in accounts if not sole]
    legend = made.legend(handles=handles, loc="outside right upper", handlelength=1.2,
                         handleheight=1.1, labelspacing=0.4)
    for n in headings:
        legend.get_texts()[n].set_fontweight("bold")


def _share(clocks, accounts, transfer):
    share = 100 * sum(clocks[account] for account in accounts) / transfer["total"]
    return f"{share:.2f} %" if share >= 0.01 else "< 0.01 %"


@contextmanager
def _throughput(transfer, intervals):
    marks = [("link's ceiling", transfer["ceiling_bytes_per_second"] / 1e6, "#7d8794", (5, 3)),
             ("average", transfer["bytes_per_second"] / 1e6, WHO["host"], (2, 2))]
    if transfer.get("sensor"):
        marks.append(("sensor", transfer["sensor"]["rate_bytes_per_second"] / 1e6,
                      WHO["drive"], (8, 2, 2, 2)))
    with figure(3.3) as made:
        axes = made.subplots()
        axes.stairs(intervals.rates, intervals.rate_times, fill=True, color=WHO["payload"], alpha=0.35)
        axes.stairs(intervals.rates, intervals.rate_times, baseline=None, color=WHO["payload"],
                    linewidth=1.5, label="payload")
        for label, rate, colour, dashes in marks:
            axes.axhline(rate, color=colour, linewidth=1.4, dashes=dashes,
                         label=f"{label}: {rate:,.2f} MB/s")
        axes.set_ylim(0, 1.08 * max([*intervals.rates, *(mark[1] for mark in marks)]))
        axes.set_ylabel("MB/s (10⁶ bytes/s)")
        axis(axes.yaxis, ticks=6)
        _time_axis(axes, intervals)
        made.legend(loc="outside upper left", ncols=len(marks) + 1, handlelength=2.6)
        yield made


@contextmanager
def _buffer(transfer, intervals):
    # A single word that waits now and then makes no picture.
    sensor = transfer.get("sensor")
    sensor = None if sensor and sensor["fifo_words"] == 1 else sensor
    with figure(4.8 if sensor else 3.0) as made:
        axes = made.subplots(2 if sensor else 1, sharex=True, squeeze=False)[:, 0]
        _level(axes[0], intervals, intervals.fill, transfer.get("buffer_words"),
               transfer["high_water"], "words in the core's buffer", WHO["payload"],
               " and a register")
        if sensor:
            _level(axes[1], intervals, intervals.backlog, sensor["fifo_words"],
                   sensor["backlog_high"], "words of the sensor that wait in front of it",
                   WHO["drive"])
        _time_axis(axes[-1], intervals)
        yield made


def _level(axes, intervals, words, room, most, title, colour, more=""):
    axes.fill_between(intervals.times, words, color=colour, alpha=0.35, linewidth=0)
    axes.plot(intervals.times, words, color=colour, linewidth=1.4)
    label, top = f"at most {most:,}", most
    if room is not None:
        label += f", room for {room:,}{more}"
        if room < 20 * max(most, 1):
            top = max(most, room)
            axes.axhline(room, color="#7d8794", linewidth=1.3, dashes=(5, 3))
    if room is None or abs(room - most) > 0.02 * top:
        axes.axhline(most, color=WHO["host"], linewidth=1.3, dashes=(2, 2))
    axes.set_ylim(0, 1.1 * max(top, 1))
    axes.set_ylabel("32-bit words")
    axis(axes.yaxis, ticks=5, whole=True)
    axes.set_title(f"{title}: {label}")


@contextmanager
def _commands(transfer):
    detail = _detail(transfer)
    hz = transfer["clock_hz"]
    after = [n for n, clocks in enumerate(detail["overhead"]) if clocks is not None]
    with figure(5.2 if after else 3.0) as made:
        axes = made.subplots(2 if after else 1, sharex=True, squeeze=False)[:, 0]
        name, scale = time_unit(max(detail["clocks"]) / hz)
        _dots(axes[0], detail["lba"], [clocks / hz * scale for clocks in detail["clocks"]],
              WHO["payload"])
        axes[0].set_ylim(0, 1.08 * max(detail["clocks"]) / hz * scale)
        axes[0].set_ylabel(f"{name} a command")
        every = detail.get("thinned", 1)
        axes[0].set_title("from the command to its status"
                          + (f" (the slowest of every {every:,} commands)" if every > 1 else ""))
        axis(axes[0].yaxis, ticks=5)
        if after:
            _overheads(axes[1], detail, after, hz)
        low, high = min(detail["lba"]), max(detail["lba"])
        axes[-1].set_xlim(low - 0.015 * (high - low or 1), high + 0.015 * (high - low or 1))
        axis(axes[-1].xaxis, ticks=6, whole=True)
        axes[-1].set_xlabel("first LBA of the command (sector)")
        yield made


def _overheads(axes, detail, after, hz):
    """The parts of the overhead before each command; on a logarithmic axis if they differ widely."""
    most = max(detail["overhead"][n] for n in after)
    usual = [sorted(detail[who][n] for n in after)[len(after) // 2]
             for who in ("host", "drive", "protocol")]
    differ = most > 50 * min((clocks for clocks in usual if clocks), default=most)
    name, scale = ("s", 1) if differ else time_unit(most / hz)
    for who, size in (("protocol", 1.5), ("drive", 1.1), ("host", 0.8)):
        _dots(axes, [detail["lba"][n] for n in after],
              [detail[who][n] / hz * scale for n in after], WHO[who], who, size)
    if differ:
        axes.set_yscale("log", nonpositive="mask")
        axes.yaxis.set_major_formatter(lambda value, _: duration(value, 1))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_ylabel("before a command")
    else:
        axes.set_ylim(0, 1.08 * max(most, 1) / hz * scale)
        axis(axes.yaxis, ticks=5)
        axes.set_ylabel(f"{name} before a command")
    axes.set_title("overhead before it, by who causes it")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0.1,
                handlelength=1)


def _dots(axes, xs, ys, colour, label=None, size=1):
    """A round dot at each point, all in one path: small in SVG, however many there are."""
    size *= 5 if len(xs) <= 200 else 3.2 if len(xs) <= 1000 else 2
    width = (max(xs) - min(xs) or 1) / 5000
    across = [part for x in xs for part in (x, x + width, math.nan)]
    along = [part for y in ys for part in (y, y, math.nan)]
    axes.plot(across, along, color=colour, linewidth=size, solid_capstyle="round",
              snap=False, label=label)


@contextmanager
def _overhead(transfer):
    parts = {part: transfer["overhead"][part]
             for part in ("host", "protocol", "drive", "total", "recovery")}
    if not parts["recovery"]["maximum"]:
        del parts["recovery"]
    names = list(parts)
    bars = [max(len(parts[name]["histogram"]) for name in names[n:n + 2])
            for n in range(0, len(names), 2)]
    with figure(0.6 * len(bars) + 0.26 * sum(bars)) as made:
        panels = made.subplots(len(bars), 2, squeeze=False,
                               gridspec_kw={"height_ratios": [1 + count for count in bars]})
        for axes in panels.flat[len(names):]:
            axes.set_axis_off()
        for n, (axes, name) in enumerate(zip(panels.flat, names)):
            _histogram(axes, name, parts[name], bars[n // 2], transfer["clock_hz"])
        yield made


def _histogram(axes, name, numbers, room, clock_hz):
    """Bars from the top down, in ``room`` places; long overheads in time, short ones in clocks."""
    long = numbers["maximum"] >= 100_000
    bins = [(duration(low / clock_hz), duration(high / clock_hz)) if long else
            (f"{low:,}", f"{high:,}") for low, high, _ in numbers["histogram"]]
    mean = duration(numbers["mean"] / clock_hz) if long else f"{numbers['mean']:,.1f} clocks"
    counts = [count for _, _, count in numbers["histogram"]]
    bars = axes.barh(range(len(counts)), counts, 0.8, color=WHO[name])
    labels = [f"{count:,}" for count in counts]
    labels[0] += " command" if counts[0] == 1 else " commands"
    axes.bar_label(bars, labels, padding=4)
    axes.set_yticks(range(len(counts)),
                    [low if low == high else f"{low} – {high}" for low, high in bins])
    axes.set_ylim(room - 0.5, -0.5)
    axes.set_xlim(0, 1.4 * max(counts))
    axes.set_xticks([])
    axes.grid(False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(left=False)
    axes.set_title(f"{name}: mean {mean}")

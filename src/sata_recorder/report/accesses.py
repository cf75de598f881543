"""Accesses as one HTML page that needs nothing else."""

import html
import json
from contextlib import contextmanager
from pathlib import Path

from markupsafe import Markup

from ..core.ledger import Account
from .colours import COLOURS, WHO
from .drawing import axis, duration, figure, inline, time_unit
from .page import count, filled, flat, number, share

_HERE = Path(__file__).parent
_BETWEEN = "between_operations"


def render(data):
    """The page of ``data``, a dictionary of :func:`..lab.access.as_data`, as text."""
    text = json.dumps(data)
    return filled(
        "accesses.html", text, {"number": number, "share": share, "count": count, "time": duration},
        data=data, ledger=_ledger(data), facts=_facts(data), colours=WHO, pictures=_pictures(data),
        script=Markup((_HERE / "page.js").read_text(encoding="utf-8")))


def _ledger(data):
    """The rows of the ledger, and one for the clocks between the operations."""
    rows = [*data["ledger"], {"account": _BETWEEN, "whose": "host", "clocks": data[_BETWEEN]}]
    total = data["total"] or 1
    return [row | {"share": 100 * row["clocks"] / total, "seconds": row["clocks"] / data["clock_hz"],
                   "colour": COLOURS.get(row["account"], WHO["host"]), "meaning": _meaning(row["account"])}
            for row in rows]


def _meaning(account):
    if account == _BETWEEN:
        return "from the status of a read to the command of the next one, which is another operation"
    return Account[account.upper()].meaning


def _facts(data):
    """What was measured, and with what: (heading, rows of name and value)."""
    yield "Accesses", list(flat(data["access"]))
    yield "Drive and link", list(flat({**data["drive"], "link": data["link"]}))
    yield "Core", list(flat(data["configuration"]))
    yield "Run", list(flat({name: data[name] for name in ("engine", "wall_seconds", "versions", "trace")}))


def _pictures(data):
    """Titles, captions and pictures; none if there was no access."""
    if not data["accesses"]:
        return
    shown = len(data["detail"]["clocks"])
    of = "" if shown == data["accesses"] else f" The first {shown:,} of {data['accesses']:,}."
    for name, title, caption, draw in (
            ("places", "Latency by place", f"A dot for each access: where it was, and how long it took.{of}", _places),
            ("latency", "How many took how long", "From the command of an access to its status.", _histogram)):
        with draw(data) as made:
            yield {"title": title, "caption": caption, "svg": Markup(inline(made, name, html.escape(title)))}


@contextmanager
def _places(data):
    detail, hz = data["detail"], data["clock_hz"]
    unit, scale = time_unit(max(detail["clocks"]) / hz)
    with figure(3.4) as made:
        axes = made.subplots()
        axes.plot(detail["lba"], [clocks / hz * scale for clocks in detail["clocks"]], color=WHO["payload"],
                  linestyle="none", marker=".", markersize=4)
        axes.set_ylim(0, 1.08 * max(detail["clocks"]) / hz * scale)
        axes.set_ylabel(f"{unit} an access")
        axes.set_xlabel("first LBA of the access (sector)")
        axis(axes.yaxis, ticks=5)
        axis(axes.xaxis, ticks=6, whole=True)
        yield made


@contextmanager
def _histogram(data):
    bins = [one for one in data["latency"]["histogram"] if one["accesses"]]
    with figure(0.8 + 0.3 * len(bins)) as made:
        axes = made.subplots()
        bars = axes.barh(range(len(bins)), [one["accesses"] for one in bins], 0.8, color=WHO["payload"])
        axes.bar_label(bars, [f"{one['accesses']:,}" for one in bins], padding=4)
        axes.set_yticks(range(len(bins)), [_span(one) for one in bins])
        axes.set_ylim(len(bins) - 0.5, -0.5)
        axes.set_xlim(0, 1.2 * max(one["accesses"] for one in bins))
        axes.set_xticks([])
        axes.grid(False)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(left=False)
        yield made


def _span(one):
    low, high = duration(one["from"], 4), duration(one["to"], 4)
    return low if low == high else f"{low} – {high}"

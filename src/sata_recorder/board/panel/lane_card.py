"""The lanes of an array side by side, as the page shows them."""

from html import escape

from nicegui import ui

from ...report import COLOURS
from .fields import folded
from ...pc.console.sound import ACCOUNTS
from .texts import size

#: Accounts of a lane that are named beside `payload`: the longest ones.
_NAMED = 3


class LaneCard:
    """The card, and the choice of the lane whose drive is harmed; both are shown if the board has an array."""

    def __init__(self):
        self._choice = self.element = self._lanes = None

    def place(self):
        """Builds the card here."""
        with folded("Lanes of the array", "sr-lanes-card") as self.element:
            self._lanes = ui.html("", sanitize=False).classes("w-full").props("data-testid=lanes")
        self.element.set_visibility(False)

    def choose(self):
        """Builds the choice here."""
        self._choice = ui.select([0], value=0, label="lane whose drive it is").props(
            "outlined dense data-testid=break-lane").classes("w-full")
        self._choice.set_visibility(False)

    @property
    def order(self):
        """The order that selects the lane on the simulated board; None if there is only one drive."""
        return f"lane {self._choice.value}" if self._choice.visible else None

    def refresh(self, state):
        """Draws the lanes of ``state``, a :class:`.state.PanelState`."""
        self.element.set_visibility(bool(state.lanes))
        self._choice.set_visibility(bool(state.lanes))
        count = state.lanes[0].of if state.lanes else 1
        if len(self._choice.options) != count:
            self._choice.set_options([*range(count)], value=0)
        text = lanes_html(state)
        if self._lanes.content != text:
            self._lanes.content = text


def lanes_html(state):
    """The lanes as HTML: for each its state, what its drive has moved, its ledger as a bar, and its error."""
    whole = sum(one.bytes or 0 for one in state.lanes)
    error = state.status.get("last_error")
    return "<div class='sr-lanes'>" + "".join(_lane(one, whole, error) for one in state.lanes) + "</div>" + (
        "<p class='sr-hint' style='margin-top:.6rem'>Each share is one of the lane's own clocks. The plot of the "
        "ledger is of lane 0, all "
        "other figures are of the whole array.</p>" if state.lanes else "")


def _lane(one, whole, error):
    state = "no link" if not one.up else "ready" if one.ready else "works"
    kind = "wrong" if one.failed or not one.up else "good" if one.ready else "busy"
    rows = [("drive", one.member.replace("-", " "))]
    if one.bytes is not None:
        share = f", {100 * one.bytes / whole:.1f} % of all" if whole else ""
        rows.append(("moved", f"{size(one.bytes)}{share}"))
    told = ""
    if one.failed:
        reason = f": {error}" if one.first and error not in (None, "none") else ""
        told = f"<p class='sr-lane-error'>failed{' first' if one.first else ''}{escape(reason)}</p>"
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    return (f"<section class='sr-lane' data-testid='lane-{one.number}'><h3>Lane {one.number} "
            f"<span class='sr-chip {kind}'>{state}</span></h3>{told}<dl class='sr-facts'>{facts}</dl>"
            f"{_ledger(one.accounts)}</section>")


def _ledger(accounts):
    total = sum(accounts or ())
    if not total:
        return "<p class='sr-hint'>No operation has run yet.</p>"
    shares = {name: 100 * clocks / total for name, clocks in zip(ACCOUNTS, accounts) if clocks}
    bar = "".join(f"<i style='width:{share:.2f}%;background:{COLOURS[name]}' title='{name} {share:.2f} %'></i>"
                  for name, share in sorted(shares.items(), key=lambda item: [*COLOURS].index(item[0])))
    others = sorted((share, name) for name, share in shares.items() if name != "payload")[::-1][:_NAMED]
    named = [(shares.get("payload", 0.0), "payload"), *others]
    keys = "".join(f"<span><i class='sr-key' style='background:{COLOURS[name]}'></i>{name.replace('_', ' ')} "
                   f"{share:.1f} %</span>" for share, name in named)
    return f"<div class='sr-bar'>{bar}</div><div class='sr-legend'>{keys}</div>"

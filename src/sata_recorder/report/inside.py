"""The medium inside a simulated drive: what it is, and each of its parameters with its kind."""

from rich.markup import escape
from rich.table import Table
from rich.text import Text

_STATES = {"new": "never written before", "filled": "filled in order just before",
           "rested": "filled in order, then left alone",
           "steady": "in the steady state of random writes all over it"}
#: The kinds of parameters, and the words for several of each kind.
_KINDS = {"physical": "physical figures", "policy": "policies of the firmware", "cap": "caps of the controller"}


def inside_lines(job):
    """What was simulated, and on what it rests, as (head, text)."""
    one = job.medium
    state = "with a full cache of bands" if one.WHAT == "disk" and job.medium_state == "filled" else \
        _STATES[job.medium_state] if one.WHAT == "flash" else ""
    yield "drive", (f"simulated, with a model of its {one.WHAT} inside, {one.name}: {one.description}"
                    + (f"; {state}" if state else ""))
    yield "rests", rests_on(one)


def rests_on(one):
    """On how many parameters of each kind a model of this inside rests, and how many of them are estimates."""
    counts = []
    for kind, name in _KINDS.items():
        fields = [field for field, its, _ in one.parameters() if its == kind]
        if fields:
            counts.append(f"{len(fields)} {name} ({sum(field in one.estimates for field in fields)} of them estimates)")
    unmeasured = one.WHAT == "flash" and not one.cap.is_known
    return f"on {', '.join(counts)}" + ("; nothing measured of the controller" if unmeasured else "")


def render_inside(console, one):
    """Prints the parameters, each with its kind and where it is from, and what is unknown."""
    console.print()
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    for title, right in (("parameter", False), ("kind", False), ("value", True), ("where from", False)):
        table.add_column(title, justify="right" if right else "left", overflow="fold", no_wrap=right)
    for name, kind, value in one.parameters():
        table.add_row(name.partition(".")[2], kind, _value(value), Text(one.origin(name)))
    for name, why in one.unknown.items():
        table.add_row(escape(name.partition(".")[2]), name.partition(".")[0], "unknown", Text(why))
    console.print(table, highlight=False)


def _value(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}" if isinstance(value, float) else str(value)

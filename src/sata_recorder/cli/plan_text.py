"""A plan for people: what it says first, and what it rests on."""

from rich.table import Table
from rich.text import Text

from ..config import Configuration

__all__ = ["render_plan", "render_plans"]

BUFFER_WORDS = Configuration.model_fields["buffer_words"].default
_NO_RATING = "the profile does not say how much the drive is rated to be written; --tbw TB does"
#: Between two answers, each on a line of its own.
_OR = ",\n       or "


def render_plans(console, found, checked):
    """Prints the answer, and a line for each drive, the best one first."""
    _ask(console, found[0])
    _say(console, Text.assemble(("answer ", "bold"), _answer(found)))
    _check(console, found[0], checked)
    console.print()
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("drive", no_wrap=True)
    for name in ("one\nfits", "one\nlasts", "drives", "FIFO words\nof each", "cache\nfull",
                 "MB/s\nmean", "life of\neach"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found:
        profile = one.profile
        table.add_row(
            Text(profile.name + ("*" if profile.scale != 1 else "")), "yes" if one.fits else "no",
            duration(one.lasts_seconds), "-" if one.drives is None else f"{one.drives}",
            _depth(one.striped_fifo_words),
            duration(one.cache_seconds), f"{one.mean_rate / 1e6:.1f}", _years(one.life_years))
    console.print(table, highlight=False)
    console.print()
    if any(one.profile.scale != 1 for one in found):
        _say(console, "*: the shape of an NVMe drive with scaled rates: no SATA drive that exists")
    _say(console, "mean: what one drive takes in all of it, with commands and stalls; FIFO: in front "
                  f"of the core's own {BUFFER_WORDS:,} words")
    _say(console, f"Stalls are published of few drives. Without one in the profile, the FIFO has no "
                  f"reserve: each ms of a stall needs {found[0].requirement.rate / 4e3:,.0f} words, "
                  "shared by the drives.")
    if any(one.life_years is None for one in found):
        _say(console, f"life unknown: {_NO_RATING}")
    _say(console, "All from profiles of drives, some of whose figures are fitted or estimates: "
                  "--drive NAME prints each with its origin.")


def render_plan(console, found, checked):
    """Prints the answer for one drive, the reasons, and each figure with its origin."""
    one, = found
    _ask(console, one)
    profile = one.profile
    _say(console, f"drive  {profile.name}: {profile.description}" + (
        "" if profile.scale == 1 else f", all rates times {profile.scale:g}: no SATA drive that "
                                      "exists"))
    _say(console, Text.assemble(("answer ", "bold"), _answer(found)))
    for reason in one.reasons:
        _say(console, f"       {reason}")
    if one.stalls:
        _say(console, f"stall  {one.stalls:,} standstills of at most {1e3 * one.stall_seconds:g} "
                      f"ms; {one.stall_bytes:,} bytes arrive in one")
    if not profile.write.stalls:
        _say(console, "stall  none of this drive is published, and the FIFO has no reserve for one: "
                      f"each ms needs {one.words_per_stall_ms:,.0f} words more")
    if one.cache_seconds is not None:
        _say(console, f"cache  {one.cache_bytes:,} bytes, full after {duration(one.cache_seconds)}")
    _say(console, f"lasts  one drive records {duration(one.lasts_seconds)}")
    if one.drives is not None and one.drives > 1:
        _say(console, f"stripe {one.drives} drives, each {_fifo(one.striped_fifo_words)}")
    _say(console, "life   " + (
        f"unknown: {_NO_RATING}" if one.life_years is None
        else f"{_years(one.life_years)} at {100 * one.requirement.duty:g} % of all time, until what "
             "it is rated for is written once"))
    _check(console, one, checked)
    console.print()
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, wraps in (("figure", False), ("value", True), ("unit", False), ("origin", False),
                        ("why", True)):
        table.add_column(name, no_wrap=not wraps, overflow="fold")
    for figure in one.inputs:
        table.add_row(*map(Text, (figure.name, _value(figure.value), figure.unit, figure.origin,
                                  figure.why)))
    console.print(table)


def _say(console, text):
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _ask(console, one):
    asked = one.requirement
    _say(console, f"asked  {asked.rate / 1e6:.6g} MB/s for {duration(asked.duration)}: "
                  f"{asked.bytes:,} bytes; a FIFO of at most {asked.fifo_bytes:,} bytes before each "
                  "core")


def _answer(found):
    """Which drives take it, in one sentence."""
    real = [one for one in found if one.profile.scale == 1 or len(found) == 1]
    fitting = [one for one in real if one.fits]
    if fitting:
        return _OR.join(f"one {one.profile.name}, {_fifo(one.fifo_words)}" for one in fitting)
    striped = [one for one in real if one.drives is not None]
    if not striped:
        return "no number of drives takes it"
    least = min(one.drives for one in striped)
    return "no drive alone; " + _OR.join(
        f"{least} {one.profile.name} striped, each {_fifo(one.striped_fifo_words)}"
        for one in striped if one.drives == least)


def _depth(words):
    if words is None:
        return "-"
    return "none" if words == 1 else f"{words:,}"


def _fifo(words):
    if words == 1:
        return "with no FIFO beyond the core's own"
    return f"with a FIFO of {words:,} words ({4 * words:,} bytes)"


def _check(console, one, checked):
    if checked is None:
        return
    verdict = "agree" if checked.agrees else "DIFFER"
    _say(console, f"check  {one.requirement.rate / one.drives / 1e6:.6g} MB/s, {checked.bytes:,} "
                  f"bytes to a {one.profile.name} with long times cut short, every clock simulated: "
                  f"{_waiting(checked.simulated)}, {_waiting(checked.planned)} by "
                  f"arithmetic: they {verdict}")


def _waiting(words):
    return "no word waits" if words == 1 else f"{words:,} words wait"


def duration(seconds):
    """Seconds with a unit that fits; "-" for None."""
    if seconds is None:
        return "-"
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= size:
            return f"{seconds / size:.4g} {unit}"
    return f"{1e3 * seconds:.3g} ms"


def _years(years):
    if years is None:
        return "unknown"
    return f"{years:.3g} a" if years >= 1 else f"{365.25 * years:.3g} d"


def _value(value):
    if isinstance(value, list):
        return "; ".join(", ".join(f"{name} {part:,.10g}" if isinstance(part, (int, float)) else
                                   f"{name} {part}" for name, part in one.items())
                         if isinstance(one, dict) else ": ".join(f"{part:g}" for part in one)
                         for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"

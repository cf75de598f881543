"""A drive's life for people: the end first, then how it came, and what it rests on."""

from rich.table import Table
from rich.text import Text

from ..lab.wear import reported
from ..report import render_inside, rests_on
from .plan_text import duration

_LIMITS = {"flash": "by its dies (physical)", "bus": "by the buses to it (physical)",
           "cap": "by what was measured of the controller (cap)"}
_WRITTEN = {"sequential": "in order, trimmed and written again", "ring": "in order, round and round, never trimmed",
            "random": "units at random"}
#: Where the text of a line begins.
_INDENT = 7
#: Most rates of a fill that are named.
_STRETCHES = 4
#: Most rows of the table of a life.
_ROWS = 11


def render_wear(console, found):
    """Prints a :class:`..lab.wear.Wear` on the rich console."""
    request, drive, last = found.request, found.request.drive, found.last
    say(console, f"asked  {drive.name} at {request.rate / 1e6:,.6g} MB/s, {_WRITTEN[request.pattern]}, until "
                  f"{_until(request)}")
    say(console, f"drive  {drive.description}, with {drive.physical.over_provisioning:.1%} more flash than the host "
                  "addresses; a model of its flash, no measurement")
    say(console, f"new    {_fill(drive, found.fill)}")
    say(console, f"answer {'read-only after' if found.read_only else 'after'} {_long(last.seconds)}: "
                  f"{_four(last.host_bytes / 1e12)} TB written, {_four(last.flash_bytes / 1e12)} TB to the flash")
    say(console, f"erases {last.least:,} to {last.most:,}, mean {last.mean:,.0f}; write amplification "
                  f"{last.amplification:.2f}")
    say(console, f"rate   {_rate(found)}")
    say(console, f"blocks {_blocks(drive, last)}")
    if found.read_only:
        say(console, "       it takes no write any more; what it has acknowledged can be read, and should be copied")
    for one in found.band:
        times, sizes = map(_long, one.seconds), (f"{_four(size / 1e12)}" for size in one.host_bytes)
        say(console, f"band   {' to '.join(times)}, {' to '.join(sizes)} TB, write amplification "
                      f"{one.amplification[0]:.2f} to {one.amplification[1]:.2f}, for {one.parameter} from "
                      f"{one.ends[0]:,.12g} to {one.ends[1]:,.12g}")
    say(console, f"errors {_errors(drive, last)}")
    say(console, f"power  {_power(drive)}")
    _rest(console, found)
    _samples(console, found)
    _smart(console, drive, last)
    console.print()
    say(console, f"rests  {rests_on(drive)}")
    render_inside(console, drive)


def say(console, text):
    """A line whose continuations stand below its text."""
    head, rest = text[:_INDENT], text[_INDENT:]
    first, *more = Text(rest).wrap(console, console.width - _INDENT) or [Text()]
    console.print(Text(head + first.plain.rstrip()), highlight=False)
    for line in more:
        console.print(Text(" " * _INDENT + line.plain.rstrip()), highlight=False)


def _until(request):
    if request.cycles is not None:
        return f"{request.cycles:,} erases in the mean"
    return "it is read-only" if request.seconds is None else f"{_long(request.seconds)} are over"


def _long(seconds):
    years = seconds / 86400 / 365.25
    return duration(seconds) if years < 1 else "1 year" if years == 1 else f"{years:,.3g} years"


def _controller(drive):
    why = drive.unknown.get("cap.write_mb_per_s", "not in its file")
    return f"what its controller takes is unknown: {why}"


def _fill(drive, stretches):
    if not stretches:
        return "how fast it is filled is unknown: no rate of its flash or its controller is in its file"
    parts = [f"{_four(one.rate / 1e6)} MB/s until {_four(one.end / 1e9)} GB" for one in stretches[:_STRETCHES]]
    more = f", and {len(stretches) - _STRETCHES} times another rate" if len(stretches) > _STRETCHES else ""
    known = drive.cap.is_known
    return (f"filled in one go, {'it' if known else 'its flash'} takes {', then '.join(parts)}{more}, limited "
            f"{_LIMITS[stretches[-1].limit]}{'' if known else f'; {_controller(drive)}'}")


def _rate(found):
    last, asked = found.last, found.request.rate
    if last.taken is None:
        return "whether the drive takes it is unknown: no rate of its flash or its controller is in its file"
    cache = "" if last.cached < 0.005 else \
        f", {'all' if last.cached > 0.995 else f'{last.cached:.0%}'} of it into its SLC cache and out of it again"
    takes = f"{_four(last.taken / 1e6)} MB/s for good{cache}, limited {_LIMITS[found.limit]}"
    slowest = min(one.rate for one in found.samples)
    if found.takes_rate is None:
        return f"whether it takes {_four(asked / 1e6)} MB/s is unknown: its flash does, up to {takes}; " \
            f"{_controller(found.request.drive)}"
    if found.takes_rate:
        return f"at the end the drive could take {takes}"
    return f"TOO FAST: the drive was written at {_four(slowest / 1e6)} MB/s of the {_four(asked / 1e6)}; at the end " \
        f"it takes {takes}"


def _blocks(drive, last):
    if last.bad_blocks is None:
        return f"failed: unknown, {drive.unknown.get('physical.failures', 'not in the file')}"
    return f"{last.bad_blocks:,} failed; {100 * last.spare_left:.0f} % of the reserve for them is left"


def _errors(drive, last):
    if not last.bit_errors:
        known = [name for name in drive.unknown if name.startswith("physical.errors")]
        why = "; ".join(f"{name}: {drive.unknown[name]}" for name in known)
        fresh = drive.physical.errors.fresh
        measured = "" if fresh is None else f"when new {fresh:.2g} a bit; later "
        return f"{measured}unknown{': ' + why if why else ''}"
    return "a bit, just written, by law: " + ", ".join(f"{law} {rate:.1e}" for law, rate in last.bit_errors.items())


def _power(drive):
    protection, ram = drive.policy.protection, drive.policy.ram_bytes
    if protection == "full":
        return "a cut of the power loses nothing that was acknowledged"
    most = f"at most {ram:,} bytes" if ram else "an unknown amount"
    kept = "data written before are safe" if protection == "at rest" else \
        "and of data written before those on the cells of a page that is being programmed"
    return f"a cut of the power loses what was not flushed, {most}; {kept} ({drive.origin('policy.protection')})"


def _rest(console, found):
    request = found.request
    if request.rest_seconds is None:
        return
    what = f"{_long(request.rest_seconds)} without power at {request.celsius:g} degrees"
    if found.rest_unknown:
        say(console, f"rest   {what}: unknown, its file lacks {', '.join(found.rest_unknown)}")
        return
    say(console, f"rest   {what}, by laws that contradict each other; all meet where the standard, JESD218, wants a "
                  "drive to be readable: at its rated erases, after a year at 30 degrees")
    table = _table(("errors by wear", "at rest", ">raw errors a bit", ">codewords that cannot be read"))
    for row in found.rest:
        table.add_row(row["wear_law"], row["rest_law"], _span(row["bit_error_rates"]), _span(row["unreadable_range"]))
    console.print(table, highlight=False)


def _span(ends):
    least, most = (f"{end:.1e}" for end in ends)
    return most if least == most else f"{least} to {most}"


def _four(value):
    """A figure of four digits, or with all before the point."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _samples(console, found):
    console.print()
    takes = "it takes" if found.request.drive.cap.is_known else "at most"
    table = _table((">after", ">TB", ">erases\nleast", ">mean", ">most", ">write\nampl.", f">MB/s\n{takes}",
                    ">blocks\nfailed"))
    step = max(1, -(-len(found.samples) // _ROWS))
    for one in [*found.samples[:-1][::step], found.last]:
        table.add_row(_long(one.seconds), f"{_four(one.host_bytes / 1e12)}", f"{one.least:,}", f"{one.mean:,.0f}",
                      f"{one.most:,}", f"{one.amplification:.2f}",
                      "unknown" if one.taken is None else f"{_four(one.taken / 1e6)}",
                      "unknown" if one.bad_blocks is None else f"{one.bad_blocks:,}")
    console.print(table, highlight=False)


def _smart(console, drive, last):
    rows = reported(drive, last)
    if not rows:
        return
    console.print()
    known = [row for row in rows if row.raw is not None]
    say(console, f"smart  what it would report in the attributes of {drive.smart}; the model knows nothing of the "
                  f"other {len(rows) - len(known)}")
    table = _table((">no.", "attribute", ">raw"))
    for row in known:
        table.add_row(str(row.number), row.name, f"{row.raw:,}")
    console.print(table, highlight=False)


def _table(columns):
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    for title in columns:
        right = title.startswith(">")
        table.add_column(title.removeprefix(">"), justify="right" if right else "left", overflow="fold",
                         no_wrap=right)
    return table

"""Accesses for people: the answer first, then the latencies, and where the time went."""

from rich.table import Table
from rich.text import Text

from ..facts.units import SECTOR_BYTES
from ..simulation import WHOSE

#: Where the text of a line begins.
_INDENT = 8
#: Characters of the longest bar of the histogram.
_BAR = 30
#: Latencies within this ratio look the same, and need no histogram.
_ALIKE = 1.005


def render_access(console, result):
    """Prints a :class:`..lab.access.AccessResult` on the rich console."""
    for head, text in _lines(result):
        _say(console, head, text)
    if result.count:
        console.print()
        _latencies(console, result)
        console.print()
        _ledger(console, result)
    console.print()
    for head, text, style in _verdict(result):
        _say(console, head, text, style)


def _say(console, head, text, style=""):
    """A line whose continuations stand below its text."""
    for line in Text(text).wrap(console, console.width - _INDENT) or [Text()]:
        console.print(Text(head.ljust(_INDENT), style) + line.plain.rstrip(), highlight=False)
        head = ""


def _lines(result):
    job, base = result.job, result.job.job
    where = "at random" if job.pattern == "random" else "one after the other"
    yield "asked", (f"{job.operation} {_bytes(job.size)} {where}, at multiples of {_bytes(job.align)} in the "
                    f"{_bytes(base.sectors)} from LBA {base.lba:,}")
    yield "drive", f"{result.model or '(no name)'}: {result.capacity:,} sectors, link of generation {base.generation}"
    if base.profile is None:
        yield "", "simulated, a drive that never waits"
    elif base.medium is not None:
        from ..report import inside_lines
        # What the drive is called stands above.
        for head, text in inside_lines(base):
            yield "" if head == "drive" else head, text
    else:
        yield "", (f"simulated, timed as {base.profile.name}: {base.profile.description}; "
                   f"{len(base.profile.estimates)} of its figures are estimates")
    if not result.count:
        return
    least = "at most " if result.doubts else ""
    yield "answer", (f"{least}{result.iops:,.{0 if result.iops >= 1000 else 1}f} IOPS, {result.rate / 1e6:,.4g} MB/s, "
                     f"{result.percent:.3g} % of the link's"
                     + ("; limited, see the end" if result.verdict == "limited" else ""))
    yield "", f"{result.count:,} accesses in {_time(result.seconds)}; {_alignment(result)}"
    if result.between:
        yield "", (f"a read is an operation of its own: {_time(result.between / (result.count - 1) / result.clock_hz)} "
                   "from its status to the next command")


def _alignment(result):
    if not result.unaligned:
        return "all begin and end at multiples of 4,096 bytes"
    which = "all" if result.unaligned == result.count else f"{result.unaligned:,}"
    return f"{which} begin or end within 4,096 bytes"


def _latencies(console, result):
    """Of an access, from its command to its status."""
    statistics, hz = result.statistics, result.clock_hz
    row = {"min": statistics.minimum, "mean": statistics.mean,
           **{f"{percent:g} %": clocks for percent, clocks in result.percentiles().items()}, "max": statistics.maximum}
    console.print("latency from the command to its status", style="bold")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in row:
        table.add_column(name, justify="right")
    table.add_row(*(_time(clocks / hz) for clocks in row.values()))
    console.print(table)
    if statistics.minimum < statistics.maximum <= _ALIKE * statistics.minimum:
        console.print(f"all within {_time((statistics.maximum - statistics.minimum) / hz)} of each other",
                      highlight=False)
        return
    bins = [(low, high, count) for low, high, count in statistics.histogram if count]
    most = max(count for _, _, count in bins)
    table = Table(box=None, pad_edge=False, show_header=False)
    for justify in ("right", "left", "right"):
        table.add_column(justify=justify)
    mark = "#" if console.options.ascii_only else "█"
    for low, high, count in bins:
        span = _time(low / hz) if low == high else f"{_time(low / hz)} to {_time(high / hz)}"
        table.add_row(span, mark * max(1, round(_BAR * count / most)), f"{count:,}")
    console.print(table)


def _ledger(console, result):
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("account")
    table.add_column("whose")
    table.add_column("clocks", justify="right")
    table.add_column("share", justify="right")
    table.add_column("an access", justify="right")
    rows = [(account, WHOSE[account] or "-", clocks) for account, clocks in result.ledger.items() if clocks]
    if result.between:
        rows.append(("between reads", "host", result.between))
    for account, whose, clocks in (*rows, ("total", "", result.total)):
        table.add_row(account, whose, f"{clocks:,}", f"{100 * clocks / result.total:.3f} %",
                      _time(clocks / result.count / result.clock_hz), style="bold" if account == "total" else None)
    console.print(table)


def _verdict(result):
    """The verdict, with all that keeps it from being a good one."""
    for problem in result.problems:
        yield "wrong", problem, "bold red"
    if result.problems:
        return
    same = "every access is where it belongs, and its data; core and drive model agree on every cycle"
    if result.doubts:
        yield "unknown", f"the profile of the {result.job.job.profile.name} does not have", "bold yellow"
        for text in result.doubts:
            yield "", text, ""
        yield "", "so these are the figures of core, link and what is known of the drive; it may be slower", ""
        yield "", same, ""
    elif result.caveats:
        yield "limited", same, "bold yellow"
    else:
        yield "good", same, "bold green"
    for text in result.caveats:
        yield "", text, ""


def _bytes(sectors):
    size = SECTOR_BYTES * sectors
    for name, unit in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= unit and size % unit == 0:
            return f"{size // unit:,} {name}"
    return f"{size:,} bytes"


def _time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"

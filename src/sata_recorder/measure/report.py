"""A measurement for people (tables) and for programs (plain data for JSON)."""

from dataclasses import asdict

from rich.table import Table

from .accounts import ACCOUNTS, WHOSE

__all__ = ["as_data", "render"]



def render(console, measurement):
    """Prints the measurement on the rich console."""
    job = measurement.job
    addressing = "48-bit" if measurement.lba48 else "28-bit"
    console.print(f"drive  {measurement.model or '(no name)'}, serial {measurement.serial}, "
                  f"firmware {measurement.firmware}: {measurement.capacity:,} sectors, "
                  f"{addressing} commands")
    console.print(f"link   generation {job.generation}, commands of at most "
                  f"{_longest_command(measurement):,} sectors")
    for text in _conditions(job):
        console.print(text, highlight=False)
    for transfer in measurement.transfers:
        console.print()
        _render_transfer(console, transfer)
    console.print()
    for problem in measurement.problems:
        console.print(f"[bold red]wrong[/]  {problem}", highlight=False)
    if not measurement.problems:
        console.print("[bold green]good[/]   " + _verdict(job), highlight=False)


def _conditions(job):
    """What was asked for that is not as usual."""
    if job.hostile:
        yield f"drive  hostile, seed {job.seed}"
    for who, hold in (("drive", job.drive_hold), ("host", job.host_hold)):
        if hold.off:
            yield f"holds  {who}: {hold.off:,} clocks after every {hold.on:,}"


def _longest_command(measurement):
    longest = measurement.job.configuration.max_command_sectors
    return longest if measurement.lba48 else min(longest, 256)


def _verdict(job):
    same = {"record": "the image holds the data", "play": "the data read are those of the image",
            "both": "the data came back, and the image holds them"}[job.operation]
    return f"{same}; core and drive model agree on every cycle"


def _render_transfer(console, transfer):
    console.print(
        f"[bold]{transfer.operation}[/]  {transfer.sectors:,} sectors from LBA {transfer.lba:,}: "
        f"{transfer.bytes:,} bytes in {_time(transfer.seconds)}: "
        f"[bold]{transfer.rate / 1e6:.2f} MB/s[/], {transfer.percent:.2f} % of the "
        f"link's {transfer.ceiling / 1e6:.2f} MB/s", highlight=False)
    _render_ledger(console, transfer.ledger)
    _render_overhead(console, transfer)
    console.print(f"buffer  {transfer.high_water:,} words at most; the stream was held up for "
                  f"{transfer.held_cycles:,} clocks", highlight=False)


def _render_ledger(console, ledger):
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("account")
    table.add_column("whose")
    for name in ("clocks", "share"):
        table.add_column(name, justify="right")
    for account, clocks in ledger.accounts.items():
        table.add_row(account, WHOSE[account] or "-", f"{clocks:,}", _share(clocks, ledger.total))
    table.add_section()
    table.add_row("total", "", f"{ledger.total:,}", _share(ledger.total, ledger.total),
                  style="bold")
    console.print(table)


def _render_overhead(console, transfer):
    commands = transfer.ledger.commands
    if not transfer.overhead:
        console.print("overhead per command: there is one command only")
        return
    console.print(f"overhead of {commands:,} commands, from the last payload of one to the first "
                  "of the next", highlight=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("whose")
    for name in ("min", "mean", "max"):
        table.add_column(name, justify="right")
    table.add_column("min to max")
    for part, statistics in transfer.overhead.items():
        if part == "recovery" and not statistics.maximum:
            continue
        table.add_row(part, f"{statistics.minimum:,}", f"{statistics.mean:,.1f}",
                      f"{statistics.maximum:,}", _bars(statistics, console.options.ascii_only),
                      style="bold" if part == "total" else None)
    console.print(table)


def _bars(statistics, plain):
    """The histogram as one bar a bin, the highest for the fullest bin."""
    steps = "123456789" if plain else "▁▂▃▄▅▆▇█"
    counts = [count for _, _, count in statistics.histogram]
    top = max(counts)
    return "".join(steps[(len(steps) * count - 1) // top] if count else "."
                   for count in counts)


def _share(part, whole):
    return f"{100 * part / whole:.3f} %" if whole else "-"


def _time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3f} {unit}"
    return f"{seconds * 1e9:.1f} ns"


def as_data(measurement):
    """The measurement as dictionaries, lists, texts and numbers; clocks of the dword port."""
    job = measurement.job
    return {
        "good": not measurement.problems,
        "problems": measurement.problems,
        "drive": {"model": measurement.model, "serial": measurement.serial,
                  "firmware": measurement.firmware, "capacity": measurement.capacity,
                  "lba48": measurement.lba48},
        "link": {"generation": job.generation},
        "seed": job.seed,
        "configuration": job.configuration.model_dump(),
        "transfers": [_transfer_data(transfer) for transfer in measurement.transfers],
        "trace": {"clocks": measurement.clocks, "fnv1a": f"{measurement.hash:016x}"},
    }


def _transfer_data(transfer):
    ledger = transfer.ledger
    return {
        "operation": transfer.operation,
        "error": transfer.error,
        "lba": transfer.lba,
        "sectors": transfer.sectors,
        "bytes": transfer.bytes,
        "seconds": transfer.seconds,
        "bytes_per_second": transfer.rate,
        "ceiling_bytes_per_second": transfer.ceiling,
        "percent_of_ceiling": transfer.percent,
        "commands": ledger.commands,
        "ledger": [{"account": account, "whose": WHOSE[account],
                    "clocks": ledger.accounts[account]} for account in ACCOUNTS],
        "total": ledger.total,
        "overhead": {part: asdict(statistics) for part, statistics in transfer.overhead.items()},
        "turnaround": asdict(transfer.turnaround) if transfer.turnaround else None,
        "high_water": transfer.high_water,
        "held_cycles": transfer.held_cycles,
    }

"""A measurement for people (tables) and for programs (plain data for JSON)."""

import platform
from dataclasses import asdict
from importlib.metadata import version

from rich.markup import escape
from rich.table import Table

from .. import __version__
from ..simulation.accounts import ACCOUNTS, WHOSE

__all__ = ["as_data", "render"]


def render(console, measurement):
    """Prints the measurement on the rich console."""
    job = measurement.job
    addressing = "48-bit" if measurement.lba48 else "28-bit"
    identity = (f"{measurement.model or '(no name)'}, serial {measurement.serial}, "
                f"firmware {measurement.firmware}")
    console.print(f"drive  {escape(identity)}: {measurement.capacity:,} sectors, "
                  f"{addressing} commands")
    console.print(f"link   generation {job.generation}, commands of at most "
                  f"{_longest_command(measurement):,} sectors")
    console.print(f"engine {measurement.engine}: {measurement.clocks:,} clocks in "
                  f"{_time(measurement.wall_seconds)}, {_speed(measurement)}, trace "
                  f"{measurement.hash:016x}", highlight=False)
    for text in _conditions(job):
        console.print(escape(text), highlight=False)
    for transfer in measurement.transfers:
        console.print()
        _render_transfer(console, transfer)
    if measurement.needed_fifo is not None:
        console.print(f"        a FIFO of {measurement.needed_fifo:,} words before the core would "
                      "have lost nothing", highlight=False)
    if measurement.search is not None:
        console.print(_found(measurement.search), highlight=False)
    console.print()
    for problem in measurement.problems:
        console.print(f"[bold red]wrong[/]  {escape(problem)}", highlight=False)
    if not measurement.problems:
        console.print("[bold green]good[/]   " + _verdict(job), highlight=False)


def _found(search):
    count = f"{len(search.probes):,} recordings"
    if search.rate is None:
        return (f"search  words are lost at every rate down to {search.lossy / 1e6:.6g} MB/s; "
                f"{count}")
    text = f"search  {search.rate / 1e6:.6g} MB/s is the highest rate without loss"
    if search.lossy is not None:
        text += f", {search.lossy / 1e6:.6g} MB/s has some"
    return f"{text}; {count}"


def _conditions(job):
    """What was asked for that is not as usual."""
    if job.profile is not None:
        yield f"drive  timed as {job.profile.name}: {job.profile.description}"
    if job.turnaround_clocks:
        yield (f"host   {job.turnaround_clocks:,} clocks between two commands "
               f"({_time(job.turnaround_clocks / job.configuration.clock_hz)})")
    if job.hostile:
        yield f"drive  hostile, seed {job.seed}"
    for who, hold in (("drive", job.drive_hold), ("host", job.host_hold)):
        if hold.off:
            yield f"holds  {who}: {hold.off:,} clocks after every {hold.on:,}"


def _longest_command(measurement):
    job = measurement.job
    longest = job.configuration.max_command_sectors
    if job.command_limit:
        longest = min(longest, job.command_limit)
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
    console.print(f"buffer  {transfer.high_water:,} words at most of {transfer.buffer_words:,} and "
                  f"a register; the stream was held up for {transfer.held_cycles:,} clocks",
                  highlight=False)
    if transfer.operation == "record":
        console.print(f"stall   the drive took no word for {transfer.longest_stall:,} clocks in a "
                      "row at most", highlight=False)
    console.print(f"data    {transfer.fises[0]:,} FISes out, {transfer.fises[1]:,} in; CRC-32 "
                  f"{transfer.crc32:08x}", highlight=False)
    if transfer.sensor:
        _render_sensor(console, transfer)


def _render_sensor(console, transfer):
    sensor = transfer.sensor
    fifo = "an endless FIFO" if sensor.fifo_words is None else (
        f"a FIFO of {sensor.fifo_words:,} words")
    console.print(f"stream  {sensor.rate / 1e6:.6g} MB/s into {fifo} before the core: at most "
                  f"{sensor.backlog_high:,} words waited in it", highlight=False)
    if not sensor.lost:
        console.print(f"        no word of {sensor.arrived:,} was lost", highlight=False)
        return
    at, words = sensor.gaps[0]
    console.print(f"[bold red]loss[/]    {sensor.lost:,} of {sensor.arrived:,} words in "
                  f"{sensor.gap_count:,} gaps; the first of {words:,} words after {at:,}",
                  highlight=False)


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
                  "lba48": measurement.lba48,
                  "profile": None if job.profile is None else job.profile.name},
        "link": {"generation": job.generation},
        "seed": job.seed,
        "turnaround_clocks": job.turnaround_clocks,
        "command_limit": _longest_command(measurement),
        "engine": measurement.engine,
        "wall_seconds": measurement.wall_seconds,
        "versions": {"sata-recorder": __version__, "python": platform.python_version(),
                     **{name: version(name) for name in ("amaranth", "pyosys")}},
        "configuration": job.configuration.model_dump(),
        "needed_fifo_words": measurement.needed_fifo,
        "search": None if measurement.search is None else asdict(measurement.search),
        "transfers": [_transfer_data(transfer) for transfer in measurement.transfers],
        "trace": {"clocks": measurement.clocks, "hash": f"{measurement.hash:016x}"},
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
        "buffer_words": transfer.buffer_words,
        "held_cycles": transfer.held_cycles,
        "longest_stall": transfer.longest_stall,
        "clock_hz": transfer.clock_hz,
        "fises": {"out": transfer.fises[0], "in": transfer.fises[1]},
        "crc32": f"{transfer.crc32:08x}",
        "sensor": _sensor_data(transfer.sensor),
        "timeline": transfer.timeline,
        "commands_detail": transfer.course,
    }


def _sensor_data(sensor):
    if sensor is None:
        return None
    return {"rate_bytes_per_second": sensor.rate, "arrived": sensor.arrived, "lost": sensor.lost,
            "gaps": sensor.gaps, "gap_count": sensor.gap_count, "backlog_high": sensor.backlog_high,
            "fifo_words": sensor.fifo_words}


def _speed(measurement):
    """Clocks simulated a second, as text."""
    if not measurement.wall_seconds:
        return "-"
    return f"{measurement.clocks / measurement.wall_seconds / 1e6:.3g} M clocks/s"

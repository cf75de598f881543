"""A measurement for people, as tables on a terminal."""

from rich.markup import escape
from rich.table import Table

from ..simulation import WHOSE
from ..facts.units import SECTOR_BYTES
from ..interface.group import WORD
from .care import render_readings
from .inside import inside_lines, render_inside


def render_measurement(console, measurement):
    """Prints the measurement on the rich console."""
    job = measurement.job
    addressing = "48-bit" if measurement.lba48 else "28-bit"
    size = measurement.job.logical_sector
    logical = "" if size == SECTOR_BYTES else f", logical sectors of {size:,} bytes"
    identity = (f"{measurement.model or '(no name)'}, serial {measurement.serial}, "
                f"firmware {measurement.firmware}")
    config = job.configuration
    if config.drives > 1:
        chunks = f"chunks of {config.chunk_sectors} sectors in turn"
        kind = {"linear": "one after the other", "raid1": "which hold the same"}.get(config.array, chunks)
        console.print(f"array  {config.drives} drives, {kind}: {measurement.capacity:,} sectors; a beat of "
                      f"{config.array_width} bits in each clock, of {config.clock_hz / 1e6:g} MHz", highlight=False)
    console.print(f"drive  {escape(identity)}"
                  + (f": {measurement.capacity:,} sectors" if config.drives == 1 else ", the first one")
                  + f", {addressing} commands{logical}")
    console.print(f"link   generation {job.generation}, commands of at most "
                  f"{measurement.longest_command:,} sectors")
    console.print(f"engine {measurement.engine}: {measurement.clocks:,} clocks in "
                  f"{_time(measurement.wall_seconds)}, {_speed(measurement)}, trace "
                  f"{measurement.hash:016x}", highlight=False)
    for text in _conditions(job):
        console.print(escape(text), highlight=False)
    for transfer in measurement.transfers:
        console.print()
        _render_transfer(console, transfer)
        if transfer.source:
            _render_source(console, measurement, transfer)
    if measurement.channels:
        _render_channels(console, measurement)
    if measurement.recording:
        _render_recording(console, measurement.recording)
    size = f"{SECTOR_BYTES * job.sectors:,} bytes"
    if measurement.needed_fifo is not None:
        console.print(f"        a FIFO of {_words(measurement.needed_fifo)} before the core would "
                      f"have lost nothing of these {size}", highlight=False)
    if measurement.search is not None:
        console.print(f"{_found(measurement)} of {size} each", highlight=False)
    if measurement.spread is not None:
        console.print(_spread(measurement.spread), highlight=False)
    if measurement.smart:
        render_readings(console, *measurement.smart, simulated=True)
    if job.medium is not None:
        render_inside(console, job.medium)
    console.print()
    for line in _verdict(measurement, size):
        console.print(line, highlight=False)


def _found(measurement):
    search, told = measurement.search, measurement.told_rate
    count = f"{len(search.probes):,} recordings"
    if search.rate is None:
        return f"search  words are lost at every rate down to {told(search.lossy)} MB/s; {count}"
    text = f"search  {told(search.rate)} MB/s is the highest rate without loss"
    if search.lossy is not None:
        text += f", {told(search.lossy)} MB/s has some"
    return f"{text}; {count}"


def _spread(spread):
    found = sorted(rate for rate in spread.rates if rate is not None)
    seeds = f"seeds {spread.seeds[0]} to {spread.seeds[-1]}"
    if not found:
        return f"spread  words are lost at every rate with {seeds}"
    lost = len(spread.rates) - len(found)
    mean = sum(found) / len(found)
    text = (f"spread  {found[0] / 1e6:.6g} to {found[-1] / 1e6:.6g} MB/s with {seeds}, mean "
            f"{mean / 1e6:.6g}")
    return text + (f"; with {lost} of them words are lost at every rate" if lost else "")


def _conditions(job):
    """What was requested beyond the defaults."""
    if job.medium is not None:
        yield from (f"{head}  {text}" for head, text in inside_lines(job))
    elif job.profile is not None:
        profile = job.profile
        scaled = "" if profile.scale == 1 else f", all rates times {profile.scale:g}"
        yield (f"drive  simulated, timed as {profile.name}: {profile.description}{scaled}; "
               f"{len(profile.estimates)} of its figures are estimates")
    if job.configuration.source_width != WORD or job.configuration.source_clock:
        yield _source_of(job)
    if job.backend == "qemu":
        yield "drive  simulated: QEMU's ATA disk behind the link of the drive model"
    if job.turnaround_clocks:
        yield (f"host   {job.turnaround_clocks:,} clocks between two commands "
               f"({_time(job.turnaround_clocks / job.configuration.clock_hz)})")
    if job.controller is not None:
        yield _operated(job.controller)
    if job.hostile:
        yield f"drive  hostile, seed {job.seed}"
    for who, hold in (("drive", job.drive_hold), ("host", job.host_hold)):
        if hold.off:
            yield f"holds  {who}: {hold.off:,} clocks after every {hold.on:,}"


def _source_of(job):
    """The source, in one line."""
    core = job.configuration
    text = f"source beats of {core.source_width} bits in the core's clock"
    if core.source_clock:
        beats = "words" if core.source_width < WORD else "beats"
        text = (f"source beats of {core.source_width} bits at {job.source_hz / 1e6:g} MHz, through a FIFO of "
                f"{core.source_depth:,} {beats} between the clocks")
    return text + ("" if core.source_waits else "; it does not wait")


def _operated(controller):
    """Who runs the loop of commands."""
    each = {"command": "one operation for each command", "whole": "one operation for all of it"}
    return (f"host   firmware on {controller.processor} at {controller.hz / 1e6:g} MHz, "
            f"{controller.wait}, {each[controller.extent]}")


def _verdict(measurement, size):
    """The verdict, with all that keeps it from being a good one."""
    for problem in measurement.problems:
        yield f"[bold red]wrong[/]  {escape(problem)}"
    if measurement.problems:
        return
    same = {"record": "the image holds the data", "play": "the data read are those of the image",
            "both": "the data came back, and the image holds them"}[measurement.job.operation]
    if measurement.channels:
        same = same.replace("the data", "each channel").replace("holds them", "holds all of them")
    same += "; core and drive model agree on every cycle"
    if measurement.verdict == "good":
        yield f"[bold green]good[/]   {same}"
        return
    if measurement.lost:
        percent = max(transfer.source.lost_percent for transfer in measurement.transfers
                      if transfer.source)
        yield f"[bold red]lost[/]   {_percent(percent)} of the stream; of the rest {same}"
    else:
        yield f"[bold yellow]limited[/] for these {size} only: {same}"
    for text in measurement.caveats:
        yield f"        {escape(text)}"


def _render_transfer(console, transfer):
    lanes = getattr(transfer, "lanes", None)
    console.print(
        f"[bold]{transfer.operation}[/]  {transfer.sectors:,} sectors from LBA {transfer.lba:,}: "
        f"{transfer.bytes:,} bytes in {_time(transfer.seconds)}: "
        f"[bold]{transfer.rate / 1e6:.2f} MB/s[/], {transfer.percent:.2f} % of the "
        f"{'link' if lanes is None else 'array'}'s {transfer.ceiling / 1e6:.2f} MB/s", highlight=False)
    if lanes is None:
        _render_ledger(console, transfer.ledger)
        _render_overhead(console, transfer)
    else:
        _render_lanes(console, transfer)
    counters = transfer.counters
    console.print(f"buffer  {counters['high_water']:,} words at most of {transfer.buffer_words:,} "
                  f"and a register; the stream was held up for {counters['held_cycles']:,} clocks",
                  highlight=False)
    if "memory_waits" in counters:
        console.print(f"memory  it was too slow for {counters['memory_waits']:,} clocks", highlight=False)
    if transfer.operation == "record":
        console.print(f"stall   the drive took no word for {counters['longest_stall']:,} clocks in "
                      "a row at most", highlight=False)
        if "misaligned" in counters:
            console.print(f"split   {counters['misaligned']:,} of {transfer.issued:,} "
                          "commands began or ended within a physical sector", highlight=False)
    console.print(f"data    {transfer.fises[0]:,} FISes out, {transfer.fises[1]:,} in; CRC-32 "
                  f"{transfer.crc32:08x}", highlight=False)


def _render_channels(console, measurement):
    """The bytes and the rate of each channel."""
    core, given = measurement.job.configuration, sum(one.bytes for one in measurement.channels)
    on_drive = SECTOR_BYTES * measurement.job.sectors
    console.print(f"channels {core.channels} of {core.channel_width} bits, in packets of {core.channel_words:,} words: "
                  f"{given:,} bytes of theirs in {on_drive:,} on the drive, {100 * given / on_drive:.2f} %",
                  highlight=False)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("channel", "bytes", "MB/s", "CRC-32"):
        table.add_column(name, justify="right")
    for one in measurement.channels:
        table.add_row(str(one.channel), f"{one.bytes:,}", f"{one.bytes_per_second / 1e6:.2f}", f"{one.crc32:08x}")
    console.print(table)


def _render_lanes(console, transfer):
    """Where the clocks of the array and of each lane went, as shares of its own time."""
    lanes = transfer.lanes
    ledgers = [transfer.whole, *(one.ledger for one in lanes.values())]
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("account")
    table.add_column("whose")
    for name in ("array", *(f"lane {lane}" for lane in lanes)):
        table.add_column(name, justify="right")
    for account, whose in WHOSE.items():
        shares = [ledger.accounts.get(account, 0) / max(1, ledger.total) for ledger in ledgers]
        if any(shares):
            table.add_row(account, whose or "-", *(f"{100 * share:.3f} %" for share in shares))
    table.add_row("bytes", "", *(f"{one.bytes:,}" for one in (transfer, *lanes.values())))
    table.add_row("clocks", "", *(f"{ledger.total:,}" for ledger in ledgers))
    table.add_row("commands", "", *(f"{ledger.commands:,}" for ledger in ledgers))
    console.print(table)


def _render_source(console, measurement, transfer):
    source = transfer.source
    if source.fifo_words == 0:
        counters = transfer.counters
        console.print(f"stream  {measurement.told_rate(source.rate)} MB/s. The core counts source_lost = "
                      f"{counters['source_lost']:,} beats, source_intact = {counters['source_intact']:,} words",
                      highlight=False)
        _render_loss(console, transfer)
        return
    fifo = "an endless FIFO" if source.fifo_words is None else (
        f"a FIFO of {_words(source.fifo_words)}")
    console.print(f"stream  {measurement.told_rate(source.rate)} MB/s into {fifo} before the core: "
                  f"at most {_words(source.backlog_high)} waited in it", highlight=False)
    _render_loss(console, transfer)


def _render_loss(console, transfer):
    source = transfer.source
    if not source.lost:
        console.print(f"        no word of {source.arrived:,} was lost in these "
                      f"{transfer.bytes:,} bytes", highlight=False)
        return
    at, words = source.gaps[0]
    console.print(f"[bold red]loss[/]    {source.lost:,} of {source.arrived:,} words: "
                  f"{source.lost_bytes:,} bytes, {_percent(source.lost_percent)}, "
                  f"{_time(source.lost_seconds)} of the stream, in {source.gap_count:,} gaps; the "
                  f"first of {_words(words)} after {at:,}", highlight=False)


def _render_recording(console, recording):
    """The mode of the recording, what of it is on the drive, and its segments."""
    last = recording.first_sector + recording.sectors - 1
    console.print(f"mode    {recording.mode}: {recording.words:,} words accepted; on the drive are "
                  f"sectors {recording.first_sector:,} to {last:,} of the recording",
                  highlight=False)
    console.print(f"compared {recording.checked_words:,} words with what was offered",
                  highlight=False)
    if recording.trim is not None:
        trim = recording.trim
        console.print(f"trim    {trim['state']}: TRIM of {trim['sectors']:,} sectors ahead of the ring took "
                      f"{trim['clocks']:,} clocks", highlight=False)
    if recording.looks is not None:
        _render_looks(console, recording.looks)
    if recording.stop_clocks is not None:
        console.print(f"stop    done {recording.stop_clocks:,} clocks later", highlight=False)
    for number, segment in enumerate(recording.segments):
        trigger = f"trigger at {segment['trigger']:,}, clock {segment['trigger_time']:,}" \
            if segment["flags"] & 1 else "no trigger"
        console.print(f"segment {number}: at LBA {segment['lba']:,}, words {segment['first']:,} to "
                      f"{segment['end'] - 1:,}; {trigger}; waited {segment['waited']:,} clocks",
                      highlight=False)


#: What is shown of a recording with readbacks and without them: a text for each figure.
_WAITING = {"least_room": "room for {} words at least", "held_cycles": "the stream held up for {} clocks",
            "longest_stall": "stalls of {} clocks at most",
            "lost": "{} words lost while it recorded"}


def _render_looks(console, looks):
    """The readbacks during the recording, and how its stream fared with and without them."""
    other = "".join(f", {looks[name]:,} {name}" for name in ("gone", "failed", "unfinished") if looks[name])
    console.print(f"looks   {looks['ready']:,} of {looks['sectors']:,} sectors each, {looks['at']}, with room "
                  f"for {looks['room']:,} words{other}; compared {looks['checked_words']:,} words", highlight=False)
    if looks["ready"]:
        console.print(f"        the drive was read for {looks['clocks']:,} clocks, {looks['mean_clocks']:,.0f} a "
                      f"readback; a readback waited for {looks['mean_wait']:,.0f} clocks on average, "
                      f"{looks['longest_wait']:,} at most", highlight=False)
    if "without" in looks:
        told = (text.format(f"{looks['with'][name]:,} / {looks['without'][name]:,}")
                for name, text in _WAITING.items() if name in looks["without"])
        console.print(f"        with / without them: {', '.join(told)}", highlight=False)


def _words(count):
    return f"{count:,} word{'' if count == 1 else 's'}"


def _percent(percent):
    return f"{percent:.3g} %"


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
    if not transfer.overhead:
        console.print("overhead per command: there is one command only")
        return
    following = transfer.overhead["total"].count
    console.print(f"overhead of the {following:,} command{'s' if following > 1 else ''} that "
                  "followed another, from the last payload of one to the first of the next",
                  highlight=False)
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
    """The histogram with one bar per bin, the highest for the fullest bin."""
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


def _speed(measurement):
    """Clocks simulated a second, as text."""
    if not measurement.wall_seconds:
        return "-"
    return f"{measurement.clocks / measurement.wall_seconds / 1e6:.3g} M clocks/s"

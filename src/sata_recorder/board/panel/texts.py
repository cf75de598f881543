"""Numbers for people: sizes, times, and the words of the page that depend on what is known."""

from ...facts.units import SECTOR_BYTES
from ...pc.console.access import access_figures


def size(count):
    """Bytes with three figures and a unit that is a power of ten."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count:,.0f} bytes"


def duration(seconds):
    """A time that people wait: "1:05", "2 h 05 min"."""
    if seconds is None:
        return "-"
    seconds = round(seconds)
    if seconds < 3600:
        return f"{seconds // 60}:{seconds % 60:02d}"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"


def number_of(text, name):
    """The number that somebody typed, decimal or hexadecimal with 0x; blanks, commas and
    underscores between digits do not count. Raises ``ValueError``, one line."""
    plain = str(text).strip().replace(",", "").replace("_", "").replace(" ", "").lower()
    try:
        return int(plain, 16 if plain.startswith("0x") else 10)
    except ValueError:
        raise ValueError(f"{name} = {text}: is no number, decimal or hexadecimal with 0x") from None


def extent_words(lba, sectors):
    """An extent with its size."""
    return f"sectors {lba:,} to {lba + sectors - 1:,}, {size(SECTOR_BYTES * sectors)}"


def connection_words(state):
    """(text, kind) of the chip that states how the connection is."""
    match state.connection:
        case "open":
            return f"connected, {state.port}", "good"
        case "opening":
            return "connecting", "busy"
        case "lost":
            return "no connection", "wrong"
    return "not connected", ""


def link_words(state):
    """(text, kind) of the chip that states how the drive is."""
    status = state.status
    if not state.open or not status:
        return "drive unknown", ""
    if status["link"] != "up":
        return "no link to a drive", "wrong"
    if state.busy:
        return f"Gen{status['generation']}, busy", "busy"
    return (f"Gen{status['generation']}, ready", "good") if status["ready"] else \
        (f"Gen{status['generation']}, not ready", "wrong")


def operation_words(state):
    """What happens now, or happened last, in one line."""
    scan = state.scan
    if scan and scan.running:
        return f"scan: block {len(scan.blocks):,} of {len(scan.plan):,}"
    operation = state.operation
    if operation is None:
        return "Nothing has run yet: record, play or scan."
    if operation.series and operation.series is not scan:
        care = operation.series
        return care.error or f"{care.name}: {care.told or care.state}"
    if operation.series:
        words = f"scan {scan.state}"
        return f"{words}: {scan.error}" if scan.error else words
    words = operation.verb
    if operation.moves and operation.sectors:
        words += f", {extent_words(operation.lba, operation.sectors)}"
    if operation.running:
        if operation.stopping:
            return f"{words}, stopping: its last command is completed"
        return words + (", recovering" if state.status.get("recovering") else "")
    told = f"{words}: {_ending(operation)}"
    if "accesses" in operation.fields:
        told += f", {operation.fields['accesses']:,} of {operation.fields['count']:,} accesses"
        figures = access_figures(operation.fields, state.clock_hz)
        told += f", {figures['iops']:,.0f} a second" if figures else ""
    return told


def skipped_words(operation):
    """What is to be added to how an operation has ended, if sectors were passed over in it."""
    skipped = operation.fields.get("skipped_sectors")
    return f", {skipped:,} sectors were skipped" if skipped else ""


def _ending(operation):
    """How an operation has ended, and where more is shown about it."""
    if operation.state == "stopped" and operation.verb == "record":
        return "stopped; its last command was completed, and that takes time without words of ours"
    place = operation.fields.get("error_lba") if operation.error else None
    words = (operation.error or operation.state) + (f" at sector {place:,}" if place is not None else "")
    words += skipped_words(operation)
    if operation.fields.get("journal_entries"):
        words += "; the journal shows what is in doubt"
    return words

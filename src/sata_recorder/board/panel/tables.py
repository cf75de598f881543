"""Tables and texts of the page as HTML. All that comes from a board is escaped."""

from html import escape

from ...pc.console.access import access_figures, access_rows
from ...pc.console.histogram import histogram_rows
from ...pc.console.identify_data import identify_rows
from ...pc.console.line import rows as line_rows
from ...pc.maintenance import LOCKED, Security, health_words, identify_words
from ...report import COLOURS
from ...pc.console.sound import ACCOUNTS
from .saving import latest_access, line_of
from .texts import size, skipped_words

_MOST_ROWS = 12


def facts(rows):
    """Names and values, as a list."""
    return "<dl class='sr-facts'>" + "".join(
        f"<dt>{escape(str(name))}</dt><dd>{escape(str(value))}</dd>" for name, value in rows) + "</dl>"


def _table(head, rows):
    cells = "".join(f"<th class='{kind}'>{escape(text)}</th>" for text, kind in head)
    body = "".join("<tr>" + "".join(f"<td class='{kind}'>{text}</td>" for text, kind in row)
                   + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def drive_facts(state):
    """What the drive reports about itself."""
    identity = state.identity
    if not identity:
        return "<p class='sr-hint'>No drive is identified.</p>"
    rows = [("model", identity["model"]), ("serial number", identity["serial"]),
            ("firmware", identity["firmware"]),
            ("capacity", f"{size(512 * identity['capacity'])}, {identity['capacity']:,} sectors")]
    locked = ""
    if state.identify_data:
        rows += identify_rows(state.identify_data)
        if Security.of(identify_words(state.identify_data)).locked:
            locked = f"<p class='wrong'>{escape(LOCKED)}</p>"
    return locked + facts(rows)


def phy_facts(state):
    """What the PHY reports about the line, if it does."""
    if not state.phy:
        return ""
    return facts((name, " ".join(filter(None, (value, meaning))))
                 for name, value, meaning in line_rows(state.phy, state.clock_hz))


def smart_table(state):
    """What the drive reports about its health, and its SMART attributes."""
    if not state.smart:
        return ""
    found, health = state.smart
    source = "attributes by", health.known_by or "nobody: what they mean is unknown"
    return facts([*health_words(health), source]) + _table(
        [("attribute", ""), ("value", "n"), ("worst", "n"), ("limit", "n"), ("raw", "n")],
        [[(escape(one.name), "wrong" if one.exceeded else ""), (value, "n"), (worst, "n"),
          (one.threshold or "-", "n"), (escape(raw), "n")]
         for one in found.values() for value, worst, raw in (one.texts,)])


def counters_table(state):
    """The ledger and the other counters of the latest operation."""
    counters = state.counters
    if not counters:
        return "<p class='sr-hint'>No operation has run yet.</p>"
    whole = sum(counters[name] for name in ACCOUNTS)
    rows = []
    for name, value in counters.items():
        share = f"{100 * value / whole:.2f} %" if name in ACCOUNTS and whole else ""
        key = f"<i class='sr-key' style='background:{COLOURS[name]}'></i>" \
            if name in COLOURS else ""
        rows.append([(key + escape(name.replace("_", " ")), ""),
                     ("-" if value is None else f"{value:,}", "n"), (share, "n")])
    return _table([("account or counter", ""), ("clocks, words", "n"), ("share", "n")], rows)


def access_table(state):
    """The latest accesses: what the board reports about them, and how long their commands took."""
    operation = latest_access(state)
    if operation is None:
        return "<p class='sr-hint'>None yet.</p>"
    if "accesses" not in operation.fields:
        text = "They run; the board reports on them at their end." if operation.running else \
            f"There is no answer: {escape(operation.error or operation.state)}."
        return f"<p class='sr-hint'>{text}</p>"
    fields = operation.fields | access_figures(operation.fields, state.clock_hz)
    rate = fields.get("mb_per_s")
    rows = access_rows(fields | {"seconds": fields["clocks"] / state.clock_hz}, None if rate is None else 1e6 * rate)
    found = facts((name, f"{value} {more}".strip()) for name, value, more in rows)
    if state.times is None:
        return found
    most = max(state.times.values(), default=1)
    return found + _table([("time of a command", ""), ("commands", "n"), ("", "")], [
        [(escape(time), ""), (count, "n"), (_bar(int(count.replace(",", "")) / most), "sr-bars")]
        for time, count, _ in histogram_rows(state.times, state.clock_hz)])


def _bar(share):
    return f"<i class='sr-bar' style='width:{100 * share:.1f}%'></i>" if share else ""


def journal_table(state):
    """What the latest operation left in doubt."""
    if state.journal is None:
        return "<p class='sr-hint'>Not known: it has not been read since a recording or a playback began.</p>"
    if not state.journal:
        return "<p class='sr-hint'>Empty: nothing is in doubt.</p>"
    return _table([("kind", ""), ("cause", ""), ("LBA", "n"), ("sectors", "n")],
                  [[(escape(entry["kind"]), "wrong"), (escape(entry["cause"]), ""),
                    (f"{entry['lba']:,}", "n"), (f"{entry['sectors']:,}", "n")]
                   for entry in state.journal])


def operations_table(state):
    """The latest operations, the newest first; blocks of scans left out."""
    shown = [operation for operation in (*state.past, state.operation)
             if operation and not operation.series][-_MOST_ROWS:]
    if not shown:
        return "<p class='sr-hint'>None yet.</p>"
    rows = []
    for operation in reversed(shown):
        fields = operation.fields
        rate = fields.get("mb_per_s")
        wrong = fields.get("mismatches")
        kind = {"done": "good", "failed": "wrong", "lost": "wrong"}.get(operation.state, "")
        if skipped := skipped_words(operation):
            kind = "wrong"
        rows.append([(escape(line_of(operation)), ""),
                     (escape((operation.error or operation.state) + skipped), kind),
                     ("-" if rate is None else f"{rate:,.2f}", "n"),
                     ("-" if wrong is None else f"{wrong:,}", "n wrong" if wrong else "n"),
                     (f"{operation.retries:,}", "n few")])
    return _table([("operation", ""), ("result", ""), ("MB/s", "n"), ("mismatches", "n"),
                   ("retries", "n few")], rows)


def first_mismatch(state):
    """The first wrong word of the latest playback, in words; empty without one."""
    operation = state.operation
    first = operation.fields.get("first_mismatch") if operation else None
    if not first or operation.lba is None or operation.series:
        return ""
    return (f"First wrong word: number {first['word']:,}, in sector "
            f"{operation.lba + first['word'] // 128:,}: expected 0x{first['expected']:08x}, got "
            f"0x{first['got']:08x}.")


def hex_view(dump):
    """A sector: offset, bytes, characters."""
    if dump is None:
        return "<p class='sr-hint'>The bytes of one sector appear here.</p>"
    lba, data = dump
    lines = [f"<i>sector {lba:,}</i>"]
    for at in range(0, len(data), 16):
        row = data[at:at + 16]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
        halves = f"{row[:8].hex(' ')}  {row[8:].hex(' ')}"
        lines.append(f"<i>{at:03x}</i>  {halves}  {escape(text)}")
    return "\n".join(lines)


def log_lines(state):
    """The log, the newest line first."""
    return "".join(f"<div class='{line.kind}'><b>{line.at:%H:%M:%S}</b>{escape(line.text)}</div>"
                   for line in reversed(state.log)) or \
        "<span class='sr-hint'>What is sent, answered and reported appears here.</span>"

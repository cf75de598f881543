"""A measurement as one HTML page that needs nothing else: no network, no other file."""

import base64
import html
import json
from pathlib import Path

import jinja2
from markupsafe import Markup

from ..core.drive_port import Error
from ..interface import ALL_PORTS
from ..core.ledger import Account, WholeAccount
from ..pc.maintenance import DriveVerdict, SmartReading, compared_attributes, compared_health
from .care import SIMULATED
from .colours import COLOURS, LANE_PAYLOAD, WHO
from .drawing import duration, inline
from .plots import pictures

#: What the errors and the accounts mean, by name.
_ERRORS = {error.name: error.meaning for error in Error}
_ACCOUNTS = {account.name.lower(): account.meaning for account in (*Account, *WholeAccount)}
#: Whose the time may be, for a sentence.
_WHOSE = {"drive": "the drive's", "host": "the host's", "protocol": "the protocol's",
          "recovery": "recovery from errors", "lane_payload": "the work of one lane"}

_HERE = Path(__file__).parent
#: Most gaps of a sensor's stream that the table shows; the data may hold more.
_MOST_GAPS = 20
_CAPTIONS = {
    "ledger": "Share of the clocks in each interval of time that went to each account.",
    "throughput": "Payload that crossed the link in each interval of time.",
    "buffer": "Words that waited in each moment that was sampled.",
    "commands": "How long each command took, and what lay between it and the one before.",
    "overhead": "How many commands had which overhead: the time from the last payload of the "
                "command before to their own first.",
}


def render(data):
    """The page of ``data``, a dictionary of :func:`..lab.measurement.as_data`, as text; the same data give the
    same text."""
    text = json.dumps(data)
    return filled(
        "page.html", text, {"number": number, "share": share, "count": count, "time": duration},
        data=data,
        simulation=data["simulation"],
        drive=_printable(data["drive"]["model"]) or "(no name)",
        profile=_printable(data["drive"].get("profile") or ""),
        sections=[_section(n, transfer) for n, transfer in enumerate(data["transfers"])],
        lost=sum(transfer["sensor"]["lost"] for transfer in data["transfers"]
                 if transfer.get("sensor")),
        care=_care(data.get("smart")),
        facts=_facts(data),
        colours=WHO | {"lane_payload": LANE_PAYLOAD},
        most_gaps=_MOST_GAPS,
        script=Markup((_HERE / "page.js").read_text(encoding="utf-8")),
        # Nothing in the data may end the script element.
        embedded=Markup(text.replace("&", r"\u0026").replace("<", r"\u003c")
                        .replace(">", r"\u003e")))


def filled(template, text, filters, **values):
    """The page that the file ``template`` makes of ``values``; a reader can download ``text`` from it."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters |= filters
    return environment.get_template(template).render(
        style=Markup((_HERE / "page.css").read_text(encoding="utf-8")),
        download=base64.b64encode(text.encode()).decode(), **values)


def _section(n, transfer):
    """All that the page shows of one transfer."""
    lanes = _lanes(transfer)
    booked = transfer | (transfer.get("whole") or {})
    ledger = _ledger(booked)
    parts = _parts(ledger)
    of = ""
    if lanes:
        # A result of an older version lacks the ledger of the array.
        of = "the array" if booked.get("whole") else f"lane {transfer['slowest_lane']}, which took longest"
    drawn = []
    for picture in pictures(transfer):
        label = f"{picture.title}, {transfer['operation']}"
        with picture.draw() as made:
            drawn.append({"title": picture.title, "caption": _CAPTIONS[picture.name],
                          "svg": Markup(inline(made, f"t{n}-{picture.name}",
                                               html.escape(label)))})
    return {"name": f"t{n}", "transfer": transfer, "ledger": ledger, "parts": parts, "lanes": lanes, "ledger_of": of,
            "total": booked["total"], "pictures": drawn,
            "verdict": (f"Of {of}: " if of else "") + _verdict(booked, parts),
            "counters": [(ALL_PORTS[name].meaning, count) for name, count in
                         transfer["counters"].items()],
            "error": _ERRORS.get(transfer["error"], ""),
            "overhead": {part: numbers for part, numbers in transfer["overhead"].items()
                         if part != "recovery" or numbers["maximum"]}}


def _ledger(transfer):
    """The accounts of a transfer, each with its share of the transfer's time."""
    total = transfer["total"]
    return [entry | {"share": 100 * entry["clocks"] / total if total else 0.0,
                     "seconds": entry["clocks"] / transfer["clock_hz"],
                     "colour": COLOURS.get(entry["account"], LANE_PAYLOAD),
                     "meaning": _ACCOUNTS[entry["account"]]}
            for entry in transfer["ledger"]]


def _lanes(transfer):
    """What each lane of an array did, each account with clocks in any lane, an entry per lane, and the number of
    commands of all lanes; None for a single drive."""
    lanes = transfer.get("lanes")
    if not lanes:
        return None
    ledgers = [_ledger(lane) for lane in lanes]
    return {"lanes": [{"transfer": lane, "parts": _parts(ledger)} for lane, ledger in zip(lanes, ledgers)],
            "accounts": [entries for entries in zip(*ledgers) if any(entry["clocks"] for entry in entries)],
            "commands": sum(lane["commands"] for lane in lanes)}


def _parts(ledger):
    """Who took the time, each with the largest of its accounts: payload first, then by share."""
    groups = {}
    for entry in ledger:
        groups.setdefault(entry["whose"] or entry["account"], []).append(entry)
    parts = [{"who": who, "share": sum(entry["share"] for entry in entries),
              "seconds": sum(entry["seconds"] for entry in entries),
              "main": max(entries, key=lambda entry: entry["clocks"])}
             for who, entries in groups.items()]
    parts = [part for part in parts if part["who"] != "recovery" or part["share"]]
    return sorted(parts, key=lambda part: (part["who"] != "payload", -part["share"]))


def _verdict(transfer, parts):
    """The cause of the limit, in words."""
    worst = next(part for part in parts if part["who"] != "payload")
    lost = sum(part["share"] for part in parts if part["who"] != "payload")
    if not transfer["total"]:
        return "No clock was booked: no command was sent."
    if not lost:
        return "Every clock carried payload."
    return (f"{share(lost)} of the time carried no payload, and most of that is {_WHOSE[worst['who']]}: "
            f"{share(worst['share'])}, above all {worst['main']['account']} with "
            f"{share(worst['main']['share'])} ({worst['main']['meaning']})."
            + _slow_sensor(transfer, worst["main"]["account"]))


def _slow_sensor(transfer, account):
    """The sentence for a link that waits for its sensor: no one's fault, and not why words are lost."""
    sensor = transfer.get("sensor")
    if not sensor or account != "host_hold":
        return ""
    return (f" The sensor has no more words: its {sensor['rate_bytes_per_second'] / 1e6:.2f} MB/s "
            "are less than the link carries.")


def _care(told):
    """What the drive reports about itself before and after; None if it was not queried."""
    if not told:
        return None
    readings = [SmartReading.of(told[when]) for when in ("before", "behind")]
    latest = next((one.health for one in reversed(readings) if one.health), None)
    verdict = latest.verdict if latest else DriveVerdict.UNKNOWN
    return {"simulated": SIMULATED, "verdict": verdict.value, "good": verdict is DriveVerdict.GOOD,
            "reasons": [_printable(text) for text in (latest.reasons if latest else ())],
            "failures": [f"{when}: {one.failure}" for when, one in zip(("before", "after"), readings)
                         if one.failure],
            "health": list(compared_health(*readings)),
            "attributes": [((pair[0] or pair[1]), *pair) for pair in compared_attributes(*readings)]}


def _facts(data):
    """What was measured, and with what: (heading, rows of name and value)."""
    yield "Drive and link", list(flat({**data["drive"], "link": data["link"]}))
    yield "Core", list(flat(data["configuration"]))
    others = ("good", "problems", "caveats", "simulation", "drive", "link", "configuration", "transfers",
              "smart")
    run = {name: value for name, value in data.items() if name not in others}
    yield "Run", list(flat(run))


def flat(values, prefix=""):
    """Rows of name and value from nested dictionaries."""
    for name, value in values.items():
        name = f"{prefix}{name}"
        if isinstance(value, dict):
            yield from flat(value, f"{name}.")
        else:
            yield _printable(name), _value(value)


def _value(value):
    """A value of any kind as text, cut to a bearable length."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return number(value)
    text = _printable(value if isinstance(value, str) else json.dumps(value))
    return text if len(text) <= 300 else f"{text[:300]} ... ({len(text):,} characters)"


def _printable(text):
    """Names come from drives: a replacement character stands for each one that cannot be printed."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}"
                   for letter in text)


def number(value, decimals=None):
    """With thousands separators; without ``decimals`` all digits, but at most ten of a float."""
    if decimals is None:
        return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"
    return f"{value:,.{decimals}f}"


def share(percent):
    """A percentage; a small one is never shown as zero."""
    text = "< 0.001 %" if 0 < percent < 0.001 else f"{percent:.3f} %"
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def count(value, thing):
    """The number and the noun ``thing``, in the plural unless it is one."""
    return f"{number(value)} {thing}" + ("" if value == 1 else "s")

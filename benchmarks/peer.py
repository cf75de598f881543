"""This project's core and LiteSATA in one flow and on one bench: area, also on other families, fmax, latency, faults.

LiteSATA is installed into build/peer when it is not there; nothing else needs it.
"""

import re
import sys

import latency
import peer_area
import peer_cases
import peer_environment
import peer_families
import tables
from peer_runs import LONGEST, LiteSata, Recorder, operate
from sata_drive_model import Behaviour
from sata_recorder.simulation.analyser import SPANS

PAGE = "comparison.md"
PARTS = ("area", "families", "latency", "faults")

_FIGURE = re.compile(r"-|[\d.]+( %)?")

#: The spans of the drive model that are shown.
SHOWN = ("x_rdy_r_rdy", "sof_r_ip", "hold_holda", "wtrm_r_ok", "status_sof", "activate_sof")
#: Sectors of a command in the tables of rates.
LENGTHS = {"one command": LONGEST, "commands of 256 sectors": 256, "commands of 1 sector": 1}


def checked(core, direction, **arguments):
    """The ``latency.Run`` of an operation against a friendly drive, which must succeed."""
    print(f"compare: {core.name}, {direction} ...", file=sys.stderr, flush=True)
    done = operate(core, direction, sectors=latency.SECTORS, **arguments)
    if done.verdict != "done":
        raise SystemExit(f"compare: {core.name}, {direction}: {done.verdict}")
    return done.transfer


def spans(cores):
    """Name of a core -> name of a span -> minimum, mean, maximum and number."""
    found = {}
    for core in cores:
        runs = [checked(core, direction, limit=256, behaviour=Behaviour(throttle=hold, underrun=hold))
                for direction in ("read", "write") for hold in (None, latency.HOLD)]
        found[core.name] = {name: latency.joined(runs, name) for name in SHOWN}
    return found


def rates(cores):
    """(direction, length, [latency.Run of each core])."""
    for length, limit in LENGTHS.items():
        for direction in "read", "write":
            yield direction, length, [checked(core, direction, limit=limit) for core in cores]


def span_rows(found):
    for name in SHOWN:
        cells = [(one[name]["minimum"], f"{one[name]['mean']:.2f}", one[name]["maximum"])
                 for one in found.values()]
        yield SPANS[name], *(cell for three in cells for cell in three)


def rate_rows(found):
    for direction, length, runs in found:
        yield (f"{direction}, {length}", *(f"{100 * one.rate:.2f} %" for one in runs),
               *(f"{100 * one.part:.2f} %" for one in runs))


def markdown(header, rows):
    """A Markdown table: figures to the right, text to the left."""
    rows = list(rows)
    figures = [all(_FIGURE.fullmatch(str(row[column])) for row in rows)
               for column in range(len(header))]
    return tables.markdown(header, rows, ["---:" if figure else "---" for figure in figures])


def blocks(parts):
    """(name, text) of all that ``parts`` have on the page."""
    peer = peer_environment.peer()
    cores = [Recorder(), LiteSata(peer)] if set(parts) - {"area", "families"} else []
    names = [core.name for core in cores]
    yield "versions", ", ".join(f"{name} {version}" for name, version in peer.versions.items())
    if "area" in parts:
        entries = list(peer_area.measured(peer))
        yield "target", f"{peer_area.TITLE}."
        yield "area", markdown(peer_area.HEADER, peer_area.rows(entries))
        yield "without", peer_area.without_buffer(entries)
    if "families" in parts:
        yield "tools", f"{peer_families.versions()}."
        yield "families", markdown(peer_families.HEADER, peer_families.rows(peer_families.measured(peer)))
    if "latency" in parts:
        yield "spans", markdown(("span, in clocks", *(f"{name}{column}" for name in names
                                                      for column in (": min", ": mean", ": max"))),
                                span_rows(spans(cores)))
        yield "rates", markdown(("512 KiB in", *(f"{name}: rate" for name in names),
                                 *(f"{name}: part" for name in names)), rate_rows(rates(cores)))
    if "faults" in parts:
        yield "legal", markdown(
            ("drives of legal behaviour", "core", "runs that ended", "runs with a violation"),
            peer_cases.legal_rows(peer_cases.legal(cores), cores))
        tried = list(peer_cases.faults(cores))
        yield "faults", markdown(("the drive or the line", "direction", *names), peer_cases.fault_rows(tried))
        yield "violations", markdown(("the drive or the line", "direction", "core", "what the drive saw"),
                                     peer_cases.violation_rows(tried, cores))


def main():
    parser = tables.parser(__doc__, f"docs/{PAGE}")
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART",
                        help=f"some of {', '.join(PARTS)}; all if none is named")
    arguments = parser.parse_args()
    for name, text in blocks(arguments.parts or PARTS):
        tables.output(text, *[(PAGE, name)] * arguments.markdown)


if __name__ == "__main__":
    main()

"""Timing diagrams of the core, from a simulation of it: docs/timing/NAME.json (WaveJSON) and NAME.svg.

    .venv/bin/python benchmarks/timing_diagrams.py [NAME ...]

makes those of all names of timing_scenarios.py, or some. tests/unit/test_timing.py compares them with what the
simulation gives. Clocks in which nothing changes are left out, and there is a gap in their place; the first row has the
number of each clock.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import wavedrom
from timing_scenarios import CORES, DIAGRAMS, USUAL
from timing_trace import line, simulated

FOLDER = Path(__file__).resolve().parents[1] / "docs/timing"
#: A label: between two frames.
IDLE = "z"


def labels(row, rows):
    """What is drawn of ``row`` in each clock of ``rows``: 0, 1, or a text; None where there is nothing."""
    if row.kind in ("line", "frames"):
        carried = line(rows, row.port.removesuffix("_data"), row.kind == "frames")
        return [text or (IDLE if row.kind == "frames" else None) for text in carried]
    shown, seen = [], []
    for values in rows:
        value = values[row.port]
        if row.valid and not values[row.valid]:
            shown.append(None)
            continue
        if row.few and value not in seen:
            seen.append(value)
        if row.digits or row.binary:
            shown.append(f"{value:0{row.digits}x}" if row.digits else f"{value:0{row.binary}b}")
        elif row.few and len(seen) > row.few and value in seen[row.few:]:
            shown.append("...")
        else:
            shown.append(value if row.kind == "bit" else str(value))
    return shown


def kept(columns):
    """The clocks that are drawn of ``columns``, the labels of each clock; None stands for a gap."""
    found = []
    for clock, column in enumerate(columns):
        if column not in columns[max(clock - 2, 0):max(clock - 1, 0)] or column != columns[clock - 1]:
            found.append(clock)
        elif found[-1] is not None:
            # A gap that stands for one clock takes as much room as the clock.
            found.append(None if columns[clock + 1:clock + 2] == [column] else clock)
    return found


def wave(name, shown, clocks):
    """A row of WaveJSON for the labels ``shown``, of which ``clocks`` are drawn."""
    text, data, before = "", [], ()
    for clock in clocks:
        if clock is None:
            text += "|"
            continue
        label = shown[clock]
        if label == before:
            text += "."
        elif label in (None, IDLE):
            text += "x" if label is None else "z"
        elif isinstance(label, int):
            text += str(label)
        else:
            text += "="
            data.append(label)
        before = label
    return {"name": name, "wave": text} | ({"data": data} if data else {})


def diagram(one, trace):
    """The WaveJSON of the :class:`Diagram` ``one``, of a ``trace`` of its scenario."""
    first, last = trace.marks["first"], trace.marks["last"]
    # Of the line what came before is needed, too.
    shown = {row.port: labels(row, trace.rows[:last + 1])[first:] if row.kind in ("line", "frames")
             else labels(row, trace.rows[first:last + 1]) for row in one.rows}
    clocks = kept([*zip(*shown.values())])
    numbers = [str(first + at - trace.marks["zero"]) for at in range(last + 1 - first)]
    return {"signal": [wave("clock", numbers, clocks), {}, *(wave(port, shown[port], clocks) for port in shown)],
            "config": {"hscale": scale(shown, clocks)}}


def scale(shown, clocks):
    """How wide a clock must be, in units of 40 pixels, for the texts in it."""
    widest = 1
    for column in shown.values():
        run, before = 0, ()
        for clock in [*clocks, -1]:
            if clock is None or clock >= 0 and column[clock] == before:
                run += 1
                continue
            if isinstance(before, str):
                widest = max(widest, (7 * len(before) + 4) / (40 * run))
            run, before = 1, column[clock]
    return max(math.ceil(widest), 2 if len(clocks) < 14 else 1)


def traced(names=()):
    """(Diagram, its WaveJSON) of all diagrams, or those of ``names``; a core is elaborated once for all of its own."""
    for core, options in CORES.items():
        those = [one for one in DIAGRAMS if one.core == core and (not names or one.name in names)]
        if those:
            runs = simulated([(one.scenario, one.source) for one in those], **USUAL | options)
            yield from ((one, diagram(one, trace)) for one, trace in zip(those, runs))


def text_of(data):
    """WaveJSON as text: a line for each row."""
    rows = ",\n".join(f"  {json.dumps(row)}" for row in data["signal"])
    return f'{{"signal": [\n{rows}\n],\n"config": {json.dumps(data["config"])}}}\n'


def picture(text):
    """The SVG of WaveJSON, on white in a dark page, too."""
    drawn = wavedrom.render(text).tostring()
    return drawn.replace("<svg ", '<svg style="background: white" ', 1) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *(one.name for one in DIAGRAMS)])
    names = parser.parse_args().names
    FOLDER.mkdir(exist_ok=True)
    for one, data in traced(names):
        text = text_of(data)
        (FOLDER / f"{one.name}.json").write_text(text)
        (FOLDER / f"{one.name}.svg").write_text(picture(text))
        print(f"{one.name}: {len(data['signal'][0]['wave'])} columns", file=sys.stderr)


if __name__ == "__main__":
    main()

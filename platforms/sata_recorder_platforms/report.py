"""What the tools report about a build: clocks, crossings, constraints, area."""

import json
import re
from dataclasses import dataclass, field

_CONSTRAINED = re.compile(r"^Info: constraining clock net '(\S+)' to ([\d.]+) MHz")
_DERIVED = re.compile(r"^Info: +Derived frequency constraint of ([\d.]+) MHz for net (\S+)")
_ASKED = re.compile(r'^FREQUENCY (?:NET|PORT) "(\S+)" ([\d.]+) HZ;', re.MULTILINE)
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
class Crossing:
    """The longest path from one clock to another, and how long it may be, in ns."""

    source: str
    target: str
    delay: float
    limit: float

    @property
    def met(self):
        return self.delay <= self.limit


@dataclass(frozen=True)
class Layer:
    """Cells of one part of the hierarchy without the parts that are listed for themselves."""

    name: str
    cells: dict


@dataclass(frozen=True)
class Told:
    """What the tools reported about a build.

    ``clocks``: :class:`Clock`; ``crossings``: :class:`Crossing`; ``pads``: name of each pad of the
    SERDES, to its site; ``untimed``: (port, direction, why that is no harm) of what no tool times;
    ``device``: kind of cell to (used, all); ``faults``: texts.
    """

    clocks: list = field(default_factory=list)
    crossings: list = field(default_factory=list)
    pads: dict = field(default_factory=dict)
    untimed: list = field(default_factory=list)
    device: dict = field(default_factory=dict)
    faults: list = field(default_factory=list)


def aliases(netlist, top):
    """Every name of a net of one bit, to all names of the same net."""
    nets = {}
    for name, net in netlist["modules"][top]["netnames"].items():
        if len(net["bits"]) == 1:
            nets.setdefault(net["bits"][0], set()).add(name)
    return {name: names for names in nets.values() for name in names}


def _known(key, names, expected):
    """The name among ``expected`` of the net that the tool calls ``key``, or None."""
    found = names.get(key.removeprefix("$glbnet$"), {key})
    return next((one for one in expected if one in found), None)


def clocks(report, names, expected):
    """The clocks of nextpnr's ``report`` under the names of ``expected``.

    nextpnr picks one of the names that a net has; ``names`` are the :func:`aliases` of the netlist
    that it got. Returns ``([Clock, ...], faults)``: a fault is a text, for a clock that is missing,
    that is not constrained to what ``expected`` (net to Hz) states, or that nobody expected.
    """
    found, faults = [], []
    for key, told in report["fmax"].items():
        name = _known(key, names, expected)
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


def crossings(report, names, expected, pairs):
    """The longest path between each two clocks of nextpnr's ``report``.

    No constraint limits it. A queue between clocks counts on words whose bits arrive within a
    period: so the limit is the shorter one of both periods. ``names`` and ``expected`` as for
    :func:`clocks`; ``pairs``: (from, to) that there must be. Returns ``([Crossing, ...], faults)``.
    """
    longest = {}
    for path in report["critical_paths"]:
        source, target = (_known(path[end].split()[-1], names, expected)
                          for end in ("from", "to"))
        if source and target and source != target:
            delay = sum(step["delay"] for step in path["path"])
            longest[source, target] = max(delay, longest.get((source, target), 0))
    found = [Crossing(source, target, delay, 1e9 / max(expected[source], expected[target]))
             for (source, target), delay in longest.items()]
    faults = [f"{source} -> {target}: no crossing in nextpnr's report" for source, target in pairs
              if (source, target) not in longest]
    faults += [f"{one.source} -> {one.target}: the crossing takes {one.delay:.2f} ns, a period is "
               f"{one.limit:.2f} ns; another seed may do" for one in found if not one.met]
    order = list(expected)
    return sorted(found, key=lambda one: (order.index(one.source),
                                          order.index(one.target))), faults


def constraint_faults(log, preferences, derived=None, names=None):
    """What nextpnr's ``log`` reports about the constraints that were requested: a list of texts.

    nextpnr drops a constraint on a net that it does not know, often without a word; so each
    FREQUENCY line of ``preferences`` (the LPF file) must be confirmed in the log. ``derived``: net
    to Hz, of clocks for which nextpnr must have derived the constraint from that of another one;
    ``names``: the :func:`aliases` of the netlist.
    """
    told, own = {}, {}
    for line in log.splitlines():
        if found := _CONSTRAINED.match(line):
            told[found[1]] = float(found[2])
        elif found := _DERIVED.match(line):
            own |= dict.fromkeys((names or {}).get(found[2], {found[2]}), float(found[1]))
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


def layers(statistics, parts, kinds):
    """Cells of each part of the hierarchy, from Yosys' `stat -json` of a netlist with ``parts`` kept.

    ``parts``: name of the report to name of the module; ``kinds``: cell to its name in the report.
    Each cell is counted once: where it is, not in what is around it.
    """
    modules = json.loads(statistics)["modules"]
    found = []
    for name, module in parts.items():
        counted = modules[f"\\{module}"]["num_cells_by_type"]
        found.append(Layer(name, {short: counted.get(cell, 0) for cell, short in kinds.items()}))
    return found

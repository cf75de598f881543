"""Wrappers of the exported core: SystemVerilog interfaces in place of its ports, or attributes for Vivado."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import __version__
from ..core.phy import BackEnd
from ..facts.channels import MOST_CHANNELS
from ..interface.configuration import Configuration
from ..interface.memory import BUS_NAMES
from .description import description
from .netlist import TOP
from .template import instance

__all__ = ["system_verilog", "vivado_wrapper"]

#: Ports that stay ports: clocks, the reset, and pads.
_PLAIN = ("clk", "rst", "s_axis_aclk", "m_axis_aclk", "reference_clk")
#: Groups whose ports have a prefix, beside the dword ports of the lanes; all others are `control`.
_PREFIXES = ("s_axis", "m_axis", "s_axil", *BUS_NAMES, *(f"s{number}_axis" for number in range(MOST_CHANNELS)))
_CLOCKS = {"s_axis_aclk": "s_axis", "m_axis_aclk": "m_axis"}
_Port = Mapping[str, Any]


def system_verilog(configuration: Configuration, back_end: BackEnd | None = None) -> str:
    """Text of the module ``sata_recorder_sv``: the core, whose ports are SystemVerilog interfaces.

    An interface for each stream, bus and dword port, and ``control`` for all other pins. Clocks, reset and pads stay
    ports. Each interface has the modports ``core``, and ``user`` for the other side; its signals have the names of the
    ports after the prefix.
    """
    ports = description(configuration, back_end)["ports"]
    plain, groups = _grouped(ports)
    # The lanes of an array have the same dword port, and the same port of a memory.
    types = {name: "phy" if name.startswith("phy") else BUS_NAMES[0] if name in BUS_NAMES else name for name in groups}
    interfaces = "\n".join(_interface(kind, next(group for name, group in groups.items() if types[name] == kind))
                           for kind in dict.fromkeys(types.values()))
    heads = [f"  {port['direction']} wire {_range(port)}{port['name']}" for port in plain]
    heads += [f"  {TOP}_{types[name]}_if.core {name}" for name in groups]
    nets = {port["name"]: port["name"] for port in plain}
    nets |= {port["name"]: f"{name}.{_short(name, port)}" for name, group in groups.items() for port in group}
    return (f"{_head('its ports as SystemVerilog interfaces', configuration)}\n{interfaces}\nmodule {TOP}_sv (\n"
            + ",\n".join(heads) + f"\n);\n{_indented(instance(ports, 'core', nets, meanings=False))}endmodule\n")


def vivado_wrapper(configuration: Configuration, back_end: BackEnd | None = None) -> str:
    """Text of the module ``sata_recorder_ip``, in Verilog: the core with the same ports, and the attributes from which
    Vivado's IP packager and block designs know its clocks, its reset and its interrupt.

    Vivado finds the AXI interfaces by the names of their ports; what it cannot know is which clock each of them has.
    """
    ports = description(configuration, back_end)["ports"]
    names = [port["name"] for port in ports]
    own = {prefix: clock for clock, prefix in _CLOCKS.items() if clock in names}
    buses = [prefix for prefix in _PREFIXES if any(name.startswith(f"{prefix}_") for name in names)]
    marks = {"clk": _clock("clk", [bus for bus in buses if bus not in own], configuration.clock_hz, "rst"),
             "rst": _attribute("reset:1.0 rst RST", "POLARITY ACTIVE_HIGH"),
             "irq": _attribute("interrupt:1.0 irq INTERRUPT", "SENSITIVITY LEVEL_HIGH")}
    marks |= {clock: _clock(clock, [prefix], None) for prefix, clock in own.items()}
    heads = ",\n".join(f"{marks.get(port['name'], '')}  {port['direction']} wire {_range(port)}{port['name']}"
                       for port in ports)
    nets = {name: name for name in names}
    return (f"{_head('attributes for block designs and the IP packager of Vivado', configuration)}\n"
            f"module {TOP}_ip (\n{heads}\n);\n"
            f"{_indented(instance(ports, 'core', nets, meanings=False))}endmodule\n")


def _head(what: str, configuration: Configuration) -> str:
    return (f"// {TOP} {__version__}: {what}.\n// SPDX-License-Identifier: BSD-2-Clause\n"
            f"// Configuration: {configuration.summary()}\n")


def _grouped(ports: Sequence[_Port]) -> tuple[list[_Port], dict[str, list[_Port]]]:
    """The ports that stay, and those of each interface by its name."""
    plain: list[_Port] = []
    groups: dict[str, list[_Port]] = {}
    for port in ports:
        prefix = next((one for one in _PREFIXES if port["name"].startswith(f"{one}_")), None)
        first = port["name"].partition("_")[0]
        if port["name"] in _PLAIN or first == "sata":
            plain.append(port)
        else:
            lane = first == "phy" or first[:3] == "phy" and first[3:].isdecimal()
            groups.setdefault(prefix or (first if lane else "control"), []).append(port)
    return plain, groups


def _short(name: str, port: _Port) -> str:
    """The name of a port within its interface."""
    text: str = port["name"]
    return text if name == "control" else text.removeprefix(f"{name}_")


def _interface(name: str, group: Sequence[_Port]) -> str:
    signals = "".join(f"  logic {_range(port)}{_short(name, port)};  // {port['meaning']}\n" for port in group)
    other = {"input": "output", "output": "input"}

    def modport(role: str, of: Mapping[str, str]) -> str:
        signals = ", ".join(f"{of[port['direction']]} {_short(name, port)}" for port in group)
        return f"  modport {role} ({signals});\n"
    return (f"interface {TOP}_{name}_if;\n{signals}{modport('core', {one: one for one in other})}"
            f"{modport('user', other)}endinterface\n")


def _attribute(interface: str, parameter: str) -> str:
    return (f'  (* X_INTERFACE_INFO = "xilinx.com:signal:{interface}", '
            f'X_INTERFACE_PARAMETER = "{parameter}" *)\n')


def _clock(name: str, buses: Sequence[str], frequency: float | None, reset: str | None = None) -> str:
    parts = [f"ASSOCIATED_BUSIF {':'.join(buses)}"] if buses else []
    parts += [f"ASSOCIATED_RESET {reset}"] * bool(reset)
    parts += [f"FREQ_HZ {frequency:.0f}"] if frequency else []
    return _attribute(f"clock:1.0 {name} CLK", ", ".join(parts))


def _indented(text: str) -> str:
    return "".join(f"  {line}" for line in text.splitlines(keepends=True))


def _range(port: _Port) -> str:
    return f"[{port['width'] - 1}:0] " if port["width"] > 1 else ""

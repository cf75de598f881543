"""How the exported core is instantiated, as Verilog to copy or to include."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import __version__
from ..core.phy import BackEnd
from ..interface.configuration import Configuration
from .description import description
from .netlist import TOP

__all__ = ["INSTANCE", "instance", "template"]

#: The name of the instance in the template, and in constraints.
INSTANCE = f"{TOP}_i"

_USERS = ("clk", "rst")     # a design has these already


def template(configuration: Configuration, back_end: BackEnd | None = None) -> str:
    """Text of the template for ``configuration`` and ``back_end``: a net for each port but clock and
    reset, and an instance that connects them. It can be included in a module that has ``clk`` and
    ``rst``."""
    ports = description(configuration, back_end)["ports"]
    size = max(len(_range(port)) for port in ports)
    nets = "".join(f"wire {_range(port):{size}} {port['name']};\n" for port in ports
                   if port["name"] not in _USERS)
    return (f"// {TOP} {__version__}: how it is instantiated. Drive all inputs; 0 for one that "
            "is not used.\n"
            "// SPDX-License-Identifier: BSD-2-Clause\n"
            f"// Configuration: {configuration.summary()}\n\n"
            f"{nets}\n{instance(ports, INSTANCE)}")


def instance(ports: Sequence[Mapping[str, Any]], name: str, nets: Mapping[str, str] | None = None, *,
             meanings: bool = True) -> str:
    """An instance ``name`` of the core with ``ports``, which are those of :func:`.description`.

    ``nets`` are the Verilog expressions by port: an input without one gets 0, an output nothing.
    Without ``nets`` each port is connected to the net of its name. A comment beside it has direction
    and width, and the port's meaning.
    """
    lines = []
    for port in ports:
        unused = f"{port['width']}'d0" if port["direction"] == "input" else ""
        net = port["name"] if nets is None else nets.get(port["name"], unused)
        lines.append((f".{port['name']}", f"({net})", port))
    first, second = (max(len(line[n]) for line in lines) + 1 for n in (0, 1))
    body = "".join(
        f"  {left:{first}}{right + ('' if port is ports[-1] else ','):{second}} // "
        f"{port['direction']:6} {_range(port) or '1 bit'}"
        f"{': ' + port['meaning'] if meanings else ''}\n"
        for left, right, port in lines)
    return f"{TOP} {name} (\n{body});\n"


def _range(port: Mapping[str, Any]) -> str:
    return f"[{port['width'] - 1}:0]" if port["width"] > 1 else ""

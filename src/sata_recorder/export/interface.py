"""What other programs need to know of an exported core, as plain data."""

from amaranth.hdl import Fragment, Signal
from amaranth.hdl._ir import PortDirection

from .. import __version__
from ..command import Account
from ..core import SataRecorder, ports
from ..sequencer import Entry, Error, Operation
from . import meanings
from .netlist import TOP

__all__ = ["description"]


def description(configuration):
    """The interface of ``SataRecorder(configuration)``, ready for `json`.

    ``module``, ``version``; ``configuration``; ``ports`` in the order of the Verilog file: name,
    direction, width, meaning; ``operations`` and ``errors``: name, code, meaning; ``ledger``:
    name, address, meaning.
    """
    # clk and rst belong to the clock domain, not to the component.
    signals = dict.fromkeys(("clk", "rst"), (Signal(), PortDirection.Input))
    core = SataRecorder(configuration)
    signals |= ports(core)
    Fragment.get(core, None)  # Amaranth warns of a component that nobody elaborates

    def port(name, meaning):
        value, direction = signals[name]
        return {"name": name, "direction": direction.value, "width": len(value),
                "meaning": meaning}

    addresses = {**Account.__members__, **{name: address for name, address in vars(Entry).items()
                                           if name.isupper()}}
    entries = {**meanings.ACCOUNTS, **meanings.EXTREMES}
    return {
        "module": TOP,
        "version": __version__,
        "configuration": configuration.model_dump(),
        "ports": [port(name, meaning) for name, meaning in meanings.PORTS.items()],
        "operations": [{"name": one.name, "code": int(one),
                        "meaning": meanings.OPERATIONS[one.name]} for one in Operation],
        "errors": [{"name": one.name, "code": int(one), "meaning": meanings.ERRORS[one.name]}
                   for one in Error],
        "ledger": [{"name": name.lower(), "address": int(address), "meaning": entries[name]}
                   for name, address in addresses.items()],
    }

"""What other programs need to know of an exported core, as plain data."""

from amaranth.hdl import Fragment, Signal
from amaranth.hdl._ir import PortDirection

from .. import __version__
from ..interface import REGISTERS
from ..ledger import Account, Entry
from ..recorder import FIELDS
from ..drive_port import Error, JournalKind, Operation
from .netlist import TOP
from .top import described, top

__all__ = ["codes", "description"]


def description(configuration):
    """The interface of the core for ``configuration``, ready for `json`.

    ``module``, ``version``; ``configuration``; ``ports`` in the order of the Verilog file: name,
    direction, width, meaning; ``registers``, if there are any: name, offset in bytes, ``count`` of
    them and the bytes from one to the next, access, ``reset`` value of the bits in ``reset_mask``,
    meaning, and ``fields``: name, lowest bit, width, access, unit, meaning; and the tables of
    :func:`codes`.
    """
    # clk and rst belong to the clock domain, not to the component.
    signals = dict.fromkeys(("clk", "rst"), (Signal(), PortDirection.Input))
    core, ports = top(configuration)
    signals |= ports
    Fragment.get(core, None)  # Amaranth warns of a component that nobody elaborates

    def port(name, meaning):
        value, direction = signals[name]
        return {"name": name, "direction": direction.value, "width": len(value),
                "meaning": meaning}

    return {
        "module": TOP,
        "version": __version__,
        "configuration": configuration.model_dump(),
        "ports": [port(name, meaning) for name, meaning in described(ports).items()],
        "registers": ([_register(word) for register in REGISTERS for word in register.words]
                      if configuration.control == "axi-lite" else []),
        **codes(),
    }


def codes():
    """The numbers that ports and registers carry.

    ``operations``, ``errors`` and ``marks``: name, code, meaning; ``ledger``: name, address,
    meaning; ``journal``: name, field, meaning.
    """
    def named(members):
        return [{"name": one.name, "code": int(one), "meaning": one.meaning} for one in members]

    return {
        "operations": named(Operation),
        "errors": named(Error),
        "marks": named(JournalKind),
        "journal": [{"name": name, "field": number, "meaning": meaning}
                    for number, (name, meaning) in enumerate(FIELDS.items())],
        "ledger": [{"name": one.name.lower(), "address": int(one), "meaning": one.meaning}
                   for one in (*Account, *Entry)],
    }


def _register(word):
    reset, mask = word.reset
    return {
        "name": word.name, "offset": word.offset, "count": word.register.count,
        "stride": word.register.stride, "access": "rw" if word.writable else "ro",
        "reset": reset, "reset_mask": mask, "meaning": word.meaning,
        "fields": [{"name": field.name, "low": field.low, "width": field.width,
                    "access": field.access.value, "unit": field.unit, "meaning": field.meaning}
                   for field in word.fields],
    }

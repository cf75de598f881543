"""The registers as SystemRDL 2.0, for tools that generate code, documentation or a testbench's register model."""

from collections.abc import Iterable, Mapping
from typing import Any

from .. import __version__
from ..interface import ADDRESS_BITS, Group, registers_with
from ..interface.registers import Access, Field, Register, Word
from .enumerations import enumerations
from .netlist import TOP

__all__ = ["quoted", "rdl"]

#: What software and hardware do with a field. One that the bank does not store is a wire that hardware drives.
_ACCESS = {Access.RO: "sw = r; hw = w;", Access.RW: "sw = rw; hw = r; reset = 0;",
           Access.W1P: "sw = w; hw = r; singlepulse; reset = 0;", Access.W1C: "sw = rw; hw = rw; woclr; reset = 0;"}

_Enumerated = Mapping[tuple[str, str], tuple[str, list[dict[str, Any]]]]


def rdl(*groups: Group) -> str:
    """Text of the SystemRDL file: one ``addrmap`` at byte address 0, with the registers of these ``groups``, see
    :data:`..interface.GROUPS`.

    A register of two words is ``NAME_LOW`` and ``NAME_HIGH``, and an array of them a ``regfile`` with ``LOW`` and
    ``HIGH``. That reading a low word keeps the high word is in their descriptions only: SystemRDL has no property for
    it.
    """
    enumerated = enumerations(*groups)
    tables = {name: (table, max(_width(groups, place) for place, (other, _) in enumerated.items() if other == name))
              for name, table in enumerated.values()}
    enums = "\n".join(_enum(name, table, width) for name, (table, width) in tables.items())
    registers = "\n".join(_register(one, enumerated) for one in registers_with(*groups))
    return f"""\
// {TOP} {__version__}: the registers on AXI4-Lite, as SystemRDL 2.0.
// SPDX-License-Identifier: BSD-2-Clause

addrmap {TOP} {{
  name = "SATA recorder {__version__}";
  desc = "A SATA host and streaming recorder. {1 << ADDRESS_BITS} bytes of addresses.";
  default regwidth = 32;
  default accesswidth = 32;

{enums}
{registers}}};
"""


def _width(groups: Iterable[Group], place: tuple[str, str]) -> int:
    """Bits of the field at this ``place``, (register, field)."""
    width, = (field.width for register in registers_with(*groups) if register.name == place[0]
              for field in register.fields if field.name == place[1])
    return width


def _enum(name: str, table: Iterable[Mapping[str, Any]], width: int) -> str:
    rows = "".join(f"    {one['name']} = {width}'d{one['code']} {{ desc = {quoted(one['meaning'])}; }};\n"
                   for one in table)
    return f"  enum {name}_e {{\n{rows}  }};\n"


def _register(register: Register, enumerated: _Enumerated) -> str:
    """One register, two words of one, or an array of either."""
    array = f"[{register.count}]" if register.count > 1 else ""
    step = f" += {register.stride:#x}" if register.count > 1 else ""
    if not (array and register.wide):
        return "\n".join(_word(word, f"{word.name}{array} @ {word.offset:#05x}{step}", "  ", enumerated)
                         for word in register.words)
    words = "\n".join(_word(word, f"{word.half} @ {word.offset - register.offset:#x}", "    ", enumerated)
                      for word in register.words)
    return (f"  regfile {{\n    desc = {quoted(register.meaning)};\n{words}"
            f"  }} {register.name}{array} @ {register.offset:#05x}{step};\n")


def _word(word: Word, place: str, indent: str, enumerated: _Enumerated) -> str:
    fields = "".join(f"{indent}  {_field(word, field, enumerated)}\n" for field in word.fields)
    return f"{indent}reg {{\n{indent}  desc = {quoted(word.meaning)};\n{fields}{indent}}} {place};\n"


def _field(word: Word, field: Field, enumerated: _Enumerated) -> str:
    access = _ACCESS[field.access] if field.value is None else f"sw = r; hw = na; reset = {field.value:#x};"
    encode = ""
    if (word.name, field.name) in enumerated:
        encode = f" encode = {enumerated[word.name, field.name][0]}_e;"
    unit = f" [{field.unit}]" if field.unit else ""
    return (f"field {{ desc = {quoted(field.meaning + unit)}; {access}{encode} }} "
            f"{field.name}[{field.low + field.width - 1}:{field.low}];")


def quoted(text: str) -> str:
    """A string of SystemRDL."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

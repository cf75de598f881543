"""The registers as a CMSIS-SVD file, for debuggers and generators of code."""

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from .. import __version__
from ..interface import ADDRESS_BITS, Group, registers_with
from ..interface.registers import Access, Register, Word
from .enumerations import enumerations
from .netlist import TOP

__all__ = ["svd"]

_SUMMARY = "A SATA host and streaming recorder"

_ACCESS = {Access.RO: "read-only", Access.RW: "read-write", Access.W1P: "write-only",
           Access.W1C: "read-write"}


def svd(*groups: Group) -> str:
    """Text of the SVD file (CMSIS-SVD 1.3.9): one device with one peripheral at address 0, with
    the registers of these ``groups``, see :data:`..interface.GROUPS`.

    Of ``LEDGER[n]``, entries that have no name are reserved.
    """
    enumerated = enumerations(*groups)
    device = ElementTree.Element("device", {
        "schemaVersion": "1.3", "xmlns:xs": "http://www.w3.org/2001/XMLSchema-instance",
        "xs:noNamespaceSchemaLocation": "CMSIS-SVD.xsd"})
    _texts(device, name=TOP, version=__version__, description=_SUMMARY, addressUnitBits=8,
           width=32, size=32, access="read-write", resetValue="0x00000000",
           resetMask="0xFFFFFFFF")
    peripheral = _inside(_inside(device, "peripherals"), "peripheral")
    _texts(peripheral, name=TOP.upper(), version=__version__, description=_SUMMARY,
           baseAddress="0x00000000")
    _texts(_inside(peripheral, "addressBlock"), offset="0x0", size=f"{1 << ADDRESS_BITS:#x}",
           usage="registers")
    _texts(_inside(peripheral, "interrupt"), name="SATA_RECORDER",
           description="irq: the bits of STATUS that INTERRUPT_ENABLE enables", value=0)
    registers = _inside(peripheral, "registers")
    for register in registers_with(*groups):
        _register(registers, register, enumerated)
    ElementTree.indent(device)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(
        device, encoding="unicode") + "\n"


def _register(parent: ElementTree.Element, register: Register, enumerated: Mapping[tuple[str, str], Any]) -> None:
    """One register, an array of them, or a cluster of arrays where there are two words."""
    array = {"dim": register.count, "dimIncrement": f"{register.stride:#x}"}
    if register.count == 1:
        for word in register.words:
            _word(parent, word, word.name, word.offset, enumerated)
    elif not register.wide:
        word, = register.words
        _word(parent, word, f"{word.name}[%s]", word.offset, enumerated, array)
    else:
        cluster = _inside(parent, "cluster")
        _texts(cluster, **array, name=f"{register.name}[%s]", description=register.meaning,
               addressOffset=f"{register.offset:#05x}")
        for word in register.words:
            _word(cluster, word, word.half, word.offset - register.offset, enumerated)


def _word(parent: ElementTree.Element, word: Word, name: str, offset: int, enumerated: Mapping[tuple[str, str], Any],
          array: Mapping[str, Any] | None = None) -> None:
    element = _inside(parent, "register")
    reset, mask = word.reset
    _texts(element, **(array or {}), name=name, description=word.meaning,
           addressOffset=f"{offset:#05x}", access="read-write" if word.writable else "read-only",
           resetValue=f"{reset:#010x}", resetMask=f"{mask:#010x}")
    fields = _inside(element, "fields")
    for field in word.fields:
        one = _inside(fields, "field")
        unit = f" [{field.unit}]" if field.unit else ""
        _texts(one, name=field.name, description=field.meaning + unit, bitOffset=field.low,
               bitWidth=field.width, access=_ACCESS[field.access])
        if field.access is Access.W1C:
            _texts(one, modifiedWriteValues="oneToClear")
        if (word.name, field.name) in enumerated:
            group = _inside(one, "enumeratedValues")
            for value in enumerated[word.name, field.name][1]:
                _texts(_inside(group, "enumeratedValue"), name=value["name"],
                       description=value["meaning"], value=value["code"])


def _inside(parent: ElementTree.Element, tag: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag)


def _texts(parent: ElementTree.Element, **texts: object) -> None:
    for tag, text in texts.items():
        _inside(parent, tag).text = str(text)

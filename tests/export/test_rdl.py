"""The registers as SystemRDL, as the compiler of SystemRDL reads them, and what other tools make of that."""

import re
import subprocess
from xml.etree import ElementTree

import pytest
from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_ipxact import IPXACTExporter
from systemrdl import RDLCompiler
from systemrdl.node import RegfileNode, RegNode
from systemrdl.rdltypes import AccessType, OnWriteType

from sata_recorder import interface
from sata_recorder.export import description, rdl
from sata_recorder.export.enumerations import enumerations
from sata_recorder.export.rdlfile import quoted
from sata_recorder.interface.configuration import Configuration

SOFTWARE = {"ro": AccessType.r, "rw": AccessType.rw, "w1p": AccessType.w, "w1c": AccessType.rw}
XML = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"


@pytest.fixture(scope="module", params=["core", "everything"])
def registers(request):
    """The groups of registers, and all words of the bus that they have by name: offset, count, stride, fields."""
    groups = () if request.param == "core" else interface.GROUPS
    words = [word for register in interface.registers_with(*groups) for word in register.words]
    return groups, {word.name: word for word in words}


@pytest.fixture(scope="module")
def compiled(registers, tmp_path_factory):
    """What the compiler makes of the file; a complaint is an error."""
    path = tmp_path_factory.mktemp("rdl") / "core.rdl"
    path.write_text(rdl(*registers[0]))
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    return compiler.elaborate().top


def name_of(node):
    """That of the table: a word within a register of an array is NAME_LOW or NAME_HIGH."""
    inner = isinstance(node.parent, RegfileNode)
    return f"{node.parent.inst_name}_{node.inst_name}" if inner else node.inst_name


def test_addresses(registers, compiled):
    found = {}
    for node in compiled.descendants(unroll=True):
        if isinstance(node, RegNode):
            found.setdefault(name_of(node), []).append(node.absolute_address)
    assert found == {name: [word.offset + index * word.register.stride for index in range(word.register.count)]
                     for name, word in registers[1].items()}


def test_the_table_is_that_of_the_json():
    told = description(Configuration(control="axi-lite"))["registers"]
    assert [(one["name"], one["offset"]) for one in told] == [
        (word.name, word.offset) for register in interface.registers_with() for word in register.words]


def test_fields(registers, compiled):
    enumerated = enumerations(*registers[0])
    for node in compiled.descendants():
        if not isinstance(node, RegNode):
            continue
        word = registers[1][name_of(node)]
        told = {field.inst_name: field for field in node.fields()}
        assert [*told] == [field.name for field in sorted(word.fields, key=lambda one: one.low)]
        for field in word.fields:
            one = told[field.name]
            kind = field.access.value
            assert (one.low, one.width) == (field.low, field.width)
            assert one.get_property("sw") is SOFTWARE[kind]
            assert one.get_property("singlepulse") == (kind == "w1p")
            assert (one.get_property("onwrite") is OnWriteType.woclr) == (kind == "w1c")
            assert one.get_property("reset") == (0 if field.access.writable else field.value)
            assert one.get_property("desc") == field.meaning + (f" [{field.unit}]" if field.unit else "")
            codes = enumerated.get((word.name, field.name))
            encode = one.get_property("encode")
            assert (codes is None) == (encode is None)
            if codes:
                assert {member.name: member.value for member in encode} == {
                    row["name"]: row["code"] for row in codes[1]}


def test_ip_xact(registers, compiled, tmp_path):
    """The component that PeakRDL makes of it has each register where the table has it."""
    IPXACTExporter().export(compiled, str(tmp_path / "core.xml"))
    block = ElementTree.parse(tmp_path / "core.xml").find(f".//{XML}addressBlock")
    assert block is not None

    def number(node, tag):
        return int(node.findtext(XML + tag).replace("'h", "0x"), 0)

    found = {node.findtext(f"{XML}name"): number(node, "addressOffset") for node in block.findall(f"{XML}register")}
    for part in block.findall(f"{XML}registerFile"):
        found |= {f"{part.findtext(f'{XML}name')}_{node.findtext(f'{XML}name')}":
                  number(part, "addressOffset") + number(node, "addressOffset")
                  for node in part.findall(f"{XML}register")}
    assert found == {name: word.offset for name, word in registers[1].items()}


def test_c_header(registers, compiled, tmp_path):
    """A C program sees each register of PeakRDL's structure where the table has it."""
    CHeaderExporter().export(compiled, str(tmp_path / "core.h"))
    members = {}
    for name, word in registers[1].items():
        array = word.register.count > 1
        member = f"{word.register.name}[1].{word.half}" if array and word.half else f"{name}[1]" if array else name
        members[member] = word.offset + array * word.register.stride
    lines = "".join(f'  printf("%zu\\n", offsetof(sata_recorder_t, {member}));\n' for member in members)
    (tmp_path / "user.c").write_text(f'#include <stddef.h>\n#include <stdio.h>\n#include "core.h"\n'
                                     f"int main(void) {{\n{lines}  return 0;\n}}\n")
    subprocess.run(["gcc", "-std=c11", "-o", "user", "user.c"], cwd=tmp_path, check=True)
    told = subprocess.run([tmp_path / "user"], text=True, capture_output=True, check=True).stdout
    assert dict(zip(members, map(int, told.split()), strict=True)) == members


def test_quotes():
    """Text of the table stays what it is."""
    assert quoted('a "b" \\c') == r'"a \"b\" \\c"'
    assert not re.search(r'desc = "[^"]*\n', rdl())

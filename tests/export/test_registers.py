"""SVD, C header and documentation have what the JSON has."""

import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from export.frozen import ERRORS, LEDGER, OPERATIONS

from sata_recorder import __version__
from sata_recorder.interface.configuration import Configuration
from sata_recorder.export import BACK_ENDS, description, header, svd
from sata_recorder.export.markdown import BEGIN, END, tables
from sata_recorder import interface

PAGE = Path(__file__).resolve().parents[2] / "docs/registers.md"
CODES = {"OPERATION": OPERATIONS, "ERROR": ERRORS,
         "LEDGER": {name.upper(): address for name, address in LEDGER.items()}}


@pytest.fixture(scope="module", params=[(), (interface.PHY_STATUS,), (interface.RECORDING,),
                                        (interface.RECORDING, interface.TRIM), (interface.RECORDING, interface.LOOK),
                                        (interface.FILE,)],
                ids=["core", "with a PHY", "with modes", "with TRIM", "with a look", "with files"])
def parts(request):
    """What there is beside the core."""
    return request.param


@pytest.fixture(scope="module")
def described(parts):
    extents = "modes" if interface.RECORDING in parts else "single"
    return description(Configuration(control="axi-lite", extents=extents, files=interface.FILE in parts,
                                     trim_ahead=interface.TRIM in parts, look_sectors=8 * (interface.LOOK in parts)),
                       BACK_ENDS["ecp5"]() if interface.PHY_STATUS in parts else None)


@pytest.fixture(scope="module")
def registers(described):
    return described["registers"]


def test_no_two_overlap(registers):
    words = [register["offset"] + index * register["stride"]
             for register in registers for index in range(register["count"])]
    assert len({*words}) == len(words) and max(words) < 0x1000
    for register in registers:
        bits = [bit for field in register["fields"]
                for bit in range(field["low"], field["low"] + field["width"])]
        assert len({*bits}) == len(bits) and max(bits) < 32


def test_constants(registers):
    told = {register["name"]: register for register in registers}
    assert told["ID"]["reset"].to_bytes(4, "little") == b"SATA"
    version = told["VERSION"]["reset"]
    assert __version__.startswith(f"{version >> 16}.{version >> 8 & 255}.{version & 255}")
    assert told["CONTROL"]["reset"] == 0 and told["CONTROL"]["reset_mask"] == 0x307
    assert told["LEDGER_LOW"]["reset_mask"] == 0


def flattened(node, base=0, prefix=""):
    """All registers below an SVD node: name, offset, count, stride, access, reset, fields."""
    for one in node.findall("register"):
        text = one.findtext
        fields = {field.findtext("name"): (int(field.findtext("bitOffset")),
                                           int(field.findtext("bitWidth")),
                                           field.findtext("modifiedWriteValues"))
                  for field in one.find("fields")}
        yield (prefix + text("name").removesuffix("[%s]"), base + int(text("addressOffset"), 0),
               int(text("dim") or 1), int(text("dimIncrement") or "0", 0),
               {"read-only": "ro", "read-write": "rw"}[text("access")],
               int(text("resetValue"), 0), int(text("resetMask"), 0), fields)
    for cluster in node.findall("cluster"):
        name = cluster.findtext("name").removesuffix("[%s]") + "_"
        for inner in flattened(cluster, int(cluster.findtext("addressOffset"), 0), name):
            yield (*inner[:2], int(cluster.findtext("dim")),
                   int(cluster.findtext("dimIncrement"), 0), *inner[4:])


def test_svd(registers, parts):
    device = ElementTree.fromstring(svd(*parts))
    assert (device.tag, device.get("schemaVersion")) == ("device", "1.3")
    peripheral, = device.find("peripherals")
    assert int(peripheral.findtext("addressBlock/size"), 0) == 0x1000
    expected = [(one["name"], one["offset"], one["count"],
                 one["stride"] if one["count"] > 1 else 0, one["access"], one["reset"],
                 one["reset_mask"], {
                     field["name"]: (field["low"], field["width"],
                                     "oneToClear" if field["access"] == "w1c" else None)
                     for field in one["fields"]}) for one in registers]
    assert sorted(flattened(peripheral.find("registers")), key=lambda one: one[0]) == sorted(
        expected, key=lambda one: one[0])


def test_svd_enumerations():
    fields = {field.findtext("name"): {value.findtext("name"): int(value.findtext("value"))
                                       for value in field.iter("enumeratedValue")}
              for field in ElementTree.fromstring(svd()).iter("field")}
    assert fields["OPERATION"] == OPERATIONS and fields["CODE"] == ERRORS


def test_svd_enumerations_of_the_parts(described, parts):
    fields = {field.findtext("name"): {value.findtext("name"): int(value.findtext("value"))
                                       for value in field.iter("enumeratedValue")}
              for field in ElementTree.fromstring(svd(*parts)).iter("field")}
    told = {name: {one["name"]: one["code"] for one in described.get(table, [])} for name, table in (
        # Of two fields of the name the one of the last register.
        ("STATE", "trim_states" if interface.TRIM in parts else "look_states" if interface.LOOK in parts else
         "recording_states" if interface.RECORDING in parts else
         "file_states" if interface.FILE in parts else "phy_states"),
        ("REFUSAL", "file_errors"),
        ("REACHED", "phy_states"), ("LAST_FALL", "phy_falls"), ("BIST", "phy_bist_states"),
        ("MODE", "recording_modes"), ("SEGMENT_STATE", "segment_states"))}
    assert {name: fields.get(name, {}) for name in told} == told
    assert {name for name, values in told.items() if values} == (
        {"STATE", "REACHED", "LAST_FALL", "BIST"} if interface.PHY_STATUS in parts else
        {"STATE", "MODE", "SEGMENT_STATE"} if interface.RECORDING in parts else
        {"STATE", "REFUSAL"} if interface.FILE in parts else set())


@pytest.mark.parametrize("compiler", [["gcc", "-std=c90"], ["gcc", "-std=c11"],
                                      ["g++", "-x", "c++", "-std=c++11"]])
def test_header_compiles(compiler, parts, tmp_path):
    (tmp_path / "sata_recorder.h").write_text(header(*parts))
    (tmp_path / "user.c").write_text('#include "sata_recorder.h"\n#include "sata_recorder.h"\n'
                                     "int main(void) { return SATA_RECORDER_ERROR_NONE; }\n")
    result = subprocess.run([*compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", "user.c"],
                            cwd=tmp_path, text=True, capture_output=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_header_says_the_same(registers, described, parts, tmp_path):
    """A C program prints what it sees."""
    expected = {"ID_VALUE": int.from_bytes(b"SATA", "little")}
    for one in registers:
        name = one["name"]
        if one["count"] > 1:
            expected[f"{name}_COUNT"] = one["count"]
            for index in 0, 1, one["count"] - 1:
                expected[f"{name}_OFFSET({index})"] = one["offset"] + index * one["stride"]
        else:
            expected[f"{name}_OFFSET"] = one["offset"]
        for field in one["fields"]:
            expected[f"{name}_{field['name']}_SHIFT"] = field["low"]
            expected[f"{name}_{field['name']}_MASK"] = (1 << field["width"]) - 1 << field["low"]
    for prefix, codes in CODES.items():
        expected |= {f"{prefix}_{name}": code for name, code in codes.items()}
    for prefix, table in (("PHY_STATE", "phy_states"), ("PHY_FALL", "phy_falls"),
                          ("PHY_BIST", "phy_bist_states"),
                          ("RECORDING_MODE", "recording_modes"),
                          ("RECORDING_STATE", "recording_states"),
                          ("SEGMENT_STATE", "segment_states"), ("TRIM_STATE", "trim_states"),
                          ("LOOK_STATE", "look_states"),
                          ("FILE_STATE", "file_states"), ("FILE_ERROR", "file_errors")):
        expected |= {f"{prefix}_{one['name'].upper()}": one["code"]
                     for one in described.get(table, [])}
    prints = "".join(f'  printf("%lu\\n", (unsigned long)SATA_RECORDER_{name});\n'
                     for name in expected)
    (tmp_path / "sata_recorder.h").write_text(header(*parts))
    (tmp_path / "user.c").write_text(f'#include <stdio.h>\n#include "sata_recorder.h"\n'
                                     f"int main(void) {{\n{prints}  return 0;\n}}\n")
    subprocess.run(["gcc", "-Wall", "-Werror", "-o", "user", "user.c"], cwd=tmp_path, check=True)
    told = subprocess.run([tmp_path / "user"], text=True, capture_output=True, check=True).stdout
    assert dict(zip(expected, map(int, told.split()), strict=True)) == expected


def test_header_has_nothing_else(registers, parts):
    macros = set(re.findall(r"^#define SATA_RECORDER_(\w+)", header(*parts), re.MULTILINE))
    names = {one["name"] for one in registers}
    assert all(any(macro.startswith(f"{name}_") for name in names) for macro in macros - {"H"})


def test_documentation_is_up_to_date():
    """`python -m sata_recorder.export.markdown docs/registers.md` has been run."""
    _, begin, rest = PAGE.read_text().partition(BEGIN)
    told, end, _ = rest.partition(END)
    assert begin and end and told == tables()


def test_documentation_has_every_register(registers):
    assert all(f" {one['name']}" in tables() for one in registers)

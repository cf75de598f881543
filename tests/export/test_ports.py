"""The exported Verilog and its description have the frozen interface."""

import json
import re

import pytest
from export import frozen_files, frozen_modes
from export.frozen import (ALIGNMENT, ALIGNMENT_REGISTERS, ERRORS, FRAME, FRAME_REGISTERS, HEALTH,
                           HEALTH_REGISTERS, HISTOGRAM, HISTOGRAM_REGISTERS, HISTOGRAM_WINDOWS, LEDGER,
                           OPERATIONS, PACING, PORTS, POWER, POWER_PINS, POWER_REGISTERS, QUEUE, REGISTERS,
                           SECTOR, SECTOR_REGISTERS, TASK, TASK_REGISTERS, WINDOWS)
from sata_recorder.config import Configuration
from sata_recorder.export import description, verilog


def modules(text):
    """The body of every module in Verilog `text`, by name."""
    found = re.findall(r"^module (\\\S+ |\w+)\s*\((.*?)\);\n(.*?)^endmodule", text,
                       re.MULTILINE | re.DOTALL)
    return {name.strip(): (header, body) for name, header, body in found}


def ports(text):
    """Direction, name and width of the top module's ports, in the order of its header."""
    header, body = modules(text)["sata_recorder"]
    declared = {name: (direction, int(high or 0) + 1) for direction, high, name in re.findall(
        r"^  (input|output|inout) (?:\[(\d+):0\] )?(\w+);$", body, re.MULTILINE)}
    names = [name.strip() for name in header.split(",")]
    assert sorted(names) == sorted(declared)
    return [(declared[name][0], name, declared[name][1]) for name in names]


def test_frozen(text, configuration):
    assert ports(text) == PORTS[configuration.control]


def test_frozen_in_every_configuration(configuration):
    other = Configuration(clock_hz=150e6, buffer_words=1024, max_command_sectors=256,
                          send_cont=False, control=configuration.control)
    assert ports(verilog(other)) == PORTS[configuration.control]


def test_programmable_pacing_adds_two():
    paced = Configuration(buffer_words=256, pacing="programmable")
    assert ports(verilog(paced)) == PORTS["pins"] + PACING
    assert [port["name"] for port in description(paced)["ports"]][-2:] == [
        "command_limit", "turnaround"]


def test_queued_extents_add_six():
    queued = Configuration(buffer_words=256, extents="queued")
    assert ports(verilog(queued)) == PORTS["pins"] + QUEUE


def test_modes_add_their_ports():
    modes = Configuration(buffer_words=256, extents="modes")
    assert ports(verilog(modes)) == PORTS["pins"] + frozen_modes.PORTS
    told = description(modes)
    assert {table: {one["name"]: one.get("code", one.get("field")) for one in told[table]}
            for table in frozen_modes.CODES} == frozen_modes.CODES


def test_modes_add_their_registers():
    modes = Configuration(buffer_words=256, control="axi-lite", extents="modes")
    pins = [port for port in frozen_modes.PORTS if port[1] in frozen_modes.PINS]
    assert sorted(ports(verilog(modes))) == sorted(PORTS["axi-lite"] + pins)
    told = description(modes)["registers"]
    assert {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"])
        for field in one["fields"]}) for one in told} == REGISTERS | frozen_modes.REGISTERS
    assert {one["name"]: (one["count"], one["stride"]) for one in told
            if one["count"] > 1} == WINDOWS | frozen_modes.WINDOWS


def test_files_add_their_ports():
    files = Configuration(buffer_words=256, files=True)
    assert ports(verilog(files)) == PORTS["pins"] + frozen_files.PORTS
    told = description(files)
    assert {table: {one["name"]: one["code"] for one in told[table]}
            for table in frozen_files.CODES} == frozen_files.CODES


def test_files_add_their_registers():
    """Above the modes, whose registers are there, too."""
    files = Configuration(buffer_words=256, control="axi-lite", extents="modes", files=True)
    pins = [port for port in frozen_modes.PORTS + frozen_files.PORTS
            if port[1] in frozen_modes.PINS + frozen_files.PINS]
    assert sorted((port["direction"], port["name"], port["width"])
                  for port in description(files)["ports"]) == sorted(PORTS["axi-lite"] + pins)
    assert {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"])
        for field in one["fields"]}) for one in description(files)["registers"]} == (
            REGISTERS | frozen_modes.REGISTERS | frozen_files.REGISTERS)


def test_frames_add_their_ports():
    pins = Configuration(buffer_words=256, frames=True)
    assert ports(verilog(pins)) == PORTS["pins"] + FRAME
    registers = Configuration(buffer_words=256, frames=True, control="axi-lite")
    assert sorted((port["direction"], port["name"], port["width"])
                  for port in description(registers)["ports"]) == sorted(PORTS["axi-lite"])
    assert {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"])
        for field in one["fields"]}) for one in description(registers)["registers"]} == (
            REGISTERS | FRAME_REGISTERS)


@pytest.mark.parametrize("extents", ["single", "modes"])
def test_long_sectors_add_their_port(extents):
    fields = {"buffer_words": 1024, "extents": extents, "long_logical_sectors": True}
    pins = Configuration(**fields)
    assert sorted((port["direction"], port["name"], port["width"])
                  for port in description(pins)["ports"]) == sorted(
        PORTS["pins"] + SECTOR + (frozen_modes.PORTS if extents == "modes" else []))
    registers = {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"]) for field in one["fields"]})
        for one in description(Configuration(**fields, control="axi-lite"))["registers"]}
    assert registers == REGISTERS | SECTOR_REGISTERS | (
        frozen_modes.REGISTERS if extents == "modes" else {})


def test_commands_add_the_task_file():
    pins = Configuration(buffer_words=256, commands=True)
    assert ports(verilog(pins)) == PORTS["pins"] + TASK
    assert [port["name"] for port in description(pins)["ports"]][-len(TASK):] == [
        name for _, name, _ in TASK]
    registers = Configuration(buffer_words=256, commands=True, control="axi-lite")
    assert ports(verilog(registers)) == PORTS["axi-lite"]
    found = {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"]) for field in one["fields"]})
        for one in description(registers)["registers"]}
    assert found == REGISTERS | TASK_REGISTERS


def test_power_fail_adds_its_ports():
    options = {"buffer_words": 256, "commands": True, "power_fail": True}
    assert ports(verilog(Configuration(**options))) == PORTS["pins"] + TASK + POWER
    registers = Configuration(**options, control="axi-lite")
    pins = [port for port in POWER if port[1] in POWER_PINS]
    assert sorted(ports(verilog(registers))) == sorted(PORTS["axi-lite"] + pins)
    assert {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"])
        for field in one["fields"]}) for one in description(registers)["registers"]} == (
            REGISTERS | TASK_REGISTERS | POWER_REGISTERS)


def test_histograms_add_their_ports():
    pins = Configuration(buffer_words=256, histograms=True)
    assert ports(verilog(pins)) == PORTS["pins"] + HISTOGRAM
    registers = Configuration(buffer_words=256, histograms=True, control="axi-lite")
    assert ports(verilog(registers)) == PORTS["axi-lite"]
    told = description(registers)
    assert {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"]) for field in one["fields"]})
        for one in told["registers"]} == REGISTERS | HISTOGRAM_REGISTERS
    assert {one["name"]: (one["count"], one["stride"]) for one in told["registers"]
            if one["count"] > 1} == WINDOWS | HISTOGRAM_WINDOWS
    assert {one["name"]: one["code"] for one in told["histograms"]} == {"COMMANDS": 0, "STALLS": 1}


def test_alignment_adds_its_ports():
    pins = Configuration(buffer_words=256, alignment=True)
    assert ports(verilog(pins)) == PORTS["pins"] + ALIGNMENT
    registers = Configuration(buffer_words=256, alignment=True, control="axi-lite")
    assert ports(verilog(registers)) == PORTS["axi-lite"]
    assert {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"]) for field in one["fields"]})
        for one in description(registers)["registers"]} == REGISTERS | ALIGNMENT_REGISTERS


def test_the_drives_health_adds_its_ports():
    pins = Configuration(buffer_words=256, smart_commands=3)
    assert ports(verilog(pins)) == PORTS["pins"] + HEALTH
    registers = Configuration(buffer_words=256, smart_commands=3, control="axi-lite")
    assert ports(verilog(registers)) == PORTS["axi-lite"]
    told = description(registers)
    assert {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"]) for field in one["fields"]})
        for one in told["registers"]} == REGISTERS | HEALTH_REGISTERS
    assert {one["name"]: one["code"] for one in told["drive_health"]} == {
        "UNKNOWN": 0, "GOOD": 1, "FAILING": 2}


def test_description_is_the_verilog(described, text):
    told = [(port["direction"], port["name"], port["width"]) for port in described["ports"]]
    assert told == ports(text)
    assert all(port["meaning"] for port in described["ports"])


def test_description_is_frozen(described):
    assert described["module"] == "sata_recorder"
    assert {entry["name"]: entry["address"] for entry in described["ledger"]} == LEDGER
    assert {entry["name"]: entry["code"] for entry in described["errors"]} == ERRORS
    assert {entry["name"]: entry["code"] for entry in described["operations"]} == OPERATIONS


def test_registers_are_frozen(described, configuration):
    told = {register["name"]: (register["offset"], register["access"], {
                field["name"]: (field["low"], field["width"], field["access"])
                for field in register["fields"]}) for register in described["registers"]}
    windows = {register["name"]: (register["count"], register["stride"])
               for register in described["registers"] if register["count"] > 1}
    assert (told, windows) == ((REGISTERS, WINDOWS) if configuration.control == "axi-lite"
                               else ({}, {}))
    assert all(register["meaning"] and all(field["meaning"] for field in register["fields"])
               for register in described["registers"])


def test_description_is_json(described, configuration):
    assert json.loads(json.dumps(described)) == described
    assert Configuration(**described["configuration"]) == configuration
    assert description(configuration) == described


def test_same_text_again(text, configuration):
    assert verilog(configuration) == text


def test_no_name_can_clash(text):
    assert all(name == "sata_recorder" or name.startswith("sata_recorder_")
               for name in modules(text))


def test_nothing_of_this_machine(text):
    assert "/home" not in text and ".py" not in text and "src =" not in text

"""The exported Verilog and its description have the frozen interface."""

import json
import re

import pytest
from export import frozen, frozen_array, frozen_files, frozen_modes
from export.frozen import (ALIGNMENT, ALIGNMENT_REGISTERS, ERRORS, FRAME,
                           FRAME_REGISTERS, HEALTH,
                           HEALTH_REGISTERS, HISTOGRAM, HISTOGRAM_REGISTERS, HISTOGRAM_WINDOWS, LEDGER, LOOK,
                           LOOK_REGISTERS, MEMORY, MEMORY_REGISTERS, OPERATIONS, PACING, PLAYBACK, PLAYBACK_CLOCK,
                           PLAYBACK_PINS, PLAYBACK_REGISTERS, PORTS, POWER, POWER_LOST,
                           POWER_LOST_REGISTERS, POWER_PINS,
                           POWER_REGISTERS, QUEUE, REGISTERS,
                           SECTOR, SECTOR_REGISTERS, SOURCE, SOURCE_CLOCK, SOURCE_LOSS, SOURCE_REGISTERS,
                           SOURCE_TRIGGER, TASK, TASK_REGISTERS, TEMPERATURE, TEMPERATURE_REGISTERS,
                           TRIM, TRIM_REGISTERS, WINDOWS, memory_bus)
from sata_recorder import interface
from sata_recorder.interface.configuration import Configuration
from sata_recorder.export import description, header, svd, verilog


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


def told(configuration):
    """The same of the description, which needs no elaboration."""
    return [(port["direction"], port["name"], port["width"]) for port in description(configuration)["ports"]]


def registers(configuration):
    """Offset, access and fields of each register that the description has, by name."""
    return {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"]) for field in one["fields"]})
        for one in description(configuration)["registers"]}


def windows(configuration):
    """Count and stride of the registers that stand several times, by name."""
    return {one["name"]: (one["count"], one["stride"]) for one in description(configuration)["registers"]
            if one["count"] > 1}


def test_frozen(text, configuration):
    assert ports(text) == PORTS[configuration.control]


def test_frozen_in_every_configuration(configuration):
    other = Configuration(clock_hz=150e6, buffer_words=1024, max_command_sectors=256,
                          send_cont=False, control=configuration.control)
    assert told(other) == PORTS[configuration.control]


def test_programmable_pacing_adds_two():
    assert told(Configuration(buffer_words=256, pacing="programmable")) == PORTS["pins"] + PACING


def test_queued_extents_add_six():
    assert told(Configuration(buffer_words=256, extents="queued")) == PORTS["pins"] + QUEUE


@pytest.mark.parametrize("option, pins", [({"pacing": "programmable"}, PACING), ({"extents": "queued"}, QUEUE)])
def test_a_group_without_registers_keeps_its_pins(option, pins):
    """Beside the registers, at the end of the ports of the core."""
    plain, there = (told(Configuration(buffer_words=256, control="axi-lite", **more)) for more in ({}, option))
    assert [one for one in there if one not in plain] == pins and len(there) == len(plain) + len(pins)


def with_width(ports, width):
    """The ``ports`` with a stream of ``width`` bits."""
    widths = {"s_axis_tdata": width, "s_axis_tkeep": width // 8}
    return [(direction, name, widths.get(name, size)) for direction, name, size in ports]


@pytest.mark.parametrize("width", [8, 16, 32, 64, 128])
def test_a_source_adds_its_ports(width):
    wide = Configuration(buffer_words=256, source_width=width, source_clock=True)
    assert told(wide) == with_width(PORTS["pins"], width) + SOURCE_CLOCK + SOURCE
    full = Configuration(buffer_words=256, source_width=width, source_clock=True, source_waits=False, extents="modes",
                         files=True)
    assert told(full) == (with_width(PORTS["pins"] + frozen_modes.PORTS + frozen_files.PORTS, width)
                          + SOURCE_CLOCK + SOURCE + SOURCE_TRIGGER + SOURCE_LOSS)


def test_a_source_without_a_clock_of_its_own_adds_its_stop():
    assert told(Configuration(buffer_words=256, source_width=64)) == with_width(PORTS["pins"], 64) + SOURCE


def test_a_source_beside_registers():
    """The pins of its clock stay, and what is lost is in registers."""
    options = {"buffer_words": 256, "control": "axi-lite", "source_clock": True, "source_waits": False}
    assert sorted(told(Configuration(**options))) == sorted(PORTS["axi-lite"] + SOURCE_CLOCK + SOURCE)
    assert registers(Configuration(**options)) == REGISTERS | SOURCE_REGISTERS


@pytest.mark.parametrize("width", [8, 16, 32, 64, 128])
def test_a_stream_of_its_own_for_playback_adds_its_ports(width):
    widths = {"m_axis_tdata": width, "m_axis_tkeep": width // 8}
    assert told(Configuration(buffer_words=256, playback_width=width, playback_clock=True)) == [
        (direction, name, widths.get(name, size))
        for direction, name, size in PORTS["pins"] + PLAYBACK_CLOCK + PLAYBACK]


def test_a_playback_beside_registers():
    options = {"buffer_words": 256, "control": "axi-lite", "playback_clock": True}
    assert sorted(told(Configuration(**options))) == sorted(PORTS["axi-lite"] + PLAYBACK_CLOCK + PLAYBACK_PINS)
    assert registers(Configuration(**options)) == REGISTERS | PLAYBACK_REGISTERS


def test_packets_in_frames_add_their_end():
    """Besides those of the frames."""
    plain, there = (told(Configuration(buffer_words=256, frames=True, frame_packets=packets))
                    for packets in (False, True))
    assert [one for one in there if one not in plain] == [("input", "s_axis_tlast", 1)]
    assert len(there) == len(plain) + 1


@pytest.mark.parametrize("channels, width", [(2, 8), (16, 16), (5, 32)])
def test_channels_replace_the_stream(channels, width):
    framed = {"buffer_words": 256, "frames": True, "frame_packets": True}
    streams = [one for number in range(channels) for one in frozen.channel_stream(number, width)]
    plain = [one for one in told(Configuration(**framed)) if not one[1].startswith("s_axis")]
    assert told(Configuration(**framed, channels=channels, channel_width=width)) == plain + streams + frozen.CHANNEL
    registered = Configuration(**framed, channels=channels, channel_width=width, control="axi-lite")
    assert [one for one in told(registered) if one[1].startswith(("s0_axis", "channel_"))] == frozen.channel_stream(
        0, width)
    assert registers(registered).items() >= frozen.CHANNEL_REGISTERS.items()


def test_lines_of_a_file_add_no_port():
    plain, lines = (told(Configuration(buffer_words=256, files=True, file_lines=lines)) for lines in (False, True))
    assert lines == plain


@pytest.mark.parametrize("drives", [2, 8])
def test_an_array_adds_its_ports(drives):
    """Beside registers, the dword ports stay."""
    lanes = [port for lane in range(1, drives) for port in frozen_array.lane_phy(lane)]
    assert told(Configuration(drives=drives)) == PORTS["pins"] + frozen_array.PORTS + lanes
    bank = Configuration(drives=drives, control="axi-lite")
    assert sorted(told(bank)) == sorted(PORTS["axi-lite"] + lanes)
    assert registers(bank) == REGISTERS | frozen_array.REGISTERS


def test_commands_of_an_array_add_those_of_one_drive():
    lane = frozen_array.lane_phy(1)
    assert told(Configuration(drives=2, commands=True)) == PORTS["pins"] + TASK + frozen_array.PORTS + lane
    bank = Configuration(drives=2, commands=True, control="axi-lite")
    assert sorted(told(bank)) == sorted(PORTS["axi-lite"] + lane)
    assert registers(bank) == REGISTERS | TASK_REGISTERS | frozen_array.REGISTERS


def test_mirrors_add_their_ports():
    assert told(Configuration(drives=2, array="raid1")) == \
        PORTS["pins"] + frozen_array.PORTS + frozen_array.MIRROR_PORTS + frozen_array.lane_phy(1)
    bank = Configuration(drives=2, array="raid1", control="axi-lite")
    assert registers(bank) == REGISTERS | frozen_array.REGISTERS | frozen_array.MIRROR_REGISTERS


@pytest.mark.parametrize("bits", [64, 128])
def test_a_memory_adds_its_ports(bits):
    """Beside registers, the port of the memory stays."""
    options = {"memory": 1 << 20, "memory_width": bits}
    assert told(Configuration(**options)) == PORTS["pins"] + MEMORY + memory_bus(bits)
    bank = Configuration(**options, control="axi-lite")
    assert sorted(told(bank)) == sorted(PORTS["axi-lite"] + memory_bus(bits))
    assert registers(bank) == REGISTERS | MEMORY_REGISTERS


def test_modes_add_their_ports():
    modes = Configuration(buffer_words=256, extents="modes")
    assert told(modes) == PORTS["pins"] + frozen_modes.PORTS
    tables = description(modes)
    assert {table: {one["name"]: one.get("code", one.get("field")) for one in tables[table]}
            for table in frozen_modes.CODES} == frozen_modes.CODES


def test_modes_add_their_registers():
    modes = Configuration(buffer_words=256, control="axi-lite", extents="modes")
    pins = [port for port in frozen_modes.PORTS if port[1] in frozen_modes.PINS]
    assert sorted(told(modes)) == sorted(PORTS["axi-lite"] + pins)
    assert registers(modes) == REGISTERS | frozen_modes.REGISTERS
    assert windows(modes) == WINDOWS | frozen_modes.WINDOWS


def test_files_add_their_ports():
    files = Configuration(buffer_words=256, files=True)
    assert told(files) == PORTS["pins"] + frozen_files.PORTS
    tables = description(files)
    assert {table: {one["name"]: one["code"] for one in tables[table]}
            for table in frozen_files.CODES} == frozen_files.CODES


def test_files_add_their_registers():
    """Above the modes, whose registers are there, too."""
    files = Configuration(buffer_words=256, control="axi-lite", extents="modes", files=True)
    pins = [port for port in frozen_modes.PORTS + frozen_files.PORTS
            if port[1] in frozen_modes.PINS + frozen_files.PINS]
    assert sorted(told(files)) == sorted(PORTS["axi-lite"] + pins)
    assert registers(files) == REGISTERS | frozen_modes.REGISTERS | frozen_files.REGISTERS


@pytest.mark.parametrize("extents", ["single", "modes"])
def test_long_sectors_add_their_port(extents):
    fields = {"buffer_words": 1024, "extents": extents, "long_logical_sectors": True}
    modes = extents == "modes"
    assert sorted(told(Configuration(**fields))) == sorted(
        PORTS["pins"] + SECTOR + (frozen_modes.PORTS if modes else []))
    assert registers(Configuration(**fields, control="axi-lite")) == REGISTERS | SECTOR_REGISTERS | (
        frozen_modes.REGISTERS if modes else {})


def test_power_fail_adds_its_ports():
    options = {"buffer_words": 256, "commands": True, "power_fail": True}
    assert told(Configuration(**options)) == PORTS["pins"] + TASK + POWER
    bank = Configuration(**options, control="axi-lite")
    pins = [port for port in POWER if port[1] in POWER_PINS]
    assert sorted(told(bank)) == sorted(PORTS["axi-lite"] + pins)
    assert registers(bank) == REGISTERS | TASK_REGISTERS | POWER_REGISTERS


def test_power_fail_beside_a_memory_counts_what_is_lost():
    options = {"commands": True, "power_fail": True, "memory": 1 << 20, "power_hold_up": 0.1}
    assert sorted(told(Configuration(**options))) == sorted(
        PORTS["pins"] + TASK + POWER + POWER_LOST + MEMORY + memory_bus(64))
    assert registers(Configuration(**options, control="axi-lite")) == (
        REGISTERS | TASK_REGISTERS | POWER_REGISTERS | POWER_LOST_REGISTERS | MEMORY_REGISTERS)


@pytest.mark.parametrize("option, added, bank", [
    ({"commands": True}, TASK, TASK_REGISTERS), ({"frames": True}, FRAME, FRAME_REGISTERS),
    ({"histograms": True}, HISTOGRAM, HISTOGRAM_REGISTERS),
    ({"alignment": True}, ALIGNMENT, ALIGNMENT_REGISTERS), ({"smart_commands": 3}, HEALTH, HEALTH_REGISTERS),
    ({"smart_commands": 3, "smart_temperature": True}, HEALTH + TEMPERATURE,
     HEALTH_REGISTERS | TEMPERATURE_REGISTERS)])
def test_an_option_adds_its_ports_or_its_registers(option, added, bank):
    assert told(Configuration(buffer_words=256, **option)) == PORTS["pins"] + added
    on_axil = Configuration(buffer_words=256, control="axi-lite", **option)
    assert told(on_axil) == PORTS["axi-lite"]
    assert registers(on_axil) == REGISTERS | bank


def test_windows_and_codes_of_options():
    histograms = Configuration(buffer_words=256, control="axi-lite", histograms=True)
    assert windows(histograms) == WINDOWS | HISTOGRAM_WINDOWS
    assert {one["name"]: one["code"] for one in description(histograms)["histograms"]} == {
        "COMMANDS": 0, "STALLS": 1}
    health = description(Configuration(buffer_words=256, smart_commands=3))
    assert {one["name"]: one["code"] for one in health["drive_health"]} == {
        "UNKNOWN": 0, "GOOD": 1, "FAILING": 2}
    hot = Configuration(buffer_words=256, smart_commands=3, smart_temperature=True)
    assert {one["name"]: one["code"] for one in description(hot)["drive_heat"]} == {
        "UNKNOWN": 0, "GOOD": 1, "TOO_HOT": 2, "NO_LIMIT": 3}


@pytest.mark.parametrize("option, pins, registers, states", [
    ({"trim_ahead": True}, TRIM, TRIM_REGISTERS, "OFF ON NOT_OFFERED GIVEN_UP"),
    ({"look_sectors": 8}, LOOK, LOOK_REGISTERS, "IDLE WAITS READS READY GONE FAILED OUT_OF_RANGE")])
def test_options_of_the_modes_add_their_ports(option, pins, registers, states):
    fields, name = {"buffer_words": 256, "extents": "modes"}, [*option][0].partition("_")[0]
    group = {"trim": interface.TRIM, "look": interface.LOOK}[name]
    modes, added = (told(Configuration(**fields, **more)) for more in ({}, option))
    assert [one for one in added if one not in modes] == pins and len(added) == len(modes) + len(pins)
    bare, there = (description(Configuration(**fields, **more, control="axi-lite")) for more in ({}, option))
    names = {one["name"] for one in bare["registers"]}
    assert {one["name"]: (one["offset"], one["access"], {
        field["name"]: (field["low"], field["width"], field["access"]) for field in one["fields"]})
        for one in there["registers"] if one["name"] not in names} == registers
    assert {one["name"]: one["code"] for one in there[f"{name}_states"]} == {
        state: code for code, state in enumerate(states.split())}
    assert f"{name}_states" not in bare and f"sata_recorder_{name}_state" in header(interface.RECORDING, group)
    assert f"{name.upper()}_STATE" in svd(interface.RECORDING, group)
    assert f"{name.upper()}_STATE" not in svd(interface.RECORDING)


@pytest.mark.wide
@pytest.mark.parametrize("control", ["pins", "axi-lite"])
def test_the_verilog_of_many_options_is_what_is_told(control):
    many = Configuration(
        buffer_words=256, control=control, extents="modes", files=True, commands=True, power_fail=True,
        histograms=True, alignment=True, smart_commands=3)
    assert ports(verilog(many)) == told(many)


def test_description_is_the_verilog(described, configuration, text):
    assert told(configuration) == ports(text)
    assert all(port["meaning"] for port in described["ports"])


def test_description_is_frozen(described):
    assert described["module"] == "sata_recorder"
    assert {entry["name"]: entry["address"] for entry in described["ledger"]} == LEDGER
    assert {entry["name"]: entry["code"] for entry in described["errors"]} == ERRORS
    assert {entry["name"]: entry["code"] for entry in described["operations"]} == OPERATIONS


def test_registers_are_frozen(described, configuration):
    assert (registers(configuration), windows(configuration)) == (
        (REGISTERS, WINDOWS) if configuration.control == "axi-lite" else ({}, {}))
    assert all(register["meaning"] and all(field["meaning"] for field in register["fields"])
               for register in described["registers"])


def test_description_is_json(described, configuration):
    assert json.loads(json.dumps(described)) == described
    assert Configuration(**described["configuration"]) == configuration
    assert description(configuration) == described


@pytest.mark.wide
@pytest.mark.sample(2)
def test_same_text_again(text, configuration):
    assert verilog(configuration) == text


def test_no_name_can_clash(text):
    assert all(name == "sata_recorder" or name.startswith("sata_recorder_")
               for name in modules(text))


def test_nothing_of_this_machine(text):
    assert "/home" not in text and ".py" not in text and "src =" not in text

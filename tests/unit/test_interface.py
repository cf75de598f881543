"""The table of the interface fits the gateware: every row is a port, every port has a row."""

import pytest
from amaranth.hdl import Fragment
from amaranth.hdl._ir import PortDirection

from sata_recorder.config import Configuration
from sata_recorder.core import SataRecorder
from sata_recorder.export.axil import RegisterBank
from sata_recorder.bricks.files import recorder
from sata_recorder.interface import (ADDRESS_BITS, ALIGNMENT_GROUP, ALIGNMENT_PORTS, ALL_PORTS, FILE_GROUP,
                                     FILE_PORTS, FILE_REGISTERS, FRAME_GROUP, FRAME_PORTS, GROUPS,
                                     HEALTH_GROUP, HEALTH_PORTS, HISTOGRAM_GROUP, HISTOGRAM_PORTS,
                                     HISTOGRAM_REGISTERS, LOOK_GROUP, LOOK_PORTS, PHY_GROUP, PORTS, POWER_GROUP, POWER_PORTS,
                                     POWER_REGISTERS, RECORDING_GROUP, RECORDING_PORTS, RECORDING_REGISTERS,
                                     REGISTERS, SECTOR_GROUP, SECTOR_PORTS, TASK_GROUP, TASK_PORTS,
                                     TASK_REGISTERS, TEMPERATURE_GROUP, TEMPERATURE_PORTS, TRIM_GROUP, TRIM_PORTS,
                                     named_ports, registers_with)
from sata_recorder.registers import Access
from sata_recorder.simulation.signals import CONTROLS, OUTPUTS, PULSES, controls, outputs

PACING = {name for name, port in PORTS.items() if port.path[:2] == ("user", "pacing")}
QUEUE = {name for name, port in PORTS.items() if port.path[:2] == ("user", "queue")}
ROWS = PORTS | SECTOR_PORTS | TASK_PORTS | HISTOGRAM_PORTS | ALIGNMENT_PORTS | HEALTH_PORTS \
    | TEMPERATURE_PORTS
ALL = registers_with(PHY_GROUP, SECTOR_GROUP, TASK_GROUP, HISTOGRAM_GROUP, ALIGNMENT_GROUP, HEALTH_GROUP,
                     TEMPERATURE_GROUP, RECORDING_GROUP, TRIM_GROUP, LOOK_GROUP, FILE_GROUP, FRAME_GROUP, POWER_GROUP)
WORDS = [word for register in ALL for word in register.words]


#: What only parts round the core look at: it is no port.
INSIDE = {("user", "away")}


def members(component):
    """Path to (value, direction) of all that the component has, but for what is no port."""
    Fragment.get(component, None)   # Amaranth warns of a component that nobody elaborates
    return {path: (value, PortDirection.Input if member.flow.name == "In"
                   else PortDirection.Output)
            for path, member, value in component.signature.flatten(component) if path not in INSIDE}


@pytest.mark.parametrize("options, missing", [
    ({}, PACING | QUEUE | {*TASK_PORTS}), ({"pacing": "programmable"}, QUEUE | {*TASK_PORTS}),
    ({"extents": "queued"}, PACING | {*TASK_PORTS}),
    ({"extents": "queued", "pacing": "programmable"}, {*TASK_PORTS}),
    ({"commands": True}, PACING | QUEUE), ({"commands": True, "pacing": "programmable"}, QUEUE),
    ({"histograms": True}, PACING | QUEUE | {*TASK_PORTS}),
    ({"alignment": True}, PACING | QUEUE | {*TASK_PORTS}),
    ({"smart_commands": 3}, PACING | QUEUE | {*TASK_PORTS}),
    ({"smart_commands": 3, "smart_temperature": True}, PACING | QUEUE | {*TASK_PORTS}),
    ({"long_logical_sectors": True}, PACING | QUEUE | {*TASK_PORTS})])
def test_the_core_has_the_ports_of_the_table(options, missing):
    core = SataRecorder(Configuration(**options))
    found = members(core)
    for option, names in (("histograms", HISTOGRAM_PORTS), ("alignment", ALIGNMENT_PORTS),
                          ("smart_commands", HEALTH_PORTS), ("smart_temperature", TEMPERATURE_PORTS),
                          ("long_logical_sectors", SECTOR_PORTS)):
        missing = missing if option in options else missing | {*names}
    rows = {port.path: port for name, port in ROWS.items() if name not in missing}
    assert rows.keys() == found.keys()
    for path, (value, direction) in found.items():
        assert (len(value), direction) == (rows[path].width, PortDirection(rows[path].direction))
    assert {name: len(value) for name, (value, _) in named_ports(core).items()} == {
        name: port.width for name, port in ROWS.items() if name not in missing}


@pytest.mark.parametrize("options, added", [({}, {}), ({"trim_ahead": True}, TRIM_PORTS), ({"look_sectors": 8}, LOOK_PORTS)])
def test_a_core_with_modes_has_their_ports_in_place_of_a_queue(options, added):
    found = members(recorder(Configuration(extents="modes", **options)))
    rows = {port.path: port for name, port in (PORTS | RECORDING_PORTS | added).items()
            if name not in PACING | QUEUE}
    assert rows.keys() == found.keys()
    for path, (value, direction) in found.items():
        assert (len(value), direction) == (rows[path].width, PortDirection(rows[path].direction))


@pytest.mark.parametrize("options, added", [
    ({}, {}), ({"extents": "modes"}, RECORDING_PORTS), ({"commands": True}, TASK_PORTS),
    ({"histograms": True}, HISTOGRAM_PORTS),
    ({"histograms": True, "extents": "modes"}, HISTOGRAM_PORTS | RECORDING_PORTS),
    ({"alignment": True, "extents": "modes"}, ALIGNMENT_PORTS | RECORDING_PORTS),
    ({"smart_commands": 3, "extents": "modes"}, HEALTH_PORTS | RECORDING_PORTS),
    ({"smart_commands": 3, "smart_temperature": True}, HEALTH_PORTS | TEMPERATURE_PORTS)])
def test_a_core_with_files_has_their_ports(options, added):
    found = members(recorder(Configuration(files=True, **options)))
    rows = {port.path: port for name, port in (PORTS | added | FILE_PORTS).items()
            if name not in PACING | QUEUE}
    assert rows.keys() == found.keys()
    for path, (value, direction) in found.items():
        assert (len(value), direction) == (rows[path].width, PortDirection(rows[path].direction))


def test_ports_say_what_they_mean():
    for port in ALL_PORTS.values():
        assert port.meaning and port.name.isidentifier() and port.direction in ("input", "output")


def test_registers_do_not_overlap():
    taken = {}
    for word in WORDS:
        for index in range(word.register.count):
            offset = word.offset + index * word.register.stride
            assert taken.setdefault(offset, word) is word and offset < 1 << ADDRESS_BITS
        bits = 0
        for field in word.fields:
            assert not bits & field.mask and field.mask < 1 << 32
            bits |= field.mask


def test_fields_are_as_wide_as_their_ports():
    rows = ROWS | RECORDING_PORTS | FILE_PORTS | FRAME_PORTS | POWER_PORTS
    for register in registers_with(TASK_GROUP, RECORDING_GROUP, FILE_GROUP, FRAME_GROUP, POWER_GROUP):
        for field in register.fields:
            if field.port is None:
                continue
            name = field.port if register.count == 1 else field.port[1]
            assert field.width == rows[name].width, name
            writes = field.access in (Access.RW, Access.W1P)
            assert rows[name].direction == ("input" if writes else "output") or \
                rows[name].path[0] == "phy"


def test_every_signal_of_the_control_is_in_a_register():
    """But the clock that ends an operation, which STATUS.DONE keeps; of COMMAND all."""
    shown = _shown(REGISTERS)
    assert FILE_PORTS.keys() - _shown(FILE_REGISTERS) == {
        "s_axis_tlast", "s_axis_tkeep", "file_done"}, "pins, and what FILE_STATUS.DONE keeps"
    assert RECORDING_PORTS.keys() - _shown(RECORDING_REGISTERS) == {"recording_pps"}, "a pin"
    controlled = {name for name, port in PORTS.items() if port.path[1] in GROUPS}
    assert controlled - shown == {"done"}
    assert shown - controlled == {"phy_link_up", "phy_generation"}
    assert _shown(TASK_REGISTERS) == {*TASK_PORTS}
    assert _shown(POWER_REGISTERS) == {*POWER_PORTS}
    assert _shown(HISTOGRAM_REGISTERS) == {*HISTOGRAM_PORTS}


def _shown(registers):
    """The ports that the registers show or set."""
    shown = set()
    for register in registers:
        for field in register.fields:
            shown |= {field.port} if isinstance(field.port, str) else set(field.port or ())
    return shown


def test_the_bank_reaches_all_of_the_core():
    assert {path[1:] for path in members(RegisterBank()) if path[0] == "user"} == {
        port.path[1:] for port in PORTS.values() if port.path[1] in GROUPS}
    assert {path[1:] for path in members(RegisterBank(TASK_GROUP)) if path[0] == "user"} == {
        port.path[1:] for port in ROWS.values() if port.path[1] in (*GROUPS, "task")}
    assert {path[1:] for path in members(RegisterBank(HISTOGRAM_GROUP)) if path[0] == "user"} == {
        port.path[1:] for port in ROWS.values() if port.path[1] in (*GROUPS, "histogram")}


def test_engines_reach_all_that_is_no_stream():
    reached = {**CONTROLS, **OUTPUTS}
    named = {name: port.width for name, port in PORTS.items() if port.path[1] in GROUPS}
    assert reached.items() >= named.items()
    assert reached.keys() - named == {"rst", "phy_generation", "phy_reset", "phy_limit"}
    assert set(PULSES) == {"start", "stop", "clear_unflushed"}
    assert controls(Configuration(pacing="programmable")).keys() - CONTROLS == PACING
    commands = Configuration(commands=True)
    assert (controls(commands) | outputs(commands)).items() - reached.items() == {
        (name, port.width) for name, port in TASK_PORTS.items()}
    histograms = Configuration(histograms=True)
    assert (controls(histograms) | outputs(histograms)).items() - reached.items() == {
        (name, port.width) for name, port in HISTOGRAM_PORTS.items()}
    alignment = Configuration(alignment=True)
    assert (controls(alignment) | outputs(alignment)).items() - reached.items() == {
        (name, port.width) for name, port in ALIGNMENT_PORTS.items()}
    power = Configuration(commands=True, power_fail=True)
    assert (controls(power) | outputs(power)).items() - reached.items() == {
        (name, port.width) for name, port in (TASK_PORTS | POWER_PORTS).items()}
    health = Configuration(smart_commands=1)
    assert (controls(health) | outputs(health)).items() - reached.items() == {
        (name, port.width) for name, port in HEALTH_PORTS.items()}
    hot = Configuration(smart_commands=1, smart_temperature=True)
    assert outputs(hot).items() - outputs(health).items() == {("drive_heat", 2), ("drive_temperature", 8)}
    files = Configuration(files=True)
    assert (controls(files) | outputs(files)).items() - reached.items() == {
        (name, port.width) for name, port in FILE_PORTS.items()}


@pytest.mark.parametrize("options, ports", [
    ({"extents": "queued"}, {name: PORTS[name] for name in QUEUE}), ({"extents": "modes"}, RECORDING_PORTS),
    ({"extents": "modes", "trim_ahead": True}, RECORDING_PORTS | TRIM_PORTS),
    ({"extents": "modes", "look_sectors": 8}, RECORDING_PORTS | LOOK_PORTS)])
def test_engines_reach_what_extents_add(options, ports):
    configuration = Configuration(**options)
    reached = {**controls(configuration), **outputs(configuration)}
    assert {name: reached.pop(name) for name in ports} == {
        name: port.width for name, port in ports.items()}
    assert reached == {**CONTROLS, **OUTPUTS}

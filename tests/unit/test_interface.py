"""The table of the interface fits the gateware: every row is a port, every port has a row."""

import pytest
from amaranth.hdl import Fragment
from amaranth.hdl._ir import PortDirection

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core import SataRecorder
from sata_recorder.bricks.registers import RegisterBank
from sata_recorder.bricks.stack import stack
from sata_recorder.interface import (ADDRESS_BITS, ALIGNMENT, ALL_PORTS, BASE, FILE, FILE_END, FRAME, GROUPS, HEALTH,
                                     HISTOGRAM, LOOK, PACING, PORTS, POWER, QUEUE, RECORDING,
                                     REGISTERS, SECTOR, TASK, TEMPERATURE, TRIM, named_ports, registers_with)
from sata_recorder.interface.registers import Access
from sata_recorder.simulation.signals import CONTROLS, OUTPUTS, PULSES, controls, outputs

BASE_NAMES = [group.name for group in BASE]
_PACING, _QUEUE = {*PACING.ports}, {*QUEUE.ports}
#: The ports of a core by itself.
TABLE = PORTS | PACING.ports | QUEUE.ports
ROWS = (TABLE | SECTOR.ports | TASK.ports | HISTOGRAM.ports | ALIGNMENT.ports | HEALTH.ports
        | TEMPERATURE.ports)
ALL = registers_with(*GROUPS)
WORDS = [word for register in ALL for word in register.words]


#: What only parts round the core look at: it is no port.
INSIDE = {("user", "away"), ("user", "link", "up"), ("user", "link", "generation")}


def members(component):
    """Path to (value, direction) of all that the component has, but for what is no port."""
    Fragment.get(component, None)   # Amaranth warns of a component that nobody elaborates
    return {path: (value, PortDirection.Input if member.flow.name == "In"
                   else PortDirection.Output)
            for path, member, value in component.signature.flatten(component) if path not in INSIDE}


@pytest.mark.sample(5)
@pytest.mark.parametrize("options, missing", [
    ({}, _PACING | _QUEUE | {*TASK.ports}), ({"pacing": "programmable"}, _QUEUE | {*TASK.ports}),
    ({"extents": "queued"}, _PACING | {*TASK.ports}),
    ({"extents": "queued", "pacing": "programmable"}, {*TASK.ports}),
    ({"commands": True}, _PACING | _QUEUE), ({"commands": True, "pacing": "programmable"}, _QUEUE),
    ({"histograms": True}, _PACING | _QUEUE | {*TASK.ports}),
    ({"alignment": True}, _PACING | _QUEUE | {*TASK.ports}),
    ({"smart_commands": 3}, _PACING | _QUEUE | {*TASK.ports}),
    ({"smart_commands": 3, "smart_temperature": True}, _PACING | _QUEUE | {*TASK.ports}),
    ({"long_logical_sectors": True}, _PACING | _QUEUE | {*TASK.ports})])
def test_the_core_has_the_ports_of_the_table(options, missing):
    core = SataRecorder(Configuration(**options))
    found = members(core)
    for option, names in (("histograms", HISTOGRAM.ports), ("alignment", ALIGNMENT.ports),
                          ("smart_commands", HEALTH.ports), ("smart_temperature", TEMPERATURE.ports),
                          ("long_logical_sectors", SECTOR.ports)):
        missing = missing if option in options else missing | {*names}
    rows = {port.path: port for name, port in ROWS.items() if name not in missing}
    assert rows.keys() == found.keys()
    for path, (value, direction) in found.items():
        assert (len(value), direction) == (rows[path].width, PortDirection(rows[path].direction))
    assert {name: len(value) for name, (value, _) in named_ports(core).items()} == {
        name: port.width for name, port in ROWS.items() if name not in missing}


@pytest.mark.parametrize("options, added", [({}, {}), ({"trim_ahead": True}, TRIM.ports),
                                            ({"look_sectors": 8}, LOOK.ports)])
def test_a_core_with_modes_has_their_ports_in_place_of_a_queue(options, added):
    found = members(stack(Configuration(extents="modes", **options)))
    rows = {port.path: port for name, port in (TABLE | RECORDING.ports | added).items()
            if name not in _PACING | _QUEUE}
    assert rows.keys() == found.keys()
    for path, (value, direction) in found.items():
        assert (len(value), direction) == (rows[path].width, PortDirection(rows[path].direction))


@pytest.mark.sample(5)
@pytest.mark.parametrize("options, added", [
    ({}, {}), ({"extents": "modes"}, RECORDING.ports), ({"commands": True}, TASK.ports),
    ({"histograms": True}, HISTOGRAM.ports),
    ({"histograms": True, "extents": "modes"}, HISTOGRAM.ports | RECORDING.ports),
    ({"alignment": True, "extents": "modes"}, ALIGNMENT.ports | RECORDING.ports),
    ({"smart_commands": 3, "extents": "modes"}, HEALTH.ports | RECORDING.ports),
    ({"smart_commands": 3, "smart_temperature": True}, HEALTH.ports | TEMPERATURE.ports)])
def test_a_core_with_files_has_their_ports(options, added):
    found = members(stack(Configuration(files=True, **options)))
    rows = {port.path: port for name, port in (TABLE | added | FILE_END.ports | FILE.ports).items()
            if name not in _PACING | _QUEUE}
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
    rows = ROWS | RECORDING.ports | FILE.ports | FRAME.ports | POWER.ports
    for register in registers_with(TASK, RECORDING, FILE, FRAME, POWER):
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
    assert FILE.ports.keys() - _shown(FILE.registers) == {"file_done"}, "what FILE_STATUS.DONE keeps"
    assert RECORDING.ports.keys() - _shown(RECORDING.registers) == {"recording_pps"}, "a pin"
    controlled = {name for name, port in TABLE.items() if port.path[1] in BASE_NAMES}
    assert controlled - shown == {"done"}
    assert shown - controlled == {"phy_link_up", "phy_generation"}
    assert _shown(TASK.registers) == {*TASK.ports}
    assert _shown(POWER.registers) == {*POWER.ports}
    assert _shown(HISTOGRAM.registers) == {*HISTOGRAM.ports}


def _shown(registers):
    """The ports that the registers show or set."""
    shown = set()
    for register in registers:
        for field in register.fields:
            shown |= {field.port} if isinstance(field.port, str) else set(field.port or ())
    return shown


def test_the_bank_reaches_all_of_the_core():
    assert {path[1:] for path in members(RegisterBank()) if path[0] == "user"} == {
        port.path[1:] for port in TABLE.values() if port.path[1] in BASE_NAMES}
    assert {path[1:] for path in members(RegisterBank(TASK)) if path[0] == "user"} == {
        port.path[1:] for port in ROWS.values() if port.path[1] in (*BASE_NAMES, "task")}
    assert {path[1:] for path in members(RegisterBank(HISTOGRAM)) if path[0] == "user"} == {
        port.path[1:] for port in ROWS.values() if port.path[1] in (*BASE_NAMES, "histogram")}


def test_engines_reach_all_that_is_no_stream():
    reached = {**CONTROLS, **OUTPUTS}
    named = {name: port.width for name, port in TABLE.items() if port.path[1] in BASE_NAMES}
    assert reached.items() >= named.items()
    assert reached.keys() - named == {"rst", "phy_generation", "phy_reset", "phy_limit"}
    assert set(PULSES) == {"start", "stop", "clear_unflushed"}
    assert controls(Configuration(pacing="programmable")).keys() - CONTROLS == _PACING
    commands = Configuration(commands=True)
    assert (controls(commands) | outputs(commands)).items() - reached.items() == {
        (name, port.width) for name, port in TASK.ports.items()}
    histograms = Configuration(histograms=True)
    assert (controls(histograms) | outputs(histograms)).items() - reached.items() == {
        (name, port.width) for name, port in HISTOGRAM.ports.items()}
    alignment = Configuration(alignment=True)
    assert (controls(alignment) | outputs(alignment)).items() - reached.items() == {
        (name, port.width) for name, port in ALIGNMENT.ports.items()}
    power = Configuration(commands=True, power_fail=True)
    assert (controls(power) | outputs(power)).items() - reached.items() == {
        (name, port.width) for name, port in (TASK.ports | POWER.ports).items()}
    health = Configuration(smart_commands=1)
    assert (controls(health) | outputs(health)).items() - reached.items() == {
        (name, port.width) for name, port in HEALTH.ports.items()}
    hot = Configuration(smart_commands=1, smart_temperature=True)
    assert outputs(hot).items() - outputs(health).items() == {("drive_heat", 2), ("drive_temperature", 8)}
    files = Configuration(files=True)
    assert (controls(files) | outputs(files)).items() - reached.items() == {
        (name, port.width) for name, port in (FILE_END.ports | FILE.ports).items()}


@pytest.mark.sample(3)
@pytest.mark.parametrize("options, ports", [
    ({"extents": "queued"}, {name: TABLE[name] for name in _QUEUE}), ({"extents": "modes"}, RECORDING.ports),
    ({"extents": "modes", "trim_ahead": True}, RECORDING.ports | TRIM.ports),
    ({"extents": "modes", "look_sectors": 8}, RECORDING.ports | LOOK.ports)])
def test_engines_reach_what_extents_add(options, ports):
    configuration = Configuration(**options)
    reached = {**controls(configuration), **outputs(configuration)}
    assert {name: reached.pop(name) for name in ports} == {
        name: port.width for name, port in ports.items()}
    assert reached == {**CONTROLS, **OUTPUTS}

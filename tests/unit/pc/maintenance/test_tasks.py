"""ATA commands by name and as they are typed."""

import pytest
from sata_drive_model import Health

from sata_recorder.pc.console.grammar import checked
from sata_recorder.pc.maintenance import (ERASES, TASKS, BadTask, Task, erases, parsed, task,
                                       trim_extents)
from unit.drive_model.scripted_host import connect


@pytest.mark.parametrize("words, found", [
    (["smart-return-status"], Task(0xB0, 0xDA, 0, 0xC24F00)),
    (["SMART-READ-DATA"], Task(0xB0, 0xD0, 1, 0xC24F00, data="pio")),
    (["0xE5"], Task(0xE5)), (["229"], Task(0xE5)),
    (["0x2f", "lba=4", "count=8", "data=pio"], Task(0x2F, 0, 8, 4, data="pio")),
    (["read-log", "lba=0x10"], Task(0x2F, 0, 1, 0x10, data="pio")),
    (["set-apm", "count=128"], Task(0xEF, 5, 128)),
    (["0x25", "device=0xE0", "features=0xffff", "lba=0xffffffffffff", "data=in"],
     Task(0x25, 0xFFFF, 0, (1 << 48) - 1, 0xE0, "in")),
])
def test_typed(words, found):
    assert parsed(words) == found


@pytest.mark.parametrize("words, told", [
    ([], "a command is missing"), (["frob"], "frob: no such command"),
    (["0x100"], "command = 0x100: the register has 8 bits"), (["-1"], "-1: no such command"),
    (["0xe5", "count=0x10000"], "count = 0x10000: the register has 16 bits"),
    (["0xe5", "lba=0x1000000000000"], "lba = 0x1000000000000: the register has 48 bits"),
    (["0xe5", "device=256"], "device = 0x100: the register has 8 bits"),
    (["0xe5", "sectors=1"], "sectors=1: must be REGISTER=VALUE"),
    (["0xe5", "pio"], "pio: must be REGISTER=VALUE"),
    (["0xe5", "count="], "nothing is no number"), (["0xe5", "count=x"], "x is no number"),
    (["0xe5", "data=out"], "data = out: must be none, pio or in"),
])
def test_mistakes(words, told):
    with pytest.raises(BadTask) as error:
        parsed(words)
    assert told in str(error.value)


@pytest.mark.parametrize("name", TASKS)
def test_a_name_is_a_request_of_the_board(name):
    line = task(name).line
    assert checked(line.split()) == line
    verb, registers, lba, *data = line.split()
    registers = int(registers, 16)
    assert Task(registers & 0xFF, registers >> 16 & 0xFFFF, registers >> 32, int(lba, 16),
                registers >> 8 & 0xFF, *data) == TASKS[name]


@pytest.mark.parametrize("name", [name for name, one in TASKS.items() if one.data == "none"])
def test_a_drive_knows_it(name):
    """The drive model, which shares no code with this, takes each command without data."""
    host = connect(health=Health(sanitize_dwords=1000))
    one = TASKS[name]
    assert host.command(one.command, one.lba, one.count, one.device, one.features) == (0x50, 0)


@pytest.mark.parametrize("code", range(256))
def test_what_erases(code):
    assert erases(Task(code, 0x0012).line) == ERASES.get(code)
    assert erases(f"trim {code} 1") is None


@pytest.mark.parametrize("code", [0x37, 0x44, 0x45, 0x78, 0x7C, 0x7D, 0x7E, 0x96, 0x9F, 0xB2, 0xC0])
def test_what_erases_without_data_needs_a_confirmation(code):
    """ATA8-ACS to ACS-5, ZAC: the console can issue these, they take sectors or their content, and need no data."""
    assert erases(Task(code, 1, 1, 0x1000).line)


def test_asking_sanitize_for_its_status_does_not():
    assert erases(Task(0xB4, 0).line) is None and erases(Task(0xB4, 0x11).line) == "SANITIZE DEVICE"


@pytest.mark.parametrize("lba, sectors, most", [(0, 1, 10), (7, 10, 10), (7, 11, 10), (3, 95, 10)])
def test_extents_of_trim(lba, sectors, most):
    found = trim_extents(lba, sectors, most)
    assert [sector for first, count in found for sector in range(first, first + count)] == [
        *range(lba, lba + sectors)]
    assert all(0 < count <= most for _, count in found) and len(found) == -(-sectors // most)

"""READ VERIFY of what a recording wrote a while ago."""

import pytest
from integration.small import SMALL, content

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event

#: A command for each 16 sectors.
CORE = SMALL | {"verify_commands": 2}


def verifies(b):
    return [(one.lba, one.sectors) for one in b.drive.completed if one.command in (0x40, 0x42)]


@pytest.mark.parametrize("unit", [1, 8])
def test_an_earlier_command_is_read_again(bench, unit):
    """The first command, after two more; then the next one."""
    b = bench(**CORE | {"long_logical_sectors": unit > 1}, drive={"logical_sector": 512 * unit})
    data = content(1, 160)
    assert b.record(data, 8).error == Error.NONE
    assert verifies(b) == [(8, 16), (56, 16), (104, 16)]
    assert b.engine.output("verify_verified") == 3 and b.engine.output("verify_unreadable") == 0
    assert b.image.read_sectors(8, 160) == data
    b.check()


def test_one_that_cannot_be_read_ends_nothing(bench):
    b = bench(**CORE)
    data = content(1, 160)
    b.engine.source(data)
    b.start(Operation.RECORD, 8, 160)
    while not any(one.command == 0x35 for one in b.drive.completed):
        b.engine.run(10)
    b.behaviour.fail_lba = 9
    assert b.wait(Event.DONE) is not None
    assert b.engine.output("error") == Error.NONE and b.image.read_sectors(8, 160) == data
    assert b.engine.output("verify_verified") == 2 and b.engine.output("verify_unreadable") == 1
    b.check()

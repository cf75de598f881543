"""The link is lost for a clock or a few, around the first command of an operation."""

import pytest
from integration.small import RETRY, SMALL, content, works

from sata_recorder.simulation import Event
from sata_recorder.drive_port import Error, Operation


@pytest.mark.parametrize("operation", list(Operation))
@pytest.mark.parametrize("clocks", [2, 3, 5])     # one less is what the core sees
def test_link_lost_while_an_operation_begins(bench, operation, clocks):
    """Bring-up and the operation never command the drive at once: nothing gets to LBA 0."""
    b = bench(**SMALL)
    for after in range(30, 56):
        b.engine.source(b"\xff" * 512 * 20)
        b.engine.sink(128 * 20)
        b.start(operation, 50, 20)
        b.run(after)
        b.port.drop_link(clocks)
        b.run(1)
        b.wait(Event.DONE)
        assert b.outputs()["error"] == Error.LINK_LOST
        assert b.image.read_sectors(0, 40) == bytes(40 * 512)
        b.wait(Event.READY)
    works(b)


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY])
@pytest.mark.parametrize("clocks", [2, 3, 50])
@pytest.mark.parametrize("overflow", ["stall", "drop"])
def test_operation_recovers_from_a_link_lost_as_it_begins(bench, operation, clocks, overflow):
    """In whatever clock from its start on."""
    b = bench(**RETRY | {"on_overflow": overflow})
    data = content(5, 20)
    for after in range(60):
        if operation == Operation.PLAY:
            b.image.write(50 * 512, data)
        b.engine.source(data)
        b.engine.sink(128 * 20)
        b.start(operation, 50, 20)
        b.run(after)
        b.port.drop_link(clocks)
        b.wait(Event.DONE)
        assert (b.outputs()["error"], b.outputs()["cause"]) == (0, Error.LINK_LOST), after
        assert b.outputs()["dropped"] == 0
        played = b.engine.received() if operation == Operation.PLAY else data
        assert b.image.read_sectors(50, 20) == played == data
        b.image.write(50 * 512, bytes(512 * 20))
        b.run(8)
    b.wait(Event.READY)
    works(b)

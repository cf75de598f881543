"""Extents that are refused before any command, and the last one that is not."""

import pytest
from integration.small import SMALL, commands, content, works

from sata_recorder.simulation import Event
from sata_recorder.core.drive_port import Error, Operation

CAPACITY = 5000
MOVING = [Operation.PLAY, Operation.RECORD, Operation.RECORD_FLUSH]
TOP = (1 << 48) - 1

BEYOND = [(CAPACITY, 1), (CAPACITY - 1, 2), (0, CAPACITY + 1), (CAPACITY - 16, 17), (TOP, 1),
          (TOP, TOP), (0, TOP), (1, TOP), (TOP - 10, 11), (TOP - 10, 12), (1 << 47, 1 << 47),
          ((1 << 47) + 5, 1 << 47), (CAPACITY - 1, 1 << 32)]


def refused(b, operation, lba, sectors):
    """The error of an operation that must end without a command and without taking a word."""
    before = len(commands(b))
    b.engine.source(bytes(512))
    b.start(operation, lba, sectors)
    b.run(1)
    for _ in range(200):
        found = b.engine.run(1, Event.DONE)
        if found:
            break
    assert found, "not refused"
    outputs = b.outputs()
    b.run(50)
    assert b.engine.state().taken == 0
    assert len(commands(b)) == before
    assert (outputs["words"], outputs["sectors_done"]) == (0, 0)
    assert b.outputs()["ready"]
    assert b.ledger().total == 0
    return outputs["error"]


@pytest.mark.parametrize("lba48", [True, False])
def test_zero_sectors(bench, lba48):
    b = bench(**SMALL, sectors=CAPACITY, drive={"lba48": lba48})
    works(b)
    for operation in MOVING:
        for lba in (0, CAPACITY - 1, CAPACITY, TOP):
            assert refused(b, operation, lba, 0) == Error.ZERO_SECTORS
    works(b)


@pytest.mark.parametrize("lba48", [True, False])
@pytest.mark.parametrize("lba, sectors", BEYOND)
def test_beyond_the_capacity(bench, lba48, lba, sectors):
    b = bench(**SMALL, sectors=CAPACITY, drive={"lba48": lba48})
    for operation in MOVING:
        assert refused(b, operation, lba, sectors) == Error.OUT_OF_RANGE
    works(b)


@pytest.mark.parametrize("lba, sectors", [(TOP, 1), (TOP, 2), (TOP, TOP), (1, TOP), (2, TOP)])
def test_sum_beyond_48_bits(bench, lba, sectors):
    """On the largest drive there can be."""
    b = bench(**SMALL, sectors=TOP)
    for operation in MOVING:
        assert refused(b, operation, lba, sectors) == Error.OUT_OF_RANGE
    works(b)


@pytest.mark.parametrize("capacity", [CAPACITY, 1, 16, TOP])
def test_last_sector(bench, capacity):
    b = bench(**SMALL, sectors=capacity)
    data = content(capacity, 1)
    assert b.record(data, capacity - 1).error == 0
    assert b.image.read_sectors(capacity - 1) == data
    assert b.play(capacity - 1, 1).data == data
    assert b.play(capacity - 1, 2).error == Error.OUT_OF_RANGE
    assert b.play(capacity, 1).error == Error.OUT_OF_RANGE


def test_whole_drive(bench):
    b = bench(**SMALL, sectors=37)
    data = content(2, 37)
    assert b.record(data, 0).error == 0
    assert b.play(0, 37).data == data
    b.check()


def test_flush_needs_no_extent(bench):
    b = bench(**SMALL, sectors=CAPACITY)
    b.start(Operation.FLUSH, TOP, 0)
    assert b.engine.run(1000, Event.DONE)
    assert b.outputs()["error"] == 0

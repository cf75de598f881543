"""A drive that comes back after a failure as another one, however much it is like the first."""

import pytest
from integration.small import RETRY, connect, content
from sata_drive_model import DiskImage

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event

LBA, SECTORS = (1 << 28) + 100, 200
CAPACITY = LBA + SECTORS
UNIT = {"serial": "12345", "model": "A DRIVE", "wwn": 0x5000C50012345678}


def exchanged(bench, operation, unit, other, *, capacity=CAPACITY, after=5000, lba=LBA, gap=60):
    """The outcome of an operation in which the drive of ``unit`` is replaced by one with the
    changes ``other``; the bench and the drives."""
    b = bench(connect(sectors=capacity, unit=unit), **RETRY)
    first = b.drive
    second = first.other(DiskImage(sectors=other.pop("sectors", capacity)), **other)
    data = content(1, SECTORS)
    b.engine.source(data)
    b.engine.sink(128 * SECTORS)
    if operation == Operation.PLAY:
        first.image.write(512 * lba, data)
    b.start(operation, lba, SECTORS)
    b.run(after)
    assert not b.outputs()["done"]
    b.port.plug(second, gap)
    b.wait(Event.DONE)
    return b, first, second


CHANGES = [{"serial": "12346"}, {"model": "A DRIVE OF ANOTHER KIND"}, {"wwn": 0x5000C50012345679},
           {"wwn": None}, {"sectors": CAPACITY - 1}, {"sectors": CAPACITY + 1},
           {"sectors": CAPACITY + (1 << 32)}, {"lba48": False},
           {"lba48": False, "sectors": 1 << 28}]


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY, Operation.RECORD_FLUSH])
@pytest.mark.parametrize("after", [20, 5000])
@pytest.mark.parametrize("other", CHANGES, ids=str)
def test_each_field(bench, operation, after, other):
    """The operation ends, and the other drive gets no command but IDENTIFY DEVICE."""
    b, _, second = exchanged(bench, operation, UNIT, dict(other), after=after)
    assert b.outputs()["error"] == Error.OTHER_DRIVE
    b.wait(Event.READY)
    assert {done.command for done in second.completed} == {0xEC}


@pytest.mark.parametrize("serial, wwn, error", [
    ("", None, Error.OTHER_DRIVE), ("", 0x5000C50012345678, Error.NONE), ("1", None, Error.NONE)])
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY])
def test_drive_without_a_name(bench, operation, serial, wwn, error):
    """With neither serial number nor World Wide Name it cannot be told from another one."""
    unit = {"serial": serial, "wwn": wwn}
    b = bench(connect(sectors=5000, unit=unit), **RETRY)
    data = content(1, 100)
    b.engine.source(data)
    b.engine.sink(128 * 100)
    b.image.write(0, data)
    b.start(operation, 0, 100)
    b.run(5000)
    b.port.drop_link(60)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == error
    if operation == Operation.PLAY and not error:
        assert b.engine.received() == data


def test_first_drive_comes_back_at_last(bench):
    """The next operation takes the drive that is there then."""
    b, first, second = exchanged(bench, Operation.RECORD, UNIT, {"serial": "12346"}, gap=5)
    assert b.outputs()["error"] == Error.OTHER_DRIVE
    b.port.plug(first)
    b.run(100)
    b.wait(Event.READY)
    assert b.record(content(2, 20), LBA, flush=True).error == 0
    assert not any(second.image.read_sectors(LBA, 20))
    assert first.image.read_sectors(LBA, 20) == content(2, 20)

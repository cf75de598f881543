"""The link is lost for a clock or a few, around the first command of an operation."""

import pytest
from integration.small import RETRY, SMALL, connect, content, works

from sata_recorder.simulation import Event
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.recording import RecordingMode

pytestmark = pytest.mark.wide


@pytest.mark.quick
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


@pytest.mark.sample(5)
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


#: With modes the core gets its start later than the user's.
MODES = RETRY | {"extents": "modes"}


@pytest.mark.sample(18)
@pytest.mark.parametrize("clocks", [2, 3, 50, 400])
@pytest.mark.parametrize("mode", [RecordingMode.FIXED, RecordingMode.RING])
@pytest.mark.parametrize("options, unit", [
    ({}, {}), ({}, {"lba48": False}), ({"fua": True}, {"fua": True}),
    ({"long_logical_sectors": True}, {"logical_sector": 4096}), ({"long_logical_sectors": True}, {})])
def test_recording_in_a_mode_recovers_from_a_link_lost_as_it_begins(bench, options, unit, mode, clocks):
    """In whatever clock from its start on, also the very first recording of all."""
    data = content(5, 24)
    b = bench(connect(unit=unit), **MODES | options)
    for after in range(41):
        b.engine.source(data)
        b.engine.set(recording_mode=mode, recording_words=128 * 24, recording_ahead=65536)
        b.start(Operation.RECORD, 48, 24)
        b.run(after)
        b.port.drop_link(clocks)
        if mode == RecordingMode.RING:
            while b.engine.state().taken < 128 * 24:
                b.run(50)
            b.engine.set(stop=1)
            b.run(1)
            b.engine.set(stop=0)
        if not b.outputs()["done"]:
            b.wait(Event.DONE)
        assert (b.outputs()["error"], b.outputs()["cause"]) == (0, Error.LINK_LOST), after
        assert b.image.read_sectors(48, 24) == data, after
        b.image.write(48 * 512, bytes(512 * 24))
        b.run(30)
    b.wait(Event.READY)
    b.engine.set(recording_mode=RecordingMode.UNTIL_STOPPED)
    works(b, sectors=24)


@pytest.mark.parametrize("after", range(41))
def test_another_drive_comes_as_a_recording_in_a_mode_begins(bench, after):
    """It gets no word, in whatever clock the one went for which the recording was started."""
    b = bench(**MODES)
    b.engine.source(content(5, 20))
    b.engine.set(recording_mode=RecordingMode.FIXED, recording_words=0)
    b.start(Operation.RECORD, 50, 20)
    b.run(after)
    other = connect(unit={"serial": "OTHER"}).drive
    b.port.plug(other, 50)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.OTHER_DRIVE
    assert not any(other.image.read_sectors(0, 100))


@pytest.mark.parametrize("after", range(0, 41, 3))
def test_a_recording_in_a_mode_waits_no_longer_than_one(bench, after):
    """A drive that stays away: the end of the recovery, as after a command."""
    b = bench(**MODES | {"recovery_timeout": 0.02})
    b.engine.set(recording_mode=RecordingMode.FIXED, recording_words=0)
    b.start(Operation.RECORD, 50, 20)
    begin = b.engine.state().cycle
    b.run(after)
    b.port.drop_link(100_000)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.LINK_LOST
    assert 20_000 < b.engine.state().cycle - begin < 21_000


@pytest.mark.parametrize("late", range(6))
def test_a_recording_in_a_mode_without_a_drive_is_refused(bench, late):
    """From the clock on in which ready is low."""
    b = bench(**MODES)
    b.port.drop_link(300)
    while b.outputs()["ready"]:
        b.run(1)
    b.run(late)
    b.engine.set(recording_mode=RecordingMode.FIXED, recording_words=0)
    b.start(Operation.RECORD, 50, 20)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.NOT_READY
    b.wait(Event.READY)
    b.engine.set(recording_mode=RecordingMode.UNTIL_STOPPED)
    works(b)

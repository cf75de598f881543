"""The link falls, the drive is pulled or exchanged, at any moment."""

import pytest
from integration.small import RETRY, SMALL, commands, connect, content, works

from sata_recorder.simulation import Event, Hold
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.recording import RecordingMode


def begin(b, operation):
    data = content(1, 40)
    b.engine.source(data)
    b.engine.sink(5120)
    if operation == Operation.PLAY:
        b.image.write(50 * 512, data)
    b.start(operation, 50, 40)


def lost(b):
    """The operation ends at once, with LINK_LOST."""
    assert b.engine.run(200, Event.DONE), "not reported"
    outputs = b.outputs()
    assert outputs["error"] == Error.LINK_LOST and not outputs["ready"]
    assert outputs["sectors_done"] in (0, 16, 32, 40)
    b.run(1)
    assert not b.outputs()["busy"]


@pytest.mark.sample(5)
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY, Operation.RECORD_FLUSH])
@pytest.mark.parametrize("clocks", [2, 20, 37, 38, 39, 40, 45, 50, 60, 80, 100, 500, 1200, 2250, 2300,
                                    2350, 4000, 5200])
@pytest.mark.parametrize("gap", [3, 100])
def test_link_falls_in_a_transfer(bench, operation, clocks, gap):
    b = bench(**SMALL, flush_latency=500)
    begin(b, operation)
    b.run(clocks)
    b.port.drop_link(gap)
    if clocks > 1000:
        assert b.outputs()["words"] > 256
    lost(b)
    # The drive gives its signature by itself: there is no need for another COMRESET.
    b.wait(Event.READY)
    assert b.port.resets == 1 and [record[0] for record in commands(b)].count(0xEC) == 2
    works(b)


def test_link_falls_in_every_clock_around_a_status(bench):
    b = bench(**SMALL)
    begin(b, Operation.RECORD)
    start = b.engine.state().cycle
    while len(b.analyser.commands) < 1:
        b.run(1)
    end = b.engine.state().cycle - start
    b.wait(Event.DONE)
    works(b)
    for clocks in range(end - 30, end + 40):
        begin(b, Operation.RECORD)
        b.run(clocks)
        b.port.drop_link(3)
        lost(b)
        b.wait(Event.READY)
    works(b)
    for clocks in range(end - 30, end + 40):
        begin(b, Operation.PLAY)
        b.run(clocks)
        b.port.drop_link(3)
        lost(b)
        b.wait(Event.READY)
    works(b)


@pytest.mark.parametrize("clocks", [2, 50, 100, 400])
def test_link_falls_in_a_flush(bench, clocks):
    b = bench(**SMALL, flush_latency=500)
    b.start(Operation.FLUSH)
    b.run(clocks)
    b.port.drop_link(50)
    lost(b)
    works(b)


def test_link_falls_in_the_flush_after_a_recording(bench):
    b = bench(**SMALL, flush_latency=5000)
    begin(b, Operation.RECORD_FLUSH)
    while b.outputs()["sectors_done"] < 40:
        b.run(10)
    b.run(1000)
    b.port.drop_link(50)
    lost(b)
    assert b.outputs()["sectors_done"] == 40
    works(b)


@pytest.mark.parametrize("gap", [2, 3, 10, 1000])
def test_link_falls_while_idle(bench, gap):
    b = bench(**SMALL)
    for _ in range(5):
        b.port.drop_link(gap)
        b.run(gap + 3)
        assert not b.outputs()["ready"] and not b.outputs()["busy"]
        assert b.outputs()["error"] == 0 and b.outputs()["capacity"] == 0
        b.wait(Event.READY)
        works(b)
    assert b.port.resets == 1


def test_link_falls_while_the_user_takes_the_rest(bench):
    """All commands are done; what the buffer holds still belongs to the playback."""
    b = bench(**SMALL)
    data = content(1, 40)
    b.image.write(50 * 512, data)
    b.engine.sink(5120, hold=Hold(1, 20))
    b.start(Operation.PLAY, 50, 40)
    while b.outputs()["sectors_done"] < 40:
        b.run(5)
    assert b.engine.state().received < 5120
    b.port.drop_link(50)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == 0
    assert b.engine.received() == data and b.engine.state().lasts == 1
    works(b)


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY])
def test_unplug_and_plug(bench, operation):
    b = bench(**SMALL)
    drive = b.drive
    begin(b, operation)
    b.run(1500)
    b.port.unplug()
    lost(b)
    b.run(100_000)
    assert not b.outputs()["ready"]
    b.start(operation, 0, 1)
    assert b.engine.run(200, Event.DONE)
    assert b.outputs()["error"] == Error.NOT_READY
    b.port.plug(drive)
    works(b)


def test_another_drive(bench):
    b = bench(**SMALL, sectors=5000)
    begin(b, Operation.RECORD)
    b.run(1000)
    other = connect(sectors=600, unit={"lba48": False, "model": "other"}).drive
    b.port.plug(other)
    lost(b)
    b.wait(Event.READY)
    assert b.outputs()["capacity"] == 600 and b.identify() == other.page
    assert b.play(599, 2).error == Error.OUT_OF_RANGE
    assert b.record(content(5, 3), 597).error == 0
    assert b.image.read_sectors(597, 3) == content(5, 3)
    assert not any(b.image.read_sectors(50, 40))
    b.check()


def test_flapping_link(bench, seed):
    """Up and down faster than a drive can be identified; ready only once it stays."""
    b = bench(**SMALL, identify_latency=200)
    for clocks in range(1, 250, 7):
        b.port.drop_link(5)
        b.run(5 + clocks)
        assert not b.outputs()["ready"]
    b.wait(Event.READY)
    works(b)


def until(b, name):
    """Runs until the output ``name`` is not 0; returns the clocks."""
    for clocks in range(20_000):
        if b.outputs()[name]:
            return clocks
        b.run(1)
    raise AssertionError(f"{name} stays 0")


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY, Operation.RECORD_FLUSH])
@pytest.mark.parametrize("late", range(-2, 3))
def test_link_falls_each_time_the_drive_is_ready_again(bench, operation, late):
    """An operation comes to an end, in whichever clock of a recovery it falls."""
    b = bench(**RETRY | {"recovery_timeout": 0.005})
    away = 20, 25
    b.port.drop_link(away[0])
    b.run(away[1])
    until(b, "capacity")
    identified = until(b, "ready")
    b.engine.source(content(1, 16))
    b.start(operation, 100, 16)
    b.run(200)
    for _ in range(50):
        b.port.drop_link(away[0])
        b.run(away[1])
        if not b.outputs()["busy"]:
            break
        until(b, "capacity")
        b.run(identified + late)
    assert (b.outputs()["busy"], b.outputs()["error"]) == (0, Error.LINK_LOST)
    works(b)


@pytest.mark.wide
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY])
@pytest.mark.parametrize("gap", [2, 400])       # 2: a clock without a link
def test_link_falls_in_every_clock_around_a_start_with_modes(bench, operation, gap):
    """A recording begins 10 clocks after its start, a playback at once: both on the drive that was there at the
    start, whenever the link falls after that."""
    b = bench(**SMALL | {"extents": "modes", "retries": 2})
    for clocks in range(-2, 16):
        b.wait(Event.READY)
        if clocks < 0:
            b.port.drop_link(gap)
            b.run(-clocks)
        b.engine.set(recording_mode=RecordingMode.FIXED, recording_words=2 * 128)
        b.engine.source(content(1, 2))
        b.engine.sink(256)
        b.start(operation, 50, 2)
        if clocks >= 0:
            b.run(clocks)
            b.port.drop_link(gap)
        b.wait(Event.DONE)
        outputs = b.outputs()
        expected = (Error.NOT_READY, 0, 0) if clocks == -2 else (Error.NONE, 1, 2)
        assert (outputs["error"], outputs["retries"], outputs["sectors_done"]) == expected, clocks
        b.engine.source(b"")

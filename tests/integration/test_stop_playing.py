"""A playback that is stopped, and how little of it is left."""

import pytest
from integration.small import SMALL, commands, content, works

from sata_recorder.simulation import Event, Hold
from sata_recorder.core.drive_port import Operation

LBA, EXTENT = 100, 100


def loaded(bench, **options):
    b = bench(**SMALL, **options)
    b.image.write(LBA * 512, content(1, EXTENT))
    return b


@pytest.mark.parametrize("after", [1, 2, 127, 128, 129, 2047, 2048, 2049, 5000, 12799])
@pytest.mark.parametrize("hold", [Hold(), Hold(1, 2), Hold(100, 300)])
def test_stop_in_the_middle(bench, after, hold):
    b = loaded(bench)
    outcome = b.play(LBA, EXTENT, stop_after=after, hold=hold)
    assert outcome.error == 0
    assert after <= outcome.received <= after + 2
    assert outcome.outputs["words"] == outcome.received
    assert outcome.data == content(1, EXTENT)[:4 * outcome.received]
    assert outcome.lasts == (outcome.received == 128 * EXTENT)
    b.check()
    works(b)


@pytest.mark.parametrize("hold", [Hold(), Hold(1, 2), Hold(100, 300)])
def test_no_command_follows_a_stop(bench, hold):
    """The one in flight runs to its end; nothing of the rest is read."""
    b = loaded(bench, completion_latency=40)
    for clocks in range(1000, 4000, 61):
        b.engine.sink(128 * EXTENT, hold=hold)
        b.start(Operation.PLAY, LBA, EXTENT)
        b.run(clocks)
        begun = len(b.analyser.commands) + (not between(b))
        b.stop()
        b.run(1)
        b.wait(Event.DONE)
        outputs = b.outputs()
        assert len(b.analyser.commands) <= begun
        assert outputs["sectors_done"] == 16 * len(b.analyser.commands)
        b.check()
    works(b)


def between(b):
    """Whether no command is in flight, as far as the drive knows."""
    return b.drive.command is None


@pytest.mark.parametrize("clock", range(1, 60))
def test_stop_at_once_after_start(bench, clock):
    b = loaded(bench)
    b.engine.sink(128 * EXTENT)
    b.start(Operation.PLAY, LBA, EXTENT)
    b.run(clock)
    b.stop()
    b.run(1)
    assert b.engine.run(5000, Event.DONE), f"a stop {clock} clocks after start was lost"
    assert b.outputs()["error"] == 0 and b.outputs()["sectors_done"] <= 16
    assert b.outputs()["words"] == b.engine.state().received == 0
    works(b)


def test_stop_while_the_user_takes_nothing(bench):
    """The drive waits in HOLD; the stop lets it finish its command."""
    b = loaded(bench)
    b.engine.sink(128 * EXTENT, hold=Hold(1, 1_000_000))
    b.start(Operation.PLAY, LBA, EXTENT)
    b.run(5000)
    assert b.ledger().accounts["host_hold"] > 3000
    b.stop()
    b.run(1)
    assert b.engine.run(5000, Event.DONE)
    outputs = b.outputs()
    assert (outputs["error"], outputs["words"], outputs["sectors_done"]) == (0, 0, 16)
    b.check()
    works(b)


def test_stop_after_the_last_command(bench):
    """All data are in the buffer, and the user has not taken them yet."""
    b = loaded(bench)
    b.engine.sink(128 * EXTENT, hold=Hold(1, 1_000_000))
    b.start(Operation.PLAY, LBA, 1)
    b.run(1000)
    assert b.outputs()["busy"] and b.outputs()["sectors_done"] == 1
    b.stop()
    b.run(1)
    assert b.engine.run(500, Event.DONE)
    assert (b.outputs()["error"], b.outputs()["words"]) == (0, 0)
    b.check()
    works(b)


def test_stop_outside_of_a_transfer_means_nothing(bench):
    b = loaded(bench, flush_latency=500)
    b.stop()
    b.run(10)
    works(b)
    b.start(Operation.FLUSH)
    b.run(100)
    b.stop()
    b.run(1)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == 0
    # It is not remembered for the next operation either.
    b.stop()
    b.run(1)
    works(b)
    for clocks in (1, 0):       # in the clock before start, in that of start
        before = len(commands(b))
        b.stop()
        if clocks:
            b.run(1)
        assert b.play(LBA, EXTENT).data == content(1, EXTENT)
        assert len(commands(b)) == before + 7

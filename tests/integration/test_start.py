"""Each `start` that is not ignored gets exactly one `done`, however the drive behaves meanwhile."""

import pytest
from integration.small import SMALL, content, works

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event

#: Clocks after `start` in which an operation with a lost link has ended.
_ENDS = 400


def dones(b, clocks):
    """The clocks, of as many, in which `done` is high."""
    found = []
    for clock in range(clocks):
        b.run(1)
        if b.outputs()["done"]:
            found.append(clock)
    return found


def fall(b):
    """Lets the link fall, and returns in the first clock in which `ready` is low."""
    b.port.drop_link(60)
    for clocks in range(20):
        if not b.outputs()["ready"]:
            return clocks
        b.run(1)
    raise AssertionError("ready does not fall")


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY, Operation.FLUSH])
def test_start_in_each_clock_round_the_fall_of_ready(bench, operation):
    b = bench(**SMALL)
    data = content(1, 2)
    at = fall(b)
    b.wait(Event.READY)
    errors = set()
    for offset in range(-8, 9):
        b.engine.source(data)
        b.engine.sink(256)
        late = at + offset      # clocks from the loss of the link to start
        if late >= 0:
            b.port.drop_link(60)
            seen = dones(b, late)
        assert b.outputs()["ready"] == (offset < 0)
        b.start(operation, 50, 2)
        if late < 0:
            seen = dones(b, -late)
            b.port.drop_link(60)
        seen += dones(b, _ENDS)
        assert len(seen) == 1, offset
        errors.add(Error(b.outputs()["error"]))
        b.wait(Event.READY)
        assert not b.outputs()["busy"]
    assert errors == {Error.NOT_READY, Error.LINK_LOST}
    works(b)


@pytest.mark.parametrize("first", [Operation.FLUSH, Operation.PLAY])
def test_start_in_each_clock_round_done(bench, first):
    """Ignored before `done`, taken from that clock on."""
    b = bench(**SMALL)
    b.image.write(50 * 512, content(1, 1))
    b.engine.sink(1 << 20)
    b.start(first, 50, 1)
    [length] = dones(b, _ENDS)
    b.run(20)
    for offset in range(-5, 6):
        b.start(first, 50, 1)
        seen = dones(b, length + offset)
        busy = b.outputs()["busy"]
        b.start(first, 50, 1)
        seen += dones(b, 2 * _ENDS)
        # ALIGN pairs move the end by some clocks.
        assert len(seen) == (1 if busy else 2), offset
    works(b)


def test_refused_start_counts_nothing(bench):
    """Not even in the clock of `done`, the one after `start`, is a number that of the operation before."""
    b = bench(**SMALL)
    b.record(content(1, 20), 50)
    before = b.outputs()
    assert before["longest_stall"] and before["words"] and before["high_water"]
    fall(b)
    b.start(Operation.RECORD, 50, 2)
    while not (outputs := b.outputs())["done"]:
        b.run(1)
    assert outputs["error"] == Error.NOT_READY
    counts = ("sectors_done", "words", "high_water", "held_cycles", "retries", "skipped_sectors", "dropped",
              "longest_stall")
    assert {name: outputs[name] for name in counts if outputs[name]} == {}

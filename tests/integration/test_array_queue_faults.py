"""The queue of an array whose drives leave, change or are slow, and drives with sectors of 4096 bytes."""

import pytest
from integration.arrays import OFFSET
from integration.small import connect, content
from integration.test_array_queue import LESS, ROOM, ArrayRecording
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event, Hold

LONG = {"logical_sector": 4096}


def test_nothing_is_written_to_a_drive_that_came_while_its_lane_had_no_sectors():
    """Its superblock has not been read: the lane fails, and what came before is kept."""
    made = ArrayRecording("linear")
    b = made.bench
    made.begin(content(3, 64), (0, 32), hold=Hold(1, 100))
    b.run(20_000)
    foreign = connect(sectors=OFFSET + ROOM, unit={"serial": "FOREIGN"}).drive
    b.ports[1].unplug()
    b.run(2000)
    b.ports[1].plug(foreign)
    b.run(60_000)
    assert b.outputs()["busy"] and b.outputs()["array_ready"] & 2
    assert made.queue((LESS + 44, 32))
    outputs = made.end()
    assert (outputs["error"], outputs["array_failed"], outputs["array_first"]) == (Error.LINK_LOST, 2, 1)
    assert foreign.image.read_sectors(OFFSET, ROOM) == bytes(512 * ROOM)
    assert 128 * outputs["sectors_done"] >= outputs["words"] > 0
    b.ports[1].unplug()
    b.ports[1].plug(made.drives[1])
    made.check(outputs)


def test_a_drive_that_came_back_is_used_where_its_lane_has_no_sectors_of_the_recording():
    made = ArrayRecording("linear")
    b = made.bench
    made.begin(content(3, 64), (0, 32), hold=Hold(1, 100))
    b.run(20_000)
    b.ports[1].unplug()
    b.run(2000)
    b.ports[1].plug(made.drives[1])
    b.run(60_000)
    assert made.queue((LESS - 32, 32))
    outputs = made.end()
    assert (outputs["error"], outputs["sectors_done"]) == (Error.NONE, 64)
    made.check(outputs)


@pytest.mark.parametrize("shape, lbas", [("linear", (0, 300, 400, 500)), ("five", (0, 8, 16, 24))])
def test_sectors_done_covers_the_words_of_all_spans_at_a_stop(shape, lbas):
    """The lane of the first one is the last to end: the others were done long before."""
    made = ArrayRecording(shape, behaviours={0: Behaviour(command_latency=6000)})
    b = made.bench
    made.begin(content(3, len(lbas)), (lbas[0], 1), flush=False)
    assert all(made.queue((lba, 1)) for lba in lbas[1:])
    b.run(5000)
    assert (b.outputs()["words"], b.outputs()["sectors_done"]) == (128 * len(lbas), 0)
    b.stop()
    outputs = made.end()
    assert (outputs["error"], outputs["sectors_done"]) == (Error.NONE, len(lbas))
    made.check(outputs)


def test_a_span_that_splits_a_long_sector_is_refused_while_that_drive_is_away():
    made = ArrayRecording("striped", units={1: LONG})
    b = made.bench
    made.begin(content(3, 64), (0, 32), hold=Hold(1, 20))
    b.run(2000)
    b.ports[1].unplug()
    b.run(200)
    assert b.outputs()["long_sectors"] == 0
    assert made.queue((72, 3))
    b.run(3000)
    b.ports[1].plug(made.drives[1])
    outputs = made.end()
    made.taken.pop()
    assert (outputs["error"], outputs["sectors_done"]) == (Error.SECTOR_SIZE, 32)
    made.check(outputs)


def test_queue_begun_counts_a_long_sector_from_its_first_word_on():
    """A stop fills it with zeros."""
    made = ArrayRecording("striped", units=dict.fromkeys(range(2), LONG))
    b = made.bench
    made.begin(content(3, 64), (0, 32), hold=Hold(1, 200))
    assert made.queue((64, 32))
    b.run(600)
    b.stop()
    outputs = made.end()
    assert 0 < outputs["words"] < 128
    assert (outputs["error"], outputs["sectors_done"], outputs["queue_begun"]) == (Error.NONE, 8, 8)
    made.check(outputs)


@pytest.mark.parametrize("sectors, error", [(0, Error.ZERO_SECTORS), (5000, Error.OUT_OF_RANGE)])
def test_queue_begun_of_a_refused_operation_is_zero(sectors, error):
    made = ArrayRecording("linear")
    b = made.bench
    made.begin(content(3, 4), (0, 4), ahead=8)
    assert made.end()["queue_begun"] == 4
    b.wait(Event.READY)
    b.start(Operation.RECORD, 0, sectors)
    b.wait(Event.DONE)
    assert (b.outputs()["error"], b.outputs()["queue_begun"]) == (error, 0)

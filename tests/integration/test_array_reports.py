"""What an array reports is true, whenever its lanes end, fail or go away."""

import pytest
from integration.arrays import GOOD, OFFSET, SECTORS, members
from integration.small import content
from integration.test_array import brought_up
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event
from sata_recorder.simulation.pattern import Bytes

pytestmark = pytest.mark.wide


def recording(bench, data, lba, operation=Operation.RECORD):
    """Begins one, and lets its first clock pass."""
    bench.engine.source(Bytes(data))
    bench.start(operation, lba, len(data) // 512)
    bench.run(1)


def ended(bench):
    """The outputs with done."""
    if not bench.outputs()["done"]:
        bench.wait(Event.DONE)
    outputs = bench.outputs()
    bench.run(2)
    return outputs


def replaced(bench, lane):
    """The drive of a lane is taken away, and comes back."""
    drive = bench.ports[lane].drive
    bench.ports[lane].unplug()
    bench.run(200)
    bench.ports[lane].plug(drive)
    bench.run(200)
    return bench.settle()


def journal(bench, lane):
    bench.engine.set(array_lane=lane)
    bench.run(3)
    count = bench.outputs()["journal_count"]
    return count, bench.engine.table("journal_address", "journal_data", range(4 * count), 3)


def ledger(bench, lane):
    bench.engine.set(array_lane=lane)
    return bench.ledger()


def test_lane_was_not_started():
    """A lane that was not started has done nothing of this operation, whatever it did in the one before."""
    bench = brought_up(3, chunk=16)
    assert bench.record(content(1, 48), 16).error == 0
    new = content(2, 48)
    recording(bench, new, 16)
    bench.ports[0].unplug()
    outputs = ended(bench)
    done = outputs["sectors_done"]
    assert outputs["error"] and outputs["array_failed"] == 1
    assert bench.read(16, done) == new[:512 * done]


def test_journal_is_of_the_operation():
    """It has no entry of the operation before, whether the lane takes no part or the operation is refused."""
    bench = brought_up(3, chunk=16)
    behaviour = bench.ports[2].drive.behaviour
    behaviour.fail_lba = OFFSET + 3
    for removed, error in ((None, Error.NONE), (0, Error.NOT_READY)):
        assert bench.record(content(1, 48), 0).error == Error.DRIVE_ERROR and journal(bench, 0)[0] == 1
        if removed is not None:
            bench.ports[removed].unplug()
            bench.run(50)
        assert bench.record(content(2, 3), 0).error == error
        assert journal(bench, 0) == (0, [])


def test_refused_counts_nothing():
    """What a refused operation counts is 0, and not that of the one before."""
    bench = brought_up(3, chunk=16)
    assert bench.record(content(1, 3), 0).outputs["words"] == 3 * 128
    bench.ports[1].unplug()
    bench.run(50)
    outputs = bench.record(content(1, 3), 0).outputs
    assert (outputs["error"], outputs["words"], outputs["sectors_done"]) == (Error.NOT_READY, 0, 0)


@pytest.mark.parametrize("drives, kind, chunk", [(3, "raid0", 16), (2, "linear", 128)])
def test_flush_counts_no_sectors(drives, kind, chunk):
    """FLUSH has no extent: lba and sectors are what they are."""
    bench = brought_up(drives, kind=kind, chunk=chunk)
    capacity = bench.outputs()["capacity"]
    for lba, sectors in ((capacity + 5, 7), (capacity - 1, 9), ((1 << 48) - 1, (1 << 48) - 1), (0, 1)):
        bench.start(Operation.FLUSH, lba, sectors)
        bench.run(1)
        outputs = ended(bench)
        assert (outputs["error"], outputs["sectors_done"]) == (0, 0), (lba, sectors)


def test_superblock_is_not_for_the_user():
    """After an operation superblocks are read without a word at the stream."""
    bench = brought_up(3, chunk=16)
    assert bench.record(content(1, 20), 0).error == 0
    bench.engine.sink(1 << 20)
    assert replaced(bench, 0)["ready"]
    assert (bench.engine.state().received, bench.outputs()["words"]) == (0, 20 * 128)


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY])
def test_counts_stay(operation):
    """What an operation has left is there until the next one, also when superblocks are read meanwhile."""
    bench = brought_up(3, chunk=16)
    data = content(1, 400)
    bench.ports[2].drive.behaviour.fail_lba = OFFSET + 37
    bench.engine.sink(1 << 20)
    recording(bench, data, 0, operation)
    bench.run(6000)
    drive = bench.ports[1].drive
    bench.ports[1].unplug()
    bench.run(5000)
    bench.ports[1].plug(drive)
    ended(bench)
    bench.run(50)
    names = ("error", "cause", "error_lba", "sectors_done", "words", "retries", "array_failed", "array_first")
    before, entries = bench.outputs(), [journal(bench, lane) for lane in range(3)]
    accounts = [ledger(bench, lane) for lane in range(3)]
    bench.engine.set(array_lane=0)
    assert before["error"]
    bench.ports[2].drive.behaviour.fail_lba = None
    assert replaced(bench, 0)["ready"]
    after = bench.outputs()
    assert {name: after[name] for name in names} == {name: before[name] for name in names}
    assert [journal(bench, lane) for lane in range(3)] == entries
    assert [ledger(bench, lane) for lane in range(3)] == accounts
    assert any(count for count, _ in entries) and all(booked.commands for booked in accounts)


def test_error_is_of_the_operation():
    """The error is how the lane's operation ended, and not how its drive was brought up while others went on."""
    bench = brought_up(3, chunk=16, behaviours={0: Behaviour(command_latency=30_000)})
    recording(bench, content(1, 400), 0)
    bench.run(1000)
    drive = bench.ports[1].drive
    drive.behaviour.fail_lba = OFFSET + 3
    drive.behaviour.abort_identify = 100
    while not bench.outputs()["array_failed"]:
        bench.run(100)
    assert bench.outputs()["busy"]
    bench.ports[1].unplug()
    bench.run(50)
    bench.ports[1].plug(drive)
    outputs = ended(bench)
    assert (outputs["error"], outputs["array_first"]) == (Error.DRIVE_ERROR, 1)


def test_record_flush_with_unflushed():
    """Sectors of earlier recordings that may be lost fail FLUSH, and not a recording with a flush: as with a drive."""
    bench = brought_up(3, chunk=16)
    assert bench.record(content(8, 64), 16).error == 0
    assert replaced(bench, 1)["ready"]
    assert bench.outputs()["unflushed"]
    for lba in (16, 0, 32):
        outcome = bench.record(content(9, 3), lba, flush=True)
        assert (outcome.error, outcome.outputs["sectors_done"]) == (0, 3), lba
        assert bench.read(lba, 3) == content(9, 3)
    assert bench.flush().error == Error.LINK_LOST


def test_clear_unflushed():
    """It is gone in the clock after the next, at whatever clock, and what was lost later is not."""
    bench = brought_up(3, chunk=16)
    for clocks in range(0, 90, 9):
        assert bench.record(content(clocks, 64), 16).error == 0
        assert replaced(bench, 1)["ready"]
        bench.run(500 + clocks)
        assert bench.outputs()["unflushed"]
        bench.engine.set(clear_unflushed=1)
        bench.run(1)
        bench.engine.set(clear_unflushed=0)
        for _ in range(100):
            bench.run(1)
            assert not bench.outputs()["unflushed"]


def test_held_is_by_the_user():
    """In a playback a word that waits for its lane's turn does not wait for the user."""
    bench = brought_up(3, chunk=16)
    assert bench.record(content(1, 300), 0).error == 0
    played = bench.play(0, 300)
    assert played.error == 0 and played.outputs["held_cycles"] == 0


def test_error_lba_is_that_of_cause():
    """Of an operation without a failure, too."""
    bench = brought_up(3, chunk=16)
    behaviour = bench.ports[2].drive.behaviour
    behaviour.fail_lba, behaviour.fail_times = OFFSET + 5, 1
    outputs = bench.record(content(1, 48), 0).outputs
    assert (outputs["error"], outputs["cause"], outputs["retries"]) == (0, Error.DRIVE_ERROR, 1)
    assert bench.place(outputs["error_lba"]) == (2, OFFSET + 5)


@pytest.mark.parametrize("long", [(0, 1, 2), (1,)])
def test_long_sectors(long):
    """Drives with sectors of 4096 bytes; an extent that splits one is refused before any lane writes."""
    bench = members(3, chunk=16, units={lane: {"logical_sector": 4096} for lane in long})
    bench.bring_up()
    outputs = bench.settle()
    assert (outputs["ready"], outputs["long_sectors"]) == (1, 1) and bench.states(outputs) == [GOOD] * 3
    old, new = content(1, 96), content(2, 96)
    assert bench.record(old, 0, flush=True).error == 0 and bench.read(0, 96) == old
    played = bench.play(0, 96)
    assert (played.error, played.data) == (0, old)
    for lba, sectors in ((4, 92), (0, 95), (12, 36), (4, 8)):
        refused = bench.record(new, lba, sectors)
        assert (refused.error, refused.taken, refused.outputs["sectors_done"]) == (Error.SECTOR_SIZE, 0, 0)
        assert bench.read(0, 96) == old
    assert bench.record(new[:512 * 24], 8).error == 0 and bench.read(8, 24) == new[:512 * 24]
    bench.check()


@pytest.mark.long
def test_lane_without_room():
    """A linear array with a drive that holds nothing, between two that do."""
    bench = brought_up(3, kind="linear", chunk=8, sectors=[OFFSET + 384, OFFSET + 7, SECTORS],
                       blocks=dict.fromkeys(range(3)))
    data = content(1, 100)
    assert bench.record(data, 300).error == 0
    assert bench.ports[0].drive.image.read_sectors(OFFSET + 300, 84) + \
        bench.ports[2].drive.image.read_sectors(OFFSET, 16) == data
    played = bench.play(300, 100)
    assert (played.error, played.lasts, played.data) == (0, 1, data)


@pytest.mark.long
def test_capacity_with_ready():
    """The capacity is right as soon as ready is high, also where the last of many lanes is the least one."""
    bench = members(8, chunk=8, sectors=[SECTORS] * 7 + [OFFSET + 800], blocks=dict.fromkeys(range(8)))
    bench.bring_up()
    capacity = bench.outputs()["capacity"]
    assert capacity == 8 * 800
    assert bench.record(content(1, 1), capacity).error == Error.OUT_OF_RANGE

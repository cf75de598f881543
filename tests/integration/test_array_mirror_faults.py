"""A drive of RAID 1 fails: it is dropped and named, and the other one goes on; or the operation ends with an error."""

import random

import pytest
from integration.mirrors import DROPPED, FAULTY, GOOD, PLACE, SECTORS, brought_up, chosen
from integration.small import content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Hold
from sata_recorder.simulation.pattern import Bytes


def images(bench):
    return [port.drive.image for port in bench.ports]


def degraded(bench, lane, events, dirty):
    """The other drive states that the ``lane`` has failed; md and the recorder use that one alone."""
    other = 1 - lane
    found = bench.stated(other)
    roles = [0, 1]
    roles[lane] = FAULTY
    assert (found.events, found.dirty, found.roles) == (events, dirty, tuple(roles))
    assert chosen(images(bench)) == [other]
    assert bench.dropped() == 1 << lane
    assert bench.states()[lane] == DROPPED and bench.states()[other] == GOOD


def again(bench):
    """After a reset."""
    for level in 1, 0:
        bench.engine.set(rst=level)
        bench.run(4)
    return bench.settle()


@pytest.mark.wide
@pytest.mark.parametrize("flush", [False, True])
@pytest.mark.parametrize("lane", [0, 1])
def test_lane_fails(lane, flush):
    """In the middle of a recording: nothing of it is lost, and the drive stays out."""
    rng = random.Random(lane)
    for number in range(3):
        bench = brought_up()
        own = 11 + rng.choice((0, 199, rng.randint(0, 199)))
        bench.ports[lane].drive.behaviour.fail_lba = own
        data = content(number, 200)
        outcome = bench.record(data, 11, hold=Hold(rng.randint(1, 40), rng.randint(0, 4)), flush=flush)
        outputs = outcome.outputs
        assert (outcome.error, outputs["array_failed"], outputs["array_first"]) == (0, 1 << lane, lane)
        assert (outputs["sectors_done"], outputs["words"], outputs["error_lba"]) == (200, 128 * 200, own)
        assert outputs["cause"] == Error.DRIVE_ERROR and bench.data(1 - lane, 11, 200) == data
        # One mark for the beginning, and 2 for the drop.
        degraded(bench, lane, 10, True)
        bench.sound()
        bench.ports[lane].drive.behaviour.fail_lba = None
        assert again(bench)["ready"] and bench.states()[lane] == DROPPED
        more = content(99, 30)
        untouched = bench.data(lane, 0, SECTORS)
        assert bench.record(more, 500, flush=True).error == 0
        assert bench.play(500, 30).data == more and bench.data(lane, 0, SECTORS) == untouched
        degraded(bench, lane, 10, True)


@pytest.mark.parametrize("lane", [0, 1])
def test_counts_what_both_have(lane):
    """Before the superblock states it, no sector counts that the failed drive does not have."""
    bench = brought_up()
    behaviour = bench.ports[lane].drive.behaviour
    behaviour.fail_lba = 111
    data = content(5, 300)
    bench.engine.source(Bytes(data), hold=Hold(3, 2))
    bench.start(Operation.RECORD_FLUSH, 11, 300)
    bench.run(2)
    seen = []
    while bench.outputs()["busy"]:
        outputs = bench.outputs()
        seen.append(outputs["sectors_done"])
        assert bench.data(1 - lane, 11, seen[-1]) == data[:512 * seen[-1]]
        if bench.stated(1 - lane).roles == (0, 1):
            assert bench.data(lane, 11, seen[-1]) == data[:512 * seen[-1]]
        bench.run(50)
    assert seen == sorted(seen) and len(set(seen)) > 10
    assert bench.outputs()["sectors_done"] == 300


@pytest.mark.wide
@pytest.mark.parametrize("lane", [0, 1])
def test_lane_is_unplugged(lane):
    """Its drive does not come back in time; when it does, it is not used."""
    bench = brought_up()
    data = content(5, 2000)
    bench.engine.source(Bytes(data))
    bench.start(Operation.RECORD, 0, 2000)
    bench.run(20_000)
    away = bench.ports[lane].drive
    bench.ports[lane].unplug()
    while bench.outputs()["busy"]:
        bench.run(100)
    outputs = bench.outputs()
    assert (outputs["error"], outputs["sectors_done"], outputs["mirror_dropped"]) == (0, 2000, 1 << lane)
    assert outputs["ready"] and bench.data(1 - lane, 0, 2000) == data
    assert bench.record(data[:512 * 9], 0, flush=True).error == 0
    bench.ports[lane].plug(away)
    bench.run(20_000)
    assert bench.outputs()["ready"]
    degraded(bench, lane, 10, True)
    assert again(bench)["ready"]
    degraded(bench, lane, 10, True)
    played = bench.play(0, 2000)
    assert played.error == 0 and played.data == data[:512 * 9] + data[512 * 9:]


@pytest.mark.parametrize("lane", [0, 1])
def test_dirty_mark_fails(lane):
    """The drive whose superblock cannot be marked has failed; the recording is whole on the other one."""
    bench = brought_up()
    bench.ports[lane].drive.behaviour.fail_lba = PLACE
    data = content(5, 40)
    outcome = bench.record(data, 30, flush=True)
    assert (outcome.error, outcome.outputs["array_failed"], outcome.outputs["sectors_done"]) == (0, 1 << lane, 40)
    assert bench.data(1 - lane, 30, 40) == data
    degraded(bench, lane, 10, True)


def loses_power(bench, lane, written, *, clears=False):
    """The drive loses what its superblock got since ``written()``, and comes back; the user ``clears`` unflushed."""
    before = bench.data(lane, PLACE, 1)
    while not written():
        before = bench.data(lane, PLACE, 1)
        bench.run(50)
    bench.run(500)
    port, drive = bench.ports[lane], bench.ports[lane].drive
    port.unplug()
    drive.image.write(512 * PLACE, before)
    bench.run(500)
    port.plug(drive)
    while bench.outputs()["busy"]:
        bench.engine.set(clear_unflushed=clears)
        bench.run(100)
    return bench.outputs()


@pytest.mark.parametrize("lane", [0, 1])
def test_mark_is_lost_with_the_cache(lane):
    bench = brought_up(behaviours={lane: Behaviour(flush_latency=8000)})
    data = content(5, 40)
    bench.engine.source(Bytes(data))
    bench.start(Operation.RECORD, 30, 40)
    outputs = loses_power(bench, lane, lambda: bench.stated(lane).dirty)
    assert (outputs["error"], outputs["array_first"], outputs["sectors_done"]) == (0, lane, 40)
    degraded(bench, lane, 10, True)
    assert bench.data(1 - lane, 30, 40) == data


@pytest.mark.parametrize("clears", [False, True])
@pytest.mark.parametrize("lane", [0, 1])
def test_drop_is_lost_with_the_cache(lane, clears):
    """Then it is not stated, and nothing counts that one drive alone has, though the user clears ``unflushed``."""
    bench = brought_up(behaviours={1 - lane: Behaviour(flush_latency=8000)})
    port, drive, data = bench.ports[lane], bench.ports[lane].drive, content(5, 90)
    drive.behaviour.fail_lba = None if clears else 80
    bench.engine.source(Bytes(data))
    bench.start(Operation.RECORD, 30, 90)
    while clears and bench.outputs()["sectors_done"] < 32:
        bench.run(20)
    if clears:
        port.unplug()
    outputs = loses_power(bench, 1 - lane, lambda: bench.stated(1 - lane).roles != (0, 1), clears=clears)
    port.plug(drive)
    done, error = outputs["sectors_done"], Error.LINK_LOST if clears else Error.DRIVE_ERROR
    assert (outputs["error"], outputs["array_failed"], outputs["array_first"]) == (error, 3, lane)
    assert done <= 50 and all(bench.data(one, 30, done) == data[:512 * done] for one in range(2))
    assert bench.settle()["ready"] and bench.dropped() == 0


@pytest.mark.parametrize("lane", [0, 1])
def test_clean_mark_fails(lane):
    bench = brought_up()
    assert bench.record(content(4, 40), 30).error == 0
    bench.ports[lane].drive.behaviour.fail_lba = PLACE
    data = content(5, 40)
    outcome = bench.record(data, 30, flush=True)
    assert (outcome.error, outcome.outputs["array_failed"], outcome.outputs["sectors_done"]) == (0, 1 << lane, 40)
    assert bench.data(1 - lane, 30, 40) == data
    degraded(bench, lane, 11, False)


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
@pytest.mark.parametrize("lane", [0, 1])
def test_drop_cannot_be_stated(lane, operation):
    """The superblock of the other drive cannot be written either: both are lost, nothing more counts."""
    bench = brought_up()
    assert bench.record(content(4, 40), 30).error == 0
    bench.ports[lane].drive.behaviour.fail_lba = 61
    bench.ports[1 - lane].drive.behaviour.fail_lba = PLACE
    data = content(5, 200)
    outcome = bench.record(data, 11, flush=operation == Operation.RECORD_FLUSH)
    outputs = outcome.outputs
    assert (outcome.error, outputs["array_failed"], outputs["array_first"]) == (Error.DRIVE_ERROR, 3, lane)
    # Also until they are read again.
    assert outputs["mirror_dirty"]
    done = outputs["sectors_done"]
    assert done <= 50 and all(bench.data(one, 11, done) == data[:512 * done] for one in range(2))
    # The superblocks are read again: nothing is known of what the last one states.
    for port in bench.ports:
        port.drive.behaviour.fail_lba = None
    assert bench.settle()["ready"] and bench.dropped() == 0 and bench.outputs()["mirror_dirty"]
    assert bench.record(data, 11, flush=True).error == 0
    assert [bench.data(one, 11, 200) for one in range(2)] == [data, data]
    # As it was found.
    assert all(bench.stated(one).dirty for one in range(2))


def test_marks_fail_again_and_again():
    """One drive takes no mark, the other one no drop. Both are used again, however often that happens."""
    bench = brought_up()
    first, second = (port.drive.behaviour for port in bench.ports)
    for turn in range(3):
        second.fail_lba = PLACE
        bench.engine.source(Bytes(content(1, 9)))
        bench.start(Operation.RECORD, 0, 9)
        bench.run(2)
        while bench.outputs()["busy"]:
            if bench.outputs()["array_failed"]:
                first.fail_lba = PLACE
            bench.run(5)
        assert bench.outputs()["array_failed"] == 3
        first.fail_lba = second.fail_lba = None
        assert bench.settle()["ready"] and bench.dropped() == 0, turn
    assert bench.record(content(2, 9), 0, flush=True).error == 0 and chosen(images(bench)) == [0, 1]


def test_both_fail():
    """At the same time, or one after the other."""
    for first, second in ((50, 50), (30, 120), (120, 30), (0, 199)):
        bench = brought_up()
        for lane, own in enumerate((first, second)):
            bench.ports[lane].drive.behaviour.fail_lba = 11 + own
        data = content(5, 200)
        outcome = bench.record(data, 11)
        done = outcome.outputs["sectors_done"]
        assert outcome.error == Error.DRIVE_ERROR and done < 200
        # What counts is on the drive that md would use, or on both.
        for lane in chosen(images(bench)):
            assert bench.data(lane, 11, done) == data[:512 * done]
        count = bench.outputs()["journal_count"]
        kinds = bench.engine.table("journal_address", "journal_data", range(4 * count), 3)[::4]
        assert any(kind & 15 == 3 for kind in kinds), kinds


@pytest.mark.parametrize("lane", [0, 1])
def test_flush_fails(lane):
    """A drive whose FLUSH CACHE fails is dropped: the other one has all."""
    bench = brought_up()
    data = content(3, 40)
    assert bench.record(data, 30).error == 0
    bench.ports[lane].drive.behaviour.mute = frozenset(["status"])
    outcome = bench.flush()
    assert (outcome.error, outcome.outputs["array_failed"]) == (0, 1 << lane)
    bench.ports[lane].drive.behaviour.mute = frozenset()
    degraded(bench, lane, 10, True)


@pytest.mark.parametrize("flush", [False, True])
@pytest.mark.parametrize("lane", [0, 1])
def test_cache_is_lost(lane, flush):
    """A drive that lost its power for a moment may have lost what was in its cache: a flush, or the next recording,
    drops it, though the user has taken note of nothing; what is played meanwhile comes from the other one."""
    bench = brought_up()
    data = content(3, 40)
    assert bench.record(data, 30).error == 0
    port = bench.ports[lane]
    drive = port.drive
    port.unplug()
    bench.run(2000)
    drive.image.write(512 * 30, bytes(512 * 40))
    port.plug(drive)
    bench.run(2000)
    assert bench.settle()["ready"] and not bench.outputs()["unflushed"]
    bench.engine.set(clear_unflushed=1)
    bench.run(2)
    bench.engine.set(clear_unflushed=0)
    assert bench.play(30, 40).data == data
    outcome = bench.flush() if flush else bench.record(content(4, 2), 0)
    assert (outcome.error, outcome.outputs["array_failed"], outcome.outputs["array_first"]) == (0, 1 << lane, lane)
    degraded(bench, lane, 10, True)
    assert bench.play(30, 40).data == data


def test_both_caches_are_lost():
    """Then the user is told, as of one drive, and the superblocks stay dirty."""
    bench = brought_up()
    assert bench.record(content(3, 40), 30).error == 0
    for port in bench.ports:
        drive = port.drive
        port.unplug()
        bench.run(2000)
        port.plug(drive)
    bench.run(2000)
    outputs = bench.settle()
    assert outputs["ready"] and outputs["unflushed"]
    bench.run(10)
    outputs = bench.outputs()
    assert (outputs["unflushed_lba"], outputs["unflushed_sectors"]) == (30, 40)
    assert bench.flush().error == Error.LINK_LOST
    assert bench.settle()["ready"] and bench.dropped() == 0
    bench.engine.set(clear_unflushed=1)
    bench.run(2)
    bench.engine.set(clear_unflushed=0)
    bench.run(20)
    assert not bench.outputs()["unflushed"] and bench.flush().error == 0
    assert all(bench.stated(lane).dirty for lane in range(2)) and bench.outputs()["mirror_dirty"]


@pytest.mark.wide
@pytest.mark.parametrize("lane", [0, 1])
def test_playback_goes_on(lane):
    """With the other drive, at the word that the first one could not deliver; nothing is dropped."""
    rng = random.Random(lane)
    bench = brought_up()
    data = content(3, 300)
    assert bench.record(data, 30, flush=True).error == 0
    for _ in range(6):
        behaviour = bench.ports[0].drive.behaviour
        behaviour.fail_lba = 30 + rng.randrange(300)
        played = bench.play(30, 300, hold=Hold(rng.randint(1, 40), rng.randint(0, 4)))
        outputs = played.outputs
        assert (played.error, played.lasts, played.last_at) == (0, 1, 128 * 300 - 1)
        assert played.data == data and (outputs["sectors_done"], outputs["words"]) == (300, 128 * 300)
        assert (outputs["array_failed"], outputs["mirror_dropped"]) == (1, 0)
    if lane:
        bench.ports[1].drive.behaviour.fail_lba = bench.ports[0].drive.behaviour.fail_lba
        played = bench.play(30, 300)
        assert played.error == Error.DRIVE_ERROR and played.data == data[:len(played.data)]
        assert played.outputs["array_failed"] == 3


def test_slow_lane_holds():
    """The stream waits for the slower drive, and no word is lost."""
    bench = brought_up(behaviours={1: Behaviour(command_latency=9000)})
    data = content(3, 100)
    outcome = bench.record(data, 5)
    assert outcome.error == 0 and bench.data(0, 5, 100) == bench.data(1, 5, 100) == data
    assert outcome.outputs["held_cycles"] > 9000 and outcome.outputs["longest_stall"] >= 8000


@pytest.mark.parametrize("lane", [0, 1])
def test_survivor_fails_later(lane):
    """Of the drive that is left a failure ends the recording, as of a single drive."""
    bench = brought_up()
    bench.ports[lane].drive.behaviour.fail_lba = 15
    bench.ports[1 - lane].drive.behaviour.fail_lba = 150
    data = content(3, 300)
    outcome = bench.record(data, 0)
    done = outcome.outputs["sectors_done"]
    assert (outcome.error, outcome.outputs["array_failed"]) == (Error.DRIVE_ERROR, 3)
    assert 100 <= done <= 150 and bench.data(1 - lane, 0, done) == data[:512 * done]
    degraded(bench, lane, 10, True)
    assert outcome.outputs["error"] == Error.DRIVE_ERROR


def test_stop_at_any_time_of_a_drop():
    """All words that were taken are on the drive that is left."""
    for clocks in range(0, 12_000, 1000):
        bench = brought_up()
        bench.ports[1].drive.behaviour.fail_lba = 20
        data = content(clocks, 100)
        bench.engine.source(Bytes(data), hold=Hold(40, 3))
        bench.start(Operation.RECORD_FLUSH, 11, 100)
        bench.run(4000 + clocks)
        bench.stop()
        while bench.outputs()["busy"]:
            bench.run(50)
        outputs = bench.outputs()
        words, done = outputs["words"], outputs["sectors_done"]
        assert outputs["error"] == 0 and -(-words // 128) <= done
        held = bench.data(0, 11, done)
        assert held[:4 * words] == data[:4 * words] and not any(held[4 * words:512 * done])
        if outputs["mirror_dropped"]:
            assert bench.stated(0).roles == (0, FAULTY)
            assert chosen(images(bench)) == [0]


def test_long_sectors():
    """Of drives that count sectors of 4096 bytes the rest begins with one of them."""
    units = {lane: {"logical_sector": 4096} for lane in range(2)}
    for lane in range(2):
        bench = brought_up(units=units)
        bench.ports[lane].drive.behaviour.fail_lba = 88
        data = content(lane, 200)
        outcome = bench.record(data, 16, flush=True)
        assert (outcome.error, outcome.outputs["array_failed"]) == (0, 1 << lane)
        assert bench.data(1 - lane, 16, 200) == data
        degraded(bench, lane, 10, True)
        bench.sound()



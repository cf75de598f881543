"""RAID 1: both drives hold the same, and their superblocks state when they may not."""

import random

import pytest
from integration.mirrors import GOOD, PLACE, SIZE, brought_up
from integration.small import content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.histogram import HistogramKind
from sata_recorder.simulation import Hold

pytestmark = pytest.mark.wide


def test_records_on_both():
    bench = brought_up()
    assert bench.outputs()["capacity"] == SIZE and bench.states() == [GOOD, GOOD]
    rng = random.Random(1)
    for number in range(10):
        sectors = rng.choice((1, 2, 7, 40, rng.randint(1, 300)))
        lba = rng.randrange(SIZE - sectors + 1)
        data, hold = content(number, sectors), Hold(*rng.choice(((1, 0), (3, 2), (50, 300))))
        recorded = bench.record(data, lba, hold=hold, flush=number % 2 == 1)
        assert recorded.error == 0
        shown = [recorded.outputs[name] for name in ("sectors_done", "words", "array_failed", "mirror_dropped")]
        assert shown == [sectors, 128 * sectors, 0, 0]
        assert bench.data(0, lba, sectors) == bench.data(1, lba, sectors) == data
        played = bench.play(lba, sectors, hold=hold)
        assert (played.error, played.lasts, played.last_at) == (0, 1, 128 * sectors - 1)
        assert played.data == data and played.outputs["words"] == played.outputs["sectors_done"] * 128 == 128 * sectors
        bench.sound()
    assert [bench.data(lane, 0, PLACE) for lane in range(2)] == [bench.data(0, 0, PLACE)] * 2


def states(bench):
    return [bench.stated(lane) for lane in range(2)]


def both(bench, events, dirty):
    found = states(bench)
    assert [(one.events, one.dirty, one.roles) for one in found] == [(events, dirty, (0, 1))] * 2


def test_marks():
    """Dirty before the first word, clean after a flush; and nothing where nothing changes."""
    bench = brought_up()
    both(bench, 7, False)
    assert bench.play(5, 3).error == 0 and bench.flush().error == 0
    both(bench, 7, False)
    assert bench.record(content(1, 5), 30).outputs["mirror_dirty"] == 1
    both(bench, 8, True)
    assert bench.record(content(2, 5), 10).error == 0
    both(bench, 8, True)
    assert bench.flush().outputs["mirror_dirty"] == 0
    both(bench, 9, False)
    assert bench.record(content(3, 5), 20, flush=True).outputs["mirror_dirty"] == 0
    both(bench, 11, False)
    commands = [(done.command, done.lba) for done in bench.ports[1].drive.completed]
    assert commands[-6:] == [(0x35, PLACE), (0xEA, 0), (0x35, 20), (0xEA, 0), (0x35, PLACE), (0xEA, 0)]


def test_dirty_before_words():
    """No word is written before both superblocks are on the medium."""
    bench = brought_up()
    order = []
    for lane, port in enumerate(bench.ports):
        drive = port.drive
        write = drive.image.write

        def logged(offset, data, lane=lane, write=write):
            order.append((lane, offset // 512 == PLACE))
            write(offset, data)
        drive.image.write = logged
    assert bench.record(content(1, 50), 30).error == 0
    marks = [one for one in order if one[1]]
    assert marks == [(0, True), (1, True)] and order[:2] == marks


def test_refuses():
    """What lies beyond, and what has no sectors; nothing is marked."""
    bench = brought_up()
    for lba, sectors, error in ((SIZE, 1, Error.OUT_OF_RANGE), (SIZE - 4, 5, Error.OUT_OF_RANGE),
                                ((1 << 48) - 1, 2, Error.OUT_OF_RANGE), (0, 0, Error.ZERO_SECTORS)):
        bench.start(Operation.RECORD, lba, sectors)
        bench.run(100)
        outputs = bench.outputs()
        assert (outputs["busy"], outputs["error"], outputs["ready"]) == (0, error, 1)
    both(bench, 7, False)
    assert bench.record(content(1, 5), SIZE - 5).error == 0


def test_stops():
    """A recording that is stopped has all words that were accepted, on both, and zeros after them."""
    rng = random.Random(7)
    bench = brought_up()
    for number in range(8):
        words = rng.choice((1, 128, rng.randint(1, 20_000)))
        data = content(number, 200)
        outcome = bench.record(data, 11, stop_after=words, hold=Hold(rng.randint(1, 40), rng.randint(0, 40)),
                               flush=number % 2 == 0)
        assert outcome.error == 0
        taken, done = outcome.outputs["words"], outcome.outputs["sectors_done"]
        assert words <= taken <= words + 4 and -(-taken // 128) <= done <= 200
        for lane in range(2):
            held = bench.data(lane, 11, done)
            assert held[:4 * taken] == data[:4 * taken] and not any(held[4 * taken:512 * done])
        played = bench.play(11, 200, stop_after=words)
        assert played.error == 0 and played.received >= words
        assert played.data[:4 * words] == bench.data(0, 11, 200)[:4 * words]
        bench.sound()


@pytest.mark.parametrize("clocks", [2, 10, 60, 150, 300, 500, 900, 1500, 2500])
def test_stop_while_marking(clocks):
    """A stop at any time ends the recording, and what is marked stays true."""
    bench = brought_up()
    bench.start(Operation.RECORD_FLUSH, 11, 200)
    bench.run(clocks)
    bench.stop()
    while bench.outputs()["busy"]:
        bench.run(20)
    outputs = bench.outputs()
    assert (outputs["error"], outputs["words"]) == (0, 0)
    assert not any(one.dirty for one in states(bench))
    assert bench.record(content(1, 5), 30, flush=True).error == 0
    assert not any(one.dirty for one in states(bench)) and bench.data(1, 30, 5) == content(1, 5)


def test_ledger_is_of_the_recording():
    """What is written to superblocks is none of the user's; a recording that marks nothing is compared with the
    independent ledger."""
    bench = brought_up()
    assert bench.record(content(1, 70), 30).error == 0
    marked = [bench.ledger(lane) for lane in range(2)]
    assert bench.record(content(2, 70), 30).error == 0
    bench.check()
    assert [bench.ledger(lane).accounts["payload"] for lane in range(2)] == [
        one.accounts["payload"] for one in marked] == [70 * 128] * 2
    assert bench.record(content(3, 70), 30, flush=True).error == 0
    assert not any(one.dirty for one in states(bench))
    found = [bench.ledger(lane) for lane in range(2)]
    assert [(one.accounts["payload"], one.commands) for one in found] == [(70 * 128, 5)] * 2


@pytest.mark.long
def test_histograms_are_of_the_recording():
    """Long: a core of its own."""
    behaviours = {lane: Behaviour(command_latency=4000) for lane in range(2)}
    bench = brought_up(histograms=True, behaviours=behaviours)
    for number in range(3):
        assert bench.record(content(number, 70), 30, flush=True).error == 0
    bench.run(200)
    for lane in range(2):
        bench.engine.set(array_lane=lane)
        counted = {kind: sum(bench.histogram(kind)) for kind in HistogramKind}
        # Of each command one stall, before its words.
        assert list(counted.values()) == [15, 15], counted

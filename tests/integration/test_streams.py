"""The user's two streams: stalls, counters, and what is not taken."""

import pytest
from integration.small import LONG, SMALL, commands, content, works

from sata_recorder.simulation import Event, Hold
from sata_recorder.core.drive_port import Error, Operation

FULL = 256 + 2      # two more words may wait outside the buffer
HOLDS = [Hold(), Hold(1, 1), Hold(1, 7), Hold(3, 2), Hold(64, 64), Hold(200, 500), Hold(1, 100),
         Hold(1000, 3000)]


@pytest.mark.parametrize("hold", HOLDS)
def test_slow_stream_in(bench, hold):
    b = bench(**SMALL)
    data = content(1, 40)
    outcome = b.record(data, 9, hold=hold)
    assert outcome.error == 0 and outcome.outputs["words"] == outcome.taken == 40 * 128
    assert b.image.read_sectors(9, 40) == data
    b.check()
    accounts = b.ledger().accounts
    if hold.off > 10 * hold.on:
        assert accounts["host_hold"] > 20 * 128 * hold.off
        assert outcome.outputs["held_cycles"] < 100
    if hold == Hold():
        # Only until there is enough in the buffer to begin with.
        assert accounts["host_hold"] <= 64
    works(b)


@pytest.mark.parametrize("hold", HOLDS)
def test_slow_stream_out(bench, hold):
    b = bench(**SMALL)
    data = content(1, 40)
    b.image.write(9 * 512, data)
    outcome = b.play(9, 40, hold=hold)
    assert outcome.error == 0 and outcome.data == data
    assert (outcome.received, outcome.lasts, outcome.last_at) == (5120, 1, 5119)
    assert outcome.outputs["words"] == 5120
    b.check()
    accounts, high = b.ledger().accounts, outcome.outputs["high_water"]
    if hold == Hold():
        assert accounts["host_hold"] == 0 and outcome.outputs["held_cycles"] == 0 and high <= 4
    else:
        assert outcome.outputs["held_cycles"] > 0
    if hold.off > 10 * hold.on:
        assert accounts["host_hold"] > 20 * 128 * hold.off
        assert 128 <= high <= FULL
    works(b)


def test_one_sector(bench):
    b = bench(**SMALL)
    for lba in range(5):
        data = content(lba, 1)
        assert b.record(data, lba).outputs["sectors_done"] == 1
        b.check()
        played = b.play(lba, 1)
        assert played.data == data and (played.lasts, played.last_at) == (1, 127)
        b.check()


def test_held_cycles_and_high_water_of_an_eager_stream(bench):
    b = bench(**SMALL, completion_latency=200)
    b.engine.source(content(1, 40), mark=1)
    b.start(Operation.RECORD, 0, 40)
    assert b.engine.run(1000, Event.SOURCE)
    first = b.engine.state().cycle
    while b.engine.state().taken < 5120:
        assert not b.engine.run(1, Event.DONE)
    clocks = b.engine.state().cycle - first + 1
    b.wait(Event.DONE)
    outputs = b.outputs()
    assert outputs["held_cycles"] == clocks - 5120 > 200
    assert 256 <= outputs["high_water"] <= FULL


def test_held_cycles_of_a_standing_stream_out(bench):
    b = bench(**SMALL)
    b.image.write(0, content(1, 40))
    b.engine.sink(5120, hold=Hold(1, 1_000_000))
    b.start(Operation.PLAY, 0, 40)
    b.run(2000)
    before = b.outputs()["held_cycles"]
    assert 1500 < before < 2000
    b.run(12345)
    assert b.outputs()["held_cycles"] == before + 12345
    assert b.outputs()["words"] == 0
    assert 128 <= b.outputs()["high_water"] <= FULL
    # The user comes back after a time far beyond the timeout: nothing has happened.
    b.run(200_000)
    assert b.outputs()["busy"] and b.port.resets == 1
    b.engine.sink(5120)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == 0 and b.engine.received() == content(1, 40)
    b.check()


def test_held_cycles_of_a_slow_stream_out(bench):
    b = bench(**SMALL)
    b.image.write(0, content(1, 40))
    outcome = b.play(0, 40, hold=Hold(1, 3))
    # The buffer never runs empty, and each word but the first waits for three clocks.
    assert 3 * 5119 <= outcome.outputs["held_cycles"] <= 3 * 5120
    assert outcome.data == content(1, 40)


@pytest.mark.parametrize("silence", [39_000, 70_000])
def test_stream_that_stands_still_is_no_timeout(bench, silence):
    """A recording waits for its user, longer than it would wait for its drive."""
    b = bench(**LONG)
    for words in (0, 1, 63, 64, 65, 128, 1000, 2048, 2049, 3000):
        data = content(words, 40)
        b.engine.source(data[:4 * words])
        b.start(Operation.RECORD, 30, 40)
        b.run(silence)
        outputs = b.outputs()
        assert outputs["busy"] and b.port.resets == 1 and outputs["words"] == words
        b.engine.source(data[4 * words:])
        b.wait(Event.DONE)
        assert b.outputs()["error"] == 0
        assert b.image.read_sectors(30, 40) == data
        b.check()


def test_words_outside_a_recording_are_not_taken(bench):
    b = bench(**SMALL, flush_latency=1000, signature_latency=3000, up=False)
    data = content(1, 40)
    b.engine.source(data)

    def untouched():
        assert b.engine.state().taken == 0

    b.engine.set(rst=1)
    b.run(4)
    b.engine.set(rst=0)
    b.wait(Event.READY)
    b.run(100)
    untouched()
    b.image.write(0, data)
    assert b.play(0, 20).data == data[:20 * 512]
    untouched()
    assert b.flush().error == 0
    untouched()
    b.start(Operation.RECORD, b.image.sectors, 1)
    b.run(200)
    assert b.outputs()["error"] == Error.OUT_OF_RANGE
    untouched()
    b.start(Operation.RECORD, 0, 0)
    b.run(200)
    assert b.outputs()["error"] == Error.ZERO_SECTORS
    untouched()


@pytest.mark.parametrize("flush", [False, True])
@pytest.mark.parametrize("sectors", [1, 16, 17, 40])
def test_words_after_the_end_are_not_taken(bench, sectors, flush):
    b = bench(**SMALL, completion_latency=500, flush_latency=500)
    data = content(sectors, 50)
    outcome = b.record(data, 0, sectors, flush=flush)
    assert outcome.error == 0 and outcome.taken == 128 * sectors
    assert b.image.read_sectors(0, 50) == data[:512 * sectors] + bytes(512 * (50 - sectors))
    b.run(1000)
    assert b.engine.state().taken == 128 * sectors
    # The next recording begins with the word that had to wait.
    b.start(Operation.RECORD, 100, 50 - sectors)
    b.run(1)
    b.wait(Event.DONE)
    assert b.image.read_sectors(100, 50 - sectors) == data[512 * sectors:]


def test_nothing_comes_out_of_a_recording_or_flush(bench):
    b = bench(**SMALL)
    b.engine.sink(1000)
    assert b.record(content(1, 20), 0, flush=True).received == 0
    assert b.flush().received == 0
    assert b.play(0, 0).received == 0


def test_counters_of_an_operation_start_at_0(bench):
    b = bench(**SMALL, command_latency=300)
    assert b.record(content(1, 40), 0).outputs["high_water"] >= 256
    assert b.record(content(1, 1), 0, hold=Hold(1, 30)).outputs["high_water"] <= 128
    outcome = b.play(0, 1)
    assert outcome.outputs["words"] == 128 and outcome.outputs["held_cycles"] == 0
    assert outcome.outputs["sectors_done"] == 1
    b.flush()
    assert (b.outputs()["words"], b.outputs()["sectors_done"]) == (0, 0)
    assert len(commands(b)) == 1 + 3 + 1 + 1 + 1
    b.play(0, 40)
    b.port.unplug()
    b.run(100)
    b.start(Operation.PLAY, 0, 1)
    assert b.engine.run(100, Event.DONE)
    assert b.outputs()["error"] == Error.NOT_READY
    assert (b.outputs()["words"], b.outputs()["sectors_done"]) == (0, 0)

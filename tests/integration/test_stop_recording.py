"""A recording that is stopped keeps every word it took, and fills the last command with zeros."""

import pytest
from integration.small import SHORT, SMALL, commands, content, works

from sata_recorder.simulation import Event, Hold
from sata_recorder.core.drive_port import Operation

LBA, EXTENT = 100, 200


def stored(b, words, data):
    """Checks image and counters after a stop at which ``words`` had been taken."""
    outputs = b.outputs()
    sectors = outputs["sectors_done"]
    assert outputs["error"] == 0
    assert outputs["words"] == words
    assert b.image.read_sectors(LBA, EXTENT) == \
        data[:4 * words] + bytes(512 * EXTENT - 4 * words), "words were lost, or left over"
    written = [record for record in commands(b) if record[0] == 0x35]
    assert sum(record[2] for record in written) == sectors
    assert not written or written[0][1] == LBA
    assert all(after[1] == before[1] + before[2] for before, after in zip(written, written[1:]))
    # Full commands up to the one in flight at the stop; then only what the buffer still held.
    assert -(-words // 128) <= sectors <= max(-(-words // 2048) * 16, 16)
    b.check()
    b.drive.completed.clear()


def prepare(b, seed=1):
    """Something else than zeros on the disk would do, but zeros must be written: so fill it."""
    data = content(seed, EXTENT)
    b.image.write(LBA * 512, bytes(512 * EXTENT))
    b.drive.completed.clear()
    return data


@pytest.mark.sample(2)
@pytest.mark.parametrize("after", [1, 2, 127, 128, 129, 255, 256, 257, 2047, 2048, 2049, 2050,
                                   2300, 4095, 4096, 4097, 20000])
@pytest.mark.parametrize("hold", [Hold(), Hold(1, 2), Hold(100, 300)])
def test_stop_in_the_middle(bench, after, hold):
    b = bench(**SMALL)
    data = prepare(b)
    outcome = b.record(data, LBA, EXTENT, stop_after=after, hold=hold)
    assert after <= outcome.taken <= after + 2
    stored(b, outcome.taken, data)
    works(b)


def test_zeros_really_overwrite(bench):
    b = bench(**SMALL)
    b.image.write(LBA * 512, b"\xFF" * 512 * EXTENT)
    data = content(1, EXTENT)
    outcome = b.record(data, LBA, EXTENT, stop_after=3000, hold=Hold(1, 3))
    sectors = outcome.outputs["sectors_done"]
    assert sectors == 32
    assert b.image.read_sectors(LBA, EXTENT) == data[:4 * outcome.taken] \
        + bytes(32 * 512 - 4 * outcome.taken) + b"\xFF" * 512 * (EXTENT - 32)


@pytest.mark.parametrize("flush", [False, True])
def test_flush_follows_a_stop(bench, flush):
    b = bench(**SMALL, flush_latency=300)
    data = prepare(b)
    outcome = b.record(data, LBA, EXTENT, stop_after=300, flush=flush)
    assert (commands(b)[-1][0] == 0xEA) == flush
    assert outcome.error == 0 and outcome.outputs["words"] == outcome.taken
    b.check()


@pytest.mark.parametrize("latency", [(0, 0), (600, 0), (0, 600), (300, 300)])
def test_stop_with_a_full_buffer_needs_another_command(bench, latency):
    """The drive is slow, so that at the stop a full buffer waits after the command in flight."""
    b = bench(**SMALL, command_latency=latency[0], completion_latency=latency[1])
    more = 0
    for after in range(1900, 2700, 50):
        data = prepare(b)
        outcome = b.record(data, LBA, EXTENT, stop_after=after)
        more += outcome.outputs["sectors_done"] % 16 in (1, 2)
        stored(b, outcome.taken, data)
    assert more, "there was never a short command"
    works(b)


@pytest.mark.sample(3)
@pytest.mark.parametrize("clock", [*range(1, 60), 100, 500, 5000])
def test_stop_before_any_word(bench, clock):
    """Nothing is offered. A stop right after start counts, too."""
    b = bench(**SMALL)
    data = prepare(b)
    b.engine.source(b"")
    b.start(Operation.RECORD, LBA, EXTENT)
    b.run(clock)
    b.stop()
    b.run(1)
    assert b.engine.run(20_000, Event.DONE), f"a stop {clock} clocks after start was lost"
    assert b.outputs()["sectors_done"] <= 16
    stored(b, 0, data)
    works(b)


@pytest.mark.parametrize("clock", [*range(30, 60), 300, 1000])
def test_stop_at_once_after_start(bench, clock):
    """The stream is eager; the stop comes around the first words."""
    b = bench(**SMALL)
    data = prepare(b)
    b.engine.source(data)
    b.start(Operation.RECORD, LBA, EXTENT)
    b.run(clock)
    b.stop()
    b.run(1)
    assert b.engine.run(20_000, Event.DONE), f"a stop {clock} clocks after start was lost"
    stored(b, b.engine.state().taken, data)
    works(b)


def finish(b, data, stop_at, hold):
    """A recording with ``stop`` in the clock ``stop_at`` after start, None for never."""
    b.engine.source(data, hold=hold)
    b.start(Operation.RECORD, LBA, EXTENT)
    begin = b.engine.state().cycle
    if stop_at is not None:
        b.run(stop_at)
        b.stop()
    return begin


@pytest.mark.wide
@pytest.mark.parametrize("pause", [0, 1, 2, 3, 5, 8])
def test_stop_in_every_clock_around_the_end_of_a_command(bench, pause):
    """One word may be taken in the clock of the stop, in which a command ends, too."""
    b = bench(**SHORT)
    hold = Hold(1, pause)
    # When does the first command end?
    begin = finish(b, content(1, EXTENT), None, hold)
    while len(b.drive.completed) < 2:
        b.run(1)
    end = b.engine.state().cycle - begin
    b.stop()
    b.wait(Event.DONE)
    for stop_at in range(end - 20, end + 20):
        data = prepare(b)
        finish(b, data, stop_at, hold)
        b.run(1)
        b.wait(Event.DONE)
        outputs = b.outputs()
        words = b.engine.state().taken
        assert (outputs["error"], outputs["words"]) == (0, words)
        assert b.image.read_sectors(LBA, EXTENT) == \
            data[:4 * words] + bytes(512 * EXTENT - 4 * words), f"stop {stop_at - end:+}"
        assert outputs["sectors_done"] == -(-words // 128) or words == 0
    b.check()


@pytest.mark.wide
def test_one_word_in_every_clock_around_the_end_of_a_command(bench):
    """The buffer is empty, one word comes, the stop with it or a clock beside it."""
    data = content(1, EXTENT)

    def run(pause, stop_at=None, mark=129):
        """Clocks from start to the word of the mark, sectors, words, whether they are stored."""
        b = bench(**SHORT)   # always from the same clock
        b.engine.source(data, hold=Hold(*pause), mark=mark)
        begin = b.engine.state().cycle
        b.start(Operation.RECORD, LBA, EXTENT)
        if stop_at is None:
            b.engine.run(5000, Event.SOURCE)
        else:
            b.run(stop_at)
        clocks = b.engine.state().cycle - begin
        b.stop()
        b.run(1)
        b.wait(Event.DONE)
        words, outputs = b.engine.state().taken, b.outputs()
        b.engine.close()
        assert outputs["words"] == words
        kept = data[:4 * words] + bytes(512 * EXTENT - 4 * words)
        return (clocks, outputs["sectors_done"], words,
                b.image.read_sectors(LBA, EXTENT) == kept)

    # The stream flows for as long as it takes to get the first 128 words in, and not longer.
    flow = run((1000, 1), mark=1)[0] + 127
    assert run((flow, 1000), flow + 500)[2] == 128
    lengths, lost = set(), []
    for pause in range(40, 140):
        clocks = run((flow, pause))[0]
        for late in (-1, 0, 1):
            _, sectors, words, kept = run((flow, pause), clocks - 1 + late)
            lengths.add((late, sectors))
            if not kept:
                lost.append((pause, late, words))
    assert lengths >= {(-1, 1), (-1, 2)}, "the sweep missed the end of the first command"
    assert not lost

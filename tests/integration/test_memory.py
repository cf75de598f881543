"""A core whose buffer is a memory behind AXI4: deep, and never silent about what it has lost."""

import functools
import random

import pytest
from integration.benches import FAST, CoreBench, clock_of, drive_port
from sata_recorder.interface.recording import RecordingMode
from integration.small import commands, content, works
from sata_drive_model import Behaviour
from short import short

from sata_recorder.bricks.stack import STAGES, stack
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.interface import named_ports
from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.simulation import Compiled, Event, Hold
from sata_recorder.simulation.build import Translator, compiled, rtlil
from sata_recorder.simulation.signals import controls, outputs
from sata_recorder.simulation.simulated_memory import SimulatedMemory, cells_rtlil

pytestmark = pytest.mark.wide

#: The smallest one, with short FIFOs.
MEMORY = {"memory": 1 << 20, "memory_width": 128, "buffer_words": 512}
#: Cores whose memory fails in a recording.
FAILING = {
    "replayed": {"retain_sectors": 16, "max_command_sectors": 16},
    "queued": {"extents": "queued", "on_failure": "skip", "retries": 1, "max_command_sectors": 8},
    "default": {}, "no recovery": {"recovery": False}, "drop": {"on_overflow": "drop", "on_failure": "skip"},
    "long sectors": {"extents": "modes", "long_logical_sectors": True, "max_command_sectors": 64, "buffer_words": 2048},
}
#: Words of a stream with which the memory answers a write, or a read, with an error.
WRITE_FAILS, READ_FAILS = 0xBAD0_0BAD, 0xBAD1_1BAD


class FailingMemory(SimulatedMemory):
    """A memory whose errors are those of the words that are the first of their beats."""

    def wrong(self, data):
        return data[:32] == WRITE_FAILS, data[:32] == READ_FAILS


@functools.cache
def library(configuration):
    """The core with that memory, compiled."""
    core = stack(configuration.at_pins, (FailingMemory, *STAGES))
    text = rtlil(core, named_ports(core)) + cells_rtlil(configuration)
    return compiled(text, controls(configuration), Translator.NETLIST, outputs(configuration))


def failing(configuration, **drive):
    """A bench of it."""
    port = drive_port(**drive)
    b = CoreBench(Compiled(configuration, clock_of(port), path=library(configuration)), port, limit=200_000)
    assert b.bring_up()["ready"]
    return b


def ended(b):
    """The outputs when the operation that has been started has ended."""
    b.run(10)
    while b.outputs()["busy"]:
        b.run(100)
        assert b.engine.state().cycle < 3_000_000, b.outputs()
    return b.outputs()


def stopped(b):
    """The words that have been taken to the end of the clock of a stop, this one."""
    b.stop()
    b.run(1)
    return b.engine.state().taken


@pytest.mark.sample(3)
@pytest.mark.parametrize("width", [64, 128])
@pytest.mark.parametrize("memory", [1 << 20, 5 << 18])
def test_moves_words(bench, width, memory):
    """More than it holds, so that it is used round and round."""
    b = bench(**FAST | MEMORY | {"memory": memory, "memory_width": width}, sectors=1 << 14)
    data = content(3, 5000)
    outcome = b.record(data, 100)
    assert outcome.error == 0 and b.image.read(51200, len(data)) == data
    b.check()
    assert b.play(100, 5000).data == data
    b.check()


def test_a_drive_that_stalls(bench):
    """The source goes on; nothing else would have room for what comes meanwhile."""
    b = bench(**FAST | MEMORY | {"command_timeout": 1.0}, behaviour=Behaviour(command_latency=150_000))
    data = content(3, 1500)
    b.engine.source(data)
    b.start(Operation.RECORD, 7, 1500)
    b.run(140_000)
    state = b.outputs()
    assert state["memory_level"] > 130_000 and state["words"] > 130_000
    state = ended(b)
    assert state["error"] == 0 and state["held_cycles"] == 0 and state["memory_failure"] == 0
    assert state["memory_high_water"] > 140_000 and state["high_water"] == 65535
    assert b.image.read(7 * 512, len(data)) == data
    b.check()


def test_words_are_lost_only_beyond_the_memory(bench):
    """A source that cannot wait, and a stall that is a little too long for it, or a little shorter."""
    lost = {}
    for stall in (240_000, 275_000):
        b = bench(**FAST | MEMORY | {"command_timeout": 1.0, "on_overflow": "drop"},
                  behaviour=Behaviour(command_latency=stall))
        b.engine.source(content(3, 6000))
        b.start(Operation.RECORD, 7, 4000)
        lost[stall] = ended(b)["dropped"]
    assert lost[240_000] == 0 < lost[275_000]


def test_commands_of_what_is_in_hand(bench):
    """While the drive stalls a longer command comes together than block RAM could hold; a stop ends it at its word."""
    b = bench(**FAST | MEMORY | {"extents": "modes", "command_timeout": 1.0},
              behaviour=Behaviour(command_latency=60_000))
    data = content(3, 3000)
    b.engine.source(data)
    b.engine.set(recording_mode=RecordingMode.UNTIL_STOPPED, recording_words=0, recording_chunk=1)
    b.start(Operation.RECORD, 0, 4000)
    b.run(200_000)
    taken = stopped(b)
    state = ended(b)
    lengths = [count for _, lba, count in commands(b) if lba is not None and count]
    assert state["error"] == 0 and max(lengths) > 300
    words = state["words"]
    assert words == taken == b.engine.state().taken
    assert 190_000 < words < 210_000 and state["sectors_done"] == -(-words // 128)
    assert b.image.read(0, 4 * words) == data[:4 * words]
    assert not any(b.image.read(4 * words, 512 * state["sectors_done"] - 4 * words))


@pytest.mark.long
def test_the_longest_commands(bench):
    """65,536 sectors each, while a stop still ends the recording at its word."""
    b = bench(sectors=1 << 18, **FAST | MEMORY | {"memory": 64 << 20, "extents": "modes", "command_timeout": 60.0},
              behaviour=Behaviour(command_latency=8_500_000))
    data = content(3, 150_000)
    b.engine.source(data)
    b.engine.set(recording_mode=RecordingMode.UNTIL_STOPPED, recording_words=0, recording_chunk=1)
    b.start(Operation.RECORD, 0, 1 << 18)
    b.run(18_000_000)
    taken = stopped(b)
    b.run(10)
    while b.outputs()["busy"]:
        b.run(100_000)
        assert b.engine.state().cycle < 90_000_000, b.outputs()
    state = b.outputs()
    lengths = [count for _, lba, count in commands(b) if lba is not None and count]
    assert state["error"] == 0 and 65536 in lengths
    words = state["words"]
    assert words == taken == b.engine.state().taken
    assert words > 16 << 20 and state["sectors_done"] == -(-words // 128)
    assert b.image.read(0, 4 * words) == data[:4 * words]
    assert not any(b.image.read(4 * words, 512 * state["sectors_done"] - 4 * words))


@pytest.mark.long
def test_replays_the_longest_command(bench):
    """65,536 sectors, of which nearly all had been written."""
    b = bench(sectors=1 << 17, **FAST | MEMORY | {"memory": 64 << 20, "retain_sectors": 65536, "retry_delay": 0.001,
                                                 "command_timeout": 60.0, "recovery_timeout": 60.0})
    data = content(3, 70_000)
    b.engine.source(data)
    b.start(Operation.RECORD, 9, 70_000)
    while b.outputs()["words"] < 8_300_000:
        b.run(10_000)
    b.port.drop_link(50)
    b.run(10)
    while b.outputs()["busy"]:
        b.run(100_000)
        assert b.engine.state().cycle < 90_000_000, b.outputs()
    state = b.outputs()
    assert state["error"] == 0 and state["retries"] == 1
    # Those that ended.
    assert [count for _, lba, count in commands(b) if lba is not None and count] == [65536, 4464]
    assert b.image.read(9 * 512, len(data)) == data


@pytest.mark.parametrize("clocks", [90_000, 130_000, 200_000])
def test_replays_a_command_that_block_ram_could_not_hold(bench, clocks):
    b = bench(**FAST | MEMORY | {"retain_sectors": 1024, "max_command_sectors": 1024, "retry_delay": 0.001,
                                 "recovery_timeout": 0.5})
    data = content(3, 3000)
    b.engine.source(data)
    b.start(Operation.RECORD, 9, 3000)
    b.run(clocks)
    b.port.drop_link(50)
    state = ended(b)
    assert state["error"] == 0 and state["retries"] > 0
    assert b.image.read(9 * 512, len(data)) == data


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", short(FAILING, ["replayed", "queued"]))
def test_an_error_of_the_memory_ends_a_recording(name):
    """With an error that names it; what is on the drive before it is right, and the next one begins afresh."""
    for seed in range(20):
        for word in (WRITE_FAILS, READ_FAILS):
            fails_in_a_recording(FAILING[name], word, random.Random(seed))


def fails_in_a_recording(options, word, rng):
    b = failing(Configuration(**FAST | MEMORY | options), sectors=1 << 13)
    at = 4 * rng.randrange(3100)
    data = bytearray(rng.randbytes(51_200))
    data[4 * at:4 * at + 4] = word.to_bytes(4, "little")
    b.engine.source(bytes(data))
    if options.get("extents") == "queued":
        b.engine.set(queue_ahead=1 << 16)
    b.start(Operation.RECORD, 5, 100)
    dropped = rng.random() < 0.5
    if dropped:
        b.run(rng.randint(500, 20_000))
        b.port.drop_link(rng.choice([3, 400]))
    state = ended(b)
    # Without a replay, and passing nothing over, the link ends it, if it falls first.
    ends = dropped and "retain_sectors" not in options and options.get("on_failure") != "skip"
    found = Error(state["error"]), state["memory_failure"]
    assert found == (Error.PROTOCOL, 1) or ends and found == (Error.LINK_LOST, 0)
    done = state["sectors_done"]
    assert done <= at // 128
    if "max_command_sectors" in options and not dropped:
        # The words before it that are on their way fill a FIFO and a burst.
        assert done >= (at - 1024) // 128 - options["max_command_sectors"]
    if options.get("recovery", True) and not state["skipped_sectors"]:
        (entry, *_), _ = read_journal(b)
        assert entry.kind == JournalKind.IN_DOUBT and entry.cause == state["cause"] and entry.position == 5 + done
    assert state["skipped_sectors"] or b.image.read(5 * 512, 512 * done) == data[:512 * done]
    b.wait(Event.READY)
    b.engine.source(b"")
    works(b)
    assert b.outputs()["memory_failure"] == 0


@pytest.mark.quick
@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("word", [WRITE_FAILS, READ_FAILS])
def test_an_error_of_the_memory_ends_a_playback(word, seed):
    """No word after the error is delivered, and it is no success, whenever it comes."""
    rng = random.Random(seed)
    b = failing(Configuration(**FAST | MEMORY), sectors=1 << 13)
    at = 4 * rng.randrange(100, 3199)
    data = bytearray(content(seed, 100))
    data[4 * at:4 * at + 4] = word.to_bytes(4, "little")
    b.image.write(512, bytes(data))
    outcome = b.play(1, 100)
    assert (outcome.error, outcome.outputs["memory_failure"]) == (Error.PROTOCOL, 1)
    assert outcome.received <= at and outcome.data[:4 * outcome.received] == data[:4 * outcome.received]
    b.wait(Event.READY)
    works(b)


@pytest.mark.sample(2)
@pytest.mark.parametrize("clocks", [15, 20, 24, 28, 40])
def test_a_memory_that_fails_as_a_recording_begins(clocks):
    """Words that are accepted before the recording runs, and a stop that sends them off."""
    b = failing(Configuration(**FAST | MEMORY | {"on_overflow": "drop"}), sectors=1 << 13)
    b.engine.source(WRITE_FAILS.to_bytes(4, "little") * 2000)
    b.start(Operation.RECORD, 5, 10)
    b.run(clocks)
    b.stop()
    state = ended(b)
    assert (state["error"], state["memory_failure"]) == (Error.PROTOCOL, 1)
    b.wait(Event.READY)
    works(b)


@pytest.mark.sample(2)
@pytest.mark.parametrize("options", [
    {}, {"long_logical_sectors": True, "max_command_sectors": 64, "buffer_words": 2048}])
def test_a_memory_that_fails_while_a_recording_waits_for_words(options):
    """There is no sector of them yet, and may never be."""
    b = failing(Configuration(**FAST | MEMORY | {"extents": "modes"} | options), sectors=1 << 13)
    b.engine.source(WRITE_FAILS.to_bytes(4, "little") * 100)
    b.engine.set(recording_mode=RecordingMode.UNTIL_STOPPED, recording_words=0, recording_chunk=1)
    b.start(Operation.RECORD, 0, 400)
    state = ended(b)
    assert (state["error"], state["memory_failure"], state["sectors_done"]) == (Error.PROTOCOL, 1, 0)
    b.engine.set(recording_mode=0)
    b.wait(Event.READY)
    works(b)


def test_a_stop_of_a_playback_forgets_what_was_read_ahead(bench):
    """It does not wait until all of it has gone by."""
    b = bench(**FAST | MEMORY | {"max_command_sectors": 64}, sectors=1 << 13)
    b.image.write(0, content(2, 3000))
    b.engine.sink(384_000, hold=Hold(1, 1_000_000))
    b.start(Operation.PLAY, 0, 3000)
    b.run(250_000)
    assert b.outputs()["memory_level"] > 200_000
    b.stop()
    assert b.engine.run(20_000, Event.DONE)
    assert b.outputs()["error"] == 0
    b.wait(Event.READY)
    works(b)


def test_what_was_skipped_is_dropped_from_the_memory(bench):
    """Words of sectors that are passed over go out of a memory, too, and the journal has the sectors."""
    b = bench(**FAST | MEMORY | {"on_failure": "skip", "retries": 0, "max_command_sectors": 64}, sectors=1 << 13)
    b.behaviour.fail_lba = 100
    data = content(3, 400)
    b.engine.source(data)
    b.start(Operation.RECORD, 0, 400)
    assert ended(b)["error"] == 0
    (entry,), _ = read_journal(b)
    assert entry.kind == JournalKind.SKIPPED and entry.position <= 100 < entry.position + entry.length
    kept = [sector for sector in range(400) if not entry.position <= sector < entry.position + entry.length]
    assert all(b.image.read_sectors(sector, 1) == data[512 * sector:][:512] for sector in kept)

"""An array whose lanes have memories as buffers: each lane goes on while the drive of another one stalls."""

import random

import pytest
from integration.arrays import ArrayBench, array, members
from integration.benches import clock_of
from integration.small import content
from integration.test_array import extents
from integration.test_memory import READ_FAILS, WRITE_FAILS, FailingMemory, ended
from sata_drive_model import Behaviour

from sata_recorder.bricks.stack import STAGES, stack
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface import named_ports
from sata_recorder.interface.memory import MemoryFailure
from sata_recorder.simulation import Compiled, Hold
from sata_recorder.simulation.build import Translator, compiled, rtlil
from sata_recorder.simulation.pattern import Bytes
from sata_recorder.simulation.signals import controls, outputs
from sata_recorder.simulation.simulated_memory import cells_rtlil

pytestmark = pytest.mark.wide

#: The smallest memory of a lane.
MEMORY = {"memory": 1 << 20, "memory_width": 64, "buffer_words": 2048}
KINDS = [(2, "raid0", 8, 32), *(pytest.param(*kind, marks=pytest.mark.long) for kind in (
    (3, "raid0", 16, 128), (2, "linear", 128, 64)))]


def ready(bench):
    bench.bring_up()
    assert bench.settle()["ready"]
    return bench


def failing(**fields):
    """Two lanes with memories whose errors are those of words of the stream."""
    plain = members(2, **MEMORY | fields)
    configuration = plain.configuration
    core = stack(configuration.at_pins, (FailingMemory, *STAGES))
    text = rtlil(core, named_ports(core)) + cells_rtlil(configuration)
    path = compiled(text, controls(configuration), Translator.NETLIST, outputs(configuration))
    bench = ready(plain)
    bench.engine = Compiled(configuration, [clock_of(port) for port in bench.ports], path=path)
    bench.engine.set(phy_generation=2, phy1_generation=2)
    return ready(bench)


@pytest.mark.parametrize("drives, kind, chunk, width", KINDS)
def test_moves_words(drives, kind, chunk, width):
    """More than the memories hold, in streams of all widths."""
    bench = ready(members(drives, kind=kind, chunk=chunk, array_width=width, **MEMORY))
    rng = random.Random(width)
    for number, (lba, sectors) in enumerate([*extents(bench, rng, 4), (0, 6000)]):
        data, hold = content(number, sectors), Hold(*rng.choice(((1, 0), (3, 2), (50, 300))))
        recorded = bench.record(data, lba, hold=hold, flush=number % 2 == 1)
        assert (recorded.error, recorded.outputs["sectors_done"]) == (0, sectors)
        assert bench.read(lba, sectors) == data
        bench.check()
        played = bench.play(lba, sectors, hold=hold)
        assert (played.error, played.lasts, played.data == data) == (0, 1, True)
        bench.check()


def test_a_drive_that_stalls():
    """The stream goes on, and so do the other drives, until the memory of that lane is full: as far as the lanes have
    turns."""
    bench = ready(members(2, behaviours={1: Behaviour(command_latency=150_000)}, command_timeout=1.0,
                          max_command_sectors=65536, **MEMORY))
    data = content(3, 3000)
    bench.engine.source(Bytes(data))
    bench.start(Operation.RECORD, 7, 3000)
    bench.run(140_000)
    state = bench.outputs()
    # Without a memory the stream would have stopped at some 9,000 words; lane 0 has its words on the drive.
    assert state["words"] > 130_000 > state["memory_level"] > 60_000
    state = ended(bench)
    assert (state["error"], state["held_cycles"], state["sectors_done"]) == (0, 0, 3000)
    assert bench.read(7, 3000) == data and state["memory_high_water"] > 60_000
    bench.check()


@pytest.mark.parametrize("lane", [0, 1])
@pytest.mark.parametrize("word", [WRITE_FAILS, READ_FAILS])
def test_memory_of_a_lane_fails(lane, word):
    """The operation ends with that lane's error, whatever it was about to do; what counts as done is on the drives."""
    bench = failing()
    data = bytearray(content(lane, 300))
    # The first word of a beat of the memory, in the second chunk of the lane.
    place = 512 * 8 * (2 + lane) + 1024
    data[place:place + 4] = word.to_bytes(4, "little")
    bench.engine.source(Bytes(bytes(data)), hold=Hold(3, 2))
    bench.start(Operation.RECORD, 0, 300)
    state = ended(bench)
    assert (state["error"], state["array_failed"], state["array_first"]) == (Error.PROTOCOL, 1 << lane, lane)
    done = state["sectors_done"]
    assert 512 * done <= place and bench.read(0, done) == bytes(data[:512 * done])
    assert state["memory_failure"] == MemoryFailure.ERROR
    assert bench.settle()["ready"]
    assert bench.outputs()["memory_failure"] == MemoryFailure.ERROR     # not about the superblock that was read since
    good = content(9, 40)
    assert bench.record(good, 5).error == 0 and bench.play(5, 40).data == good


@pytest.mark.parametrize("width", [32, 64, pytest.param(128, marks=pytest.mark.long)])
def test_given_up(width):
    """At any time of a recording: each word that was accepted is on the drives, or is counted."""
    rng = random.Random(width)
    slow = Behaviour(command_latency=3000, completion_latency=2000)
    bench = ready(members(2, array_width=width, behaviours={0: slow, 1: slow}, command_timeout=1.0, **MEMORY))
    some = False
    for number in range(16):
        data, operation = content(number, 300), rng.choice((Operation.RECORD, Operation.RECORD_FLUSH))
        bench.engine.source(Bytes(data), hold=Hold(*rng.choice(((1, 0), (3, 2)))))
        bench.start(operation, 8, 300)
        bench.run(rng.choice((rng.randint(1, 200), rng.randint(1, 20_000))))
        bench.engine.set(memory_abandon=1)
        state = ended(bench)
        words, lost, done = state["words"], state["memory_lost"], state["sectors_done"]
        on_drives = sum(bench.read(8 + n, 1) == data[512 * n:512 * n + 512] for n in range(words // 128))
        if lost:
            assert (state["error"], state["memory_failure"]) == (Error.PROTOCOL, MemoryFailure.GIVEN_UP)
            # A sector that was begun is filled with zeros, or left.
            assert words - lost - 128 * on_drives in (0, words % 128)
        else:
            assert (state["error"], state["memory_failure"]) == (0, 0) and 128 * done >= words
            assert on_drives == words // 128
        assert bench.read(8, min(done, words // 128)) == data[:512 * min(done, words // 128)]
        some |= lost > 0
        bench.run(rng.choice((0, 5, 3000)))
        bench.engine.set(memory_abandon=0)
        assert bench.record(data, 8).error == 0 and bench.read(8, 300) == data
        # A playback is stopped.
        bench.engine.sink(300 * 128)
        bench.start(Operation.PLAY, 8, 300)
        bench.run(rng.randint(1, 20_000))
        bench.engine.set(memory_abandon=1)
        assert ended(bench)["error"] == 0
        bench.engine.set(memory_abandon=0)
        assert bench.play(8, 300).data == data
    assert some


def test_given_up_while_idle():
    """Superblocks are read all the same; what is recorded meanwhile ends without a word."""
    bench = members(2, **MEMORY)
    bench.engine.set(memory_abandon=1)
    ready(bench)
    bench.engine.source(Bytes(content(1, 30)))
    bench.start(Operation.RECORD, 0, 30)
    state = ended(bench)
    assert (state["error"], state["words"], state["sectors_done"], state["memory_lost"]) == (0, 0, 0, 0)
    bench.engine.set(memory_abandon=0)
    assert bench.record(content(1, 30), 0).error == 0 and bench.read(0, 30) == content(1, 30)


def test_regions():
    """The memory of each lane begins a region after that of the lane before."""
    configuration = array(3, memory=5 << 18, memory_width=64, memory_base=1 << 30, buffer_words=2048)
    assert configuration.memory_region == 1 << 21
    bench = ready(ArrayBench(configuration, members(3).ports))
    assert bench.record(content(1, 400), 0).error == 0 and bench.read(0, 400) == content(1, 400)

"""An array whose lanes have memories as buffers: each lane goes on while the drive of another one stalls."""

import random

import pytest
from integration import mirrors
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
    levels = []
    for lane in range(2):
        bench.engine.set(array_lane=lane)
        bench.run(8)
        levels.append(bench.outputs()["memory_level"])
    # Lane 0 has its words on the drive; without a memory the stream would have stopped at some 9,000 words.
    assert state["words"] > 130_000 and levels[1] > 60_000 > levels[0]
    state = ended(bench)
    assert (state["error"], state["held_cycles"], state["sectors_done"]) == (0, 0, 3000)
    assert bench.read(7, 3000) == data
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
    bench.engine.set(array_lane=lane)
    bench.run(8)
    assert bench.outputs()["memory_failure"] == MemoryFailure.ERROR
    assert bench.settle()["ready"]
    assert bench.outputs()["memory_failure"] == MemoryFailure.ERROR     # not about the superblock that was read since
    good = content(9, 40)
    assert bench.record(good, 5).error == 0 and bench.play(5, 40).data == good


def test_given_up():
    """What the memories of all lanes hold is left, and counted by each."""
    slow = Behaviour(command_latency=20_000, completion_latency=5000)
    bench = ready(members(2, behaviours={0: slow, 1: slow}, command_timeout=1.0, **MEMORY))
    data = content(5, 4000)
    bench.engine.source(Bytes(data))
    bench.start(Operation.RECORD, 8, 4000)
    bench.run(60_000)
    bench.engine.set(memory_abandon=1)
    state = ended(bench)
    lost = []
    for lane in range(2):
        bench.engine.set(array_lane=lane)
        bench.run(8)
        lost.append(bench.outputs()["memory_lost"])
    assert state["error"] == Error.PROTOCOL and all(lost)
    done = state["sectors_done"]
    assert bench.read(8, done) == data[:512 * done] and 128 * done < state["words"]
    # Each lane has written a whole number of sectors, and left the rest.
    assert (state["words"] - sum(lost)) % 128 == 0 and state["words"] - sum(lost) >= 128 * done
    bench.engine.set(memory_abandon=0)
    assert bench.record(data[:512 * 40], 8).error == 0 and bench.read(8, 40) == data[:512 * 40]


@pytest.mark.parametrize("lane", [0, 1])
def test_mirrors(lane):
    """Both drives get every word, and one that fails is dropped, though the other one lags behind by its memory."""
    bench = mirrors.brought_up(**MEMORY)
    data = content(lane, 300)
    assert bench.record(data, 11, hold=Hold(3, 2), flush=True).error == 0
    assert bench.data(0, 11, 300) == bench.data(1, 11, 300) == data and bench.play(11, 300).data == data
    bench.ports[lane].drive.behaviour.fail_lba = 150
    again = content(7, 300)
    outcome = bench.record(again, 11, flush=True)
    assert (outcome.error, outcome.outputs["sectors_done"], bench.dropped()) == (0, 300, 1 << lane)
    assert bench.data(1 - lane, 11, 300) == again
    bench.sound()


def test_regions():
    """The memory of each lane begins a region after that of the lane before."""
    configuration = array(3, memory=5 << 18, memory_width=64, memory_base=1 << 30, buffer_words=2048)
    assert configuration.memory_region == 1 << 21
    bench = ready(ArrayBench(configuration, members(3).ports))
    assert bench.record(content(1, 400), 0).error == 0 and bench.read(0, 400) == content(1, 400)

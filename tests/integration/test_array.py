"""An array of drives: its words are where a PC finds them, and it knows what all lanes have done."""

import random

import pytest
from integration.arrays import GOOD, OFFSET, members
from integration.small import commands, content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.pattern import Bytes

pytestmark = pytest.mark.wide

#: What an array can be: drives, kind, sectors of a chunk, bits of the streams. Each has a core of its own to compile.
SOME = [(3, "raid0", 16, 32), (2, "linear", 128, 32)]
WIDE = (3, "raid0", 16, 128)
KINDS = [*SOME, WIDE, *(pytest.param(*kind, marks=pytest.mark.long) for kind in (
    (2, "raid0", 8, 32), (4, "raid0", 128, 32), (7, "raid0", 32, 32), (3, "linear", 128, 32), (2, "raid0", 8, 64),
    (5, "raid0", 64, 128), (2, "linear", 128, 64)))]


def brought_up(*arguments, **keywords):
    bench = members(*arguments, **keywords)
    bench.bring_up()
    outputs = bench.settle()
    assert outputs["ready"] and not outputs["error"], outputs
    return bench


def extents(bench, rng, count):
    """Random ones, of which each linear array has some across a boundary."""
    capacity = bench.outputs()["capacity"]
    for _ in range(count):
        sectors = rng.choice((1, 2, 7, 8, 9, 40, rng.randint(1, 300)))
        lba = rng.randrange(capacity - sectors + 1)
        if bench.configuration.array == "linear" and rng.random() < 0.5:
            lba = (bench.ports[0].drive.image.sectors - OFFSET) // 128 * 128 - rng.randint(0, sectors)
        yield lba, sectors


@pytest.mark.parametrize("drives, kind, chunk, width", KINDS)
def test_moves_words(drives, kind, chunk, width):
    """Each sector is on the drive that it belongs to, and comes back."""
    bench = brought_up(drives, kind=kind, chunk=chunk, array_width=width)
    rng = random.Random(drives)
    for number, (lba, sectors) in enumerate(extents(bench, rng, 12)):
        data, hold = content(number, sectors), Hold(*rng.choice(((1, 0), (3, 2), (50, 300))))
        recorded = bench.record(data, lba, hold=hold, flush=number % 2 == 1)
        assert recorded.error == 0
        shown = [recorded.outputs[name] for name in ("sectors_done", "words", "array_failed")]
        assert shown == [sectors, 128 * sectors, 0]
        assert bench.read(lba, sectors) == data
        bench.check()
        played = bench.play(lba, sectors, hold=hold)
        assert (played.error, played.lasts, played.last_at) == (0, 1, 128 * sectors - 1)
        assert played.data == data and played.outputs["words"] == played.outputs["sectors_done"] * 128 == 128 * sectors
        bench.check()


@pytest.mark.parametrize("drives, kind, chunk, width", KINDS)
def test_geometry(drives, kind, chunk, width):
    """The capacity is that of the least drive, so often as there are; or of all."""
    sectors = [OFFSET + 4000 + 37 * lane for lane in range(drives)]
    outputs = brought_up(drives, kind=kind, chunk=chunk, array_width=width, sectors=sectors).outputs()
    held = [(one - OFFSET) // chunk * chunk for one in sectors]
    assert outputs["capacity"] == (min(held) * drives if kind == "raid0" else sum(held))


@pytest.mark.parametrize("drives, kind, chunk, width", SOME)
def test_refuses(drives, kind, chunk, width):
    """What lies beyond, and what has no sectors; nothing is written, and done comes once."""
    bench = brought_up(drives, kind=kind, chunk=chunk, array_width=width)
    capacity = bench.outputs()["capacity"]
    for lba, sectors, error in ((capacity, 1, Error.OUT_OF_RANGE), (capacity - 4, 5, Error.OUT_OF_RANGE),
                                ((1 << 48) - 1, 2, Error.OUT_OF_RANGE), (0, 0, Error.ZERO_SECTORS)):
        bench.start(Operation.RECORD, lba, sectors)
        bench.run(2)
        assert bench.outputs()["busy"]
        bench.run(40)
        outputs = bench.outputs()
        assert (outputs["busy"], outputs["error"], outputs["ready"]) == (0, error, 1)
        bench.run(300)
        assert not bench.outputs()["busy"]
    last = content(1, 5)
    assert bench.record(last, capacity - 5).error == 0 and bench.read(capacity - 5, 5) == last


@pytest.mark.parametrize("drives, kind, chunk, width", KINDS)
def test_stops(drives, kind, chunk, width):
    """A recording that is stopped has all words that were accepted, and zeros after them; and goes no further than it
    reports."""
    rng = random.Random(7)
    for number in range(6):
        bench = brought_up(drives, kind=kind, chunk=chunk, array_width=width)
        words = rng.choice((1, 128, rng.randint(1, 20_000)))
        data = content(number, 200)
        outcome = bench.record(data, 11, stop_after=words, hold=Hold(rng.randint(1, 40), rng.randint(0, 40)))
        assert outcome.error == 0
        taken, done = outcome.outputs["words"], outcome.outputs["sectors_done"]
        assert words <= taken <= words + 4 * width // 32 and -(-taken // 128) <= done <= 200
        held = bench.read(11, done)
        assert held[:4 * taken] == data[:4 * taken] and not any(held[4 * taken:512 * done])
        bench.check()
        played = bench.play(11, 200, stop_after=words)
        assert played.error == 0 and played.received >= words
        assert played.data[:4 * words] == bench.read(11, 200)[:4 * words]
        bench.check()


@pytest.mark.parametrize("operation", [Operation.PLAY, Operation.RECORD])
@pytest.mark.parametrize("drives, kind, chunk, width", KINDS)
def test_stop_at_each_clock_of_the_start(drives, kind, chunk, width, operation):
    """It ends with what crossed before: some lanes have not begun then, or begin in that very clock."""
    bench = brought_up(drives, kind=kind, chunk=chunk, array_width=width)
    bench.limit = 100_000
    on_disk = content(0, 200)
    assert bench.record(on_disk, 11).error == 0
    # The extent is divided in some 60 clocks and 8 a lane.
    for clocks in range(1, 100 + 8 * drives):
        data = content(clocks, 200)     # what was there before is no proof
        bench.engine.source(Bytes(data))
        bench.engine.sink(128 * 200)
        bench.start(operation, 11, 200)
        bench.run(clocks)
        bench.stop()
        if not bench.outputs()["done"]:
            bench.wait(Event.DONE)
        outputs = bench.outputs()
        assert (outputs["error"], outputs["array_failed"]) == (0, 0) and outputs["sectors_done"] < 200
        if operation == Operation.RECORD:
            assert bench.read(11, outputs["sectors_done"])[:4 * outputs["words"]] == data[:4 * outputs["words"]]
        else:
            assert bench.engine.received() == on_disk[:4 * outputs["words"]]
        bench.check()
        bench.settle()


@pytest.mark.parametrize("drives, kind, chunk, width", KINDS)
def test_a_playback_that_is_refused_disturbs_no_reading(drives, kind, chunk, width):
    """Words that a lane still had when it failed are no reason to stop it later: its superblock is read then."""
    bench = brought_up(drives, kind=kind, chunk=chunk, array_width=width)
    bench.limit = 400_000
    bench.engine.source(Bytes(content(5, 2000)))
    bench.start(Operation.RECORD, 0, 2000)
    bench.run(8000)
    drive = bench.ports[0].drive
    bench.ports[0].unplug()
    bench.wait(Event.DONE)
    assert bench.outputs()["error"] == Error.LINK_LOST
    bench.ports[0].plug(drive)
    whole = (1 << drives) - 1
    for lanes in whole, whole - 1:      # its drive is there, and is read
        while bench.outputs()["array_ready"] != lanes:
            bench.run(1)
    bench.run(300)
    bench.start(Operation.PLAY, 0, 16)
    bench.run(2)
    assert bench.outputs()["error"] == Error.NOT_READY
    assert bench.settle()["ready"]
    assert bench.record(content(1, 3), 0).error == 0 and bench.read(0, 3) == content(1, 3)


@pytest.mark.parametrize("drives, kind, chunk, width", SOME)
def test_flushes_all(drives, kind, chunk, width):
    """FLUSH CACHE goes to every drive, also to those of which the extent has no sectors."""
    bench = brought_up(drives, kind=kind, chunk=chunk, array_width=width)
    assert bench.record(content(1, 1), 0, flush=True).error == 0
    assert [[opcode for opcode, _, _ in _commands(port)][-1] for port in bench.ports] == [0xEA] * drives
    assert bench.flush().error == 0
    assert [[opcode for opcode, _, _ in _commands(port)].count(0xEA) for port in bench.ports] == [2] * drives


def _commands(port):
    return [(done.command, done.lba, done.sectors) for done in port.drive.completed]


@pytest.mark.parametrize("drives, kind, chunk, width", KINDS)
def test_lane_fails(drives, kind, chunk, width):
    """The array ends with the error of the lane that failed first, and what it counts as done is there."""
    rng = random.Random(3)
    for number in range(6):
        bench = brought_up(drives, kind=kind, chunk=chunk, array_width=width)
        lba = 11 if kind == "raid0" else (bench.ports[0].drive.image.sectors - OFFSET) // chunk * chunk - 90
        lane, own = bench.place(lba + rng.randint(0, 199))
        bench.ports[lane].drive.behaviour.fail_lba = own
        data = content(number, 200)
        outcome = bench.record(data, lba, hold=Hold(rng.randint(1, 40), rng.randint(0, 4)))
        outputs = outcome.outputs
        assert outcome.error == Error.DRIVE_ERROR
        assert (outputs["array_failed"], outputs["array_first"]) == (1 << lane, lane)
        assert bench.place(outputs["error_lba"]) == (lane, own)
        done = outputs["sectors_done"]
        assert done < 200 and bench.read(lba, done) == data[:512 * done]
        # No sector that is done on all lanes is missing from the count.
        assert bench.place(lba + done)[0] == lane
        assert [port.link.violations for port in bench.ports] == [[]] * drives
        bench.ports[lane].drive.behaviour.fail_lba = None
        if not bench.outputs()["ready"]:
            bench.settle()
        assert bench.record(data, lba, flush=True).error == 0 and bench.read(lba, 200) == data
        bench.check()


def test_lane_goes_away():
    """A drive that is pulled out in a recording ends it; one that comes back is read before anything is written."""
    bench = brought_up(3, chunk=16)
    data = content(5, 2000)
    bench.engine.source(Bytes(data))
    bench.start(Operation.RECORD, 0, 2000)
    bench.run(20_000)
    away = bench.ports[1].drive
    bench.ports[1].unplug()
    while bench.outputs()["busy"]:
        bench.run(100)
    outputs = bench.outputs()
    assert outputs["error"] in (Error.LINK_LOST, Error.TIMEOUT) and outputs["array_first"] == 1
    done = outputs["sectors_done"]
    assert not outputs["ready"]
    refused = bench.record(content(6, 3), 0)
    assert refused.error == Error.NOT_READY and refused.taken == 0
    bench.ports[1].plug(away)
    assert bench.settle()["ready"]
    assert bench.read(0, done) == data[:512 * done]
    assert bench.record(data[:512 * 300], 0, flush=True).error == 0 and bench.read(0, 300) == data[:512 * 300]


def test_a_drive_that_leaves_while_the_extent_is_divided():
    """The array was ready, so its drive is lost, though its lane has not begun."""
    bench = brought_up(3, chunk=16)
    data = content(5, 96)
    for clocks in range(2, 100, 6):
        bench.engine.source(Bytes(data))
        bench.start(Operation.RECORD, 0, 96)
        bench.run(clocks)
        drive = bench.ports[1].drive
        bench.ports[1].unplug()
        while bench.outputs()["busy"]:
            bench.run(100)
        outputs = bench.outputs()
        assert (outputs["error"], outputs["array_first"]) == (Error.LINK_LOST, 1), clocks
        bench.ports[1].plug(drive)
        assert bench.settle()["ready"]
    assert bench.record(data, 0, flush=True).error == 0 and bench.read(0, 96) == data


def test_unflushed():
    """What may be lost of a drive's cache is a range of the array that has all of it."""
    bench = brought_up(3, chunk=16)
    data = content(8, 64)
    assert bench.record(data, 16).error == 0
    drive = bench.ports[1].drive
    bench.ports[1].unplug()
    bench.run(2000)
    bench.ports[1].plug(drive)
    bench.run(2000)
    assert bench.settle()["ready"]
    bench.run(500)
    outputs = bench.outputs()
    assert outputs["unflushed"]
    first, last = outputs["unflushed_lba"], outputs["unflushed_lba"] + outputs["unflushed_sectors"] - 1
    mine = [sector for sector in range(16, 80) if bench.place(sector)[0] == 1]
    assert (first, last) == (mine[0], mine[-1])
    assert bench.flush().error == Error.LINK_LOST
    bench.engine.set(clear_unflushed=1)
    bench.run(1)
    bench.engine.set(clear_unflushed=0)
    bench.run(200)
    assert not bench.outputs()["unflushed"] and bench.flush().error == 0


def test_lanes_are_shown():
    """IDENTIFY, journal and ledger are those of the lane that is chosen; what does not exist is lane 0."""
    bench = brought_up(3, chunk=16)
    serials = []
    for lane in range(8):
        bench.engine.set(array_lane=lane)
        bench.run(2)
        words = bench.identify()[20:40]
        serials.append(bytes(words[n ^ 1] for n in range(20)).decode().strip())
    assert serials == ["LANE0", "LANE1", "LANE2"] + ["LANE0"] * 5
    outputs = bench.outputs()
    assert (outputs["array_up"], outputs["array_ready"]) == (7, 7) and bench.states() == [GOOD] * 3


def test_slow_lane_holds():
    """One lane that stalls holds the others, and no word is lost."""
    bench = brought_up(3, chunk=16, behaviours={1: Behaviour(command_latency=9000)})
    data = content(3, 600)
    outcome = bench.record(data, 5)
    assert outcome.error == 0 and bench.read(5, 600) == data
    assert outcome.outputs["held_cycles"] > 9000
    assert outcome.outputs["longest_stall"] >= 8000
    bench.check()


def test_commands_of_a_lane():
    """The lanes of a striped extent get one extent each, without a hole."""
    bench = brought_up(3, chunk=16)
    assert bench.record(content(2, 100), 4).error == 0
    for lane, port in enumerate(bench.ports):
        sectors = [own for place, own in map(bench.place, range(4, 104)) if place == lane]
        wrote = [(lba, count) for opcode, lba, count in _commands(port) if opcode == 0x35]
        assert [lba + n for lba, count in wrote for n in range(count)] == sectors
    assert commands(bench) == _commands(bench.ports[0])

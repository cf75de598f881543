"""An array writes to drives that are its own: it reads the superblock of each before, and after one was away."""

import pytest
from integration.arrays import GOOD, OFFSET, SECTORS, members, superblock
from integration.small import content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error
from sata_recorder.interface.array import MemberState
from sata_recorder.simulation import Event

pytestmark = pytest.mark.wide

HELD = SECTORS - OFFSET


def block(lane, **changes):
    return superblock(lane, **{"lanes": 3, "chunk": 16, "size": HELD // 16 * 16, **changes})


def bench_of(blocks=None, order=None, kind="raid0", **options):
    drives, chunk = (3, 16) if kind == "raid0" else (2, 128)
    bench = members(drives, kind=kind, chunk=chunk, blocks=blocks, order=order, **options)
    bench.bring_up()
    return bench, bench.settle()


def refuses(bench, outputs):
    """Nothing is written, and the error says that the drives are not those of the array."""
    assert (outputs["ready"], outputs["error"], outputs["capacity"]) == (0, Error.OTHER_DRIVE, 0)
    before = [port.drive.image.read_sectors(OFFSET, 64) for port in bench.ports]
    refused = bench.record(content(1, 3), 0)
    assert (refused.error, refused.taken) == (Error.OTHER_DRIVE, 0)
    assert bench.play(0, 3).error == Error.OTHER_DRIVE
    assert [port.drive.image.read_sectors(OFFSET, 64) for port in bench.ports] == before


def test_members():
    bench, outputs = bench_of()
    assert bench.states(outputs) == [GOOD] * 3 and outputs["ready"]
    assert outputs["capacity"] == 3 * (HELD // 16 * 16)


def test_blank():
    """Drives without superblocks are an array without a name."""
    bench, outputs = bench_of(dict.fromkeys(range(3)))
    assert bench.states(outputs) == [MemberState.BLANK] * 3 and outputs["ready"]
    assert bench.record(content(1, 30), 7).error == 0 and bench.read(7, 30) == content(1, 30)


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (1, 2, 0)])
def test_swapped(order):
    bench, outputs = bench_of(order=order)
    assert bench.states(outputs) == [GOOD if lane == place else MemberState.OTHER_LANE
                                     for lane, place in enumerate(order)]
    refuses(bench, outputs)


def test_doubled():
    bench, outputs = bench_of(order=(0, 0, 2))
    assert bench.states(outputs) == [GOOD, MemberState.OTHER_LANE, GOOD]
    refuses(bench, outputs)


@pytest.mark.parametrize("changes", [
    {"uuid": bytes(16)}, {"created": 1_700_000_001}, {"events": 2}, {"events": 1 << 32 | 1}, {"size": 160},
    {"lanes": 4}, {"chunk": 8}, {"kind": "linear"}, {"w1": 0}, {"w2": 1}, {"w19": 1}, {"w20": 16}, {"w32": 2056},
    {"w33": 1}, {"w35": 1}, {"w36": 0}, {"w54": 0x12345}, {"w55": 384}, {"w127": 0xFFFF_FFFF, "w54": 1}])
@pytest.mark.parametrize("lane", [0, 2])
def test_other_array(lane, changes):
    """A superblock that is damaged, of another geometry, or not that of lane 0's set."""
    bench, outputs = bench_of({lane: block(lane, **changes)})
    found = bench.states(outputs)
    # Of two sets that differ in what all members of one share, the first lane's counts.
    of_set = {*changes} <= {"uuid", "created", "events"} or changes == {"size": 160}
    expected = [GOOD] * 3
    if lane == 0 and of_set:
        expected[1:] = [MemberState.OTHER_ARRAY] * 2
    else:
        expected[lane] = MemberState.OTHER_ARRAY
    assert found == expected
    refuses(bench, outputs)


@pytest.mark.parametrize("place, word", [(4 * 40, 3), (256 + 2, 0)])
def test_number_and_role(place, word):
    """The number of the member, and the role of that number, are both the lane."""
    number = place // 4
    value = word if place == 160 else word << 16
    bench, outputs = bench_of({1: block(1, **{f"w{number}": value})})
    assert bench.states(outputs) == [GOOD, MemberState.OTHER_LANE, GOOD]
    refuses(bench, outputs)


def test_missing():
    bench, outputs = bench_of({1: None})
    assert bench.states(outputs) == [GOOD, MemberState.BLANK, GOOD]
    refuses(bench, outputs)


def test_smaller_than_it_states():
    """A drive on which the data that its superblock states have no room."""
    bench, outputs = bench_of(sectors=[SECTORS, SECTORS, SECTORS - 16], blocks={lane: block(lane) for lane in range(3)})
    assert bench.states(outputs) == [GOOD, GOOD, MemberState.OTHER_ARRAY]
    refuses(bench, outputs)


def test_larger():
    """Of larger drives what the superblocks state is used."""
    bench, outputs = bench_of(sectors=[SECTORS] * 3, blocks={lane: block(lane, size=160) for lane in range(3)})
    assert outputs["ready"] and outputs["capacity"] == 480
    assert bench.record(content(1, 2), 479).error == Error.OUT_OF_RANGE


def test_linear_sizes():
    """One drive after the other, each with what its superblock states."""
    sectors = [OFFSET + 384, SECTORS]
    bench, outputs = bench_of(kind="linear", sectors=sectors)
    assert outputs["ready"] and outputs["capacity"] == 384 + HELD // 128 * 128
    assert bench.record(content(1, 100), 300).error == 0
    assert bench.ports[0].drive.image.read_sectors(OFFSET + 300, 84) + \
        bench.ports[1].drive.image.read_sectors(OFFSET, 16) == content(1, 100)


def test_unreadable():
    bench = members(3, chunk=16)
    bench.ports[1].drive.behaviour.fail_lba = 8
    bench.bring_up()
    outputs = bench.settle()
    assert bench.states(outputs) == [GOOD, MemberState.UNREADABLE, GOOD]
    refuses(bench, outputs)


def test_unreadable_for_a_while():
    """It is read again after a pause: nobody has to pull a drive out."""
    bench = members(3, chunk=16)
    behaviour = bench.ports[1].drive.behaviour
    behaviour.fail_lba, behaviour.fail_times = 8, 3
    bench.bring_up()
    assert bench.states(bench.settle()) == [GOOD, MemberState.UNREADABLE, GOOD]
    bench.wait(Event.READY)
    assert bench.states() == [GOOD] * 3
    assert bench.record(content(1, 3), 0).error == 0


def test_exchanged():
    """A drive of another set in the place of one between two recordings; and the right one again."""
    bench, outputs = bench_of()
    assert bench.record(content(1, 60), 0).error == 0
    mine, other = bench.ports[2].drive, members(3, chunk=16, blocks={2: block(2, uuid=bytes(16))}).ports[2].drive
    bench.ports[2].plug(other)
    bench.run(3000)
    outputs = bench.settle()
    assert bench.states(outputs) == [GOOD, GOOD, MemberState.OTHER_ARRAY]
    refuses(bench, outputs)
    bench.ports[2].plug(mine)
    bench.run(3000)
    assert bench.settle()["ready"]
    played = bench.play(0, 60)
    assert played.error == 0 and played.data == content(1, 60)


def test_start_while_it_reads():
    """A start while superblocks are read is refused, and ends with one done."""
    bench = members(3, chunk=16)
    bench.engine.set(rst=1)
    bench.run(4)
    bench.engine.set(rst=0)
    while bench.outputs()["array_ready"] != 7:
        bench.run(1)
    for clocks in (1, 40, 400):
        bench.run(clocks)
        assert not bench.outputs()["ready"]
        refused = bench.record(content(1, 3), 0)
        assert (refused.error, refused.taken) == (Error.NOT_READY, 0)
    assert bench.settle()["ready"]
    assert bench.record(content(1, 3), 0).error == 0


def test_away_while_it_reads():
    """A lane that was read and goes away while others are read is read again."""
    bench = members(3, chunk=16, behaviours={2: Behaviour(command_latency=20_000)})
    bench.engine.set(rst=1)
    bench.run(4)
    bench.engine.set(rst=0)
    while bench.states() != [GOOD, GOOD, MemberState.UNKNOWN]:
        bench.run(50)
    drive = bench.ports[0].drive
    other = members(3, chunk=16, blocks={0: block(0, uuid=bytes(16))}).ports[0].drive
    bench.ports[0].unplug()
    bench.run(100)
    bench.ports[0].plug(other)
    outputs = bench.settle()
    assert (outputs["ready"], outputs["error"]) == (0, Error.OTHER_DRIVE)
    # As the set is that of lane 0.
    assert bench.states(outputs) == [GOOD, MemberState.OTHER_ARRAY, MemberState.OTHER_ARRAY]
    bench.ports[0].plug(drive)
    assert bench.settle()["ready"]


@pytest.mark.parametrize("lanes", [1, 2])
def test_skipping_proves_nothing(lanes):
    """A superblock that was passed over has not been read, and is not a blank one."""
    bench = members(2, chunk=8, on_failure="skip", blocks={1: None} if lanes == 1 else None)
    for lane in range(lanes):
        bench.ports[lane].drive.behaviour.fail_lba = 8
    bench.bring_up()
    outputs = bench.settle()
    assert bench.states(outputs) == [MemberState.UNREADABLE, *([MemberState.BLANK] if lanes == 1 else [
        MemberState.UNREADABLE])]
    assert (outputs["ready"], outputs["error"]) == (0, Error.OTHER_DRIVE)

"""RAID 1 writes to drives that are its own and hold the same: superblocks are read and compared at each bring-up."""

import pytest
from integration.mirrors import DROPPED, FAULTY, GOOD, NO_ROLE, PLACE, SECTORS, SIZE, brought_up, members, superblock
from integration.small import content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.array import MemberState
from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.pattern import Bytes

OTHER, BLANK, UNKNOWN = MemberState.OTHER_ARRAY, MemberState.BLANK, MemberState.UNKNOWN


def bench_of(blocks=None, **options):
    bench = members(blocks=blocks, **options)
    bench.bring_up()
    return bench, bench.settle()


def refuses(bench, outputs, states=None):
    """Nothing is written, and the error says that the drives are not those of the array."""
    assert (outputs["ready"], outputs["error"], outputs["capacity"]) == (0, Error.OTHER_DRIVE, 0)
    assert states is None or bench.states() == states
    before = [port.drive and bytes(port.drive.image.read_sectors(0, port.drive.image.sectors)) for port in bench.ports]
    refused = bench.record(content(1, 3), 0)
    assert (refused.error, refused.taken) == (Error.OTHER_DRIVE, 0)
    assert bench.play(0, 3).error == Error.OTHER_DRIVE
    assert before == [port.drive and bytes(port.drive.image.read_sectors(0, port.drive.image.sectors))
                      for port in bench.ports]


def uses(bench, outputs, lanes, dirty):
    """These lanes, and no other."""
    assert outputs["ready"] and outputs["mirror_dirty"] == dirty
    assert outputs["mirror_dropped"] == 3 & ~sum(1 << lane for lane in lanes)
    data = content(1, 30)
    before = [bytes(port.drive.image.read_sectors(0, port.drive.image.sectors)) if port.drive else None
              for port in bench.ports]
    assert bench.record(data, 7, flush=True).error == 0
    assert bench.play(7, 30).data == data
    for lane in range(2):
        if lane in lanes:
            assert bench.data(lane, 7, 30) == data
        elif bench.ports[lane].drive:
            assert bytes(bench.ports[lane].drive.image.read_sectors(0, SECTORS)) == before[lane]


def test_blank():
    """Drives without superblocks are refused: a failure of one could not be stated."""
    bench, outputs = bench_of(dict.fromkeys(range(2)))
    refuses(bench, outputs, [BLANK, BLANK])


def test_swapped():
    bench, outputs = bench_of({0: superblock(1), 1: superblock(0)})
    refuses(bench, outputs, [MemberState.OTHER_LANE] * 2)


@pytest.mark.parametrize("changes", [
    {"uuid": bytes(16)}, {"created": 1_700_000_001}, {"size": 160}, {"w1": 0}, {"w2": 1}, {"w18": 0}, {"w19": 1},
    {"w20": 8}, {"w20": SIZE + 8}, {"w21": 1}, {"w21": 1 << 16}, {"w22": 8}, {"w23": 3}, {"w32": 8}, {"w33": 1},
    {"w34": 8}, {"w36": PLACE - 8}, {"w37": 1}, {"size": PLACE + 8}, {"w51": 1 << 16},
    {"w54": 0x12345}, {"w55": 384}, {"w127": 1, "w54": 1}])
def test_other_array(changes):
    """A superblock that is damaged, of another geometry or of another set."""
    bench, outputs = bench_of({1: superblock(1, **changes)})
    refuses(bench, outputs, [GOOD, OTHER])


@pytest.mark.parametrize("changes", [{"number": 2}, {"roles": (0, FAULTY)}, {"roles": (0, NO_ROLE)}])
def test_number_and_role(changes):
    """A number without a role; one is out by its own superblock."""
    bench, outputs = bench_of({1: superblock(1, **changes)})
    refuses(bench, outputs, [GOOD, MemberState.OTHER_LANE])


@pytest.mark.parametrize("lane", [0, 1])
def test_rebuilt(lane):
    """A drive that Linux has put in the place of another one has another number, 2 or more, with the role of that one.
    It is dropped by its role."""
    for number in (2, 3, 127):
        roles = [0, 1] + [NO_ROLE] * 126
        roles[lane], roles[number] = FAULTY, lane
        words = {f"w{64 + n}": roles[2 * n] | roles[2 * n + 1] << 16 for n in range(64)}
        bench, outputs = bench_of({lane: superblock(lane, number=number, **words),
                                   1 - lane: superblock(1 - lane, **words)})
        assert bench.states() == [GOOD, GOOD] and outputs["ready"]
        bench.ports[lane].drive.behaviour.fail_lba = 40
        assert bench.record(content(2, 50), 0).error == 0 and bench.dropped() == 1 << lane
        sector = bench.data(1 - lane, PLACE, 1)
        roles[number] = FAULTY
        words = {f"w{64 + n}": roles[2 * n] | roles[2 * n + 1] << 16 for n in range(64)}
        assert sector == superblock(1 - lane, events=10, resync=0, **words)


def test_more_data_than_all_give():
    """As mdadm states it of drives whose sizes differ."""
    bench, outputs = bench_of({1: superblock(1, w34=SIZE + 8)})
    uses(bench, outputs, [0, 1], 0)


def test_larger_drives():
    """The superblock is at the end of each; what both hold is used."""
    bench, outputs = bench_of({lane: superblock(lane, size=1000) for lane in range(2)})
    assert outputs["ready"] and outputs["capacity"] == 1000
    assert bench.record(content(1, 2), 999).error == Error.OUT_OF_RANGE


@pytest.mark.parametrize("lane", [0, 1])
@pytest.mark.parametrize("dirty", [False, True])
def test_mark_was_interrupted(lane, dirty):
    """Of one only: both are used, and stay dirty, whichever mark it was."""
    newer = {"events": 8, "resync": 0} if dirty else {"events": 8}
    older = {} if dirty else {"resync": 0}
    bench, outputs = bench_of({lane: superblock(lane, **newer), 1 - lane: superblock(1 - lane, **older)})
    uses(bench, outputs, [0, 1], 1)
    assert all(bench.stated(one).dirty for one in range(2))


def test_found_dirty():
    """What was not in sync when power was lost is used, and never called clean before a PC has compared it."""
    bench, outputs = bench_of({lane: superblock(lane, resync=0) for lane in range(2)})
    uses(bench, outputs, [0, 1], 1)
    found = [bench.stated(lane) for lane in range(2)]
    assert [(one.events, one.dirty) for one in found] == [(7, True)] * 2


@pytest.mark.parametrize("role", [FAULTY, NO_ROLE])
@pytest.mark.parametrize("events", [7, 5, 1])
@pytest.mark.parametrize("lane", [0, 1])
def test_stale(lane, events, role):
    """The newer superblock states that the other drive has failed."""
    roles = (role, 1) if lane == 0 else (0, role)
    bench, outputs = bench_of({lane: superblock(lane, events=events), 1 - lane: superblock(1 - lane, roles=roles)})
    assert bench.states()[lane] == DROPPED
    uses(bench, outputs, [1 - lane], 0)


@pytest.mark.parametrize("lane", [0, 1])
def test_stale_without_a_word(lane):
    """Linux wrote one alone, and neither states that the other has failed."""
    bench, outputs = bench_of({lane: superblock(lane, events=5)})
    assert bench.states()[lane] == DROPPED
    refuses(bench, outputs)


@pytest.mark.parametrize("lane", [0, 1])
def test_dropped_by_the_older(lane):
    """Which of them has what, nobody knows."""
    roles = (FAULTY, 1) if lane == 0 else (0, FAULTY)
    bench, outputs = bench_of({lane: superblock(lane, events=8), 1 - lane: superblock(1 - lane, roles=roles)})
    refuses(bench, outputs)


def test_each_states_that_the_other_has_failed():
    bench, outputs = bench_of({0: superblock(0, roles=(0, FAULTY)), 1: superblock(1, roles=(FAULTY, 1), events=20)})
    refuses(bench, outputs, [DROPPED, DROPPED])


@pytest.mark.parametrize("lane", [0, 1])
@pytest.mark.parametrize("beside", ["missing", "blank", "foreign", "unreadable"])
def test_degraded(lane, beside):
    """One alone, whose superblock states it: whatever is in the place of the other one."""
    roles = (FAULTY, 1) if lane == 0 else (0, FAULTY)
    blocks = {1 - lane: superblock(1 - lane, roles=roles)}
    if beside == "blank":
        blocks[lane] = None
    if beside == "foreign":
        blocks[lane] = superblock(lane, uuid=bytes(16))
    bench = members(blocks=blocks)
    if beside == "missing":
        bench.ports[lane].unplug()
    if beside == "unreadable":
        bench.ports[lane].drive.behaviour.fail_lba = PLACE
    bench.bring_up()
    outputs = bench.settle()
    uses(bench, outputs, [1 - lane], 0)
    if beside == "foreign":
        assert bench.states()[lane] == OTHER


@pytest.mark.parametrize("lane", [0, 1])
def test_missing(lane):
    """The other one states that both are in use."""
    bench = members()
    drive = bench.ports[lane].drive
    bench.ports[lane].unplug()
    bench.bring_up()
    outputs = bench.settle()
    expected = [GOOD, GOOD]
    expected[lane] = UNKNOWN
    refuses(bench, outputs, expected)
    bench.ports[lane].plug(drive)
    bench.run(3000)
    uses(bench, bench.settle(), [0, 1], 0)


def test_unreadable_for_a_while():
    bench = members()
    behaviour = bench.ports[1].drive.behaviour
    behaviour.fail_lba, behaviour.fail_times = PLACE, 3
    bench.bring_up()
    outputs = bench.settle()
    assert bench.states() == [GOOD, MemberState.UNREADABLE] and outputs["error"] == Error.OTHER_DRIVE
    for _ in range(2000):
        bench.run(500)
        if bench.outputs()["ready"]:
            break
    uses(bench, bench.settle(), [0, 1], 0)


def test_exchanged():
    """A drive of another set in the place of one between two recordings; and the right one again."""
    bench, outputs = bench_of()
    uses(bench, outputs, [0, 1], 0)
    mine, other = bench.ports[1].drive, members(blocks={1: superblock(1, uuid=bytes(16))}).ports[1].drive
    bench.ports[1].plug(other)
    bench.run(3000)
    refuses(bench, bench.settle(), [GOOD, OTHER])
    bench.ports[1].plug(mine)
    bench.run(3000)
    uses(bench, bench.settle(), [0, 1], 0)


def exchanged_in_a_playback():
    """A bench whose lane 1 has got the drive of another set while lane 0 is read, and that drive."""
    bench, other = brought_up(), members(blocks={1: superblock(1, uuid=bytes(16))}).ports[1].drive
    bench.engine.sink(128 * 200, hold=Hold(7, 1))
    bench.start(Operation.PLAY, 0, 200)
    bench.run(100)
    bench.ports[1].plug(other)
    bench.run(20_000)
    assert bench.outputs()["busy"] and bench.outputs()["array_ready"] == 2
    return bench, other


def test_exchanged_before_the_next_operation():
    """A drive that has come during one operation is not written by the next one, however soon that starts."""
    bench, _ = exchanged_in_a_playback()
    bench.wait(Event.DONE)
    done = bench.engine.state().cycle
    for late in range(3):
        bench, other = exchanged_in_a_playback()
        before = bytes(other.image.read_sectors(0, SECTORS))
        bench.run(done - 1 + late - bench.engine.state().cycle)
        bench.engine.source(Bytes(content(1, 3)))
        bench.start(Operation.RECORD, 0, 3)
        bench.run(1)
        assert bench.outputs()["done"] == (late == 0)
        bench.wait(Event.DONE)
        assert bench.outputs()["error"] == Error.NOT_READY
        bench.run(20_000)
        assert bench.states() == [GOOD, OTHER] and not bench.outputs()["ready"]
        assert bytes(other.image.read_sectors(0, SECTORS)) == before


def test_dirty_while_a_drive_is_away():
    """What is known stays, until a superblock states otherwise."""
    bench, outputs = bench_of()
    assert bench.record(content(1, 3), 0).error == 0
    drive = bench.ports[1].drive
    bench.ports[1].unplug()
    while (outputs := bench.outputs())["error"] != Error.OTHER_DRIVE:
        assert outputs["mirror_dirty"]
        bench.run(100)
    assert outputs["mirror_dirty"] and not outputs["ready"]
    bench.ports[1].plug(drive)
    assert bench.settle()["ready"] and bench.outputs()["mirror_dirty"]


def test_start_while_it_reads():
    """A start while superblocks are read is refused, and ends with one done."""
    bench = members()
    bench.engine.set(rst=1)
    bench.run(4)
    bench.engine.set(rst=0)
    while bench.outputs()["array_ready"] != 3:
        bench.run(1)
    for clocks in (1, 40, 400):
        bench.run(clocks)
        assert not bench.outputs()["ready"]
        refused = bench.record(content(1, 3), 0)
        assert (refused.error, refused.taken) == (Error.NOT_READY, 0)
    assert bench.settle()["ready"]
    assert bench.record(content(1, 3), 0).error == 0


def test_away_while_it_reads():
    """A lane that was read and goes away while the other is read is read again."""
    bench = members(behaviours={1: Behaviour(command_latency=20_000)})
    bench.engine.set(rst=1)
    bench.run(4)
    bench.engine.set(rst=0)
    while bench.states() != [GOOD, UNKNOWN]:
        bench.run(50)
    drive = bench.ports[0].drive
    other = members(blocks={0: superblock(0, uuid=bytes(16))}).ports[0].drive
    bench.ports[0].unplug()
    bench.run(100)
    bench.ports[0].plug(other)
    outputs = bench.settle()
    refuses(bench, outputs, [GOOD, OTHER])
    bench.ports[0].plug(drive)
    bench.wait(Event.READY)
    assert bench.states() == [GOOD, GOOD]


def test_slow_drive_is_waited_for():
    """While one is coming the other does not go on alone, though its superblock permits it; nor is it an error."""
    bench = members(behaviours={1: Behaviour(signature_latency=20_000)})
    for level in 1, 0:
        bench.engine.set(rst=level)
        bench.run(4)
    for _ in range(30):
        bench.run(500)
        outputs = bench.outputs()
        assert outputs["error"] == 0 and not outputs["ready"]
    uses(bench, bench.settle(), [0, 1], 0)


@pytest.mark.parametrize("sizes", [(SECTORS + 5, SECTORS + 5), (SECTORS, SECTORS + 803), (SECTORS + 99, SECTORS)])
def test_sizes(sizes):
    """The superblock is near the end of each drive."""
    bench, outputs = bench_of(sectors=list(sizes))
    assert outputs["ready"] and outputs["capacity"] == SIZE
    assert bench.record(content(1, 30), 7, flush=True).error == 0
    for lane, sectors in enumerate(sizes):
        found = bench.stated(lane, sectors=sectors)
        assert (found.events, found.dirty) == (9, False)
    bench.ports[1].drive.behaviour.fail_lba = 20
    assert bench.record(content(2, 30), 7).error == 0
    assert bench.stated(0, sectors=sizes[0]).roles == (0, FAULTY)

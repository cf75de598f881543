"""COMMAND of an array: the drive of one lane gets it, no other lane hears of it, and the array goes on."""

import pytest
from integration.array_commanded import FREE, SECTORS, SHAPES, Commanded
from integration.arrays import GOOD, OFFSET
from integration.small import content

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.array import MemberState
from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.pattern import Bytes

pytestmark = pytest.mark.wide

PLAY, RECORD, FLUSH = Operation.PLAY, Operation.RECORD, Operation.FLUSH
SMART = 0xC24F00
#: The others take a compiler's time each.
EACH = [pytest.param(name, marks=[] if name in ("striped", "linear", "wide") else pytest.mark.long) for name in SHAPES]


def results(outputs):
    return tuple(outputs[f"task_result_{name}"] for name in ("lba", "count", "device"))


@pytest.mark.parametrize("shape", EACH)
def test_goes_to_the_chosen_lane(shape):
    """Without data, with data either way, by PIO and by DMA; recordings before, between and after."""
    one = Commanded(shape)
    b = one.bench
    one.works()
    for lane, drive in enumerate(one.drives):
        found = one.command(lane, FLUSH, command=0xB0, features=0xDA, lba=SMART)
        assert (found.error, results(found.outputs)[0], one.found) == (0, SMART, [0xB0])
        found = one.command(lane, PLAY, command=0xEC, blocks=1, pio=1)
        assert (found.error, found.data, found.lasts, found.last_at) == (0, b.identify(), 1, 127)
        found = one.command(lane, PLAY, command=0x2F, lba=4, blocks=8, count=8, pio=1)
        assert (found.error, found.data) == (0, drive.health.log(4, 0, 8))
        outputs = found.outputs
        assert (outputs["sectors_done"], outputs["words"], outputs["array_failed"]) == (8, 1024, 0)
        data = content(lane, 16)
        assert one.command(lane, RECORD, command=0x34, lba=FREE, count=16, data=data, pio=1).error == 0
        assert drive.image.read_sectors(FREE, 16) == data
        found = one.command(lane, PLAY, command=0x25, lba=FREE, blocks=16, count=16, hold=Hold(3, 2))
        assert (found.error, found.data, found.lasts, one.found) == (0, data, 1, [0x25])
        assert found.outputs["sectors_done"] == 16
        one.works(lane + 1)


@pytest.mark.quick
def test_registers_and_an_aborted_command():
    """All registers reach the drive, and what it answers is shown, whichever lane is chosen by then."""
    one = Commanded("striped")
    b = one.bench
    for lane in 2, 0, 1:
        found = one.command(lane, FLUSH, command=0xF9, features=0xA55A, count=0xC33C, device=0xE7, lba=0xFEDCBA987654)
        heard = one.heard[lane][-1]
        assert (heard.command, heard.features, heard.count, heard.device, heard.lba) == (
            0xF9, 0xA55A, 0xC33C, 0xE7, 0xFEDCBA987654)
        outputs = found.outputs
        assert (found.error, outputs["cause"], outputs["drive_error"]) == (Error.DRIVE_ERROR, Error.DRIVE_ERROR, 4)
        assert (outputs["array_failed"], outputs["array_first"], outputs["retries"]) == (1 << lane, lane, 0)
    assert one.command(2, FLUSH, command=0xE5).error == 0
    shown = results(b.outputs())
    for lane in range(8):
        b.engine.set(array_lane=lane)
        b.run(2)
        assert results(b.outputs()) == shown and shown[1] == 0xFF
    one.works()


@pytest.mark.quick
def test_lane_that_does_not_exist():
    """It reads as lane 0, and so is lane 0."""
    one = Commanded("striped")
    for lane in 3, 7:
        found = one.command(lane, PLAY, command=0xEC, blocks=1, pio=1)
        assert found.error == 0 and one.found == [0xEC] and one.heard[0][-1].command == 0xEC
        one.bench.engine.set(array_lane=0)
        assert found.data == one.bench.identify()


@pytest.mark.quick
def test_another_choice_in_the_middle():
    one = Commanded("striped")
    data = content(3, 4)
    one.begin(1, RECORD, FREE, 4, data, command=0x35, count=4)
    for lane in 2, 0, 7:
        one.bench.engine.set(array_lane=lane)
        one.bench.run(40)
    assert one.ended()["error"] == 0
    assert [len(heard) for heard in one.heard] == [0, 1, 0]
    assert one.drives[1].image.read_sectors(FREE, 4) == data


def test_what_is_refused():
    """Nothing is sent, and no lane has failed. An extent of the array and its capacity do not matter."""
    one = Commanded("striped")
    for operation in PLAY, RECORD:
        for blocks, error in (0, Error.ZERO_SECTORS), (17, Error.OUT_OF_RANGE), (1 << 47, Error.OUT_OF_RANGE):
            one.begin(1, operation, 5, blocks, command=0x25)
            outputs = one.ended()
            assert (outputs["error"], outputs["array_failed"], outputs["words"]) == (error, 0, 0)
    assert not any(one.heard)
    found = one.command(2, PLAY, command=0x25, lba=(1 << 48) - 1, blocks=2, count=2)
    assert (found.error, found.outputs["drive_error"], one.found) == (Error.DRIVE_ERROR, 0x10, [0x25])
    one.begin(0, FLUSH, 0, (1 << 48) - 1, command=0xE5)
    outputs = one.ended()
    assert (outputs["error"], outputs["sectors_done"]) == (0, 0)
    one.works()


def test_error_lba():
    """Of a COMMAND it is the LBA of the drive, of a recording the sector of the array. It stays until the next one."""
    one = Commanded("striped")
    b = one.bench
    _, own = b.place(40)
    lane = b.place(40)[0]
    one.drives[lane].behaviour.fail_lba = own
    assert b.record(content(1, 80), 0).error == Error.DRIVE_ERROR and b.outputs()["error_lba"] == 40
    one.drives[lane].behaviour.fail_lba = None
    assert one.command(lane, FLUSH, command=0xE5).error == 0 and b.outputs()["error_lba"] == 40
    found = one.command(lane, PLAY, command=0x25, lba=SECTORS - 1, blocks=2, count=2)
    assert (found.error, found.outputs["error_lba"]) == (Error.DRIVE_ERROR, found.outputs["task_result_lba"])
    one.works()
    assert b.outputs()["error_lba"] == found.outputs["error_lba"]
    one.drives[lane].behaviour.fail_lba = own
    assert b.record(content(1, 80), 0).error == Error.DRIVE_ERROR and b.outputs()["error_lba"] == 40


@pytest.mark.parametrize("shape", EACH)
@pytest.mark.parametrize("words", [0, 100, 512])
@pytest.mark.parametrize("clocks", [1, 15, 120, 900])
def test_stopped_while_data_go_out(shape, words, clocks):
    """The drive gets the whole command, with zeros for the words that have not come."""
    one = Commanded(shape)
    data = content(1, 4)[:4 * words]
    one.begin(1, RECORD, FREE, 4, data, command=0x35, count=4)
    one.bench.run(clocks)
    one.bench.stop()
    outputs = one.ended()
    taken = outputs["words"]
    assert (outputs["error"], outputs["sectors_done"]) == (0, 4) and taken <= words
    assert [len(heard) for heard in one.heard][1] == sum(len(heard) for heard in one.heard) == 1
    assert one.drives[1].image.read_sectors(FREE, 4) == data[:4 * taken].ljust(4 * 512, b"\0")
    one.works()


@pytest.mark.parametrize("shape", EACH)
@pytest.mark.parametrize("clocks", [1, 15, 120, 500])
def test_stopped_while_data_come_in(shape, clocks):
    """The drive gets the command, and the words after the stop are dropped."""
    one = Commanded(shape)
    data = content(1, 4)
    one.drives[1].image.write(512 * FREE, data)
    one.begin(1, PLAY, FREE, 4, command=0x25, count=4)
    one.bench.run(clocks)
    one.bench.stop()
    outputs = one.ended()
    assert (outputs["error"], outputs["sectors_done"], len(one.heard[1])) == (0, 4, 1)
    got = one.bench.engine.received()
    assert len(got) == 4 * outputs["words"] and got == data[:len(got)]
    one.works()


@pytest.mark.parametrize("shape", EACH)
@pytest.mark.parametrize("operation, command", [(RECORD, 0x35), (PLAY, 0x25), (FLUSH, 0xEA)])
@pytest.mark.parametrize("clocks", [0, 1, 14, 60, 300])
@pytest.mark.parametrize("lane", [0, 1])
def test_link_loss_in_the_middle(shape, operation, command, clocks, lane):
    """Of its own lane it is the end of a COMMAND, which is not issued again; of another lane it is not."""
    one = Commanded(shape)
    b = one.bench
    blocks = 0 if operation == FLUSH else 4
    data = content(1, blocks)
    b.engine.set(task_count=blocks)
    one.begin(1, operation, FREE, blocks, data, command=command, count=blocks)
    b.run(clocks)
    if b.outputs()["busy"]:
        b.ports[lane].drop_link(400)
        b.run(2)
    outputs = one.ended()
    heard, others = ([(register.command, register.lba) for register in one.heard[number]] for number in (1, 0))
    assert heard.count((command, FREE)) <= 1
    if lane == 0:
        assert (outputs["error"], outputs["array_failed"], heard.count((command, FREE))) == (0, 0, 1)
        assert (command, FREE) not in others
        assert operation != RECORD or one.drives[1].image.read_sectors(FREE, 4) == data
    elif outputs["error"]:
        assert (outputs["error"], outputs["array_failed"], outputs["array_first"]) == (Error.LINK_LOST, 2, 1)
    b.settle()
    one.works(check=False)
    assert b.violations() == []


def test_journal_of_a_failed_command():
    """``lba`` and ``sectors`` as they were given, and the lane."""
    one = Commanded("striped")
    b = one.bench
    for lane, lba in ((2, 0xC24F00), (0, 0), (1, (1 << 48) - 4), (2, OFFSET)):
        one.drives[lane].behaviour.mute = frozenset({"command"})
        found = one.command(lane, PLAY, command=0xB0, features=0xD0, lba=lba, blocks=3, pio=1)
        one.drives[lane].behaviour.mute = frozenset()
        assert found.error == Error.TIMEOUT and found.outputs["journal_count"] == 1
        first, *others = b.engine.table("journal_address", "journal_data", range(4), 3)
        assert first >> 8 & 7 == lane and others == [lba, 3, lba]
        b.wait(Event.READY)
    assert one.command(0, FLUSH, command=0xE5).outputs["journal_count"] == 0
    one.works()


@pytest.mark.quick
def test_drives_that_are_not_ready():
    """No COMMAND without all of the array: a lane is away, or has the drive of another."""
    one = Commanded("striped")
    b = one.bench
    b.ports[2].unplug()
    b.run(20)
    for lane in 0, 2:
        found = one.command(lane, FLUSH, command=0xE5)
        assert (found.error, found.outputs["array_failed"]) == (Error.NOT_READY, 0)
    assert not any(one.heard)
    b.ports[2].plug(one.drives[2])
    one.works()
    one.drives[1].image.write(512 * 8, one.drives[0].image.read_sectors(8, 1))
    b.ports[1].drop_link(100)
    b.run(500)
    assert b.settle()["error"] == Error.OTHER_DRIVE and b.states()[1] == MemberState.OTHER_LANE
    found = one.command(0, FLUSH, command=0xE5)
    assert found.error == Error.OTHER_DRIVE and b.states()[0] == GOOD and one.found == []


def test_flush_that_follows():
    """RECORD_FLUSH flushes the cache of this drive, and of no other one."""
    one = Commanded("striped")
    assert one.command(1, Operation.RECORD_FLUSH, command=0xE8, data=content(7, 1), pio=1).error == 0
    assert one.found == [0xE8, 0xEA]


def test_what_was_recorded_stays_unflushed():
    """A COMMAND shows nothing about write caches, and is not refused for what they may have lost."""
    one = Commanded("striped")
    b = one.bench
    assert b.record(content(4, 40), 10).error == 0
    b.ports[1].drop_link(2000)
    b.run(100)
    b.wait(Event.READY)
    lost = {name: b.outputs()[name] for name in ("unflushed", "unflushed_lba", "unflushed_sectors")}
    assert lost["unflushed"]
    for lane in 0, 1:
        for operation, registers in (FLUSH, {"command": 0xEA}), (Operation.RECORD_FLUSH, {
                "command": 0x35, "lba": FREE, "count": 1, "data": content(1, 1)}):
            found = one.command(lane, operation, **registers)
            assert found.error == 0 and lost == {name: found.outputs[name] for name in lost}


def test_ledgers():
    """That of the lane is as with one drive; that of the whole has what went over the stream."""
    one = Commanded("striped")
    b = one.bench
    one.works()
    data = content(5, 16)
    assert one.command(1, RECORD, command=0x35, lba=FREE, count=16, data=data).error == 0
    b.check()
    of_lane, whole = b.ledger(1), b.whole_ledger()
    assert of_lane.commands == whole.commands == 1 and of_lane.accounts["payload"] == 16 * 128
    assert whole.accounts["payload"] == 16 * 128
    assert one.command(0, FLUSH, command=0xE5).error == 0
    assert b.whole_ledger().commands == 0 and not any(b.whole_ledger().accounts.values())


@pytest.mark.parametrize("shape", [pytest.param(name, marks=[] if name == "linear" else pytest.mark.long)
                                   for name in ("linear", "wide queued")])
def test_takes_no_extent_from_the_queue(shape):
    """Those that are offered meanwhile are for the recording after it."""
    one = Commanded(shape)
    b = one.bench
    for operation, command in (RECORD, 0x35), (PLAY, 0x25), (FLUSH, 0xEA):
        blocks = 0 if operation == FLUSH else 4
        b.engine.set(queue_valid=1, queue_lba=100, queue_sectors=24)
        one.begin(1, operation, FREE, blocks, content(2, blocks), command=command, count=blocks)
        while b.outputs()["busy"]:
            assert not b.outputs()["queue_ready"]
            b.run(1)
        b.engine.set(queue_valid=0, task_operation=0)
        outputs = b.outputs()
        assert (outputs["error"], outputs["sectors_done"], outputs["queue_begun"]) == (0, blocks, blocks)
        data = content(operation, 40 + 24)
        b.engine.source(Bytes(data))
        b.start(Operation.RECORD_FLUSH, 1000, 40)
        b.run(4)
        b.wait(Event.QUEUE)
        b.engine.set(queue_valid=1, queue_lba=100, queue_sectors=24)
        b.run(1)
        b.engine.set(queue_valid=0)
        b.wait(Event.IDLE)
        assert (b.outputs()["error"], b.outputs()["sectors_done"]) == (0, 64)
        assert b.read(1000, 40) + b.read(100, 24) == data
        assert one.drives[1].image.read_sectors(FREE, 4) == content(2, 4)
        b.check()
    one.works()


@pytest.mark.parametrize("operation, registers, error", [
    (PLAY, {"command": 0xE4, "blocks": 2, "pio": 1}, Error.SHORT_DATA),
    (RECORD, {"command": 0xEB, "blocks": 2, "data": bytes(1024)}, Error.DATA_CRC),
    (PLAY, {"command": 0x47, "blocks": 1, "count": 2, "lba": 4}, Error.PROTOCOL),
    (RECORD, {"command": 0xE8, "blocks": 1, "data": bytes(512)}, Error.PROTOCOL),
    (FLUSH, {"command": 0xE4}, Error.PROTOCOL),
    (PLAY, {"command": 0xE5, "blocks": 1}, Error.SHORT_DATA)], ids=str)
@pytest.mark.parametrize("shape", EACH)
def test_wrong_commands(shape, operation, registers, error):
    """Each ends as with one drive, is issued once, and the array continues."""
    one = Commanded(shape)
    one.works()
    found = one.command(1, operation, **registers)
    assert found.outputs["sectors_done"] == 0
    assert found.error == error == found.outputs["cause"] and found.outputs["array_failed"] == 2
    assert one.found.count(registers["command"]) == 1
    one.works(check=False)


def test_long_logical_sectors():
    """``lba`` counts sectors of the drive, ``sectors`` blocks of 512 bytes; neither is refused as for an extent."""
    one = Commanded("striped", units={"logical_sector": 4096})
    b = one.bench
    found = one.command(1, PLAY, command=0xEC, blocks=1, pio=1)
    assert (found.error, found.data) == (0, b.identify()) and b.outputs()["long_sectors"]
    data = content(4, 8)
    place = FREE // 8 + 1
    assert one.command(1, RECORD, command=0x35, lba=place, count=1, data=data).error == 0
    assert one.drives[1].image.read_sectors(8 * place, 8) == data
    found = one.command(1, PLAY, command=0x25, lba=place, count=1, blocks=8)
    assert (found.error, found.data, found.outputs["sectors_done"]) == (0, data, 8)
    assert b.record(content(5, 48), 48, flush=True).error == 0 and b.read(48, 48) == content(5, 48)

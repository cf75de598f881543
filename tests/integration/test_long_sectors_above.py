"""Logical sectors of 4096 bytes, and what is above the core: modes, frames, COMMAND, power that fails."""

import pytest
from integration.framed import check, on_drive
from integration.modes import Numbers, Plan, check_recording, record
from integration.small import SMALL, connect, content
from sata_drive_model.device import Health

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Bytes, Event

pytestmark = pytest.mark.wide

CORE = SMALL | {"buffer_words": 1024, "max_command_sectors": 16, "extents": "modes", "frames": True,
                "commands": True, "power_fail": True, "long_logical_sectors": True}
MODE = RecordingMode


def made(bench):
    return bench(connect(unit={"logical_sector": 4096, "health": Health()}), **CORE)


@pytest.mark.parametrize("plan", [
    Plan(MODE.FIXED, 80, 64, words=3000), Plan(MODE.FIXED, 80, 64, words=1), Plan(MODE.FIXED, 80, 64),
    Plan(MODE.FIXED, 80, 64, words=1025, position=8), Plan(MODE.FIXED, 80, 64, stop=2500),
    Plan(MODE.UNTIL_STOPPED, 80, 64, stop=4500, ahead=3), Plan(MODE.RING, 80, 24, stop=9001),
    Plan(MODE.RING, 80, 24, position=16, stop=5000, ahead=20),
    Plan(MODE.TRIGGERED, 80, 256, words=700, part=128, chunk=8, segments=2,
         triggers=((5000, 0), (40000, 0)))], ids=str)
def test_modes(bench, plan):
    b = made(bench)
    b.image.write(512 * 80, bytes(512 * 256))
    found = record(b, plan)
    assert found.outputs["error"] == 0 and found.accepted
    check_recording(b, plan, found, logical=8)
    assert not b.violations()


@pytest.mark.parametrize("plan", [
    Plan(MODE.FIXED, 84, 64, words=3000), Plan(MODE.FIXED, 80, 64, words=3000, position=4),
    Plan(MODE.FIXED, 80, 60), Plan(MODE.UNTIL_STOPPED, 80, 63, stop=10),
    Plan(MODE.RING, 84, 12, position=4, stop=9001), Plan(MODE.RING, 80, 20, stop=9001),
    Plan(MODE.TRIGGERED, 80, 256, words=700, part=100, chunk=8, triggers=((5000, 0),)),
    Plan(MODE.TRIGGERED, 80, 256, words=700, part=128, chunk=12, triggers=((5000, 0),)),
    Plan(MODE.TRIGGERED, 84, 256, words=700, part=128, chunk=8, triggers=((5000, 0),))], ids=str)
def test_a_space_that_splits_a_logical_sector_is_refused(bench, plan):
    """Before its first word, though its first extent alone might do."""
    b = made(bench)
    before = len(b.drive.completed)
    found = record(b, plan)
    assert found.outputs["error"] == Error.SECTOR_SIZE
    assert found.accepted == found.outputs["sectors_done"] == 0
    assert len(b.drive.completed) == before


def test_frames(bench):
    b = made(bench)
    b.engine.set(frame_enable=1, frame_stream_id=7, recording_mode=MODE.UNTIL_STOPPED,
                 recording_ahead=65536, recording_position=0)
    b.engine.source(Numbers(5), mark=6000)
    b.start(Operation.RECORD, 80, 256)
    b.engine.run(20)
    while b.engine.state().taken < 6000:
        b.engine.run(100)
    b.stop()
    b.engine.run(200_000)
    outputs = b.outputs()
    assert outputs["error"] == 0 and outputs["sectors_done"] % 8 == 0
    assert check(on_drive(b, 80, outputs["sectors_done"]), Numbers(5), 7) >= 6000


def test_command_is_raw(bench):
    """LBA and count are the drive's, the data are counted in blocks of 512 bytes."""
    b = made(bench)
    data = content(3, 8)
    assert b.command(Operation.RECORD, command=0x35, lba=10, count=1, data=data).error == 0
    assert b.image.read_sectors(80, 8) == data and not any(b.image.read_sectors(88, 8))
    found = b.command(Operation.PLAY, command=0x25, lba=10, count=1, blocks=8)
    assert (found.error, found.data) == (0, data)
    # A page of a log has no whole logical sector.
    found = b.command(Operation.PLAY, command=0x2F, lba=4, count=1, blocks=1, pio=1)
    assert found.error == 0 and len(found.data) == 512
    found = b.command(Operation.PLAY, command=0x25, lba=b.drive.sectors // 8, count=1, blocks=8)
    assert found.error == Error.DRIVE_ERROR
    assert found.outputs["error_lba"] == b.drive.sectors // 8


def test_the_sector_of_an_error_stays(bench):
    """In the sectors of the operation in which it came, whatever follows it."""
    b = made(bench)
    b.behaviour.fail_lba = 96
    found = record(b, Plan(MODE.FIXED, 80, 40))
    assert (found.outputs["error"], found.outputs["error_lba"]) == (Error.DRIVE_ERROR, 96)
    b.behaviour.fail_lba = None
    assert b.command(Operation.FLUSH, command=0xE7).error == 0 and b.outputs()["error_lba"] == 96
    assert b.play(160, 8).error == 0 and b.outputs()["error_lba"] == 96
    end = b.drive.sectors // 8
    assert b.command(Operation.PLAY, command=0x25, lba=end, count=1, blocks=8).error
    assert b.outputs()["error_lba"] == end
    assert b.play(160, 8).error == 0 and b.outputs()["error_lba"] == end


@pytest.mark.parametrize("words", [1, 1500])
def test_what_is_on_the_drive_stays_when_it_is_lost(bench, words):
    """The recording has not gone over its own first sectors."""
    b = made(bench)
    found = record(b, Plan(MODE.FIXED, 80, 64, words=words))
    assert found.outputs["error"] == found.outputs["recording_oldest"] == 0
    b.port.drop_link(3)
    b.run(50)
    outputs = b.outputs()
    assert not outputs["long_sectors"] and outputs["recording_oldest"] == 0
    b.wait(Event.READY)
    assert b.outputs()["recording_oldest"] == 0


def test_power_that_fails(bench):
    """What was accepted is on the drive, and STANDBY IMMEDIATE follows."""
    b = made(bench)
    data = content(4, 64)
    b.engine.set(recording_mode=MODE.FIXED, recording_words=0, recording_ahead=65536)
    b.engine.source(Bytes(data))
    b.start(Operation.RECORD, 80, 64)
    b.engine.run(2500)
    b.engine.set(power_fail=1)
    b.engine.run(60_000)
    outputs = b.outputs()
    taken = b.engine.state().taken
    done = b.image.read_sectors(80, 64)
    assert 0 < taken < 64 * 128 and done[:4 * taken] == data[:4 * taken]
    assert b.drive.completed[-1].command == 0xE0 and outputs["power_safe"]

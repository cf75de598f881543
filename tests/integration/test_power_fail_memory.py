"""Power fails while a memory holds more than can still be written: what is written is whole, the rest is counted."""

import random

import pytest
from integration.benches import FAST
from integration.modes import Numbers
from integration.test_file_recorder import searched, wait
from integration.test_power_fail_recorder import LBA, SECTORS, SwitchedOffCore, ready
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.file import FileError
from sata_recorder.interface.memory import MemoryFailure
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import prepare, verify
from short import short

pytestmark = pytest.mark.wide

#: Clocks for which power lasts, but for the command in flight.
_HOLD_UP = 30_000
MEMORY = {"memory": 1 << 20, "memory_width": 128, "buffer_words": 512, "max_command_sectors": 16,
          "power_hold_up": _HOLD_UP / FAST.get("clock_hz", 75e6), "command_timeout": 1.0}


@pytest.fixture
def board():
    made = []

    def make(**options):
        made.append(SwitchedOffCore(**MEMORY | options))
        return made[-1]

    yield make
    for one in made:
        one.engine.close()


@pytest.mark.sample(3)
@pytest.mark.parametrize("latency", [60, 15_000])
@pytest.mark.parametrize("clocks", short([10, 40, 2000, 30_000, 80_000, 110_000], [40, 80_000]))
@pytest.mark.parametrize("options", [{"frames": False}, {"frames": False, "extents": "modes"}], ids=["single", "modes"])
def test_a_recording(board, options, clocks, latency):
    """Each word that was taken is on the drive, or is one of ``power_lost``; with time enough there are none."""
    one = ready(board(**options))
    one.b.drive.behaviour.command_latency = latency
    one.engine.source(Numbers(5))
    if options.get("extents"):
        one.engine.set(recording_mode=RecordingMode.UNTIL_STOPPED, recording_words=0, recording_chunk=1)
    one.b.start(Operation.RECORD, LBA, 2000)
    one.engine.run(clocks)
    begun = len(one.b.drive.completed)
    one.fail()
    taken, lost, sectors = one.engine.state().taken, one.get("power_lost"), one.get("power_sectors")
    if clocks > 10_000 and latency > 1000:
        assert lost and 128 * sectors + lost == taken
        assert one.get("power_error") == Error.PROTOCOL
        # Two for which time was left, the one in flight, and STANDBY IMMEDIATE.
        assert len(one.b.drive.completed) - begun <= 2 + 1 + 1
    else:
        assert lost == 0 and one.get("power_error") == Error.NONE and 128 * sectors >= taken
    written = min(taken, 128 * sectors)
    assert one.disk.read(512 * LBA, 4 * written) == Numbers(5).read(0, written)
    # The next power failure is another one.
    one.engine.set(power_fail=0)
    one.engine.run(10)
    assert one.get("power_lost") == lost
    one.engine.set(power_fail=1)
    wait(one.b, lambda outputs: outputs["power_safe"])
    assert one.get("power_lost") == 0


@pytest.mark.parametrize("clocks", short([100, 2000, 6600, 20_000], [2000, 6600]))
@pytest.mark.parametrize("recovery", [True, False])
def test_a_drive_that_is_lost_meanwhile(board, recovery, clocks):
    """What the recording leaves is counted, whatever ends it."""
    one = ready(board(frames=False, recovery=recovery))
    one.b.drive.behaviour.command_latency = 15_000
    one.engine.source(Numbers(5))
    one.b.start(Operation.RECORD, LBA, 2000)
    one.engine.run(60_000)
    one.engine.set(power_fail=1)
    one.engine.run(clocks)
    one.b.port.drop_link(400)
    wait(one.b, lambda outputs: outputs["power_safe"], 600_000)
    taken, lost = one.engine.state().taken, one.get("power_lost")
    # Words of the command in flight are in doubt.
    assert one.get("power_error") in (Error.LINK_LOST, Error.PROTOCOL) and lost
    assert taken - 128 * 16 <= 128 * one.get("power_sectors") + lost <= taken


def test_what_the_user_has_given_up_before(board):
    one = ready(board(frames=False))
    one.b.drive.behaviour.command_latency = one.b.drive.behaviour.other_latency = 15_000
    one.engine.source(Numbers(5))
    one.b.start(Operation.RECORD_FLUSH, LBA, 2000)
    one.engine.run(60_000)
    one.engine.set(memory_abandon=1)
    while not one.get("memory_failure"):
        one.engine.run(1)
    one.engine.run(1)
    one.fail()
    assert one.get("power_error") == Error.PROTOCOL
    assert 128 * one.get("power_sectors") + one.get("power_lost") == one.engine.state().taken


@pytest.mark.sample(3)
@pytest.mark.parametrize("latency", [60, 10_000])
@pytest.mark.parametrize("modes", [False, True], ids=["core", "modes"])
def test_a_file(board, tmp_path, seen, modes, latency):
    """It ends with what time was left for; its log and its sector of the directory are not given up."""
    path = tmp_path / "disk.img"
    prepare(path, sectors=SECTORS, recordings=2, align=16 << 10)
    rng = random.Random(latency)
    for _ in range(2):
        one = board(content=path.read_bytes(), files=True, frames=False, **{"extents": "modes"} if modes else {})
        wait(one.b, searched)
        one.b.drive.behaviour.command_latency = latency
        one.engine.source(Numbers(7))
        one.engine.set(file_start=1)
        one.engine.run(rng.randrange(40_000, 100_000))
        one.fail()
        taken, lost = one.engine.state().taken, one.get("power_lost")
        drive = seen(one.content())
        assert verify(drive).problems == []
        (recording,) = [each for each in drive.recordings if each.is_file]
        data = drive.read(recording).tobytes()
        assert data == Numbers(7).read(0, len(data) // 4) and len(data) == one.get("file_bytes")
        assert len(data) // 4 + lost == taken
        assert (lost > 0) == (latency > 1000)
        assert one.get("file_error") == (FileError.CUT_SHORT if lost else FileError.NONE)


def test_a_file_that_the_user_gives_up(board, tmp_path, seen):
    """What it has left in the memory can be read after the stage has written its log, too."""
    path = tmp_path / "disk.img"
    prepare(path, sectors=SECTORS, recordings=2, align=16 << 10)
    one = board(content=path.read_bytes(), files=True, frames=False)
    wait(one.b, searched)
    one.b.drive.behaviour.command_latency = 10_000
    one.engine.source(Numbers(7))
    one.engine.set(file_start=1)
    one.engine.run(60_000)
    one.engine.set(file_start=0, memory_abandon=1)
    wait(one.b, lambda outputs: outputs["file_error"] == FileError.CUT_SHORT)
    one.engine.set(memory_abandon=0)
    wait(one.b, searched)
    assert one.get("memory_failure") == MemoryFailure.GIVEN_UP
    assert one.get("file_bytes") // 4 + one.get("memory_lost") == one.engine.state().taken
    drive = seen(one.content())
    assert verify(drive).problems == []
    (recording,) = [each for each in drive.recordings if each.is_file]
    data = drive.read(recording).tobytes()
    assert data == Numbers(7).read(0, len(data) // 4) and len(data) == one.get("file_bytes") > 0

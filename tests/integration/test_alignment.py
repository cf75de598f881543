"""The core's count of misaligned write commands against the drive's own, and what they cost."""

import pytest
from integration.benches import port_of
from integration.small import SMALL, connect, content
from sata_drive_model import DiskImage, Drive, Health, Medium, Profile

from sata_recorder.core.drive_port import Error
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Hold

pytestmark = pytest.mark.wide

CORE = SMALL | {"alignment": True}
OTHERS = CORE | {"commands": True, "flush_commands": 2, "on_failure": "skip", "extents": "modes",
                 "buffer_words": 512}


def drive(*, alignment=0, physical_sector=4096, **behaviour):
    return connect(unit={"health": Health(), "physical_sector": physical_sector, "alignment": alignment},
                   **behaviour)


def count(b):
    return b.outputs()["misaligned"]


def clear(b):
    b.engine.set(alignment_clear=1)
    b.run(1)
    b.engine.set(alignment_clear=0)
    b.run(1)


@pytest.mark.parametrize("alignment, lba, sectors, wanted", [
    (0, 0, 64, 0), (0, 8, 60, 1), (0, 1, 64, 4), (0, 4, 4, 1), (1, 0, 64, 4), (1, 7, 64, 0), (1, 7, 65, 1)])
def test_as_the_drive_counts(bench, alignment, lba, sectors, wanted):
    """Commands of 16 sectors, physical sectors of 8."""
    b = bench(drive(alignment=alignment), **CORE)
    assert (b.outputs()["alignment_sectors"], b.outputs()["alignment_offset"]) == (8, alignment)
    assert b.record(content(1, sectors), lba).error == Error.NONE
    assert count(b) == wanted == b.drive.health.misaligned
    # Neither a playback nor a flush is one, and the next recording continues.
    b.play(lba + 1, 3)
    b.flush()
    assert b.record(content(1, 3), 1).error == Error.NONE
    assert count(b) == wanted + 1 == b.drive.health.misaligned
    clear(b)
    assert count(b) == 0
    b.check()


def test_a_drive_that_lies(bench):
    b = bench(drive(physical_sector=None), **CORE)
    assert b.record(content(1, 64), 1).error == Error.NONE
    assert count(b) == 0 and b.outputs()["alignment_sectors"] == 1
    b.engine.set(alignment_override=8)
    assert b.record(content(1, 64), 1).error == Error.NONE
    assert count(b) == 4 and b.outputs()["alignment_sectors"] == 8


def test_a_command_that_fails_counts_when_it_has_ended_well(bench):
    b = bench(drive(), **CORE)
    b.drive.behaviour.fail_lba = 20
    assert b.record(content(1, 48), 1).error == Error.DRIVE_ERROR
    assert count(b) == 1 and b.drive.health.misaligned == 2


def test_another_drive(bench):
    """Its own physical sectors count."""
    b = bench(drive(), **CORE)
    b.port.plug(Drive(DiskImage(sectors=5000), serial="OTHER", physical_sector=1024), 50)
    b.run(60)
    assert b.outputs()["alignment_sectors"] == 1
    while not b.outputs()["ready"]:
        b.run(100)
    assert b.outputs()["alignment_sectors"] == 2
    assert b.record(content(1, 17), 2).error == Error.NONE and count(b) == 1


def test_with_other_options(bench):
    b = bench(drive(), **OTHERS)
    assert b.record(content(1, 100), 5, hold=Hold(9, 2)).error == Error.NONE
    assert count(b) == b.drive.health.misaligned > 0
    # COMMAND is not what the core records.
    b.engine.set(task_operation=1, task_command=0x35, task_count=3, task_device=0x40)
    before = count(b)
    assert b.record(content(2, 3), 1).error == Error.NONE and count(b) == before
    b.check()


def test_a_ring(bench):
    """Each command of it, round and round."""
    b = bench(drive(), **OTHERS)
    b.engine.set(recording_mode=RecordingMode.RING)
    assert b.record(content(1, 100), 3, 40, stop_after=128 * 90).error == Error.NONE
    assert count(b) == b.drive.health.misaligned > 4


PROFILE = Profile.from_data({
    "name": "rmw", "model": "RMW", "description": "reads before it writes", "capacity_sectors": 5000,
    "generation": 2, "source": "a test", "physical_sector": 4096,
    "write": {"mb_per_s": 100, "buffer_bytes": 8192, "misaligned_us": 300}}, "test")


def test_what_it_costs(bench):
    """As much as the profile states for each of them."""
    clocks = []
    for lba in 8, 9:
        unit = {"medium": Medium(PROFILE, 75e6), "health": Health()}
        port = port_of(Drive(DiskImage(sectors=5000), **unit))
        b = bench(port, **CORE)
        begin = b.engine.state().cycle
        assert b.record(content(1, 80), lba).error == Error.NONE
        b.flush()
        clocks.append(b.engine.state().cycle - begin)
        assert count(b) == b.drive.health.misaligned == (5 if lba == 9 else 0)
    aligned, split = clocks
    assert 5 * 300 * 75 - 200 < split - aligned < 5 * 300 * 75 + 200

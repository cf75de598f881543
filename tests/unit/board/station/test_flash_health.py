"""A simulated drive whose SMART is that of a flash drive's family."""

import pytest
from sata_drive_model import Health

from sata_recorder.board.station.flash_health import flash_health
from sata_recorder.lab.measurement import JobError
from sata_recorder.lab.wear import Reporting, flash_drive
from sata_recorder.pc.maintenance import attributes, drive_family, health_of

LAP = 4 << 20
KNOWN = drive_family("Indilinx Barefoot")


@pytest.fixture(scope="module")
def onyx():
    return Reporting(flash_drive("onyx")).scaled(LAP)


def read(reporting, laps):
    drive = flash_health(Health, reporting, written_bytes=laps * LAP, hours=7)
    found = attributes(drive.data(), drive.thresholds(), KNOWN)
    return found, health_of(found, known=KNOWN, status=0xC24F)


@pytest.mark.parametrize("laps", [0, 1, 10, 1000, 5000, 20_000])
def test_the_pc_reads_the_wear_of_the_model(onyx, laps):
    """A lap of the simulated drive wears it as one of the real one, whose flash has 7.3 % more."""
    found, health = read(onyx, laps)
    least, mean, most = health.erased
    assert mean == pytest.approx(laps * 32_017_047_552 / 34_359_738_368, abs=1 + laps / 100)
    assert least <= mean <= most <= least + 110
    assert health.written_bytes == laps * LAP and health.hours == 7
    assert health.worn == pytest.approx(100 * mean / 5000, abs=1)
    # What nobody knows of its blocks is not there.
    assert health.bad_blocks is None and 195 not in found


@pytest.mark.wide
def test_it_ends_as_the_model_does():
    drive = flash_drive("840-pro")
    with pytest.raises(JobError, match="nobody has entered the attributes of its family"):
        Reporting(drive)
    worn = Reporting(drive.model_copy(update={"smart": "Indilinx Barefoot"})).scaled(LAP)
    laps = next(laps for laps in range(0, 100_000, 100) if worn.read_only(laps * LAP))
    assert 10_000 < laps < 13_000
    assert flash_health(Health, worn, written_bytes=laps * LAP).read_only
    assert not flash_health(Health, worn, written_bytes=LAP).read_only


def test_a_log_of_another_wear_is_not_there(onyx):
    drive = flash_health(Health, onyx)
    assert drive.log(4, 0, 1) is None and drive.log(0, 0, 1) is not None

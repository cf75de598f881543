"""What smartctl's drive database reports of models, the one that is installed here."""

import subprocess

import pytest
from unit.pc.maintenance.real_drives import RealDrive, row
from unit.pc.maintenance.test_real_drives import PRESETS

from sata_recorder.pc.maintenance import known_drive

DISKS = ("ST2000DM001-1CH164",)
#: Names that only the unit tests have.
MADE_UP = ("ERRORS", "SECONDS")


@pytest.fixture
def smartctl(judge):
    return judge("smartctl", "smartmontools")


@pytest.mark.parametrize("model", [model for model in PRESETS if model not in (*MADE_UP, "OCZ-ONYX")])
def test_names_of_a_model(smartctl, model):
    family, names = PRESETS[model]
    known = known_drive(model, "F", is_disk=model in DISKS)
    assert known.family == family
    assert {number: known.named(number) for number in names} == names


def test_no_model(smartctl):
    assert known_drive("NO SUCH MODEL", "F", is_disk=False) is None


def test_each_meaning_is_a_name_of_its(smartctl):
    """A name that smartctl does not have is one that nobody has."""
    from sata_recorder.pc.maintenance.known_drives import drive_table
    text = subprocess.run([smartctl, "-P", "showall"], capture_output=True, text=True).stdout
    there = {line.split()[-1] for line in text.splitlines() if line}
    for meaning in drive_table()["meaning"]:
        assert set(meaning["names"]) <= there, set(meaning["names"]) - there
        for family in meaning.get("families", ()):
            assert f"MODEL FAMILY:       {family}" in text, family


def test_units_of_a_real_model(smartctl):
    assert RealDrive("INTEL SSDSC2BB120G4", "D2010355", row(241, 300_000)).health.written_bytes == 300_000 << 25

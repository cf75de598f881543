"""What is said of a drive that has no timing profile."""

import pytest

from sata_recorder.simulation import ProfileError, load_profile


@pytest.mark.parametrize("name, told", [
    ("c300", "inside the c300-256gb is known: `measure` and `access` take it with --medium flash, `wear` without"),
    ("WD20EARS", "what is inside the wd20ears is known: `measure` and `access` take it with --medium disk; "),
    ("zzz", "no drive profile 'zzz'; `sata-recorder drives` lists all; three ways")])
def test_a_drive_whose_inside_alone_is_known(name, told):
    with pytest.raises(ProfileError) as error:
        load_profile(name)
    assert told in str(error.value) and "three ways to make one" in str(error.value)

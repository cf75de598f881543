"""Parameter files of disks."""

import pytest
from unit.drive_model.disk.disks import PHYSICAL, disk

from sata_drive_model.disk import DiskDrive, Geometry, disk_profile
from sata_drive_model.medium import Profile, ProfileError


def test_those_supplied_have_a_source_or_a_reason_for_each_parameter():
    assert {"hds721050cla362", "momentus-xt-500gb", "st8000as0002", "wd20ears"} <= set(DiskDrive.names())
    for name in DiskDrive.names():
        one = DiskDrive.load(name)
        assert one.name == name
        for field, kind, _ in one.parameters():
            assert one.origin(field) != "default" and kind in ("physical", "policy", "cap"), field
        for _, _, other in one.varied():
            assert other.name == name
        assert Geometry(one.physical).sectors * one.physical.sector_bytes == one.physical.user_bytes


@pytest.mark.parametrize("physical, message", [
    ({"inner_mb_per_s": 70}, "physical.inner_mb_per_s = 70: at most outer_mb_per_s = 60"),
    ({"average_seek_ms": 0.5}, "physical.average_seek_ms = 0.5: from track_seek_ms = 1 to full_seek_ms = 12"),
    ({"rpm": 0}, "physical.rpm = 0: must be at least 1000"),
    ({"user_bytes": 4608, "sector_bytes": 4096}, "physical.user_bytes = 4608: must be a multiple of sector_bytes = "
                                                 "4096"),
    ({"inner_mb_per_s": 0.1}, "physical.inner_mb_per_s = 0.1: a track must hold 4096 bytes at least")])
def test_what_cannot_be_is_refused(physical, message):
    with pytest.raises(ProfileError, match=f"^drive: {message}"):
        disk(**physical)


def test_a_ring_larger_than_the_disk_is_refused():
    with pytest.raises(ProfileError, match=f"cache_bytes = {1 << 28}: 16384 to physical.user_bytes = {1 << 27}"):
        disk(policy={"shingles": {"band_bytes": 65_536, "cache_bytes": 1 << 28, "idle_ms": 1}})


def test_a_parameter_without_an_origin_is_refused():
    with pytest.raises(ProfileError, match="physical.rpm: has neither a source nor a reason"):
        DiskDrive.from_data({"name": "x", "description": "x", "physical": PHYSICAL,
                             "estimates": {f"physical.{name}": "for a test" for name in PHYSICAL if name != "rpm"}})


def test_its_profile_has_what_the_timing_profile_tells_of_the_controller():
    timing = Profile.from_data({"name": "small", "model": "SMALL", "description": "small", "capacity_sectors": 99,
                                "generation": 3, "source": "a test", "write": {"mb_per_s": 5, "command_us": 70},
                                "read": {"zones": [[0, 9], [1, 5]]}})
    profile = disk_profile(disk(), timing)
    assert (profile.model, profile.generation, profile.capacity_sectors) == ("SMALL", 3, 1 << 18)
    assert profile.rotating and profile.physical_sector == 512
    assert profile.write.command_us == 70 and profile.write.mb_per_s is None and profile.read.zones is None
    own = disk_profile(disk(cap={"command_us": 5, "completion_us": 6}), timing)
    assert (own.write.command_us, own.read.completion_us) == (5, 6)
    assert disk_profile(disk()).generation == 2

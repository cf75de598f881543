"""SMART data taken apart, and what follows from them."""

import pytest
from sata_drive_model import Health as DriveHealth

from sata_recorder.pc.maintenance import Attribute, BadPage, DriveVerdict, attributes, simulated_drive
from sata_recorder.pc.maintenance import health_of as health_of_any

GOOD, EXCEEDED = 0xC24F, 0x2CF4
KNOWN = simulated_drive()


def health_of(found, **options):
    return health_of_any(found, known=KNOWN, **options)


def of(**fields):
    """What is found of a drive model whose health is this."""
    drive = DriveHealth(**fields)
    return attributes(drive.data(), drive.thresholds(), KNOWN), EXCEEDED if drive.failing() else GOOD


def one(number, value, raw=0, threshold=0, prefail=False):
    return {number: Attribute(number, f"attribute {number}", value, value, threshold, raw, prefail)}


def test_attributes():
    found, _ = of(hours=9, celsius=41, crc_errors=3, written_bytes=5120)
    assert {number: attribute.raw for number, attribute in found.items()} == {
        5: 0, 9: 9, 12: 1, 187: 0, 194: 41, 199: 3, 232: 100, 233: 0, 241: 10, 242: 0, 249: 0}
    assert found[232] == (232, "spare left", 100, 100, 10, 100, True, ()) and not found[232].exceeded
    assert found[9].name == "power-on hours" and not found[9].prefail


def test_without_thresholds():
    found = attributes(DriveHealth().data())
    assert {attribute.threshold for attribute in found.values()} == {0}


@pytest.mark.parametrize("page, told", [
    (bytes(511), "511 bytes"), (b"\1" + bytes(511), "sum of its bytes is 0x01")])
def test_bad_pages(page, told):
    with pytest.raises(BadPage, match=told):
        attributes(page)
    with pytest.raises(BadPage, match="THRESHOLDS.*" + told):
        attributes(DriveHealth().data(), page)


def test_a_good_drive():
    found, status = of(written_bytes=10 << 30, amplification=1.5, endurance_bytes=100 << 30, hours=3)
    health = health_of(found, status=status)
    assert (health.verdict, health.reasons) == (DriveVerdict.GOOD, ())
    assert (health.worn, health.spare, health.celsius, health.hours) == (15, 100, 35, 3)
    assert health.written_bytes == 10 << 30 and health.flash_bytes == 15 << 30
    assert health.amplification == 1.5 and health.bit_error_rate is None
    assert (health.reallocated, health.uncorrectable, health.crc_errors) == (0, 0, 0)


@pytest.mark.parametrize("fields, verdict, reason", [
    ({"celsius": 69}, DriveVerdict.GOOD, None),
    ({"celsius": 70}, DriveVerdict.WATCH, "70 degrees"),
    ({"crc_errors": 1}, DriveVerdict.WATCH, "CRC errors of the line: 1, check the cable"),
    ({"uncorrectable": 4}, DriveVerdict.WATCH, "uncorrectable errors: 4"),
    ({"reallocated": 2}, DriveVerdict.WATCH, "reallocated sectors: 2"),
    ({"written_bytes": 90, "endurance_bytes": 100}, DriveVerdict.GOOD, None),
    ({"written_bytes": 91, "endurance_bytes": 100}, DriveVerdict.WATCH, "worn to 91 %"),
    ({"written_bytes": 108, "endurance_bytes": 100}, DriveVerdict.WATCH, "worn to at least 99 %"),
    ({"written_bytes": 109, "endurance_bytes": 100}, DriveVerdict.FAILING, "spare left: 10, threshold 10"),
    ({"written_bytes": 120, "endurance_bytes": 100}, DriveVerdict.FAILING, "no spare blocks are left"),
])
def test_verdicts(fields, verdict, reason):
    found, status = of(**fields)
    health = health_of(found, status=status)
    assert health.verdict is verdict, health.reasons
    assert reason is None and not health.reasons or any(reason in one for one in health.reasons)


def test_the_drives_own_word_counts():
    found, _ = of()
    assert health_of(found, status=EXCEEDED).verdict is DriveVerdict.FAILING
    assert health_of(found).verdict is health_of(found, status=0).verdict is DriveVerdict.UNKNOWN


def test_what_is_not_said_is_unknown():
    health = health_of({}, status=GOOD)
    assert health.verdict is DriveVerdict.GOOD
    assert {health.worn, health.spare, health.celsius, health.written_bytes, health.read_bytes,
            health.flash_bytes, health.amplification, health.hours, health.crc_errors} == {None}


@pytest.mark.parametrize("value", [101, 200, 253])
def test_normalised_values_that_are_none(value):
    """Vendors that count otherwise: no wear is made of it."""
    health = health_of(one(233, value) | one(232, value), status=GOOD)
    assert health.worn is health.spare is None and health.verdict is DriveVerdict.GOOD


def test_no_spare_blocks_without_a_threshold():
    """The drive has promised nothing that is over."""
    health = health_of(one(232, 1, prefail=True), status=GOOD)
    assert health.verdict is DriveVerdict.WATCH and "no spare blocks" in health.reasons[0]


def test_an_old_attribute_at_its_threshold_is_no_failure():
    old, early = one(9, 1, threshold=1), one(9, 1, threshold=1, prefail=True)
    assert health_of(old, status=GOOD).verdict is DriveVerdict.WATCH
    assert health_of(early, status=GOOD).verdict is DriveVerdict.FAILING

"""Each answer of the drive model beside that of QEMU's disk: every difference is settled."""

import pytest
from sata_drive_model.qemu import PACKAGE

from foreign.differences import (CASES, PAGE, RULES, ModelDrive, Qemu, compared, differences, page,
                                 settled)


@pytest.fixture
def drives(judge):
    judge("qemu-system-x86_64", PACKAGE)
    qemu = Qemu()
    yield ModelDrive(), qemu
    qemu.close()


@pytest.mark.sample(5)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_settled(drives, case):
    found = differences(case, *drives)
    left = settled(case, found)[1]
    assert not left, {name: found[name] for name in left}


@pytest.mark.wide
def test_each_rule_settles_something(judge):
    judge("qemu-system-x86_64", PACKAGE)
    used = set()
    for case in CASES:
        used |= settled(case, compared(case))[0]
    assert used == set(RULES)


def test_an_unknown_difference_is_found(drives):
    case = next(case for case in CASES if case.command == 0x25)
    drives[1].disk.write(10 * 512, bytes(512))
    assert settled(case, differences(case, *drives))[1] == {"data"}


def test_signature(drives):
    signature = drives[1].disk.reset()
    assert signature[:2] == b"\x34\x40" and signature[2:4] == b"\x30\x01"
    model = drives[0].host.signature
    assert model[2:4] == b"\x50\x01"
    assert signature[4:7] == model[4:7] and signature[12:14] == model[12:14]


@pytest.mark.wide
def test_page(judge):
    judge("qemu-system-x86_64", PACKAGE)
    assert PAGE.read_text() == page()

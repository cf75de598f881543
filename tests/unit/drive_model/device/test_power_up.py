"""Power-Up In Standby, and commands that a drive never answers (ATA8-ACS)."""

import struct

import pytest
from sata_drive_model import Health, PowerUp

from unit.drive_model.scripted_host import connect, never_ends

GOOD, ABORTED = (0x50, 0), (0x51, 0x04)
#: SET FEATURES, spin-up.
SPIN_UP = 0xEF, 0, 0, 0x40, 0x07


def words(host):
    page = host.identify()
    return struct.unpack("<256H", page)


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("word", [0x37C8, 0x738C])
def test_it_spins_up_with_set_features_only(word, keeps):
    host = connect(power_up=PowerUp(word=word, keeps=keeps))
    found = words(host)
    assert found[2] == word and found[83] & 0x60 == found[86] & 0x60 == 0x60
    assert host.read(5, 1) == (*ABORTED, b"") and host.write(5, bytes(512)) == ABORTED
    assert host.command(*SPIN_UP) == GOOD
    assert host.write(5, bytes(512)) == GOOD and host.read(5, 1) == (*GOOD, bytes(512))
    assert words(host)[2] == (word if keeps else 0xC837)
    # COMRESET leaves it as it is, a power cycle does not.
    host.drive.reset()
    assert words(host)[2] == (word if keeps else 0xC837)
    host.drive.power_off()
    assert words(host)[2] == word and host.write(5, bytes(512)) == ABORTED


def test_incomplete_data():
    host = connect(power_up=PowerUp(word=0x37C8, incomplete=True))
    found = words(host)
    assert found[:3] == (0x0044, 0, 0x37C8) and not any(found[3:255])
    assert sum(host.drive.page) % 256 == 0
    host.command(*SPIN_UP)
    found = words(host)
    assert (found[0], found[2], found[49]) == (0x0040, 0x37C8, 0x2F00)


@pytest.mark.parametrize("power_up", [None, PowerUp(asleep=False, answer="abort")])
def test_a_drive_that_does_not_know_the_command(power_up):
    host = connect(power_up=power_up)
    assert host.command(*SPIN_UP) == ABORTED
    assert host.write(5, bytes(512)) == GOOD
    assert (words(host)[2], words(host)[83] & 0x60) == ((0x738C, 0x60) if power_up else (0, 0))


def test_a_compact_card():
    assert words(connect(general=0x848A))[0] == 0x848A


@pytest.mark.wide
@pytest.mark.sample(6)
@pytest.mark.parametrize("mute, command", [
    ("log", (0x47, 5 << 8 | 4, 1)), ("log", (0x2F, 5 << 8 | 4, 1)), ("trim", (0x06, 0, 1, 0x40, 1)),
    ("smart", (0xB0, 0xC24F << 8, 0, 0x40, 0xDA)), ("spin-up", SPIN_UP)])
def test_commands_that_are_never_answered(mute, command):
    host = connect(health=Health(), power_up=PowerUp(asleep=False))
    host.drive.behaviour.mute = frozenset({mute})
    assert host.command(0xE7) == GOOD
    never_ends(lambda: host.command(*command))

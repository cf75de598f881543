"""Serial ATA Revision 2.6, 8 and 9.6.2: the phy is not ready any more; drives go and come."""

import pytest
from integration.clauses.verdict import (COMMAND, FINAL, LBA, OPERATIONS, SECTORS, check, old,
                                         scene, transfer)
from integration.small import connect, content

from sata_recorder.measure import Event
from sata_recorder.sequencer import Error

#: Payload words that have crossed when it happens: in the first Data FIS of all, at its end, in
#: the second command.
PLACES = [1, 1500, 2048, 128 * COMMAND, 128 * COMMAND + 3000]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("gap", [3, 2000])
def test_sata_9_6_2_LS1_link_loss_in_the_middle_of_a_transfer_ends_it(bench, operation, place, gap):
    """From any state L_NoCommErr follows when the phy is not ready, and the transport layer is
    told. The drive comes back with its signature, and has forgotten the command (8.4)."""
    b = scene(bench, FINAL)
    ended = transfer(b, operation, at=place, event=lambda: b.port.drop_link(gap))
    assert ended.done == COMMAND * ((place - 1) // (128 * COMMAND))
    assert len(ended.received) <= 4 * (place + 16)
    check(b, ended, Error.LINK_LOST)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("place", PLACES)
def test_sata_8_4_unplugged_and_the_same_drive_plugged_in_again(bench, operation, place):
    """Without a drive the operation ends; after COMINIT, COMWAKE and signature of the drive that
    comes back it is identified anew, and all that it had completed is there."""
    b = scene(bench, FINAL)
    drive = b.drive
    ended = transfer(b, operation, at=place, event=b.port.unplug)
    b.run(5000)
    assert not b.outputs()["ready"] and b.outputs()["capacity"] == 0
    b.port.plug(drive)
    b.wait(Event.READY)
    assert b.identify() == drive.page
    check(b, ended, Error.LINK_LOST)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("place", PLACES)
def test_sata_8_4_unplugged_and_another_drive_plugged_in(bench, operation, place):
    """The other drive is identified like any other; nothing of the operation gets to it."""
    b = scene(bench, FINAL)
    ended = transfer(b, operation, at=place, event=b.port.unplug)
    b.run(500)
    other = connect(sectors=2000, unit={"serial": "ANOTHER", "lba48": False}).drive
    b.port.plug(other)
    b.wait(Event.READY)
    assert b.outputs()["capacity"] == 2000 and b.identify() == other.page
    assert not any(other.image.read_sectors(0, 2000))
    check(b, ended, Error.LINK_LOST)
    # What the first drive was told is what it has, and no more.
    assert ended.image.read_sectors(LBA - 1, 1) == old()[:512]
    assert not any(other.image.read_sectors(LBA, SECTORS))
    assert content(LBA, SECTORS)[:512] != old()[:512]

"""Serial ATA Revision 2.6, 8 and 9.6.2: the phy is not ready any more; drives go and come."""

import pytest
from integration.clauses.verdict import (COMMAND, LBA, OPERATIONS, SECTORS, both, check, failed,
                                         old, scene, transfer)
from integration.small import connect

from sata_recorder.simulation import Event
from sata_recorder.core.drive_port import Error

#: Payload words that have crossed when it happens: in the first Data FIS of all, at its end, in
#: the second command.
PLACES = [1, 1500, 2048, 128 * COMMAND, 128 * COMMAND + 3000]


def index(place):
    """The Data FIS in which this word is."""
    command, word = divmod(place - 1, 128 * COMMAND)
    return 3 * command + word // 2048


@both
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("gap", [3, 2000])
def test_sata_9_6_2_LS1_link_loss_in_the_middle_of_a_transfer_ends_its_command(
        bench, core, operation, place, gap):
    """From any state L_NoCommErr follows when the phy is not ready, and the transport layer is
    told. The drive comes back with its signature, and has forgotten the command (8.4)."""
    b = scene(bench, core)
    ended = transfer(b, operation, at=place, event=lambda: b.port.drop_link(gap))
    assert core["retries"] or len(ended.received) <= 4 * (place + 16)
    failed(b, ended, Error.LINK_LOST, index=index(place))


@both
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("place", PLACES)
def test_sata_8_4_unplugged_and_the_same_drive_plugged_in_again(bench, core, operation, place):
    """Without a drive the command ends; after COMINIT, COMWAKE and signature of the drive that
    comes back it is identified again, and all that it had completed is there."""
    b = scene(bench, core)
    drive = b.drive

    def pull():
        b.port.unplug()
        if not b.engine.run(5000, Event.DONE):
            assert b.outputs()["recovering"]
            b.port.plug(drive)

    ended = transfer(b, operation, at=place, event=pull)
    if b.port.drive is None:
        assert not b.outputs()["ready"] and b.outputs()["capacity"] == 0
        b.port.plug(drive)
        b.wait(Event.READY)
    assert b.identify() == drive.page
    failed(b, ended, Error.LINK_LOST, index=index(place))


@both
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("place", PLACES)
def test_sata_8_4_unplugged_and_another_drive_plugged_in(bench, core, operation, place):
    """Another drive is identified like any other; nothing of the operation gets to it."""
    b = scene(bench, core)
    other = connect(sectors=2000, unit={"serial": "ANOTHER", "lba48": False}).drive

    def exchange():
        b.port.unplug()
        if not b.engine.run(500, Event.DONE):
            b.port.plug(other)

    ended = transfer(b, operation, at=place, event=exchange)
    outputs = ended.outputs
    if core["retries"]:
        assert b.port.drive is other
    else:
        b.port.plug(other)
        b.wait(Event.READY)
    assert b.outputs()["capacity"] == 2000 and b.identify() == other.page
    assert not any(other.image.read_sectors(0, 2000))
    assert (outputs["cause"], outputs["retries"]) == (Error.LINK_LOST, 0)
    check(b, ended, Error.OTHER_DRIVE if core["retries"] else Error.LINK_LOST)
    # The works of the other drive are not on the first one.
    assert ended.image.read_sectors(LBA - 1, 1) == old()[:512]
    assert not any(other.image.read_sectors(LBA, SECTORS))

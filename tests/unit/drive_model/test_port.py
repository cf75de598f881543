"""The dword port: COMRESET, plugging, link loss, receive errors, delays, refusals."""

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort
from sata_drive_model.protocol.primitives import SYNC

from unit.drive_model.scripted_host import LINK_UP, VALID, connect, content, never_ends


def test_comreset_brings_the_signature_again():
    host = connect(Behaviour(mute=frozenset({"status"})))
    host.limit = 3000
    never_ends(lambda: host.command(0xE7))
    host.drive.behaviour.mute = frozenset()
    host.core = SYNC | 1 << 36
    host.cycle()
    host.core = SYNC
    host.cycle()
    host.cycle()
    assert not host.inputs & LINK_UP and host.port.resets == 1
    host.heard.clear()
    host.since, host.sent = 0, (0, 0)
    assert host.bring_up() == (0x50, 1)
    assert host.command(0xE7) == (0x50, 0)
    assert host.port.link.violations == []


def test_unplug_and_plug():
    host = connect()
    host.port.unplug()
    for _ in range(300):
        host.core = SYNC
        host.cycle()
    assert not host.inputs & (LINK_UP | VALID)
    host.port.plug(Drive(DiskImage(None, sectors=77)))
    host.heard.clear()
    host.since, host.sent = 0, (0, 0)
    host.bring_up()
    assert host.identify()[120:122] == bytes([77, 0])


def test_link_drops():
    host = connect()
    host.port.drop_link(100)
    downs = 0
    for _ in range(300):
        host.core = SYNC
        host.cycle()
        downs += not host.inputs & LINK_UP
    assert 98 <= downs <= 101 and host.inputs & LINK_UP


def test_receive_error():
    host = connect()
    host.port.inject_rx_error(2)
    seen = []
    for _ in range(20):
        host.core = SYNC
        host.cycle()
        seen.append(host.inputs >> 39 & 1)
    assert sum(seen) == 2


@pytest.mark.parametrize("options", [{"line_rate": (2, 1)}, {"line_rate": (0, 1)}, {"skew": -1},
                                     {"round_trip": -1}])
def test_refusals(options):
    with pytest.raises(ValueError):
        DrivePort(None, **options)


def test_round_trip_delays_the_answer():
    spans = []
    for round_trip in (0, 10, 37):
        host = connect(port={"round_trip": round_trip})
        host.port.observer.reset()
        host.write(0, content(17))
        spans.append(host.port.observer.ledger()["handshake"])
        assert host.port.link.violations == []
    # Of both Data FISes: R_OK to SYNC of the DMA Activate, X_RDY to R_RDY, EOF to R_OK.
    assert spans[1] - spans[0] == 6 * 10 and spans[2] - spans[1] == 6 * 27

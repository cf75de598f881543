"""Each check of the host fires when it is provoked, and only then."""

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort
from sata_drive_model.link.states import IDLE, RECEIVE_RDY, RECEIVING, SENDING
from sata_drive_model.protocol import fis
from sata_drive_model.protocol.frame import encode
from sata_drive_model.protocol.primitives import (ALIGN, CONT, EOF, HOLD, HOLDA, K, PMREQ_P, R_IP,
                                                  R_OK, R_RDY, SOF, SYNC, WTRM, X_RDY)

JUNK = 0x12345678


class IdleWire:
    """Words straight into a link in its idle state, with ALIGN pairs where they are due."""

    def __init__(self, **behaviour):
        behaviour = {"signature_latency": 1, "align_interval": 1 << 60, **behaviour}
        self.port = DrivePort(Drive(DiskImage(None, sectors=100), behaviour=Behaviour(**behaviour)),
                              link_up_clocks=1)
        self.link = self.port.link
        self.port.clock(SYNC)
        self.count = 0
        self.answer = SYNC

    def put(self, *words):
        for word in words:
            self.answer = self.port.clock(word) & (K | 0xFFFFFFFF)
            self.count += 1
            if self.count % 200 == 0 and word != CONT:
                self.port.clock(ALIGN)
                self.port.clock(ALIGN)
        return self

    def take_signature(self):
        while self.link.state != SENDING:
            self.put(R_RDY if self.answer == X_RDY else SYNC)
        while self.answer != EOF:
            self.put(R_IP)
        return self.put(R_IP, R_OK, R_OK, SYNC, SYNC)

    def to_receiving(self, command=fis.register_h2d(0xE7)):
        self.take_signature()
        while self.link.state != RECEIVE_RDY:
            self.put(X_RDY)
        return self.put(SOF)

    @property
    def complaints(self):
        return [str(found) for found in self.link.violations]


def test_nothing_to_complain_about():
    wire = IdleWire().take_signature().put(*[SYNC] * 600)
    wire.put(SYNC, SYNC, CONT, *range(50), ALIGN, ALIGN, *range(50), SYNC, *[SYNC] * 30)
    assert wire.complaints == [] and wire.link.state == IDLE


def grace(wire):
    return wire.put(*[SYNC] * 30)


@pytest.mark.parametrize("words, what", [
    ((SYNC, ALIGN, SYNC), "ALIGN not in pairs"),
    ((ALIGN, ALIGN, ALIGN, SYNC), "ALIGN not in pairs"),
    ((K | 0x11111111,), "unknown primitive"),
    ((K << 1 | 5,), "byte 0"),
    ((K << 3 | SYNC,), "byte 0"),
    ((JUNK,), "data dword while the drive is in IDLE"),
    ((0,), "data dword while the drive is in IDLE"),
    ((SYNC, SYNC, CONT, CONT), "CONT after"),
    ((SOF,), "SOF while the drive is in IDLE"),
    ((EOF,), "EOF while the drive is in IDLE"),
    ((HOLD,), "HOLD while the drive is in IDLE"),
    ((WTRM,), "WTRM while the drive is in IDLE"),
    ((PMREQ_P, PMREQ_P), "power request"),
    ((X_RDY, CONT, JUNK), "CONT after 1 x X_RDY"),
    ((X_RDY, X_RDY, X_RDY, EOF), "EOF while the drive is in RECEIVE_RDY"),
])
def test_in_idle(words, what):
    wire = grace(IdleWire().take_signature())
    assert wire.complaints == []
    wire.put(*words)
    assert len(wire.complaints) >= 1 and what in wire.complaints[0]


def test_sof_without_r_rdy():
    wire = grace(IdleWire(r_rdy_delay=50).take_signature()).put(X_RDY, X_RDY, SOF)
    assert wire.complaints == ["SOF while the drive is in RECEIVE_WAIT"]


def test_align_too_rare():
    wire = grace(IdleWire().take_signature())
    wire.port.clock(ALIGN)
    wire.port.clock(ALIGN)
    for _ in range(254):
        wire.port.clock(SYNC)
    assert wire.complaints == []
    wire.port.clock(SYNC)
    assert wire.complaints == ["more than 254 dwords without an ALIGN pair"]


def test_good_frame():
    wire = IdleWire().to_receiving().put(*encode(fis.register_h2d(0xE7))[1:], WTRM)
    assert wire.answer == R_OK and wire.complaints == []


@pytest.mark.parametrize("frame, what", [
    (encode(fis.register_h2d(0xE7), damage=1), "bad CRC"),
    ([SOF, EOF], "bad CRC or empty"),
    (encode(fis.register_h2d(0xE7) + bytes(4)), "unexpected FIS 27h of 6 dwords"),
    (encode(fis.register_h2d(0xE7)[:16]), "unexpected FIS 27h of 4 dwords"),
    (encode(fis.register_d2h(0x50)), "unexpected FIS 34h"),
    (encode(fis.data(bytes(512))), "unexpected FIS 46h"),
    (encode(fis.data(bytes(4 * 2049))), "frame of 2051 dwords"),
    (encode(fis.register_h2d(0xE7, update=False)), "without the C bit"),
    (encode(fis.register_h2d(0xC8, 0, 1, 0)), "without the LBA bit"),
])
def test_bad_frames(frame, what):
    wire = IdleWire().to_receiving().put(*frame[1:], WTRM)
    assert any(what in complaint for complaint in wire.complaints), wire.complaints


def test_wtrm_without_eof():
    wire = IdleWire().to_receiving().put(*encode(fis.register_h2d(0xE7))[1:-1], WTRM)
    assert wire.complaints == ["WTRM without EOF"]


def test_primitive_in_a_frame():
    wire = grace(IdleWire().take_signature()).put(*[X_RDY] * 3, SOF, JUNK, X_RDY)
    assert wire.complaints == ["X_RDY while the drive is in RECEIVING"]


def test_holda_without_hold():
    wire = IdleWire().to_receiving().put(JUNK, HOLDA)
    assert wire.complaints == ["HOLDA without HOLD"]


def test_x_rdy_without_sync():
    wire = IdleWire().to_receiving().put(*encode(fis.register_h2d(0xE7))[1:], WTRM, X_RDY)
    assert wire.complaints == ["X_RDY without SYNC after a frame"]


def test_second_command():
    wire = IdleWire(flush_latency=500).to_receiving().put(*encode(fis.register_h2d(0xE7))[1:], WTRM)
    wire.put(SYNC, SYNC, X_RDY, X_RDY, X_RDY, *encode(fis.register_h2d(0xE7)), WTRM)
    assert wire.complaints == ["command E7h while one is in flight"]


def test_x_rdy_against_x_rdy():
    wire = grace(IdleWire(collision=1.0).take_signature()).put(*[X_RDY] * 20)
    assert wire.complaints == [] and wire.link.collisions == 1
    wire.put(*[X_RDY] * 5)
    assert wire.complaints == ["the host keeps X_RDY against the drive's X_RDY"]


def test_hold_not_obeyed_by_the_sender():
    wire = grace(IdleWire(throttle=(4, 200)).take_signature()).put(*[X_RDY] * 3, SOF, *[JUNK] * 4)
    assert wire.answer == HOLD
    wire.put(*[JUNK] * 20)
    assert wire.complaints == [] and wire.link.overrun == 20
    wire.put(JUNK)
    assert wire.complaints == ["HOLD not obeyed within 20 dwords"]


def test_data_after_holda():
    wire = grace(IdleWire(throttle=(4, 200)).take_signature()).put(*[X_RDY] * 3, SOF, *[JUNK] * 4)
    wire.put(*[JUNK] * 10, HOLDA, HOLDA, CONT, *[JUNK] * 30, HOLD, HOLDA)
    assert wire.complaints == []
    wire.put(JUNK)
    assert wire.complaints == ["HOLD not obeyed within 20 dwords"]


def test_hold_not_obeyed_by_the_receiver():
    wire = IdleWire(underrun_at=((4, 200),)).take_signature()
    wire.put(*[X_RDY] * 3, *encode(fis.register_h2d(0xC8, 0, 1)), WTRM, WTRM)
    while wire.link.state != SENDING:
        wire.put(R_RDY if wire.answer == X_RDY else SYNC)
    wire.put(*[R_IP] * 25)
    assert wire.complaints == ["HOLD not obeyed within 20 dwords"]


def test_r_ok_for_a_bad_fis():
    wire = IdleWire(bad_crc=1).take_signature()
    wire.put(*[X_RDY] * 3, *encode(fis.register_h2d(0xE7)), WTRM, WTRM)
    while wire.link.state != SENDING:
        wire.put(R_RDY if wire.answer == X_RDY else SYNC)
    while wire.answer != EOF:
        wire.put(R_IP)
    wire.put(R_IP, R_OK)
    assert wire.complaints == ["R_OK for a FIS with a fault (CRC)"]


def test_data_fis_longer_than_wanted():
    wire = IdleWire().take_signature()
    wire.put(*[X_RDY] * 3, *encode(fis.register_h2d(0xCA, 0, 1)), WTRM, WTRM)
    while wire.link.state != SENDING:
        wire.put(R_RDY if wire.answer == X_RDY else SYNC)
    while wire.answer != EOF:
        wire.put(R_IP)
    wire.put(R_IP, R_OK, SYNC, *[X_RDY] * 3, *encode(fis.data(bytes(516))), WTRM)
    assert wire.complaints == ["Data FIS of 129 dwords, 128 wanted"]


def test_receiving_state_is_reached():
    assert IdleWire().to_receiving().link.state == RECEIVING

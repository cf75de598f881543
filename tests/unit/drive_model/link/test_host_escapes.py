"""The host leaves a frame with SYNC, or asks for its end with DMAT."""

import pytest
from sata_drive_model import Behaviour
from sata_drive_model.protocol import fis
from sata_drive_model.protocol.frame import decode, encode
from sata_drive_model.protocol.primitives import DMAT, EOF, K, R_IP, SOF, SYNC, X_RDY

from unit.drive_model.scripted_host import connect, content


def test_host_escapes_from_a_data_frame():
    host = connect()

    def script():
        yield from host.issue(0x35, 0, 8)
        assert (yield from host.next_fis())[0] == fis.DMA_ACTIVATE
        yield from host.send(None, encode(fis.data(content(8)))[:100] + [SYNC] * 10)

    with pytest.raises(Exception, match="^$"):
        host.run(script())
    assert host.run(host.ending()) == (0x51, 0x84)
    assert host.port.link.host_escapes == 1 and host.port.link.violations == []


def test_dmat_from_the_host_ends_the_data_fis():
    host = connect(Behaviour(align_interval=1 << 60))
    host.drive.image.write(0, content(16))

    def script():
        yield from host.issue(0x25, 0, 16)
        heard = []
        while SOF not in heard:
            heard = yield (0x14A4A957C if X_RDY in heard else SYNC)
        words = []
        while EOF not in heard:
            heard = yield (DMAT if len(words) == 100 else R_IP)
            words += [word for word in heard if word < K]
        while SYNC not in heard:
            heard = yield 0x13535B57C
        data, good = decode(words)
        assert good and 101 <= len(words) <= 106
        rest = b""
        while True:
            answer = yield from host.next_fis()
            if answer[0] != fis.DATA:
                return data[4:] + rest
            rest += answer[4:]

    assert host.run(script()) == content(16)
    assert host.port.link.violations == []


def test_host_escapes_from_a_received_frame():
    host = connect()

    def script():
        yield from host.issue(0x25, 0, 16)
        heard = []
        while SOF not in heard:
            heard = yield (0x14A4A957C if X_RDY in heard else SYNC)
        for _ in range(50):
            yield R_IP
        for _ in range(30):
            yield SYNC
        return (yield from host.ending())

    assert host.run(script()) == (0x51, 0x84)
    assert host.port.link.host_escapes == 1

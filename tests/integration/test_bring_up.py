"""From power-on to a drive that is ready, or to the reason why it is not."""

import pytest
from integration.small import (IDENTIFY_CLOCKS, REGISTER_H2D, SIGNATURE_CLOCKS, SMALL, commands,
                               connect, content, log, works)
from sata_drive_model import Drive, DrivePort
from sata_drive_model.device.identify import checksum
from sata_drive_model.link import Frame
from sata_drive_model.port import RESET
from sata_drive_model.protocol import fis

from sata_recorder.simulation import Event
from sata_recorder.core.drive_port import Error, Operation

IDENTIFY = 0xEC


def start(b, operation=Operation.PLAY, lba=0, sectors=1):
    """Outputs in the clock of done of an operation that should be refused quickly."""
    b.start(operation, lba, sectors)
    assert b.engine.run(200, Event.DONE), "not refused"
    return b.outputs()


def test_ready_after_signature_and_identify(bench):
    b = bench(**SMALL)
    # A core that has just been reset cannot know that the drive still has its signature to give.
    assert b.port.resets == 1
    assert [record[0] for record in commands(b)] == [IDENTIFY]
    works(b)


@pytest.mark.parametrize("latency", [0, 1, 29_000])
def test_late_signature(bench, latency):
    b = bench(**SMALL, signature_latency=latency)
    assert b.port.resets == 1
    assert b.engine.state().cycle > latency
    works(b)


def test_no_command_before_the_signature(bench):
    b = bench(**SMALL, signature_latency=5000, fis_log=True)
    (sent, _), *_ = log(b, REGISTER_H2D)
    (greeted, _), *_ = log(b, fis.REGISTER_D2H)
    assert sent > greeted > 5000


def test_missing_signature_is_a_timeout_and_asks_for_comreset(bench):
    b = bench(**SMALL, up=False, mute=frozenset({"signature"}))
    b.bring_up()
    first = b.engine.state().cycle
    assert SIGNATURE_CLOCKS < first < 1.05 * SIGNATURE_CLOCKS
    assert b.outputs()["error"] == Error.TIMEOUT and not b.outputs()["ready"]
    b.run(2)
    assert b.port.resets == 2
    # It continues trying.
    b.run(int(2.5 * SIGNATURE_CLOCKS))
    assert b.port.resets == 4
    b.behaviour.mute = frozenset()
    b.wait(Event.READY)
    works(b)


def test_no_drive_at_all(bench):
    port = connect()
    drive = port.drive
    port.unplug()
    b = bench(port, **SMALL, up=False)
    b.engine.set(rst=1)
    b.run(4)
    b.engine.set(rst=0)
    assert not b.engine.run(5 * SIGNATURE_CLOCKS, Event.READY | Event.ERROR)
    outputs = start(b)
    assert outputs["error"] == Error.NOT_READY
    port.plug(drive)
    b.wait(Event.READY)
    works(b)


def test_packet_device(bench):
    b = bench(**SMALL, up=False, drive={"atapi": True})
    outputs = b.bring_up()
    assert outputs["error"] == Error.NOT_ATA
    # It is left alone: no command, no reset.
    b.run(3 * SIGNATURE_CLOCKS)
    assert not b.outputs()["ready"]
    assert b.port.resets == 1 and commands(b) == []
    assert start(b)["error"] == Error.NOT_ATA
    assert b.violations() == []


@pytest.mark.parametrize("unit, error", [
    ({"dma": False}, Error.NO_DMA_LBA),
    ({"lba": False}, Error.NO_DMA_LBA),
    ({"logical_sector": 4096}, Error.SECTOR_SIZE),
])
def test_unusable_drive(bench, unit, error):
    b = bench(**SMALL, up=False, drive=unit)
    assert b.bring_up()["error"] == error
    b.run(3 * SIGNATURE_CLOCKS)
    assert not b.outputs()["ready"] and b.port.resets == 1
    for operation in Operation:
        assert start(b, operation)["error"] == error
    assert [record[0] for record in commands(b)] == [IDENTIFY]
    # Another drive is another chance.
    b.port.plug(connect().drive)
    b.wait(Event.READY)
    works(b)


def test_packet_bit_in_the_identify_data(bench):
    class Packet(Drive):
        """The signature of an ATA device, but bit 15 of IDENTIFY word 0."""

        def link_up(self):
            page = self.page[:1] + bytes([self.page[1] | 0x80]) + self.page[2:510]
            self.page = page + checksum(page).to_bytes(2, "little")
            super().link_up()

    b = bench(connect(Packet), **SMALL, up=False)
    assert b.bring_up()["error"] == Error.NOT_ATA


def test_identify_aborted_is_tried_again(bench):
    b = bench(**SMALL, up=False, abort_identify=2)
    assert b.bring_up()["error"] == Error.IDENTIFY_FAILED
    assert b.outputs()["drive_status"] == 0x51 and b.outputs()["drive_error"] == 0x04
    assert start(b)["error"] == Error.NOT_READY
    b.wait(Event.READY)
    assert b.port.resets == 3
    works(b)
    assert b.outputs()["error"] == 0


@pytest.mark.parametrize("mute", ["identify", "command"])
def test_identify_not_answered(bench, mute):
    b = bench(**SMALL, up=False, mute=frozenset({mute}))
    b.bring_up()
    assert IDENTIFY_CLOCKS < b.engine.state().cycle < 1.1 * IDENTIFY_CLOCKS
    assert b.outputs()["error"] == Error.TIMEOUT
    b.behaviour.mute = frozenset()
    b.wait(Event.READY)
    assert b.port.resets == 2
    works(b)


def test_identify_without_its_data(bench):
    class Forgetful(Drive):
        """Announces a data block once and does not send it."""

        forgets = True

        def link_sent(self, frame, outcome):
            if frame.tag == "pio setup" and self.forgets:
                self.forgets = False
            else:
                super().link_sent(frame, outcome)

    b = bench(connect(Forgetful), **SMALL, up=False)
    assert b.bring_up()["error"] == Error.TIMEOUT
    b.wait(Event.READY)
    works(b)


def test_identify_data_damaged_on_the_way(bench):
    class Damaged(Drive):
        """The first IDENTIFY data has a wrong CRC, and other contents."""

        sound = False

        def enqueue(self, data, latency, tag, **options):
            if tag == "data" and not self.sound:
                self.sound = True
                self.link.send(Frame(data[:4] + bytes(len(data) - 4), self.link.now, tag=tag,
                                     damage=1))
            else:
                super().enqueue(data, latency, tag, **options)

    b = bench(connect(Damaged), **SMALL, up=False)
    assert b.bring_up()["error"] == Error.IDENTIFY_FAILED
    b.wait(Event.READY)
    assert b.identify() == b.drive.page
    works(b)


@pytest.mark.parametrize("dwords", [-127, -1, 1, 128])
def test_identify_data_of_another_length_than_announced(bench, dwords):
    class Wrong(Drive):
        """This many dwords more in the first Data FIS; good CRC."""

        wrong = dwords

        def enqueue(self, data, latency, tag, **options):
            if tag == "data" and self.wrong:
                data = (data + bytes(512))[:len(data) + 4 * self.wrong]
                self.wrong = 0
            super().enqueue(data, latency, tag, **options)

    b = bench(connect(Wrong), **SMALL, up=False)
    assert b.bring_up()["error"] == Error.IDENTIFY_FAILED
    b.wait(Event.READY)
    assert b.port.resets == 2 and b.identify() == b.drive.page
    works(b)


def test_comreset_is_held_until_the_link_has_fallen(bench):
    class Lazy(DrivePort):
        """A PHY that takes its time to notice the request."""

        __slots__ = ("ignored",)

        def clock(self, core):
            if core & RESET and self.ignored < 5000:
                self.ignored += 1
                core &= ~RESET
            return super().clock(core)

        def __init__(self, drive, **options):
            self.ignored = 5000
            super().__init__(drive, **options)

    b = bench(connect(port=Lazy), **SMALL)
    works(b)
    b.port.ignored = 0
    assert b.bring_up()["ready"] and b.port.ignored == 5000
    # The reset of the core was in the middle of its ALIGN interval.
    b.port.link.violations.clear()
    works(b)
    # The same after a timeout; the old drive may say what it likes in the meantime.
    b.port.ignored, resets = 1000, b.port.resets
    b.behaviour.mute = frozenset({"command"})
    assert b.flush().error == Error.TIMEOUT
    b.behaviour.mute = frozenset()
    b.run(3800)
    assert b.outputs()["phy_reset"] and not b.outputs()["ready"] and b.port.resets == resets
    b.run(300)
    assert not b.outputs()["phy_reset"] and b.port.resets == resets + 1
    works(b)


@pytest.mark.parametrize("clock", range(0, 1000, 37))
def test_link_falls_during_bring_up(bench, clock):
    b = bench(**SMALL, up=False, identify_latency=100)
    b.engine.set(rst=1)
    b.run(4)
    b.engine.set(rst=0)
    b.run(60 + clock)
    b.port.drop_link(30)
    b.run(40)
    b.wait(Event.READY)
    assert b.outputs()["error"] == 0
    works(b)


@pytest.mark.parametrize("operation", list(Operation))
def test_start_before_ready(bench, operation):
    b = bench(**SMALL, up=False, signature_latency=2000)
    b.engine.set(rst=1)
    b.run(4)
    b.engine.set(rst=0)
    b.run(500)
    outputs = start(b, operation)
    assert outputs["error"] == Error.NOT_READY
    assert not outputs["ready"]
    assert (outputs["words"], outputs["sectors_done"]) == (0, 0)
    b.wait(Event.READY)
    assert [record[0] for record in commands(b)] == [IDENTIFY]
    works(b)


def test_reset_of_the_core(bench):
    """At any moment, in the middle of a command too; the drive gets a COMRESET."""
    b = bench(**SMALL)
    data = content(1, 40)
    for clocks in (60, 400, 1500, 3000):
        resets = b.port.resets
        b.engine.source(data)
        b.start(Operation.RECORD, 0, 40)
        b.run(clocks)
        assert b.outputs()["busy"]
        assert b.bring_up()["ready"]
        assert b.port.resets == resets + 1
        works(b)

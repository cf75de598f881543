"""Commands that end badly: what is reported, and that the next operation works."""

import pytest
from integration.small import LONG, SMALL, commands, connect, content, works
from sata_drive_model import Drive
from sata_drive_model.protocol import fis

from sata_recorder.core.drive_port import Error

OPERATIONS = ["record", "play"]


def run(b, operation, lba=50, sectors=40, flush=False):
    """An operation whose data on the drive and in the stream are known; the outcome."""
    data = content(lba, sectors)
    if operation == "record":
        return b.record(data, lba, flush=flush)
    b.image.write(lba * 512, data)
    outcome = b.play(lba, sectors)
    # What was delivered is what was on the drive, and nothing was called the last word.
    assert outcome.data == data[:len(outcome.data)]
    assert outcome.received == outcome.outputs["words"]
    assert outcome.lasts == (outcome.received == 128 * sectors)
    return outcome


def check(b, outcome, error, sectors_done=0, status=None):
    assert outcome.error == error
    assert outcome.outputs["sectors_done"] == sectors_done
    if status is not None:
        assert (outcome.outputs["drive_status"], outcome.outputs["drive_error"]) == status
    resets = b.port.resets
    works(b)
    return resets


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("status, error", [
    (0x51, 0x40),   # ERR, UNC
    (0x51, 0x04),   # ERR, ABRT
    (0x71, 0x10),   # ERR and DF
    (0x70, 0x00),   # DF alone
    (0x11, 0x80),   # ERR without DRDY
    (0x10, 0x00),   # only DRDY is missing
    (0x00, 0x00),
])
def test_rejected(bench, operation, status, error):
    """A write is rejected before its DMA Activate, a read before its data."""
    b = bench(**SMALL, fail_status=status, fail_error=error, reject_command=1)
    outcome = run(b, operation)
    check(b, outcome, Error.DRIVE_ERROR, status=(status, error))
    assert b.behaviour.reject_command == 0
    assert b.port.resets == 1       # the drive is in no command: it needs no COMRESET


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("lba48", [True, False])
def test_a_bad_sector_of_more_than_24_bits_is_named(bench, operation, lba48):
    bad = 0x0ABCDEF0 + 5
    b = bench(**SMALL, fail_lba=bad, sectors=0x0FFFFFFF, drive={"lba48": lba48})
    outcome = run(b, operation, lba=bad - 21)
    assert (outcome.error, outcome.outputs["error_lba"]) == (Error.DRIVE_ERROR, bad)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("sector", [0, 1, 7, 15])
def test_bad_sector_in_the_second_command(bench, operation, sector):
    b = bench(**SMALL, fail_lba=50 + 16 + sector)
    outcome = run(b, operation)
    assert commands(b)[-1][1:] == (66, 16)
    if operation == "play":
        assert outcome.received <= 128 * (16 + sector)
    else:
        # What came before the bad sector is on the drive.
        assert b.image.read_sectors(50, 16 + sector) == content(50, 40)[:(16 + sector) * 512]
    b.behaviour.fail_lba = None
    # What a playback delivered before the sector that the status names is good.
    done = 16 if operation == "record" else outcome.received // 128
    check(b, outcome, Error.DRIVE_ERROR, done, (0x51, 0x40))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_error_after_the_first_of_several_data_fises(bench, operation):
    b = bench(**LONG, fail_after_data=1)
    before = b.drive.data_fises
    outcome = run(b, operation, sectors=64)
    assert b.drive.data_fises == before + 1
    b.behaviour.fail_after_data = None
    check(b, outcome, Error.DRIVE_ERROR, 0, (0x51, 0x40))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("status", [0x10, 0x00, 0x70, 0x51, 0x30])
def test_all_data_moved_but_the_status_is_bad(bench, operation, status):
    b = bench(**SMALL)
    b.behaviour.good_status = status
    outcome = run(b, operation)
    b.behaviour.good_status = 0x50
    check(b, outcome, Error.DRIVE_ERROR, 0, (status, 0))
    assert b.port.resets == 1


@pytest.mark.parametrize("operation", OPERATIONS)
def test_error_with_drq_needs_a_comreset(bench, operation):
    """A drive that still asks for data is not done with the command."""
    b = bench(**SMALL, fail_status=0x59, reject_command=1)
    outcome = run(b, operation)
    check(b, outcome, Error.DRIVE_ERROR, 0, (0x59, 0x40))
    assert b.port.resets == 2


@pytest.mark.parametrize("operation", OPERATIONS)
def test_sector_not_found(bench, operation):
    b = bench(**SMALL)
    b.drive.sectors = 60        # less than it said
    outcome = run(b, operation)
    b.drive.sectors = b.image.sectors
    check(b, outcome, Error.DRIVE_ERROR, 0, (0x51, 0x10))


def test_flush_fails(bench):
    b = bench(**SMALL)
    data = content(1, 20)
    for status in (0x51, 0x70, 0x10):
        b.behaviour.good_status = status
        assert b.flush().error == Error.DRIVE_ERROR
        b.behaviour.good_status = 0x50
        works(b)
    b.drive.flush_fails = True

    class Reluctant(Drive):
        def _execute(self, register):
            if register.command == 0xEA:
                self.behaviour.good_status = 0x51
            super()._execute(register)
            self.behaviour.good_status = 0x50

    b = bench(connect(Reluctant), **SMALL)
    recorded = b.record(data, 5, flush=True)
    # The data moved, but nobody knows whether they are on the medium.
    assert recorded.error == Error.DRIVE_ERROR
    assert recorded.outputs["sectors_done"] == 20


@pytest.mark.parametrize("short", [1, 127, 128, 2047])
def test_short_read(bench, short):
    b = bench(**SMALL, short_data=short)
    outcome = run(b, "play")
    b.behaviour.short_data = 0
    check(b, outcome, Error.SHORT_DATA, 0, (0x50, 0))
    assert outcome.received <= 16 * 128 - short


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("fises", [0, 1, 3])
def test_good_status_before_all_data_have_moved(bench, operation, fises):
    class Hasty(Drive):
        limit = fises

        def _activate(self, latency, wait):
            if not self.hastens():
                super()._activate(latency, wait)

        def _next_read(self, latency):
            if not self.hastens():
                super()._next_read(latency)

        def hastens(self):
            if self.fis_index != self.limit:
                return False
            self.limit = None
            self.conclude(0x50)
            return True

    b = bench(connect(Hasty), **LONG)
    outcome = run(b, operation, sectors=100)
    assert b.drive.data_fises == 1 + fises
    if operation == "play":
        assert outcome.received <= 2048 * fises
    check(b, outcome, Error.SHORT_DATA, 0, (0x50, 0))


@pytest.mark.parametrize("fis_dwords", [2048, 128, 100])
@pytest.mark.parametrize("extra", [1, 2, 128, 2048])
def test_too_much_data_in_a_read(bench, extra, fis_dwords):
    b = bench(**SMALL, extra_data=extra, data_fis_dwords=fis_dwords)
    outcome = run(b, "play")
    b.behaviour.extra_data = 0
    assert outcome.received <= 16 * 128
    check(b, outcome, Error.PROTOCOL)
    assert b.port.resets == 2


class Rude(Drive):
    """Sends a FIS out of place with the first data command."""

    fis = None

    def _data_command(self, register):
        if self.fis is not None:
            self.enqueue(self.fis, 0, None, extras=False)
            self.fis = None
        super()._data_command(register)


@pytest.mark.parametrize("operation, intruder", [
    ("play", fis.dma_activate()), ("play", fis.pio_setup(0x58, 0x50, 512)),
    ("record", fis.pio_setup(0x58, 0x50, 512))])
def test_fis_of_another_protocol(bench, operation, intruder):
    b = bench(connect(Rude), **SMALL)
    b.drive.fis = intruder
    outcome = run(b, operation)
    check(b, outcome, Error.PROTOCOL)
    assert b.port.resets == 2


@pytest.mark.parametrize("intruder", [
    fis.set_device_bits(), fis.dma_setup(), fis.bist_activate(), fis.register_d2h(0xD0),
    fis.register_d2h(0x80)])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_fis_that_changes_nothing(bench, operation, intruder):
    b = bench(connect(Rude), **SMALL)
    b.drive.fis = intruder
    check(b, run(b, operation), Error.NONE, 40)
    assert b.drive.fis is None and b.port.resets == 1


@pytest.mark.parametrize("operation", OPERATIONS)
def test_several_statuses(bench, operation):
    """BSY = 1 before the final one, and copies after it, into the next command's X_RDY."""
    b = bench(**SMALL, busy_status_fises=2, repeated_status_fises=3, fis_log=True)
    outcome = run(b, operation)
    statuses = sum(kind == fis.REGISTER_D2H for _, _, kind, _ in b.analyser.log)
    assert statuses > 1 + 3 * 3
    check(b, outcome, Error.NONE, 40, (0x50, 0))


def test_data_of_a_failed_operation_do_not_come_later(bench):
    """The buffer holds much of a failed recording or playback; the next operation has none of it."""
    b = bench(**SMALL)
    for seed in range(6):
        b.behaviour.reject_command = 1
        assert b.record(content(seed, 40), 10).error == Error.DRIVE_ERROR
        data = content(100 + seed, 3)
        assert b.record(data, 200).error == 0
        assert b.image.read_sectors(200, 3) == data
        assert not any(b.image.read_sectors(10, 40))
        b.behaviour.short_data = 1 + 300 * seed
        assert run(b, "play", lba=300 + 50 * seed).error == Error.SHORT_DATA
        b.behaviour.short_data = 0
        assert b.play(200, 3).data == data
        b.check()


@pytest.mark.parametrize("status, error", [(0x51, Error.DRIVE_ERROR), (0x50, Error.SHORT_DATA)])
@pytest.mark.parametrize("fis_index", [0, 1])
@pytest.mark.parametrize("delay", [0, 1])
def test_status_in_place_of_our_data_fis(bench, status, error, fis_index, delay):
    """After its DMA Activate the drive ends the command; its X_RDY meets ours, and goes first."""
    class Hasty(Drive):
        at = fis_index

        def link_sent(self, frame, outcome):
            super().link_sent(frame, outcome)
            if frame.tag == "activate" and self.fis_index == self.at:
                self.at = None
                self.expecting = False
                self.conclude(status, 0x40, delay)

    b = bench(connect(Hasty), **LONG)
    outcome = run(b, "record", sectors=100)
    assert b.drive.data_fises == 1 + fis_index, "the data were faster"
    check(b, outcome, error, 0, (status, 0x40))
    assert b.port.resets == 1

"""Serial ATA Revision 2.6, 11, and ATA8-ACS: commands that end badly, twice, or not at all."""

import pytest
from integration.clauses.verdict import (COMMAND, FINAL, FISES, LBA, OPERATIONS, SECTORS, Once,
                                         both, check, failed, scene, transfer)
from integration.small import FLUSH_CLOCKS, REGISTER_H2D, commands, content, log, works

from sata_recorder.simulation import Event
from sata_recorder.core.drive_port import Error, Operation

ERRORS = [(0x51, 0x40), (0x51, 0x04), (0x71, 0x10), (0x70, 0x00)]
IDS = ["UNC", "ABRT", "IDNF and DF", "DF alone"]
FLUSH_CACHE_EXT = 0xEA


@both
@pytest.mark.parametrize("status", ERRORS, ids=IDS)
def test_sata_11_dma_out_error_status_after_the_first_of_several_data_fises_ends_the_command(
        bench, core, status):
    """After any Data FIS of a DMA data-out command the device may send its status instead of the
    next DMA Activate. With ERR or DF (ATA8-ACS, status field) the command has failed, and how much
    of it is on the medium is not said."""
    b = scene(bench, core, fail_status=status[0], fail_error=status[1])
    before = b.drive.data_fises
    b.behaviour.fail_after_data = 1
    ended = transfer(b, "record")
    assert b.drive.data_fises == before + 1 + (FISES if core["retries"] else 0)
    failed(b, ended, Error.DRIVE_ERROR, index=1, status=status)


@both
@pytest.mark.parametrize("status", ERRORS, ids=IDS)
def test_sata_11_dma_out_write_rejected_before_dma_activate_moves_nothing(bench, core, status):
    """The device may answer the command by its status at once: there is no DMA Activate, so the
    host sends no data, and the words it had ready for them go nowhere."""
    b = scene(bench, core, fail_status=status[0], fail_error=status[1])
    before = b.drive.data_fises
    b.behaviour.reject_command = 1
    ended = transfer(b, "record")
    assert b.drive.data_fises == before + (FISES if core["retries"] else 0)
    failed(b, ended, Error.DRIVE_ERROR, index=0, status=status)


@both
@pytest.mark.parametrize("status", ERRORS, ids=IDS)
def test_sata_11_dma_in_read_rejected_before_its_data_delivers_nothing(bench, core, status):
    """The same for a read: its status comes in the place of the first Data FIS."""
    b = scene(bench, core, fail_status=status[0], fail_error=status[1])
    b.behaviour.reject_command = 1
    ended = transfer(b, "play")
    assert core["retries"] or ended.received == b""
    failed(b, ended, Error.DRIVE_ERROR, index=0, status=status)


class Hasty(Once):
    """Ends a write by its status, when the host has been asked for the Data FIS ``at``."""

    at = None

    def link_sent(self, frame, outcome):
        super().link_sent(frame, outcome)
        if frame.tag == "activate" and self.fis_index == self.at:
            self.at, self.expecting = None, False
            self.fail()


@both
@pytest.mark.parametrize("index", [0, 1, 2])
def test_sata_11_dma_out_status_in_place_of_a_data_fis_withdraws_it(bench, core, index):
    """The X_RDY of the status meets that of the Data FIS which DMA Activate has asked for, and goes
    first (9.6.3, HL_SendChkRdy). With the status the command is over: the Data FIS must not follow,
    since the device does not expect it any more."""
    b = scene(bench, core, Hasty)
    before = b.drive.data_fises
    b.drive.at = index
    ended = transfer(b, "record")
    assert b.drive.data_fises == before + index + (FISES if core["retries"] else 0)
    failed(b, ended, Error.DRIVE_ERROR, index=index, status=(0x51, 0x40))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("second", [Operation.PLAY, Operation.RECORD, Operation.FLUSH])
def test_ata8_acs_status_bsy_no_second_command_while_one_runs(bench, operation, second):
    """While BSY is one the host writes no command. Whoever starts an operation during another one
    is not heard: the drive sees the commands of the first one only, in their order."""
    b = scene(bench, FINAL)
    before = len(log(b, REGISTER_H2D))

    def insist():
        for _ in range(200):
            b.engine.set(start=1, operation=second, lba=9, sectors=5)
            b.run(7)

    ended = transfer(b, operation, at=100, event=insist)
    assert len(log(b, REGISTER_H2D)) - before == 3
    assert [done[1:] for done in commands(b)[-3:]] == [
        (LBA, COMMAND), (LBA + COMMAND, COMMAND), (LBA + 2 * COMMAND, SECTORS - 2 * COMMAND)]
    check(b, ended)


class Mute(Once):
    """Takes the next command ``ignored``, and never says a word about it."""

    ignored = None

    def _execute(self, register):
        if register.command != self.ignored:
            super()._execute(register)
        else:
            self.ignored, self.command = None, register.command


def test_ata8_acs_unsupported_command_never_answered_ends_in_a_timeout(bench):
    """A device aborts a command that it does not support; one that is silent instead must not hang
    the host: after its own time the host gives up, and only a COMRESET makes the device usable."""
    b = scene(bench, FINAL, Mute)
    data = content(LBA, SECTORS)
    for number in range(2):
        b.drive.ignored = FLUSH_CACHE_EXT
        b.engine.source(data)
        b.start(Operation.RECORD_FLUSH, LBA, SECTORS)
        while b.outputs()["sectors_done"] < SECTORS:
            b.run(1)
        begin = b.engine.state().cycle
        b.wait(Event.DONE)
        assert FLUSH_CLOCKS < b.engine.state().cycle - begin < 1.05 * FLUSH_CLOCKS
        outputs = b.outputs()
        # The data were acknowledged; whether they are on the medium is what the flush should say.
        assert (outputs["error"], outputs["sectors_done"]) == (Error.TIMEOUT, SECTORS)
        assert b.image.read_sectors(LBA, SECTORS) == data
        b.run(1)
        assert b.port.resets == 2 + number and not b.outputs()["ready"]
        works(b)


@both
@pytest.mark.parametrize("operation, opcode", [("record", 0x35), ("play", 0x25)])
def test_sata_11_data_command_never_answered_ends_in_a_timeout(bench, core, operation, opcode):
    """The same for the commands that move data."""
    b = scene(bench, core, Mute)
    b.drive.ignored = opcode
    ended = transfer(b, operation)
    assert core["retries"] or ended.received == b""
    failed(b, ended, Error.TIMEOUT, index=0, resets=1)


@pytest.mark.parametrize("opcode", [0x35, 0x25])
def test_ata8_acs_unsupported_command_is_aborted(bench, opcode):
    """ABRT with ERR (ATA8-ACS, error field) is the regular answer to an unknown command."""
    class Older(Once):
        refuses = None

        def _data_command(self, register):
            if register.command == self.refuses:
                self.fail(0x04)
            else:
                super()._data_command(register)

    b = scene(bench, FINAL, Older)
    b.drive.refuses = opcode
    ended = transfer(b, "record" if opcode == 0x35 else "play")
    b.drive.refuses = None
    check(b, ended, Error.DRIVE_ERROR, status=(0x51, 0x04))

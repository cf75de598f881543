"""Serial ATA Revision 2.6, 10.3 and 10.4: FISes that are refused, repeated, or not asked for."""

import pytest
from integration.clauses.verdict import (COMMANDS, FINAL, FISES, OPERATIONS, both, check,
                                         failed, scene, transfer)
from integration.drives import speak
from integration.small import REGISTER_D2H, REGISTER_H2D, log
from sata_drive_model.link import Frame
from sata_drive_model.protocol import fis

from sata_recorder.core.drive_port import Error

@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("times", [1, 2, 7])
def test_sata_10_4_HT_CmdTransStatus_r_err_to_the_command_fis_sends_it_again(
        bench, operation, times):
    """R_ERR to a Register FIS means that it changed nothing in the drive. The host goes back to
    HT_HostIdle with the FIS still to be sent, and sends it again."""
    b = scene(bench, FINAL)
    before = len(log(b, REGISTER_H2D))
    b.behaviour.refuse_command = times
    ended = transfer(b, operation)
    assert len(log(b, REGISTER_H2D)) - before == COMMANDS + times
    assert b.ledger().accounts["recovery"] >= times and b.behaviour.refuse_command == 0
    check(b, ended)


@both
@pytest.mark.parametrize("operation", OPERATIONS)
def test_sata_10_4_HT_CmdTransStatus_command_fis_refused_16_times_ends_the_command(
        bench, core, operation):
    """Nothing states how often to try; a drive that has refused a command 16 times is not going to
    take it. The 17th time is another try of the command."""
    b = scene(bench, core)
    before = len(log(b, REGISTER_H2D))
    b.behaviour.refuse_command = 16
    ended = transfer(b, operation)
    # Before the second try the drive is reset, and identified.
    assert len(log(b, REGISTER_H2D)) - before == 16 + (1 + COMMANDS if core["retries"] else 0)
    failed(b, ended, Error.COMMAND_REFUSED, index=0, resets=1)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("times", [1, 3])
def test_sata_10_4_HT_RegTransStatus_bad_crc_on_register_d2h_has_no_effect_until_it_is_repeated(
        bench, operation, times):
    """A FIS with a bad CRC is answered by R_ERR and leaves the registers as they were; the device
    sends it again."""
    b = scene(bench, FINAL)
    before = len(log(b, REGISTER_D2H))
    b.behaviour.bad_crc = times
    ended = transfer(b, operation)
    assert b.behaviour.bad_crc == 0
    # Each status once more than there are bad ones of it: the others were DMA Activate.
    repeated = times if operation == "play" else 0
    assert len(log(b, REGISTER_D2H)) - before == COMMANDS + repeated
    check(b, ended)


def unasked(bench, operation, talk):
    """A transfer with ``talk`` before each FIS of the drive, and once while idle."""
    b = scene(bench, FINAL)
    before = len(log(b, talk[0]))
    b.drive.before = lambda data: Frame(talk, b.port.link.now)
    ended = transfer(b, operation)
    b.drive.before = None
    assert len(log(b, talk[0])) - before >= FISES + COMMANDS
    speak(b.drive, talk)
    b.run(100)
    assert b.outputs()["ready"]
    check(b, ended)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("second", [
    0x0000_0039, 0x0000_0046, 0x0050_4034, 0x0451_4034, 0x0050_605F, 0x0000_0041, 0x0000_0058],
    ids=["DMA Activate", "Data", "good status", "error status", "PIO Setup", "DMA Setup", "BIST"])
def test_sata_10_3_set_device_bits_second_dword_like_another_fis_is_not_one(
        bench, operation, second):
    """The type of a FIS is in the first byte of its first dword only. Set Device Bits (A1h) has two
    dwords; the second is protocol-specific and may have any value (HT_DB_FIS, HT_Dev_Bits). Without
    queued commands it means nothing to the host."""
    unasked(bench, operation, fis.set_device_bits(active=second))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("status, error", [(0x50, 0x00), (0x51, 0x04), (0x71, 0x84)])
def test_sata_10_3_set_device_bits_status_ends_no_command(bench, operation, status, error):
    """BSY and DRQ are not in Set Device Bits, so it cannot end a command that is not queued; that
    is left to the Register FIS."""
    unasked(bench, operation, fis.set_device_bits(status, error))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("size", [0, 4, 512, 8192])
def test_sata_10_4_HT_DS_FIS_unsolicited_dma_setup_is_acknowledged_and_has_no_effect(
        bench, operation, size):
    """DMA Setup (41h) selects a buffer for first-party DMA. A host with no queued command has none
    to select: the FIS is acknowledged, and no data moves because of it."""
    unasked(bench, operation, fis.dma_setup(size))

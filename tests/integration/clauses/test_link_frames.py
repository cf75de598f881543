"""Serial ATA Revision 2.6, 9.6: frames whose SOF or EOF is hit, and frames that are left."""

import pytest
from integration.clauses.verdict import (COMMAND, FINAL, OPERATIONS, both, check, failed,
                                         scene, transfer)
from integration.clauses.wire import Hit
from integration.small import DATA, DMA_ACTIVATE, REGISTER_D2H, REGISTER_H2D, log
from sata_drive_model import Rule
from sata_drive_model.link import Frame
from sata_drive_model.protocol.primitives import EOF, SOF

from sata_recorder.core.drive_port import Error

HOW = ["error", "changed", "lost"]
ICRC = (0x51, 0x84)
#: FISes of the drive that come again: by operation.
REPEATED = [("record", DMA_ACTIVATE), ("record", REGISTER_D2H), ("play", REGISTER_D2H)]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("operation, kind", REPEATED)
@pytest.mark.parametrize("skip", [0, 1])
def test_sata_9_6_4_LR3_eof_hit_in_a_fis_of_the_drive_is_r_err_and_it_comes_again(
        bench, operation, kind, skip, how):
    """WTRM in place of EOF means that the end of the frame was lost: L_RcvData goes to L_BadEnd and
    answers R_ERR. The FIS changes nothing; the drive sends it again."""
    b = scene(bench, FINAL)
    b.port.to_core = Hit(EOF, kind, how, skip)
    check(b, transfer(b, operation))
    assert b.port.to_core is None


@both
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("index", [0, 1, 2, 4])
def test_sata_9_6_4_LR3_eof_hit_in_a_read_data_fis_is_r_err_and_ends_the_command(
        bench, core, index, how):
    """A Data FIS is not sent again (10.4, host transport): the command fails as a whole. Where EOF
    became data the CRC looks like payload, and is none."""
    b = scene(bench, core)
    b.port.to_core = Hit(EOF, DATA, how, index)
    ended = transfer(b, "play")
    assert b.port.to_core is None
    failed(b, ended, Error.DATA_CRC, index=index, status=ICRC)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("skip", [0, 2])
def test_sata_9_6_3_LT9_r_err_after_a_hit_eof_of_the_command_fis_sends_it_again(
        bench, operation, skip):
    """The drive finds no EOF before WTRM and answers R_ERR; L_Wait reports it, and the transport
    layer repeats the Register FIS."""
    b = scene(bench, FINAL)
    before = len(log(b, REGISTER_H2D))
    b.port.to_drive = Hit(EOF, REGISTER_H2D, skip=skip)
    check(b, transfer(b, operation), clean=False)
    assert b.port.to_drive is None
    # The one thing that the drive has seen is what the hit has made of the frame.
    assert [found.rule for found in b.port.link.violations] == [Rule.WTRM_WITHOUT_EOF]
    assert len(log(b, REGISTER_H2D)) >= before + 3 + 1


@both
@pytest.mark.parametrize("index", [0, 1, 2, 4])
def test_sata_9_6_3_LT9_r_err_after_a_hit_eof_of_a_write_data_fis_ends_the_command(
        bench, core, index):
    """A Data FIS that was answered by R_ERR is not sent again: the drive ends the command."""
    b = scene(bench, core)
    b.port.to_drive = Hit(EOF, DATA, skip=index)
    ended = transfer(b, "record")
    assert b.port.to_drive is None
    failed(b, ended, Error.DATA_CRC, index=index, clean=False)
    assert [found.rule for found in b.port.link.violations] == [Rule.WTRM_WITHOUT_EOF]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("operation, kind", REPEATED)
@pytest.mark.parametrize("skip", [0, 1])
def test_sata_9_6_4_LR1_sof_hit_in_a_fis_of_the_drive_returns_to_idle_and_it_comes_again(
        bench, operation, kind, skip, how):
    """After R_RDY nothing but X_RDY and SOF is expected: L_RcvChkRdy goes to L_IDLE and sends SYNC,
    which the drive takes for the failure of its frame."""
    b = scene(bench, FINAL)
    b.port.to_core = Hit(SOF, kind, how, skip)
    check(b, transfer(b, operation))
    assert b.port.to_core is None


@both
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("index", [0, 1, 2, 4])
def test_sata_9_6_4_LR1_sof_hit_in_a_read_data_fis_ends_the_command(bench, core, index, how):
    """The host has seen no frame at all; it learns of the loss from the drive's status."""
    b = scene(bench, core)
    b.port.to_core = Hit(SOF, DATA, how, index)
    ended = transfer(b, "play")
    assert b.port.to_core is None
    failed(b, ended, Error.DRIVE_ERROR, index=index, status=ICRC)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("skip", [0, 2])
def test_sata_9_6_3_LT4_sync_after_a_hit_sof_of_the_command_fis_sends_it_again(
        bench, operation, skip):
    """The drive has left L_RcvChkRdy for L_IDLE and sends SYNC: L_SendData takes that for the end
    of the frame, and the transport layer repeats the Register FIS."""
    b = scene(bench, FINAL)
    b.port.to_drive = Hit(SOF, REGISTER_H2D, skip=skip)
    check(b, transfer(b, operation), clean=False)
    assert b.port.to_drive is None


@both
@pytest.mark.parametrize("index", [0, 1, 2, 4])
def test_sata_9_6_3_LT4_sync_after_a_hit_sof_of_a_write_data_fis_ends_in_a_timeout(
        bench, core, index):
    """The drive waits for the Data FIS that its DMA Activate asked for; only a COMRESET (8.4) gets
    it out of that."""
    b = scene(bench, core)
    b.port.to_drive = Hit(SOF, DATA, skip=index)
    ended = transfer(b, "record")
    assert b.port.to_drive is None
    failed(b, ended, Error.TIMEOUT, index=index, resets=1, clean=False)


@pytest.mark.parametrize("place", [1, 2, 3, 5])
@pytest.mark.parametrize("operation, tag", [
    ("record", "activate"), ("record", "status"), ("play", "status")])
def test_sata_9_6_4_LR3_sync_in_a_fis_of_the_drive_returns_to_idle_and_it_comes_again(
        bench, operation, tag, place):
    """SYNC from the transmitter of a frame is its escape: L_RcvData goes to L_IDLE, the transport
    layer forgets what it had of the FIS."""
    b = scene(bench, FINAL)
    b.drive.tag, stop_at = tag, min(place, 2 if tag == "activate" else 5)
    b.drive.before = lambda data: Frame(data, b.port.link.now, stop_at=stop_at, tag="bad: left")
    check(b, transfer(b, operation))
    assert b.drive.before is None


@both
@pytest.mark.parametrize("index, dword", [(0, 0), (0, 1), (0, 2048), (1, 700), (2, 3), (4, 2)])
def test_sata_9_6_4_LR3_sync_in_a_read_data_fis_ends_the_command(bench, core, index, dword):
    """What came of the Data FIS is not vouched for by a CRC; the drive ends the command."""
    b = scene(bench, core)

    def escape():
        b.behaviour.escape_read = index % 3, dword

    ended = transfer(b, "play", at=128 * COMMAND * (index // 3), event=escape)
    failed(b, ended, Error.DATA_CRC, index=index, status=ICRC)


@both
@pytest.mark.parametrize("index", [0, 1, 2, 4])
@pytest.mark.parametrize("dword", [0, 1, 2, 700, 1024])
def test_sata_9_6_3_LT4_sync_in_a_write_data_fis_ends_the_command(bench, core, index, dword):
    """SYNC from the receiver of a frame is its escape: L_SendData goes to L_IDLE, and the Data FIS
    has failed. The status that the drive gives then ends the command."""
    b = scene(bench, core)

    def escape():
        b.behaviour.escape_write = index % 3, dword

    ended = transfer(b, "record", at=128 * COMMAND * (index // 3), event=escape)
    failed(b, ended, Error.DATA_CRC, index=index, status=ICRC)

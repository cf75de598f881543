"""Serial ATA Revision 2.6, 9.6: flow control, and power requests while the link is idle."""

import pytest
from integration.clauses.verdict import (COMMANDS, FINAL, FISES, OPERATIONS, SECTORS, check, scene, transfer)
from integration.drives import speak
from integration.small import content
from sata_drive_model.behaviour import NEVER
from sata_drive_model.link import Frame
from sata_drive_model.protocol.primitives import PMREQ_P, PMREQ_S
from short import short

from sata_recorder.simulation import Hold

#: Dwords of a Data FIS, HOLDs before its CRC, how often CONT is used.
LAST_DWORDS = [(size, holds, cont) for size in (1, 2, 640, 2048) for holds in (1, 2, 3)
               for cont in (0.0, 1.0)]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("request_", [PMREQ_P, PMREQ_S], ids=["PMREQ_P", "PMREQ_S"])
def test_sata_9_6_2_L1_and_9_6_5_LPM4_pmreq_is_denied_with_pmnak(bench, operation, request_):
    """L_IDLE goes to L_PMDeny and sends PMNAK until the request is withdrawn; a host that does not
    support power management is never in another power mode. Between the FISes of a command and
    after it, each request is answered, and all else continues."""
    b = scene(bench, FINAL)
    span = b.analyser.spans["pmreq_pmnak"]
    before = span.count
    b.drive.before = lambda data: Frame(None, b.port.link.now, primitive=request_, tag="power")
    ended = transfer(b, operation)
    during = span.count - before
    assert during >= FISES + COMMANDS
    speak(b.drive, b"\xa1\0\x50\0" + bytes(4))
    b.run(100)
    assert span.count == before + during + 1 and b.outputs()["ready"]
    b.drive.before = None
    check(b, ended)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_sata_9_6_2_L1_pmreq_at_any_time_of_an_idle_link_is_denied(bench, seed, operation):
    """The drive waits in a command, and asks; some of the requests meet the host's X_RDY, for which
    the device gives them up (L_TPMPartial, L_TPMSlumber)."""
    b = scene(bench, FINAL, seed=seed, pm_request_idle=(3, 60), activate_latency=(0, 200),
              data_latency=(0, 200), completion_latency=(0, 200))
    span = b.analyser.spans["pmreq_pmnak"]
    before = span.count
    ended = transfer(b, operation)
    assert span.count > before
    b.behaviour.pm_request_idle = NEVER
    check(b, ended)


@pytest.mark.parametrize("size, holds, cont", short(
    LAST_DWORDS, [*(case for case in LAST_DWORDS if case[0] > 2),
                  (1, 2, 1.0), (1, 3, 0.0)]))
def test_sata_9_6_4_LR5_one_dword_between_hold_and_eof_counts(bench, size, holds, cont):
    """HOLD, HOLD, one dword, EOF, where no CONT stands between the HOLDs and the dword: L_RcvHold
    goes back to L_RcvData with the first dword that is not HOLD, and that dword is the CRC."""
    b = scene(bench, FINAL, hold_before_crc=holds, cont=cont, data_fis_dwords=size)
    if size < 10:       # as many frames as that: only some of the extent
        data = content(9, 3)
        b.image.write(0, data)
        assert b.play(0, 3).data == data
        b.check()
    ended = transfer(b, "play")
    assert b.ledger().accounts["device_hold"] >= holds * -(-128 * SECTORS // size)
    check(b, ended)


@pytest.mark.parametrize("overrun", [20, 24])
@pytest.mark.parametrize("hold", [Hold(1, 3), Hold(150, 400), Hold(1, 9)])
def test_sata_9_6_4_LR4_dwords_after_hold_are_not_lost(bench, overrun, hold):
    """The transmitter may need 20 dword times to obey HOLD, and drives are known that need more:
    L_Hold takes 24 and more of them, and continues when there is room."""
    b = scene(bench, FINAL, holda_delay=overrun)
    data = content(9, SECTORS)
    b.image.write(0, data)
    played = b.play(0, SECTORS, hold=hold)
    assert (played.error, played.lasts) == (0, 1) and played.data == data
    b.check()
    span = b.analyser.spans["dwords_after_hold"]
    assert span.count > 3 and span.maximum >= overrun
    check(b, transfer(b, "play"))


@pytest.mark.parametrize("length", [1, 2, 19, 300])
def test_sata_9_6_3_LT5_hold_of_the_drive_stops_our_data(bench, length):
    """L_SendData goes to L_RcvrHold, which answers HOLDA within 20 dword times and sends nothing
    else until HOLD ends."""
    b = scene(bench, FINAL, throttle=(100, length))
    ended = transfer(b, "record")
    assert b.ledger().accounts["device_hold"] > length
    assert b.port.link.overrun <= 20
    check(b, ended)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("cont", [0.0, 0.5])
def test_sata_9_4_repeated_primitives_without_cont_mean_what_one_does(bench, operation, cont):
    """CONT is optional for a transmitter. SYNC in full length while the host's X_RDY waits for its
    answer is still the one SYNC: neither a refusal nor an escape, and booked as neither."""
    b = scene(bench, FINAL, cont=cont, r_rdy_delay=300, r_ok_delay=20)
    ended = transfer(b, operation)
    assert b.ledger().accounts["recovery"] == 0
    check(b, ended)

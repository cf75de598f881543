"""Cores without recovery, journal or ledger: they record and play, and end at the first failure."""

import pytest
from integration.small import SMALL, commands, content
from short import short

from sata_recorder.core.drive_port import Error
from sata_recorder.simulation import Event

pytestmark = pytest.mark.wide

#: A core without recovery does not try again, whatever it is told.
RECOVERY = {"recovery": False, "retries": 5}
JOURNAL, LEDGER = {"journal": False}, {"ledger": False}
ALL = {"recovery": False} | JOURNAL | LEDGER


def moves(b, *, lba=1000, sectors=40):
    """Records and plays as if nothing had been, and the drive saw no violation."""
    if not b.outputs()["ready"]:
        b.wait(Event.READY)
    data = content(lba, sectors)
    recorded = b.record(data, lba, flush=True)
    assert (recorded.error, recorded.taken) == (0, 128 * sectors)
    assert recorded.outputs["sectors_done"] == sectors
    assert b.image.read_sectors(lba, sectors) == data
    played = b.play(lba, sectors)
    assert (played.error, played.data, played.lasts) == (0, data, 1)
    assert b.violations() == []


@pytest.mark.parametrize("left_out", short([RECOVERY, JOURNAL, LEDGER, ALL], [RECOVERY, JOURNAL, ALL]),
                         ids=[*ALL, "all"])
def test_moves_words(bench, left_out):
    b = bench(**SMALL | left_out)
    moves(b)
    if "ledger" in left_out:
        for address in range(32):
            b.engine.set(ledger_address=address)
            b.run(3)
            assert b.outputs()["ledger_data"] == 0
    else:
        assert not b.disagreements()


@pytest.mark.parametrize("left_out, words", short(
    [(left_out, words) for left_out in (RECOVERY, JOURNAL, ALL) for words in (256, 4096)],
    [(RECOVERY, 256), (JOURNAL, 256), (ALL, 256)]))
def test_failed_read(bench, left_out, words):
    """Words of whole commands come, and of the failed one at most those before the bad sector."""
    b = bench(**SMALL | left_out | {"buffer_words": words}, fail_lba=50 + 20)
    data = content(1, 40)
    b.image.write(50 * 512, data)
    outcome = b.play(50, 40)
    assert outcome.error == Error.DRIVE_ERROR == b.outputs()["cause"]
    assert 16 * 128 <= outcome.received <= 20 * 128 and outcome.lasts == 0
    assert outcome.data == data[:len(outcome.data)]
    assert 16 <= outcome.outputs["sectors_done"] <= outcome.received // 128
    assert commands(b)[-1][1:] == (66, 16)
    if not left_out.get("journal", True):
        assert b.outputs()["journal_count"] == 0
    b.behaviour.fail_lba = None
    moves(b)


@pytest.mark.parametrize("left_out", [RECOVERY, JOURNAL, ALL])
def test_failed_write(bench, left_out):
    b = bench(**SMALL | left_out, fail_lba=50 + 20)
    data = content(2, 40)
    outcome = b.record(data, 50)
    assert (outcome.error, outcome.outputs["sectors_done"]) == (Error.DRIVE_ERROR, 16)
    assert b.image.read_sectors(50, 20) == data[:20 * 512]
    b.behaviour.fail_lba = None
    moves(b)


def test_no_second_try_whatever_the_retries(bench):
    b = bench(**SMALL | RECOVERY, reject_command=1)
    assert b.record(content(3, 40), 50).error == Error.DRIVE_ERROR
    assert (b.behaviour.reject_command, b.outputs()["retries"]) == (0, 0)
    moves(b)


@pytest.mark.parametrize("operation", ["record", "play"])
def test_link_lost(bench, operation):
    """The drive is brought up again, for the next operation."""
    b = bench(**SMALL | ALL)
    data = content(4, 40)
    b.engine.source(data)
    b.engine.sink(128 * 40)
    b.start({"record": 1, "play": 0}[operation], 50, 40)
    b.run(900)
    b.port.drop_link(50)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.LINK_LOST
    moves(b)


@pytest.mark.quick
def test_flush_that_fails(bench):
    b = bench(**SMALL | ALL)
    assert b.record(content(5, 16), 50).error == 0
    b.behaviour.good_status = 0x51
    assert b.flush().error == Error.DRIVE_ERROR
    b.behaviour.good_status = 0x50
    moves(b)

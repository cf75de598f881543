"""FLUSH CACHE after every N write commands of a recording."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.drives import answer_by
from integration.small import RETRY, SMALL, content, works
from integration.test_write_cache import clear, doubt, power_cycle, volatile
from short import short
from sata_drive_model import Behaviour

from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Event, Hold

WRITE, FLUSH = 0x35, 0xEA
#: A command for each 16 sectors.
CORE = SMALL | {"flush_commands": 3}
MODES = CORE | {"extents": "modes", "buffer_words": 512, "max_command_sectors": 8}


def commands(b):
    """The codes of the commands that have succeeded, but for IDENTIFY DEVICE."""
    return [one.command for one in b.drive.completed if one.command != 0xEC]


@pytest.mark.parametrize("sectors, flush, wanted", [
    (16, False, [WRITE]), (48, False, [WRITE] * 3 + [FLUSH]),
    (49, False, [WRITE] * 3 + [FLUSH, WRITE]),
    (96, False, [WRITE] * 3 + [FLUSH] + [WRITE] * 3 + [FLUSH]),
    (16, True, [WRITE, FLUSH]), (48, True, [WRITE] * 3 + [FLUSH]),
    (64, True, [WRITE] * 3 + [FLUSH, WRITE, FLUSH])])
def test_order(bench, sectors, flush, wanted):
    """One ends a recording of just this many commands, and never two."""
    b = bench(**CORE)
    data = content(1, sectors)
    assert b.record(data, 7, flush=flush).error == Error.NONE
    assert commands(b) == wanted
    assert b.image.read_sectors(7, sectors) == data
    b.check()
    assert b.play(7, sectors).data == data
    assert commands(b)[len(wanted):] == [0x25] * -(-sectors // 16)
    b.check()


@pytest.mark.wide
def test_each_command(bench):
    b = bench(**SMALL | {"flush_commands": 1})
    assert b.record(content(1, 40), 7).error == Error.NONE
    assert commands(b) == [WRITE, FLUSH] * 3
    b.check()


def test_each_recording_counts_anew(bench):
    b = bench(**CORE)
    for _ in range(3):
        assert b.record(content(1, 32), 7).error == Error.NONE
    assert commands(b) == [WRITE] * 6


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1))
def test_hostile_drives(bench, seed):
    b = bench(**CORE, seed=seed, behaviour=Behaviour.random(seed))
    data = content(seed, 90)
    assert b.record(data, 30, hold=Hold(90, 40)).error == Error.NONE
    assert b.image.read_sectors(30, 90) == data
    assert commands(b) == ([WRITE] * 3 + [FLUSH]) * 2
    b.check()


def test_its_price_is_in_the_ledger(bench):
    """The clocks of FLUSH CACHE are an account of their own, those of recordings without it are as
    they were."""
    slow = bench(**CORE, flush_latency=2000)
    assert slow.record(content(1, 160), 7).error == Error.NONE
    quick = bench(**SMALL, flush_latency=2000)
    assert quick.record(content(1, 160), 7).error == Error.NONE
    told, plain = slow.ledger(), quick.ledger()
    assert plain.accounts["flush"] == 0 and 3 * 2000 < told.accounts["flush"] < 3 * 2100
    assert told.accounts["payload"] == plain.accounts["payload"]


@pytest.mark.wide
@pytest.mark.parametrize("fields", short([MODES, MODES | {"extents": "queued"}], [MODES]))
def test_with_words_that_come_slowly(bench, fields):
    """A recording that waits for words between two commands."""
    b = bench(**fields)
    data = content(1, 60)
    assert b.record(data, 7, hold=Hold(1, 7)).error == Error.NONE
    assert b.image.read_sectors(7, 60) == data
    found = commands(b)
    writes = found.count(WRITE)
    assert writes > 3 and found == ([WRITE] * 3 + [FLUSH]) * (writes // 3) + [WRITE] * (writes % 3)
    b.check()


@pytest.mark.parametrize("stop", [1, 4000, 6144, 6145])
def test_a_stop(bench, stop):
    b = bench(**CORE)
    outcome = b.record(content(1, 200), 7, stop_after=stop)
    assert outcome.error == Error.NONE
    assert b.image.read_sectors(7, 200)[:4 * outcome.taken] == content(1, 200)[:4 * outcome.taken]
    b.check()
    works(b)


@pytest.mark.wide
def test_a_flush_that_fails_is_issued_again(bench):
    """The link is lost in it: the drive may have dropped what it had, which is told."""
    b = bench(volatile(), **RETRY | {"flush_commands": 2})
    b.behaviour.flush_latency = 3000
    data = content(1, 100)
    b.engine.source(data)
    b.start(Operation.RECORD, 100, 100)
    while commands(b).count(WRITE) < 2:
        b.run(10)
    b.run(500)
    assert FLUSH not in commands(b)
    b.port.drop_link(20)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.NONE and b.outputs()["sectors_done"] == 100
    assert doubt(b)[:2] == (1, 100)
    b.run(8)
    assert [entry.kind for entry in read_journal(b)[0]] == [JournalKind.UNFLUSHED]
    assert b.image.read_sectors(132, 68) == data[32 * 512:]
    assert commands(b).count(FLUSH) == 3


def test_what_was_flushed_is_safe(bench):
    """A power cut takes no more than the commands since, and that is told."""
    b = bench(volatile(), **CORE)
    data = content(1, 64)
    assert b.record(data, 100).error == Error.NONE
    power_cycle(b)
    assert doubt(b) == (1, 148, 16)
    assert b.image.read_sectors(100, 48) == data[:48 * 512]
    assert b.image.read_sectors(148, 16) == bytes(16 * 512)


def _sectors(b):
    data = b.image.read_sectors(100, 40)
    return [data[512 * n:512 * n + 512] for n in range(40)]


@pytest.mark.wide
def test_what_was_flushed_in_a_ring(bench):
    """It goes round: what is in doubt may be on both sides of its end."""
    b = bench(volatile(), **MODES)
    b.engine.set(recording_mode=RecordingMode.RING)
    for stop in 128 * 43, 128 * 44, 128 * 50, 128 * 58, 128 * 66, 128 * 81:
        assert b.record(content(stop, 100), 100, 40, stop_after=stop).error == Error.NONE
        before = _sectors(b)
        power_cycle(b)
        after = _sectors(b)
        lost = [n for n in range(40) if before[n] != after[n]]
        unflushed, lba, sectors = doubt(b)
        assert all(lba <= 100 + n < lba + sectors for n in lost), (lost, lba, sectors)
        assert unflushed or not lost
        clear(b)


def test_a_flush_that_fails_for_good(bench):
    b = bench(**CORE)

    def bad(register, answer):
        b.drive.behaviour.good_status = 0x51 if register.command == FLUSH else 0x50
        answer(register)
    answer_by(b.drive, bad)
    assert b.record(content(1, 200), 100).error == Error.DRIVE_ERROR
    outputs = b.outputs()
    assert outputs["sectors_done"] == 48 and doubt(b)[0] == 1
    assert JournalKind.UNFLUSHED in [entry.kind for entry in read_journal(b)[0]]

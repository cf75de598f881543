"""What was recorded and not flushed when the drive lost its power: said, until the user knows."""

import pytest
from integration.drives import answer_by, speak
from integration.small import REGISTER_D2H, RETRY, SMALL, connect, content, log, works
from sata_drive_model import DiskImage, Drive, DrivePort, VolatileImage
from sata_drive_model.faults import Fault
from sata_drive_model.protocol.fis import register_d2h

from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.simulation import Event
from sata_recorder.simulation.analyser import PortAnalyser


def volatile(**unit):
    """A port with a drive that loses all that its cache holds."""
    image = VolatileImage(DiskImage(sectors=5000), loss=1)
    return DrivePort(Drive(image, **unit), observer=PortAnalyser(False))


def power_cycle(b):
    b.drive.power_off()
    b.port.plug(b.drive, 50)
    b.run(60)
    b.wait(Event.READY)


def doubt(b):
    outputs = b.outputs()
    return outputs["unflushed"], outputs["unflushed_lba"], outputs["unflushed_sectors"]


def clear(b):
    b.engine.set(clear_unflushed=1)
    b.run(1)
    b.engine.set(clear_unflushed=0)
    b.run(4)


def test_power_lost_between_a_recording_and_its_flush(bench):
    b = bench(volatile(), **SMALL)
    assert b.record(content(1, 20), 100).error == 0
    assert not b.outputs()["unflushed"]
    power_cycle(b)
    assert b.image.read_sectors(100, 20) == bytes(20 * 512)
    assert doubt(b) == (1, 100, 20)
    for _ in range(2):
        assert b.flush().error == Error.LINK_LOST
        b.run(8)
        [entry], _ = read_journal(b)
        assert (entry.kind, entry.cause, entry.position, entry.length) == (
            JournalKind.UNFLUSHED, Error.LINK_LOST, 100, 20)
    assert doubt(b) == (1, 100, 20)
    clear(b)
    assert not b.outputs()["unflushed"]
    assert b.flush().error == 0
    b.run(8)
    assert read_journal(b) == ([], False)
    works(b)


@pytest.mark.parametrize("flush", ["flush", "record"])
def test_what_was_flushed_is_safe(bench, flush):
    b = bench(volatile(), **SMALL)
    assert b.record(content(1, 20), 100).error == 0
    assert (b.flush() if flush == "flush" else b.record(content(2, 2), 7, flush=True)).error == 0
    power_cycle(b)
    assert not b.outputs()["unflushed"] and b.flush().error == 0
    # Only what came since is in doubt.
    assert b.record(content(3, 3), 2000).error == 0
    power_cycle(b)
    assert doubt(b) == (1, 2000, 3)
    works(b)


def test_several_recordings(bench):
    """From the first to the last sector of them; a playback is none."""
    b = bench(volatile(), **SMALL)
    for lba, sectors in (1000, 20), (500, 3), (700, 40):
        assert b.record(content(lba, sectors), lba).error == 0
    b.play(10, 3)
    power_cycle(b)
    assert doubt(b) == (1, 500, 520)
    clear(b)
    assert b.record(content(1, 5), 2000).error == 0
    power_cycle(b)
    assert doubt(b) == (1, 2000, 5)


def test_failed_flush(bench):
    """The drive has dropped what it could not write: a second one would succeed."""
    b = bench(volatile(), **SMALL)
    assert b.record(content(1, 20), 100).error == 0
    heard = []

    def once(register, answer):
        b.drive.behaviour.good_status = 0x50 if heard else 0x51
        heard.append(register.command)
        answer(register)
    answer_by(b.drive, once)
    assert b.flush().error == Error.DRIVE_ERROR
    assert doubt(b) == (1, 100, 20)
    assert b.flush().error == Error.LINK_LOST
    clear(b)
    assert b.flush().error == 0


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
def test_link_lost_within_a_recording(bench, operation):
    """It continues and succeeds; what had been completed before is in doubt, and stays so."""
    b = bench(volatile(), **RETRY)
    b.engine.source(content(1, 60))
    b.start(operation, 100, 60)
    while b.outputs()["sectors_done"] < 32:
        b.run(10)
    b.port.drop_link(20)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == 0
    unflushed, lba, sectors = doubt(b)
    assert (unflushed, lba) == (1, 100) and 32 <= sectors <= 60


SLOW = {"completion_latency": 300}


def status_after(b, lba):
    """Clocks from the start of a recording of 20 sectors to the status of its first command."""
    begin = b.engine.state().cycle
    assert b.record(content(2, 20), lba).error == 0
    return log(b, REGISTER_D2H, "in")[-2][0] - begin


def unasked(clock, lba):
    """A good status, ``clock`` after now, for a command that fails at ``lba`` a moment later."""
    return [Fault(kind="unsolicited", fis="register d2h", value=0x50, clock=clock),
            Fault(kind="media", lba=lba, count=1, value=0x51, error=0x10)]


@pytest.mark.wide
@pytest.mark.parametrize("sync", [True, False])
def test_a_good_status_is_followed_by_an_error(bench, sync):
    """The drive revokes what it has said of the first of two commands: the journal shows it."""
    b = bench(connect(fis_log=True, **SLOW), sync_between_frames=sync, **RETRY)
    clock = status_after(b, 500)
    data = content(3, 20)
    for early in (14, 18, 22):
        b.image.write(512 * 100, bytes(512 * 20))
        b.port.inject(unasked(clock - early, 103))
        outcome = b.record(data, 100)
        b.port.clear_faults()
        b.drive.behaviour.fail_lba = None
        assert outcome.error == 0 and outcome.outputs["sectors_done"] == 20
        assert b.image.read_sectors(103, 1) == bytes(512)       # it was not written
        assert b.image.read_sectors(116, 4) == data[512 * 16:]
        assert outcome.outputs["retries"] == 1 and outcome.outputs["cause"] == Error.PROTOCOL
        b.run(8)
        [entry], _ = read_journal(b)
        assert (entry.kind, entry.cause, entry.position, entry.length) == (
            JournalKind.UNFLUSHED, Error.PROTOCOL, 100, 16)
        unflushed, first, sectors = doubt(b)
        assert (unflushed, first) == (1, 100) and sectors >= 16
        clear(b)
        assert b.flush().error == 0
    works(b, clean=False)


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
def test_a_good_status_at_the_end_is_followed_by_an_error(bench, operation):
    """Of the last command of a recording: `unflushed` rises, and FLUSH CACHE is not believed."""
    b = bench(connect(fis_log=True, **SLOW), **RETRY)
    clock = status_after(b, 500)
    assert b.flush().error == 0
    b.port.inject(unasked(clock - 18, 103))
    flush = operation == Operation.RECORD_FLUSH
    outcome = b.record(content(3, 16), 100, flush=flush)
    assert outcome.error == 0
    assert b.image.read_sectors(103, 1) == bytes(512)
    b.run(400)
    unflushed, first, sectors = doubt(b)
    assert (unflushed, first) == (1, 100) and sectors >= 16
    if flush:
        [entry], _ = read_journal(b)
        assert (entry.kind, entry.cause, entry.position, entry.length) == (
            JournalKind.UNFLUSHED, Error.PROTOCOL, 100, 16)
    else:
        assert b.flush().error in (Error.PROTOCOL, Error.LINK_LOST)
    b.port.clear_faults()
    b.drive.behaviour.fail_lba = None
    clear(b)
    works(b, clean=False)


@pytest.mark.parametrize("options, operation", [
    ({}, Operation.RECORD), ({}, Operation.RECORD_FLUSH), ({"flush_commands": 2}, Operation.RECORD)])
def test_a_good_status_of_flush_cache_is_followed_by_an_error(bench, options, operation):
    """On its own, at the end of a recording, and after each two commands of one: nothing was flushed."""
    b = bench(**RETRY | options)
    assert b.record(content(2, 20), 500, flush=True).error == 0

    def revoked(register, answer):
        if register.command == 0xEA:
            speak(b.drive, register_d2h(0x50), 20)
            b.drive.fail(0x04, latency=300)
        else:
            answer(register)
    answer_by(b.drive, revoked)
    flush = operation == Operation.RECORD_FLUSH
    assert b.record(content(3, 32), 100, flush=flush).error == 0
    if not options and not flush:
        assert b.flush().error == 0
    b.run(600)
    assert doubt(b) == (1, 100, 32)
    clear(b)
    assert not b.outputs()["unflushed"]

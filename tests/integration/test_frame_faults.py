"""Frames that go wrong on either side: sent again where the standard says so, else reported."""

import pytest
from integration.drives import InterjectingDrive, LenientDrive
from integration.small import (DATA, LONG, REGISTER_D2H, REGISTER_H2D, RETRY, SMALL, connect, content, log,
                               works)
from integration.test_drive_errors import OPERATIONS, run
from sata_drive_model.faults import Fault
from sata_drive_model.link import Frame
from sata_drive_model.protocol import fis

from sata_recorder.core.drive_port import Error

TRACED = SMALL | {"fis_log": True}


def good(b, operation, **options):
    """A run without error, with equal ledgers."""
    outcome = run(b, operation, **options)
    assert outcome.error == 0
    if operation == "record":
        assert b.image.read_sectors(50, 40) == content(50, 40)
    else:
        assert outcome.received == 40 * 128
    b.check()


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("times", [1, 2, 7])
@pytest.mark.parametrize("fault", ["refuse_command", "escape_command"])
def test_command_fis_is_sent_again(bench, operation, times, fault):
    b = bench(**TRACED)
    before = len(log(b, REGISTER_H2D))
    setattr(b.behaviour, fault, times)
    good(b, operation)
    assert getattr(b.behaviour, fault) == 0
    # A frame that the drive escapes from has no EOF, and so is none of the log.
    repeated = times if fault == "refuse_command" else 0
    assert len(log(b, REGISTER_H2D)) - before == 3 + repeated
    accounts = b.ledger().accounts
    assert accounts["recovery"] >= times and accounts["command"] > 3 * 8 + times
    works(b)


@pytest.mark.parametrize("fault", ["refuse_command", "escape_command"])
def test_identify_and_flush_are_sent_again(bench, fault):
    b = bench(**TRACED, **{fault: 3})
    assert b.port.resets == 1 and getattr(b.behaviour, fault) == 0
    setattr(b.behaviour, fault, 3)
    assert b.flush().error == 0
    assert getattr(b.behaviour, fault) == 0
    works(b)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("core, error", [(SMALL, Error.COMMAND_REFUSED), (RETRY, Error.NONE)])
@pytest.mark.parametrize("dword", [1, 2])
def test_command_fis_that_the_drive_cuts_short_and_takes(bench, operation, core, error, dword):
    """DMAT ends it before its last words: the drive may read or write anywhere, and the rest is no data."""
    b = bench(connect(LenientDrive), **core)
    b.port.inject([Fault(kind="dmat", fis="register h2d", dword=dword)])
    before = b.port.resets
    outcome = run(b, operation)
    assert (outcome.error, b.port.resets - before) == (error, 1)
    if error == Error.NONE:
        assert outcome.outputs["cause"] == Error.COMMAND_REFUSED
        if operation == "record":
            assert b.image.read_sectors(50, 40) == content(50, 40)
    works(b)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("fault", ["bad_crc", "wrong_length", "short_length", "unknown_fis"])
def test_damaged_fis_changes_nothing_and_comes_again(bench, operation, fault):
    """In front of DMA Activate, of data, of the status. The drive accepts nothing but R_ERR."""
    b = bench(**TRACED)
    setattr(b.behaviour, fault, 4)
    good(b, operation)
    # A lone DMA Activate cannot be shorter: the three statuses were.
    short = fault == "short_length" or operation == "play" and fault != "unknown_fis"
    assert getattr(b.behaviour, fault) == (1 if short else 0)
    setattr(b.behaviour, fault, 0)
    works(b)


@pytest.mark.parametrize("fault", ["bad_crc", "wrong_length", "short_length", "unknown_fis"])
def test_damaged_fis_during_bring_up(bench, fault):
    b = bench(**SMALL, **{fault: 3}, pio_dwords=32)
    assert b.port.resets == 1 and getattr(b.behaviour, fault) == 0
    assert b.identify() == b.drive.page
    works(b)


@pytest.mark.parametrize("index, sectors", [(0, 40), (1, 40), (6, 100)])
def test_data_fis_with_bad_crc(bench, index, sectors):
    b = bench(**LONG)
    b.behaviour.bad_data_crc = index
    outcome = run(b, "play", sectors=sectors)
    assert b.behaviour.bad_data_crc is None
    assert outcome.error == Error.DATA_CRC
    assert (outcome.outputs["drive_status"], outcome.outputs["drive_error"]) == (0x51, 0x84)
    assert b.port.resets == 1
    works(b)


@pytest.mark.parametrize("index, sectors", [(0, 40), (1, 40), (6, 100)])
def test_data_fis_that_the_drive_refuses(bench, index, sectors):
    b = bench(**LONG)
    b.behaviour.refuse_data = index
    outcome = run(b, "record", sectors=sectors)
    assert b.behaviour.refuse_data is None
    assert outcome.error == Error.DATA_CRC
    assert outcome.outputs["sectors_done"] == 0
    works(b)


@pytest.mark.parametrize("dword", [1, 2, 3, 100, 2046, 2047, 2048, 2049])
@pytest.mark.parametrize("fault", ["escape_write", "dmat_data"])
def test_drive_leaves_our_data_fis(bench, fault, dword):
    b = bench(**LONG)
    setattr(b.behaviour, fault, (1, dword))
    before = b.drive.data_fises
    outcome = run(b, "record", sectors=100)
    setattr(b.behaviour, fault, None)
    if fault == "escape_write":
        assert outcome.error in (Error.DRIVE_ERROR, Error.DATA_CRC)
        assert (outcome.outputs["drive_status"], outcome.outputs["drive_error"]) == (0x51, 0x84)
        # After the CRC there is nothing left to escape from.
        assert b.drive.data_fises - before == 1
    else:
        # DMAT ends the FIS, with a good CRC, and the rest comes with one FIS more.
        assert outcome.error == 0
        assert b.image.read_sectors(50, 100) == content(50, 100)
        assert b.drive.data_fises - before == (7 if dword >= 2046 else 8)
        b.check()
    works(b)


@pytest.mark.parametrize("dword", [0, 1, 2, 50, 2047, 2048])
def test_drive_leaves_its_data_fis(bench, dword):
    b = bench(**LONG)
    b.behaviour.escape_read = 1, dword
    outcome = run(b, "play", sectors=100)
    b.behaviour.escape_read = None
    assert outcome.error == Error.DATA_CRC
    assert outcome.received <= 2048 + dword
    works(b)


@pytest.mark.parametrize("operation, tag", [
    ("record", "activate"), ("record", "status"), ("play", "status")])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_drive_leaves_its_own_fis(bench, operation, tag, place):
    """SYNC escape from DMA Activate or a status, which is then sent again."""
    b = bench(connect(InterjectingDrive, fis_log=True), **SMALL)
    b.drive.tag = tag
    b.drive.before = lambda data: Frame(data, b.port.link.now, stop_at=place, tag="bad: escaped")
    good(b, operation)
    assert b.drive.before is None
    works(b)


@pytest.mark.parametrize("payload", [0, 2049, 2050, 2200, 5000])
def test_data_fis_of_no_legal_length(bench, payload):
    """The command wants that much, but no Data FIS may bring more than 2048 dwords at once."""
    b = bench(connect(InterjectingDrive), **LONG)
    b.drive.tag = "data"
    b.drive.before = lambda data: Frame(fis.data(bytes(4 * payload)), b.port.link.now,
                                        tag="bad: length")
    escapes = b.port.link.host_escapes
    # The proper FIS that follows may be more than is still wanted.
    assert b.play(50, 100).error in (Error.DATA_CRC, Error.PROTOCOL)
    assert b.drive.before is None
    # The long ones are abandoned, not merely refused.
    assert b.port.link.host_escapes > escapes or payload < 2200
    works(b, clean=False)


def test_data_fis_in_a_write(bench):
    """It is refused, and changes nothing."""
    b = bench(connect(InterjectingDrive, fis_log=True), **SMALL)
    b.drive.tag = "activate"
    b.drive.before = lambda data: Frame(fis.data(bytes(512)), b.port.link.now, tag="bad: data")
    good(b, "record")
    assert b.drive.before is None and len(log(b, DATA, "in")) == 1 + 1
    works(b)


def test_broken_fis_that_looks_like_data_in_a_write(bench):
    """With a bad CRC nobody knows that it was one: it changes nothing."""
    b = bench(connect(InterjectingDrive, fis_log=True), **SMALL)
    b.drive.tag = "activate"
    b.drive.before = lambda data: Frame(fis.data(bytes(4)), b.port.link.now, damage=1,
                                        tag="bad: CRC")
    good(b, "record")
    assert b.drive.before is None and len(log(b, DATA, "in")) == 1 + 1
    works(b)


@pytest.mark.wide
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("options, happened", [
    ({"pm_request": 1.0}, lambda b: b.analyser.spans["pmreq_pmnak"].count >= 4),
    ({"pm_request_idle": (5, 60)}, lambda b: b.analyser.spans["pmreq_pmnak"].count >= 4),
    ({"set_device_bits": 1.0}, lambda b: len(log(b, fis.SET_DEVICE_BITS)) >= 4),
    ({"set_device_bits_idle": (5, 60)}, lambda b: len(log(b, fis.SET_DEVICE_BITS)) >= 4),
    ({"dma_setup": 1.0}, lambda b: len(log(b, fis.DMA_SETUP)) >= 4),
    ({"bist_activate": 1.0}, lambda b: len(log(b, fis.BIST_ACTIVATE)) >= 4),
    ({"collision": 0.8}, lambda b: b.port.link.collisions >= 4),
    ({"collision": 0.5, "set_device_bits_idle": (1, 20)}, lambda b: b.port.link.collisions >= 4),
])
def test_unasked_frames(bench, seed, operation, options, happened):
    b = bench(**TRACED, seed=seed, flush_latency=500, activate_latency=300, data_latency=300,
              data_fis_dwords=500, completion_latency=400, **options)
    good(b, operation)
    works(b)
    b.run(2000)
    assert happened(b)
    b.check()
    assert len(log(b, REGISTER_D2H)) >= 3

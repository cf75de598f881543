"""READ LOG DMA EXT of the Device Statistics log after each SMART RETURN STATUS of a recording."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.drives import answer_by, away, fail
from integration.small import RETRY, SMALL, connect, content, works
from integration.test_drive_health import commands, drive, stops_anywhere
from sata_drive_model import Behaviour, DiskImage, Drive, Health
from sata_drive_model.faults import Fault

from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.health import HealthVerdict
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Event, Hold
from sata_recorder.interface.temperature import HeatVerdict

WRITE, SMART, LOG = 0x35, 0xB0, 0x47
#: A command for each 16 sectors.
CORE = RETRY | {"smart_commands": 2, "smart_temperature": True}
UNKNOWN, GOOD, TOO_HOT, NO_LIMIT = HeatVerdict
ROUND = [SMART, LOG, WRITE, WRITE]


def heat(b):
    outputs = b.outputs()
    celsius = outputs["drive_temperature"]
    return HeatVerdict(outputs["drive_heat"]), celsius - 256 if celsius & 0x80 else celsius


def record(b, sectors=3, lba=7):
    """A recording that must succeed; returns the commands that it was made of."""
    before = len(commands(b))
    data = content(sectors, sectors)
    assert b.record(data, lba).error == Error.NONE
    assert b.image.read_sectors(lba, sectors) == data
    b.check()
    return commands(b)[before:]


def test_it_is_read_with_the_verdict(bench):
    b = bench(drive(), **CORE)
    assert heat(b) == (UNKNOWN, 0)
    for sectors, wanted in (32, ROUND), (33, [*ROUND, SMART, LOG, WRITE]):
        assert record(b, sectors) == wanted and heat(b) == (GOOD, 35)
    asked = commands(b).count(LOG)
    b.play(7, 3)
    b.flush()
    assert commands(b).count(LOG) == asked and heat(b) == (GOOD, 35)
    works(b)


def test_a_drive_that_heats_up(bench):
    """It is told in the middle of the recording, which continues."""
    b = bench(drive(lambda: Health(celsius=60, celsius_limit=61, bytes_per_degree=512 * 40)), **CORE)
    data = content(1, 160)
    b.engine.source(data)
    b.start(Operation.RECORD, 100, 160)
    done = {}
    while not b.outputs()["done"]:
        b.run(1)
        done.setdefault(heat(b), b.outputs()["sectors_done"])
    assert done == {(UNKNOWN, 0): 0, (GOOD, 60): 0, (GOOD, 61): 64, (TOO_HOT, 62): 96, (TOO_HOT, 63): 128}
    assert b.outputs()["error"] == Error.NONE and b.image.read_sectors(100, 160) == data
    assert HealthVerdict(b.outputs()["drive_health"]) is HealthVerdict.GOOD
    b.play(100, 3)
    assert heat(b) == (TOO_HOT, 63)         # until it reports something else
    b.drive.health.celsius -= 20
    record(b)
    assert heat(b) == (GOOD, 44)


@pytest.mark.parametrize("celsius, limit, wanted", [
    (70, 70, GOOD), (71, 70, TOO_HOT), (-10, 70, GOOD), (-10, -20, TOO_HOT), (100, -128, TOO_HOT),
    (-128, 127, GOOD)])
def test_degrees_have_a_sign(bench, celsius, limit, wanted):
    b = bench(drive(lambda: Health(celsius=celsius, celsius_limit=limit)), **CORE)
    record(b)
    assert heat(b) == (wanted, celsius)


@pytest.mark.parametrize("at, byte, wanted", [
    (15, 0x00, (UNKNOWN, 0)), (15, 0x80, (UNKNOWN, 0)), (15, 0x40, (UNKNOWN, 0)), (15, 0xE8, (GOOD, 35)),
    (95, 0x00, (NO_LIMIT, 35)), (95, 0x80, (NO_LIMIT, 35)), (2, 4, (UNKNOWN, 0)), (0, 2, (GOOD, 35)),
    (14, 0xFF, (GOOD, 35)), (80, 99, (GOOD, 35))])
def test_what_the_page_does_not_say(bench, at, byte, wanted):
    """Flags of temperature and maximum, and the page's number, altered."""
    b = bench(drive(), **CORE)
    record(b)
    page = bytearray(b.drive.health.log(4, 5, 1))
    page[at] = byte
    b.drive.health.log = lambda *_: bytes(page)
    assert record(b, 20)[:2] == [SMART, LOG] and heat(b) == wanted


@pytest.mark.parametrize("page", [None, bytes(256)], ids=["ends with an error", "too short"])
def test_a_drive_that_does_not_give_the_page(bench, page):
    """It is asked once, and again after the next bring-up; its verdict is asked for as ever."""
    b = bench(drive(), **CORE)
    record(b)
    whole, b.drive.health.log = b.drive.health.log, lambda *_: page
    for wanted in [*ROUND, SMART, WRITE], [SMART, WRITE, WRITE, SMART, WRITE]:
        assert record(b, 48) == wanted and heat(b) == (UNKNOWN, 0)
    b.drive.health.log = whole
    away(b)
    assert record(b) == [SMART, LOG, WRITE] and heat(b) == (GOOD, 35)
    assert HealthVerdict(b.outputs()["drive_health"]) is HealthVerdict.GOOD


def test_a_page_that_the_line_has_damaged(bench):
    """What was told before stays, and it is read again with the next verdict."""
    b = bench(drive(), **CORE)
    record(b)
    b.drive.health.celsius = 80
    b.port.inject([Fault(kind="bad_crc", fis="data")])
    b.engine.source(content(1, 40))
    b.start(Operation.RECORD, 7, 40)
    told = {}
    while not b.outputs()["done"]:
        b.run(1)
        told.setdefault(heat(b), b.outputs()["sectors_done"])
    assert [*told] == [(GOOD, 35), (TOO_HOT, 80)] and told[TOO_HOT, 80] == 32
    assert b.outputs()["error"] == Error.NONE and b.image.read_sectors(7, 40) == content(1, 40)
    assert commands(b)[3:] == [*ROUND, SMART, LOG, WRITE]


@pytest.mark.parametrize("words, wanted", [
    ({119: 0x4008, 120: 0}, True), ({119: 0, 120: 0x4008}, True), ({119: 0x4000, 120: 0x4000}, False),
    ({119: 0x8008, 120: 0x0008}, False), ({119: 0xC008, 120: 0xFFFF}, False), ({}, False)])
def test_only_where_it_is_offered(bench, words, wanted):
    health = Health()
    health.words = lambda apm: Health.words(health, apm) | {119: 0, 120: 0} | words
    b = bench(drive(lambda: health), **CORE)
    assert record(b) == [SMART, *[LOG] * wanted, WRITE]
    assert heat(b) == ((GOOD, 35) if wanted else (UNKNOWN, 0))


@pytest.mark.parametrize("asked", [SMART, LOG])
def test_an_error_between_two_commands_is_no_recovery(bench, asked):
    """What the drive ends the second one with; core and port book the clocks after it alike."""
    b = bench(drive(), **CORE)
    heard = []

    def told(register, answer):
        heard.append(register.command)
        if register.command == asked and heard.count(asked) == 2:
            b.drive.pages = None
            return fail(b.drive)
        return answer(register)

    answer_by(b.drive, told)
    assert record(b, 64)[3:5] == [WRITE, SMART] and heard.count(asked) == 2
    assert b.outputs()["retries"] == 0 and b.ledger().accounts["recovery"] == 0


def test_drives_that_cannot_be_asked(bench):
    """Without any health; with SMART disabled, which the log does not need; with 28-bit addresses."""
    b = bench(drive(None), **CORE)
    assert record(b, 33) == [SMART, WRITE, WRITE, WRITE]
    b = bench(drive(lambda: Health(enabled=False)), **CORE)
    assert record(b, 33) == [*ROUND, LOG, WRITE] and heat(b) == (GOOD, 35)
    assert HealthVerdict(b.outputs()["drive_health"]) is HealthVerdict.UNKNOWN
    b = bench(connect(unit={"health": Health(), "lba48": False}), **CORE)
    assert record(b, 20) == [SMART, 0xCA, 0xCA] and heat(b) == (UNKNOWN, 0)


def test_another_drive(bench):
    b = bench(drive(lambda: Health(celsius=90)), **CORE)
    record(b)
    away(b)
    assert heat(b) == (TOO_HOT, 90)         # the same
    b.port.plug(Drive(DiskImage(sectors=5000), serial="OTHER", health=Health()), 50)
    b.run(60)
    b.wait(Event.READY)
    assert heat(b) == (UNKNOWN, 0)
    assert b.record(content(1, 3), 7).error == Error.NONE and heat(b) == (GOOD, 35)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("how", ["link", "silent", "too much"])
def test_the_drive_is_lost_meanwhile(bench, first, how):
    """The recording continues, and does not read the log again."""
    b = bench(drive(), **CORE)
    data = content(1, 160)
    whole = b.drive.health.log
    asked = []

    def log(*_):
        """Late; or what the core has not asked for."""
        asked.append(len(commands(b)))
        if len(asked) == (1 if first else 2):
            b.behaviour.command_latency = {"link": 3000, "silent": 400_000, "too much": 0}[how]
            return bytes(1024) if how == "too much" else whole(4, 5, 1)
        return whole(4, 5, 1)

    b.drive.health.log = log
    b.engine.source(data)
    b.start(Operation.RECORD, 100, 160)
    while len(asked) < (1 if first else 2):
        b.run(50)
    b.run(400)
    if how == "link":
        b.port.drop_link(20)
    b.behaviour.command_latency = 0
    b.wait(Event.DONE)
    b.run(8)
    outputs = b.outputs()
    assert (outputs["error"], outputs["sectors_done"], read_journal(b)[1]) == (0, 160, 0)
    assert outputs["cause"] == {
        "link": Error.LINK_LOST, "silent": Error.TIMEOUT, "too much": Error.PROTOCOL}[how]
    assert b.image.read_sectors(100, 160) == data
    assert len(asked) == (1 if first else 2) and commands(b).count(SMART) == 5
    # A page that was too long is none, and after a silence nobody knows.
    assert heat(b) == ((GOOD, 35) if how == "link" and not first else (UNKNOWN, 0))
    b.drive.health.log = whole
    # A drive that was reset for it is not asked again before it was away.
    assert b.record(content(2, 3), 100).error == Error.NONE
    assert heat(b) == ((GOOD, 35) if how == "link" else (UNKNOWN, 0))
    away(b)
    assert b.record(content(2, 3), 100).error == Error.NONE and heat(b) == (GOOD, 35)


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1))
def test_hostile_drives(bench, seed):
    b = bench(connect(seed=seed, behaviour=Behaviour.random(seed), unit={"health": Health()}), **CORE)
    data = content(seed, 90)
    assert b.record(data, 30, hold=Hold(90, 40)).error == Error.NONE
    assert b.image.read_sectors(30, 90) == data and heat(b) == (GOOD, 35)
    assert commands(b) == ROUND * 3
    b.check()


@pytest.mark.parametrize("latency", [0, 500, 3000])
def test_each_clock_is_accounted_for(bench, latency):
    """The words of the log are no payload; those ahead of the first command are no part of the transfer."""
    b = bench(drive(command_latency=latency), **CORE)
    assert record(b, 100) == ROUND * 3 + [SMART, LOG, WRITE]
    ledger = b.ledger()
    assert ledger.accounts["payload"] == 128 * 100
    assert 3 * latency < ledger.accounts["flush"] < 3 * (latency + 500)
    assert 0 < b.outputs()["drive_health_clocks"] < 4 * 150


def test_a_stop_is_not_held_up(bench):
    stops_anywhere(bench(drive(), **CORE))


@pytest.mark.long
@pytest.mark.parametrize("options", [
    {"extents": "modes", "buffer_words": 512, "retain_sectors": 4}, {"commands": True, "flush_commands": 1},
    {"fua": True, "on_failure": "skip", "pacing": "programmable"}, {"recovery": False, "retain_sectors": 0},
    {"long_logical_sectors": True, "histograms": True}])
def test_with_other_options(bench, options):
    b = bench(drive(), **CORE | options)
    if "extents" in options:
        b.engine.set(recording_mode=RecordingMode.RING)
    data = content(1, 120)
    assert b.record(data, 8, 120, hold=Hold(60, 9), stop_after=128 * 119).error == Error.NONE
    found = commands(b)
    writes = [one for one in found if one in (WRITE, 0x3D)]
    # Once it is stopped it asks no more.
    assert found[:2] == [SMART, LOG] and -(-len(writes) // 2) - found.count(SMART) in (0, 1)
    assert found.count(SMART) - found.count(LOG) in (0, 1) and heat(b) == (GOOD, 35)
    b.check()
    whole, b.drive.health.log = b.drive.health.log, lambda *_: None
    if "extents" in options:
        b.engine.set(recording_mode=RecordingMode.FIXED, recording_words=128 * 40)
    assert b.record(content(2, 40), 8).error == Error.NONE and heat(b) == (UNKNOWN, 0)
    assert b.image.read_sectors(8, 40) == content(2, 40)
    b.drive.health.log = whole
    if "commands" in options:
        # COMMAND asks for itself only.
        before = len(commands(b))
        b.engine.set(task_operation=1, task_command=WRITE, task_count=3, task_device=0x40)
        assert b.record(content(2, 3), 1).error == Error.NONE
        assert commands(b)[before:] == [WRITE]


@pytest.mark.long
def test_without_recovery(bench):
    """What the log does not bring ends no recording; a link that is lost in it does."""
    b = bench(drive(), **SMALL | {"smart_commands": 2, "smart_temperature": True, "recovery": False})
    b.drive.health.log = lambda *_: bytes(256)
    assert record(b, 60) == [*ROUND, SMART, WRITE, WRITE]


@pytest.mark.parametrize("silent", [SMART, LOG])
def test_what_was_asked_is_no_attempt_of_the_next_command(bench, silent):
    """The drive does not answer it once, and refuses the write after it as often as one may be
    tried again: that one succeeds at the last attempt, as it would without the silence."""
    b = bench(drive(), **CORE)
    refused, heard = [], []

    def told(register, answer):
        heard.append(register.command)
        if register.command == silent and heard.count(silent) == 2:
            b.drive.pages = None
            return None
        if register.command == WRITE and heard.count(silent) == 2 and len(refused) < CORE["retries"]:
            refused.append(register)
            b.drive.pages = None
            return fail(b.drive)
        return answer(register)

    answer_by(b.drive, told)
    data = content(1, 64)
    assert b.record(data, 100).error == Error.NONE and len(refused) == CORE["retries"] > 0
    assert b.image.read_sectors(100, 64) == data
    # Commands that were issued again: what was asked was not.
    assert b.outputs()["retries"] == CORE["retries"]

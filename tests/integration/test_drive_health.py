"""SMART RETURN STATUS after every N write commands of a recording, and ahead of the first."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.small import RETRY, SMALL, connect, content, works
from sata_drive_model import Behaviour, DiskImage, Drive, Health

from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.health import HealthVerdict
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Event, Hold

WRITE, FLUSH, SMART = 0x35, 0xEA, 0xB0
#: A command for each 16 sectors.
CORE = SMALL | {"smart_commands": 2}
#: With the temperature: the core of test_drive_temperature.
REPLAYS = RETRY | {"smart_commands": 2, "smart_temperature": True}
UNKNOWN, GOOD, FAILING = HealthVerdict


def drive(health=Health, **behaviour):
    return connect(unit={"health": health() if health else None}, **behaviour)


def commands(b):
    """The codes of the commands that have got a status, but for IDENTIFY DEVICE."""
    return [one.command for one in b.drive.completed if one.command != 0xEC]


def verdict(b):
    return HealthVerdict(b.outputs()["drive_health"])


@pytest.mark.parametrize("sectors, flush, wanted", [
    (16, False, [SMART, WRITE]), (32, False, [SMART] + [WRITE] * 2),
    (33, False, [SMART] + [WRITE] * 2 + [SMART, WRITE]),
    (33, True, [SMART] + [WRITE] * 2 + [SMART, WRITE, FLUSH])])
def test_order(bench, sectors, flush, wanted):
    """None ends a recording, and each recording counts again."""
    b = bench(drive(), **CORE)
    assert verdict(b) == UNKNOWN
    data = content(1, sectors)
    for turn in 1, 2:
        assert b.record(data, 7, flush=flush).error == Error.NONE
        assert commands(b) == wanted * turn and verdict(b) == GOOD
        assert b.image.read_sectors(7, sectors) == data
        b.check()
    assert b.play(7, sectors).data == data and b.flush().error == Error.NONE
    assert commands(b).count(SMART) == 2 * wanted.count(SMART)
    works(b)


def test_it_is_told_at_once(bench):
    """In the middle of a recording, which continues."""
    b = bench(drive(lambda: Health(fails_after=512 * 40)), **CORE)
    data = content(1, 160)
    b.engine.source(data)
    b.start(Operation.RECORD, 100, 160)
    done = {}
    while not b.outputs()["done"]:
        b.run(1)
        done.setdefault(verdict(b), b.outputs()["sectors_done"])
    assert done == {UNKNOWN: 0, GOOD: 0, FAILING: 64}
    assert b.outputs()["error"] == Error.NONE and b.image.read_sectors(100, 160) == data
    assert commands(b) == ([SMART] + [WRITE] * 2) * 5
    # And stays, until the drive reports something else.
    b.play(100, 3)
    assert verdict(b) == FAILING
    b.drive.health.fails_after = None
    assert b.record(content(2, 3), 100).error == Error.NONE and verdict(b) == GOOD


def test_by_wear(bench):
    b = bench(drive(lambda: Health(endurance_bytes=512 * 1000, written_bytes=512 * 1075)), **CORE)
    assert b.record(content(1, 20), 100).error == Error.NONE and verdict(b) == GOOD
    assert b.record(content(1, 3), 100).error == Error.NONE and verdict(b) == FAILING


@pytest.mark.parametrize("health", [None, lambda: Health(enabled=False)])
def test_a_drive_that_does_not_answer(bench, health):
    """It is asked once, and again after the next bring-up."""
    b = bench(drive(health), **CORE)
    for wanted in [SMART] + [WRITE] * 4, [WRITE] * 4:
        before = len(commands(b))
        assert b.record(content(1, 60), 7).error == Error.NONE
        assert commands(b)[before:] == wanted and verdict(b) == UNKNOWN
        b.check()
    b.port.drop_link(20)
    b.run(60)
    b.wait(Event.READY)
    assert b.record(content(1, 60), 7).error == Error.NONE
    assert commands(b)[9:] == [SMART] + [WRITE] * 4


def test_an_answer_that_is_none(bench):
    b = bench(drive(), **CORE)
    b.drive.health.failing = lambda: True
    assert b.record(content(1, 3), 7).error == Error.NONE and verdict(b) == FAILING
    b.drive.health.enabled = False
    assert b.record(content(1, 3), 7).error == Error.NONE and verdict(b) == UNKNOWN


def test_another_drive(bench):
    """Nothing is known of it until it is asked."""
    b = bench(drive(lambda: Health(fails_after=0)), **CORE)
    assert b.record(content(1, 3), 7).error == Error.NONE and verdict(b) == FAILING
    b.port.drop_link(20)
    b.run(60)
    b.wait(Event.READY)
    assert verdict(b) == FAILING        # the same
    b.port.plug(Drive(DiskImage(sectors=5000), serial="OTHER", health=Health()), 50)
    b.run(60)
    b.wait(Event.READY)
    assert verdict(b) == UNKNOWN
    assert b.record(content(1, 3), 7).error == Error.NONE and verdict(b) == GOOD


@pytest.mark.parametrize("latency", [0, 500, 3000])
def test_each_clock_is_accounted_for(bench, latency):
    """Those ahead of the first command are no part of the transfer."""
    b = bench(drive(other_latency=latency), **CORE)
    assert b.record(content(1, 100), 7).error == Error.NONE
    ledger, outputs = b.ledger(), b.outputs()
    assert commands(b).count(SMART) == 4
    assert 3 * latency < ledger.accounts["flush"] < 3 * (latency + 150)
    assert 4 * latency < outputs["drive_health_clocks"] < 4 * (latency + 150)
    b.check()
    b.play(7, 100)
    assert b.outputs()["drive_health_clocks"] == outputs["drive_health_clocks"]


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1))
def test_hostile_drives(bench, seed):
    b = bench(connect(seed=seed, behaviour=Behaviour.random(seed), unit={"health": Health()}), **CORE)
    data = content(seed, 90)
    assert b.record(data, 30, hold=Hold(90, 40)).error == Error.NONE
    assert b.image.read_sectors(30, 90) == data and verdict(b) == GOOD
    assert commands(b) == ([SMART] + [WRITE] * 2) * 3
    b.check()


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("how", ["link", "silent"])
def test_the_drive_is_lost_meanwhile(bench, first, how):
    """The recording continues, and does not ask again."""
    b = bench(drive(other_latency=3000 if how == "link" else 200_000), **REPLAYS)
    if not first:
        b.behaviour.other_latency = 0
    data = content(1, 100)
    b.engine.source(data)
    b.start(Operation.RECORD, 100, 100)
    while not first and commands(b).count(WRITE) < 2:
        b.run(5)
    b.behaviour.other_latency = 3000 if how == "link" else 200_000
    b.run(700)
    if how == "link":
        b.port.drop_link(20)
    b.wait(Event.DONE)
    b.run(8)
    outputs = b.outputs()
    assert (outputs["error"], outputs["sectors_done"], read_journal(b)[1]) == (0, 100, 0)
    assert outputs["cause"] == (Error.LINK_LOST if how == "link" else Error.TIMEOUT)
    assert b.image.read_sectors(100, 100) == data
    assert commands(b).count(SMART) == (0 if first else 1)
    assert verdict(b) == (GOOD if how == "link" and not first else UNKNOWN)
    # What was completed before may be lost with the cache, as ever.
    assert len(read_journal(b)[0]) == (0 if first else 1)
    b.behaviour.other_latency = 0
    # One that was reset for it is not asked again before it was away.
    assert b.record(content(2, 3), 100).error == Error.NONE
    assert verdict(b) == (GOOD if how == "link" else UNKNOWN)
    b.port.drop_link(20)
    b.run(60)
    b.wait(Event.READY)
    assert b.record(content(2, 3), 100).error == Error.NONE and verdict(b) == GOOD


def test_a_drive_that_fails_and_falls_silent(bench):
    """That it was failing is what is known of it."""
    b = bench(drive(lambda: Health(fails_after=512 * 40)), **REPLAYS)
    assert b.record(content(1, 100), 100).error == Error.NONE and verdict(b) == FAILING
    b.behaviour.mute = frozenset({"smart"})
    for _ in range(2):
        assert b.record(content(2, 3), 100).error == Error.NONE and verdict(b) == FAILING
    assert b.port.resets == 2


@pytest.mark.parametrize("unit, options, write", [
    ({"lba48": False}, {}, 0xCA),
    pytest.param({"logical_sector": 4096}, {"long_logical_sectors": True}, WRITE, marks=pytest.mark.long)])
def test_other_addresses(bench, unit, options, write):
    """The registers of SMART are no address."""
    b = bench(connect(unit={"health": Health()} | unit), **CORE | options)
    data = content(1, 48)
    assert b.record(data, 8).error == Error.NONE and b.image.read_sectors(8, 48) == data
    assert commands(b) == [SMART, write, write, SMART, write] and verdict(b) == GOOD
    b.check()


@pytest.mark.wide
def test_without_recovery(bench):
    """A drive that does not know the command continues; a link that is lost in it ends the recording."""
    b = bench(drive(None), **CORE | {"recovery": False})
    assert b.record(content(1, 60), 7).error == Error.NONE and commands(b) == [SMART] + [WRITE] * 4
    b.drive.health, b.behaviour.other_latency = Health(), 3000
    b.port.drop_link(20)
    b.run(60)
    b.wait(Event.READY)
    b.engine.source(content(1, 60))
    b.start(Operation.RECORD, 100, 60)
    b.run(500)
    b.port.drop_link(20)
    b.wait(Event.DONE)
    assert (b.outputs()["error"], b.outputs()["sectors_done"]) == (Error.LINK_LOST, 0)
    b.behaviour.other_latency = 0
    works(b)
    assert verdict(b) == GOOD


def stops_anywhere(b):
    """A recording that is stopped at these words, and what was taken until then."""
    for stop in 0, 1, 4095, 4096, 4097, 5000:
        outcome = b.record(content(1, 200), 7, stop_after=stop)
        assert outcome.error == Error.NONE
        assert b.image.read_sectors(7, 200)[:4 * outcome.taken] == content(1, 200)[:4 * outcome.taken]
        b.check()
    works(b)


def test_a_stop_is_not_held_up(bench):
    stops_anywhere(bench(drive(), **CORE))


#: They are in cores of the campaign and of other tests, too.
@pytest.mark.long
@pytest.mark.parametrize("options", [{"extents": "modes", "buffer_words": 512}, {"commands": True, "flush_commands": 1},
           {"fua": True, "on_failure": "skip", "pacing": "programmable"}])
def test_with_other_options(bench, options):
    b = bench(drive(), **CORE | options)
    if "extents" in options:
        b.engine.set(recording_mode=RecordingMode.RING)
    data = content(1, 120)
    assert b.record(data, 7, 120, hold=Hold(60, 9), stop_after=128 * 119).error == Error.NONE
    found = commands(b)
    writes = [one for one in found if one == WRITE]
    # Once it is stopped it asks no more.
    assert found[0] == SMART and -(-len(writes) // 2) - found.count(SMART) in (0, 1)
    assert verdict(b) == GOOD
    b.check()
    if "commands" in options:
        # COMMAND asks for itself only.
        b.engine.set(task_operation=1, task_command=WRITE, task_count=3, task_device=0x40)
        assert b.record(content(2, 3), 1).error == Error.NONE
        assert commands(b)[len(found):] == [WRITE]

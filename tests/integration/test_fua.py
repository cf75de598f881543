"""WRITE DMA FUA EXT: what a recording has written is on the medium when a command has ended."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.benches import port_of
from integration.small import LONG, RETRY, SMALL, connect, content, works
from integration.test_write_cache import SLOW, clear, doubt, power_cycle, status_after, unasked, volatile
from sata_drive_model import Behaviour, DiskImage, Drive, Medium, Profile

from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Event, Hold

WRITE, FUA, FLUSH, READ = 0x35, 0x3D, 0xEA, 0x25
CORE = SMALL | {"fua": True, "commands": True}
REPLAYS = RETRY | {"fua": True}


def commands(b):
    """The codes of the commands that have ended, but for IDENTIFY DEVICE."""
    return [one.command for one in b.drive.completed if one.command != 0xEC]


@pytest.mark.parametrize("unit, wanted", [
    ({"fua": True}, [FUA] * 3), ({"fua": False}, [WRITE, FLUSH] * 3),
    ({"fua": True, "lba48": False}, [0xCA, 0xE7] * 3)])
def test_which_command(bench, unit, wanted):
    """Where the drive has no such command, FLUSH CACHE follows each."""
    b = bench(connect(unit=unit), **CORE)
    data = content(1, 40)
    assert b.record(data, 7).error == Error.NONE
    assert commands(b) == wanted and b.image.read_sectors(7, 40) == data
    b.check()
    assert b.play(7, 40).data == data
    b.check()
    works(b)


def test_flush_at_the_end_comes_as_ever(bench):
    b = bench(connect(unit={"fua": True}), **CORE)
    assert b.record(content(1, 40), 7, flush=True).error == Error.NONE
    assert commands(b) == [FUA] * 3 + [FLUSH]
    assert b.flush().error == Error.NONE and commands(b)[4:] == [FLUSH]


@pytest.mark.parametrize("word, bits, offers", [
    (84, 0x4040, True), (87, 0x4040, True), (84, 0x4000, False), (84, 0xC040, False), (87, 0x0040, False),
    (84, 0x8040, False)])
def test_words_that_count(bench, word, bits, offers):
    """Bit 6 of either word, with 01 in bits 15:14."""
    port = connect()
    page = bytearray(port.drive.page)
    page[2 * 84:2 * 85] = page[2 * 87:2 * 88] = b"\0\0"
    page[2 * word:2 * word + 2] = bits.to_bytes(2, "little")
    page[511] = -sum(page[:511]) & 0xFF
    port.drive.page = bytes(page)
    port.drive.unit["fua"] = True
    b = bench(port, **CORE)
    assert b.record(content(1, 3), 7).error == Error.NONE
    assert commands(b) == ([FUA] if offers else [WRITE, FLUSH])


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1))
def test_hostile_drives(bench, seed):
    b = bench(connect(seed=seed, behaviour=Behaviour.random(seed), unit={"fua": True}), **CORE)
    data = content(seed, 90)
    assert b.record(data, 30, hold=Hold(90, 40)).error == Error.NONE
    assert b.image.read_sectors(30, 90) == data
    b.check()


@pytest.mark.parametrize("fua", [True, False])
def test_power_cut_behind_a_recording(bench, fua):
    b = bench(volatile(fua=fua), **CORE)
    data = content(1, 40)
    assert b.record(data, 100).error == Error.NONE
    power_cycle(b)
    assert b.image.read_sectors(100, 40) == data
    assert doubt(b)[0] == 0
    works(b)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("fua", [True, False])
def test_power_cut_within_a_recording(bench, fua, seed):
    """At any time: every command that was said to be complete is on the medium, or named."""
    b = bench(volatile(fua=fua), **CORE)
    b.behaviour.completion_latency = b.behaviour.flush_latency = 200
    data = content(seed, 120)
    b.engine.source(data)
    b.start(Operation.RECORD, 100, 120)
    b.run(random.Random(seed).randint(50, 14_000))
    done = b.outputs()["sectors_done"]
    b.drive.power_off()
    b.port.plug(b.drive, 50)
    b.wait(Event.DONE)
    b.run(8)
    outputs = b.outputs()
    named = set()
    for entry in read_journal(b)[0]:
        named |= set(range(entry.position, entry.position + entry.length))
    written = outputs["sectors_done"]
    assert written >= done
    for sector in range(written):
        if 100 + sector not in named:
            assert b.image.read_sectors(100 + sector, 1) == data[512 * sector:512 * sector + 512], sector
    if fua:
        assert JournalKind.UNFLUSHED not in [entry.kind for entry in read_journal(b)[0]]
        assert not outputs["unflushed"]


@pytest.mark.wide
def test_a_recording_goes_on_behind_a_power_cut(bench):
    """Nothing of it is in doubt."""
    b = bench(volatile(fua=True), **REPLAYS)
    data = content(1, 120)
    b.engine.source(data)
    b.start(Operation.RECORD, 100, 120)
    while b.outputs()["sectors_done"] < 48:
        b.run(10)
    b.run(400)
    b.drive.power_off()
    b.port.plug(b.drive, 50)
    b.wait(Event.DONE)
    b.run(8)
    outputs = b.outputs()
    assert (outputs["error"], outputs["sectors_done"], outputs["unflushed"]) == (0, 120, 0)
    assert outputs["retries"] == 1 and read_journal(b)[0] == []
    assert b.image.read_sectors(100, 120) == data


@pytest.mark.parametrize("early", [14, 18, 22])
def test_a_good_status_that_is_taken_back(bench, early):
    """The one thing that may be lost: it is told in the journal and in `unflushed`."""
    b = bench(connect(fis_log=True, unit={"fua": True}, **SLOW), **REPLAYS)
    clock = status_after(b, 500)
    data = content(3, 20)
    b.port.inject(unasked(clock - early, 103))
    outcome = b.record(data, 100)
    b.port.clear_faults()
    b.drive.behaviour.fail_lba = None
    assert outcome.error == 0 and outcome.outputs["cause"] == Error.PROTOCOL
    assert b.image.read_sectors(103, 1) == bytes(512)
    b.run(8)
    [entry], _ = read_journal(b)
    assert (entry.kind, entry.cause, entry.position, entry.length) == (
        JournalKind.UNFLUSHED, Error.PROTOCOL, 100, 16)
    unflushed, first, sectors = doubt(b)
    assert (unflushed, first) == (1, 100) and sectors >= 16
    clear(b)
    works(b, clean=False)


def test_only_the_latest_command_can_be_taken_back(bench):
    b = bench(connect(fis_log=True, unit={"fua": True}, **SLOW), **REPLAYS)
    assert b.record(content(1, 30), 2000).error == 0
    clock = status_after(b, 500)
    b.port.inject(unasked(clock - 18, 103))
    assert b.record(content(3, 16), 100).error == 0
    b.run(400)
    assert doubt(b) == (1, 100, 16)


def test_the_link_is_lost_behind_a_recording(bench):
    """Nothing is in doubt then, and FLUSH reports it."""
    b = bench(volatile(fua=True), **CORE)
    assert b.record(content(1, 30), 200).error == 0
    power_cycle(b)
    assert doubt(b)[0] == 0 and b.flush().error == Error.NONE


def test_another_drive_without_the_command(bench):
    """What is recorded on it is flushed; what is on the first one is safe."""
    b = bench(volatile(fua=True), **CORE)
    assert b.record(content(1, 30), 200).error == 0
    b.port.plug(Drive(DiskImage(sectors=5000), serial="OTHER"), 50)
    b.run(60)
    b.wait(Event.READY)
    assert b.record(content(2, 20), 200).error == 0
    assert commands(b) == [WRITE, FLUSH] * 2 and doubt(b)[0] == 0


def test_the_same_drive_without_the_command(bench):
    """One that does not offer it any more in the middle of a recording is another one."""
    b = bench(volatile(fua=True), **REPLAYS)
    b.engine.source(content(1, 120))
    b.start(Operation.RECORD, 100, 120)
    while b.outputs()["sectors_done"] < 48:
        b.run(10)
    b.drive.unit["fua"] = False
    b.drive.renew_page()
    b.port.drop_link(20)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == Error.OTHER_DRIVE
    b.run(400)
    assert commands(b).count(WRITE) == 0


@pytest.mark.wide
def test_a_ring(bench):
    b = bench(volatile(fua=True), **LONG | {"fua": True, "extents": "modes"})
    b.engine.set(recording_mode=RecordingMode.RING)
    assert b.record(content(1, 90), 100, 40, stop_after=128 * 81).error == Error.NONE
    before = b.image.read_sectors(100, 40)
    power_cycle(b)
    assert b.image.read_sectors(100, 40) == before and not doubt(b)[0]
    assert set(commands(b)) == {FUA}


def test_command_stays_what_it_is(bench):
    """COMMAND issues what it is given, and FLUSH CACHE does not follow it."""
    b = bench(connect(unit={"fua": False}), **CORE)
    b.engine.set(task_operation=1, task_command=WRITE, task_count=3, task_device=0x40)
    assert b.record(content(2, 3), 1).error == Error.NONE and commands(b) == [WRITE]
    b.engine.set(task_command=FUA)
    assert b.record(content(2, 3), 1).error == Error.DRIVE_ERROR
    b.engine.set(task_operation=0)
    works(b, lba=50)


PROFILE = Profile.from_data({
    "name": "through", "model": "THROUGH", "description": "has FUA", "capacity_sectors": 5000,
    "generation": 2, "source": "a test", "fua": True,
    "write": {"mb_per_s": 100, "buffer_bytes": 1 << 20, "fua_us": 200, "flush_us": 700}}, "test")


def test_its_price(bench):
    """A command waits until its data are on the medium, and as long as the profile states."""
    clocks = []
    for fua in True, False:
        b = bench(port_of(Drive(DiskImage(sectors=5000), medium=Medium(PROFILE, 75e6), fua=fua)),
                  **CORE)
        begin = b.engine.state().cycle
        assert b.record(content(1, 80), 8).error == Error.NONE
        clocks.append(b.engine.state().cycle - begin)
        assert b.ledger().accounts["flush"] == 0 if fua else b.ledger().accounts["flush"] > 5 * 700 * 75
        b.check()
    medium = 80 * 512 * 0.75
    assert medium + 5 * 200 * 75 < clocks[0] < medium + 5 * 200 * 75 + 10_000
    assert medium + 5 * 700 * 75 < clocks[1] < medium + 5 * 700 * 75 + 12_000

"""COMMAND: any ATA command by its registers, against the drive model."""

import struct

import pytest
from integration.drives import SmallBlocksDrive, hear
from integration.small import SMALL, commands, connect, content, works
from sata_drive_model import Behaviour, Health
from sata_drive_model.faults import Fault

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.pc.maintenance import DriveVerdict, Security, SmartReading, identify_words
from sata_recorder.lab.measurement.drive_health import smart_reading
from sata_recorder.simulation import Bytes, Event

PLAY, RECORD, FLUSH = Operation.PLAY, Operation.RECORD, Operation.FLUSH
SMART = 0xC24F00
#: The cores of these tests.
CORE = SMALL | {"commands": True}
SKIPPING = CORE | {"buffer_words": 4096, "retain_sectors": 16, "retries": 3, "retry_delay": 0.001,
                   "recovery_timeout": 0.2, "on_failure": "skip"}
#: The others take a compiler's time each.
CORES = [pytest.param(CORE, id="stop"),
         pytest.param(SKIPPING, id="skip", marks=pytest.mark.long),
         pytest.param(CORE | {"recovery": False}, id="without recovery", marks=pytest.mark.long)]


def issued(b, operation, registers):
    """The outcome of a command, with data where it takes some."""
    data = bytes(512 * registers.get("blocks", 0)) if operation == RECORD else b""
    return b.command(operation, data=data, **registers)


def made(bench, *, core=CORE, unit=None, **options):
    return bench(connect(unit={"health": Health(), **(unit or {})}, **options), **core)


def results(outcome):
    return {name: outcome.outputs[f"task_result_{name}"] for name in ("lba", "count", "device")}


# Without data -------------------------------------------------------------------------------------

def test_no_data(bench):
    b = made(bench)
    found = b.command(FLUSH, command=0xB0, features=0xDA, lba=SMART)
    assert found.error == Error.NONE and results(found)["lba"] == SMART
    b.drive.health.endurance_bytes = 1
    b.drive.health.written_bytes = 2
    assert results(b.command(FLUSH, command=0xB0, features=0xDA, lba=SMART))["lba"] == 0x2CF400
    assert results(b.command(FLUSH, command=0xE5))["count"] == 0xFF
    assert b.command(FLUSH, command=0xE0).error == Error.NONE
    assert results(b.command(FLUSH, command=0xE5))["count"] == 0x00
    assert [one for one, _, _ in commands(b)][1:] == [0xB0, 0xB0, 0xE5, 0xE0, 0xE5]
    assert not b.violations()


def test_registers_reach_the_drive(bench):
    """All of them, and each width in full; then the core's own commands have their own again."""
    b = made(bench)
    seen = hear(b.drive)
    found = b.command(FLUSH, command=0xF9, features=0xA55A, count=0xC33C, device=0xE7,
                      lba=0xFEDCBA987654)
    assert (found.error, found.outputs["drive_error"]) == (Error.DRIVE_ERROR, 4)
    one, = seen
    assert (one.command, one.features, one.count, one.device, one.lba) == (
        0xF9, 0xA55A, 0xC33C, 0xE7, 0xFEDCBA987654)
    works(b, clean=False)
    assert {one.features for one in seen[1:]} == {0}


@pytest.mark.parametrize("feature, word, bits", [(0x82, 85, 1 << 5), (0x02, 85, 1 << 5)])
def test_set_features(bench, feature, word, bits):
    b = made(bench)
    assert b.command(FLUSH, command=0xEF, features=feature).error == 0
    assert b.drive.settings.write_cache == (feature == 0x02)


# Data to the stream -------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", [None, 1, 2])
def test_data_in(bench, seed):
    b = made(bench, behaviour=None if seed is None else Behaviour.random(seed), seed=seed or 0)
    found = b.command(PLAY, command=0xB0, features=0xD0, lba=SMART, blocks=1, count=1, pio=1)
    assert (found.error, found.data) == (0, b.drive.health.data())
    assert (found.lasts, found.last_at, found.received) == (1, 127, 128)
    found = b.command(PLAY, command=0x2F, lba=4, blocks=8, count=8, pio=1)
    assert found.error == 0 and found.data == b.drive.health.log(4, 0, 8)
    found = b.command(PLAY, command=0x47, lba=4, blocks=8, count=8)
    assert found.error == 0 and found.data == b.drive.health.log(4, 0, 8)
    assert not b.violations()
    works(b)


def test_sectors_by_pio(bench):
    b = made(bench)
    data = content(1, 12)
    b.image.write(512 * 700, data)
    for command, registers in ((0x24, {}), (0x20, {}), (0x25, {"pio": 0}), (0xC8, {"pio": 0})):
        found = b.command(PLAY, command=command, lba=700, blocks=12, count=12,
                          **{"pio": 1, **registers})
        assert (found.error, found.data) == (0, data)


# Data from the stream -----------------------------------------------------------------------------

@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("write, read, pio", [(0xE8, 0xE4, 1), (0xEB, 0xE9, 0)])
def test_data_out(bench, write, read, pio, seed):
    b = made(bench, behaviour=None if seed is None else Behaviour.random(seed), seed=seed or 0)
    data = content(7, 1)
    assert b.command(RECORD, command=write, data=data, pio=pio).error == 0
    found = b.command(PLAY, command=read, blocks=1, pio=pio)
    assert (found.error, found.data) == (0, data)
    works(b)


def test_sectors_out_by_pio(bench):
    """Many blocks, each with a PIO Setup of its own."""
    b = made(bench)
    data = content(3, 16)
    assert b.command(RECORD, command=0x34, lba=55, count=16, data=data, pio=1).error == 0
    assert b.image.read_sectors(55, 16) == data
    assert b.command(FLUSH, command=0xC6, count=8).error == 0
    assert b.command(RECORD, command=0x39, lba=90, count=13, data=data[:13 * 512], pio=1).error == 0
    assert b.image.read_sectors(90, 14) == data[:13 * 512] + bytes(512)
    assert not b.violations()


def test_data_out_wait_where_recordings_drop(bench):
    """More than the buffer holds, a word in each clock: one that was dropped would shift all after it."""
    b = made(bench, core=CORE | {"on_overflow": "drop"})
    data = content(3, 16)
    found = b.command(RECORD, command=0x34, lba=55, count=16, data=data, pio=1)
    assert (found.error, found.outputs["dropped"]) == (0, 0)
    assert b.image.read_sectors(55, 16) == data
    assert not b.violations()


def test_trim(bench):
    b = made(bench)
    data = content(9, 20)
    assert b.record(data, 100).error == 0
    ranges = struct.pack("<2Q", 3 << 48 | 101, 1 << 48 | 110).ljust(512, b"\0")
    assert b.command(RECORD, command=0x06, features=1, count=1, data=ranges).error == 0
    left = bytearray(data)
    left[512:4 * 512], left[10 * 512:11 * 512] = bytes(3 * 512), bytes(512)
    assert b.image.read_sectors(100, 20) == left == b.play(100, 20).data


def test_then_flush(bench):
    """RECORD_FLUSH: FLUSH CACHE is the core's own."""
    b = made(bench)
    assert b.command(Operation.RECORD_FLUSH, command=0xE8, data=content(7, 1), pio=1).error == 0
    assert [one for one, _, _ in commands(b)][1:] == [0xE8, 0xEA]


@pytest.mark.wide
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_limit_of_commands_is_for_those_of_the_core(bench, limit):
    """``command_limit`` cuts an extent into commands; COMMAND is one."""
    b = made(bench, core=CORE | {"pacing": "programmable"})
    b.engine.set(command_limit=limit)
    data = content(1, 4)
    assert b.command(RECORD, command=0x35, device=0x40, lba=55, count=4, data=data).error == 0
    assert b.image.read_sectors(55, 4) == data
    found = b.command(PLAY, command=0x24, device=0x40, lba=55, blocks=4, count=4, pio=1)
    assert (found.error, found.data) == (0, data) and not b.violations()


@pytest.mark.wide
@pytest.mark.parametrize("words", [0, 100, 200, 512])
@pytest.mark.parametrize("when", ["checks", "runs", "recovers"])
def test_stopped(bench, when, words):
    """COMMAND is sent whole, with zeros for the words that have not come by then, even if none has."""
    b = made(bench, core=CORE | {"retries": 3, "retry_delay": 0.001, "recovery_timeout": 0.2})
    before = len(commands(b))
    data = content(1, 4)[:4 * words]
    b.engine.set(task_operation=1, task_command=0x35, task_device=0x40, task_count=4)
    b.engine.source(Bytes(data))
    b.start(RECORD, 55, 4)
    if when == "recovers":
        b.port.drop_link(300)
    b.run({"checks": 2, "runs": 700, "recovers": 200}[when])
    b.stop()
    b.wait(Event.DONE)
    assert (b.outputs()["error"], b.outputs()["sectors_done"]) == (0, 4)
    assert [one for one in commands(b)[before:] if one[0] != 0xEC] == [(0x35, 55, 4)]
    taken = b.outputs()["words"]
    assert (taken == 0) == (when == "checks" or not words)
    assert b.image.read_sectors(55, 4) == data[:4 * taken].ljust(4 * 512, b"\0") and not b.violations()


@pytest.mark.parametrize("wait", [2, 500])
def test_stopped_on_the_way_in(bench, wait):
    """The drive gets the command, and its data are dropped."""
    b = made(bench)
    before = len(commands(b))
    b.engine.set(task_operation=1, task_command=0x25, task_device=0x40, task_count=4)
    b.start(PLAY, 55, 4)
    b.run(wait)
    b.stop()
    b.wait(Event.DONE)
    assert (b.outputs()["error"], b.outputs()["sectors_done"]) == (0, 4)
    assert commands(b)[before:] == [(0x25, 55, 4)]


# What is refused, and what fails ------------------------------------------------------------------

def test_data_that_are_refused(bench):
    b = made(bench)
    before = len(commands(b))
    for operation in (PLAY, RECORD):
        assert b.command(operation, command=0x25, blocks=0).error == Error.ZERO_SECTORS
        assert b.command(operation, command=0x25, blocks=17).error == Error.OUT_OF_RANGE
    assert len(commands(b)) == before
    works(b)


def test_beyond_the_capacity_is_the_drives_matter(bench):
    b = made(bench)
    found = b.command(PLAY, command=0x25, lba=b.drive.sectors - 1, blocks=2, count=2)
    assert (found.error, found.outputs["drive_error"]) == (Error.DRIVE_ERROR, 0x10)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("operation, registers, error", [
    (PLAY, {"command": 0xFF, "blocks": 1}, Error.DRIVE_ERROR),
    (RECORD, {"command": 0xFF, "blocks": 1}, Error.DRIVE_ERROR),
    (FLUSH, {"command": 0xFF}, Error.DRIVE_ERROR),
    (PLAY, {"command": 0xE4, "blocks": 2, "pio": 1}, Error.SHORT_DATA),
    (PLAY, {"command": 0xE9, "blocks": 2}, Error.SHORT_DATA),
    (RECORD, {"command": 0xEB, "blocks": 2}, Error.DATA_CRC),
    (PLAY, {"command": 0x47, "blocks": 1, "count": 2, "lba": 4}, Error.PROTOCOL),
    (PLAY, {"command": 0xE4, "blocks": 1}, Error.PROTOCOL),         # by PIO, but DMA was said
    (RECORD, {"command": 0xE8, "blocks": 1}, Error.PROTOCOL),
    (RECORD, {"command": 0xEB, "blocks": 1, "pio": 1}, Error.PROTOCOL),
    (FLUSH, {"command": 0xE4}, Error.PROTOCOL),
    (PLAY, {"command": 0xE5, "blocks": 1}, Error.SHORT_DATA),       # it has no data
], ids=str)
def test_wrong_commands(bench, operation, registers, error, core):
    """Each ends at once, is issued once, and the core continues."""
    b = made(bench, core=core)
    before = len(commands(b))
    found = issued(b, operation, registers)
    assert found.error == error == found.outputs["cause"]
    assert found.outputs["retries"] == found.outputs["skipped_sectors"] == 0
    assert [one for one, _, _ in commands(b)][before:].count(registers["command"]) <= 1
    works(b, clean=False)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("operation, registers", [
    (PLAY, {"command": 0xE4, "blocks": 1, "pio": 1}), (PLAY, {"command": 0xE9, "blocks": 1}),
    (RECORD, {"command": 0xE8, "blocks": 1, "pio": 1}),
    (RECORD, {"command": 0xEB, "blocks": 1}), (FLUSH, {"command": 0xE0})], ids=str)
def test_silent_drive(bench, operation, registers, core):
    b = made(bench, core=core)
    b.behaviour.mute = frozenset({"command"})
    found = issued(b, operation, registers)
    assert found.error == Error.TIMEOUT and found.outputs["retries"] == 0
    b.behaviour.mute = frozenset()
    works(b, clean=False)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("dword", [1, 60, 120])
def test_a_small_block_after_an_early_end(bench, dword, core):
    """DMAT ends a Data FIS with two words already fetched for it; the drive then announces one."""
    b = made(bench, core=core, drive=SmallBlocksDrive)
    b.port.inject([Fault(kind="dmat", fis="data", dword=dword)])
    found = b.command(RECORD, command=0x35, lba=5, count=3, data=content(1, 3), pio=1)
    assert (found.error, b.drive.announced) == (Error.PROTOCOL, 2)


def test_refused_data_out_by_pio(bench):
    b = made(bench)
    b.behaviour.refuse_data = 1
    found = b.command(RECORD, command=0x34, lba=5, count=3, data=content(1, 3), pio=1)
    assert found.error == Error.DATA_CRC and b.drive.health.crc_errors == 1
    works(b)


def test_refused_register_fis(bench):
    b = made(bench)
    b.behaviour.refuse_command = 16
    found = b.command(FLUSH, command=0xE0)
    assert found.error == Error.COMMAND_REFUSED
    works(b)


def test_without_a_drive(bench):
    b = made(bench)
    b.port.unplug()
    b.run(10)
    assert b.command(FLUSH, command=0xE0).error == Error.NOT_READY


def test_other_operations_do_not_mind_the_registers(bench):
    b = made(bench)
    b.engine.set(task_command=0xFF, task_features=0xFFFF, task_count=0xFFFF, task_pio=1,
                 task_device=0)
    works(b)
    assert b.flush().error == 0


def test_what_was_recorded_stays_unflushed(bench):
    """COMMAND shows nothing about the write cache: what is in it is lost with the drive's power."""
    b = made(bench)
    assert b.record(content(4, 4), 10).error == 0
    assert b.command(FLUSH, command=0xE5).error == 0
    b.port.drop_link(2000)
    b.run(20000)
    assert b.outputs()["unflushed"]
    # Nor is COMMAND refused for it.
    assert b.command(FLUSH, command=0xE5).error == 0 and b.outputs()["unflushed"]


def test_smart_of_a_measurement(bench):
    """What `measure --smart` asks, and shows: counts that move with what the core itself has moved."""
    b = made(bench, unit={"health": Health(written_bytes=512 * 10**6, amplification=1.5)})
    timeline = b.timeline = object()
    before = smart_reading(b)
    assert b.timeline is timeline
    b.timeline = None
    assert b.record(content(3, 20), 100).error == 0 and b.play(100, 7).error == 0
    after = smart_reading(b)
    assert before.failure is after.failure is None
    for number, moved in (241, 20), (242, 7), (9, 0):
        assert after.attributes[number].raw - before.attributes[number].raw == moved
    assert after.health.written_bytes == 512 * (10**6 + 20)
    assert after.health.verdict is DriveVerdict.GOOD
    b.check()


@pytest.mark.parametrize("health, text", [
    (None, "smart: the drive has no SMART (word 82 of IDENTIFY DEVICE, bit 0)"),
    (Health(enabled=False), "smart: it is disabled in the drive; `command smart-enable` enables it")])
def test_a_measurement_of_a_drive_without_smart(bench, health, text):
    b = made(bench, unit={"health": health})
    assert smart_reading(b) == SmartReading({}, None, text)


def test_device_statistics_through_the_core(bench):
    """They come first: attribute 233 is at its floor, and the log continues."""
    b = made(bench, unit={"health": Health(endurance_bytes=10**6, written_bytes=1_010_000, celsius=41, hours=9)})
    health = smart_reading(b).health
    assert (health.worn, health.worn_at_least, health.celsius, health.hours) == (101, False, 41, 9)
    assert health.written_bytes == 512 * (1_010_000 // 512)
    assert {health.sources[name] for name in ("worn", "celsius", "hours", "written_bytes")} == {
        "the Device Statistics log"}
    assert [one for one, _, _ in commands(b)].count(0x2F) == 7
    b.check()


def test_a_locked_drive(bench):
    b = made(bench, unit={"health": Health(), "locked": True})
    outcome = b.record(content(3, 20), 100)
    assert outcome.error == Error.DRIVE_ERROR and outcome.outputs["drive_error"] == 0x04
    assert Security.of(identify_words(b.identify())).locked and smart_reading(b).health.locked


def test_a_measurement_of_a_drive_that_is_gone(bench):
    b = made(bench)
    b.port.unplug()
    b.run(100)
    reading = smart_reading(b)
    assert reading.health is None and reading.failure == "command: not-ready"

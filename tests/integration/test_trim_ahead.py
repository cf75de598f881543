"""TRIM ahead of a ring, on the whole core and the drive model: never of what the ring is said to hold."""

import random
from itertools import accumulate

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.modes import Numbers, Plan, record
from integration.small import RETRY, SMALL, connect, works
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Health
from short import short

from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Event, Hold
from sata_recorder.interface.trim import TrimState
from sata_recorder.facts.units import SECTOR_WORDS

WRITE, FLUSH, SMART, TRIM = 0x35, 0xEA, 0xB0, 0x06
CORE = SMALL | {"extents": "modes", "trim_ahead": True, "buffer_words": 512, "max_command_sectors": 8}
REPLAYS = RETRY | {"extents": "modes", "trim_ahead": True, "buffer_words": 2048, "max_command_sectors": 8,
                   "retain_sectors": 8}
OFF, ON, NOT_OFFERED, GIVEN_UP = TrimState
RING, ANY = RecordingMode.RING, 65536
#: Clocks: fewer than from the begin of a command to its data.
_STEP = 32


class WatchedImage(DiskImage):
    """Notes what TRIM takes: (LBA, sectors, what the core told in that clock)."""

    def __init__(self, **options):
        super().__init__(**options)
        self.trims, self.told = [], dict

    def discard(self, lba, count):
        self.trims.append((lba, count, self.told()))
        super().discard(lba, count)


def drive(health=Health, behaviour=None, unit=None, seed=0, **options):
    return connect(lambda image, **more: Drive(WatchedImage(sectors=image.sectors), **more), seed=seed,
                   behaviour=behaviour or Behaviour(**options),
                   unit={"health": health() if health else None} | (unit or {}))


def commands(b):
    """The codes of the commands that have got a status, but for IDENTIFY DEVICE."""
    return [one.command for one in b.drive.completed if one.command != 0xEC]


def goes_on(b):
    """A recording that is no ring gets no TRIM."""
    b.engine.set(recording_mode=RecordingMode.FIXED, recording_words=0, recording_position=0)
    before = commands(b).count(TRIM)
    works(b)
    assert commands(b).count(TRIM) == before and b.outputs()["trim_state"] == OFF


def ring(bench, plan, ahead, *, go=record, watch=True):
    """Records, and checks each TRIM against what the core told when the drive did it."""
    bench.image.trims, engine = [], bench.engine
    run = engine.run

    def step(clocks, until=Event(0)):
        """What the core reports is known of the last clock of a run only."""
        for done in range(0, clocks, _STEP):
            if found := run(min(_STEP, clocks - done), until):
                return found
        return Event(0)
    if watch:
        bench.image.told, engine.run = bench.outputs, step
    engine.set(trim_ahead=ahead)
    found = go(bench, plan)
    bench.image.told, engine.run = dict, run
    check(bench, plan, found, ahead)
    return found


def check(bench, plan, found, ahead):
    """Each sector from the oldest to the newest is there; each TRIM was of sectors that were told to be
    gone by then, and of no more than asked for."""
    outputs, room = found.outputs, plan.room
    oldest, newest = outputs["recording_oldest"], outputs["recording_newest"]
    sectors = -(-found.accepted // SECTOR_WORDS)

    def lba(sector):
        return plan.lba + (plan.position + sector) % room
    for sector in range(oldest, min(newest, sectors)):
        words = [plan.base + n if n < found.accepted else 0
                 for n in range(SECTOR_WORDS * sector, SECTOR_WORDS * (sector + 1))]
        assert bench.image.read_sectors(lba(sector), 1) == b"".join(
            word.to_bytes(4, "little") for word in words), sector
    most = min(ahead, room // 4)
    assert newest - oldest >= min(newest, room - 2 * most - 8), "no more is lost than was asked for"
    for first, count, told in bench.image.trims:
        assert plan.lba <= first and first + count <= plan.lba + room and 0 < count <= 2 * most
        if told:
            kept = {lba(sector) for sector in range(told["recording_oldest"], told["recording_newest"])}
            assert not kept & {*range(first, first + count)}, (first, count, told)


@pytest.mark.parametrize("position", [0, 1, 33, 63])
@pytest.mark.parametrize("ahead", [1, 5, 16])
def test_each_lap(bench, position, ahead):
    """Every sector gets its TRIM before it is written, in each lap, but for those that the command after a
    TRIM went past."""
    b = bench(drive(), **CORE)
    plan = Plan(RING, 100, 64, position=position, stop=SECTOR_WORDS * 150 + 40)
    found = ring(b, plan, ahead)
    assert found.outputs["error"] == Error.NONE and found.outputs["recording_newest"] == 151
    trims = [(first, count) for first, count, _ in b.image.trims]
    assert trims[0] == (100 + position, min(2 * ahead, 64 - position))
    assert found.outputs["trim_sectors"] == sum(count for _, count in trims) == b.drive.health.trimmed
    assert found.outputs["trim_state"] == ON and found.outputs["trim_clocks"] > 100 * len(trims)
    if ahead >= 8:      # as long as a command
        reached = [lba for first, count in trims for lba in range(first, first + count)]
        assert reached == [100 + (position + n) % 64 for n in range(len(reached))]
        assert 151 + ahead - 8 <= len(reached) <= 151 + 2 * ahead
        assert found.outputs["recording_oldest"] == len(reached) - 64
    # None follows another: what was recorded comes first.
    assert "TT" not in "".join("T" if one == TRIM else "W" for one in commands(b))
    b.check()
    goes_on(b)


class PlainPort(DrivePort):
    """One that is not compiled."""


def test_the_oldest_sector_moves_before_the_command_is_there(bench):
    """In the clock in which the drive has its registers it is told already, and no sector more."""
    told = []

    class Asked(Drive):
        def dispatch(self, register):
            if register.command == TRIM:
                told.append(b.outputs()["recording_oldest"])
            super().dispatch(register)
    b = bench(connect(lambda image, **more: Asked(WatchedImage(sectors=image.sectors), **more), port=PlainPort,
                      unit={"health": Health()}), **CORE)
    run = b.engine.run

    def step(clocks, until=Event(0)):
        return next((found for _ in range(clocks) if (found := run(1, until))), Event(0))
    b.engine.run = step
    b.engine.set(trim_ahead=16)
    found = record(b, Plan(RING, 100, 64, position=9, stop=SECTOR_WORDS * 200))
    b.engine.run = run
    reached = [*accumulate(count for _, count, _ in b.image.trims)]
    assert told == [max(0, sectors - 64) for sectors in reached] and told[-1] > 64
    assert found.outputs["recording_oldest"] == told[-1]


@pytest.mark.parametrize("ahead, sectors, wanted", [
    (0, 64, OFF), (1, 4, ON), (1 << 19, 64, ON), ((1 << 20) - 1, 40_000, ON)])
def test_at_most_a_quarter(bench, ahead, sectors, wanted):
    b = bench(drive(), **CORE)
    found = ring(b, Plan(RING, 100, sectors, stop=SECTOR_WORDS * 90), ahead)
    assert found.outputs["trim_state"] == wanted
    assert (b.image.trims == []) == (wanted == OFF)
    if wanted == ON:
        assert b.image.trims[0][:2] == (100, 2 * min(ahead, sectors // 4))
    b.check()


def test_ranges_of_65535_sectors(bench):
    """As many as it takes, in one command."""
    b = bench(drive(), **CORE)
    plan = Plan(RING, 1000, 900_000, position=899_000, stop=SECTOR_WORDS * 10)
    b.engine.set(trim_ahead=200_000)
    record(b, plan)
    *trims, (last, rest) = [one[:2] for one in b.image.trims]
    assert trims == [(900_000, 1000), *((1000 + 65535 * n, 65535) for n in range(6))]
    # Of the first command after the first TRIM.
    assert last == 1000 + 6 * 65535 and 399_000 <= 6 * 65535 + rest <= 399_004
    assert commands(b).count(TRIM) == 2 and b.outputs()["trim_sectors"] == 1000 + 6 * 65535 + rest
    assert b.outputs()["recording_oldest"] == 0


@pytest.mark.parametrize("health, wanted", [
    (None, NOT_OFFERED), (lambda: Health(trim_blocks=0), NOT_OFFERED), (lambda: Health(trim_blocks=1), ON)])
def test_only_where_the_drive_offers_it(bench, health, wanted):
    b = bench(drive(health), **CORE)
    found = ring(b, Plan(RING, 100, 64, stop=SECTOR_WORDS * 100), 8)
    assert (TRIM in commands(b)) == (wanted == ON) and found.outputs["trim_state"] == wanted
    assert found.outputs["recording_oldest"] == (37 if wanted == NOT_OFFERED else
                                                 found.outputs["trim_sectors"] - 64) or wanted == ON
    b.check()


def test_a_drive_that_refuses(bench):
    """It gets one in each recording, which continues; the oldest sector stays what was told."""
    b = bench(drive(), **CORE)
    b.drive.health.trim_blocks = 0
    for turn in 1, 2:
        found = ring(b, Plan(RING, 100, 64, stop=SECTOR_WORDS * 100, base=turn), 8)
        assert found.outputs["error"] == Error.NONE and found.outputs["trim_state"] == GIVEN_UP
        assert commands(b).count(TRIM) == turn and found.outputs["trim_sectors"] == 0
        assert found.outputs["recording_oldest"] == found.outputs["recording_newest"] - 64
        b.check()
    b.drive.health.trim_blocks = 8
    found = ring(b, Plan(RING, 100, 64, stop=SECTOR_WORDS * 100), 8)
    assert found.outputs["trim_state"] == ON


def test_a_refusal_between_two_commands_is_no_recovery(bench):
    """Of the second TRIM; core and port book the clocks after it alike."""
    b = bench(drive(), **CORE)
    b.drive.image.told = lambda: setattr(b.drive.health, "trim_blocks", 0)
    found = ring(b, Plan(RING, 100, 64, stop=SECTOR_WORDS * 100), 8, watch=False)
    assert found.outputs["trim_state"] == GIVEN_UP and found.outputs["trim_sectors"]
    assert commands(b).count(TRIM) == 2 and b.ledger().accounts["recovery"] == 0
    b.check()


def interrupted(words, strike):
    """`record` that calls ``strike`` once in the first clock of a TRIM after this many words."""
    def go(b, plan):
        engine, run, before, struck = b.engine, b.engine.run, [0], []

        def watch(clocks, until=Event(0)):
            for _ in range(clocks):
                if found := run(1, until):
                    return found
                flies, before[0] = engine.output("trim_clocks") > before[0], engine.output("trim_clocks")
                if flies and not struck and engine.state().taken >= words:
                    struck.append(engine.state().cycle)
                    strike()
            return Event(0)
        engine.run = watch
        found = record(b, plan)
        engine.run = run
        assert struck
        return found
    return go


@pytest.mark.wide
@pytest.mark.sample(5)
@pytest.mark.parametrize("words", [0, 700, 17_000])
@pytest.mark.parametrize("how", ["link", "short", "silent", "power"])
def test_the_drive_is_lost_meanwhile(bench, words, how):
    """The recording continues without TRIM: nobody knows what the drive has done of it."""
    b = bench(drive(lambda: Health(trim_dwords=500)), **REPLAYS)

    def strike():
        b.drive.health.trim_dwords = 200_000 if how == "silent" else 500
        if how == "power":
            b.port.plug(b.drive, 50)
        elif how != "silent":
            b.port.drop_link(2 if how == "short" else 20)
    plan = Plan(RING, 100, 64, stop=SECTOR_WORDS * 139 + 40, hold=Hold(50, 30))
    found = ring(b, plan, 12, go=interrupted(words, strike), watch=False)
    outputs = found.outputs
    assert (outputs["error"], outputs["recording_newest"]) == (Error.NONE, 140)
    assert outputs["cause"] == (Error.TIMEOUT if how == "silent" else Error.LINK_LOST)
    assert outputs["trim_state"] == GIVEN_UP
    assert {entry.kind for entry in read_journal(b)[0]} <= {JournalKind.UNFLUSHED}
    goes_on(b)


@pytest.mark.sample(3)
@pytest.mark.parametrize("after", range(0, 200, 13))
def test_a_stop_meanwhile(bench, after):
    """In each part of a TRIM: it ends, and none follows."""
    b = bench(drive(), **CORE)
    trims = []

    def strike():
        b.engine.run(after)
        b.engine.set(stop=1)
        trims.append(commands(b).count(TRIM))
    found = ring(b, Plan(RING, 100, 64, stop=SECTOR_WORDS * 200, hold=Hold(50, 30)), 12,
                 go=interrupted(8500, strike), watch=False)
    assert found.outputs["error"] == Error.NONE and found.accepted < 10_000
    assert commands(b).count(TRIM) - trims[0] in (0, 1)
    assert found.outputs["trim_sectors"] == sum(count for _, count, _ in b.image.trims)
    b.check()
    goes_on(b)


@pytest.mark.parametrize("early", [0, 1, 2])
def test_a_start_in_the_clock_of_done(bench, early):
    """Of a ring after one in which TRIM was refused; it begins again. A clock earlier it has no effect."""
    def first():
        b = bench(drive(), **CORE)
        b.drive.health.trim_blocks = 0
        b.engine.source(Numbers())
        b.engine.set(recording_mode=RING, trim_ahead=12)
        b.start(Operation.RECORD, 100, 64)
        b.run(9000)
        b.stop()
        return b
    b = first()
    b.wait(Event.DONE)
    assert b.outputs()["trim_state"] == GIVEN_UP
    done = b.engine.state().cycle
    b = first()
    b.run(done - 1 - early - b.engine.state().cycle)
    b.drive.health.trim_blocks = 8
    b.engine.set(start=1, trim_ahead=5, lba=200)
    b.run(1 + early)
    assert b.outputs()["done"]
    b.engine.set(trim_ahead=0)
    b.run(3000)
    outputs, trims = b.outputs(), b.image.trims
    assert outputs["busy"] == (early == 0)
    assert (outputs["trim_state"], bool(trims)) == ((GIVEN_UP, False) if early else (ON, True))
    if not early:
        assert trims[0][:2] == (200, 10) and outputs["trim_sectors"] == sum(one[1] for one in trims)


@pytest.mark.long
def test_without_recovery(bench):
    """A drive that refuses continues; a link that is lost in it ends the recording."""
    b = bench(drive(), **CORE | {"recovery": False})
    b.drive.health.trim_blocks = 0
    plan = Plan(RING, 100, 64, stop=SECTOR_WORDS * 100)
    assert ring(b, plan, 12).outputs["error"] == Error.NONE
    b.drive.health.trim_blocks = 8
    found = ring(b, plan, 12, go=interrupted(700, lambda: b.port.drop_link(20)), watch=False)
    assert found.outputs["error"] == Error.LINK_LOST
    b.wait(Event.READY)
    goes_on(b)


@pytest.mark.parametrize("latency", [0, 500, 3000])
def test_each_clock_is_accounted_for(bench, latency):
    """Those ahead of the first command are no part of the transfer."""
    b = bench(drive(lambda: Health(trim_dwords=latency)), **CORE)
    found = ring(b, Plan(RING, 100, 64, stop=SECTOR_WORDS * 100), 16)
    trims = commands(b).count(TRIM)
    clocks, ledger = found.outputs["trim_clocks"], b.ledger()
    assert trims > 4 and trims * latency < clocks < trims * (latency + 400)
    assert clocks - latency - 400 < ledger.accounts["flush"] < clocks + 10 * trims
    # In no overhead: the longest one is that of a drive without TRIM.
    assert ledger.overhead[1] < 900 and ledger.turnaround[1] < 900, (ledger.overhead, ledger.turnaround)
    b.check()


@pytest.mark.wide
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_any_ring_on_hostile_drives(bench, seed):
    rng = random.Random(seed)
    b = bench(drive(behaviour=Behaviour.random(seed), seed=seed), **CORE)
    sectors = rng.randrange(4, 90)
    plan = Plan(RING, rng.randrange(1, 5000), sectors, position=rng.choice([0, rng.randrange(sectors)]),
                ahead=rng.choice([0, 2, ANY]), stop=rng.randrange(1, 20_000), flush=rng.random() < 0.5,
                hold=rng.choice([Hold(), Hold(3, 1), Hold(1, 2), Hold(100, 700)]),
                base=rng.randrange(1 << 31))
    found = ring(b, plan, rng.choice([1, 3, 8, 20]))
    assert found.outputs["error"] == Error.NONE and found.outputs["trim_state"] == ON
    assert b.violations() == [] and b.disagreements() == []


_OTHERS = [
    ({"lba48": False}, {}, 0xCA), ({}, {"fua": True}, WRITE), ({"fua": True}, {"fua": True}, 0x3D),
    ({}, {"flush_commands": 3, "smart_commands": 2, "smart_temperature": True}, WRITE),
    ({}, {"on_failure": "skip", "histograms": True, "alignment": True, "smart_commands": 3}, WRITE),
    ({}, {"commands": True, "power_fail": True, "pacing": "programmable", "frames": True}, WRITE),
    ({"logical_sector": 4096}, {"long_logical_sectors": True, "buffer_words": 2048}, WRITE),
    ({}, {"long_logical_sectors": True, "buffer_words": 2048}, WRITE)]


#: FUA and long sectors are in cores of the campaign, too.
@pytest.mark.wide
@pytest.mark.parametrize("unit, options, write", short(_OTHERS, [_OTHERS[0], _OTHERS[3], _OTHERS[5]]))
def test_with_other_options(bench, unit, options, write):
    b = bench(drive(unit=unit), **CORE | options)
    found = ring(b, Plan(RING, 96, 64, position=8, stop=SECTOR_WORDS * 200, flush=True), 13)
    assert found.outputs["error"] == Error.NONE and found.outputs["trim_state"] == ON
    assert {TRIM, write} <= {*commands(b)}
    if "logical_sector" in unit:
        assert all(not first % 8 and not count % 8 for first, count, _ in b.image.trims)
    b.check()
    if "commands" in options:
        b.engine.set(task_operation=1, task_command=WRITE, task_count=3, task_device=0x40)
        before = commands(b).count(TRIM)
        assert b.record(b"1" * 1536, 1).error == Error.NONE and commands(b).count(TRIM) == before

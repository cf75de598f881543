"""A readback that fails, in each way that a read can: no word of the recording is touched."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from integration.looks import BETWEEN, CORE, FAILED, OUT_OF_RANGE, READS, READY, REPLAYS, WAITS, bench_of
from integration.looks import codes, goes_on, look, looking, shown
from integration.modes import Numbers, Plan, check_recording, record
from integration.small import connect
from sata_drive_model import Behaviour, DiskImage, Drive, Health
from short import short

from sata_recorder.lab.campaign.journal import read_journal
from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Event, Hold
from sata_recorder.facts.units import SECTOR_WORDS

pytestmark = pytest.mark.wide

RING = RecordingMode.RING
PLAN = Plan(RING, 100, 64, stop=SECTOR_WORDS * 139 + 40, hold=Hold(50, 90))


def struck(words, strike, count=6, after=0):
    """`record` in which a readback after this many words meets ``strike(b, sector)`` this many clocks after it has
    begun; then another one. Its attributes are the states of both."""
    def go(b, plan):
        engine, run, phase = b.engine, b.engine.run, ["before"]

        def watch(clocks, until=Event(0)):
            for _ in range(clocks):
                if found := run(1, until):
                    return found
                state, newest = engine.output("look_state"), engine.output("recording_newest")
                if phase[0] == "before" and engine.state().taken >= words and newest >= count:
                    phase[:] = ["asked", newest - count]
                    engine.set(look_start=1, look_sector=newest - count, look_count=count, look_room=0)
                elif phase[0] == "asked" and state == READS:
                    phase[0], phase[2:] = "reads", [after]
                if phase[0] == "reads":
                    if phase[2] == 0:
                        strike(b, phase[1])
                        phase[0] = "struck"
                    phase[2] -= 1
                elif phase[0] == "struck" and state in (FAILED, READY):
                    go.state = state
                    behave(**GOOD)(b, 0)
                    phase[:] = ["again", newest]
                elif phase[0] == "again" and newest > phase[1] + 2:
                    engine.set(look_start=1, look_sector=newest - 2, look_count=2)
                    phase[:] = ["asked again", newest]
            return Event(0)
        engine.run = watch
        found = record(b, plan)
        engine.run = run
        assert phase[0] == "asked again", phase
        go.second = engine.output("look_state")
        newest = phase[1]
        assert go.second == READY and shown(b, 2) == [
            plan.base + SECTOR_WORDS * (newest - 2) + n for n in range(2 * SECTOR_WORDS)]
        return found
    return go


def behave(**fields):
    return lambda b, sector: [setattr(b.behaviour, name, value) for name, value in fields.items()]


#: What is not done once, as it is without it.
GOOD = {"short_data": 0, "extra_data": 0, "stuck_read": None}


def bad_sector(b, sector):
    b.behaviour.fail_lba, b.behaviour.fail_times = 100 + (sector + 3) % 64, 1


NONE, PROTOCOL, TIMEOUT, LOST = Error.NONE, Error.PROTOCOL, Error.TIMEOUT, Error.LINK_LOST
#: What happens in a readback: (strike, the cause of a recovery).
FAULTS = {
    "refused": (behave(reject_command=1), NONE), "bad sector": (bad_sector, NONE),
    "bad CRC": (behave(bad_data_crc=0), NONE), "too few": (behave(short_data=64), NONE),
    "too many": (behave(extra_data=3), PROTOCOL),
    "DRQ": (behave(reject_command=1, fail_status=0x59), PROTOCOL),
    "stuck": (behave(stuck_read=(0, 20)), TIMEOUT),
    "short loss": (lambda b, _: b.port.drop_link(2), LOST),
    "long loss": (lambda b, _: b.port.drop_link(500), LOST),
    "power": (lambda b, _: b.port.plug(b.drive, 50), LOST),
}


@pytest.mark.sample(9)
@pytest.mark.parametrize("words", short([1000, 9000, 14_000], [9000]))
@pytest.mark.parametrize("fault", FAULTS)
def test_a_look_that_fails(bench, fault, words):
    """FAILED, and the recording continues: each word at its place, nothing in the journal but what may be lost
    with the cache; the next look is as good as ever."""
    strike, cause = FAULTS[fault]
    b = bench_of(bench, REPLAYS, seed=words)
    go = struck(words, strike)
    found = go(b, PLAN)
    outputs = found.outputs
    assert go.state == FAILED and outputs["looks"] == 1
    assert (outputs["error"], outputs["cause"], outputs["recording_newest"]) == (NONE, cause, 140)
    assert outputs["retries"] == outputs["skipped_sectors"] == 0
    assert found.accepted in (PLAN.stop, PLAN.stop + 1)
    assert {entry.kind for entry in read_journal(b)[0]} == ({JournalKind.UNFLUSHED} if cause else set())
    check_recording(b, PLAN, found)
    assert cause or not b.disagreements(), b.disagreements()
    goes_on(b)


@pytest.mark.sample(3)
@pytest.mark.parametrize("after", short([*range(0, 160, 9)], [0, 9, 45, 90]))
@pytest.mark.parametrize("how", ["short loss", "power"])
def test_a_loss_in_each_part_of_a_look(bench, how, after):
    b = bench_of(bench, REPLAYS)
    go = struck(9000, FAULTS[how][0], after=after)
    found = go(b, PLAN)
    assert go.state == FAILED and found.outputs["error"] == NONE and found.outputs["looks"] == 1
    check_recording(b, PLAN, found)


@pytest.mark.quick
def test_a_command_that_is_refused_on_the_line_is_sent_again(bench):
    b = bench_of(bench, CORE)
    go = struck(9000, behave(refuse_command=2))
    found = go(b, PLAN)
    assert go.state == READY and found.outputs["looks"] == 2 and found.outputs["cause"] == NONE
    b.check()


_ALONE = [({"retries": 0}, "short loss", LOST), ({"retries": 0}, "bad sector", NONE),
          ({"retries": 0}, "stuck", TIMEOUT),
          ({"recovery": False}, "refused", NONE), ({"recovery": False}, "too few", NONE),
          ({"recovery": False}, "short loss", LOST), ({"recovery": False}, "too many", PROTOCOL)]


@pytest.mark.parametrize("core, fault, error", short(_ALONE, _ALONE[:3]))
def test_without_recovery(bench, core, fault, error):
    """What the drive ends by itself continues; a loss, a silence or a broken rule ends the recording."""
    b = bench_of(bench, CORE | core)
    go = struck(9000, FAULTS[fault][0])
    if not error:
        found = go(b, PLAN)
        assert go.state == FAILED and found.outputs["error"] == found.outputs["cause"] == NONE
        check_recording(b, PLAN, found)
    else:
        with pytest.raises(AssertionError):     # there is no other look
            go(b, PLAN)
        del b.engine.run
        behave(**GOOD)(b, 0)
        outputs = b.outputs()
        assert (outputs["error"], outputs["look_state"], outputs["looks"]) == (error, FAILED, 0)
        assert outputs["words"] >= 9000
        b.wait(Event.READY)
        goes_on(b)


def test_behind_a_recovery_comes_a_write_command_first(bench):
    """Also where the failed one is passed over, and the recording waits for words."""
    b = bench_of(bench, CORE | {"on_failure": "skip"})
    b.behaviour.fail_lba, b.behaviour.fail_times = 100 + 19, 1
    few = Numbers()
    few.words = SECTOR_WORDS * 20
    b.engine.source(few, hold=Hold(40, 60))
    b.engine.set(recording_mode=RING)
    b.start(Operation.RECORD, 100, 64)
    while not b.engine.output("recovering"):
        b.run(1)
    look(b, 10, 3)
    b.run(9000)
    assert not b.outputs()["recovering"] and b.outputs()["recording_newest"] == 20
    assert b.outputs()["look_state"] == WAITS and "R" not in codes(b)
    b.engine.source(Numbers(), hold=Hold(40, 60))
    b.run(30_000)
    assert b.outputs()["look_state"] == READY and "R" in codes(b)


def test_another_drive_ends_the_recording(bench):
    b = bench_of(bench, REPLAYS)
    go = struck(9000, lambda b, _: b.port.plug(Drive(DiskImage(sectors=b.image.sectors), serial="OTHER"), 50))
    with pytest.raises(AssertionError):
        go(b, PLAN)
    del b.engine.run
    assert b.outputs()["error"] == Error.OTHER_DRIVE and b.outputs()["look_state"] == FAILED


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_looks_and_losses_at_random(bench, seed):
    """The link is lost, power fails, reads and writes fail: the ring holds each word, each readback is right."""
    rng = random.Random(seed)
    b = bench(connect(behaviour=Behaviour.random(seed), seed=seed), **REPLAYS)
    plan = Plan(RING, 100, rng.choice([40, 64]), position=rng.choice([0, 17]), stop=SECTOR_WORDS * 250,
                hold=rng.choice([Hold(1, 1), Hold(30, 60)]), base=rng.randrange(1 << 31))
    strikes = sorted(rng.sample(range(500, 30_000), 5))

    def go(b, plan):
        engine, run = b.engine, b.engine.run

        def watch(clocks, until=Event(0)):
            if strikes and engine.state().taken >= strikes[0]:
                strikes.pop(0)
                fails = [behave(reject_command=1), behave(bad_data_crc=0), behave(short_data=9)]
                rng.choice([*fails, lambda b, _: b.port.drop_link(rng.choice([1, 3, 300])),
                            lambda b, _: b.port.plug(b.drive, 50)])(b, 0)
            return run(clocks, until)
        engine.run = watch
        found = record(b, plan)
        engine.run = run
        return found
    found, looks = looking(b, plan, go=go, seed=seed, least=0, fails=True, stops=True, room=700)
    assert found.outputs["error"] == NONE, Error(found.outputs["error"])
    assert found.outputs["skipped_sectors"] == 0
    check_recording(b, plan, found)


_OTHERS = [
    ({"lba48": False}, {}, "WR"), ({}, {"fua": True}, "WFR"), ({"fua": True}, {"fua": True}, "WR"),
    ({}, BETWEEN, "WRFSLT"),
    ({}, {"on_failure": "skip", "histograms": True, "alignment": True, "smart_commands": 3}, "WRS"),
    ({}, {"commands": True, "power_fail": True, "pacing": "programmable", "frames": True}, "WR"),
    ({}, {"journal": False, "ledger": False, "recovery": False, "retain_sectors": 0}, "WR"),
    ({"logical_sector": 4096}, {"long_logical_sectors": True, "buffer_words": 2048,
                                "max_command_sectors": 16}, "WR"),
    ({}, {"long_logical_sectors": True, "buffer_words": 2048}, "WR")]


@pytest.mark.parametrize("unit, options, wanted", short(_OTHERS, [_OTHERS[0], _OTHERS[3]]))
def test_with_other_options(bench, unit, options, wanted):
    b = bench_of(bench, CORE | options, unit={"health": Health()} | unit, seed=1)
    plan = Plan(RING, 96, 64, position=8, stop=SECTOR_WORDS * 400, flush=True, hold=Hold(40, 60))
    if options.get("trim_ahead"):
        b.engine.set(trim_ahead=10)
    logical = unit.get("logical_sector", 512) // 512
    found, looks = looking(b, plan, seed=2, least=10, logical=logical)
    assert found.outputs["error"] == NONE and {*wanted} <= {*codes(b)}
    if not options.get("trim_ahead"):
        check_recording(b, plan, found, logical=logical)
    assert b.violations() == []
    if options.get("ledger", True):
        b.check()


@pytest.mark.long
@pytest.mark.parametrize("sector, count, wanted", [(9, 3, OUT_OF_RANGE), (8, 8, READY)])
def test_logical_sectors_while_the_drive_is_away(bench, sector, count, wanted):
    """What is no whole logical sector is none while the drive is away, either."""
    b = bench_of(bench, REPLAYS | {"long_logical_sectors": True}, unit={"logical_sector": 4096})
    b.engine.source(Numbers(), hold=Hold(40, 60))
    b.engine.set(recording_mode=RING)
    b.start(Operation.RECORD, 96, 640)
    b.run(20_000)
    b.port.drop_link(2000)
    b.run(500)
    assert b.engine.output("recovering")
    look(b, sector, count)
    b.run(20_000)
    assert b.engine.output("look_state") == wanted
    b.stop()
    b.wait(Event.DONE)
    assert b.outputs()["error"] == NONE and b.outputs()["retries"] <= 1

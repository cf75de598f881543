"""TRIM ahead of a ring: what is told of it where the drive is away, and in the operations after."""

import pytest
from integration.modes import Plan, record
from integration.test_trim_ahead import CORE, NOT_OFFERED, OFF, ON, REPLAYS, RING, TRIM, commands, drive
from sata_drive_model import DiskImage, Drive, Health

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event
from sata_recorder.facts.units import SECTOR_WORDS

pytestmark = pytest.mark.wide


@pytest.mark.sample(5)
@pytest.mark.parametrize("health, wanted", [(Health, ON), (None, NOT_OFFERED)])
@pytest.mark.parametrize("how, error", [
    ("back", Error.NONE), ("silent", Error.TIMEOUT), ("other", Error.OTHER_DRIVE)])
def test_a_drive_that_is_away_has_what_it_had(bench, how, error, health, wanted):
    """Lost in a write, the drive is not known for a while, or to the end: the state stays."""
    b = bench(drive(health), **REPLAYS)
    engine, run, told, lost, clocks_of_trim = b.engine, b.engine.run, [], [], [0]

    def watch(clocks, until=Event(0)):
        for _ in range(clocks):
            if found := run(1, until):
                return found
            if (state := engine.output("trim_state")) not in told[-1:]:
                told.append(state)
            clocks_of_trim.append(engine.output("trim_clocks"))
            if not lost and engine.state().taken >= 6000 and clocks_of_trim[-1] == clocks_of_trim[-2]:
                lost.append(engine.state().cycle)
                if how == "silent":
                    b.behaviour.command_latency = 300_000
                if how == "other":
                    b.port.plug(Drive(DiskImage(sectors=b.image.sectors), serial="OTHER",
                                      health=None if health else Health()), 50)
                else:
                    b.port.drop_link(20)
        return Event(0)
    engine.run = watch
    engine.set(trim_ahead=12)
    found = record(b, Plan(RING, 100, 64, stop=SECTOR_WORDS * 90))
    engine.run = run
    assert lost and found.outputs["error"] == error
    assert told == [OFF, wanted] and found.outputs["trim_state"] == wanted
    assert (found.outputs["trim_sectors"] > 0) == (wanted == ON)


@pytest.mark.parametrize("sectors", [5, 140])
@pytest.mark.parametrize("trims", [True, False])
def test_behind_the_recording(bench, trims, sectors):
    """The oldest sector of another operation is what it is without TRIM."""
    b = bench(drive(), **REPLAYS | {"trim_ahead": trims, "commands": True, "power_fail": True})

    def numbers():
        b.engine.run(20)
        return b.outputs()["recording_oldest"], b.outputs()["recording_newest"]

    def behind_a_ring(go, **pins):
        b.engine.set(**{"trim_ahead": 12} if trims else {})
        found = record(b, Plan(RING, 100, 64, stop=SECTOR_WORDS * (sectors - 1) + 40))
        reached = found.outputs["trim_sectors"] if trims else sectors
        assert numbers() == (max(0, reached - 64), sectors) and (reached > sectors) == trims
        told = {name: value for name, value in b.outputs().items() if name.startswith("trim_")}
        b.engine.set(**pins)
        go()
        assert told.items() <= b.outputs().items(), "what became of the recording's TRIM"
        b.engine.set(**dict.fromkeys(pins, 0))
        return numbers()

    def start(operation, lba, count):
        b.start(operation, lba, count)
        b.wait(Event.DONE)

    def power():
        b.engine.run(20_000)
        assert b.outputs()["power_safe"]
    assert behind_a_ring(lambda: b.play(7, 10)) == (0, 10)
    assert behind_a_ring(lambda: start(Operation.PLAY, 1 << 30, 10)) == (0, 0)
    assert behind_a_ring(b.flush) == (0, 0)
    assert behind_a_ring(lambda: start(Operation.FLUSH, 0, 0), task_operation=1, task_command=0xE7) == (0, 0)
    assert behind_a_ring(power, power_fail=1) == (0, 0)


@pytest.mark.long
@pytest.mark.parametrize("ahead, sectors, trims", [
    (7, 64, 0), (8, 64, 16), (13, 64, 16), (100, 24, 0), (100, 32, 16)])
def test_whole_logical_sectors_count(bench, ahead, sectors, trims):
    """A distance of less than a logical sector, and a ring of less than four, have no TRIM, and say so."""
    b = bench(drive(unit={"logical_sector": 4096}), **CORE | {"long_logical_sectors": True, "buffer_words": 2048})
    b.engine.set(trim_ahead=ahead)
    found = record(b, Plan(RING, 96, sectors, stop=SECTOR_WORDS * 70))
    assert found.outputs["trim_state"] == (ON if trims else OFF) and (TRIM in commands(b)) == (trims > 0)
    assert not trims or b.image.trims[0][:2] == (96, trims)

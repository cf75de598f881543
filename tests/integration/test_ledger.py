"""The cycle ledger in hardware against the one of the model, and against plain arithmetic."""

import random

import pytest
from integration.small import LONG, SMALL, connect, content, works
from sata_drive_model import Behaviour

from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.analyser import ACCOUNTS
from sata_recorder.core.drive_port import Error

NOTHING = {"turnaround_min": (1 << 48) - 1, "turnaround_max": 0, "overhead_min": (1 << 48) - 1,
           "overhead_max": 0}


def entry(b, address):
    b.engine.set(ledger_address=address)
    b.run(3)
    return b.outputs()["ledger_data"]


def entries(b):
    """The raw extremes under the names of the model."""
    names = ("turnaround_min", "turnaround_max", "overhead_min", "overhead_max", "commands")
    return {name: entry(b, 16 + number) for number, name in enumerate(names)}


def compare(b, commands):
    """Hardware, model and the clocks of the commands agree; the accounts by name."""
    b.check()
    accounts = {name: entry(b, number) for number, name in enumerate(ACCOUNTS)}
    model = b.analyser.ledger()
    total = model.pop("total")
    assert accounts == model
    assert entries(b) == b.analyser.extremes()
    records = b.analyser.commands
    assert len(records) == entry(b, 20) == commands
    assert accounts["payload"] == 128 * sum(record.sectors for record in records)
    if not accounts["flush"]:
        assert total == records[-1].end - records[0].start + 1
    assert accounts["turnaround"] == sum(record.turnaround or 0 for record in records)
    return accounts


@pytest.mark.parametrize("sectors, commands", [(1, 1), (16, 1), (17, 2), (48, 3), (100, 7)])
def test_friendly_drive(bench, sectors, commands):
    b = bench(**SMALL)
    data = content(1, sectors)
    b.record(data, 0)
    accounts = compare(b, commands)
    if commands == 1:
        assert entries(b) == {**NOTHING, "commands": 1}
    # A Data FIS a command: SOF, header, CRC and EOF.
    assert accounts["framing"] == 4 * commands
    assert accounts["phy_wait"] == accounts["device_hold"] == accounts["data_wait"] == 0
    assert accounts["recovery"] == accounts["flush"] == 0
    b.play(0, sectors)
    accounts = compare(b, commands)
    assert accounts["framing"] == 4 * commands
    assert accounts["activate_wait"] == accounts["host_hold"] == accounts["phy_wait"] == 0


def test_framing_of_many_data_fises(bench):
    b = bench(**SMALL, data_fis_dwords=64)
    b.image.write(0, content(1, 20))
    b.play(0, 20)
    assert compare(b, 2)["framing"] == 4 * 40


@pytest.mark.parametrize("options", [
    {"line_rate": (1, 2)}, {"line_rate": (2, 3), "skew": 3}, {"round_trip": 25},
    {"line_rate": (4, 7), "skew": 2, "round_trip": 9}])
def test_hostile_drives(bench, seed, options):
    for number in range(4):
        b = bench(**SMALL, seed=seed, behaviour=Behaviour.random(seed + number), line=options)
        sectors = random.Random(seed + number).randint(1, 60)
        assert b.record(content(2, sectors), 30, hold=Hold(90, 40), flush=number % 2).error == 0
        compare(b, -(-sectors // 16))
        assert b.play(30, sectors, hold=Hold(90, 40)).data == content(2, sectors)
        compare(b, -(-sectors // 16))


def test_flush_is_booked_as_a_whole(bench):
    b = bench(**SMALL, flush_latency=3000, completion_latency=10)
    b.record(content(1, 20), 0, flush=True)
    accounts = compare(b, 2)
    assert 3000 < accounts["flush"] < 3100
    records = b.analyser.commands
    # Without it the same recording has the same accounts, but for where ALIGN falls.
    b.record(content(1, 20), 0)
    plain = compare(b, 2)
    assert plain["flush"] == 0 and abs(plain["completion_wait"] - accounts["completion_wait"]) < 10
    assert len(records) == 2


def test_flush_without_a_data_command_is_not_booked(bench):
    """A recording that is stopped before its first command still flushes."""
    b = bench(**SMALL, flush_latency=3000)
    b.record(content(1, 20), 0)
    outcome = b.record(content(1, 1), 0, stop_after=0, flush=True)
    assert outcome.error == 0 and b.drive.completed[-1].command in (0xE7, 0xEA)
    assert b.disagreements() == [] and set(b.ledger().accounts.values()) == {0}


def test_ledger_stands_still_after_the_operation(bench):
    b = bench(**SMALL, set_device_bits_idle=(5, 50), repeated_status_fises=2)
    b.record(content(1, 20), 0)
    before = compare(b, 2)
    b.run(30_000)
    assert compare(b, 2) == before


def test_ledger_begins_anew(bench):
    b = bench(**SMALL)
    assert b.ledger().total == 0 and entries(b) == {**NOTHING, "commands": 0}
    b.record(content(1, 100), 0)
    long = compare(b, 7)
    b.run(10_000)
    b.record(content(1, 1), 0)
    assert sum(compare(b, 1).values()) < sum(long.values()) // 10
    assert b.play(0, 0).error == Error.ZERO_SECTORS
    assert b.ledger().total == 0 and entries(b) == {**NOTHING, "commands": 0}


def test_extremes_over_uneven_commands(bench, seed):
    b = bench(**SMALL, seed=seed, completion_latency=(0, 900), command_latency=(0, 900))
    b.record(content(1, 200), 0)
    compare(b, 13)
    found = entries(b)
    assert found["overhead_max"] - found["overhead_min"] > 200
    b.play(0, 200)
    compare(b, 13)
    assert entries(b)["overhead_max"] > entries(b)["overhead_min"]


def test_long_waits_are_counted(bench):
    """More clocks in one account than its small counter holds, many times over."""
    b = bench(**SMALL, completion_latency=39_000, command_latency=38_000)
    b.record(content(1, 48), 0)
    accounts = compare(b, 3)
    assert accounts["completion_wait"] > 3 * 39_000 and accounts["activate_wait"] > 3 * 38_000


@pytest.mark.parametrize("operation", ["record", "play"])
def test_error_keeps_the_completed_commands(bench, operation):
    """The command that failed is booked, too, and is not counted among the completed ones."""
    b = bench(**SMALL, fail_lba=40)
    data = content(1, 64)
    outcome = b.record(data, 0) if operation == "record" else b.play(0, 64)
    assert outcome.error == Error.DRIVE_ERROR
    assert entry(b, 20) == 2
    accounts = b.ledger().accounts
    assert accounts["payload"] >= 2 * 2048
    b.behaviour.fail_lba = None
    works(b)


def test_ledger_can_be_read_while_it_grows(bench):
    b = bench(connect(completion_latency=300), **LONG)
    b.engine.source(content(1, 200))
    b.start(1, 0, 200)
    last = 0
    for _ in range(20):
        b.run(800)
        now = b.ledger().total
        assert last < now <= b.engine.state().cycle
        last = now
    b.wait(Event.DONE)
    compare(b, 1)


@pytest.mark.parametrize("line", [
    {}, {"line_rate": (1, 2)}, {"line_rate": (1, 2), "skew": 1}, {"line_rate": (2, 3), "skew": 3},
    {"round_trip": 9}])
def test_escaped_command_behind_a_slow_line(bench, line):
    """Recovery begins with the drive's SYNC, whatever of the frame was just going out."""
    b = bench(**SMALL, line=line)
    for clocks in range(60):
        b.run(clocks)
        b.behaviour.escape_command = 1
        assert b.play(0, 1).error == 0 and b.behaviour.escape_command == 0
        assert compare(b, 1)["recovery"] > 0

"""What the analyser books, measures and logs, with a scripted host against the drive model."""

import pytest
from sata_drive_model import Behaviour

from sata_recorder.simulation.analyser import ACCOUNTS
from unit.drive_model.scripted_host import connect, content


@pytest.fixture
def host():
    host = connect()
    yield host
    assert not host.port.link.violations


def test_ledger_adds_up(host):
    analyser = host.port.observer
    analyser.reset()
    host.write(0, content(33))
    host.write(33, content(8))
    host.write(0, content(41))
    host.command(0xEA)
    ledger = analyser.ledger()
    assert set(ledger) == {*ACCOUNTS, "total"}
    assert ledger["total"] == sum(ledger[name] for name in ACCOUNTS)
    end = analyser.log[-1][0]
    assert ledger["total"] == end - analyser.commands[0].start + 1
    assert ledger["payload"] == 128 * 82
    frames = sum(kind == 0x46 for _, _, kind, _ in analyser.log)
    assert ledger["framing"] == 4 * frames
    for name in ("phy_wait", "device_hold", "host_hold", "recovery"):
        assert ledger[name] == 0
    assert [(r.kind, r.lba, r.sectors) for r in analyser.commands] == \
        [("write", 0, 33), ("write", 33, 8), ("write", 0, 41)]
    first, *rest = analyser.commands
    assert first.overhead is None and first.turnaround is None
    for record in rest:
        assert sum(record.overhead_split) == record.overhead
        assert record.overhead_split[ACCOUNTS.index("turnaround")] == record.turnaround
    extremes = analyser.extremes()
    assert extremes["commands"] == 3
    assert extremes["overhead_max"] == max(record.overhead for record in rest)


def test_commands_share_what_is_equal(host):
    analyser = host.port.observer
    analyser.reset()
    for number in range(20):
        host.write(8 * number, content(8))
    splits = [record.overhead_split for record in analyser.commands[1:]]
    assert len({id(split) for split in splits}) == len(set(splits)) < 10


def test_ledger_of_flush_alone_is_empty(host):
    host.port.observer.reset()
    host.command(0xEA)
    assert host.port.observer.ledger()["total"] == 0
    assert host.port.observer.extremes() == {
        "turnaround_min": 2**48 - 1, "turnaround_max": 0, "overhead_min": 2**48 - 1,
        "overhead_max": 0, "commands": 0}


def test_ledger_books_to_whom_it_belongs():
    """One latency more moves exactly one account by exactly that much."""
    def ledger(behaviour, **kinds):
        host = connect(behaviour, **kinds)
        host.port.observer.reset()
        host.write(0, content(20))
        host.command(0xEA)
        recorded = host.port.observer.ledger()
        host.port.observer.reset()
        host.read(0, 20)
        assert not host.port.link.violations
        return {name: clocks + recorded[name] for name, clocks in host.port.observer.ledger().items()}

    base = ledger(Behaviour(align_interval=1 << 60))
    for change, account, cycles in (
            ({"completion_latency": 100}, "completion_wait", 200),
            ({"activate_latency": 100}, "activate_wait", 100),
            ({"data_latency": 100}, "data_wait", 100),
            ({"flush_latency": 100}, "flush", 100),
            ({"throttle_at": ((500, 40),)}, "device_hold", None),
            ({"underrun_at": ((500, 40),)}, "device_hold", None)):
        other = ledger(Behaviour(align_interval=1 << 60, **change))
        moved = {name: other[name] - base[name] for name in ACCOUNTS if other[name] != base[name]}
        # A latency hides in the handshake of the frame before it, and ALIGN phases shift.
        assert account in moved, change
        if cycles:
            assert cycles - 20 <= moved[account] <= cycles, (change, moved)
        assert all(abs(value) <= 12 for name, value in moved.items() if name != account), moved


def test_slow_line_is_phy_wait():
    host = connect(port={"line_rate": (1, 2)})
    for move in (lambda: host.write(0, content(16)), lambda: host.read(0, 16)):
        host.port.observer.reset()
        move()
        ledger = host.port.observer.ledger()
        assert ledger["payload"] == 16 * 128
        assert abs(ledger["phy_wait"] - ledger["payload"]) < 100
    assert not host.port.link.violations


def test_recovery():
    host = connect(Behaviour(refuse_command=2))
    host.port.observer.reset()
    assert host.write(0, content(1)) == (0x50, 0)
    assert 0 < host.port.observer.ledger()["recovery"] < 40
    assert not host.port.link.violations


@pytest.mark.parametrize("opcode", [0x25, 0xC8])
def test_a_look_between_two_write_commands(opcode):
    """A read after a write command is no transfer: its clocks are those of flush, its data no payload."""
    def recorded(look):
        host = connect(Behaviour(align_interval=1 << 60))
        analyser = host.port.observer
        analyser.reset()
        host.write(0, content(20))
        assert not look or host.read(2, 16, opcode)[2] == content(20)[2 * 512:18 * 512]
        host.write(20, content(20))
        assert not host.port.link.violations
        return analyser, analyser.ledger()

    (before, without), (analyser, found) = recorded(False), recorded(True)
    assert [(record.kind, record.lba) for record in analyser.commands] == [("write", 0), ("write", 20)]
    assert analyser.payload == 40 * 128 and found["total"] == sum(found[name] for name in ACCOUNTS)
    moved = {name: found[name] - without[name] for name in ACCOUNTS if found[name] != without[name]}
    # Its own clocks, those of its 16 sectors at least; the pauses before it and after it are one turn-
    # around.
    flush, turned = moved.pop("flush"), moved.pop("turnaround")
    assert flush > 16 * 128 and 1 <= turned < 20 and all(abs(clocks) <= 2 for clocks in moved.values()), moved
    second, plain = analyser.commands[1], before.commands[1]
    assert second.turnaround == plain.turnaround + turned == found["turnaround"]
    assert abs(second.overhead - plain.overhead - turned) <= 2
    assert sum(second.overhead_split) == second.overhead
    assert second.overhead_split[ACCOUNTS.index("turnaround")] == second.turnaround


def test_a_look_that_fails():
    """No recovery begins after it, and what was moved of it is no payload."""
    host = connect(Behaviour(fail_lba=5))
    analyser = host.port.observer
    analyser.reset()
    host.write(0, content(4))
    assert host.read(2, 8)[:2] == (0x51, 0x40)
    host.write(20, content(4))
    ledger = analyser.ledger()
    assert (ledger["recovery"], ledger["payload"]) == (0, 8 * 128) and ledger["flush"] > 0
    assert len(analyser.commands) == 2 and analyser.commands[1].overhead > 0
    analyser.reset()
    host.read(0, 4)
    assert [record.kind for record in analyser.commands] == ["read"] and analyser.payload == 4 * 128


def test_spans():
    host = connect(host={"hold": 0.01})
    host.write(0, content(100))
    host.read(0, 100)
    spans = host.port.observer.spans
    for name in ("x_rdy_r_rdy", "sof_r_ip"):
        assert spans[name].minimum == 1 and spans[name].maximum <= 3
    assert spans["activate_sof"].count == 7 and spans["status_sof"].count == 2
    assert spans["dwords_after_hold"].count > 10 and spans["dwords_after_hold"].maximum < 20

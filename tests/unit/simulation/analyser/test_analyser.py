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
    host.read(0, 41)
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
        [("write", 0, 33), ("write", 33, 8), ("read", 0, 41)]
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
        host.read(0, 20)
        host.command(0xEA)
        assert not host.port.link.violations
        return host.port.observer.ledger()

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
        # A latency hides behind the handshake of the frame before it, and ALIGN phases shift.
        assert account in moved, change
        if cycles:
            assert cycles - 20 <= moved[account] <= cycles, (change, moved)
        assert all(abs(value) <= 12 for name, value in moved.items() if name != account), moved


def test_slow_line_is_phy_wait():
    host = connect(port={"line_rate": (1, 2)})
    host.port.observer.reset()
    host.write(0, content(16))
    host.read(0, 16)
    ledger = host.port.observer.ledger()
    assert ledger["payload"] == 32 * 128
    assert abs(ledger["phy_wait"] - ledger["payload"]) < 200
    assert not host.port.link.violations


def test_recovery():
    host = connect(Behaviour(refuse_command=2))
    host.port.observer.reset()
    assert host.write(0, content(1)) == (0x50, 0)
    assert 0 < host.port.observer.ledger()["recovery"] < 40
    assert not host.port.link.violations


def test_spans():
    host = connect(host={"hold": 0.01})
    host.write(0, content(100))
    host.read(0, 100)
    spans = host.port.observer.spans
    for name in ("x_rdy_r_rdy", "sof_r_ip"):
        assert spans[name].minimum == 1 and spans[name].maximum <= 3
    assert spans["activate_sof"].count == 7 and spans["status_sof"].count == 2
    assert spans["dwords_after_hold"].count > 10 and spans["dwords_after_hold"].maximum < 20

"""Commands through the dword port: a small scripted host against a friendly drive."""

import random

import pytest
from sata_drive_model import ACCOUNTS, Behaviour, DiskImage, Drive, DrivePort

from unit.drive_model.scripted_host import Host

SECTORS = 70000


def connect(behaviour=None, port=None, host=None, **drive):
    sectors = drive.pop("sectors", SECTORS)
    drive = Drive(DiskImage(None, sectors=sectors), behaviour=behaviour, **drive)
    host = Host(DrivePort(drive, trace=True, **(port or {})), **(host or {}))
    host.drive = drive
    host.bring_up()
    return host


def content(size, seed=1):
    return random.Random(seed).randbytes(512 * size)


@pytest.fixture
def host():
    host = connect()
    yield host
    assert not host.port.link.violations


def test_signature():
    drive = Drive(DiskImage(None, sectors=8))
    host = Host(DrivePort(drive))
    assert host.bring_up() == (0x50, 0x01)
    assert host.port.link.violations == []


def test_packet_device():
    host = connect(atapi=True)
    assert host.identify() == (0x41, 0x04)


def test_identify(host):
    assert host.identify() == host.drive.page


@pytest.mark.parametrize("dwords", [128, 64, (1, 50), 1])
def test_identify_in_pieces(dwords):
    host = connect(Behaviour(pio_dwords=dwords))
    assert host.identify() == host.drive.page
    assert not host.port.link.violations


@pytest.mark.parametrize("read, write", [(0x25, 0x35), (0xC8, 0xCA)])
def test_write_and_read(host, read, write):
    data = content(40)
    assert host.write(9, data, opcode=write) == (0x50, 0)
    assert host.drive.image.read_sectors(9, 40) == data
    assert host.read(8, 42, opcode=read) == (0x50, 0, bytes(512) + data + bytes(512))


def test_28_bit_address_uses_the_device_register():
    host = connect(sectors=0x0F000010)
    assert host.write(0x0F000001, content(1), opcode=0xCA) == (0x50, 0)
    assert host.drive.image.read_sectors(0x0F000001) == content(1)
    assert host.read(0x0F000001, 1, opcode=0xC8)[2] == content(1)


def test_count_zero_28_bit(host):
    status, error, data = host.read(0, 0, opcode=0xC8)
    assert (status, error, len(data)) == (0x50, 0, 256 * 512)
    assert host.drive.completed[-1].sectors == 256


def test_count_zero_48_bit():
    # The whole command is 8.4 million dwords: its extent shows without moving it.
    host = connect(Behaviour(fail_lba=65535, fail_after_data=1, fail_status=0x51, fail_error=0x40))
    host.read(0, 0)
    assert host.drive.completed[-1].sectors == 65536
    host = connect(sectors=65535)
    assert host.read(0, 0)[:2] == (0x51, 0x10)


def test_flush(host):
    assert host.command(0xE7) == (0x50, 0)
    assert host.command(0xEA) == (0x50, 0)


@pytest.mark.parametrize("opcode", [0x00, 0xEF, 0xB0, 0x60])
def test_unknown_command(host, opcode):
    assert host.command(opcode) == (0x51, 0x04)


@pytest.mark.parametrize("opcode", [0x25, 0x35, 0xEA])
def test_48_bit_commands_need_48_bits(opcode):
    host = connect(lba48=False)
    assert host.command(opcode, 0, 1) == (0x51, 0x04)
    assert host.read(0, 1, opcode=0xC8)[:2] == (0x50, 0)


def test_without_dma():
    host = connect(dma=False)
    assert host.command(0xC8, 0, 1) == (0x51, 0x04)


@pytest.mark.parametrize("opcode", [0x25, 0xC8, 0x35, 0xCA])
def test_beyond_the_end(host, opcode):
    assert host.command(opcode, SECTORS - 1, 2) == (0x51, 0x10)
    assert host.read(SECTORS - 1, 1)[:2] == (0x50, 0)


@pytest.mark.parametrize("size", [2048, 128, (1, 2048), 1000])
def test_data_fis_sizes(size):
    host = connect(Behaviour(data_fis_dwords=size))
    host.drive.image.write(0, content(50))
    assert host.read(0, 50)[2] == content(50)
    sizes = [dwords - 1 for _, way, kind, dwords in host.port.analyser.log if kind == 0x46]
    assert sum(sizes) == 50 * 128 and max(sizes) <= 2048


# The ledger
# ------------------------------------------------------------------------------------------


def test_ledger_adds_up(host):
    analyser = host.port.analyser
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


def test_the_latest_commands_are_remembered(host):
    for number in range(1100):
        host.command(0xE7)
    host.read(7, 1)
    assert len(host.drive.completed) == 1024 and host.drive.completed[-1].lba == 7


def test_commands_share_what_is_equal(host):
    analyser = host.port.analyser
    analyser.reset()
    for number in range(20):
        host.write(8 * number, content(8))
    splits = [record.overhead_split for record in analyser.commands[1:]]
    assert len({id(split) for split in splits}) == len(set(splits)) < 10


def test_ledger_of_flush_alone_is_empty(host):
    host.port.analyser.reset()
    host.command(0xEA)
    assert host.port.analyser.ledger()["total"] == 0
    assert host.port.analyser.extremes() == {
        "turnaround_min": 2**48 - 1, "turnaround_max": 0, "overhead_min": 2**48 - 1,
        "overhead_max": 0, "commands": 0}


def test_ledger_books_to_whom_it_belongs():
    """One latency more moves exactly one account by exactly that much."""
    def ledger(behaviour, **kinds):
        host = connect(behaviour, **kinds)
        host.port.analyser.reset()
        host.write(0, content(20))
        host.read(0, 20)
        host.command(0xEA)
        assert not host.port.link.violations
        return host.port.analyser.ledger()

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
    host.port.analyser.reset()
    host.write(0, content(16))
    host.read(0, 16)
    ledger = host.port.analyser.ledger()
    assert ledger["payload"] == 32 * 128
    assert abs(ledger["phy_wait"] - ledger["payload"]) < 200
    assert not host.port.link.violations


def test_recovery():
    host = connect(Behaviour(refuse_command=2))
    host.port.analyser.reset()
    assert host.write(0, content(1)) == (0x50, 0)
    assert 0 < host.port.analyser.ledger()["recovery"] < 40
    assert not host.port.link.violations


def test_spans():
    host = connect(host={"hold": 0.01})
    host.write(0, content(100))
    host.read(0, 100)
    spans = host.port.analyser.spans
    for name in ("x_rdy_r_rdy", "sof_r_ip"):
        assert spans[name].minimum == 1 and spans[name].maximum <= 3
    assert spans["activate_sof"].count == 7 and spans["status_sof"].count == 2
    assert spans["dwords_after_hold"].count > 10 and spans["dwords_after_hold"].maximum < 20

"""An extent becomes the right commands, on 28-bit and on 48-bit drives."""

import pytest
from integration.drives import hear
from integration.small import LONG, SMALL, commands, content, works

from sata_recorder.simulation import Event
from sata_recorder.core.drive_port import Error, Operation

READ, WRITE, READ_EXT, WRITE_EXT = 0xC8, 0xCA, 0x25, 0x35
FLUSH, FLUSH_EXT = 0xE7, 0xEA


@pytest.mark.parametrize("lba48", [True, False])
@pytest.mark.parametrize("sectors", [1, 15, 16, 17, 48, 100])
def test_chain(bench, lba48, sectors):
    b = bench(**SMALL, drive={"lba48": lba48})
    data = content(sectors, sectors)
    assert b.record(data, 77).error == 0
    b.check()
    played = b.play(77, sectors)
    assert played.error == 0 and played.data == data
    b.check()
    lengths = [16] * (sectors // 16) + [sectors % 16] * (sectors % 16 > 0)
    expected = []
    for opcode in (WRITE_EXT, READ_EXT) if lba48 else (WRITE, READ):
        lba = 77
        for length in lengths:
            expected.append((opcode, lba, length))
            lba += length
    assert commands(b)[1:] == expected
    assert b.image.read_sectors(77, sectors) == data
    # Nothing beside it was touched.
    assert not any(b.image.read_sectors(77 - 1)) and not any(b.image.read_sectors(77 + sectors))


def test_256_sectors_is_count_0_with_28_bits(bench, monkeypatch):
    b = bench(**LONG, drive={"lba48": False}, sectors=0x0FFFFFFF)
    seen = hear(b.drive)
    data = content(5, 600)
    assert b.record(data, 0x0ABCDEF).error == 0
    assert b.image.read_sectors(0x0ABCDEF, 600) == data
    b.check()
    assert b.play(0x0ABCDEF, 256).data == data[:256 * 512]
    b.check()
    assert [(r.command, r.lba28, r.count) for r in seen] == [
        (WRITE, 0x0ABCDEF, 0), (WRITE, 0x0ABCEEF, 0), (WRITE, 0x0ABCFEF, 88),
        (READ, 0x0ABCDEF, 0)]
    # The upper LBA, features and ICC fields are reserved in 28-bit commands.
    assert all(r.lba >> 24 == 0 and r.features == 0 and r.control == 0 for r in seen)


def test_lba_27_to_24_in_the_device_register(bench, monkeypatch):
    b = bench(**SMALL, drive={"lba48": False}, sectors=0x0FFFFFFF)
    seen = hear(b.drive)
    last = 0x0FFFFFFF - 40
    data = content(6, 40)
    assert b.record(data, last).error == 0
    assert b.image.read_sectors(last, 40) == data
    assert b.play(last, 40).data == data
    assert {r.device for r in seen} == {0x4F}
    assert b.record(data, 0x0CFFFFF8).error == 0       # 27:24 change within the extent
    assert b.image.read_sectors(0x0CFFFFF8, 40) == data
    assert [r.device for r in seen[-3:]] == [0x4C, 0x4D, 0x4D]
    b.check()


@pytest.mark.parametrize("lba", [(1 << 24) - 20, (1 << 28) - 20, (1 << 32) - 20, (1 << 47) - 20])
def test_carries_of_the_lba_with_48_bits(bench, monkeypatch, lba):
    b = bench(**SMALL, sectors=(1 << 48) - 1)
    seen = hear(b.drive)
    data = content(lba, 60)
    assert b.record(data, lba).error == 0
    assert b.image.read_sectors(lba, 60) == data
    assert b.play(lba, 60).data == data
    chain = [(lba, 16), (lba + 16, 16), (lba + 32, 16), (lba + 48, 12)]
    assert [(r.command, r.lba, r.count) for r in seen] == \
        [(WRITE_EXT, *each) for each in chain] + [(READ_EXT, *each) for each in chain]
    assert all(r.device == 0x40 and r.features == 0 and r.control == 0 for r in seen)
    b.check()


def test_65536_sectors_is_count_0_with_48_bits(bench, monkeypatch):
    """The drive gives up at once, so that no 32 MiB need to move."""
    b = bench(**LONG)
    seen = hear(b.drive)
    b.behaviour.reject_command = 3
    assert b.play(0, 65536 + 7).error == Error.DRIVE_ERROR
    assert b.play(0, 65535).error == Error.DRIVE_ERROR
    assert b.record(content(1, 65536 // 512), 5, 65536 + 7).error == Error.DRIVE_ERROR
    assert [(r.command, r.lba, r.count) for r in seen] == [
        (READ_EXT, 0, 0), (READ_EXT, 0, 0xFFFF), (WRITE_EXT, 5, 0)]
    assert [record[2] for record in commands(b)[1:]] == [65536, 65535, 65536]
    works(b)


@pytest.mark.long
def test_more_than_65536_sectors_move(bench, monkeypatch):
    b = bench(**LONG)
    seen = hear(b.drive)
    data = content(9, 65536 + 3)
    assert b.record(data, 11).error == 0
    assert b.image.read_sectors(11, 65536 + 3) == data
    assert b.play(11, 65536 + 3).data == data
    assert [(r.command, r.lba, r.count) for r in seen] == [
        (WRITE_EXT, 11, 0), (WRITE_EXT, 65547, 3), (READ_EXT, 11, 0), (READ_EXT, 65547, 3)]
    b.check()


@pytest.mark.parametrize("lba48, opcode", [(True, FLUSH_EXT), (False, FLUSH)])
def test_flush(bench, lba48, opcode):
    b = bench(**SMALL, drive={"lba48": lba48}, flush_latency=700)
    flushed = b.flush()
    assert flushed.error == 0 and flushed.clocks > 700
    assert commands(b)[1:] == [(opcode, 0, 0)]
    assert b.ledger().total == 0        # a flush alone is no transfer
    b.check()
    before = len(commands(b))
    assert b.record(content(1, 20), 3, flush=True).error == 0
    assert [record[0] for record in commands(b)[before:]] == \
        [WRITE_EXT if lba48 else WRITE] * 2 + [opcode]
    assert b.ledger().accounts["flush"] > 700
    b.check()


def test_start_is_ignored_while_busy(bench):
    b = bench(**SMALL)
    data = content(8, 40)
    b.engine.source(data)
    b.start(Operation.RECORD, 100, 40)
    for clocks in (2, 10, 20, 30, 500, 2000):
        b.run(clocks)
        assert b.outputs()["busy"]
        b.engine.set(start=1, operation=Operation.PLAY, lba=0, sectors=1)
    b.run(1)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == 0 and b.outputs()["words"] == 40 * 128
    assert b.image.read_sectors(100, 40) == data
    assert [record[:2] for record in commands(b)[1:]] == [
        (WRITE_EXT, 100), (WRITE_EXT, 116), (WRITE_EXT, 132)]
    b.check()
    works(b)


def test_operations_back_to_back(bench):
    """``start`` in the clock after ``done``, before anything has come to rest."""
    b = bench(**SMALL, repeated_status_fises=2)
    data = content(12, 20)
    b.engine.source(data)
    b.engine.sink(20 * 128)
    for operation, expected in [(Operation.RECORD, 0), (Operation.PLAY, 0), (Operation.FLUSH, 0),
                                (Operation.PLAY, 0), (Operation.FLUSH, 0), (Operation.FLUSH, 0)]:
        b.start(operation, 9, 20)
        b.run(1)
        b.wait(Event.DONE)
        assert b.outputs()["error"] == expected and not b.outputs()["busy"]
    assert b.engine.state().received == 2 * 20 * 128 and b.engine.received() == data
    assert b.engine.state().lasts == 2
    b.check()


def test_extent_of_a_tebibyte(bench):
    """Nothing in the core counts with fewer bits than a drive can have."""
    b = bench(**SMALL, sectors=(1 << 48) - 1)
    for lba, sectors in [(5, 1 << 31), (1 << 33, 1 << 32), (123, (1 << 48) - 1 - 123)]:
        data = content(lba, 50)
        outcome = b.record(data, lba, sectors, stop_after=4000)
        words = outcome.taken
        assert outcome.error == 0 and 4000 <= words <= 4002
        assert b.image.read_sectors(lba, 32) == data[:4 * words] + bytes(32 * 512 - 4 * words)
        b.engine.sink(5000, mark=4000)
        b.start(Operation.PLAY, lba, sectors)
        b.run(1)
        b.wait(Event.SINK)
        b.stop()
        b.run(1)
        b.wait(Event.DONE)
        assert b.outputs()["error"] == 0 and b.engine.state().lasts == 0
        assert b.engine.received()[:4 * words] == data[:4 * words]
        b.check()

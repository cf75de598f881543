"""The requests `places` and `access` of the console recorder."""

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from integration.console_recorder.bench import ACCESSES, ConsoleBench, fields

from sata_recorder.lab.access import Places
from sata_recorder.pc.console.answer import Answer


@pytest.fixture
def board():
    board = ConsoleBench(configuration=ACCESSES)
    yield board
    board.close()


def moved(board, first=0):
    """(command, LBA, sectors) of what the drive has done, from number ``first`` on."""
    return [(one.command, one.lba, one.sectors) for one in islice(board.port.drive.completed, first, None)]


def test_reads_are_verified_and_writes_keep_the_pattern(board):
    assert fields(board.ask("record 1000 300"))["words"] == "38400"
    assert board.ask("places 1 77") == ["ok"]
    before = len(board.port.drive.completed)
    told = fields(board.ask("access 1000 300 5 12"))
    assert (told["way"], told["accesses"], told["words"], told["mismatches"]) == ("read", "12", "7680", "0")
    wanted = [*islice(Places(1000, 300, 5, 1, "random", 77), 12)]
    assert moved(board, before) == [(0x25, lba, 5) for lba in wanted]
    before = len(board.port.drive.completed)
    told = fields(board.ask("access 1000 300 5 12 write"))
    assert (told["way"], told["accesses"], told["words"]) == ("write", "12", "7680")
    assert moved(board, before) == [(0x35, lba, 5) for lba in wanted]
    assert fields(board.ask("play 1000 300"))["mismatches"] == "0"


def test_what_was_written_elsewhere_is_found(board):
    board.ask("record 1000 64")
    board.image.write(512 * 1008, b"\xff" * 4)
    told = fields(board.ask("access 1000 64 8 40"))
    times = [*islice(Places(1000, 64, 8, 8, "random", 0), 40)].count(1008)
    assert told["mismatches"] == str(times) and times
    assert told["error"] == "mismatch"


def test_one_after_the_other(board):
    board.ask("places 8 0 sequential")
    before = len(board.port.drive.completed)
    told = fields(board.ask("access 64 50 16 5 write"))
    assert told["sequential"] == "1"
    assert [lba for _, lba, _ in moved(board, before)] == [64, 80, 96, 64, 80]


@pytest.mark.wide
@settings(max_examples=12)
@given(some.data())
def test_nothing_outside_the_span_is_touched(data):
    size = data.draw(some.integers(1, 40))
    lba, span = data.draw(some.integers(0, 5000)), data.draw(some.integers(size, 700))
    align, seed = data.draw(some.sampled_from([1, 8])), data.draw(some.integers(0, (1 << 48) - 1))
    count, way = data.draw(some.integers(1, 6)), data.draw(some.sampled_from(["read", "write"]))
    board = ConsoleBench(configuration=ACCESSES, completion_latency=data.draw(some.sampled_from([0, 50])))
    try:
        board.ask(f"places {align} {seed}")
        before = len(board.port.drive.completed)
        told = fields(board.ask(f"access {lba} {span} {size} {count} {way}"))
        assert told["accesses"] == str(count)
        wanted = [*islice(Places(lba, span, size, align, "random", seed), count)]
        assert [(first, sectors) for _, first, sectors in moved(board, before)] == [(one, size) for one in wanted]
        assert all(lba <= one and one + size <= lba + span for one in wanted)
    finally:
        board.close()


def test_latencies(board):
    """Those of the drive are in each, and the histogram counts the same commands."""
    fast = fields(board.ask("access 0 2000 8 10"))
    board.behaviour.completion_latency = 700
    board.ask("histogram clear")
    slow = fields(board.ask("access 0 2000 8 10"))
    assert all(680 < int(slow[name]) - int(fast[name]) < 720 for name in ("latency-least", "latency-most"))
    assert int(slow["latency-least"]) <= int(slow["latency-sum"]) // 10 <= int(slow["latency-most"])
    assert int(slow["latency-sum"]) < int(slow["clocks"])
    assert Answer(tuple(board.ask("histogram")[:-1]), None).fields()["bins"] == {10: 10}


def test_accesses_of_several_commands(board):
    """The longest command has 64 sectors, and this access 200."""
    before = len(board.port.drive.completed)
    told = fields(board.ask("access 0 1000 200 3 write"))
    assert told["accesses"] == "3" and len(moved(board, before)) == 12
    assert int(told["latency-least"]) > 200 * 128


def test_stop(board):
    board.send(b"access 0 1000 8 100000 write\r")
    board.run(50_000)
    assert board.ask("access 0 100 8 1")[-1] == "error busy"
    assert board.ask("stop") == ["ok"]
    told = fields(board.until("ok"))
    assert told["stopped"] == "yes" and 10 < int(told["accesses"]) < 100
    assert fields(board.ask("access 0 1000 8 3"))["accesses"] == "3"


def test_places_stay_while_they_are_used(board):
    """Whatever is typed meanwhile: else those at multiples of 8 sectors would lie outside the span."""
    assert board.ask("places 1 5") == ["ok"]
    before = len(board.port.drive.completed)
    board.send(b"access 8 100 1 100000 write\r")
    board.run(20_000)
    assert board.ask("places 8 0") == ["error busy"]
    board.run(50_000)
    board.ask("stop")
    found = [lba for _, lba, _ in moved(board, before)]
    assert len(found) > 100 and all(8 <= lba < 108 for lba in found)


def test_an_error_of_the_drive_ends_it(board):
    board.behaviour.fail_lba = 30
    lines = board.ask("access 24 16 8 50")
    told = fields(lines)
    assert lines[-1] == "error drive-error" and told["error-lba"] == "30"
    assert int(told["accesses"]) < 50


@pytest.mark.parametrize("line, error", [
    ("access 0 100 0 1", "range"), ("access 0 4 8 1", "range"), ("access 0 5000 2049 1", "range"),
    ("access 0 100 8 0", "range"), ("access 0 100 8", "arguments"), ("access 0 100 8 1 2", "arguments"),
    ("access 0 100 8 1 random", "arguments"), ("places 2 0", "range"), ("places 0 0", "range"),
    ("places 8", "arguments"), ("places 8 0 write", "arguments"), ("access 1048570 100 8 1", "range"),
    ("access 1000 1048570 8 50 write", "range"), ("access 281474976710655 1000 1 20 write", "range"),
    ("access x 100 8 1", "arguments")])
def test_mistakes(board, line, error):
    assert board.ask(line)[-1] == f"error {error}"


def test_in_order_every_place_is_whole(board):
    board.ask("places 8 0 sequential")
    assert board.ask("access 0 100 4 1") == ["error range"]


def test_a_board_without():
    board = ConsoleBench()
    assert board.ask("access 0 100 8 1") == board.ask("places 8 0") == ["error unknown"]
    assert board.ask("play 0 1 random") == ["error arguments"]
    assert not [line for line in board.ask("help") if line.startswith(("access", "places"))]
    board.close()


def test_reset_ends_it(board):
    board.send(b"access 0 1000 8 100000\r")
    board.run(30_000)
    board.send(b"reset\r")
    lines = board.until("* ready 1048576")
    assert "ok" in lines and "error reset" in lines
    assert fields(board.ask("access 0 1000 8 2"))["accesses"] == "2"

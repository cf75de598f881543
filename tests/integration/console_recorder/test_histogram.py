"""The request `histogram` of the console recorder."""

import pytest
from integration.console_recorder.bench import CAPACITY, HISTOGRAMS, ConsoleBench, fields

from sata_recorder.pc.console.answer import Answer

pytestmark = pytest.mark.wide


@pytest.fixture
def board():
    board = ConsoleBench(configuration=HISTOGRAMS, completion_latency=300)
    yield board
    board.close()


def histogram(board, kind):
    """{bin: count} of what is counted."""
    *lines, end = board.ask(f"histogram {kind}".strip())
    assert end == "ok" and lines[0] == f"histogram {kind or 'commands'}" and len(lines) == 33
    told = Answer(tuple(lines), None).fields()
    assert told["histogram"] == (kind or "commands")
    return told["bins"]


def test_commands_and_stalls(board):
    """Commands of 64 sectors: 8192 words and more. Between two of them the drive takes no word for
    as long as its status takes, and the pattern is there."""
    assert histogram(board, "") == histogram(board, "stalls") == {}
    board.ask("record 0 640")
    assert histogram(board, "commands") == {13: 10}
    # The first words wait for the first command; then nine of 300 clocks and more: most of them of less
    # than 512, and of more where the drive is asked.
    stalls = histogram(board, "stalls")
    assert stalls[8] >= 5 and stalls[8] + stalls[9] >= 9 and sum(stalls.values()) <= 10
    board.ask("play 0 1")
    assert histogram(board, "commands") == {8: 1, 13: 10}
    assert histogram(board, "stalls") == stalls
    assert board.ask("histogram clear") == ["ok"]
    assert histogram(board, "commands") == histogram(board, "stalls") == {}


def test_sums_are_the_ledgers(board):
    board.ask("record 0 200")
    told = fields(board.ask("counters"))
    assert sum(histogram(board, "").values()) == int(told["commands"])


def test_reset_begins_anew(board):
    board.ask("record 0 64")
    board.send(b"reset\r")
    board.until("* ready 1048576")
    assert histogram(board, "") == {}


def test_a_board_without():
    board = ConsoleBench()
    assert board.ask("histogram") == ["error no-histograms"]
    assert not [line for line in board.ask("help") if line.startswith("histogram")]
    board.close()


@pytest.mark.parametrize("line", ["histogram 3", "histogram commands stalls", "histogram raw"])
def test_mistakes(board, line):
    assert board.ask(line) == ["error arguments"]


def test_misaligned_commands(board):
    """Of each recording by itself; physical sectors of one logical one cannot be split."""
    board.port.drive.unit["physical_sector"] = None
    assert fields(board.ask("record 1 640"))["misaligned"] == "0"
    board.port.drive.unit["physical_sector"] = 4096
    board.port.drive.renew_page()
    board.send(b"reset\r")
    board.until(f"* ready {CAPACITY}")
    assert [fields(board.ask(f"record {lba} 640"))["misaligned"] for lba in (1, 8)] == ["10", "0"]
    assert "misaligned" not in fields(board.ask("play 1 3"))


def test_the_drive_says_that_it_is_failing(board):
    """In the middle of a recording, unasked, once; and whoever asks is told."""
    assert fields(board.ask("status"))["drive-health"] == "unknown"
    assert fields(board.ask("record 8 640"))["drive-health"] == "good"
    health = board.port.drive.health
    health.fails_after = health.written_bytes + 512 * 200
    board.send(b"record 8 1280\r")
    lines = board.until("ok", 2_000_000)
    event = lines.index("* drive failing")
    assert event < lines.index("record 8 1280 inc32") and fields(lines)["drive-health"] == "failing"
    assert fields(lines)["sectors-done"] == "1280"
    assert fields(board.ask("status"))["drive-health"] == "failing"
    assert "* drive failing" not in board.ask("record 8 640")


def test_the_drive_says_that_it_is_too_hot(board):
    """In the middle of a recording, unasked, once; and whoever asks is told. Degrees below zero are not."""
    health = board.port.drive.health
    assert fields(board.ask("status"))["drive-heat"] == "unknown"
    told = fields(board.ask("record 8 640"))
    assert (told["drive-heat"], told["drive-celsius"]) == ("good", "35")
    health.bytes_per_degree, health.begun = 512 * 20, health.written_bytes
    board.send(b"record 8 1280\r")
    lines = board.until("ok", 2_000_000)
    told = fields(lines)
    assert lines.index("* drive too hot") < lines.index("record 8 1280 inc32")
    assert told["sectors-done"] == "1280"
    assert told["drive-heat"] == "too-hot" and 70 < int(told["drive-celsius"]) < 128
    assert fields(board.ask("status"))["drive-heat"] == "too-hot"
    health.bytes_per_degree, health.celsius = 0, 90
    assert "* drive too hot" not in board.ask("record 8 640")
    health.celsius = -5
    told = fields(board.ask("record 8 640"))
    assert told["drive-heat"] == "good" and "drive-celsius" not in told

"""`sata-recorder console access`: accesses of a simulated board, and what must be confirmed."""

import json

import pytest
from click.testing import CliRunner
from integration.console_recorder.bench import ACCESSES, ConsoleBench, Served

from sata_recorder.cli.verbs import cli

pytestmark = pytest.mark.wide


@pytest.fixture(scope="module")
def board():
    with Served(ConsoleBench(configuration=ACCESSES)) as served:
        yield served


def test_reads_need_no_confirmation(ask):
    ask("record", 0, 200)
    assert ask("places", 8, 3).exit_code == 0
    result = ask("access", 0, 200, 8, 5)
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert "access read sectors 0 to 199, at random, seed 3" in text
    assert "size 4,096 bytes, at multiples of 4,096" in text and "done 5 of 5 accesses" in text
    assert "latency mean" in text and "IOPS" in text and "mismatches 0 words" in text


def test_writes_are_confirmed_by_the_serial_number(ask):
    refused = ask("access", 0, 200, 8, 5, "write")
    assert refused.exit_code == 2 and "access write destroys what is on the drive: confirm it" in refused.output
    wrong = ask("--serial", "X", "access", 0, 200, 8, 5, "write")
    assert wrong.exit_code == 2 and "--serial X: the drive's is SN 7" in wrong.output
    result = ask("--serial", "SN 7", "--json", "access", 0, 200, 8, 5, "write")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["way"], found["accesses"], found["words"]) == ("write", 5, 5120)
    assert found["iops"] == pytest.approx(5 * 1e6 / found["clocks"])
    assert found["latency"]["minimum"] <= found["latency"]["mean"] <= found["latency"]["maximum"]


@pytest.mark.parametrize("line, name", [
    ("access 0 200 8 5 write", "access write"), ("  ACCESS 0 200 8 5 Write", "access write"),
    ("command 0x40f4 0", "SECURITY ERASE UNIT")])
def test_lines_from_a_pipe_do_not_destroy(board, line, name):
    """Nobody has typed a serial number, and the board itself asks for none."""
    before = len(board.bench.port.drive.completed)
    result = CliRunner().invoke(cli, ["console", "--port", board.port], input=f"places 8 1\n{line}\nstatus\n")
    assert result.exit_code == 2 and f"{name} destroys what is on the drive" in result.stderr
    assert "--serial" in result.stderr and len(board.bench.port.drive.completed) == before


@pytest.mark.parametrize("line", ["command", "command x", "access", "command 0x40f4 x y z"])
def test_lines_that_are_none_reach_the_board(board, line):
    result = CliRunner().invoke(cli, ["console", "--port", board.port], input=f"{line}\n")
    assert result.exit_code in (1, 2) and not isinstance(result.exception, ValueError | IndexError)


@pytest.mark.parametrize("words, told", [
    (("access", 0, 200, 8), "access: COUNT is missing"), (("access", 0, 200, 8, 1, "sideways"), "sideways: does not"),
    (("places", 8), "places: SEED is missing"), (("access", "x", 1, 1, 1), "LBA = x: is no number")])
def test_what_no_board_would_take(ask, words, told):
    result = ask(*words)
    assert result.exit_code == 2 and told in result.output


def test_what_this_board_refuses(ask):
    result = ask("access", 0, 4, 8, 1)
    assert result.exit_code == 1 and "error: range" in result.output

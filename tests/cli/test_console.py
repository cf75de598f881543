"""`sata-recorder console` at a pseudo-terminal, with the simulated board at its other end."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from integration.console_recorder.bench import CAPACITY, ConsoleBench, Served

# Ctrl-C counts even where the tests run in the background of a shell.
_MAIN = ("import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
         "from sata_recorder.cli.main import main; main()")


@pytest.fixture(scope="module")
def board():
    """A served board; its drive is good."""
    with Served(ConsoleBench()) as served:
        yield served


@pytest.fixture
def ask(board, run):
    """`ask("record", 0, 8)` runs `sata-recorder console --port ... record 0 8`."""
    return lambda *words: run("console", "--port", board.port, *words)


@pytest.mark.wide
@pytest.mark.sample(4)
@pytest.mark.parametrize("words, told", [
    (["status"], ["last error", f"{CAPACITY:,}"]),
    (["identify"], ["MODEL? OF A DRIVE", "SN 7", "0.54 GB"]),
    (["record", 0, 80], ["inc32", "sectors 0 to 79", "10,240", "MB/s"]),
    (["play", "0x0", 80], ["mismatches", "MB/s"]),
    (["record", 0, 80, "dec32", "flush"], ["dec32  sectors 0 to 79, then flush"]),
    (["record", 0, 80, "flush", "inc32"], ["inc32  sectors 0 to 79, then flush"]),
    (["counters"], ["activate wait", "%", "high water"]),
    (["journal"], ["journal", "empty"]),
    (["flush"], ["clocks"]),
    (["version"], ["sata-recorder-"]),
    (["help"], ["record LBA SECTORS"]),
])
def test_verbs(ask, words, told):
    if words[0] == "play":
        assert ask("record", *words[1:]).exit_code == 0
    result = ask(*words)
    assert result.exit_code == 0, result.output
    for text in told:
        assert text in result.output


def test_dump(ask):
    assert ask("record", 0, 8).exit_code == 0
    result = ask("dump", 3)
    assert result.exit_code == 0
    assert "000: 80 01 00 00 81 01 00 00" in result.output and "1f0: " in result.output


def test_json(ask):
    told = json.loads(ask("record", 100, 8, "dec32", "--json").stdout)
    assert told["ok"] and told["error"] is None
    assert (told["operation"], told["lba"], told["sectors"], told["pattern"]) == \
        ("record", 100, 8, "dec32")
    assert told["words"] == 1024 and told["seconds"] == told["clocks"] / 1e6
    assert told["bytes_per_second"] == pytest.approx(4096 / told["seconds"])
    assert told["flush"] is False
    assert json.loads(ask("record", 100, 8, "flush", "--json").stdout)["flush"] is True
    assert json.loads(ask("journal", "--json").stdout) == {"ok": True, "error": None, "entries": []}
    raw = json.loads(ask("identify", "raw", "--json").stdout)
    assert len(bytes.fromhex(raw["data"])) == 512


def test_errors_of_the_board(ask):
    assert ask("record", 100, 8).exit_code == 0
    result = ask("play", 100, 8, "dec32")
    assert result.exit_code == 1 and "error: mismatch" in result.stderr
    assert "expected 0xffffcdff, got 0x00003200" in result.stdout
    result = ask("play", CAPACITY, 1)
    assert result.exit_code == 1 and "error: out-of-range" in result.stderr
    assert ask("stop").exit_code == 1


@pytest.mark.wide
def test_failure_and_journal(ask, board):
    """The table of what failed shows that `journal` has more; a good operation clears it."""
    try:
        board.bench.behaviour.fail_lba = 150
        result = ask("record", 60, 200)
        assert result.exit_code == 1 and "error: drive-error" in result.stderr
        assert "journal entries" in result.stdout and "`journal` shows" in result.stdout
        assert json.loads(ask("record", 60, 200, "--json").stdout)["journal_entries"] == 1
        result = ask("journal")
        assert result.exit_code == 0
        assert result.stdout == "in-doubt  64  sectors 124 to 187, drive-error\n"
        assert json.loads(ask("journal", "--json").stdout) == {
            "ok": True, "error": None,
            "entries": [{"kind": "in-doubt", "cause": "drive-error", "lba": 124, "sectors": 64}]}
        assert "`journal` shows" in ask("dump", 150).stdout
    finally:
        board.bench.behaviour.fail_lba = None
    assert "journal" not in ask("record", 60, 200).stdout
    assert "empty" in ask("journal").stdout


@pytest.mark.parametrize("words, told", [
    (["go"], "go: no such request; there are status"), (["record", 5], "SECTORS is missing"),
    (["record", "x", 5], "LBA = x"), (["dump", 1 << 48], "at most"),
    (["record", 1, 2, "raw"], "does not belong"), (["--json"], "needs a VERB"),
    (["play", 1, 2, "flush"], "flush: does not belong here: play LBA SECTORS [inc32|dec32]\n"),
    (["record", 1, 2, "dec32", "inc32"], "inc32: does not belong"),
    (["record", 1, 2, "flush", "flush"],
     "flush: does not belong here: record LBA SECTORS [inc32|dec32] [flush]\n"),
    (["journal", 1], "1: does not belong here: journal\n"),
])
def test_mistakes(ask, words, told):
    result = ask(*words)
    assert result.exit_code == 2 and told in result.stderr and "Traceback" not in result.stderr


def test_no_port(run, tmp_path):
    result = run("console", "--port", tmp_path / "tty", "status")
    assert result.exit_code == 2 and f"{tmp_path / 'tty'}: cannot be opened" in result.stderr


def test_silent_port(run):
    ours, theirs = os.openpty()
    name = os.ttyname(theirs)
    result = run("console", "--port", name, "--baud", 9600, "--timeout", 0.3, "status")
    os.close(ours)
    os.close(theirs)
    assert result.exit_code == 2
    assert f"{name}: no answer of a station at 9600 baud within 0.3 s" in result.stderr


@pytest.mark.wide
def test_other_device(run):
    """Something that talks all the time, but not as a board."""
    server = socket.create_server(("127.0.0.1", 0))

    def chatter():
        line, _ = server.accept()
        with line:
            try:
                while True:
                    line.sendall(b"$GPGGA,hello\r\n\xff")
                    time.sleep(0.02)
            except OSError:
                pass

    threading.Thread(target=chatter, daemon=True).start()
    address = f"socket://127.0.0.1:{server.getsockname()[1]}"
    result = run("console", "--port", address, "--timeout", 0.3, "status")
    server.close()
    assert result.exit_code == 2 and "no answer of a station" in result.stderr


def process(board, *words, **options):
    return subprocess.Popen([sys.executable, "-c", _MAIN, "console", "--port", board.port,
                             *words], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **options)


@pytest.mark.wide
def test_lines_from_a_pipe(board):
    text = "status\nrecord 0 200\n\nfoo\nplay 0 200\n"
    with process(board, stdin=subprocess.PIPE) as console:
        out, _ = console.communicate(text)
    lines = out.splitlines()
    assert lines[0] == "link up" and "record 0 200 inc32" in lines
    assert sum(line == "ok" or line.startswith("error ") for line in lines) == 4
    assert "error unknown" in lines and console.returncode == 1


@pytest.mark.wide
def test_interrupt_stops(board):
    """Ctrl-C stops a recording; the answer to it is shown."""
    with process(board, "--timeout", "30", "record", "500000", "500000", "--json") as console:
        while not any(board.bench.image.read_sectors(500_100, 1)):
            assert console.poll() is None
            time.sleep(0.1)
        console.send_signal(signal.SIGINT)
        out, wrong = console.communicate(timeout=300)
    assert out, wrong
    told = json.loads(out)
    assert told["stopped"] and told["ok"] and 0 < told["sectors_done"] < 500000, wrong
    assert console.returncode == 0


@pytest.mark.parametrize("words, told", [
    (("file", "-1"), "BYTES = -1: is no number"), (("record", "0", "-5"), "SECTORS = -5: is no number"),
    (("file", "-1", "--json"), "BYTES = -1: is no number")])
def test_a_number_below_0(run, words, told):
    """It is no option, and the port is not opened."""
    result = run("console", "--port", "/dev/null", *words)
    assert result.exit_code == 2 and told in result.stderr, result.stderr
    result = run("console", "--port", "/dev/null", "--timeout", "-1", "status")
    assert "--timeout" in result.stderr

"""`sata-recorder wear --port`: a drive on the simulated board, interruptions, and what is refused."""

import csv
import json
import shlex
import signal
import subprocess
import sys
import time

import pytest

from sata_recorder.pc.console.simulated import SimulatedBoard

_SPAN = ("--pattern", "ring", "--sectors", "1MiB")
_MAIN = [sys.executable, "-c", "from sata_recorder.cli.main import main; main()"]


@pytest.fixture(scope="module")
def port():
    """The port of a simulated board with SMART, one for a module."""
    simulated = SimulatedBoard(capacity=8192, offers=("commands",))
    try:
        yield simulated.start()
    finally:
        simulated.close()


@pytest.fixture
def wear(port, run):
    """`wear(...)` of the board's drive; returns click's result."""
    return lambda *words: run("wear", "--port", port, "--serial", "SIMULATED", "--log", "life.csv", *words)


def rows(path="life.csv"):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def begun(path):
    """Whether a run in this folder has written a piece."""
    state = path / "life.csv.state"
    return state.exists() and json.loads(state.read_text())["progress"]["bytes"] > 0


@pytest.mark.wide
def test_a_run(wear, run, port):
    result = wear(*_SPAN, "--until", "1536KiB", "--rate", "200MB/s", "--verify", "--json", "life.json", "--parquet",
                  "life.parquet", "--plot", "life.svg")
    assert result.exit_code == 0, result.output
    found = rows()
    assert found[0]["event"] == "begun" and found[-1]["event"] == "1.57286 MB are written"
    assert int(found[-1]["bytes"]) >= 1_572_864 and found[-1]["mismatches"] == "0"
    # The model's family counts no erases; all raw values are there.
    assert found[-1]["mean_erased"] == found[-1]["bad_blocks"] == "" and " 241=" in found[-1]["attributes"]
    assert int(found[-1]["written_bytes"]) - int(found[0]["written_bytes"]) == int(found[-1]["bytes"])
    text = " ".join(result.stdout.split())
    assert "SIMULATED: sectors 0 to 2,047, in order, round and round, never trimmed, at 200 MB/s, until 1.57286" in text
    assert "erases least unknown, mean unknown, most unknown" in text and "blocks bad: unknown" in text
    assert max(map(len, result.stdout.splitlines())) <= 80
    data = json.loads(open("life.json").read())
    assert len(data["samples"]) == len(found) and data["drive"]["serial"] == "SIMULATED"
    assert data["ending"]["kind"] == "reached"
    import polars
    assert polars.read_parquet("life.parquet")["bytes"].to_list() == [int(row["bytes"]) for row in found]
    assert "Measured on a board" in open("life.svg").read()
    # What is said to be there is there.
    for line in data["ending"]["safe"]:
        assert run("console", "--port", port, *line.partition("PORT ")[2].partition("`")[0].split()).exit_code == 0


@pytest.mark.wide
def test_kill_in_the_middle_and_go_on(wear, port, tmp_path):
    """SIGKILL, and a power cut that leaves half a line: at most that line is lost."""
    process = subprocess.Popen([*_MAIN, "wear", "--port", port, "--serial", "SIMULATED", "--log", "life.csv", *_SPAN,
                                "--until", "2s"], cwd=tmp_path)
    while process.poll() is None and not begun(tmp_path):
        time.sleep(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL, "it had ended before"
    before = json.loads((tmp_path / "life.csv.state").read_text())["progress"]
    lines = (tmp_path / "life.csv").read_bytes()
    (tmp_path / "life.csv").write_bytes(lines + b"2026-11-28T00:00:00Z,,0,5")
    result = wear("--resume")
    assert result.exit_code == 0, result.output
    assert "life.csv: its last line was cut short, and is dropped" in result.stderr
    found = rows()
    assert (tmp_path / "life.csv").read_bytes().startswith(lines) and "resumed" in [row["event"] for row in found]
    counts = [int(row["bytes"]) for row in found]
    assert counts == sorted(counts) and 0 < before["bytes"] <= counts[-1] and float(found[-1]["seconds"]) >= 2
    # A run that has reached its end writes nothing more, and a new one does not replace its log.
    assert wear("--resume").exit_code == 0 and int(rows()[-1]["bytes"]) == counts[-1]
    before = open("life.csv").read()
    for more in (), ("--overwrite",):
        result = wear(*_SPAN, "--until", "1MB", *more)
        assert result.exit_code == 2 and "life.csv: exists; --resume goes on with a log" in result.stderr
    assert open("life.csv").read() == before


@pytest.mark.long
def test_to_read_only(tmp_path):
    """A drive a few megabytes before its end, as `station` simulates it."""
    wear = shlex.join([*_MAIN, "wear", "--port"]) + " {port} " + shlex.join(
        ["--serial", "SIMULATED", "--log", "life.csv", *_SPAN, "--until", "read-only"])
    done = subprocess.run([*_MAIN, "station", "--pty", "--commands", "--capacity", "8192", "--written", "54974.996",
                           "--run", wear], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "the drive cannot write any more" in text and "it takes no write any more: copy at once" in text
    assert "were read, as written" in text and "have older data, newer, or neither" in text
    assert rows(tmp_path / "life.csv")[-1]["verdict"] == "failing"


@pytest.mark.long
def test_another_drive_at_resume(wear, run):
    assert wear(*_SPAN, "--until", "1MB").exit_code == 0
    state = open("life.csv.state").read()
    other = SimulatedBoard(capacity=4096, offers=("commands",))
    try:
        result = run("wear", "--port", other.start(), "--serial", "SIMULATED", "--log", "life.csv", "--resume")
    finally:
        other.close()
    assert result.exit_code == 2 and "the drive is another one" in result.stderr and "4096" in result.stderr
    assert open("life.csv.state").read() == state


@pytest.mark.wide
@pytest.mark.parametrize("words, told", [
    (["--serial", "SN 8", "--until", "1MB"], "--serial SN 8: the drive's is SIMULATED"),
    (["--serial", "SIMULATED", "--until", "50"], "--until 50: the drive reports no mean erases that are known"),
    (["--serial", "SIMULATED", "--until", "1MB", "--lba", 8192], "--lba 8192, --sectors 0: the drive has 8192 sectors"),
    (["--serial", "SIMULATED", "--until", "1MB", "--sectors", 100], "--sectors 100: must be at least 2048, 1024 KiB")])
def test_refused_by_the_board(port, run, tmp_path, words, told):
    result = run("wear", "--port", port, "--log", "new.csv", "--pattern", "ring", *words)
    assert result.exit_code == 2 and told in result.stderr, result.output
    assert result.stderr.count("\n") == 1 and not list(tmp_path.iterdir())


_BASE = ("--serial", "S", "--log", "life.csv")
_NEW = (*_BASE, "--until", "read-only")


@pytest.mark.parametrize("words, told", [
    (["--until", "read-only"], "--serial: is missing; the drive's serial number, to confirm that it is overwritten"),
    (["--serial", "S", "--until", "read-only"], "--log: is missing"),
    (_BASE, "--until: is missing; with --port an end must be given"),
    ([*_BASE, "--until", "soon"], "--until soon: must be read-only, a number of erases"),
    ([*_BASE, "--until", "0"], "--until 0: must be 1 to 10000000 erases"),
    ([*_BASE, "--until", "99999999"], "--until 99999999: must be 1 to 10000000 erases"),
    ([*_BASE, "--until", "5QB"], "--until 5QB: must be a whole number of sectors, or bytes"),
    ([*_BASE, "--until", "-1d"], "--until -1d: must be read-only"),
    ([*_NEW, "--rate", "55"], "--rate 55: the unit must be one of"),
    ([*_NEW, "--rate", "1B/s"], "--rate 1B/s: must be 1 kB/s to 6 GB/s"),
    ([*_NEW, "--every", "often"], "--every often: must be a time such as 1h"),
    ([*_NEW, "--every", "0.1s"], "--every 0.1s: must be 1 s to 30 d"),
    ([*_NEW, "--every", "60d"], "--every 60d: must be 1 s to 30 d"),
    ([*_NEW, "--sectors", "x"], "--sectors: size 'x'"),
    ([*_NEW, "--sectors", "0"], "--sectors: size '0': must be above 0"),
    (["--serial", "S", "--log", ".", "--until", "read-only"], "--log .: must be the name of a file"),
    ([*_NEW, "--rate", "9" * 400 + "MB/s"], "MB/s: must be 1 kB/s to 6 GB/s"),
    ([*_NEW, "--lba", "-1"], "--lba"),
    ([*_NEW, "--pattern", "random"], "--pattern random: is for the model"),
    ([*_NEW, "--pattern", "zigzag"], "--pattern"),
    ([*_NEW, "--drive", "onyx"], "--drive: is for the model of a drive"),
    ([*_NEW, "--rest", "1y"], "--rest: is for the model of a drive"),
    ([*_NEW, "--celsius", "20"], "--celsius: is for the model of a drive"),
    ([*_NEW, "--template"], "--template: is for the model of a drive"),
    ([*_NEW, "--csv", "a.csv"], "--csv a.csv: is for the model"),
    ([*_NEW, "--json", "-"], "--json -: must be a file"),
    ([*_NEW, "--json", "life.csv"], "--json life.csv: the same file as --log"),
    ([*_NEW, "--json", "life.csv.state"], "--json life.csv.state: the same file as the state of --log"),
    ([*_NEW, "--plot", "a.gif"], "--plot a.gif: must end in .png or .svg"),
    ([*_NEW, "--parquet", "no/a.parquet"], "--parquet no/a.parquet: cannot be written"),
    ([*_BASE, "--resume", "--rate", "1MB/s"], "--rate: not together with --resume"),
    ([*_BASE, "--resume", "--lba", "0"], "--lba: not together with --resume"),
    ([*_BASE, "--resume", "--until", "5"], "--until: not together with --resume"),
    ([*_BASE, "--resume", "--verify"], "--verify: not together with --resume"),
    (_NEW, "/dev/no-such: cannot be opened")])
def test_refused(run, tmp_path, words, told):
    result = run("wear", "--port", "/dev/no-such", *words)
    assert result.exit_code == 2 and told in result.stderr, result.output
    assert not result.stdout and not list(tmp_path.iterdir())


@pytest.mark.sample(4)
@pytest.mark.parametrize("words, told", [
    (["--serial", "S"], "--serial: goes with --port"), (["--resume"], "--resume: goes with --port"),
    (["--lba", "0"], "--lba: goes with --port"), (["--log", "a.csv"], "--log: goes with --port")])
def test_refused_without_a_board(run, tmp_path, words, told):
    result = run("wear", "--drive", "onyx", "--rate", "1MB/s", *words)
    assert result.exit_code == 2 and told in result.stderr and not list(tmp_path.iterdir())


@pytest.mark.long
def test_the_board_is_gone(tmp_path):
    """A cable that is pulled: one line, status 2, and a log with which it goes on."""
    simulated = SimulatedBoard(capacity=8192, offers=("commands",))
    try:
        process = subprocess.Popen([*_MAIN, "wear", "--port", simulated.start(), "--serial", "SIMULATED", "--log",
                                    "life.csv", *_SPAN, "--until", "1TB", "--timeout", "1"],
                                   cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not begun(tmp_path):
            time.sleep(0.01)
        simulated.kill()
        _, told = process.communicate()
    finally:
        simulated.close()
    assert process.returncode == 2 and told.splitlines()[-1].endswith("; --resume goes on with life.csv")
    assert rows(tmp_path / "life.csv")[0]["event"] == "begun"

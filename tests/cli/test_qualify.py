"""`sata-recorder qualify`: what it refuses, and profiles from logs of fio."""

import json
import re

import pytest

LOG = "".join(f"{100 * n}, {146_484 if n <= 40 else 48_828}, 1, 1048576, 0, 0\n"
              for n in range(1, 121))


def fio(run, *more):
    return run("qualify", "--fio-bandwidth", "bw.log", "--model", "A DRIVE", "--capacity", 10**8,
               "-o", "mine.toml", *more)


def test_logs_of_fio(run, tmp_path):
    (tmp_path / "bw.log").write_text(LOG)
    result = fio(run)
    assert result.exit_code == 0, result.output
    assert "A DRIVE" in result.stdout
    told = json.loads(run("drives", "mine.toml", "--json").stdout)
    assert told["write"]["mb_per_s"] == pytest.approx(50, rel=0.01)
    assert told["write"]["cache"]["mb_per_s"] == pytest.approx(150, rel=0.01)
    # The file is one of this tool's: it may be made again.
    assert fio(run).exit_code == 0


def test_measure_and_plan_take_it(run, tmp_path):
    (tmp_path / "bw.log").write_text(LOG)
    assert fio(run).exit_code == 0
    result = run("measure", "--drive", "mine.toml", "--sectors", 2000, "--operation", "record")
    assert result.exit_code == 0, result.output
    result = run("plan", "--rate", "40MB/s", "--for", "10s", "--drive", "mine.toml",
                 "--no-check")
    assert "A DRIVE" in result.stdout or "mine" in result.stdout, result.output


def test_a_log_without_writing_is_no_drive_that_takes_everything(run, tmp_path):
    (tmp_path / "bw.log").write_text(LOG.replace(", 1, ", ", 0, "))
    assert fio(run).exit_code == 0
    result = run("plan", "--rate", "200MB/s", "--for", "10s", "--drive", "mine.toml", "--no-check")
    assert result.exit_code == 3 and "unknown: its rate: writing was not measured" in result.stdout


@pytest.mark.sample(2)
@pytest.mark.parametrize("options, told", [
    ([], "give one of --simulate, --port and --fio-bandwidth"),
    (["--simulate", "x25-e", "--port", "/dev/x"], "give one of"),
    (["--port", "/dev/x"], "--port /dev/x: its drive is overwritten; give --erase"),
    (["--fio-bandwidth", __file__], "give --model and --capacity"),
    (["--simulate", "x25-e", "--sectors", "x"], "--sectors x: must be a whole number"),
    (["--port", "/dev/no-such", "--erase"], "/dev/no-such: cannot be opened"),
    (["--fio-bandwidth", "none.log", "--model", "M", "--capacity", "5"],
     "--fio-bandwidth none.log: cannot be read"),
    (["--simulate", "nothing"], "no drive profile 'nothing'"),
    (["--port", "/dev/x", "--erase", "--generation", "1"], "--generation 1: the link of a board"),
    (["--fio-bandwidth", __file__, "--model", "M", "--capacity", "5", "--places", "3"],
     "--places and --csv: a log of fio has no places"),
    (["--simulate", "x25-e", "--csv", "mine.toml"], "the same file as -o"),
    (["--fio-bandwidth", __file__, "--lba", "8"], "--lba: goes with --simulate and --port"),
    (["--fio-bandwidth", __file__, "--sectors", "1GB"], "--sectors: goes with --simulate and --port"),
    (["--fio-bandwidth", __file__, "--erase"], "--erase: goes with --port"),
    (["--simulate", "x25-e", "--baud", "9600"], "--baud: goes with --port"),
    (["--simulate", "x25-e", "--fio-latency", __file__], "--fio-latency: goes with --fio-bandwidth"),
    (["--port", "/dev/x", "--erase", "--model", "M"], "--model: goes with --fio-bandwidth"),
    (["--simulate", "x25-e", "--capacity", "5"], "--capacity: goes with --fio-bandwidth"),
])
def test_refusals(run, tmp_path, options, told):
    result = run("qualify", "-o", "mine.toml", *options)
    assert result.exit_code == 2 and told in result.stderr, result.output
    assert result.stderr.count("\n") == 1 and not list(tmp_path.iterdir())


@pytest.mark.long
def test_simulated(run, tmp_path):
    """A profile, its curve, and what the curve shows; both files may be made again."""
    for _ in range(2):
        result = run("qualify", "--simulate", "x25-e", "--sectors", "8MiB", "--places", 2,
                     "-o", "mine.toml", "--csv", "mine.csv")
        assert result.exit_code == 0, result.output
        assert "later half, measured: 21" in result.stdout
        assert result.stdout.count("a FIFO for") == 3
        assert result.stdout.count("of the long recording, by what they took:\n") == 2
    told = json.loads(run("drives", "mine.toml", "--json").stdout)
    assert told["write"]["mb_per_s"] == pytest.approx(217.569, rel=0.02)
    assert told["write"]["command_us"] == pytest.approx(449.36, rel=0.02)
    kinds = [line.split(",")[1] for line in (tmp_path / "mine.csv").read_text().splitlines()]
    assert {"write", "read"} < set(kinds)
    result = run("qualify", "--simulate", "x25-e", "--sectors", 100, "-o", "mine.toml")
    assert result.exit_code == 2 and "at least 512 of them are needed" in result.stderr


@pytest.mark.wide
def test_too_few_sectors(run, tmp_path):
    """All up to the first rate, and nothing is written; which of the two is told depends on when the
    board was asked."""
    result = run("qualify", "--simulate", "x25-e", "--sectors", "256KiB", "-o", "mine.toml")
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, []), result.output
    assert re.search(r"too (fast|few) to measure a rate.* more are needed\n$", result.stderr), result.stderr


def test_output(run, tmp_path):
    (tmp_path / "bw.log").write_text(LOG)
    (tmp_path / "mine.toml").write_text("mine = 1\n")
    assert fio(run).exit_code == 2
    assert (tmp_path / "mine.toml").read_text() == "mine = 1\n"
    assert fio(run, "--overwrite").exit_code == 0
    result = run("qualify", "--simulate", "x25-e", "-o", "mine.txt")
    assert result.exit_code == 2 and "must end in .toml" in result.stderr


def test_bad_log(run, tmp_path):
    (tmp_path / "bw.log").write_text("1, 2, 3\n")
    result = fio(run)
    assert result.exit_code == 2 and "bw.log, line 1: " in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bw.log"]

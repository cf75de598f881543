"""Sweeps of real measurements: the same table however and wherever they run."""

import contextlib
import re
import socket

import polars
import pytest
from click.testing import CliRunner

from sata_drive_model.medium.profile import FOLDER
from sata_recorder import extras
from sata_recorder.cli.sweep import sweep
from sata_recorder.lab.measurement import execute
from sata_recorder.lab.sweep import COLUMNS, Cell, Plan, measured

pytestmark = pytest.mark.wide

FOUR = ("--command-sizes", "8,32", "--turnarounds-us", "0,10", "--size", "64")


@pytest.fixture
def swept(tmp_path, monkeypatch):
    """`swept(...)` runs the verb in an empty folder, with results of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sata_recorder.lab.measurement.store.cache_folder", lambda: tmp_path / "cache")

    def swept(*arguments):
        result = CliRunner().invoke(sweep, arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return swept


def test_four_cells(swept, tmp_path):
    first = swept(*FOUR, "--csv", "a.csv", "--parquet", "a.parquet", "--plot", "a.png", "-j", "2")
    assert first.exit_code == 0, first.output
    assert "4 cells, none failed" in first.stdout
    frame = polars.read_parquet("a.parquet")
    assert list(frame.columns) == list(COLUMNS) and frame.schema == polars.Schema(COLUMNS)
    assert polars.read_csv("a.csv", schema=COLUMNS).equals(frame)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    _check_rows(frame)
    again = swept(*FOUR, "--csv", "b.csv", "--plot", "b.svg")
    assert again.exit_code == 0 and "4 were there already" in again.stdout
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "b.svg").read_bytes().startswith(b"<?xml")


def _check_rows(frame):
    cells = Plan.of({"command_sizes": [8, 32], "turnarounds_us": [0, 10], "size": 64}).cells()
    for cell, row in zip(cells, frame.iter_rows(named=True), strict=True):
        assert (row["command_sectors"], row["turnaround_us"]) == (cell.command_sectors,
                                                                  cell.turnaround_us)
        assert row["bytes"] == 64 * 512 and row["commands"] == 64 // cell.command_sectors
        (transfer,) = execute(cell.job).transfers
        assert row["clocks"] == transfer.ledger.total
        assert row["turnaround_clocks"] == transfer.ledger.accounts["turnaround"]
        assert row["host_overhead_mean"] == pytest.approx(5 + 75 * cell.turnaround_us, abs=1)


def test_table_on_standard_output(swept, tmp_path):
    result = swept("--size", "8", "--csv", "-")
    assert result.exit_code == 0, result.output
    (row,) = polars.read_csv(result.stdout_bytes, schema=COLUMNS).iter_rows(named=True)
    assert row["bytes"] == 4096
    assert "1 cell, none failed" in result.stderr
    assert not (tmp_path / "-").exists()


@pytest.mark.wide
def test_failing_cells_are_rows(swept, tmp_path):
    text = (FOLDER / "ideal.toml").read_text()
    (tmp_path / "tiny.toml").write_text(
        re.sub(r"capacity_sectors = \S+", "capacity_sectors = 7", text))
    result = swept("--drives", "ideal,tiny.toml", "--size", "8", "--csv", "a.csv")
    assert result.exit_code == 1
    assert "1 failed" in result.stdout and "8 sectors are more than" in result.stdout
    rows = list(polars.read_csv("a.csv", schema=COLUMNS).iter_rows(named=True))
    assert rows[0]["error"] is None and rows[0]["bytes"] == 4096
    assert rows[1]["error"] == "8 sectors are more than the drive's 7"
    assert rows[1]["bytes"] is None


def test_texts_are_no_markup(swept, tmp_path):
    text = (FOLDER / "ideal.toml").read_text()
    text = re.sub(r"(?m)^model = .*", 'model = "X [/b] Y"', text)
    text = re.sub(r"(?m)^description = .*", 'description = "my drive on [/dev/sdb]"', text)
    (tmp_path / "mine.toml").write_text(text)
    result = swept("--drives", "mine.toml", "--size", "1")
    assert result.exit_code == 0, result.output
    assert "\nmine " in result.stdout


@pytest.mark.quick
@pytest.mark.parametrize("error", ["[/dev/sdb]: :smile: [bold]no", "[/b]: No space left on device"])
def test_errors_are_no_markup(swept, monkeypatch, error):
    monkeypatch.setattr(Cell, "refusal", lambda cell: error)
    monkeypatch.setattr("sata_recorder.simulation.LocalWorkers.__call__", lambda _, items: [
        (index, measured(cell)) for index, cell in items])
    result = swept("--size", "8")
    assert result.exit_code == 1 and error in result.stdout


def test_slow_link(swept):
    result = swept("--drives", "shd-nsum30g", "--size", "256", "--csv", "a.csv")
    assert result.exit_code == 0, result.output
    (row,) = polars.read_csv("a.csv", schema=COLUMNS).iter_rows(named=True)
    assert (row["generation"], row["lba28"], row["command_sectors"]) == (1, True, 256)
    assert row["phy_wait_clocks"] > 0


@pytest.mark.quick
@pytest.mark.parametrize("arguments, words", [
    ("--drives nothing", ["no drive profile 'nothing'"]),
    ("--drives ideal,,x25-e", ["--drives", "the name of a drive is missing"]),
    ("--command-sizes 8,x", ["'8,x'", "numbers"]),
    ("--command-sizes 65537", ["--command-sizes 65537", "at most 65536"]),
    ("--rates 5Mb/s", ["bits"]),
    ("--jobs 2 --scheduler tcp://a:1", ["--jobs", "--scheduler"]),
    ("--scheduler tcp://a:65536", ["--scheduler tcp://a:65536: is no address"]),
    ("--scheduler nope", ["--scheduler nope: is no address"]),
    ("--plot a.pdf", ["--plot a.pdf", ".png or .svg"]),
    ("--csv a --parquet a", ["--parquet a", "the same file as --csv"]),
    ("--csv nowhere/a.csv", ["--csv nowhere/a.csv", "cannot be written"]),
    ("--parquet -", ["--parquet -", "must be a file"]),
    ("missing.toml", ["missing.toml", "cannot be read"]),
])
def test_refuses(swept, tmp_path, arguments, words):
    result = swept(*arguments.split())
    assert result.exit_code == 2 and result.stdout == ""
    assert all(word in result.stderr for word in words), result.stderr
    assert list(tmp_path.iterdir()) == []


def test_scheduler_that_is_not_there(swept, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("sata_recorder.lab.sweep.cluster._CONNECT_SECONDS", 0.5)
    with contextlib.closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        result = swept("--size", "8", "--scheduler", address)
    assert result.exit_code == 1 and result.stderr.count("\n") == 1
    assert f"--scheduler {address}: cannot be reached" in result.stderr


@pytest.mark.wide
def test_each_command_has_its_pause_in_the_rate(swept):
    """256 sectors take 445.5 us and the pause 1600, however few commands are run."""
    result = swept("--command-sizes", "256", "--turnarounds-us", "1600", "--csv", "a.csv")
    row, = polars.read_csv("a.csv", schema=COLUMNS).to_dicts()
    assert row["bytes_per_second"] > 69e6
    assert row["steady_bytes_per_second"] == pytest.approx(64.07e6, rel=1e-3)
    assert re.search(r" 64\.0[78] +21\.57 ", result.stdout)


@pytest.mark.wide
def test_a_cell_that_ends_before_the_first_stall_is_marked(swept):
    """No word of so few was lost, at a rate that the drive does not sustain."""
    result = swept("--drives", "ideal,vertex-plus", "--rates", "125MB/s", "--fifo-words", "4096",
                   "--command-sizes", "2048", "--size", "1MiB", "--csv", "a.csv")
    assert result.exit_code == 0
    ideal, vertex = result.stdout.splitlines()[1:3]
    assert ideal.startswith("ideal") and "125.00 " in ideal and "*" not in ideal
    assert vertex.startswith("vertex-plus") and "125.00*" in vertex
    assert "*: of so few bytes only; a longer recording may be slower or lose words" in result.stdout
    rows = polars.read_csv("a.csv").to_dicts()
    assert [row["lost"] for row in rows] == [0, 0]
    assert rows[0]["caveats"] is None
    assert "above the" in rows[1]["caveats"] and "before the drive's first stall" in \
        rows[1]["caveats"]


@pytest.mark.wide
def test_a_rate_that_the_gaps_between_commands_do_not_permit_is_marked(swept, tmp_path):
    """The medium alone would take it; the FIFO hides that the drive does not."""
    (tmp_path / "even.toml").write_text((FOLDER / "x25-e.toml").read_text().replace("[write]", "[write]\nstalls = []"))
    result = swept("--drives", "even.toml", "--rates", "100MB/s,213.4MB/s", "--fifo-words", "65536",
                   "--command-sizes", "2048", "--size", "1MiB", "--csv", "a.csv")
    assert result.exit_code == 0
    good, limited = result.stdout.splitlines()[1:3]
    assert "*" not in good and "*" in limited
    rows = polars.read_csv("a.csv").to_dicts()
    assert [row["lost"] for row in rows] == [0, 0] and rows[0]["caveats"] is None
    assert "213.4 MB/s is above the 201.86 MB/s that the drive even sustains" in rows[1]["caveats"]


@pytest.mark.quick
def test_an_unknown_rate_is_refused(swept):
    result = swept("--drives", "ideal,mx500 1tb")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert "mx500-1tb: its rate of writing is unknown" in result.stderr and "--template" in result.stderr


@pytest.mark.quick
def test_without_dask(swept, monkeypatch):
    monkeypatch.setitem(extras.EXTRAS, "cluster", {"no_such_module": "none"})
    result = swept("--size", "8", "--scheduler", "tcp://127.0.0.1:8786")
    assert result.exit_code == 2 and "the extra `cluster`" in result.stderr


@pytest.mark.wide
def test_cluster(swept, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=None) as cluster:
        result = swept(*FOUR, "--csv", "a.csv", "--scheduler", cluster.scheduler_address)
    assert result.exit_code == 0, result.output
    assert "4 cells, none failed" in result.stdout
    _check_rows(polars.read_csv("a.csv", schema=COLUMNS))

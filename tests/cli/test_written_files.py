"""Every verb leaves files of somebody else alone, and knows its own again by what is in them."""

import contextlib
import os

import pytest

from sata_recorder.lab.campaign import FaultPlan

pytestmark = pytest.mark.wide

VERBS = {
    "verilog": (["verilog", "--control", "axi-lite", "--no-recovery", "--no-journal", "--no-ledger"],
                {"-o": "a.v", "--json": "a.json", "--svd": "a.svd", "--header": "a.h"}),
    "sweep": (["sweep", "--size", 8, "--command-sizes", "4,8"],
              {"--csv": "a.csv", "--parquet": "a.parquet", "--plot": "a.svg"}),
    "sweep-png": (["sweep", "--size", 8, "--command-sizes", "4,8"], {"--plot": "a.png"}),
    "plan": (["plan", "--rate", "100MB/s", "--for", "5min", "--drive", "vertex-plus",
              "--no-check"], {"--json": "a.json"}),
    "reproduce": (["reproduce"], {"--json": "a.json"}),
}
PLAN = FaultPlan(core="stop", seed=7, steps=[{"operation": "record"}])


@pytest.fixture(params=VERBS)
def verb(request):
    arguments, files = VERBS[request.param]
    return [*arguments, *(word for pair in files.items() for word in pair)], files


def without_mark(path):
    path.write_bytes(path.read_bytes())
    with contextlib.suppress(OSError, AttributeError):
        os.removexattr(path, "user.sata_recorder")


@pytest.mark.sample(6)
def test_written_again(run, tmp_path, verb):
    arguments, files = verb
    for _ in range(2):
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        for name in files.values():
            without_mark(tmp_path / name)


@pytest.mark.sample(2)
def test_a_file_of_somebody_else(run, tmp_path, verb):
    arguments, files = verb
    for _option, name in files.items():
        (tmp_path / name).write_text("mine\n")
        result = run(*arguments)
        assert result.exit_code == 2, result.output
        assert name in result.output and "--overwrite permits" in result.output
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).read_text() == "mine\n"
        (tmp_path / name).unlink()
    for name in files.values():
        (tmp_path / name).write_text("mine\n")
    assert run(*arguments, "--overwrite").exit_code == 0
    assert all((tmp_path / name).read_bytes() != b"mine\n" for name in files.values())


@pytest.mark.quick
def test_pictures_of_somebody_else(run, tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "5-1.svg").write_text("mine\n")
    result = run("reproduce", "5-1", "--loops", 1, "--plot", "pictures")
    assert result.exit_code == 2 and "5-1.svg" in result.stderr, result.output
    assert (tmp_path / "pictures" / "5-1.svg").read_text() == "mine\n"


def test_kept_runs_of_somebody_else(run, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "seed-4.json").write_text("mine\n")
    result = run("campaign", "--runs", 1, "--seed", 4, "--cores", "stop", "--keep", "kept")
    assert result.exit_code == 2 and "seed-4.json" in result.stderr, result.output
    (kept / "seed-4.json").write_text(PLAN.text())
    without_mark(kept / "seed-4.json")
    result = run("campaign", "--runs", 1, "--seed", 4, "--cores", "stop", "--keep", "kept")
    assert result.exit_code == 0

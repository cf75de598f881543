"""`sata-recorder reproduce`: the list, refusals, and a small portion from end to end."""

import json

import pytest
from click.testing import CliRunner

from sata_recorder.cli.reproduce import reproduce
from sata_recorder.lab.studies import table_names, whole


@pytest.fixture
def run(tmp_path, monkeypatch):
    """`run(...)`: the verb alone, with a cache of results of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sata_recorder.lab.measurement.store.Store.__init__.__defaults__",
                        (tmp_path / "results",))

    def run(*arguments):
        result = CliRunner(env={"COLUMNS": "80"}).invoke(reproduce, list(map(str, arguments)))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result
    return run


def test_alone_it_lists_the_tables(run):
    result = run()
    assert result.exit_code == 0
    for name in table_names():
        assert f"\n{name} " in "\n" + result.output
    assert max(map(len, result.output.splitlines())) <= 80


@pytest.mark.parametrize("arguments, words", [
    ("5-3", ["5-3", "no such table", "5-1, 5-2"]),
    ("all 5-1", ["all", "together"]),
    ("5-1 --loops 0", ["--loops 0", "1 to 955"]),
    ("5-1 --loops 956", ["--loops 956", "1 to 955"]),
    ("5-1 --loops 2 --full", ["--loops 2", "--full"]),
    ("5-1 --jobs 0", ["--jobs 0", "1 to 256"]),
    ("5-1 --fit --full", ["--full", "--fit"]),
    ("5-1 --fit --loops 2", ["--loops", "--fit"]),
    ("5-1 --fit --plot x", ["--plot", "--fit"]),
    ("5-1 --fit --fresh", ["--fresh", "--fit"]),
    ("--fresh", ["TABLE", "missing"]),
    ("--full", ["TABLE", "missing"]),
    ("--fit", ["TABLE", "missing"]),
    ("5-1 --json nowhere/a.json", ["--json nowhere/a.json", "cannot be written"]),
    ("5-1 --json .", ["--json .", "cannot be written"]),
    ("5-1 --json /proc/a.json", ["--json /proc/a.json", "cannot be written"]),
    ("5-1 --plot file", ["--plot file", "no folder"]),
    ("5-1 --plot file/pictures", ["--plot file/pictures", "cannot be written"]),
    ("5-1 --plot /proc/pictures", ["--plot /proc/pictures", "cannot be written"]),
])
def test_mistakes_are_refused_in_one_line(run, tmp_path, arguments, words):
    (tmp_path / "file").write_text("")
    result = run(*arguments.split())
    assert result.exit_code == 2
    line, = result.stderr.splitlines()
    for word in words:
        assert word in line
    assert result.stdout == ""


@pytest.mark.wide
def test_a_small_portion_from_end_to_end(run, tmp_path, monkeypatch):
    monkeypatch.setattr(whole, "_LOOP", 1024)
    result = run("7-1", "--loops", 1, "--json", "out.json", "--plot", "pictures")
    assert result.exit_code == 0, result.output
    assert "1,024 of 62,586,880 sectors" in result.output
    assert "not run" in result.output
    data = json.loads((tmp_path / "out.json").read_text())["reproductions"][0]
    cells = {(cell["row"], cell["mark"]): cell for cell in data["cells"]}
    read = cells["Transcend, read", "rests on an assumption"]
    assert read["published"] == 147
    assert 140 < read["simulated"] < 150
    assert cells["Transcend, write", "not run"]["simulated"] is None
    assert data["source"]["publisher"] == "Design Gateway"
    assert sorted(path.name for path in (tmp_path / "pictures").iterdir()) == [
        "7-1.png", "7-1.svg"]
    again = run("7-1", "--loops", 1, "--json", "-")
    assert json.loads(again.stdout)["reproductions"][0] == data


@pytest.mark.wide
def test_a_table_without_curves_has_a_picture_too(run, tmp_path):
    assert run("bit-errors", "recorder-life", "--plot", "pictures").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "pictures").iterdir()) == [
        "bit-errors.png", "bit-errors.svg", "recorder-life.png", "recorder-life.svg"]
    assert "years until they are worn out" in (tmp_path / "pictures" / "recorder-life.svg").read_text()

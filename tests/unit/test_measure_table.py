"""The tables of docs/ that are measured: where each is declared, and what its command line accepts."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    """`benchmark(name)`: the module of that name in benchmarks/."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


@pytest.fixture
def order(benchmark, monkeypatch, capsys):
    """`order(words)`: what the command line prints, with a table of two rows instead of a measured one."""
    program, tables = benchmark("measure_table"), benchmark("tables")
    table = tables.Table("page.md", "name", (("one", 1), ("other", 2)), lambda name, n, twice=False: (
        name, n * (1 + twice)), lambda rows: tables.markdown(("", "n"), rows),
        options={"twice": {"action": "store_true"}})

    def order(words, declared=True):
        if declared:
            monkeypatch.setattr(program, "chosen", lambda words: table)
        monkeypatch.setattr(sys, "argv", ["measure_table.py", *words.split()])
        program.main()
        return capsys.readouterr().out

    return order


def test_each_table_is_found(benchmark):
    """In the file that declares it; its page has the markers, and so has each other one of its pages."""
    tables, chosen = benchmark("tables"), benchmark("measure_table").chosen
    found = benchmark("sources").declared()
    assert len(found) > 10
    for key in found:
        table = chosen(key.split())
        for page in table.page, *table.also:
            assert tables.replaced((tables.DOCS / page).read_text(), table.name, "") is not None, key
        assert table.rows and all(isinstance(row[0], str) for row in table.rows), key


def test_sources_of_a_table(benchmark):
    """They begin where it is declared, and not at what measures any table."""
    sources = benchmark("sources")
    for line in "benchmarks/measure_table.py recovery.md flush --markdown", "python benchmarks/prices.py":
        assert sources.entries(line) == {FOLDER / "prices.py"}
    assert sources.entries("make area") == {FOLDER / "areas.py"}
    with pytest.raises(LookupError, match="no program of this repository"):
        sources.entries(".venv/bin/python benchmarks/measure_table.py gone.md gone")


def test_rows_and_options(order):
    head = "|  | n |\n| --- | ---: |\n"
    assert order("page.md name") == f"{head}| one | 1 |\n| other | 2 |\n\n"
    assert order("page.md name --only oth --twice") == f"{head}| other | 4 |\n\n"


@pytest.mark.parametrize("words, declared, told", [
    ("", False, "there are:\n  area.md area\n"), ("area.md gone", False, "there are:\n  area.md area\n"),
    ("page.md name --only x", True, "page.md name: no row with 'x'; they are:\n  one\n  other")])
def test_mistakes(order, words, declared, told):
    with pytest.raises(SystemExit, match=told):
        order(words, declared)


def test_a_part_is_not_written(order, capsys):
    with pytest.raises(SystemExit):
        order("page.md name --only one --markdown")
    assert "--markdown writes the whole table" in capsys.readouterr().err


def test_help_lists_the_tables(order):
    assert "  what-limits.md alignment\n" in order("--help", False)


def test_notes_of_areas(benchmark):
    """Differences and sentences are there with the rows that they are about."""
    areas = benchmark("areas")

    def entry(name, lut4, *fmax):
        return {"name": name, "lut4": lut4, "carry": 1, "ff": 2, "lutram": 3, "bram": 4, "fmax": fmax,
                "seeds": [*range(1, len(fmax) + 1)]}

    host = [entry(name, 10, 90.4, 80.6) for name in ("link", "transport", "command")]
    layers, capabilities = areas.TABLES[:2]
    assert layers.text(host).endswith("together: 30 LUT4, 3 carry pairs, 6 FF, 9 distributed RAMs, each layer "
                                      "alone at 81 MHz or more.")
    assert "| link | 10 | 1 | 2 | 3 | 4 | 81 | 86 | 90 |\n" in layers.text(host[:1] + [entry("core", 9)])
    assert "| core | 9 | 1 | 2 | 3 | 4 | - | - | - |\n" in layers.text(host[:1] + [entry("core", 9)])
    assert layers.text([entry("link", 1)]).splitlines()[2] == "|  | LUT4 | carry | FF | LUT RAM | BRAM |"
    rows = [entry(name, lut4) for name, lut4 in (("the default", 10), ("with more", 12))]
    assert "| with more | 12 | +2 | 1 | 2 | +0 | 3 | 4 | - |\n" in capabilities.text(rows)
    assert "| with more | 12 |  | 1 | 2 |  | 3 | 4 | - |\n" in capabilities.text(rows[1:])

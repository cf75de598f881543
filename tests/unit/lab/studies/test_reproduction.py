"""From results to cells: prefixes of a run, what was not run, marks; fits; rendering."""

import io
from dataclasses import replace

import pytest
from unit.lab.studies.computed_results import computed, performed
from rich.console import Console

from sata_recorder.lab.studies import (NotConverged, Portion, fit, load_table, planned, render,
                                   render_fits, reproduce, reproduction, table_names)
from sata_recorder.lab.studies import firmware_loops, overheads
from sata_recorder.lab.studies.fit import secant
from sata_recorder.lab.studies.parameters import changed
from sata_recorder.lab.studies.runs import RunFigures
from sata_drive_model import ProfileError
from sata_drive_model.medium import profile as profiles


@pytest.fixture
def reproduced(monkeypatch):
    """`reproduced(name, ...)`: the table from computed results."""
    monkeypatch.setattr(reproduction, "perform", performed)

    def reproduced(name, **portion):
        return reproduce([name], Portion(**portion), store=None, processes=1)[0]
    return reproduced


def shown(found, width=80):
    console = Console(file=io.StringIO(), width=width)
    render(console, found)
    return console.file.getvalue()


def test_what_was_not_run_stays_empty(reproduced):
    cells = {(cell.row, cell.column): cell for cell in reproduced("5-1", chosen=4).cells}
    assert cells["write", "4"].simulated is not None
    assert cells["write", "8"].simulated is None
    assert cells["write", "8"].mark == "not run"
    assert cells["write", "8"].difference is None
    assert cells["write", "1"].mark == "fitted"
    assert cells["write", "2"].mark == "follows from the fit"


def test_a_portion_between_two_columns_is_a_line_of_its_own(reproduced):
    cells = {(cell.row, cell.column): cell for cell in reproduced("6-1", chosen=3).cells}
    assert cells["write, firmware", "3 of 512"].simulated is not None
    assert cells["write, firmware", "512"].simulated is None


def test_all_loops_leave_nothing_out(reproduced):
    found = reproduced("5-2", full=True)
    assert all(cell.simulated is not None for cell in found.cells)
    assert len(found.cells) == 22
    write = [cell for cell in found.cells if cell.row == "write"]
    assert write[-1].column == "mean"
    assert write[-1].simulated == pytest.approx(sum(c.simulated for c in write[:-1]) / 10)


def test_fewer_loops_are_the_beginning_of_a_run():
    table = load_table("5-1")
    runs = {loops: planned(table, Portion(loops))[0]["write"] for loops in (2, 8)}
    long, short = (RunFigures(computed(runs[loops])) for loops in (8, 2))
    assert long.until(2) == pytest.approx(short.seconds)
    assert long.until(8) == pytest.approx(long.seconds)
    assert sum(long.blocks()) == pytest.approx(long.seconds)


@pytest.mark.parametrize("name", table_names())
def test_every_table_renders_in_80_and_120_columns(reproduced, name):
    found = reproduced(name)
    for width in (80, 120):
        text = shown(found, width)
        assert max(map(len, text.splitlines())) <= width
        assert found.table.source.publisher in text.replace("\n", " ")
        assert any(word in text for word in ("predicted", "fitted", "follows from the fit", "rests on an assumption"))
    data = found.as_data()
    assert data["table"] == name
    assert len(data["cells"]) == len(found.cells)


def test_a_prediction_that_is_off_has_its_reason(reproduced):
    found = reproduced("5-1", full=True)
    off = [cell for cell in found.cells if cell.off]
    assert off and all(cell.reason for cell in off)
    assert "follows from the fit [1]" in shown(found)
    assert not any(cell.off for cell in found.cells if cell.fitted)


def test_what_follows_from_a_fit_is_no_prediction(reproduced):
    found = reproduced("drives-for-rate")
    marks = {cell.row.rpartition(", ")[2]: cell.mark for cell in found.cells}
    assert marks == {"first": "fitted", "sustained": "fitted", "drives": "follows from the fit"}
    assert "follows from the fit" in shown(found)
    data = {cell["row"]: cell for cell in found.as_data()["cells"]}
    assert data["970 Pro 512 GB, drives"]["follows_from"] == "970 Pro 512 GB, sustained"
    marks = {cell.row: cell.mark for cell in reproduced("block-times").cells}
    assert marks["Vertex Plus, write, mean"] == "follows from the fit"


def test_loops_follow_from_the_first_one_and_the_overhead():
    for name in "5-1", "5-2", "6-1":
        for row in load_table(name).rows:
            assert len(row.follows) == 2 and row.follows[1].startswith("6-2: ")
    assert any("5-2 for 512 loops again" in note for note in load_table("6-1").notes)
    assert any("ASSUMPTION" in note for note in load_table("6-2").notes)


def test_what_rests_on_a_choice_is_no_prediction(reproduced):
    marks = {cell.row: cell.mark for cell in reproduced("7-1").cells if cell.simulated is not None}
    assert marks["Transcend, read"] == marks["Buffalo, read"] == "rests on an assumption"
    assert marks["write, 1600 us overhead"] == "predicted"


@pytest.mark.parametrize("name, words", [
    ("5-1", "free predictions: none"), ("6-1", "free predictions: none"),
    ("7-1", "free predictions: write, 1600 us overhead"),
    ("speed-by-sector", "free predictions: Vertex Plus, read")])
def test_free_predictions_are_named(reproduced, name, words):
    assert words in shown(reproduced(name))


def test_the_share_of_the_overhead_is_that_of_each_command():
    """Two commands have one overhead between them: half of the time of both would be half of it."""
    table = load_table("6-2")
    runs = overheads.plan_own(table, Portion(), profiles.load)
    (_, _, rows), _ = overheads.result_own(runs, performed(runs.values()))
    shares = {row[0]: row[-1] for row in rows}
    run = runs["ideal", 48, 1600.0, "write"]
    seconds = 512 * 65536 / (150e6 * run.generation)
    assert shares["ideal, 48-bit, 1600 us, write"] == pytest.approx(
        100 * 1600e-6 / (seconds + 1600e-6), rel=1e-3)


def test_problems_of_a_run_are_told_and_its_cells_left_out(monkeypatch):
    monkeypatch.setattr(reproduction, "perform", lambda runs, **_: {
        run: computed(run, problems=["the ledgers disagree"]) for run in runs})
    found, = reproduce(["5-1"], Portion(1), store=None, processes=1)
    assert found.problems == ["write: the ledgers disagree", "read: the ledgers disagree"]
    assert not found.cells
    assert "wrong" in shown(found)


def test_problems_are_no_markup(monkeypatch):
    problem = "[/dev/sdb] [bold]is :smile: off[/]"
    monkeypatch.setattr(reproduction, "perform", lambda runs, **_: {
        run: computed(run, problems=[problem]) for run in runs})
    found, = reproduce(["5-1"], Portion(1), store=None, processes=1)
    assert f"wrong  write: {problem}" in shown(found)


@pytest.fixture
def with_processors(monkeypatch):
    """As on a machine that has processors and compiler: these results are computed."""
    monkeypatch.setattr(firmware_loops, "unavailable", lambda: None)


def test_measured_beside_fitted(reproduced, with_processors):
    cells = {(cell.row, cell.column): cell for cell in reproduced("6-2").cells}
    # 449.36 us of the drive, 300 clocks of the processor and 150 of the core, all at 75 MHz.
    assert cells["write", "firmware"].measured == pytest.approx(449.36 + 6, abs=0.02)
    assert cells["read", "firmware"].measured == pytest.approx(0.52 + 6, abs=0.02)
    assert cells["write", "state machine"].measured is None
    assert cells["write", "firmware"].mark == "fitted"
    loops = {(cell.row, cell.column): cell for cell in reproduced("6-1", chosen=4).cells}
    assert loops["write, firmware", "4 of 512"].measured > \
        loops["write, firmware", "4 of 512"].simulated
    assert loops["write, firmware", "512"].measured is None
    assert loops["write, state machine", "4 of 512"].measured is None


def test_the_clock_that_would_explain_it(reproduced, with_processors):
    found = reproduced("6-2")
    texts = [text for text in found.explained if "picorv32" in text]
    assert len(found.explained) == 6 and len(texts) == 2
    # 300 clocks in what is left of 1600 us, and more than 3 us at any clock? 2.52 us: no.
    assert "1,144.6 us less" in texts[0] and "a clock of 0.261 MHz" in texts[0]
    assert "300 clocks a command" in texts[0]
    assert "3.5 us more" in texts[1] and "a clock of 625 MHz" in texts[1]
    assert "measured" in shown(found, 120)
    assert "serv at 5 MHz" in shown(found, 120)


def test_no_clock_explains_it():
    rest, ticks = firmware_loops.line({75e6: 40.0, 25e6: 50.0, 5e6: 90.0})
    assert rest == pytest.approx(40.0) and ticks == pytest.approx(250.0)


def test_without_processors(reproduced, monkeypatch):
    monkeypatch.setattr(firmware_loops, "unavailable", lambda: "needs a compiler")
    found = reproduced("6-2")
    assert found.explained == ["not measured, needs a compiler"]
    assert all(cell.measured is None for cell in found.cells)
    assert len(found.measured) == 1
    assert reproduced("5-1").explained == []


def test_runs_shared_by_two_tables_are_done_once(monkeypatch):
    seen = []
    monkeypatch.setattr(reproduction, "perform", lambda runs, **_: seen.extend(runs) or performed(runs))
    monkeypatch.setattr(firmware_loops, "unavailable", lambda: "needs a compiler")
    reproduce(["5-2", "6-1"], Portion(2), store=None, processes=1)
    assert len(seen) == 6
    assert len(set(seen)) == 4


@pytest.mark.parametrize("function, start, target", [
    (lambda x: x, 3.0, 3.0),
    (lambda x: 1 / (1 / x + 0.001), 200.0, 217.04),
    (lambda x: x + 37.0, 0.0, 450.0),
    (lambda x: 33.5 / (x + 0.2), 0.1, 91.0),
])
def test_the_secant_finds_the_value(function, start, target):
    found, gives, calls = secant(function, start, target)
    assert gives == function(found)
    assert abs(gives - target) <= fit.NEAR * target
    assert calls <= 8


def test_a_figure_that_moves_in_steps_comes_as_near_as_it_can():
    def clocks(x):      # three at once
        return (3 * round(25 * x) + 50) / 75

    found, gives, _ = secant(clocks, 449.36, 450.0, step=0.04)
    assert gives == clocks(found) and abs(gives - 450.0) == min(
        abs(clocks(x / 100) - 450.0) for x in range(44_900, 45_000))
    with pytest.raises(NotConverged):
        secant(clocks, 449.36, 450.0)


def test_a_parameter_without_influence_is_told():
    with pytest.raises(NotConverged, match="no influence"):
        secant(lambda x: 5.0, 1.0, 6.0)


def test_a_value_out_of_reach_is_told():
    with pytest.raises(NotConverged):
        secant(lambda x: min(x, 100.0), 99.0, 200.0)


def test_fits_give_the_published_figures(monkeypatch):
    monkeypatch.setattr(fit, "perform", performed)
    found = list(fit.fits(["5-2", "6-2"], store=None, processes=1))
    assert [(one.table, one.parameter) for one in found] == [
        ("6-2", "write.command_us"), ("6-2", "read.command_us"),
        ("5-2", "write.mb_per_s"), ("5-2", "read.mb_per_s")]
    for one in found:
        assert one.gives == pytest.approx(one.target, rel=1e-3)
    # The latency that was found first is in the time of the loop.
    write = found[2]
    assert 1 / write.found == pytest.approx(1 / 157.39 - 450e-6 / 33.554432, rel=1e-4)
    console = Console(file=io.StringIO(), width=80)
    render_fits(console, found)
    assert "write.mb_per_s" in console.file.getvalue()


def test_a_profile_with_other_values():
    profile = profiles.load("hds721050cla362")
    other = changed(profile, {"write.zones.0.1": 99.0, "write.access_us": 1.0})
    assert other.write.zones[0] == (0.0, 99.0)
    assert other.write.zones[1:] == profile.write.zones[1:]
    assert other.write.access_us == 1.0
    with pytest.raises(ProfileError, match="write.access_us"):
        changed(profile, {"write.access_us": -1.0})


def test_the_steady_rate_of_a_run_whose_commands_are_thinned():
    """Of every three commands one is told, whichever was the slowest."""
    result = computed(planned(load_table("5-1"), Portion(20))[0]["write"])
    whole = RunFigures(result).steady
    detail = result["transfers"][0]["commands_detail"]
    detail["thinned"] = 3
    chosen = [0, 5, 6, 11, 12, 15, 18]
    for name in ("start", "clocks", "lba"):
        detail[name] = [detail[name][number] for number in chosen]
    assert RunFigures(result).steady == pytest.approx(whole, rel=1e-6)


def test_what_only_names_a_drive_does_not_make_another_run():
    run = planned(load_table("5-1"), Portion(1))[0]["write"]
    def other(values):
        return replace(run, profile=changed(run.profile, values))

    assert other({"notes": "other"}) == run
    assert other({"write.mb_per_s": 100.0}) != run


@pytest.mark.parametrize("name", ["5-1", "6-1", "6-2", "7-1", "block-times", "drives-for-rate", "speed-by-sector"])
def test_words_are_whole_in_80_columns(reproduced, name):
    """Names of rows break between words, not within."""
    found = reproduced(name, chosen=1)
    lines = shown(found).splitlines()
    assert max(map(len, lines)) <= 80
    words = {word for line in lines for word in line.split()}
    assert {word for cell in found.cells for word in f"{cell.row} {cell.mark}".split()} <= words

"""Published figures of media: each row has a model, and what firmware does not decide comes out."""

import pytest

from sata_recorder.lab.studies import Portion, load_table, media, planned, table_names
from sata_recorder.lab.studies.media import FIGURES, MediumRun, result

TABLES = [load_table(name) for name in table_names()]


def test_each_figure_stands_in_a_table():
    named = {row.model for table in TABLES for row in table.rows if row.model}
    # Caps that were not reached give the same figure as the chips.
    assert set(FIGURES) - named == {"970-evo-plus entered"}


@pytest.mark.sample(3)
@pytest.mark.parametrize("figure, published, within", [
    ("wd20ears difference", 1e3 / 64 - 1e3 / 278, 0.05), ("crossing 16", 4 / 5, 0.01), ("crossing 32", 8 / 9, 0.01),
    ("crossing 64", 16 / 17, 0.01), ("hds721050cla362 read half", 130 * 0.625 ** 0.5, 0.02),
    ("momentus-xt-500gb 4", 5.23, 0.03), ("hours 52", 500, 0.05), ("bit errors", 5.61, 0.01)])
def test_what_is_compared(figure, published, within):
    found = MediumRun(figure).perform(lambda share: None)
    assert found == {"value": pytest.approx(published, rel=within), "problems": []}


def test_a_table_again():
    table = load_table("bit-errors")
    runs, own = planned(table, Portion())
    assert own == {}
    results = {run: run.perform(lambda share: None) for run in runs.values()}
    cells = result(table, Portion(), runs, results).cells
    assert [round(cell.simulated, 2) for cell in cells] == [5.61, 7, 9]
    assert {cell.mark for cell in cells} == {"rests on an assumption"}


def test_a_result_is_kept_for_one_way_to_ask(monkeypatch):
    run = MediumRun("exponent")
    before = run.key()
    assert before == MediumRun("exponent").key() != MediumRun("hours 52").key()
    monkeypatch.setattr(media, "_SOURCE", "another")
    assert run.key() != before

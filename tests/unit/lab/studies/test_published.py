"""The published figures: complete, consistent with what their sources say about them."""

import re

import pytest
from pydantic import ValidationError

from sata_drive_model.medium import profile as profiles
from sata_recorder.lab.studies import arithmetic, media
from sata_recorder.lab.studies.parameters import value
from sata_recorder.lab.studies.published import Table, load_table, table_names

TABLES = [load_table(name) for name in table_names()]
by_name = pytest.mark.parametrize("table", TABLES, ids=table_names())


@by_name
def test_every_table_has_its_source(table):
    assert table.source.publisher and table.source.title and table.source.place
    assert str(table.source).startswith(table.source.publisher)


@by_name
def test_a_mean_column_is_the_mean_of_its_row(table):
    for row in table.rows:
        if row.mean is not None:
            assert round(sum(row.values) / len(row.values), 2) == row.mean


@by_name
def test_profiles_and_fitted_parameters_exist(table):
    for row in table.rows:
        if row.model:
            assert row.model in media.FIGURES
            continue
        profile = profiles.load(row.profile)
        for parameter in row.fitted.values():
            if "." in parameter:
                assert value(profile, parameter) is not None


@by_name
def test_a_row_has_predictions_or_says_what_was_fitted(table):
    for row in table.rows:
        assert set(row.fitted) <= set(table.columns)


@by_name
def test_what_follows_from_a_fit_follows_from_fitted_rows(table):
    for row in table.rows:
        for place in row.follows:
            name, colon, label = place.rpartition(": ")
            assert (load_table(name) if colon else table).row(label).fitted


def test_the_published_loops():
    write = load_table("5-1").row("write")
    assert len(write.values) == 10
    assert (write.values[0], write.values[-1], write.mean) == (217.04, 209.73, 213.32)
    assert load_table("5-2").row("read").values[7] == 217.64


def test_the_pause_of_the_firmware_is_the_difference_of_the_overheads():
    assert arithmetic.pauses("record") == 1150
    assert arithmetic.pauses("play") == 2


@pytest.mark.parametrize("name, numbers", [
    ("5-1", ["154.60", "159.99", "5.39", "1.150", "96.5 %"]),
    ("5-2", ["213.19", "217.45", "4.26"]),
    ("6-1", ["7.64 ms apart", "15.0 %"]),
    ("6-2", ["213.3 ms", "223.7 ms", "0.7153 %"]),
    ("7-1", ["1440 us", "882 us", "558 us", "1600 us", "99.0 %"]),
    ("block-times", ["108.2 MB/s", "134.2", "83.9", "167.8 MB"]),
    ("drives-for-rate", ["8 and 10", "5 and 8", "2500 MB/s a drive, a reserve of 28 %"]),
])
def test_the_arithmetic_of_the_published_figures(name, numbers):
    text = " ".join(arithmetic.of(load_table(name)))
    for number in numbers:
        assert re.search(rf"(?<![\d.]){re.escape(number)}", text), number


@pytest.mark.parametrize("change, words", [
    ({"columns": ("1",)}, "10 values for 1 columns"),
    ({"rows": [{**load_table("5-1").rows[0].model_dump(), "fitted": {"1": "a"}},
               load_table("5-1").rows[0].model_dump()]}, "the same label"),
    ({"kind": "other"}, "kind"),
])
def test_a_table_that_is_not_whole_is_refused(change, words):
    with pytest.raises(ValidationError, match=words):
        Table(**(load_table("5-1").model_dump() | change))


def test_a_value_that_is_not_given_cannot_be_fitted_to():
    data = load_table("speed-by-sector").model_dump()
    data["rows"][0]["fitted"] = {"1/2": "write.mb_per_s"}
    with pytest.raises(ValidationError, match="which is not given"):
        Table(**data)


def test_an_unknown_table():
    with pytest.raises(KeyError):
        load_table("8-1")

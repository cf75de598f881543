"""Pictures as files: which there are, that they are sound, that they are always the same."""

import math
from xml.etree import ElementTree

import pytest
from unit.report.report_data import result, transfer
from PIL import Image
from short import short

from sata_recorder.report import Curves, curves, plots
from sata_recorder.report.intervals import Intervals
from sata_recorder.simulation import ACCOUNTS

ALL = ["ledger", "throughput", "buffer", "commands", "overhead"]
COURSE = ALL[:3]


def sound(path):
    if path.suffix == ".png":
        with Image.open(path) as picture:
            picture.load()
            assert min(picture.size) > 200
            assert len(picture.convert("RGB").getcolors(1 << 24)) > 10
    else:
        root = ElementTree.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.iter("{http://www.w3.org/2000/svg}path")


@pytest.mark.sample(6)
@pytest.mark.parametrize("given, names", short([
    ({}, ALL),
    ({"sensor": True, "hold": 300}, ALL),
    ({"commands": 1}, COURSE),
    ({"commands": 1, "sectors": 1, "samples": 1}, COURSE),
    ({"commands": 2}, ALL),
    ({"commands": 0, "error": "TIMEOUT"}, []),
    ({"samples": 0}, ["commands", "overhead"]),
    ({"samples": 10000}, ALL),
    ({"commands": 20000, "sectors": 8, "stall": (100, 9_000_000)}, ALL),
    ({"stall": (1, 400)}, ALL),
], [
    ({"commands": 1, "sectors": 1, "samples": 1}, COURSE),
    ({"commands": 0, "error": "TIMEOUT"}, []),
    ({"samples": 0}, ["commands", "overhead"]),
    ({"commands": 20000, "sectors": 8, "stall": (100, 9_000_000)}, ALL),
]))
def test_write(tmp_path, given, names):
    paths = plots.write(result(transfer(**given)), tmp_path / "new" / "folder")
    assert [path.name for path in paths] == [f"record-{name}.{form}" for name in names
                                             for form in ("png", "svg")]
    for path in paths:
        sound(path)


@pytest.mark.wide
def test_both_transfers_and_one_format(tmp_path):
    paths = plots.write(result(transfer(), transfer("play")), tmp_path, formats=("svg",))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"{operation}-{name}.svg" for operation in ("record", "play") for name in ALL)
    assert len(paths) == 10


def test_parts_that_are_missing_are_not_drawn():
    older = transfer()
    del older["timeline"], older["commands_detail"]
    assert [picture.name for picture in plots.pictures(older)] == ["overhead"]


def test_a_last_interval_that_is_too_short_is_joined():
    moved = transfer(samples=0)
    clocks = [100, 200, 300, 301]
    moved["timeline"] = {"clock": clocks, "words": [90, 180, 270, 271], "fill": [1, 2, 3, 4],
                         "backlog": [0] * 4,
                         "accounts": {account: clocks if account == "payload" else [0] * 4
                                      for account in ACCOUNTS}}
    intervals = Intervals.of(moved)
    assert (len(intervals.times), intervals.fill) == (4, [0, 1, 2, 4])
    assert intervals.shares["payload"] == [100, 100, 100]
    assert intervals.rates[-1] == pytest.approx(4 * 91 * 75e6 / 101 / 1e6)


@pytest.mark.wide
def test_recovery_is_shown_where_there_was_one(tmp_path):
    moved = transfer()
    moved["overhead"]["recovery"] = {"count": 63, "minimum": 0, "mean": 1.5, "maximum": 90,
                                     "histogram": [[0, 11, 62], [84, 90, 1]]}
    for path in plots.write(result(moved), tmp_path):
        sound(path)


@pytest.mark.long
def test_the_same_data_give_the_same_bytes(tmp_path):
    data = result(transfer(stall=(9, 200_000), sensor=True))
    one = plots.write(data, tmp_path / "one")
    other = plots.write(data, tmp_path / "other")
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


CURVES = {"measured": ([8, 64, 2048, 65536], [10, 20.5, math.nan, 290]),
          "<published> $x$ _": ([8, 2048], [11, None])}


@pytest.mark.parametrize("logx", [False, True])
def test_lines(tmp_path, logx):
    given = Curves(CURVES, "T", "sectors", "MB/s", logx=logx)
    paths = curves.lines(given, tmp_path / "curves" / "rate.2")
    assert [path.name for path in paths] == ["rate.2.png", "rate.2.svg"]
    for path in paths:
        sound(path)
    again = curves.lines(given, tmp_path / "again")
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in again]


@pytest.mark.sample(2)
@pytest.mark.parametrize("series", [{}, {"one": ([5], [7])}, {"none": ([], [])},
                                    {f"curve {n}": (range(500), range(500)) for n in range(14)},
                                    {"logarithmic": ([3, 10, 100], [1, 2, 3])}])
def test_lines_of_few_and_many(tmp_path, series):
    for path in curves.lines(Curves(series, "", "x", "y", logx="logarithmic" in series), tmp_path / "p"):
        sound(path)


@pytest.mark.parametrize("curve, logx, text", [
    (([1, 2], [3]), False, "curve 'c': 2 xs and 1 ys"),
    (([0, 2], [3, 4]), True, "curve 'c': x = 0 on a logarithmic axis"),
])
def test_lines_refuses(tmp_path, curve, logx, text):
    with pytest.raises(ValueError, match=text):
        curves.lines(Curves({"c": curve}, "", "", "", logx=logx), tmp_path / "p")
    assert not list(tmp_path.iterdir())


def test_files_say_what_is_simulated(tmp_path, monkeypatch):
    noted = []
    monkeypatch.setattr(plots, "note", lambda made, text: noted.append(text))
    data = result(transfer())
    paths = plots.write(data, tmp_path, formats=("svg",))
    assert noted == [data["simulation"]["statement"]] * len(paths)


def test_the_rate_of_many_commands_is_that_of_whole_ones():
    """Samples that cut the commands would show a rate that goes up and down."""
    moved = transfer(commands=40, samples=57)
    detail = moved["commands_detail"]
    period = 3 * detail["clocks"][0] // 2
    detail["start"] = [period * n for n in range(40)]
    detail["clocks"] = [period - 10] * 40
    intervals = Intervals.of(moved)
    assert len(intervals.rates) > 20
    assert max(intervals.rates[1:]) == pytest.approx(min(intervals.rates[1:]))


def test_shares_of_many_commands_have_several_in_each_interval():
    many, few = Intervals.of(transfer(commands=400)), Intervals.of(transfer(commands=30))
    assert 8 * (len(many.share_times) - 1) <= 400
    assert len(few.share_times) == len(few.times)

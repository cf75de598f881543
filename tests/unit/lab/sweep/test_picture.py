"""The picture of a sweep shows what was varied."""

import pytest

from sata_recorder.report import curves
from sata_recorder.lab.sweep import Plan, picture, table


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """`drawn(results, **plan)`: the fields of the curves."""
    def drawn(results, **plan):
        seen = {}

        def lines(drawing, path_stem, formats, *, overwrite):
            seen.update(vars(drawing))
            path = path_stem.with_name(f"{path_stem.name}.{formats[0]}")
            path.write_bytes(b"drawn")
            return [path]

        monkeypatch.setattr(curves, "lines", lines)
        cells = Plan.of(plan | {"size": 64}).cells()
        found = [{"error": None} | result for result in results]
        assert picture(table(cells, found), "svg") == b"drawn"
        return seen
    return drawn


def _rates(*rates):
    return [{"bytes_per_second": 1e6 * rate, "steady_bytes_per_second": None} for rate in rates]


def test_a_line_for_each_pause(drawn):
    seen = drawn([*_rates(3, 4, 5), {"error": "broken"}], command_sizes=[8, 4],
                 turnarounds_us=[0, 10])
    assert seen["series"] == {"pause 0 us": ([4, 8], [5, 3]),
                              "pause 10 us": ([4, 8], [None, 4])}
    assert seen["xlabel"] == "longest command (sectors)" and seen["logx"]
    assert seen["ylabel"] == "payload rate (MB/s)" and seen["title"] == "ideal, recording"


def test_a_line_for_each_controller(drawn):
    seen = drawn(_rates(1, 2, 3), controllers=["hardwired", "serv@25e6"], turnarounds_us=[0, 10],
                 command_sizes=[8])
    assert seen["xlabel"] == "turn-around (us)"
    seen = drawn(_rates(1, 2, 3, 4, 5, 6), controllers=["hardwired", "serv@25e6"],
                 turnarounds_us=[0, 10], command_sizes=[8, 16])
    assert seen["series"] == {"pause 0 us, hardwired": ([8, 16], [1, 4]),
                              "serv at 25 MHz": ([8, 16], [2, 5]),
                              "pause 10 us, hardwired": ([8, 16], [3, 6])}


def test_over_the_pause(drawn):
    seen = drawn(_rates(3, 4), turnarounds_us=[0, 10], command_sizes=[8])
    assert seen["series"] == {"ideal": ([0, 10], [3, 4])} and not seen["logx"]
    assert seen["levels"] == {"ceiling of generation 2: 297.08 MB/s":
                              pytest.approx(297.08, abs=0.01)}


@pytest.mark.parametrize("plan, ylabel, ys", [
    ({"fifo_words": 8}, "words lost (%)", [0, 25]),
    ({}, "most words that waited", [5, 9]),
])
def test_over_the_input_rate(drawn, plan, ylabel, ys):
    results = [{"arrived": 100, "lost": 0, "backlog_high": 5},
               {"arrived": 100, "lost": 25, "backlog_high": 9}]
    seen = drawn(results, rates=["1MB/s", "2MB/s"], **plan)
    (xs, found), = seen["series"].values()
    assert xs == pytest.approx([1, 2]) and found == ys and seen["ylabel"] == ylabel

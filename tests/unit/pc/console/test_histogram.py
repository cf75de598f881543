"""Answers of histograms, and their rows for people."""

from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.histogram import histogram_rows


def test_answer():
    told = Answer(("histogram stalls", "bin-0 0", "bin-7 12", "bin-31 1"), None).fields()
    assert told == {"histogram": "stalls", "bins": {7: 12, 31: 1}}


def test_rows():
    """Bin n begins at 2^n clocks: with 100 MHz bin 7 at 1.28 us, bin 27 at 1.34 s."""
    rows = list(histogram_rows({7: 80, 8: 1, 27: 2, 2: 1}, 100e6))
    assert rows == [
        ("40 ns to 80 ns", "1", "#"), ("...", "0", ""),
        ("1.28 us to 2.56 us", "80", "#" * 40), ("2.56 us to 5.12 us", "1", "#"), ("...", "0", ""),
        ("1.34 s to 2.68 s", "2", "#")]


def test_the_last_bin_has_what_takes_longer_too():
    assert list(histogram_rows({31: 1}, 75e6)) == [("28.6 s or more", "1", "#" * 40)]


def test_a_spoilt_answer():
    assert Answer(("histogr?m stalls", "bin-7 12"), None).fields()["bins"] == {7: 12}


def test_no_rows():
    assert list(histogram_rows({}, 75e6)) == [("no time", "0", "has been counted")]

"""Rates and sizes are read as they are meant, or refused in one line."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sata_recorder.lab.measurement import format_rate, parse_frequency, parse_rate, parse_size, words_per_clock


@pytest.mark.parametrize("text, rate", [
    ("100MB/s", 10 ** 8), ("100 MB/s", 10 ** 8), (" 1.5GB/s ", 1.5e9), ("800kB/s", 800_000),
    ("1MiB/s", 1 << 20), ("2KiB/s", 2048), ("1GiB/s", 1 << 30), ("512B/s", 512), (".5MB/s", 5e5),
    ("1.28Gbit/s", 16e7), ("100 Mbit/s", 125e5), ("12bit/s", Fraction(3, 2)), ("80MS/s x 16bit", 16e7),
    ("4 x 20MS/s x 12bit", 12e7), ("2*1.5kS/s*24 bits", 9000), ("61.44MS/s × 128bit", 983040000),
])
def test_rates(text, rate):
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text, word", [
    ("100Mb/s", "bits"), ("100Mbit", "bits"), ("3Gbps", "bits"), ("1Gb", "bits"), ("1Gibit/s", "bits"),
    ("80MS/s", "unit"), ("80MS/s x 16", "unit"), ("80MS/s x 0bit", "above 0"), ("0 x 80MS/s x 8bit", "above 0"),
    ("x 80MS/s x 8bit", "number"), ("80MSps x 16bit", "unit"),
    ("100MB", "unit"), ("100", "unit"), ("100mB/s", "unit"), ("100MB/h", "unit"),
    ("100MB/s/s", "unit"), ("100KB/s", "unit"), ("MB/s", "number"), ("", "number"),
    ("-1MB/s", "number"), ("1e3MB/s", "unit"), ("0MB/s", "above 0"), ("0.0B/s", "above 0"),
    ("1,5MB/s", "unit"), ("infMB/s", "number"), ("\uff11MB/s", "number"), ("1.\u0665MB/s", "unit"),
])
def test_refused_rates(text, word):
    with pytest.raises(ValueError, match=word) as caught:
        parse_rate(text)
    assert repr(text) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("text, hertz", [
    ("100MHz", 10 ** 8), (" 61.44 MHz ", 61_440_000), ("1e8", 10 ** 8), ("2.5e6Hz", 2_500_000), ("1GHz", 10 ** 9),
    ("75000000", 75_000_000), ("32kHz", 32_000), (".5MHz", 500_000),
])
def test_frequencies(text, hertz):
    assert parse_frequency(text) == hertz


@pytest.mark.parametrize("text, word", [
    ("100M", "unit"), ("100mhz", "unit"), ("", "number"), ("-1MHz", "number"), ("0MHz", "above 0"), ("1e999", "number"),
    ("100MB/s", "unit"), ("infHz", "number"), ("1,5MHz", "number"), ("\uff11MHz", "number"),
])
def test_refused_frequencies(text, word):
    with pytest.raises(ValueError, match=word) as caught:
        parse_frequency(text)
    assert repr(text) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("text, sectors", [
    ("8192", 8192), ("64MiB", 131072), ("1MB", 1954), ("1 B", 1), ("0.5KiB", 1), ("513B", 2),
    ("281474976710656", 1 << 48), ("131072TiB", 1 << 48),
])
def test_sizes(text, sectors):
    assert parse_size(text) == sectors
    assert isinstance(parse_size(text), int)


@pytest.mark.parametrize("text", ["", "x", "0", "0MB", "1.5", "-1", "5s", "5mb", "1e3",
                                  "281474976710657", "131073TiB", "99999999999TB", "\uff18"])
def test_refused_sizes(text):
    with pytest.raises(ValueError) as caught:
        parse_size(text)
    assert repr(text) in str(caught.value) and "\n" not in str(caught.value)


@example(Fraction(300_000_000) / (1 + Fraction(1, 2_500_000)))
@given(st.fractions(1, 300_000_000, max_denominator=1000))
def test_words_per_clock_is_near(rate):
    found = words_per_clock(rate, 75e6)
    assert 0 < found <= 1
    assert abs(found * 300_000_000 / rate - 1) < Fraction(1, 10 ** 6)


def test_words_per_clock_is_exact_where_it_can_be():
    assert words_per_clock(100_000_000, 75e6) == Fraction(1, 3)
    assert words_per_clock(300_000_000, 75e6) == 1
    assert words_per_clock(50_000_000, 150e6) == Fraction(1, 12)


@pytest.mark.parametrize("rate, words", [(300_000_001, "300 MB/s"), (Fraction(1, 5), "0.3 B/s")])
def test_words_per_clock_refuses(rate, words):
    with pytest.raises(ValueError, match=words):
        words_per_clock(rate, 75e6)


def test_format():
    assert [format_rate(rate) for rate in (12, 12_500, 1e8, 1.5e9)] == \
        ["12 B/s", "12.5 kB/s", "100 MB/s", "1.5 GB/s"]

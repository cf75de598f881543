"""What a measured curve shows by itself: depth of a FIFO, lasting rate, times of blocks, CSV."""

import csv
import io

import pytest

from sata_recorder.board.qualification import (DriveFigures, block_times, curve_csv, fifo_bytes,
                                         lasting_rates)


def curve(*pieces, step=0.01):
    """Points of pieces (seconds, rate), each ``step`` seconds."""
    found = [(0.0, 0.0)]
    for seconds, rate in pieces:
        for _ in range(round(seconds / step)):
            size, at = found[-1]
            found.append((size + rate * step, at + step))
    return found


def test_depth_of_a_fifo():
    """A standstill of 0.2 s at 50 MB/s is 10 MB; what was written before does not help."""
    points = curve((1, 1e8), (0.2, 0), (1, 1e8))
    assert fifo_bytes(points, 5e7) == pytest.approx(1e7)
    # At the rate of the drive nothing is made up again, and a second one adds to the first.
    points += [(points[-1][0] + size, points[-1][1] + at) for size, at in points]
    assert fifo_bytes(points, 1e8) == pytest.approx(4e7)
    assert fifo_bytes(points, 5e7) == pytest.approx(1e7)
    assert fifo_bytes([], 1e8) == fifo_bytes(points[:1], 1e8) == 0


def test_lasting_rates():
    least, mean, most = lasting_rates(curve((1, 2e8), (4, 5e7)))
    assert least == pytest.approx(5e7) and mean == pytest.approx(5e7) == pytest.approx(most)
    least, mean, most = lasting_rates(curve((2, 1e8), (0.4, 0), (2, 1e8)))
    assert least < 0.5 * most and most == pytest.approx(1e8) and least < mean < most
    assert lasting_rates([]) is None and lasting_rates(curve((0.05, 1e8))) is None


def test_block_times():
    """The standstill is in its block; the rest after the last block is none."""
    points = curve((1, 1e8), (0.3, 0), (0.75, 1e8))
    assert block_times(points, 50_000_000) == [
        pytest.approx(0.5), pytest.approx(0.5, abs=0.31), pytest.approx(0.5, abs=0.31)]
    assert sum(block_times(points, 50_000_000)) == pytest.approx(1.8)
    assert block_times(points, 10**9) == []


def test_csv():
    figures = DriveFigures(simulated=True, windows=[
        ("write", 1000, [(0, 0.0), (512_000, 0.01), (512_000, 0.02)]), ("read", 0, [(0, 0.0)])])
    rows = list(csv.DictReader(io.StringIO(curve_csv(figures))))
    assert [(row["operation"], row["lba"], row["mb_per_s"], row["ms"]) for row in rows] == [
        ("write", "1500", "51.200", "10.000000"), ("write", "2000", "0.000", "10.000000")]
    assert {row["simulated"] for row in rows} == {"True"}

"""What was mapped and placed once is kept as long as it would give the same."""

import pytest
from benchmark_modules import importing_benchmarks
from sata_recorder_platforms import out_of_context
from sata_recorder_platforms.out_of_context import Area, Timing

with importing_benchmarks():
    import placements

AREA = Area(lut4=1, carry=2, ff=3, lutram=4, bram=5, dsp=6)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """The text, seeds and frequency of each time that the tools ran."""
    found = []

    def measure(text, *, seeds, frequency):
        found.append((text, list(seeds), frequency))
        return AREA, [Timing(seed, 100.0 + seed, False, (("a.b", 0.5), ("c", 1.25))) for seed in seeds]

    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path))
    monkeypatch.setattr(out_of_context, "measure_netlist", measure)
    return found


def test_only_what_is_missing(runs):
    assert placements.placed("one", (), 150.0) == (AREA, [])
    area, first = placements.placed("one", (1, 3), 150.0)
    assert area == AREA and [timing.fmax for timing in first] == [101.0, 103.0]
    assert placements.placed("one", (), 150.0) == (AREA, [])
    _, timings = placements.placed("one", (3, 2), 150.0)
    assert [(timing.seed, timing.fmax, timing.met) for timing in timings] == [(3, 103.0, False), (2, 102.0, False)]
    assert [[*pair] for pair in timings[0].path] == [["a.b", 0.5], ["c", 1.25]]
    assert runs == [("one", [], 150.0), ("one", [1, 3], 150.0), ("one", [2], 150.0)]


def test_what_it_depends_on(runs, monkeypatch):
    placements.placed("one", (1,), 150.0)
    placements.placed("two", (1,), 150.0)
    placements.placed("one", (1,), 75.0)
    monkeypatch.setattr(placements.metadata, "version", lambda tool: "another")
    placements.placed("one", (1,), 150.0)
    assert len(runs) == 4


def test_damaged(runs, tmp_path):
    """What was cut off since is made again."""
    placements.placed("one", (1,), 150.0)
    kept, = tmp_path.glob("placements/*.json")
    kept.write_text(kept.read_text()[:-9])
    assert placements.placed("one", (1,), 150.0)[1][0].fmax == 101.0
    assert len(runs) == 2

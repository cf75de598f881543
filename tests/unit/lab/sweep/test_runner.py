"""A sweep keeps what it has, continues where it was, and ends its processes."""

import os
import time

import pytest

from sata_recorder.lab.measurement import Store
from sata_recorder.simulation import LocalWorkers, WorkerDied
from sata_recorder.lab.sweep import Stale, Sweep
from unit.lab.sweep.fake import FakeCell, endless, measured, result

CELLS = [FakeCell(n, clocks=1 + n % 3) for n in range(5)]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def test_goes_on_where_it_was(store):
    def stops(items):
        for index, cell in items[:2]:
            yield index, result(cell)
        raise KeyboardInterrupt

    first = Sweep(CELLS, store)
    assert first.found == 0 and first.missing == [2, 1, 4, 0, 3]
    with pytest.raises(KeyboardInterrupt):
        first.run(stops)
    asked = []

    def rest(items):
        for index, cell in items:
            asked.append(index)
            yield index, result(cell)

    second = Sweep(CELLS, store)
    assert second.found == 2
    second.run(rest)
    assert asked == [4, 0, 3]
    assert [found["number"] for found in second.results] == [0, 1, 2, 3, 4]
    third = Sweep(CELLS, store)
    assert third.missing == [] and third.results == second.results


def test_errors_are_results_that_are_not_kept(store):
    def fails(items):
        for index, cell in items:
            yield index, result(cell, error="broken" if index == 1 else None)

    seen = []
    sweep = Sweep(CELLS, store)
    sweep.run(fails, lambda cell, found: seen.append((cell.number, found["error"])))
    assert sweep.failed == 1 and sweep.results[1]["error"] == "broken"
    assert sorted(seen) == [(0, None), (1, "broken"), (2, None), (3, None), (4, None)]
    again = Sweep(CELLS, store)
    assert again.missing == [1]


def test_refuses_results_of_another_version(store):
    sweep = Sweep(CELLS, store)
    with pytest.raises(Stale):
        sweep.run(lambda items: [(0, result(CELLS[0], sources="another"))])
    assert Sweep(CELLS, store).found == 0


@pytest.mark.wide
def test_processes():
    shares = []
    with LocalWorkers(2, measured, shares.extend) as workers:
        found = dict(workers(list(enumerate(CELLS))))
    assert {index: entry["number"] for index, entry in found.items()} == dict(enumerate(range(5)))
    assert {cell for cell, _ in shares} <= set(CELLS)
    assert shares and all(0 < share <= 0.9 for _, share in shares)


@pytest.mark.wide
def test_process_that_dies():
    with LocalWorkers(1, measured) as workers:
        with pytest.raises(WorkerDied, match="killed"):
            list(workers([(0, FakeCell(13)), (1, FakeCell(1))]))


@pytest.mark.wide
def test_leaving_ends_the_processes_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    paths = [tmp_path / f"{number}.pid" for number in range(2)]
    interrupted = []

    def interrupt(_):
        if all(path.exists() and path.read_text() for path in paths):
            interrupted.append(time.monotonic())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        with LocalWorkers(2, endless, interrupt) as workers:
            list(workers([(0, FakeCell(0)), (1, FakeCell(1))]))
    assert time.monotonic() - interrupted[0] < 5
    for path in paths:
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.read_text()), 0)

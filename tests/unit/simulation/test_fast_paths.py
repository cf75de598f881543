"""What a fast path is to assume, and which paths a core takes."""

import os
from pathlib import Path

import numpy
import pytest

from sata_recorder.simulation import fast_paths
from sata_recorder.simulation.fast_paths import FastPaths, Guess

ROW = 10


def test_all_is_assumed_of_what_is_always_the_same():
    same = numpy.array([range(ROW)] * 9, numpy.uint8)
    guess = Guess.of(same)
    assert guess.assumed == list(range(ROW)) and guess.saved(same) == 1


def test_what_changes_often_is_not_assumed():
    """Each row has three bytes of its own, and the last byte is another one in every tenth."""
    some = numpy.array([[row % 5, row % 7, row % 11, 3, 4, 5, 6, 7, 8, 1 if row % 10 == 0 else 9]
                        for row in range(1000)], numpy.uint8)
    guess = Guess.of(some)
    # Six bytes always, or seven in nine of ten: 6 < 6.3.
    assert guess.assumed == [None] * 3 + [3, 4, 5, 6, 7, 8, 9]
    assert guess.saved(some) == pytest.approx(0.63)
    some[::5, 9] = 1
    assert Guess.of(some).assumed == [None] * 3 + [3, 4, 5, 6, 7, 8, None]


def test_what_is_assumed_together_must_hold_together():
    """Five bytes are the same in nine of ten rows each, and all of them in half of the rows only."""
    some = numpy.zeros((100, ROW), numpy.uint8)
    for place in range(5):
        some[place * 10:place * 10 + 10, place] = 1
    guess = Guess.of(some)
    # Two of them in eight of ten rows: 7 * 0.8 is more than 5 * 1, 6 * 0.9, 9 * 0.6 and 10 * 0.5.
    assert sum(value is not None for value in guess.assumed) == 7
    assert guess.saved(some) == pytest.approx(0.56)


@pytest.mark.parametrize("moved, found", [(0, set()), (1, {0}), (4, {0, 1, 2, 3}), (5, set())])
def test_counters(moved, found):
    """Few bytes are what they were before plus one, all others are the same."""
    guess = Guess.of(numpy.full((9, ROW), 3, numpy.uint8))
    rows = numpy.full((9, ROW), 3, numpy.uint8)
    rows[:, :moved] = 4
    assert guess.counters(rows) == found
    rows[:5, 9] = 1
    assert guess.counters(rows) == set()


def test_nothing_is_assumed_of_a_counter():
    rows = numpy.full((9, ROW), 3, numpy.uint8)
    assert Guess.of(rows, {1, 4}).assumed == [None if place in (1, 4) else 3 for place in range(ROW)]


class Made:
    """A fake for the library of a path."""

    def __init__(self, file, assumed):
        self.file, self.clock = file, int(file.stem.partition("-")[2])
        self.guess = Guess(numpy.array([value or 0 for value in assumed], numpy.uint8),
                           numpy.array([0 if value is None else 255 for value in assumed], numpy.uint8))


class PathCore:
    """A core whose paths are not compiled: a fake for what :class:`FastPaths` uses."""

    def __init__(self, monkeypatch, folder):
        self.made = []
        self.file = folder / "core.so"
        self.look_anew()
        monkeypatch.setattr(fast_paths, "fast_path", self._compile)
        monkeypatch.setattr(fast_paths, "_Path", self._path)
        monkeypatch.setattr(fast_paths, "intact", lambda file: True)

    def look_anew(self):
        self.paths = FastPaths(self.file, ROW)

    def _compile(self, path, assumed):
        self.made.append(assumed)
        file = path.with_name(f"core-{len(self.made)}.path")
        file.touch()
        return file

    def _path(self, file):
        return Made(file, self.made[int(file.stem.partition("-")[2]) - 1])

    def miss(self, clocks, value, changing=0, counter=None):
        """This many clocks are missed: all bytes are ``value`` but the first ``changing``."""
        table = self.paths.table
        table.missed += clocks
        table.filled = 100
        self.paths.rows[:100] = value
        if counter is not None:
            self.paths.rows[:100, 3] = counter
        for place in range(changing):
            self.paths.rows[:100, place] = numpy.arange(100) % 50
        self.paths.look()

    def taken(self):
        assert self.paths.table.count == len(self.paths.taken)
        return list(self.paths.table.path)[:self.paths.table.count]


@pytest.fixture
def core(monkeypatch, tmp_path):
    monkeypatch.setattr(FastPaths, "known_after", 1000)
    monkeypatch.setattr(FastPaths, "new_after", 5000)
    monkeypatch.setattr(fast_paths, "_USELESS", 10**9)
    return PathCore(monkeypatch, tmp_path)


def test_a_path_is_made_after_patience(core):
    core.miss(4999, 1)
    assert not core.made
    core.miss(1, 1)
    assert core.made == [[1] * ROW] and core.taken() == [1] and core.paths.table.missed == 0


def test_a_path_for_one_value_of_a_counter_is_made_once(core):
    def miss(clocks, counter):
        core.miss(0, 1)
        core.miss(clocks, 1, counter=counter)

    def enough(counter):
        for clocks in (1000, 1000, 2000, 1000):
            core.paths.table.filled = 100
            miss(clocks, counter)
    enough(5)
    assert core.made == [[1, 1, 1, 5] + [1] * 6]
    enough(6)
    assert core.made[1:] == [[1, 1, 1, None] + [1] * 6]
    core.look_anew()
    miss(1000, 7)
    assert core.taken() == [2]


def test_what_was_missed_first_may_be_over(core):
    """What is assumed is that of the latest clocks: from half of the patience on, or later."""
    core.miss(1000, 7)
    core.miss(1000, 7)
    core.miss(2000, 7)
    assert core.paths.table.filled == 0 and core.paths.table.next == 4000
    core.miss(1000, 1)
    assert core.made == [[1] * ROW]


def test_a_known_path_is_taken_soon(core, monkeypatch):
    core.miss(5000, 1)
    core.look_anew()
    core.miss(999, 1)
    assert core.taken() == []
    core.miss(1, 1)
    assert core.taken() == [1] and len(core.made) == 1


@pytest.mark.parametrize("changing, taken", [(2, [1]), (1, []), (3, [])])
def test_a_known_path_that_saves_less_is_left(core, changing, taken):
    """Of eight bytes it assumes all that is the same, or eight of nine, or one that is not the same."""
    core.miss(5000, 1, changing=2)
    assert core.made == [[None] * 2 + [1] * 8]
    core.look_anew()
    core.miss(1000, 1, changing)
    assert core.taken() == taken and len(core.made) == 1
    if not taken:
        core.miss(4000, 1, changing)
        assert core.taken() == [2]


@pytest.mark.parametrize("clocks, taken", [(999, []), (1000, [1])])
def test_a_known_path_is_looked_at_again(core, clocks, taken):
    """When twice as many clocks are missed: what was missed first may be over."""
    core.miss(5000, 1)
    core.look_anew()
    core.miss(1000, 2)
    assert core.paths.table.filled == 0 and core.paths.table.next == 1000
    core.miss(clocks, 1)
    assert core.taken() == taken and len(core.made) == 1


def test_nothing_is_made_that_saves_too_little(core):
    """It looks less and less often then."""
    for clocks in (1000, 1000, 2000, 1000):
        core.miss(clocks, 1, changing=6)
    assert not core.made and core.paths.table.missed == 0
    core.miss(9999, 1)
    assert not core.made
    core.miss(1, 1)
    assert len(core.made) == 1


def test_the_path_that_assumes_most_comes_first(core):
    core.miss(5000, 1, changing=3)
    core.paths.table.hits[0] = 10_000
    core.miss(5000, 2)
    core.paths.table.hits[0] = 10_000
    core.miss(5000, 3, changing=1)
    assert core.taken() == [2, 3, 1]


def test_a_path_that_does_less_than_is_missed_doubles_the_patience(core):
    core.miss(5000, 1)
    core.paths.table.hits[0] = 5000
    core.miss(5000, 2)
    core.paths.table.hits[core.taken().index(2)] = 4999
    core.miss(5000, 3)
    assert len(core.made) == 3
    core.paths.table.hits[core.taken().index(3)] = 10_000
    core.miss(5000, 4)
    assert len(core.made) == 3
    core.miss(5000, 4)
    assert len(core.made) == 4


def test_a_full_table_loses_the_path_with_the_fewest_hits(core):
    most = fast_paths.RowTable.MOST
    for value in range(most):
        core.miss(10**6, value)
    assert core.taken() == list(range(1, most + 1))
    for place in range(most):
        core.paths.table.hits[place] = 10 + (place - 3) ** 2
    core.miss(10**6, 99)
    assert core.taken() == [1, 2, 3, 5, 6, 7] and list(core.paths.table.hits) == [0] * most


def test_paths_that_do_next_to_nothing_go(core, monkeypatch):
    monkeypatch.setattr(fast_paths, "_USELESS", 50)
    core.miss(5000, 1)
    core.paths.table.hits[0] = 101
    core.miss(5000, 2)
    assert sorted(core.taken()) == [1, 2]
    core.paths.table.hits[:2] = [500, 500]
    core.paths.table.hits[core.taken().index(1)] = 100
    core.miss(10_000, 3)
    core.miss(10_000, 3)
    assert sorted(core.taken()) == [2, 3]


def test_old_paths_are_removed(core, monkeypatch):
    """Those that were made or taken last stay; what is no path of this core is left alone."""
    monkeypatch.setattr(fast_paths, "_KNOWN", 2)
    folder = core.file.parent
    for name in ("core.so", "core-own.so", "other-1.path"):
        (folder / name).touch()
    monkeypatch.setattr(FastPaths, "new_after", 1000)
    for value in (1, 2):
        core.miss(10**6, value)
    for number, name in enumerate(("core-1.path", "core-2.path")):
        os.utime(folder / name, (number, number))
    core.look_anew()
    core.miss(10**6, 1)
    assert core.taken() == [1]
    core.miss(10**6, 3)
    assert sorted(file.name for file in folder.iterdir()) == [
        "core-1.path", "core-3.path", "core-own.so", "core.so", "other-1.path"]


@pytest.mark.parametrize("refusal", [OSError, AttributeError, ValueError])
def test_a_file_that_is_no_path(core, monkeypatch, refusal):
    """It has gone meanwhile, or is something else: it is passed over."""
    core.miss(5000, 1)

    def refuse(file):
        raise refusal
    monkeypatch.setattr(fast_paths, "_Path", refuse)
    core.look_anew()
    core.miss(1000, 1)
    core.miss(5000, 1)
    assert core.taken() == [] and len(core.made) == 2


def test_a_path_of_another_row(core):
    core.miss(5000, 1)
    core.made[0].append(3)
    core.look_anew()
    core.miss(1000, 1)
    assert core.taken() == []


def test_a_file_that_goes_while_it_is_looked_for(core, monkeypatch):
    core.miss(5000, 1)
    core.look_anew()
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter([self / "core-9.path"]))
    core.miss(1000, 1)
    assert core.taken() == []

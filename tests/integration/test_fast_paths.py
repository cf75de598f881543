"""Fast paths that a core learns while it runs: they change nothing but its speed."""

import multiprocessing
import shutil
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pytest
import sata_drive_model
from checking import checking_compiler
from integration import loops
from integration.learning import copied, hits_of, learn_at_once, paths_of
from integration.loops import on
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, Translator, build, cache, compiler, fast_paths, library
from sata_recorder.simulation.build import netlist_file

pytestmark = pytest.mark.wide

CONFIGURATION = Configuration(clock_hz=1e6, buffer_words=128, max_command_sectors=2)


@pytest.fixture
def core(tmp_path, monkeypatch):
    """The library of a core that learns at once."""
    learn_at_once(monkeypatch)
    return copied(library(CONFIGURATION), tmp_path / "cores")


def hostile(path, seed):
    """What a hostile loop comes to on the core at ``path``."""
    return loops.hostile(partial(Compiled, path=path), sata_drive_model, CONFIGURATION, seed)


def test_hostile_loops(core):
    for seed in (4, 11, 12):
        assert hostile(core, seed) == on("cxxrtl", loops.hostile, CONFIGURATION, seed)
    hits, missed = hits_of(core)
    assert len(hits) > 3 and sum(hits) > 0 and missed > 0


@pytest.mark.long
@pytest.mark.parametrize("first", range(2000, 2040, 10))
def test_many_hostile_loops(core, first):
    """In a single one there may be nothing that comes twice, and so no path."""
    for seed in range(first, first + 10):
        assert hostile(core, seed) == on("cxxrtl", loops.hostile, CONFIGURATION, seed)
    assert sum(hits_of(core)[0]) > 0


@pytest.mark.parametrize("seed", short([3, 5], [3]))
def test_paths_without_undefined_behaviour(core, seed, tmp_path):
    expected = on("cxxrtl", loops.hostile, CONFIGURATION, seed)
    with checking_compiler(), ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        checked = copied(library(CONFIGURATION), tmp_path / "checked")
        found, hits = pool.submit(_hostile_and_hits, checked, seed).result()
    assert found == expected and sum(hits) > 0


def _hostile_and_hits(path, seed):
    return hostile(path, seed), hits_of(path)[0]


# What is kept ------------------------------------------------------------------------------------

def learned(core):
    """The files of the paths of ``core``."""
    return sorted(core.parent.glob(f"{core.stem}-*.path"))


@pytest.fixture
def not_compiled(monkeypatch):
    def refuse(*_):
        raise AssertionError("a path is compiled")
    return lambda: monkeypatch.setattr(fast_paths, "fast_path", refuse)


def test_what_was_learned_is_there_the_next_time(core, not_compiled, monkeypatch):
    state = hostile(core, 4)
    assert learned(core)
    fast_paths.fast_paths_of.cache_clear()
    monkeypatch.setattr(fast_paths.FastPaths, "new_after", 10**9)
    not_compiled()
    assert hostile(core, 4) == state
    assert sum(hits_of(core)[0]) > 0


def test_a_damaged_path_is_made_again(core):
    state = hostile(core, 4)
    files = learned(core)
    for file in files:
        file.unlink()       # what is loaded stays as it is
        file.write_bytes(b"\0junk" * 99)
    fast_paths.fast_paths_of.cache_clear()
    assert hostile(core, 4) == state
    assert sum(hits_of(core)[0]) > 0
    assert any(map(cache.intact, files))


def test_a_damaged_netlist(core):
    """Nothing can be learned, and all continues as without."""
    netlist_file(core).write_bytes(b"junk")
    assert hostile(core, 4) == on("cxxrtl", loops.hostile, CONFIGURATION, 4)
    assert hits_of(core)[0] == [] and not learned(core)


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_bytes(b"junk")])
def test_a_core_whose_netlist_is_lost_is_compiled_again(monkeypatch, tmp_path, damage):
    kept = library(CONFIGURATION)
    copied(kept, tmp_path)
    for index in kept.parent.glob("*.index*"):
        shutil.copy(index, tmp_path)
    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path))
    made = []
    monkeypatch.setattr(build, "run_compiler", lambda source, target, *_: made.append(target))
    assert library(CONFIGURATION) == tmp_path / kept.name and not made
    damage(netlist_file(tmp_path / kept.name))
    assert library(CONFIGURATION) == tmp_path / kept.name and len(made) == 1
    assert cache.intact(netlist_file(tmp_path / kept.name))


@pytest.mark.parametrize("order", [["false"], ["/nowhere/c++"]])
def test_a_compiler_that_fails_ends_the_learning(core, monkeypatch, order):
    asked, files = [], sorted(core.parent.iterdir())
    monkeypatch.setattr(compiler, "command", lambda *_, **__: asked.append(1) or order)
    assert hostile(core, 4) == on("cxxrtl", loops.hostile, CONFIGURATION, 4)
    assert hits_of(core)[0] == [] and asked == [1]
    assert sorted(core.parent.iterdir()) == files


def test_a_folder_that_cannot_be_written_ends_the_learning(core, monkeypatch):
    def refuse(*_, **__):
        raise cache.CacheError("the cache folder cannot be written")
    monkeypatch.setattr(fast_paths, "fast_path", refuse)
    assert hostile(core, 4) == on("cxxrtl", loops.hostile, CONFIGURATION, 4)
    assert hits_of(core)[0] == []


def test_cores_of_cxxrtl_have_none():
    path = library(CONFIGURATION, Translator.CXXRTL)
    assert not netlist_file(path).exists()
    assert paths_of(path) is None


def test_a_core_in_the_folder_where_one_stands(core, monkeypatch):
    state = hostile(core, 4)
    monkeypatch.chdir(core.parent)
    assert hostile(f"./{core.name}", 4) == hostile(core.name, 4) == state
    assert sum(hits_of(core)[0]) > 0

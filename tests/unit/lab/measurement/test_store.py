"""Results are found again whole, or not at all."""

import shutil
import threading

import pytest

from sata_recorder.lab.measurement import Store
from sata_recorder.lab.measurement import store as module


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def test_gives_back(store):
    result = {"rate": 1.25e8, "lost": 0, "gaps": [[1, 2]], "name": "größer", "none": None}
    key = store.key("sweep", {"drive": "ideal", "sectors": 8})
    assert store.get(key) is None
    store.put(key, result)
    assert store.get(key) == result
    store.put(key, {"lost": 1})
    assert Store(store.folder).get(key) == {"lost": 1}
    assert len(list(store.folder.iterdir())) == 1


def test_key_depends_on_every_part_and_on_the_source(store, monkeypatch):
    keys = [store.key("a"), store.key("b"), store.key("a", 1), store.key("a", None),
            store.key({"a": 1}), store.key(["a", 1])]
    assert len(set(keys)) == len(keys)
    assert store.key({"a": 1, "b": 2}) == store.key({"b": 2, "a": 1})
    monkeypatch.setattr("sata_recorder.lab.measurement.store.SOURCES", "another")
    assert store.key("a") not in keys


@pytest.mark.parametrize("damage", [
    lambda text: b"", lambda text: text[:-1], lambda text: text[:40],
    lambda text: text.replace(b"17", b"18"), lambda text: b"\xff" + text[1:],
])
def test_damaged_file_counts_as_missing(store, damage):
    key = store.key("x")
    store.put(key, {"clocks": 17})
    (path,) = store.folder.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert store.get(key) is None
    store.put(key, {"clocks": 19})
    assert store.get(key) == {"clocks": 19}


@pytest.mark.parametrize("result", [{"rate": float("nan")}, {"rate": {1, 2}}])
def test_refuses_what_json_cannot_hold(store, result):
    with pytest.raises((TypeError, ValueError)):
        store.put(store.key("x"), result)
    assert list(store.folder.iterdir()) == []


def test_writers_at_once(store):
    key = store.key("shared")
    results = [{"writer": n, "fill": "x" * 100_000} for n in range(8)]
    writers = [threading.Thread(target=store.put, args=(key, result)) for result in results]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert store.get(key) in results
    assert len(list(store.folder.iterdir())) == 1


def test_default_folder_is_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path))
    assert Store().folder == tmp_path / "results"


@pytest.mark.sample(4)
@pytest.mark.parametrize("name, decides", [
    ("lab/measurement/run.py", True), ("lab/measurement/data.py", True), ("simulation/session.py", True),
    ("core/crc.py", True), ("interface/configuration.py", True),
    ("lab/sweep/cell.py", False), ("lab/studies/runs.py", False), ("lab/campaign/run.py", False),
    ("report/page.py", False), ("pc/console/client.py", False), ("cli/sweep.py", False),
])
def test_a_change_of_what_decides_results_makes_other_keys(tmp_path, monkeypatch, name, decides):
    package = tmp_path / "package"
    shutil.copytree(module.PACKAGE, package)
    monkeypatch.setattr(module, "PACKAGE", package)
    before = module.sources()
    with open(package / name, "a") as file:
        file.write("changed = True\n")
    assert (module.sources() != before) == decides


def test_rooms_above_are_there():
    assert [name for name in module.ABOVE if not (module.PACKAGE / name).is_dir()] == []

"""Cores that learn fast paths at once, in a folder of the test's own."""

import shutil

from sata_recorder.simulation import compiled, fast_paths
from sata_recorder.simulation.build import netlist_file

__all__ = ["copied", "hits_of", "learn_at_once"]


def learn_at_once(monkeypatch, clocks=400):
    """From now on each core looks for a path after this many clocks, however little it saves."""
    monkeypatch.setattr(fast_paths.FastPaths, "known_after", clocks)
    monkeypatch.setattr(fast_paths.FastPaths, "new_after", clocks)
    monkeypatch.setattr(fast_paths, "_WORTH", 0)
    monkeypatch.setattr(fast_paths, "_USELESS", 10**9)
    monkeypatch.setattr(fast_paths, "_STEP", 3)
    # It looks between two runs of the library.
    run = compiled.Compiled.run

    def in_pieces(engine, total, until=compiled.Event(0)):
        for start in range(0, total, clocks):
            if found := run(engine, min(clocks, total - start), until):
                return found
        return found

    monkeypatch.setattr(compiled.Compiled, "run", in_pieces)


def copied(library, folder):
    """A copy of a core's library with its netlist, which has learned nothing."""
    folder.mkdir(exist_ok=True)
    for file in (library, netlist_file(library)):
        for name in (file.name, f"{file.name}.sha256"):
            shutil.copy(file.with_name(name), folder / name)
    return folder / library.name


def paths_of(library):
    return fast_paths.fast_paths_of(library, compiled.loaded(str(library)).bench_row())


def hits_of(library):
    """The clocks that each path of the core in ``library`` has done since the last one was taken, and
    those that none has, in this process."""
    found = paths_of(library)
    return list(found.table.hits)[:len(found.taken)], found.table.missed

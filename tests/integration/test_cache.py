"""What is damaged in the cache is built again; a cache that cannot be written is named."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from integration.benches import MEASURED
from short import short

from sata_recorder.lab.measurement import Job, execute
from sata_recorder.simulation import Pattern, cache, drive_package
from sata_recorder.simulation.compiler import FLAGS, command

pytestmark = pytest.mark.wide

PROGRAM = "from sata_recorder.cli.main import main; main()"
SMALL = "measure", "--sectors", "2", "--operation", "record"


def recorder(folder, *arguments, home=None, **variables):
    environment = {**os.environ, "SATA_RECORDER_CACHE": str(folder), **variables}
    if home is not None:
        del environment["SATA_RECORDER_CACHE"]
        environment |= {"HOME": str(home), "XDG_CACHE_HOME": f"{home}/.cache"}
    return subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True,
                          text=True, env=environment)


@pytest.fixture(scope="module")
def compiler(tmp_path_factory):
    """The machine's compiler, told not to optimise: that takes most of its time."""
    path = tmp_path_factory.mktemp("compiler") / "c++"
    order = command("source", "output", include=())
    own = shlex.join(order[:order.index(FLAGS[0])])
    path.write_text(f'#!/bin/sh\nexec {own} "$@" -O0\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, compiler):
    folder = tmp_path_factory.mktemp("cache")
    for engine in drive_engines():
        result = recorder(folder, *SMALL, "--engine", engine, CXX=compiler)
        assert result.returncode == 0, result.stderr
    return folder


def drive_engines():
    return ["cxxrtl"] if drive_package.reason() else ["compiled"]


#: What :mod:`drive_package` compiles: a package with its port, and an analyser.
SMALL_DRIVE = {
    "drive/__init__.py": "",
    "drive/port.py": "class DrivePort:\n    def clock(self, core):\n        return core\n",
    "drive/port.pxd": "from libc.stdint cimport int64_t\n"
                      "cdef class DrivePort:\n    cpdef int64_t clock(self, int64_t core)\n",
    "analyser/__init__.py": "",
}
DAMAGES = ("truncated", "junk", "empty", "flipped")


def damaged(content, damage):
    half = len(content) // 2
    return {"truncated": content[:half], "junk": b"\0\xff junk" * 100, "empty": b"",
            "flipped": content[:half] + bytes([content[half] ^ 255]) + content[half + 1:]}[damage]


def damage(folder, first):
    """Damages the files in ``folder``, each in another way; gives their paths."""
    files = sorted((path for path in folder.rglob("*") if path.is_file()
                    and path.suffix in (".so", ".index", ".json", ".pyc")),
                   key=lambda path: (path.parent != folder, path.suffix != ".so", path))
    for number, path in enumerate(files, first):
        path.write_bytes(damaged(path.read_bytes(), DAMAGES[number % len(DAMAGES)]))
    return files


needs_drive = pytest.mark.skipif(drive_package.reason() is not None,
                                 reason="the drive cannot be compiled")


@pytest.mark.wide
@needs_drive
@pytest.mark.parametrize("first", short(range(4), [0]))
def test_a_damaged_core_is_built_again(tmp_path, first):
    """A truncated library would end the process by a bus error."""
    drive = Path(drive_package.drive_model(compiled=True).__file__).parents[1]
    (tmp_path / drive.name).symlink_to(drive)
    files = []
    for _ in range(2):
        result = recorder(tmp_path, *SMALL, "--engine", "compiled")
        # On a slow machine progress is told in between.
        assert result.returncode == 0, result
        assert set(result.stderr.splitlines()) <= {"compiling the core ..."}, result
        assert all(map(cache.intact, files))
        files = files or damage(tmp_path, first)
    assert [path.suffix for path in files] == [".so", ".index"]
    assert cache.intact_folder(drive)


@pytest.mark.wide
@needs_drive
@pytest.mark.parametrize("first", short(range(4), [0]))
def test_a_damaged_drive_is_built_again(tmp_path, monkeypatch, first):
    """A package of the drive's shape, so small that it is compiled at once."""
    source = tmp_path / "source"
    for name, text in SMALL_DRIVE.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    monkeypatch.setattr(drive_package, "FOLDER", source / "drive")
    monkeypatch.setattr(drive_package, "ANALYSER", source / "analyser")
    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path / "cache"))
    package = drive_package.built()
    files = damage(package.parent, first)
    assert {path.suffix for path in files} == {".so", ".json", ".pyc"}
    assert drive_package.built() == package
    assert cache.intact_folder(package.parent)
    assert [path.name for path in package.parent.parent.iterdir()] == [package.parent.name]
    program = (f"import sys; sys.path.insert(0, {str(package.parent)!r}); "
               f"import {package.name}.bridge as b; print(b.address())")
    reply = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(reply.stdout) and reply.returncode == 0, reply


@pytest.mark.long
@pytest.mark.parametrize("first", range(4))
def test_what_is_damaged_is_built_again(folder, compiler, first):
    """All that is compiled, the drive too."""
    files = damage(folder, first)
    assert files[0].suffix == ".so" and ".index" in {path.suffix for path in files}
    result = recorder(folder, *SMALL, "--engine", *drive_engines(), CXX=compiler)
    # On a slow machine progress is told in between.
    assert result.returncode == 0, result
    assert set(result.stderr.splitlines()) <= {"compiling the core ...", "compiling the drive ..."}, result
    for path in files:
        if path.parent == folder:
            assert cache.intact(path)
    assert all(map(cache.intact_folder, folder.glob("drive-*")))
    assert not [path for path in folder.iterdir() if path.name.startswith("damaged-")]


_VERBS = (SMALL, ("sweep", "--size", "8"), ("campaign", "-n", "1"), ("reproduce", "5-1", "--loops", "1"),
          ("measure", "--input-rate", "1MB/s"))


_PLACES = [("/proc/no/cache", SMALL), *(("file/cache", verb) for verb in _VERBS)]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name, verb", short(_PLACES, [_PLACES[0], _PLACES[3]]))
def test_a_cache_that_cannot_be_made(tmp_path, name, verb):
    (tmp_path / "file").write_text("")
    result = recorder(tmp_path / name, *verb)
    assert result.returncode in (1, 2)
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1, result.stderr
    assert str(tmp_path / name) in result.stderr and "SATA_RECORDER_CACHE" in result.stderr


@pytest.mark.quick
def test_a_home_that_cannot_be_written(tmp_path):
    (tmp_path / "home").write_text("")
    result = recorder(None, *SMALL, home=tmp_path / "home")
    assert result.returncode == 1
    assert f"{tmp_path}/home/.cache/sata-recorder" in result.stderr, result.stderr
    assert "SATA_RECORDER_CACHE" in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize("engine", short(["cxxrtl", "icarus"], ["cxxrtl"]))
def test_a_full_disk_names_the_file_of_the_waves(engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    job = Job(configuration=MEASURED, operation="record", lba=0, sectors=1,
              data=Pattern("random", 0, 128), vcd="a.vcd", trace="a.trace")
    from sata_recorder import outputs
    real = outputs.part

    for full, what in ("a.vcd", "VCD"), ("a.trace", "trace"):
        def part(path, full=full):
            made = real(path)
            if str(path) == full:
                made.unlink()
                made.symlink_to("/dev/full")
            return made

        monkeypatch.setattr(outputs, "part", part)
        monkeypatch.setattr("sata_recorder.lab.measurement.job_checks.check_files_of", lambda job: None)
        with pytest.raises(Exception, match=f"^the {what} file {full} cannot be written: No space"):
            execute(job, engine)
        assert not list(tmp_path.iterdir())

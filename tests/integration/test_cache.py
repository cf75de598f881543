"""What is damaged in the cache is built again; a cache that cannot be written is named."""

import os
import shlex
import subprocess
import sys

import pytest
from integration.benches import MEASURED
from short import short

from sata_recorder.measurement import Job, execute
from sata_recorder.simulation import Pattern, cache, drive_package
from sata_recorder.simulation.compiler import FLAGS, command

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


DAMAGES = ("truncated", "junk", "empty", "flipped")


def damaged(content, damage):
    half = len(content) // 2
    return {"truncated": content[:half], "junk": b"\0\xff junk" * 100, "empty": b"",
            "flipped": content[:half] + bytes([content[half] ^ 255]) + content[half + 1:]}[damage]


@pytest.mark.parametrize("first", short(range(4), [0]))
def test_what_is_damaged_is_built_again(folder, compiler, first):
    """Each file in another way. A truncated library would end the process by a bus error."""
    files = sorted((path for path in folder.rglob("*") if path.is_file()
                    and path.suffix in (".so", ".index", ".json", ".pyc")),
                   key=lambda path: (path.parent != folder, path.suffix != ".so", path))
    assert files[0].suffix == ".so" and ".index" in {path.suffix for path in files}
    for number, path in enumerate(files, first):
        path.write_bytes(damaged(path.read_bytes(), DAMAGES[number % len(DAMAGES)]))
    result = recorder(folder, *SMALL, "--engine", *drive_engines(), CXX=compiler)
    # On a slow machine progress is told in between.
    assert result.returncode == 0, result
    assert set(result.stderr.splitlines()) <= {"compiling the core ..."}, result
    for path in files:
        if path.parent == folder:
            assert cache.intact(path)
    assert all(map(cache.intact_folder, folder.glob("drive-*")))
    assert not [path for path in folder.iterdir() if path.name.startswith("damaged-")]


@pytest.mark.parametrize("name", ["/proc/no/cache", "file/cache"])
@pytest.mark.parametrize("verb", [SMALL, ("sweep", "--size", "8"), ("campaign", "-n", "1"),
                                  ("reproduce", "5-1", "--loops", "1"),
                                  ("measure", "--input-rate", "1MB/s")])
def test_a_cache_that_cannot_be_made(tmp_path, name, verb):
    (tmp_path / "file").write_text("")
    result = recorder(tmp_path / name, *verb)
    assert result.returncode in (1, 2)
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1, result.stderr
    assert str(tmp_path / name) in result.stderr and "SATA_RECORDER_CACHE" in result.stderr


def test_a_home_that_cannot_be_written(tmp_path):
    (tmp_path / "home").write_text("")
    result = recorder(None, *SMALL, home=tmp_path / "home")
    assert result.returncode == 1
    assert f"{tmp_path}/home/.cache/sata-recorder" in result.stderr, result.stderr
    assert "SATA_RECORDER_CACHE" in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize("engine", ["cxxrtl", "icarus"])
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
        monkeypatch.setattr("sata_recorder.measurement.job_checks.check_files_of", lambda job: None)
        with pytest.raises(Exception, match=f"^the {what} file {full} cannot be written: No space"):
            execute(job, engine)
        assert not list(tmp_path.iterdir())

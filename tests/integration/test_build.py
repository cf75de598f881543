"""Compiled cores are kept, found again, and shared."""

import pytest

import sata_recorder.simulation.build as build
import sata_recorder.simulation.compiler as compiler
from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation.signals import CONTROLS


def test_second_time_nothing_is_built(monkeypatch):
    configuration = Configuration(clock_hz=1e6, buffer_words=128, max_command_sectors=2)
    path = build.library(configuration)
    monkeypatch.setattr(build, "rtlil", None)
    monkeypatch.setattr(build, "compiled", None)
    assert build.library(configuration) == path


@pytest.mark.wide
def test_edited_source_is_not_taken_for_the_running_one(monkeypatch, tmp_path):
    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path))
    monkeypatch.setattr(build, "translate", lambda *_: None)
    monkeypatch.setattr(build, "run_compiler",
                        lambda source, target, *_: target.write_text("built"))
    monkeypatch.setattr(build, "_SOURCES", "before the edit")
    path = build.library(Configuration(clock_hz=1e6))
    assert [found for found in tmp_path.iterdir() if found.suffix != ".sha256"] == [path]


def test_key(monkeypatch, tmp_path):
    """The core, the harness, the compiler and its flags decide which library it is."""
    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "translate", lambda *_: None)
    monkeypatch.setattr(build, "run_compiler",
                        lambda source, target, *_: target.write_text("built"))
    paths = [build.compiled("core"), build.compiled("other core"),
             build.compiled("core", translator=build.Translator.WAVES)]
    monkeypatch.setattr(compiler, "identity", lambda: "another compiler")
    paths.append(build.compiled("core"))
    monkeypatch.setattr(build, "HARNESS", tmp_path / "harness.cc")
    build.HARNESS.write_text("another harness")
    paths.append(build.compiled("core"))
    paths.append(build.compiled("core", CONTROLS | {"turnaround": 32}))
    assert len(set(paths)) == 6
    assert all(path.parent == tmp_path / "cache" and path.read_text() == "built" for path in paths)


def test_nothing_half_done_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path))

    def fail(source, target, *_):
        target.write_text("half")
        raise compiler.CompilerError("no space left")

    monkeypatch.setattr(build, "translate", lambda *_: None)
    monkeypatch.setattr(build, "run_compiler", fail)
    try:
        build.compiled("core")
    except compiler.CompilerError:
        pass
    assert list(tmp_path.iterdir()) == []

"""The compiled copy of the drive model: built once, its own classes, errors passed on."""

import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
import sata_drive_model
from integration.loops import port_of

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, MissingTool, Session, compiler, drive_package

CONFIGURATION = Configuration(clock_hz=1e6, buffer_words=128, max_command_sectors=2)


@pytest.fixture(scope="module")
def model():
    return drive_package.drive_model(compiled=True)


def test_hot_modules_are_extensions(model):
    assert model is drive_package.drive_model(compiled=True) is not sata_drive_model
    for folder, copy, own in (
            (drive_package.FOLDER, model.__name__, "sata_drive_model"),
            (drive_package.ANALYSER, f"{model.__name__}.analyser",
             "sata_recorder.simulation.analyser")):
        names = [".".join(path.relative_to(folder).with_suffix("").parts)
                 for path in folder.rglob("*.pxd")]
        assert len(names) >= 3
        for name in names:
            assert not sys.modules[f"{copy}.{name}"].__file__.endswith(".py")
            assert sys.modules[f"{own}.{name}"].__file__.endswith(".py")
    assert set(model.__all__) == set(sata_drive_model.__all__)
    assert model.Rule is sata_drive_model.Rule


def test_only_the_compiled_port_is_called_without_python(model):
    port, _ = port_of(model, 0)
    assert drive_package.native(port) and not drive_package.native(port.clock)
    assert not drive_package.native(port_of(sata_drive_model, 0)[0])


def test_exceptions_of_the_compiled_drive(model, monkeypatch):
    port, _ = port_of(model, 0)

    def broken(over=False):
        raise ZeroDivisionError("the drive broke")

    monkeypatch.setattr(port.drive, "link_idle", broken)
    with Compiled(CONFIGURATION, port) as engine:
        with pytest.raises(ZeroDivisionError, match="the drive broke"):
            Session(engine, port).bring_up()


def test_interrupt(model, interruptible):
    """Ctrl-C ends a run of the compiled drive within some thousand clocks."""
    port, _ = port_of(model, 0)
    link_up = port.drive.link_up

    def interrupted():
        signal.raise_signal(signal.SIGINT)
        link_up()

    port.drive.link_up = interrupted
    with Compiled(CONFIGURATION, port) as engine:
        with pytest.raises(KeyboardInterrupt):
            engine.run(1_000_000)
    assert port.now < 10_000


def test_second_time_nothing_is_built(model, monkeypatch):
    monkeypatch.setattr(drive_package, "build", None)
    drive_package.built()


def test_a_short_simulation_does_not_wait_for_the_compiler(model, monkeypatch):
    """The plain drive for it while there is no compiled one; a long one is over sooner with that."""
    assert drive_package.drive_model_for(1000) is model
    monkeypatch.setattr(drive_package, "intact_folder", lambda folder: False)
    assert drive_package.drive_model_for(1000) is sata_drive_model
    assert drive_package.drive_model_for(1_000_000_000) is model
    monkeypatch.setattr(drive_package, "reason", lambda: "no compiler")
    assert drive_package.drive_model_for(1_000_000_000) is sata_drive_model


@pytest.mark.wide
def test_one_process_at_a_time_compiles_it_in_the_background(monkeypatch):
    begun = []
    monkeypatch.setattr(drive_package, "subprocess", SimpleNamespace(
        DEVNULL=None, Popen=lambda order, **options: begun.append(order)))
    with drive_package.alone():
        drive_package.compile_in_background()
    assert not begun
    drive_package.compile_in_background()
    assert [order[0] for order in begun] == [sys.executable]
    # It is a program that runs, and finds the drive that this test has compiled.
    subprocess.run(begun[0], check=True)


def test_key(monkeypatch):
    """The files, the compiler and its flags decide which copy it is."""
    keys = [drive_package.digest({"a.py": b"1"}), drive_package.digest({"a.py": b"2"}),
            drive_package.digest({"b.py": b"1"})]
    monkeypatch.setattr(compiler, "identity", lambda: "another compiler")
    keys.append(drive_package.digest({"a.py": b"1"}))
    assert len(set(keys)) == 4


def test_reasons(monkeypatch):
    assert drive_package.reason() is None
    with monkeypatch.context() as patch:
        patch.setattr(drive_package, "version", lambda name: "3.2.12")
        assert drive_package.reason().startswith("the compiled drive needs Cython 3.3, and 3.2.12 is installed; it ")
    monkeypatch.setattr(drive_package.sysconfig, "get_path", lambda name: "/nowhere")
    assert "python3" in drive_package.reason() and "-dev" in drive_package.reason()
    with pytest.raises(MissingTool, match="header files of Python"):
        drive_package.loaded.__wrapped__()


def test_nothing_half_done_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path))

    def fail(package, modules):
        raise compiler.CompilerError("no space left")

    monkeypatch.setattr(drive_package, "build", fail)
    with pytest.raises(compiler.CompilerError):
        drive_package.built()
    assert list(tmp_path.iterdir()) == []

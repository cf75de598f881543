"""The engines agree: each side's recorded stream gives the same answers everywhere."""

import multiprocessing
import struct
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pytest
import sata_drive_model
from checking import checking_compiler
from integration import loops
from integration.benches import MEASURED
from integration.loops import ENGINES, MIXED, on
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, compiler, drive_package, library

pytestmark = pytest.mark.wide

CONFIGURATION = Configuration(clock_hz=1e6, buffer_words=128, max_command_sectors=2)
BIG = Configuration(max_command_sectors=65536)


def words(path):
    """(core's word, drive's word) of each clock of a trace file."""
    return list(struct.iter_unpack("<QQ", path.read_bytes()))


@pytest.fixture
def trace(tmp_path):
    """The trace of a run of `hostile` with a seed, and the state it ended in."""
    def record(seed, sectors=6):
        path = tmp_path / f"{seed}.trace"
        state, *_ = on("cxxrtl", loops.hostile, CONFIGURATION, seed, sectors, path)
        return words(path), state
    return record


def check_links(recorded, seed):
    """The recorded words of the core give the recorded words of the drive."""
    line = {"line_rate": (2, 3), "skew": 2} if seed % 3 == 2 else None
    for model in (sata_drive_model, drive_package.drive_model(compiled=True)):
        port, _ = loops.port_of(model, seed, line=line, bad_crc=2)
        inputs = 0
        for clock, (core, expected) in enumerate(recorded):
            assert inputs == expected, f"{model.__name__}, clock {clock}"
            inputs = port.clock(core)


@pytest.mark.parametrize("seed", short([1, 2, 3], [2]))
def test_links_answer_a_recorded_host(trace, seed):
    recorded, _ = trace(seed, 2)
    check_links(recorded, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_cores_answer_a_recorded_drive(trace, seed):
    recorded, state = trace(seed, 3)
    inputs = [word for _, word in recorded[1:]]
    for engine in ("cxxrtl", "icarus"):
        assert on(engine, loops.replayed, CONFIGURATION, seed, 3, inputs) == state


@pytest.mark.parametrize("seed", short([4, 5], [4]))
def test_closed_loops(seed):
    compiled, interpreted, icarus = (on(engine, loops.hostile, CONFIGURATION, seed, 3)
                                     for engine in ENGINES)
    assert compiled == interpreted == icarus


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", short(range(10, 18), range(10, 14)))
def test_closed_loops_without_icarus(seed):
    compiled, interpreted = (on(engine, loops.hostile, CONFIGURATION, seed)
                             for engine in ENGINES[:2])
    assert compiled == interpreted


@pytest.mark.quick
def test_every_fis_of_one_command():
    compiled, interpreted = (on(engine, loops.frames, MEASURED, 256) for engine in (ENGINES[0], MIXED))
    assert compiled == interpreted
    assert len(compiled[1]) > 2 * 256 // 16


@pytest.mark.long
def test_every_fis_of_one_command_of_32_mib():
    compiled, interpreted = (on(engine, loops.frames, BIG, 65536) for engine in ENGINES[:2])
    assert compiled == interpreted


@pytest.mark.long
def test_every_fis_in_icarus():
    runs = [on(engine, loops.frames, BIG, 256) for engine in ENGINES]
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1040))
def test_many_closed_loops(seed):
    compiled, interpreted = (on(engine, loops.hostile, CONFIGURATION, seed, 30)
                             for engine in ENGINES[:2])
    assert compiled == interpreted


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 30))
def test_many_closed_loops_in_icarus(trace, seed):
    recorded, state = trace(seed, 10)
    check_links(recorded, seed)
    assert on("icarus", loops.hostile, CONFIGURATION, seed, 10)[0] == state


def test_a_core_with_all_optimisation(monkeypatch):
    """As users get it: with no flags but those of the package."""
    expected, *_ = on("cxxrtl", loops.hostile, CONFIGURATION, 3)
    monkeypatch.delenv("CXXFLAGS", raising=False)
    compiler.forget()
    try:
        assert "-O2" in compiler.command("a.cc", "a.so", include=())
        path = library(CONFIGURATION)
    finally:
        compiler.forget()
    assert state_on(path, 3) == expected


def test_a_core_without_undefined_behaviour():
    expected, *_ = on("cxxrtl", loops.hostile, CONFIGURATION, 3)
    with checking_compiler():
        path = library(CONFIGURATION)
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        assert pool.submit(state_on, path, 3).result() == expected


def state_on(path, seed):
    """The state after a hostile loop on the core at ``path``."""
    open_engine = partial(Compiled, path=path)
    return loops.hostile(open_engine, sata_drive_model, CONFIGURATION, seed)[0]

"""What all tests share: hypothesis' profile, the long campaigns, the cache of what is compiled."""

import fcntl
import gc
import os
import random
import signal
import tempfile
from collections import Counter

import pytest
from hypothesis import settings

from sata_recorder.pc.volume import Drive
from sata_recorder.simulation import build

# A slow machine is no failure; a failure must be repeatable from the log alone.
settings.register_profile("default", deadline=None, print_blob=True, max_examples=40)
settings.register_profile("long", deadline=None, print_blob=True, max_examples=400)


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true",
                     help="run what both leave out: the long campaigns, and more of what is random")
    parser.addoption("--wide", action="store_true",
                     help="run what is left out by default, but for the long campaigns")
    parser.addoption("--shuffle", metavar="SEED",
                     help="run the modules, and the tests of each, in an order that SEED decides")


def pytest_configure(config):
    settings.load_profile("long" if config.getoption("--long") else "default")
    # In the background of a shell Ctrl-C is ignored, and what a test starts would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not config.getoption("--long"):
        # Many cores, few clocks of each. What users get is compiled in tests of the compiler.
        os.environ.setdefault("CXXFLAGS", "-Og")
    if hasattr(config, "workerinput"):
        compile_once(config.workerinput["locks"])
    # Elaboration makes many objects and little garbage, which goes with each module: see `swept`.
    gc.set_threshold(100_000, 50, 100)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """All workers lock files of one folder."""
    if not hasattr(node.config, "locks"):
        node.config.locks = tempfile.TemporaryDirectory()
        node.config.add_cleanup(node.config.locks.cleanup)
    node.workerinput["locks"] = node.config.locks.name


def compile_once(folder):
    """Of two workers that need the same core, some while they collect their tests, one compiles it, and the other
    one waits, as they do for the drive."""
    def alone(function, name):
        def locked(*arguments):
            with open(f"{folder}/{name(*arguments)}", "w") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                return function(*arguments)
        return locked

    build.cached = alone(build.cached, lambda target, *_: target.name)


def pytest_collection_modifyitems(config, items):
    if seed := config.getoption("--shuffle"):
        # A module stays together: its fixtures are made once.
        rng = random.Random(seed)
        places = {path: rng.random() for path in {item.path: None for item in items}}
        rng.shuffle(items)
        items.sort(key=lambda item: places[item.path])
    kept = [*_long(items)] if config.getoption("--long") else [*_kept(items, config.getoption("--wide"))]
    config.hook.pytest_deselected(items=[item for item, keep in zip(items, kept) if not keep])
    items[:] = [item for item, keep in zip(items, kept) if keep]


def _long(items):
    """Whether each of the tests does more with --long: the long campaigns, properties, what has more turns."""
    for item in items:
        property_test = getattr(item, "obj", None) and getattr(item.obj, "is_hypothesis_test", False)
        yield bool(item.get_closest_marker("long") or property_test or "turns" in item.fixturenames)


def _kept(items, wide):
    """Whether each of the tests runs: none of the long campaigns, and either what is wide or all else.

    Of a test that is marked `sample(n)` one case in n runs by default, the first and every n-th after it. In a
    module that is marked `wide` the tests that are marked `quick` run by default.
    """
    cases = Counter()
    for item in items:
        if item.get_closest_marker("long"):
            yield False
            continue
        left_out = item.get_closest_marker("wide") is not None and item.get_closest_marker("quick") is None
        if sample := item.get_closest_marker("sample"):
            test = item.nodeid.partition("[")[0]
            left_out |= cases[test] % sample.args[0] != 0
            cases[test] += 1
        yield left_out == wide


@pytest.fixture(scope="module", autouse=True)
def swept():
    """What the tests of a module have elaborated is full of cycles, and goes with the module."""
    gc.freeze()
    yield
    gc.collect()


@pytest.fixture
def turns(request):
    """`turns(few, many)`: how often something random is tried; often with --long."""
    return lambda few, many: many if request.config.getoption("--long") else few


@pytest.fixture
def seed(request):
    """A seed for random traffic, printed; `SEED=n` in the environment repeats a failed run."""
    value = int(os.environ.get("SEED", "0")) or int.from_bytes(os.urandom(4), "little")
    print(f"{request.node.nodeid}: SEED={value}")
    return value


@pytest.fixture
def seen(tmp_path):
    """``seen(content)``: a `Drive` of these bytes, as the tools of the PC see it."""
    opened = []

    def seen(content):
        path = tmp_path / f"seen{len(opened)}.img"
        path.write_bytes(content)
        opened.append(Drive(path))
        return opened[-1]

    yield seen
    for drive in opened:
        drive.close()

"""What all tests share: hypothesis' profile and the long campaigns."""

import gc
import os

import pytest
from hypothesis import settings

# Elaboration makes millions of objects that live to the end of their test: looking through them
# again and again for cycles took a twentieth of the time.
gc.set_threshold(100_000, 5, 10)

# A slow machine is no failure; a failure must be repeatable from the log alone.
settings.register_profile("default", deadline=None, print_blob=True, max_examples=50)
settings.register_profile("long", deadline=None, print_blob=True, max_examples=2000)


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true",
                     help="also run the long campaigns, and 2000 examples a property")


def pytest_configure(config):
    settings.load_profile("long" if config.getoption("--long") else "default")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="a long campaign: run with --long"))


@pytest.fixture
def seed(request):
    """A seed for random traffic, printed; `SEED=n` in the environment repeats a failed run."""
    value = int(os.environ.get("SEED", "0")) or int.from_bytes(os.urandom(4), "little")
    print(f"{request.node.nodeid}: SEED={value}")
    return value

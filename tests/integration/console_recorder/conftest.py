"""Boards for one test."""

import pytest
from integration.console_recorder.bench import Bench


@pytest.fixture
def board():
    """`board(...)` is a `Bench` of these options."""
    made = []

    def make(**options):
        made.append(Bench(**options))
        return made[-1]

    yield make
    for bench in made:
        bench.close()

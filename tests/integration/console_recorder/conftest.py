"""Boards for one test."""

import pytest
from integration.console_recorder.bench import ConsoleBench


@pytest.fixture
def board():
    """`board(...)` is a `ConsoleBench` of these options."""
    made = []

    def make(**options):
        made.append(ConsoleBench(**options))
        return made[-1]

    yield make
    for bench in made:
        bench.close()

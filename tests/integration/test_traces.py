"""What crosses the dword port is what crossed it before, dword for dword and clock for clock.

A change that is meant to be seen at the port records the hashes again: see `integration.traces`.
"""

import json

import pytest
from integration.traces import JOBS, RECORDED, SEEDS, WAYS, of_job, of_plans
from short import short

_KNOWN = json.loads(RECORDED.read_text())
_PIECE = 40
FIRSTS = range(0, len(SEEDS), _PIECE)
#: The way that is not the default is tried with one measurement.
DEFAULT, OTHER = WAYS


@pytest.mark.wide
@pytest.mark.sample(3)
@pytest.mark.parametrize("way, name", short(
    [(way, name) for way in WAYS for name in JOBS],
    [*((DEFAULT, name) for name in JOBS), (OTHER, next(iter(JOBS)))]))
def test_job(way, name):
    assert of_job(name, way) == tuple(_KNOWN[way]["jobs"][name])


@pytest.mark.wide
@pytest.mark.sample(6)
@pytest.mark.parametrize("way, first", short(
    [(way, first) for way in WAYS for first in FIRSTS],
    [(DEFAULT, first) for first in FIRSTS]))
def test_plans(way, first):
    seeds = SEEDS[first:first + _PIECE]
    found = of_plans(seeds, _KNOWN["kinds"], way)
    assert found == {str(seed): tuple(_KNOWN[way]["plans"][str(seed)]) for seed in seeds}

"""What crosses the dword port is what crossed it before, dword for dword and clock for clock.

A change that is meant to be seen at the port records the hashes anew: see `integration.traces`.
"""

import json

import pytest
from integration.traces import JOBS, RECORDED, SEEDS, of_job, of_plans

_KNOWN = json.loads(RECORDED.read_text())
_PIECE = 40


@pytest.mark.parametrize("name", JOBS)
def test_job(name):
    assert of_job(name) == tuple(_KNOWN["jobs"][name])


@pytest.mark.parametrize("first", range(0, len(SEEDS), _PIECE))
def test_plans(first):
    seeds = SEEDS[first:first + _PIECE]
    found = of_plans(seeds, _KNOWN["kinds"])
    assert found == {str(seed): tuple(_KNOWN["plans"][str(seed)]) for seed in seeds}

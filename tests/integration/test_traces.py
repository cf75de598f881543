"""What crosses the dword port is what crossed it before, dword for dword and clock for clock.

A change that is meant to be seen at the port records the hashes anew: see `integration.traces`.
"""

import json

import pytest
from integration.traces import JOBS, RECORDED, SEEDS, WAYS, of_job, of_plans

_KNOWN = json.loads(RECORDED.read_text())
_PIECE = 40


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", JOBS)
def test_job(name, way):
    assert of_job(name, way) == tuple(_KNOWN[way]["jobs"][name])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("first", range(0, len(SEEDS), _PIECE))
def test_plans(first, way):
    seeds = SEEDS[first:first + _PIECE]
    found = of_plans(seeds, _KNOWN["kinds"], way)
    assert found == {str(seed): tuple(_KNOWN[way]["plans"][str(seed)]) for seed in seeds}

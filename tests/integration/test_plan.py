"""The arithmetic of a plan is what the simulation of the core finds, clock by clock."""

from dataclasses import replace

import pytest
from integration.lasting_cases import CASES as LASTING
from integration.lasting_cases import found as first_loss
from integration.plan_cases import CASES, question
from short import short

from sata_recorder.lab.measurement.source_rate import probe
from sata_recorder.lab.plan import check, critical, fifo_words
from sata_recorder.lab.plan.check import job_of

pytestmark = pytest.mark.wide

#: Those that the default suite runs: one of each way in which a drive lets words wait.
SHORT = [("x25-e", "100MB/s", 2048), ("870-qvo", "150MB/s", 2048),
         ("dc-s3700", "280MB/s", 2048)]


@pytest.mark.quick
def test_there_are_enough_cases():
    assert len(set(CASES)) >= 20 and len({drive for drive, _, _ in CASES}) >= 6
    assert set(SHORT) <= set(CASES)


@pytest.mark.parametrize("case", short([(case,) for case in CASES], [(case,) for case in SHORT[1:]]),
                         ids=["-".join(map(str, case)) for case in CASES])
def test_plan_and_simulation_agree(case):
    found = check(*question(case))
    assert found.agrees, found
    assert found.bytes > 1 << 20


@pytest.mark.wide
@pytest.mark.parametrize("case", short([(case,) for case in SHORT[:2]], [(SHORT[0],)]),
                         ids=[drive for drive, *_ in SHORT[:2]])
def test_the_planned_fifo_loses_nothing_and_three_quarters_of_it_do(case):
    part, short = critical(*question(case))
    depth = fifo_words(part, short)
    job = job_of(part, short)
    assert probe(replace(job, fifo_words=depth)).lost == 0
    assert probe(replace(job, fifo_words=depth * 3 // 4)).lost > 0


#: An SSD and a hard disk.
SHORT_LASTING = [LASTING[0], LASTING[4]]


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", short([(case,) for case in LASTING], [(case,) for case in SHORT_LASTING]),
                         ids=["-".join(map(str, case)) for case in LASTING])
def test_one_lasts_until_the_simulation_loses_its_first_word(case):
    planned, simulated = first_loss(case)
    assert planned == pytest.approx(simulated, rel=0.01)

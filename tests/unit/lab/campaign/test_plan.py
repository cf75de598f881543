"""Plans of a campaign: what is none is refused, and a failing one is made small."""

import pytest
from sata_drive_model.faults import KINDS, Fault

from sata_recorder.lab.campaign import FaultPlan, FaultPlanError, random_plan, shrunk


def test_the_text_of_a_plan_is_the_plan():
    for seed in range(50):
        plan = random_plan(seed, tuple(KINDS))
        assert FaultPlan.of_text(plan.text()) == plan == random_plan(seed, tuple(KINDS))


@pytest.mark.parametrize("text, words", [
    ("{", "not JSON"), ("[]", "not a JSON object"), ('{"core": "gone", "steps": []}', "core"),
    ('{"core": "stop", "steps": [{"operation": "play", "lba": 390}]}', "steps.0: .*lba [+] sectors = 391: at most 390"),
    ('{"core": "stop", "steps": [], "behaviour": {"foo": 1}}', "no field foo"),
    ('{"core": "stop", "steps": [], "line": {"foo": 1}}', "no field foo"),
    ('{"core": "stop", "steps": [{"operation": "play", "faults": [{"kind": "x"}]}]}',
     "steps.0.faults.0.kind"),
])
def test_plans_that_are_none(text, words):
    with pytest.raises(FaultPlanError, match=words):
        FaultPlan.of_text(text)


def test_shrinking_keeps_what_matters():
    plan = random_plan(5, tuple(KINDS))
    wanted = Fault(kind="cominit", clock=77)
    step = plan.steps[0].model_copy(update={"faults": (*plan.steps[0].faults, wanted),
                                            "operation": "record", "sectors": 20})
    plan = plan.model_copy(update={"steps": (*plan.steps, step)})

    def fails(simpler):
        return any(fault.kind == "cominit" and step.sectors >= 5
                   for step in simpler.steps for fault in step.faults)

    small = shrunk(plan, fails)
    assert [(step.operation, step.sectors, step.hold, len(step.faults), step.faults[0].clock)
            for step in small.steps] == [("record", 5, (1, 0), 1, 0)]

"""A campaign of COMMANDs, and of power that is about to fail: what it meets, and that it finds a core or
a drive that does otherwise."""

import json
from collections import Counter

import pytest
from sata_drive_model.faults import KINDS

from sata_recorder.lab.campaign import FaultPlan, FaultPlanError, Step, execute, prepare, random_plan
from sata_recorder.lab.campaign.command_step import COMMANDS, AtaCommand
from sata_recorder.lab.campaign.recording_step import RecordingStep
from sata_recorder.simulation.drive_package import drive_model, reason

pytestmark = pytest.mark.wide

CORES = ("commands", "modes-replay")


@pytest.fixture(scope="module")
def paths():
    return prepare(CORES)[0]


@pytest.fixture(scope="module")
def model():
    return drive_model(reason() is None)


@pytest.mark.parametrize("runs", [100, pytest.param(5000, marks=pytest.mark.long)])
def test_all_commands_with_all_faults(paths, model, runs):
    """Each command is issued and meets a fault, power fails before the end of each operation, and
    nothing is wrong."""
    met, failed = Counter(), Counter()
    for seed in range(70_000, 70_000 + runs):
        plan = random_plan(seed, tuple(KINDS), CORES)
        result = execute(plan, model, paths[plan.core])
        assert not result.problems, (seed, result.problems)
        for step, text in zip(plan.steps, result.steps):
            ending = text.split(": ")[2].partition(",")[0]
            met[step.command, ending] += 1
            failed[plan.core, step.operation] += step.power_fail is not None
    for name in COMMANDS:
        assert met[name, "unharmed"]
    assert {ending for name, ending in met if name} >= {"unharmed", "stopped"}
    assert all(failed[core, operation] for core in CORES for operation in (
        "record", "record_flush", "play", "flush"))


@pytest.mark.parametrize("step", [
    Step(operation="record", lba=20, sectors=40, power_fail=900),
    Step(operation="record", lba=20, sectors=8, command="WRITE DMA", power_fail=100_000),
    Step(operation="record", lba=20, sectors=100, stop_after=9000, power_fail=50,
         recording=RecordingStep(mode="RING")),
], ids=["record", "COMMAND", "ring"])
def test_a_drive_that_keeps_its_cache_in_standby(monkeypatch, paths, model, step):
    """What `power_safe` promises is not what the drive has done."""
    core = "modes-replay" if step.recording else "commands"
    plan = FaultPlan(core=core, steps=(step,))
    assert not execute(plan, model, paths[core]).problems
    monkeypatch.setattr(model.VolatileImage, "flush", lambda self: None)
    found = execute(plan, model, paths[core])
    assert found.check == "power" and "in the drive's cache" in found.problems[0]


def test_a_command_that_goes_elsewhere(monkeypatch, paths, model):
    """As if the core did not do as the task file states."""
    plan = FaultPlan(core="commands", steps=(
        Step(operation="record", lba=20, sectors=4, command="WRITE SECTORS"),))
    assert not execute(plan, model, paths["commands"]).problems
    true = AtaCommand.controls
    for change in {"task_command": 0xE5, "task_pio": 0}, {"task_count": 5}:
        with monkeypatch.context() as patch:
            patch.setattr(AtaCommand, "controls",
                          lambda self, step, lba48: true(self, step, lba48) | change)
            found = execute(plan, model, paths["commands"])
        assert found.check in ("command", "stray", "data"), found.problems


def test_a_command_that_the_drive_never_answers(monkeypatch, paths, model):
    """It ends by its timeout, and only then nothing is wrong."""
    plan = FaultPlan(core="commands", silent="smart", steps=(
        Step(operation="flush", command="SMART RETURN STATUS"), Step(operation="record", lba=20, sectors=4)))
    result = execute(plan, model, paths["commands"])
    assert not result.problems and "TIMEOUT" in result.steps[0]
    answering = plan.model_copy(update={"silent": None})
    monkeypatch.setattr(FaultPlan, "leaves_unanswered", lambda self, step: True)
    found = execute(answering, model, paths["commands"])
    assert found.problems[0] == "command: SMART RETURN STATUS has no answer, and ended with NONE"


def test_silence_only_where_a_recovery_ends_it():
    """Without one it ends the recording."""
    drawn = {core: {random_plan(seed, tuple(KINDS), (core,)).silent for seed in range(200)}
             for core in ("heat+no-recovery", "heat+no-journal")}
    assert drawn["heat+no-recovery"] == {None} and "smart" in drawn["heat+no-journal"]


@pytest.mark.parametrize("fields, text", [
    ({"core": "stop", "steps": [{"operation": "flush", "command": "FLUSH CACHE"}]}, "no commands"),
    ({"core": "modes", "steps": [{"operation": "flush", "power_fail": 5}]}, "no power_fail"),
    ({"core": "commands", "steps": [{"operation": "play", "command": "WRITE DMA"}]}, "together"),
])
def test_plans_that_cannot_be(fields, text):

    with pytest.raises(FaultPlanError, match=text):
        FaultPlan.of_text(json.dumps(fields))

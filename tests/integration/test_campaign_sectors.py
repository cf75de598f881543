"""Campaigns on drives with logical sectors of 4096 bytes, and that they find what is wrong with those."""

import pytest
from integration.test_campaign import alone, mutant
from sata_drive_model.faults import KINDS, Fault

from sata_recorder.lab.campaign import CORES, FaultPlan, Step, campaign, execute, prepare, random_plan
from sata_recorder.core.recorder.resume_point import ResumePoint
from sata_recorder.core.sequencer.logical_sector import LogicalSector
from sata_recorder.core.sequencer.task_file import TaskFileEncoder
from sata_recorder.simulation.drive_package import drive_model, reason

pytestmark = pytest.mark.wide

NAMES = tuple(name for name, core in CORES.items() if core.long_logical_sectors)
SKIP = "4k-skip"


@pytest.fixture(scope="module")
def prepared():
    return prepare((SKIP,))


@pytest.fixture(scope="module")
def model(prepared):
    return drive_model(reason() is None)


def plan(*steps, logical=8, **fields):
    return FaultPlan(core=SKIP, logical=logical, steps=steps, **fields)


def test_runs(prepared):
    summary = campaign(30, 700_000, alone, prepared, shrink_seconds=0)
    assert not [(failure.seed, failure.problems[:3]) for failure in summary.failures]
    assert summary.runs == 30


def test_plans_have_such_drives():
    """Most of them, with extents that split a logical sector among them; all are the same as a text."""
    plans = [random_plan(seed, tuple(KINDS), NAMES) for seed in range(200)]
    long = [one for one in plans if one.logical == 8]
    assert 120 < len(long) < 190 and {one.core for one in long} == {*NAMES}
    assert any(fault.identity == "sector" for one in long for fault in one.faults)
    extents = [step for one in long for step in one.steps if step.operation != "flush"]
    split = [step for step in extents if step.lba % 8 or step.sectors % 8]
    assert 0 < len(split) < len(extents) / 4
    assert all(FaultPlan.of_text(one.text()) == one for one in plans)


def test_what_splits_a_sector_is_refused(prepared, model):
    path = prepared[0][SKIP]
    for lba, sectors in ((4, 8), (8, 12), (8, 7)):
        for operation in "record", "play", "record_flush":
            result = execute(plan(Step(operation=operation, lba=lba, sectors=sectors)), model, path)
            assert not result.problems and "SECTOR_SIZE" in result.steps[0], result
    result = execute(plan(Step(operation="record", lba=4, sectors=8), logical=1), model, path)
    assert not result.problems and "NONE" in result.steps[0]


@pytest.mark.long
def test_two_thousand_runs():
    summary = campaign(2000, 800_000, alone, prepare(NAMES), shrink_seconds=0)
    assert not [(failure.seed, failure.problems[:3]) for failure in summary.failures]


def lba_as_it_is(encoder, m):
    """The drive gets the LBA in sectors of 512 bytes."""
    m.d.comb += encoder.spec.registers.lba.eq(encoder.lba)


def refuses_nothing(sector, m):
    """An extent that splits a logical sector is moved."""
    m.d.sync += sector.splits.eq(0)


def begins_within(point, m):
    """A recording continues after the sector of 512 bytes of its last word."""
    m.d.sync += point.recovery.resume_offset[:2].eq(3)


@pytest.mark.long
@pytest.mark.parametrize("kind, change, steps", [
    (TaskFileEncoder, lba_as_it_is, (Step(operation="record", lba=8, sectors=8),)),
    (LogicalSector, refuses_nothing, (Step(operation="record", lba=4, sectors=8),)),
    (ResumePoint, begins_within, tuple(
        Step(operation="record", lba=64, sectors=48, faults=(Fault(kind="link_loss", clock=clock, clocks=50),))
        for clock in range(900, 4000, 450)))])
def test_core_with_a_fault(monkeypatch, prepared, model, kind, change, steps):
    wanted = plan(*steps)
    assert not execute(wanted, model, prepared[0][SKIP]).problems
    path = mutant(monkeypatch, kind, change, SKIP)
    assert execute(wanted, model, path).problems

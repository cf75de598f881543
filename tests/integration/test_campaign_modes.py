"""A campaign of recordings in modes: what it meets, and that it finds a core that does otherwise."""

from collections import Counter

import pytest
from sata_drive_model.faults import KINDS, Fault

from sata_recorder.lab.campaign import FaultPlan, Step, execute, prepare, random_plan
from sata_recorder.lab.campaign.recording_step import RecordingStep
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Compiled, Session
from sata_recorder.simulation.drive_package import drive_model, reason

pytestmark = pytest.mark.wide

CORES = ("modes", "modes-replay", "modes-skip")


@pytest.fixture(scope="module")
def paths():
    return prepare(CORES)[0]


@pytest.fixture(scope="module")
def model():
    return drive_model(reason() is None)


@pytest.mark.parametrize("runs", [100, pytest.param(5000, marks=pytest.mark.long)])
def test_all_modes_with_all_faults(paths, model, runs):
    """Each mode is recorded in, rings wrap, each mode met a fault, and nothing is wrong."""
    met, wraps = Counter(), 0
    for seed in range(50_000, 50_000 + runs):
        plan = random_plan(seed, tuple(KINDS), CORES)
        result = execute(plan, model, paths[plan.core])
        assert not result.problems, (seed, result.problems)
        for step, text in zip(plan.steps, result.steps):
            if step.recording:
                ending = text.split(": ")[2].partition(",")[0]
                met[step.recording.mode, ending] += 1
                done = int(text.split(" done")[0].split()[-1])
                wraps += step.recording.mode == "RING" and done > step.sectors
    for mode in RecordingMode:
        assert met[mode.name, "unharmed"]
        assert any(met[mode.name, ending] for ending in ("recovered", "skipped", "stopped"))
    assert {ending for _, ending in met} == {"unharmed", "recovered", "skipped", "stopped"}
    assert wraps


RING = {"mode": "RING", "position": 3}
THREE = {"mode": "TRIGGERED", "words": 300, "part": 40, "chunk": 4, "segments": 3,
         "triggers": ((7000, 0), (7100, 3), (20_000, 0), (30_000, 7))}


@pytest.mark.parametrize("recording, otherwise, check", [
    (RING, {"position": 4}, "data"),
    ({"mode": "FIXED", "words": 2000}, {"words": 2001}, "count"),
    ({"mode": "FIXED", "words": 2000, "position": 1}, {"position": 0}, "stray"),
    ({"mode": "UNTIL_STOPPED"}, {"mode": 0, "words": 1000}, "count"),
    (RING, {"mode": 1}, "count"),
    (THREE, {"words": 301}, "segments"),
    (THREE, {"extend": 1}, "segments"),
    (THREE, {"part": 41}, "oldest"),
    (THREE, {"segments": 2}, "segments"),
], ids=str)
def test_a_core_that_records_otherwise(monkeypatch, paths, model, recording, otherwise, check):
    """What the core is told is not what the plan states: as if it did not do as it is told."""
    step = Step(operation="record", lba=20, sectors=130, stop_after=40_000, recording=recording)
    plan = FaultPlan(core="modes", steps=(step,))
    result = execute(plan, model, paths["modes"])
    assert not result.problems, result.problems
    true = RecordingStep.controls.fget
    monkeypatch.setattr(RecordingStep, "controls", property(
        lambda self: true(self) | {f"recording_{name}": value
                                   for name, value in otherwise.items()}))
    found = execute(plan, model, paths["modes"])
    assert found.check == check, found.problems


def test_commands_of_any_length_are_passed_over_ahead_of_their_words(paths, model):
    """Six of them, before the stream has come so far: nothing is wrong with that."""
    step = Step(operation="record", lba=20, sectors=48, stop_after=2000, hold=(5, 1),
                recording=RING | {"ahead": 65536}, faults=(Fault(kind="abort", clock=1500, count=12),))
    result = execute(FaultPlan(core="modes-skip", steps=(step,)), model, paths["modes-skip"])
    assert not result.problems and "skipped, NONE" in result.steps[0]


def test_what_is_passed_over_behind_a_stop(monkeypatch, paths, model):
    """The stop comes to the core late, with no word meanwhile: as if it passed over more after the stop."""
    step = Step(operation="record", lba=20, sectors=48, stop_after=2000, hold=(5, 1),
                recording=RING | {"ahead": 65536}, faults=(Fault(kind="abort", clock=1500, count=30),))
    plan = FaultPlan(core="modes-skip", steps=(step,))
    result = execute(plan, model, paths["modes-skip"])
    assert not result.problems and "skipped, NONE" in result.steps[0]
    monkeypatch.setattr("sata_recorder.lab.campaign.source_run._STREAM", 2000)
    true, late = Compiled.set, []

    def later(self, **controls):
        late.extend([1] if controls.pop("stop", 0) else ())
        true(self, **controls)

    def wait(self, until, wait=Session.wait):
        if late:
            self.engine.run(10_000, until)
            true(self.engine, stop=late.pop())
        return wait(self, until)

    monkeypatch.setattr(Compiled, "set", later)
    monkeypatch.setattr(Session, "wait", wait)
    found = execute(plan, model, paths["modes-skip"])
    assert found.check == "count" and "written" in found.problems[0], found.problems


def test_trim_of_more_than_the_core_tells(monkeypatch, paths, model):
    """The core has another distance than the plan, or the drive takes a sector too many."""
    step = Step(operation="record", lba=20, sectors=60, stop_after=20_000,
                recording=RING | {"trim_ahead": 5})
    plan = FaultPlan(core="modes-skip", smart=True, steps=(step,))
    result = execute(plan, model, paths["modes-skip"])
    assert not result.problems, result.problems
    true = RecordingStep.controls_of
    with monkeypatch.context() as patch:
        patch.setattr(RecordingStep, "controls_of", lambda self, core: true(self, core) | {"trim_ahead": 15})
        # When the latest TRIM came decides.
        assert "oldest" in {execute(FaultPlan(core="modes-skip", smart=True, steps=(
            step.model_copy(update={"stop_after": words}),)), model, paths["modes-skip"]).check
            for words in range(20_000, 23_000, 500)}
        patch.setattr(RecordingStep, "controls_of", lambda self, core: true(self, core) | {"trim_ahead": 0})
        assert execute(plan, model, paths["modes-skip"]).check == "trim"

    class Greedy(model.DiskImage):
        def discard(self, lba, count):
            super().discard(lba, min(count + 1, 80 - lba))
    monkeypatch.setattr(model, "DiskImage", Greedy)
    assert execute(plan.model_copy(update={"volatile": False}), model, paths["modes-skip"]).check == "data"


def test_a_sector_that_the_ring_wrote_elsewhere(monkeypatch, paths, model):
    """The drive loses one write of a later lap: what is there is of the lap before."""
    class Forgetful(model.DiskImage):
        laps = 0

        def write(self, offset, data):
            if offset <= 512 * 25 < offset + len(data) and len(data) < 512 * 100:
                Forgetful.laps += 1
                if Forgetful.laps == 3:
                    return
            super().write(offset, data)

    plan = FaultPlan(core="modes", volatile=False, steps=(
        Step(operation="record", lba=20, sectors=30, stop_after=30 * 128 * 3, recording=RING),))
    assert not execute(plan, model, paths["modes"]).problems
    monkeypatch.setattr(model, "DiskImage", Forgetful)
    found = execute(plan, model, paths["modes"])
    assert found.check == "data" and Forgetful.laps >= 3


def test_a_trigger_in_the_clocks_in_which_a_part_begins(paths, model):
    """It counts as one between two parts: its words are some later, and nothing is wrong with that."""
    triggers = ((154, 0), (369, 0), (1537, 0))
    step = Step(operation="record", sectors=99, stop_after=1537, recording={
        "mode": "TRIGGERED", "part": 33, "chunk": 4, "triggers": triggers})
    result = execute(FaultPlan(core="modes", volatile=False, steps=(step,)), model, paths["modes"])
    assert not result.problems and "1539 words" in result.steps[0], result


#: Looks at what a slow stream has recorded: the latest sectors, the oldest one, and what is not there yet.
LOOKS = ({"words": 5000, "offset": -8, "count": 8}, {"words": 7000, "origin": "oldest"},
         {"words": 9000, "offset": 1}, {"words": 9500, "count": 9})


def looked(looks=LOOKS, **fields):
    step = Step(operation="record", lba=20, sectors=60, stop_after=12_000, hold=(5, 1),
                recording=RING | {"looks": looks}, **fields)
    return FaultPlan(core="modes", volatile=False, steps=(step,))


def test_looks_while_it_records(paths, model):
    result = execute(looked(), model, paths["modes"])
    assert not result.problems, result.problems
    assert "looks READY, READY, GONE, OUT_OF_RANGE" in result.steps[0]
    # Of the Data FISes that come from the drive the first is the first look's: that fails, the recording goes
    # on.
    bad = {"kind": "bad_crc", "fis": "data"}
    for plan in (looked(faults=(Fault(**bad),)), looked([LOOKS[0] | {"faults": (bad,)}, *LOOKS[1:]])):
        assert [fault.kind for fault in plan.faults] == ["bad_crc"]
        result = execute(plan, model, paths["modes"])
        assert not result.problems, result.problems
        assert "unharmed, NONE, 94 done" in result.steps[0] and "looks FAILED, READY, GONE" in result.steps[0]


@pytest.mark.parametrize("output, change, words", [
    ("look_data", lambda value: value ^ 1, "other words"),
    ("look_state", lambda value: 4 if value == 3 else value, "is gone, and the sectors"),
    ("look_state", lambda value: 5 if value == 3 else value, "failed without a fault"),
    ("look_state", lambda value: 1 if value == 3 else value, "is WAITS after its recording"),
    ("look_state", lambda value: 2 if value == 3 else value, "is READS after its recording"),
    ("looks", lambda value: value + 1, "are counted as ready"),
    ("look_clocks", lambda value: value // 100, "clocks of"),
])
def test_a_core_that_looks_otherwise(monkeypatch, paths, model, output, change, words):
    """An output of the core is another: as if it looked elsewhere, or said what is not so."""
    one, every = Compiled.output, Compiled.outputs
    monkeypatch.setattr(Compiled, "output", lambda self, name: (
        change(one(self, name)) if name == output else one(self, name)))
    monkeypatch.setattr(Compiled, "outputs", lambda self: (
        (found := every(self)) | ({output: change(found[output])} if output in found else {})))
    found = execute(looked(LOOKS[:1]), model, paths["modes"])
    assert found.check == "look" and any(words in text for text in found.problems), found.problems


def test_a_look_at_another_sector(monkeypatch, paths, model):
    """The core reads one sector further than it was asked to."""
    true = Compiled.set
    monkeypatch.setattr(Compiled, "set", lambda self, **controls: true(self, **(
        controls | ({"look_sector": controls["look_sector"] - 1} if controls.get("look_sector") else {}))))
    found = execute(looked(), model, paths["modes"])
    assert found.check == "look" and "other words" in found.problems[0], found.problems


def test_plans_with_looks():
    """Cores with modes have them, and a plan of a core without is none; what is as its default is not
    told."""
    plans = [random_plan(seed, tuple(KINDS), (*CORES, "fua-modes", "4k-modes")) for seed in range(100)]
    looks = [look for plan in plans for step in plan.steps if step.recording for look in step.recording.looks]
    assert len(looks) > 60 and any(look.withdrawn is not None for look in looks)
    assert all(FaultPlan.of_text(plan.text()) == plan for plan in plans)
    with pytest.raises(ValueError, match="4k-fua-modes has no looks"):
        FaultPlan(core="4k-fua-modes", steps=looked().steps)

"""Campaigns: that the core passes one, and that a core with a fault does not."""

from pathlib import Path

import pytest
from amaranth.hdl import Signal
from integration.learning import copied, hits_of, learn_at_once
from sata_drive_model.faults import KINDS, Fault
from short import short

from sata_recorder.core import SataRecorder
from sata_recorder.interface import named_ports
from sata_recorder.simulation import Compiled
from sata_recorder.simulation.build import compiled, rtlil
from sata_recorder.lab.campaign import (CORES, FaultPlan, Step, campaign, execute, prepare,
                                    random_plan, run_piece, shrunk)
from sata_recorder.lab.campaign.recording_step import RecordingStep
from sata_recorder.simulation.drive_package import drive_model, reason
from sata_recorder.simulation.fast_paths import FastPaths
from sata_recorder.simulation.signals import controls, outputs
from sata_recorder.core.recorder import Recorder
from sata_recorder.core.sequencer.extent_splitter import ExtentSplitter

pytestmark = pytest.mark.wide

def alone(items):
    """What a pool of processes does, in this one."""
    for index, piece in items:
        yield index, run_piece(piece, lambda *_: None)


#: Cores that have between them what all others have, but for what `test_campaign_sectors` is about.
FEW = ("stop", "replay", "skip", "drop", "single", "long", "modes-replay", "fua-modes", "named-minimal",
       "named-everything")


@pytest.fixture(scope="module")
def prepared():
    return prepare(FEW)


@pytest.fixture(scope="module")
def model(prepared):
    """The package of the drive model: the compiled one, where it can be."""
    return drive_model(reason() is None)


def mutant(monkeypatch, kind, change, core="skip"):
    """A library of a core in which ``change(component, m)`` is added to components of ``kind``."""
    original = kind.elaborate

    def elaborate(self, platform):
        m = original(self, platform)
        change(self, m)
        return m

    monkeypatch.setattr(kind, "elaborate", elaborate)
    configuration = CORES[core]
    made = SataRecorder(configuration)
    return compiled(rtlil(made, named_ports(made)), controls(configuration),
                    results=outputs(configuration))


def replays_too_far(splitter, m):
    """The command that follows a failed one goes one sector too far."""
    failed = Signal()
    with m.If(splitter.next):
        m.d.sync += failed.eq(0)
        with m.If(failed):
            m.d.sync += splitter.command_lba.eq(splitter.command_lba + 1)
    with m.If(splitter.resume.rewind):
        m.d.sync += failed.eq(1)


def gives_nothing(recorder, m):
    """A recording has no data for the drive."""
    m.d.comb += recorder.port.write_data.valid.eq(0)


# The core ---------------------------------------------------------------------------------------

def test_two_hundred_runs(prepared):
    summary = campaign(200, 20_000, alone, prepared, shrink_seconds=0)
    failures = [(failure.seed, failure.problems[:3]) for failure in summary.failures]
    assert not failures, failures
    assert summary.runs == 200 and summary.clocks > 1_000_000
    # Every kind has struck, and the endings differ.
    assert {kind for kind, ending in summary.met if ending != "not met"} == set(KINDS)
    assert {ending for _, ending in summary.met} >= {"unharmed", "recovered", "skipped", "stopped"}


def test_flush_between_commands(monkeypatch):
    """Faults in FLUSH CACHE and around it: what is said to be flushed is."""
    monkeypatch.setitem(CORES, "modes-skip", CORES["modes-skip"].model_copy(update={
        "flush_commands": 2}))
    summary = campaign(80, 50_000, alone, prepare(("modes-skip",)), shrink_seconds=0)
    assert not [(failure.seed, failure.problems[:3]) for failure in summary.failures]
    assert summary.runs == 80 and "recovered" in {ending for _, ending in summary.met}


def test_misaligned_commands_are_counted_as_they_crossed(prepared, model, monkeypatch):
    """A drive that says something else than what it is makes the campaign find a wrong count."""
    plan = FaultPlan(core="skip", physical=8, offset=3, steps=(
        Step(operation="record", lba=5, sectors=30),))
    assert not execute(plan, model, prepared[0]["skip"]).problems
    lies = model.Drive

    def drive(*arguments, alignment, **options):
        return lies(*arguments, alignment=0, **options)
    monkeypatch.setattr(model, "Drive", drive)
    assert execute(plan, model, prepared[0]["skip"]).check == "misaligned"


@pytest.mark.parametrize("words, found", [(26, 1), (3000, 2)])
def test_words_that_are_all_there_before_the_drive_was_asked(monkeypatch, prepared, model, words, found):
    """The last one stops the recording, which asks no more then: of many words, and in the last operation,
    another answer than the plan's is found."""
    step = Step(operation="record", lba=20, sectors=40, recording=RecordingStep(mode="FIXED", words=words))
    plan = FaultPlan(core="fua-modes", smart=True, steps=(step,))
    assert not execute(plan, model, prepared[0]["fua-modes"]).problems
    health = model.Health
    monkeypatch.setattr(model, "Health", lambda **_: health(temperatures=False))
    result = execute(plan, model, prepared[0]["fua-modes"])
    assert [text.partition(":")[0] for text in result.problems] == ["health"] * found


def test_the_few_have_all_options():
    """Whatever one of the other cores has, and is no number."""
    def options(names):
        return {(field, value) for name in names for field, value in CORES[name].model_dump().items()
                if field not in ("long_logical_sectors", "source_clock", "source_waits")
                and isinstance(value, (bool, str))}
    assert options(FEW) == options(CORES)
    assert any(CORES[name].smart_commands for name in FEW)


def test_cores_of_two_options():
    """Two drawn ones; more with ``campaign --pairs``."""
    summary = campaign(40, 60_000, alone, prepare(("frames+look", "queue+no-recovery")), shrink_seconds=0)
    assert not [(failure.seed, failure.problems[:3]) for failure in summary.failures]
    assert summary.runs == 40


def test_cores_with_a_source():
    """Stops and triggers come beside the source, which has a clock of its own, and may lose beats."""
    summary = campaign(60, 80_000, alone, prepare(("source", "source-modes-lose")), shrink_seconds=0)
    assert not [(failure.seed, failure.problems[:3]) for failure in summary.failures]
    assert summary.runs == 60


def test_a_wrong_place_beside_a_source_is_found(model, monkeypatch):
    """A stop that comes with the first word of its beat in place of the last one; a count that is too small."""
    plan = FaultPlan(core="source", steps=(Step(operation="record", lba=5, sectors=30, stop_after=1000),))
    lossy = FaultPlan(core="source-modes-lose", source_rate=(9, 20), steps=(
        Step(operation="record", lba=5, sectors=30, recording=RecordingStep(mode="FIXED")),))
    path = prepare(("source", "source-modes-lose"))[0]
    assert not execute(plan, model, path["source"]).problems
    assert not execute(lossy, model, path["source-modes-lose"]).problems
    came, shown = Compiled.came, Compiled.outputs
    monkeypatch.setattr(Compiled, "came", lambda engine: [
        (control, before, after + 2) for control, before, after in came(engine)])
    assert execute(plan, model, path["source"]).check == "stop"
    monkeypatch.setattr(Compiled, "came", came)
    monkeypatch.setattr(Compiled, "outputs", lambda engine: (found := shown(engine)) | {
        "source_lost": found["source_lost"] - 1})
    assert execute(lossy, model, path["source-modes-lose"]).check == "lost"


def test_cores_with_a_memory():
    summary = campaign(60, 70_000, alone, prepare(("memory", "memory-modes")), shrink_seconds=0)
    assert not [(failure.seed, failure.problems[:3]) for failure in summary.failures]
    assert summary.runs == 60


@pytest.mark.long
def test_five_thousand_runs():
    summary = campaign(5000, 100_000, alone, prepare(tuple(CORES)), shrink_seconds=0)
    failures = [(failure.seed, failure.problems[:3]) for failure in summary.failures]
    assert not failures, failures


def test_a_seed_is_a_run(prepared, model):
    """The same again, and whether the drive is compiled or not."""
    paths, _ = prepared
    for seed in range(30_000, 30_006):
        plan = random_plan(seed, tuple(KINDS), tuple(paths))
        assert plan == random_plan(seed, tuple(KINDS), tuple(paths)) == FaultPlan.of_text(plan.text())
        results = [execute(plan, package, paths[plan.core])
                   for package in (model, drive_model(False))]
        assert results[0] == results[1] and results[0].clocks > 500


@pytest.mark.parametrize("core", short(list(CORES), ["single", "modes-replay"]))
def test_fast_paths_change_nothing(monkeypatch, tmp_path, model, core):
    """Each run is the same to the clock on a core that has learned others' paths, and learns its own."""
    library = Path(prepare((core,))[0][core])
    plans = [random_plan(seed, tuple(KINDS), (core,)) for seed in range(70_000, 70_006)]
    expected = [execute(plan, model, str(library)) for plan in plans]
    learn_at_once(monkeypatch, clocks=4000)
    learning = copied(library, tmp_path / "cores")
    assert [execute(plan, model, str(learning)) for plan in plans] == expected
    # Once more with the paths that it has now: they do more than a quarter of the clocks.
    monkeypatch.setattr(FastPaths, "look", lambda paths: None)
    before, missed_before = hits_of(learning)
    assert [execute(plan, model, str(learning)) for plan in plans] == expected
    hits, missed = hits_of(learning)
    assert len(hits) > 1 and 3 * (sum(hits) - sum(before)) > missed - missed_before


# A campaign that finds something ----------------------------------------------------------------

def test_core_that_replays_to_the_wrong_sector(monkeypatch, prepared, model):
    """Found, made small, and still found when it is read from its file."""
    paths, _ = prepared
    path = mutant(monkeypatch, ExtentSplitter, replays_too_far)
    line, behaviour = {"line_rate": (2, 3)}, {"r_ok_delay": 5}
    plan = FaultPlan(core="skip", seed=3, line=line, behaviour=behaviour, steps=(
        Step(operation="flush", faults=(Fault(kind="bad_crc"),)),
        Step(operation="record", lba=7, sectors=30, hold=(50, 10), faults=(
            Fault(kind="refused", fis="data", nth=1), Fault(kind="repeated", clock=300)))))
    assert not execute(plan, model, paths["skip"]).problems
    result = execute(plan, model, path)
    assert result.check in ("data", "stray"), result

    def fails(simpler):
        return execute(simpler, model, path).check == result.check

    small = shrunk(plan, fails, seconds=30)
    assert fails(small)
    assert len(small.steps) == 1 and not small.behaviour and not small.line
    [step] = small.steps
    assert step.operation == "record" and step.hold == (1, 0) and step.sectors < 30
    assert [fault.kind for fault in step.faults] == ["refused"]
    assert fails(FaultPlan.of_text(small.text()))
    assert not execute(small, model, paths["skip"]).problems


@pytest.mark.parametrize("check, step, tamper", [
    ("data", {"operation": "record"}, "image"),
    ("stray", {"operation": "play"}, "image"),
    ("data", {"operation": "play"}, "stream"),
])
def test_checks_of_the_content(monkeypatch, prepared, model, check, step, tamper):
    """A drive that tampers with a sector behind the core's back."""
    paths, _ = prepared

    class Tampering(model.DiskImage):
        def write(self, offset, data):
            super().write(offset, data)
            if tamper == "image" and offset == 512 * 4 and step["operation"] == "record":
                super().write(512 * 5, b"x" * 512)

        def read(self, offset, size):
            found = super().read(offset, size)
            if size <= 8192 and offset <= 512 * 5 < offset + size and step["operation"] == "play":
                if tamper == "image":
                    super().write(512 * 300, b"x" * 512)
                else:
                    at = 512 * 5 - offset
                    found = found[:at] + bytes(512) + found[at + 512:]
            return found

    monkeypatch.setattr(model, "DiskImage", Tampering)
    plan = FaultPlan(core="stop", volatile=False, steps=(Step(lba=4, sectors=4, **step),))
    assert execute(plan, model, paths["stop"]).check == check


def test_a_core_that_hangs(monkeypatch, prepared, model):
    path = mutant(monkeypatch, Recorder, gives_nothing)
    plan = FaultPlan(core="skip", steps=(Step(operation="record", sectors=2),))
    assert execute(plan, model, path).check == "hang"


@pytest.mark.parametrize("kinds", [("unsolicited", "missing"), ("unsolicited",)])
def test_made_up_data(prepared, kinds):
    """A Data FIS that nobody asked for never passes for data: the count shows it, or in the place
    of the one that is due the repetition."""
    faults = {"unsolicited": Fault(kind="unsolicited", clock=51, fis="data", value=80),
              "missing": Fault(kind="missing", fis="data")}
    plan = FaultPlan(core="skip", seed=1, steps=(
        Step(operation="play", sectors=1, faults=tuple(faults[kind] for kind in kinds)),))
    paths, compiled = prepared
    result = execute(plan, drive_model(compiled), paths["skip"])
    assert not result.problems
    assert {found for _, found in result.met} == {"stopped"}


@pytest.mark.parametrize("core, fault, second", [
    ("replay", Fault(kind="overlong", fis="data", count=3),
     Fault(kind="bad_crc", fis="data", nth=1)),
    ("drop", Fault(kind="repeated", fis="data", count=3), Fault(kind="unplug", clock=680,
                                                                clocks=235)),
])
def test_a_broken_rule_and_a_failed_link(prepared, core, fault, second):
    """Two failures that together once gave wrong words and no error: they were delivered before
    the link failed, and nothing but the repetition of the command shows it."""
    behaviour = {"data_fis_dwords": 128 if core == "drop" else 50, "data_latency": 150}
    plan = FaultPlan(core=core, seed=7, behaviour=behaviour, steps=(
        Step(operation="play", sectors=4, hold=(1, 0), faults=(fault, second)),))
    paths, compiled = prepared
    result = execute(plan, drive_model(compiled), paths[core])
    assert not result.problems, result
    assert result.met == [(fault.kind, "stopped"), (second.kind, "stopped")]
    assert "PROTOCOL" in result.steps[0]


@pytest.mark.parametrize("stop", [30, 103, 127])
def test_a_stop_behind_wrong_words(prepared, stop):
    """As above, and the user stops while the command is repeated: he has the wrong words."""
    behaviour = {"data_fis_dwords": [1, 2048], "pio_dwords": 64, "identify_latency": [0, 200],
                 "set_device_bits_idle": [10, 3000], "pm_request_idle": [100, 5000],
                 "throttle": [36, [30, 200]], "underrun": [[20, 400], 2], "collision": 0.2}
    plan = FaultPlan(core="long", seed=510000579, behaviour=behaviour, line={"line_rate": (2, 3)},
                     physical=8, offset=6, steps=(Step(operation="play", stop_after=stop, faults=(
                         Fault(kind="link_loss", clock=108), Fault(kind="overlong", fis="data"))),))
    paths, compiled = prepared
    result = execute(plan, drive_model(compiled), paths["long"])
    assert not result.problems, result
    assert "PROTOCOL" in result.steps[0]


#: The drive is another one of the same model in two operations in a row.
CHANGED_TWICE = """{"core": "replay", "seed": 90007155, "line": {"line_rate": [1, 2], "skew": 1},
 "steps": [
  {"operation": "record", "lba": 300, "sectors": 4, "hold": [213, 272], "faults": [
    {"kind": "cominit", "clock": 187}, {"kind": "escaped", "clock": 786, "dword": 5},
    {"kind": "altered", "clock": 901, "clocks": 10399, "identity": "model"}]},
  {"operation": "play", "sectors": 4, "faults": [
    {"kind": "altered", "clock": 311, "clocks": 1, "identity": "model"}]}]}"""


def test_the_core_has_seen_the_first_drive_before_the_second_change(prepared, model):
    """Else the second one is no change: it is the drive that the core knows."""
    plan = FaultPlan.of_text(CHANGED_TWICE)
    result = execute(plan, model, prepared[0][plan.core])
    assert result.problems == []
    assert [step for step in result.steps[:2] if "OTHER_DRIVE" in step] == result.steps[:2]


def test_faults_of_a_step_do_not_reach_the_next_one(prepared, model):
    """The second change is due just after the operation has ended, when the first drive is back."""
    plan = FaultPlan.of_text("""{"core": "stop", "seed": 1798, "steps": [
        {"operation": "flush", "faults": [
            {"kind": "altered", "clock": 187}, {"kind": "altered", "identity": "lba48"}]}]}""")
    result = execute(plan, model, prepared[0][plan.core])
    assert result.problems == []
    assert result.met == [("altered", "stopped"), ("altered", "not met")]

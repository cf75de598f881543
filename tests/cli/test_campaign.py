"""`sata-recorder campaign` as a user calls it: refusals, a campaign, a replay."""

import pytest
from integration.benches import MEASURED

from sata_recorder.lab import campaign as package
from sata_recorder.lab.campaign import Failure, FaultPlan, Result, Step

PLAN = FaultPlan(core="stop", steps=(Step(operation="play", sectors=2),))


@pytest.mark.parametrize("arguments, words", [
    (["--faults", "foo"], "--faults foo: 'foo' is no kind of fault"),
    (["--cores", "stop,foo"], "--cores stop,foo: 'foo' is no core of campaigns: they are stop,"),
    (["--cores", "queue+modes"], "--cores queue+modes: queue+modes: queue and modes exclude each other"),
    (["--pairs", "300"], "--pairs 300: there are"),
    (["--runs", "0"], "Invalid value for '-n' / '--runs'"),
    (["--jobs", "0"], "Invalid value for '-j' / '--jobs'"),
    (["--keep", "file/folder"], "--keep file/folder: cannot be made"),
    (["--replay", "missing.json"], "--replay missing.json: cannot be read: No such file"),
    (["--replay", "file"], "--replay file: not JSON"),
    (["--replay", "plan.json"], "--replay plan.json: steps.0.sectors"),
    (["--replay", "file", "--runs", "3"], "--replay: not together with --runs"),
    (["--vcd", "w.vcd"], "--vcd w.vcd: only together with --replay"),
    (["--replay", "good.json", "--vcd", "no/w.vcd"], "--vcd no/w.vcd: cannot be written: No such"),
    (["--replay", "good.json", "--vcd", "good.json"], "the same file as --replay"),
])
def test_refusals(run, tmp_path, arguments, words):
    (tmp_path / "file").write_text("nothing")
    (tmp_path / "plan.json").write_text(
        '{"core": "stop", "steps": [{"operation": "play", "sectors": 0}]}')
    (tmp_path / "good.json").write_text(PLAN.text())
    result = run("campaign", *arguments)
    assert result.exit_code == 2 and words in result.stderr
    assert "Traceback" not in result.output
    assert (tmp_path / "good.json").read_text() == PLAN.text()
    assert not list(tmp_path.glob("*.vcd"))


@pytest.mark.wide
def test_good_campaign_and_replay(run, tmp_path, monkeypatch):
    result = run("campaign", "--runs", 12, "--seed", 40, "--jobs", 1, "--cores", "stop",
                 "--faults", "link,media", "--keep", "kept")
    assert result.exit_code == 0, result.output
    assert "12 runs, seeds 40 to 51: all good" in result.stdout
    assert "link_loss" in result.stdout and "bad_crc" not in result.stdout
    assert not (tmp_path / "kept").exists()        # nothing to keep
    (tmp_path / "plan.json").write_text(PLAN.text())
    monkeypatch.setitem(package.CORES, "stop", MEASURED)
    result = run("campaign", "--replay", "plan.json")
    assert result.exit_code == 0, result.output
    assert "0: play 2 sectors from 0: unharmed, NONE, 2 done" in result.stdout
    assert "good" in result.stdout
    with_waves = run("campaign", "--replay", "plan.json", "--vcd", "plan.vcd")
    assert (with_waves.exit_code, with_waves.stdout) == (0, result.stdout)
    waves = (tmp_path / "plan.vcd").read_text()
    assert waves.startswith("$timescale") and " tx_data $end" in waves


def test_failures_are_told_and_kept(run, tmp_path, monkeypatch):
    def failing(runs, seed, workers, prepared, **options):
        summary = package.Summary(runs=runs, clocks=1, seconds=1.0)
        summary.failures.append(Failure(seed + 1, PLAN, ["data: sector 3 is [wrong]"]))
        return summary

    monkeypatch.setattr(package, "campaign", failing)
    monkeypatch.setattr(package, "replay", lambda *_: Result(problems=["hang: [for ever]"]))
    result = run("campaign", "--runs", 5, "--cores", "stop", "--keep", "kept")
    assert result.exit_code == 1
    assert "seed 1 failed" in result.stdout and "data: sector 3 is [wrong]" in result.stdout
    assert "1 failed" in result.stdout
    path = tmp_path / "kept" / "seed-1.json"
    assert FaultPlan.of_text(path.read_text()) == PLAN
    result = run("campaign", "--replay", path)
    assert result.exit_code == 1 and "hang: [for ever]" in result.stdout

"""`sata-recorder measure --smart`: what the simulated drive reports of itself before and after."""

import json
from pathlib import Path

import pytest

from sata_recorder.report import page

SMALL = "--sectors", 40, "--max-command", 16


@pytest.mark.long
def test_before_and_behind(run):
    done = run("measure", *SMALL, "--smart", "--written", 30_000, "--json", "-", "--report", "page.html")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["good"] and told["configuration"]["commands"]
    before, after = (told["smart"][when] for when in ("before", "behind"))
    assert (before["health"]["worn"], before["health"]["verdict"]) == (60, "good")
    counts = [{one["number"]: one["raw"] for one in reading["attributes"]} for reading in (before, after)]
    assert counts[0][241] == 58_593_750_000
    assert {n: counts[1][n] - counts[0][n] for n in counts[0] if counts[1][n] != counts[0][n]} == {
        241: 40, 242: 40}
    assert Path("page.html").read_text(encoding="utf-8") == page.render(told)
    assert "what the drive reports about itself, by SMART: a simulated drive" in done.stderr
    assert "write amplification" in done.stderr and "58,593,750,040" in done.stderr


@pytest.mark.long
def test_a_drive_that_takes_no_writes(run):
    done = run("measure", *SMALL, "--smart", "--written", 69_000, "--json", "-")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert "record ended with error DRIVE_ERROR" in told["problems"][0]
    assert told["smart"]["behind"]["health"]["verdict"] == "failing"
    assert "no spare blocks are left" in done.stderr


@pytest.mark.long
def test_in_a_mode(measured):
    told = measured(*SMALL, "--smart", "--mode", "ring", "--stop-after", 9000)
    assert [told["smart"][when]["failure"] for when in ("before", "behind")] == [None, None]


def test_icarus_is_refused(run):
    done = run("measure", *SMALL, "--smart", "--engine", "icarus")
    assert done.exit_code == 2 and "--smart: the engine icarus has no pins for it" in done.output

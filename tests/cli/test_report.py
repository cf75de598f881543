"""`sata-recorder measure --report` and `--plots`."""

import json
import re
from pathlib import Path

import pytest

from sata_recorder.report import page
from unit.report.test_page import test_every_number_of_the_ledger as check_ledger


@pytest.mark.wide
def test_of_a_real_measurement(run):
    done = run("measure", "--sectors", 64, "--max-command", 16, "--input-rate", "100MB/s",
               "--fifo-words", 64, "--json", "-", "--report", "report.html", "--plots", "plots")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    text = Path("report.html").read_text(encoding="utf-8")
    assert text == page.render(data)
    check_ledger((data, text))
    assert re.findall(r"<h3>(.*?)</h3>\n<div class=\"picture\" tabindex=\"0\"><svg", text) == 2 * [
        "Where the time went", "Throughput", "Buffer", "Time of each command",
        "Overhead between commands"]
    assert len(list(Path("plots").iterdir())) == 20


def test_a_report_that_cannot_be_written(run):
    done = run("measure", "--sectors", 8, "--report", "missing/report.html")
    assert done.exit_code != 0
    assert "missing/report.html" in done.stderr and "Traceback" not in done.stderr

"""The recorders of examples/recorders, each by the command that its page prints."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sata_recorder.interface.configuration import Configuration

pytestmark = pytest.mark.wide

FOLDER = Path(__file__).resolve().parents[2] / "examples/recorders"
NAMES = "logger", "adc", "camera", "rf", "pair"


def ran(*arguments, **environment):
    return subprocess.run([sys.executable, FOLDER / "run.py", *arguments], text=True, capture_output=True,
                          env=os.environ | environment)


def measured(name, folder):
    """The figures of a recorder."""
    result = ran(name, "--folder", folder)
    assert result.returncode == 0, result.stderr
    figures = json.loads((folder / f"{name}.json").read_text())
    # One line of the output is for each of them.
    assert len(result.stdout.splitlines()) == len(figures)
    assert figures["lost"] == 0
    return figures


@pytest.mark.quick
@pytest.mark.parametrize("name", NAMES)
def test_configurations(name):
    """Each is one of a core as it is built: nothing is scaled for the simulation."""
    text = (FOLDER / f"{name}.toml").read_text()
    assert Configuration.from_toml(FOLDER / f"{name}.toml").clock_hz == 75e6
    # Each option has its reason beside it.
    assert all("# " in line for line in text.splitlines() if line)


# Its rate is low, so there are many clocks for few bytes.
@pytest.mark.long
def test_logger(tmp_path):
    figures = measured("logger", tmp_path)
    assert figures["files"] == 2 and figures["bytes"] > 1000
    assert figures["mb_per_s"] == pytest.approx(10, rel=0.001)


@pytest.mark.wide
def test_adc(tmp_path):
    figures = measured("adc", tmp_path)
    assert figures["mb_per_s"] == pytest.approx(200, rel=0.001)
    # The stall is longer than the FIFOs of the core hold samples: the rest was in the memory.
    assert figures["stall_us"] * 200 / 4 > 2 * 1024 < figures["memory_words"]


@pytest.mark.wide
def test_camera(tmp_path):
    figures = measured("camera", tmp_path)
    assert figures["mb_per_s"] == pytest.approx(280, rel=0.001)
    assert figures["segments"] == 2 and figures["lines"] == 12 and figures["memory_words"] > 2 * 1024


@pytest.mark.wide
def test_rf(tmp_path):
    figures = measured("rf", tmp_path)
    assert figures["mb_per_s"] == pytest.approx(245.76, rel=0.001)
    assert figures["frames"] >= 3 and figures["pulses"] >= 2
    assert figures["underruns"] == 0 and 0 < figures["least_level"] < 1024


# Minutes each: Yosys and nextpnr on the whole recorder.
@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_synthesis(name):
    """Each has a netlist, and a placement that its clock allows."""
    result = ran(name, "--synth")
    assert result.returncode == 0, result.stderr
    found = dict(line.split(maxsplit=1) for line in result.stdout.replace("LUT RAM", "LUT-RAM").splitlines())
    assert int(found["LUT4"].replace(",", "")) > 3000 and int(found["BRAM"].split()[0]) > 2
    reached, needed = (float(text) for text in re.findall(r"([\d.]+) MHz", found["clock"]))
    assert reached > needed == 75


def test_synthesis_keeps_nothing(tmp_path):
    result = ran("adc", "--synth", "--folder", tmp_path / "kept")
    assert result.returncode == 2 and "leave out --folder" in result.stderr
    assert not (tmp_path / "kept").exists()


def test_a_name_that_there_is_not():
    result = ran("sonar")
    assert result.returncode and "sonar" in result.stderr and "camera" in result.stderr
    assert "Traceback" not in result.stderr


def test_without_icarus(tmp_path):
    result = ran("adc", PATH=str(tmp_path))
    assert result.returncode == 1 and "iverilog" in result.stderr and "Traceback" not in result.stderr


# Icarus simulates two cores, and the lanes between them.
@pytest.mark.long
def test_pair(tmp_path):
    figures = measured("pair", tmp_path)
    assert figures["mb_per_s"] == pytest.approx(245.76, rel=0.001)
    assert figures["frames"] > 4 and figures["stall_us"] > 1 and figures["bytes"] > 2 * 16384

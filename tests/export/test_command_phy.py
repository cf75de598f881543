"""`sata-recorder verilog --phy`: what it writes, and everything it refuses."""

import json
import re

import pytest
from click.testing import CliRunner

from sata_recorder.cli.verilog import verilog as command
from sata_recorder.interface.configuration import Configuration
from sata_recorder.export import BACK_ENDS, INSTANCE, description, template, verilog

pytestmark = pytest.mark.wide


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(command, ["-o", "core.v", *arguments])
    return run


def test_writes_all_files(run, tmp_path):
    result = run("--phy", "ecp5", "--phy-option", "dual=1", "--phy-option", "package=CABGA554",
                 "--template", "core.vh", "--json", "core.json", "--constraints", "core.lpf",
                 "--buffer-words", "256", "--clock-hz", "100e6")
    assert result.exit_code == 0, result.output
    assert result.output.splitlines() == ["wrote core.v", "wrote core.vh", "wrote core.json",
                                          "wrote core.lpf"]
    configuration = Configuration(buffer_words=256, clock_hz=100e6)
    back_end = BACK_ENDS["ecp5"](dual=1, package="CABGA554")
    assert (tmp_path / "core.v").read_text() == verilog(configuration, back_end)
    assert (tmp_path / "core.vh").read_text() == template(configuration, back_end)
    assert (tmp_path / "core.lpf").read_text() == back_end.constraints(INSTANCE, 100e6)
    assert json.loads((tmp_path / "core.json").read_text()) == description(configuration, back_end)


def test_constraints_of_a_source(run, tmp_path):
    """Both ways between its clock and the core's, at the instance of the template."""
    result = run("--source-clock", "--template", "core.vh", "--constraints", "core.xdc")
    assert result.exit_code == 0, result.output
    told = (tmp_path / "core.xdc").read_text()
    name, = re.findall(r"^sata_recorder (\w+) \(", (tmp_path / "core.vh").read_text(), re.MULTILINE)
    assert name == INSTANCE
    assert f"get_pins {name}/clk]" in told and f"get_pins {name}/s_axis_aclk]" in told
    assert re.findall(r"set_max_delay -datapath_only -from \$(\w+) -to \$(\w+) \$\w+_bound", told) == [
        (f"{name}_core", f"{name}_source"), (f"{name}_source", f"{name}_core")]


def test_constraints_of_both_streams(run, tmp_path):
    result = run("--source-clock", "--playback-clock", "--constraints", "core.xdc")
    assert result.exit_code == 0, result.output
    assert re.findall(r"get_pins (\w+/\w+)", (tmp_path / "core.xdc").read_text()) == [
        f"{INSTANCE}/{clock}" for clock in ("clk", "s_axis_aclk", "m_axis_aclk")]


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ["xdc", "sdc"])
def test_constraints_run_in_tcl(run, tmp_path, kind):
    """Both ways between the core's clock and each other one: no longer than the shorter period."""
    tcl = pytest.importorskip("tkinter").Tcl()
    result = run("--source-clock", "--playback-clock", "--constraints", f"core.{kind}")
    assert result.exit_code == 0, result.output
    tcl.eval(f"""
        set ports {{clk core s_axis_aclk source m_axis_aclk playback}}
        set periods {{core 13.3 source 10.0 playback 40.0}}
        proc get_pins pin {{ return [dict get $::ports [file tail $pin]] }}
        proc get_clocks args {{ return [lindex $args end] }}
        proc get_property {{name clock}} {{ return [dict get $::periods $clock] }}
        proc set_max_delay args {{ lappend ::delays {{*}}[lmap one $args {{ if {{$one eq "-datapath_only"}} continue
            set one }}] }}
        proc set_min_delay args {{}}
        foreach {{name period}} $periods {{
            set {INSTANCE}_${{name}}_clock $name
            set {INSTANCE}_${{name}}_period $period
        }}""")
    tcl.eval((tmp_path / f"core.{kind}").read_text())
    assert tcl.eval("set delays").split() == [
        word for begin, end, bound in (("core", "source", "10.0"), ("source", "core", "10.0"),
                                       ("core", "playback", "13.3"), ("playback", "core", "13.3"))
        for word in ("-from", begin, "-to", end, bound)]


@pytest.mark.wide
def test_registers_of_the_phy(run, tmp_path):
    result = run("--phy", "ecp5", "--control", "axi-lite", "--svd", "a.svd", "--header", "a.h")
    assert result.exit_code == 0, result.output
    assert "PHY_STATE" in (tmp_path / "a.svd").read_text()
    assert "SATA_RECORDER_PHY_STATE_OFFSET" in (tmp_path / "a.h").read_text()


@pytest.mark.quick
@pytest.mark.sample(9)
@pytest.mark.parametrize("arguments, words", [
    (["--phy", "gth"], "--phy gth: there is no such PHY; PHYs: ecp5, gtp, gtx"),
    (["--phy-option", "dual=1"], "--phy-option dual=1: there is no PHY, it needs --phy"),
    (["--constraints", "a.lpf"], "--constraints a.lpf: there is no PHY, it needs --phy"),
    (["--source-clock", "--constraints", "a.lpf"],
     "--constraints a.lpf: without --phy they are for Vivado, in a file whose name ends in .xdc, or for tools that "
     "read SDC, in one that ends in .sdc"),
    (["--phy", "ecp5", "--phy-option", "dual"], "--phy-option dual: it must be NAME=VALUE"),
    (["--phy", "ecp5", "--phy-option", "dual=1", "--phy-option", "dual=0"],
     "--phy-option dual=0: dual was given before, as 1"),
    (["--phy", "ecp5", "--phy-option", "dual=7"], "--phy-option dual=7: it must be 0 or 1"),
    (["--phy", "ecp5", "--phy-option", "x=7"], "--phy ecp5: there is no option x; options: dual"),
    (["--phy", "ecp5", "--clock-hz", "50e6"],
     "--phy ecp5: clock_hz is 5e+07, at Gen2 it must be at least 75e6"),
    (["--phy", "ecp5", "--constraints", "core.v"], "--constraints core.v: with --phy ecp5 the name must end in .lpf"),
    (["--phy", "ecp5", "--template", "core.v"], "--template core.v: the same file"),
])
def test_refused(run, tmp_path, arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.output and "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == [], "nothing is left half done"

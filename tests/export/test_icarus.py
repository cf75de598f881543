"""Icarus Verilog on the one exported file."""

import subprocess
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner
from export.frozen import PORTS
from short import short

pytestmark = pytest.mark.wide


def compiled(*arguments):
    return subprocess.run(["iverilog", "-Wall", *map(str, arguments)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.mark.sample(10)
@pytest.mark.parametrize("standard", ["-g2001", "-g2005", "-g2012"])
def test_no_warning(file, standard):
    result = compiled(standard, "-s", "sata_recorder", "-o", file.with_suffix(".out"), file)
    assert (result.returncode, result.stdout) == (0, "")


def test_in_a_users_design(file, configuration):
    """The file stands alone, and its names leave the user's own alone."""
    ports = PORTS[configuration.control]
    user = file.with_name("user.v")
    nets = "".join(f"  wire [{width - 1}:0] {name};\n" for _, name, width in ports)
    pins = ", ".join(f".{name}({name})" for _, name, _ in ports)
    names = ("top", "link", "phy", "transport", "command", "sequencer", "recorder", "buffer",
             "core", "bank")
    user.write_text("".join(f"module {name}; endmodule\n" for name in names if name != "top") +
                    f"module top;\n{nets}  sata_recorder link ({pins});\nendmodule\n")
    result = compiled("-s", "top", "-o", file.with_suffix(".out"), user, file)
    assert (result.returncode, result.stdout) == (0, "")


@pytest.mark.quick
@pytest.mark.parametrize("configuration", short(["pins", "axi-lite"], ["axi-lite"]), indirect=True,
                         scope="session")
def test_no_x_after_reset(file, configuration):
    """No output is X after reset, whatever the inputs do."""
    runner = get_runner("icarus")
    folder = file.parent / "build"
    runner.build(sources=[file], hdl_toplevel="sata_recorder", build_dir=folder,
                 timescale=("1ns", "1ps"))
    results = runner.test(test_module="export.no_x", hdl_toplevel="sata_recorder", build_dir=folder,
                          test_dir=Path(__file__).parent, results_xml=folder / "results.xml",
                          extra_env={"CONTROL": configuration.control})
    assert get_results(results) == (2, 0)

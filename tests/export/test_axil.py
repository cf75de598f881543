"""The exported core on AXI4-Lite, in Icarus, with cocotbext-axi and the drive model."""

from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from sata_recorder.interface.configuration import Configuration
from sata_recorder.export import verilog
from short import short

pytestmark = pytest.mark.wide


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """The compiled core."""
    folder = tmp_path_factory.mktemp("axil")
    (folder / "core.v").write_text(verilog(Configuration(
        clock_hz=1e6, buffer_words=256, command_timeout=0.05, control="axi-lite")))
    runner = get_runner("icarus")
    runner.build(sources=[folder / "core.v"], hdl_toplevel="sata_recorder", build_dir=folder,
                 timescale=("1ns", "1ps"))
    return runner


@pytest.mark.parametrize("repetition", short(range(2), [0]))
def test_with_random_stalls(runner, tmp_path, seed, repetition):
    results = runner.test(test_module="export.axil_bench", hdl_toplevel="sata_recorder",
                          test_dir=Path(__file__).parent, results_xml=tmp_path / "results.xml",
                          extra_env={"SEED": str(seed), "COCOTB_LOG_LEVEL": "WARNING"})
    assert get_results(results) == (2, 0)

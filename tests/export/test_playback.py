"""The exported core with an m_axis of any width in a clock of its own, in Icarus, with cocotbext-axi and the drive
model."""

from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from sata_recorder.export import verilog
from sata_recorder.interface.configuration import Configuration

LONG = pytest.mark.long


@pytest.fixture(scope="module")
def runner(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("playback")
    (folder / "core.v").write_text(verilog(Configuration(
        clock_hz=1e6, buffer_words=4096, max_command_sectors=8, retries=0, playback_width=request.param,
        playback_clock=True, playback_fill=12)))
    runner = get_runner("icarus")
    runner.build(sources=[folder / "core.v"], hdl_toplevel="sata_recorder", build_dir=folder,
                 timescale=("1ns", "1ps"))
    runner.width = request.param
    return runner


@pytest.mark.parametrize("runner", [64, *(pytest.param(width, marks=LONG) for width in (8, 16, 32, 128))],
                         indirect=True)
@pytest.mark.parametrize("period", [9900, *(pytest.param(period, marks=LONG) for period in (3334, 10_000, 30_000))])
def test_plays_stops_and_fails(runner, tmp_path, seed, period):
    results = runner.test(test_module="export.playback_bench", hdl_toplevel="sata_recorder",
                          test_dir=Path(__file__).parent, results_xml=tmp_path / "results.xml",
                          extra_env={"SEED": str(seed), "WIDTH": str(runner.width), "PERIOD": str(period),
                                     "COCOTB_LOG_LEVEL": "WARNING"})
    assert get_results(results) == (2, 0)

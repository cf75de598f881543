"""The exported core with a memory, in Icarus, with cocotbext-axi's RAM and the drive model."""

from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from sata_recorder.export import verilog
from sata_recorder.interface.configuration import Configuration


@pytest.mark.parametrize("width, base", [(128, 1 << 20), pytest.param(64, 0, marks=pytest.mark.long)])
def test_records_and_plays(tmp_path, seed, width, base):
    """What was recorded is on the drive and comes back; nothing outside of the memory is written."""
    (tmp_path / "core.v").write_text(verilog(Configuration(
        clock_hz=1e6, buffer_words=512, max_command_sectors=16, ledger=False, memory=1 << 20, memory_width=width,
        memory_base=base, retain_sectors=16)))
    runner = get_runner("icarus")
    runner.build(sources=[tmp_path / "core.v"], hdl_toplevel="sata_recorder", build_dir=tmp_path,
                 timescale=("1ns", "1ps"))
    results = runner.test(test_module="export.memory_bench", hdl_toplevel="sata_recorder",
                          test_dir=Path(__file__).parent, results_xml=tmp_path / "results.xml",
                          extra_env={"SEED": str(seed), "WIDTH": str(width), "BASE": str(base),
                                     "COCOTB_LOG_LEVEL": "WARNING"})
    assert get_results(results) == (1, 0)

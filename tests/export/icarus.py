"""The exported core in Icarus: compiled, and under a bench of cocotb."""

from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from sata_recorder.export import verilog

__all__ = ["built", "results_of"]


def built(folder, configuration):
    """The runner of the core that ``configuration`` describes, compiled in ``folder``."""
    (folder / "core.v").write_text(verilog(configuration))
    runner = get_runner("icarus")
    runner.build(sources=[folder / "core.v"], hdl_toplevel="sata_recorder", build_dir=folder, timescale=("1ns", "1ps"))
    return runner


def results_of(runner, bench, folder, **environment):
    """How many tests of the module ``export.BENCH`` there were, and how many failed; it sees ``environment``."""
    return get_results(runner.test(
        test_module=f"export.{bench}", hdl_toplevel="sata_recorder", test_dir=Path(__file__).parent,
        results_xml=folder / "results.xml",
        extra_env={"COCOTB_LOG_LEVEL": "WARNING"} | {name: str(value) for name, value in environment.items()}))

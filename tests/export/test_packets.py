"""Packets of a stream in frames: the exported core with a source of its own clock, in Icarus, and what a PC reads."""

from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner
from export.packet_bench import PLAIN, STREAM, contents

from sata_recorder.export import verilog
from sata_recorder.interface.configuration import Configuration
from sata_recorder.pc.vita49 import frames, packets
from sata_recorder.pc.volume import DiskReader

LONG = pytest.mark.long


@pytest.mark.parametrize("width", [64, *(pytest.param(width, marks=LONG) for width in (32, 128))])
@pytest.mark.parametrize("period", [9900, *(pytest.param(period, marks=LONG) for period in (3334, 30_000))])
def test_packets_come_back(tmp_path, seed, width, period):
    """Each with its tlast, whole, but for the one whose begin is in another recording."""
    image = tmp_path / "drive.img"
    (tmp_path / "core.v").write_text(verilog(Configuration(
        clock_hz=1e6, buffer_words=256, ledger=False, frames=True, frame_packets=True, source_width=width,
        source_clock=True)))
    runner = get_runner("icarus")
    runner.build(sources=[tmp_path / "core.v"], hdl_toplevel="sata_recorder", build_dir=tmp_path,
                 timescale=("1ns", "1ps"))
    results = runner.test(test_module="export.packet_bench", hdl_toplevel="sata_recorder",
                          test_dir=Path(__file__).parent, results_xml=tmp_path / "results.xml",
                          extra_env={"SEED": str(seed), "WIDTH": str(width), "PERIOD": str(period),
                                     "IMAGE": str(image), "COCOTB_LOG_LEVEL": "WARNING"})
    assert get_results(results) == (1, 0)
    with DiskReader(image) as opened:
        found = list(packets(frames(opened)))
    expected, place = [], 0
    for content in contents(seed, width):
        rest = content[max(0, PLAIN - place):]
        if rest:
            expected.append((STREAM, rest == content, rest))
        place += len(content)
    assert [(one.stream_id, one.whole, content) for one, content in found] == expected

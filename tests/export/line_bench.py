"""Runs in the simulator: the lines of a stream in a clock of its own become one file, whose log has their lengths."""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamFrame
from export.file_source import file_source, start_file


def lines_of(seed, kind):
    """The lines of a file: all but the last of one length, each of its own, or more that differ than a log keeps."""
    rng = random.Random(seed)
    if kind == "equal":
        sizes = [203] * 20 + [66]
    else:
        sizes = [rng.randint(1, 300) for _ in range(20)] if kind == "some" else [5 + 16 * (n % 2) for n in range(60)]
    return [rng.randbytes(size) for size in sizes]


@cocotb.test(timeout_time=8, timeout_unit="ms")
async def lines_of_a_stream(dut):
    seed = int(os.environ["SEED"])
    source = await file_source(dut, seed)
    await start_file(dut)
    for line in lines_of(seed, os.environ["KIND"]):
        await source.send(AxiStreamFrame(line))
    await source.wait()
    dut.source_stop.value = 1
    await RisingEdge(dut.file_done)
    await RisingEdge(dut.clk)
    assert (int(dut.file_error.value), int(dut.file_drive_error.value)) == (0, 0)

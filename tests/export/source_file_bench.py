"""Runs in the simulator: a wide stream in a clock of its own becomes files of a prepared drive."""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamFrame
from export.file_source import file_source, start_file


def contents(seed, width):
    """Files whose last beat has any number of bytes."""
    rng = random.Random(seed)
    return [rng.randbytes(512 * rng.randint(0, 3) + rng.randint(1, width // 8)) for _ in range(3)]


@cocotb.test(timeout_time=8, timeout_unit="ms")
async def one_file_after_another(dut):
    seed, width = int(os.environ["SEED"]), int(os.environ["WIDTH"])
    source = await file_source(dut, seed)
    for content in contents(seed, width):
        # Each begins before its file does: the source waits.
        await source.send(AxiStreamFrame(content))
        await start_file(dut)
        await RisingEdge(dut.file_done)
        await RisingEdge(dut.clk)
        told = int(dut.file_error.value), int(dut.file_drive_error.value), int(dut.file_bytes.value)
        assert told == (0, 0, len(content)), told

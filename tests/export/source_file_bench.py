"""Runs in the simulator: a wide stream in a clock of its own becomes files of a prepared drive."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSource
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

from sata_recorder.interface import CONTROL, FILE, IDENTIFY, JOURNAL, LEDGER, SOURCE, STATUS

INPUTS = [port.name for group in (CONTROL, STATUS, IDENTIFY, LEDGER, JOURNAL, FILE, SOURCE)
          for port in group.ports.values() if port.direction == "input"]


def contents(seed, width):
    """Files whose last beat has any number of bytes."""
    rng = random.Random(seed)
    return [rng.randbytes(512 * rng.randint(0, 3) + rng.randint(1, width // 8)) for _ in range(3)]


@cocotb.test(timeout_time=8, timeout_unit="ms")
async def one_file_after_another(dut):
    seed, width = int(os.environ["SEED"]), int(os.environ["WIDTH"])
    rng = random.Random(seed)
    DriveBus.from_prefix(dut, "phy", dut.clk, Drive(DiskImage(os.environ["IMAGE"])), seed=seed)
    dut.rst.value = 1
    for pin in INPUTS:
        getattr(dut, pin).value = 0
    Clock(dut.clk, 10_000, unit="ps").start()
    Clock(dut.s_axis_aclk, int(os.environ["PERIOD"]), unit="ps").start()
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.s_axis_aclk, dut.rst)
    source.set_pause_generator(iter(lambda: rng.random() < 0.3, None))
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    for content in contents(seed, width):
        # Each begins before its file does: the source waits.
        await source.send(AxiStreamFrame(content))
        while not dut.file_ready.value:
            await RisingEdge(dut.clk)
        dut.file_start.value = 1
        await RisingEdge(dut.clk)
        dut.file_start.value = 0
        await RisingEdge(dut.file_done)
        await RisingEdge(dut.clk)
        told = int(dut.file_error.value), int(dut.file_drive_error.value), int(dut.file_bytes.value)
        assert told == (0, 0, len(content)), told

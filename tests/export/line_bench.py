"""Runs in the simulator: the lines of a stream in a clock of its own become one file, whose log has their lengths."""

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
    while not dut.file_ready.value:
        await RisingEdge(dut.clk)
    dut.file_start.value = 1
    await RisingEdge(dut.clk)
    dut.file_start.value = 0
    for line in lines_of(seed, os.environ["KIND"]):
        await source.send(AxiStreamFrame(line))
    await source.wait()
    dut.source_stop.value = 1
    await RisingEdge(dut.file_done)
    await RisingEdge(dut.clk)
    assert (int(dut.file_error.value), int(dut.file_drive_error.value)) == (0, 0)

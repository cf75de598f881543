"""Runs in the simulator: a stream in a clock of its own at a core that makes files, and a prepared drive."""

import os
import random

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamSource
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

from sata_recorder.interface import CONTROL, FILE, IDENTIFY, JOURNAL, LEDGER, SOURCE, STATUS

INPUTS = [port.name for group in (CONTROL, STATUS, IDENTIFY, LEDGER, JOURNAL, FILE, SOURCE)
          for port in group.ports.values() if port.direction == "input"]


async def file_source(dut, seed):
    """The source of a core that was reset, with pauses in its stream. The drive has the image ``IMAGE``, and a clock of
    the source takes ``PERIOD`` picoseconds."""
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
    return source


async def start_file(dut):
    """Begins a file once the core is ready for one."""
    while not dut.file_ready.value:
        await RisingEdge(dut.clk)
    dut.file_start.value = 1
    await RisingEdge(dut.clk)
    dut.file_start.value = 0

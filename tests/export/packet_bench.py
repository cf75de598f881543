"""Runs in the simulator: the core that puts packets of a wide stream into frames, and the drive model at its dword
port. What it has written is left in a file."""

import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSource
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

from sata_recorder.interface import CONTROL, FRAME, IDENTIFY, JOURNAL, LEDGER, SOURCE, STATUS

INPUTS = [port.name for group in (CONTROL, STATUS, IDENTIFY, LEDGER, JOURNAL, FRAME, SOURCE)
          for port in group.ports.values() if port.direction == "input"]
RECORD, SECTORS, STREAM = 1, 400, 9


#: Bytes of a recording without frames, which takes the first ones.
PLAIN = 1024


def contents(seed, width):
    """The packets, of any number of beats."""
    rng = random.Random(seed)
    return [rng.randbytes(width // 8 * rng.choice([1, 2, 7, 100, 600])) for _ in range(14)]


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def packets_of_a_stream(dut):
    seed, width = int(os.environ["SEED"]), int(os.environ["WIDTH"])
    rng = random.Random(seed)
    bus = DriveBus.from_prefix(dut, "phy", dut.clk, Drive(DiskImage(sectors=SECTORS)), seed=seed)
    dut.rst.value = 1
    for pin in INPUTS:
        getattr(dut, pin).value = 0
    Clock(dut.clk, 10_000, unit="ps").start()
    Clock(dut.s_axis_aclk, int(os.environ["PERIOD"]), unit="ps").start()
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.s_axis_aclk, dut.rst, byte_lanes=width // 8)
    source.set_pause_generator(iter(lambda: rng.random() < 0.2, None))
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    while not dut.ready.value:
        await RisingEdge(dut.clk)
    for content in contents(seed, width):
        await source.send(AxiStreamFrame(content))
    for frame, lba, sectors in (0, SECTORS - 2, PLAIN // 512), (1, 0, SECTORS - 2):
        if frame:
            await RisingEdge(dut.done)
        for name, value in {"frame_enable": frame, "frame_stream_id": STREAM, "operation": RECORD, "lba": lba,
                            "sectors": sectors, "start": 1}.items():
            getattr(dut, name).value = value
        await RisingEdge(dut.clk)
        dut.start.value = 0
    await source.wait()
    dut.source_stop.value = 1
    await RisingEdge(dut.done)
    assert not dut.error.value
    Path(os.environ["IMAGE"]).write_bytes(bus.port.drive.image.read_sectors(0, SECTORS - 2))

"""Runs in the simulator: several channels are one recording in frames, a file or sectors of the drive model."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSource
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

from sata_recorder.interface import CHANNEL, CONTROL, FILE, FRAME, IDENTIFY, JOURNAL, LEDGER, STATUS

INPUTS = [port.name for group in (CHANNEL, CONTROL, STATUS, IDENTIFY, LEDGER, JOURNAL, FRAME, FILE)
          for port in group.ports.values() if port.direction == "input"]
RECORD, STREAM, LBA, SECTORS = 1, 9, 8, 800
#: Bits of a beat of a channel, and how probable a beat is in a clock.
WIDTH, RATES = 8, (0.9, 0.1, 0.4)


def contents(seed):
    """What each channel sends."""
    rng = random.Random(seed)
    return [rng.randbytes(size) for size in (2403, 205, 1002)]


async def source_of(dut, number, content, seed):
    """All of ``content``, with pauses."""
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, f"s{number}_axis"), dut.clk, dut.rst)
    rng = random.Random(seed + number)
    source.set_pause_generator(iter(lambda: rng.random() >= RATES[number], None))
    await source.send(AxiStreamFrame(content))
    return source


@cocotb.test(timeout_time=8, timeout_unit="ms")
async def channels_of_a_recording(dut):
    seed, filed = int(os.environ["SEED"]), hasattr(dut, "file_start")
    DriveBus.from_prefix(dut, "phy", dut.clk, Drive(DiskImage(os.environ["IMAGE"])), seed=seed)
    dut.rst.value = 1
    for pin in INPUTS:
        if hasattr(dut, pin):
            getattr(dut, pin).value = 0
    Clock(dut.clk, 10_000, unit="ps").start()
    sources = [await source_of(dut, number, content, seed) for number, content in enumerate(contents(seed))]
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    while not (dut.file_ready if filed else dut.ready).value:
        await RisingEdge(dut.clk)
    start = dut.file_start if filed else dut.start
    for name, value in {"frame_stream_id": STREAM, "operation": RECORD, "lba": LBA, "sectors": SECTORS}.items():
        getattr(dut, name).value = value
    start.value = 1
    await RisingEdge(dut.clk)
    start.value = 0
    for source in sources:
        await source.wait()
    stop = dut.file_stop if filed else dut.stop
    stop.value = 1
    await RisingEdge(dut.clk)
    stop.value = 0
    await RisingEdge(dut.file_done if filed else dut.done)
    await RisingEdge(dut.clk)
    assert not (dut.file_error if filed else dut.error).value
    for number in range(len(sources)):
        dut.channel_select.value = number
        await ClockCycles(dut.clk, 3)
        assert (int(dut.channel_lost.value), int(dut.channel_left.value)) == (0, 0)

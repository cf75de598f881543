"""Runs in the simulator: the core with a memory, cocotbext-axi's RAM as that, and the drive model at its dword port."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiRam, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

from sata_recorder.interface import CONTROL, IDENTIFY, JOURNAL, LEDGER, MEMORY, STATUS

SEED, WIDTH, BASE = int(os.environ["SEED"]), int(os.environ["WIDTH"]), int(os.environ["BASE"])
SIZE = 1 << 20
INPUTS = [port.name for group in (CONTROL, STATUS, IDENTIFY, LEDGER, JOURNAL, MEMORY) for port in group.ports.values()
          if port.direction == "input"]
PLAY, RECORD = 0, 1


class MemoryBench:
    """A core that was reset, its drive, source, sink and memory, all with random pauses of their own."""

    def __init__(self, dut):
        self.dut = dut
        self.rng = random.Random(SEED)
        self.bus = DriveBus.from_prefix(dut, "phy", dut.clk, Drive(DiskImage(sectors=4000)), seed=SEED)
        self.image = self.bus.port.drive.image
        dut.rst.value = 1
        for pin in INPUTS:
            getattr(dut, pin).value = 0
        Clock(dut.clk, 10_000, unit="ps").start()
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst, byte_lanes=4)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst, byte_lanes=4)
        self.ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=BASE + SIZE)
        self.ram.write(0, self.rng.randbytes(BASE + SIZE))

    def pause(self, *channels):
        for channel in channels:
            share = self.rng.choice([0, 0.1, 0.4])
            channel.set_pause_generator(iter(lambda share=share: self.rng.random() < share, None))

    async def operate(self, operation, lba, sectors):
        dut = self.dut
        for name, value in {"operation": operation, "lba": lba, "sectors": sectors, "start": 1}.items():
            getattr(dut, name).value = value
        await RisingEdge(dut.clk)
        dut.start.value = 0
        await RisingEdge(dut.done)
        assert not dut.error.value and not dut.memory_failure.value


@cocotb.test(timeout_time=6, timeout_unit="ms")
async def records_and_plays(dut):
    b = MemoryBench(dut)
    writes, reads = b.ram.write_if, b.ram.read_if
    b.pause(b.source, b.sink, writes.aw_channel, writes.w_channel, writes.b_channel, reads.ar_channel, reads.r_channel)
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    while not dut.ready.value:
        await RisingEdge(dut.clk)
    before = b.ram.read(0, BASE)
    for lba, sectors in ((10, 1), (300, 60), (7, 33)):
        content = b.rng.randbytes(512 * sectors)
        await b.source.send(AxiStreamFrame(content))
        await b.operate(RECORD, lba, sectors)
        assert b.image.read_sectors(lba, sectors) == content
        assert b.ram.read(BASE, len(content)) == content
        await b.operate(PLAY, lba, sectors)
        played = await b.sink.recv()
        assert bytes(played.tdata) == content
    assert b.ram.read(0, BASE) == before

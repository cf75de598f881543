"""Runs in the simulator: the core with an m_axis of any width in a clock of its own, and the drive model at its dword
port."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamSink
from sata_drive_model import DiskImage, Drive, Fault
from sata_drive_model.cocotb import DriveBus

from sata_recorder.interface import CONTROL, IDENTIFY, JOURNAL, LEDGER, STATUS

SEED, WIDTH = int(os.environ["SEED"]), int(os.environ["WIDTH"])
#: A clock of the user in picoseconds; that of the core has 10,000.
PERIOD = int(os.environ["PERIOD"])
INPUTS = [port.name for group in (CONTROL, STATUS, IDENTIFY, LEDGER, JOURNAL)
          for port in group.ports.values() if port.direction == "input"]
PLAY, SECTORS = 0, 200


class PlaybackBench:
    """A core that was reset, its drive with random sectors, and a sink with pauses."""

    def __init__(self, dut):
        self.dut, self.rng = dut, random.Random(SEED)
        self.content = self.rng.randbytes(512 * SECTORS)
        image = DiskImage(sectors=SECTORS)
        image.write(0, self.content)
        self.bus = DriveBus.from_prefix(dut, "phy", dut.clk, Drive(image), seed=SEED)
        dut.rst.value = 1
        for pin in (*INPUTS, "s_axis_tvalid", "s_axis_tdata"):
            getattr(dut, pin).value = 0
        Clock(dut.clk, 10_000, unit="ps").start()
        Clock(dut.m_axis_aclk, PERIOD, unit="ps").start()
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.m_axis_aclk, dut.rst)

    async def ready(self):
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        while not self.dut.ready.value:
            await RisingEdge(self.dut.clk)

    def pauses(self, share):
        self.sink.set_pause_generator(iter(lambda: self.rng.random() < share, None))

    async def begin(self, lba, sectors):
        # An edge of the user's clock may be one of the core's, too, which would end the pulse at once.
        await RisingEdge(self.dut.clk)
        for name, value in {"operation": PLAY, "lba": lba, "sectors": sectors, "start": 1}.items():
            getattr(self.dut, name).value = value
        await RisingEdge(self.dut.clk)
        self.dut.start.value = 0

    async def done(self):
        await RisingEdge(self.dut.done)
        return bool(self.dut.error.value)

    async def received(self):
        """The bytes up to a tlast, and whether the playback was cut."""
        frame = await self.sink.recv(compact=False)
        content = bytes(byte for byte, keep in zip(frame.tdata, frame.tkeep) if keep)
        return content, bool(frame.tuser if isinstance(frame.tuser, int) else frame.tuser[-1])


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def one_playback_after_another(dut):
    b = PlaybackBench(dut)
    await b.ready()
    for _ in range(4):
        b.pauses(b.rng.choice([0, 0.3, 0.8]))
        lba, sectors = b.rng.randrange(SECTORS - 6), b.rng.randint(1, 6)
        await b.begin(lba, sectors)
        assert not await b.done()
        assert await b.received() == (b.content[512 * lba:512 * (lba + sectors)], False)
    assert b.sink.empty()


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_stop_and_a_failure(dut):
    """Each has its end, and the next playback begins at its own first byte."""
    b = PlaybackBench(dut)
    await b.ready()
    b.pauses(0.7)
    for _ in range(3):
        lba = b.rng.randrange(SECTORS - 60)
        await b.begin(lba, 60)
        await ClockCycles(dut.clk, 2)
        while int(dut.words.value) < 300:
            await RisingEdge(dut.clk)
        await ClockCycles(dut.clk, b.rng.randint(1, 50))
        dut.stop.value = 1
        await RisingEdge(dut.clk)
        dut.stop.value = 0
        assert not await b.done()
        content, cut = await b.received()
        assert cut and len(content) % (WIDTH // 8) == 0 and b.content[512 * lba:].startswith(content) and content
    # ERR with UNC, as often as a command is issued again.
    b.bus.port.inject([Fault(kind="media", lba=22, count=1, value=0x51, error=0x40)])
    await b.begin(20, 8)
    assert await b.done()
    content, cut = await b.received()
    assert cut and b.content[512 * 20:512 * 22].startswith(content)
    await b.begin(30, 2)
    assert not await b.done()
    assert await b.received() == (b.content[512 * 30:512 * 32], False)
    assert b.sink.empty()

"""Runs in the simulator: the core on AXI4-Lite, with the drive model at its dword port."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import (AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamFrame,
                           AxiStreamSink, AxiStreamSource)
from export.frozen import ERRORS, LEDGER, OPERATIONS, REGISTERS, WINDOWS
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

from sata_recorder.simulation.analyser import PortAnalyser

SEED = int(os.environ["SEED"])
CAPACITY = 0x12_3456_789A
LBA = 0x11_2233_4455
DONE, READY, BUSY, LINK_UP, LBA48 = (1 << bit for bit in range(5))


class AxilBench:
    """A core that was reset, its drive, and the three buses with random stalls."""

    def __init__(self, dut, drive):
        self.dut = dut
        self.source = random.Random(SEED)
        self.bus = DriveBus.from_prefix(dut, "phy", dut.clk, drive, seed=SEED,
                                        observer=PortAnalyser())
        self.port = self.bus.port
        dut.rst.value = 1
        Clock(dut.clk, 10, unit="ns").start()
        self.axil = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        self.data = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
        write, read = self.axil.write_if, self.axil.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel,
                        read.r_channel, self.data, self.sink):
            channel.set_pause_generator(self.pauses(self.source.choice([0, 0.3, 0.7])))

    def pauses(self, share):
        source = random.Random(self.source.random())
        while True:
            yield source.random() < share

    async def start(self):
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0

    async def read(self, name, index=0):
        offset = REGISTERS[name][0] + index * WINDOWS.get(name, (1, 0))[1]
        answer = await self.axil.read(offset, 4)
        assert answer.resp == AxiResp.OKAY
        return int.from_bytes(answer.data, "little")

    async def read_wide(self, name, index=0):
        low = await self.read(f"{name}_LOW", index)
        return low | await self.read(f"{name}_HIGH", index) << 32

    async def write(self, name, value):
        answer = await self.axil.write(REGISTERS[name][0], value.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY

    async def begin(self, operation, lba=0, sectors=0):
        for name, value in ("LBA", lba), ("SECTORS", sectors):
            await self.write(f"{name}_LOW", value & 0xFFFF_FFFF)
            await self.write(f"{name}_HIGH", value >> 32)
        self.port.observer.reset()
        await self.write("CONTROL", OPERATIONS[operation] << 8 | 1)

    async def until(self, bits, *, among=None):
        """Reads STATUS until ``bits`` of ``among`` are set and no others; returns it."""
        while True:
            status = await self.read("STATUS")
            if status & (among or bits) == bits:
                return status

    async def ledger(self):
        return {name: await self.read_wide("LEDGER", address)
                for name, address in LEDGER.items()}

    def check(self, ledger):
        accounts = self.port.observer.ledger() | self.port.observer.extremes()
        assert ledger == {name: accounts[name] for name in LEDGER}
        assert self.port.link.violations == self.bus.monitor.violations == []


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_session(dut):
    """Bring-up, a recorded sector, the same sector played, refusals, and a stop."""
    b = AxilBench(dut, Drive(DiskImage(sectors=CAPACITY)))
    await b.start()
    assert await b.read("ID") == int.from_bytes(b"SATA", "little")
    await b.until(READY)
    assert await b.read("STATUS") == READY | LINK_UP | LBA48 | 2 << 8
    assert await b.read("ERROR") == 0
    assert await b.read_wide("CAPACITY") == CAPACITY
    page = [await b.read("IDENTIFY", index) for index in range(128)]
    assert b"".join(word.to_bytes(4, "little") for word in page) == b.port.drive.page

    content = b.source.randbytes(512)
    await b.write("INTERRUPT_ENABLE", DONE)
    assert not dut.irq.value
    await b.begin("RECORD", LBA, 1)
    assert await b.read("STATUS") & (READY | BUSY | DONE) == BUSY
    await b.data.send(AxiStreamFrame(content))
    await RisingEdge(dut.irq)
    assert await b.read("STATUS") & (READY | BUSY | DONE) == READY | DONE
    assert (await b.read("ERROR"), await b.read("DRIVE")) == (ERRORS["NONE"], 0x0050)
    assert (await b.read_wide("SECTORS_DONE"), await b.read_wide("WORDS")) == (1, 128)
    assert 0 < await b.read("HIGH_WATER") <= 128
    assert b.port.drive.image.read_sectors(LBA) == content
    ledger = await b.ledger()
    assert (ledger["payload"], ledger["commands"]) == (128, 1)
    b.check(ledger)

    await b.write("STATUS", 0xFFFF_FFFF ^ DONE)
    assert dut.irq.value
    await b.write("STATUS", DONE)
    assert not dut.irq.value and not await b.read("STATUS") & DONE
    await b.write("INTERRUPT_ENABLE", 0)
    await b.begin("PLAY", LBA, 1)
    frame = await b.sink.recv()
    assert bytes(frame.tdata) == content
    await b.until(DONE)
    assert not dut.irq.value
    assert (await b.read("ERROR"), await b.read_wide("WORDS")) == (0, 128)
    assert await b.read_wide("HELD_CYCLES") < 2000
    b.check(await b.ledger())

    # DONE is still set: a start clears it. Refusals end in DONE like any other operation.
    await b.begin("PLAY", LBA, 0)
    await b.until(DONE, among=DONE | BUSY)
    assert await b.read("ERROR") == ERRORS["ZERO_SECTORS"]
    await b.begin("PLAY", CAPACITY - 1, 2)
    await b.until(DONE, among=DONE | BUSY)
    assert await b.read("ERROR") == ERRORS["OUT_OF_RANGE"]

    await b.begin("RECORD_FLUSH", LBA + 10, 3)
    await b.data.send(AxiStreamFrame(content))
    await b.data.wait()
    await b.write("CONTROL", OPERATIONS["RECORD_FLUSH"] << 8 | 2)
    await b.until(DONE)
    assert (await b.read("ERROR"), await b.read_wide("WORDS")) == (0, 128)
    assert b.port.drive.image.read_sectors(LBA + 10) == content
    b.check(await b.ledger())


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_bus(dut):
    """Strobes, errors, and accesses that overlap; no drive is there."""
    b = AxilBench(dut, None)
    await b.start()
    await b.write("LBA_LOW", 0x4433_2211)
    assert (await b.axil.write(0x021, b"\xAA\xBB")).resp == AxiResp.OKAY
    assert await b.read("LBA_LOW") == 0x44BB_AA11
    assert (await b.axil.write(0x01B, b"\x01")).resp == AxiResp.SLVERR
    await b.write("SECTORS_HIGH", 0xFFFF_1234)
    assert await b.read("SECTORS_HIGH") == 0x1234

    # OPERATION alone starts nothing; a pulse reads 0.
    assert (await b.axil.write(0x009, b"\x03")).resp == AxiResp.OKAY
    assert await b.read("CONTROL") == 0x0300

    for name, (offset, access, _) in REGISTERS.items():
        if access == "ro":
            assert (await b.axil.write(offset, bytes(4))).resp == AxiResp.SLVERR, name
    for address in 0x078, 0x0FC, 0x800, 0xFFC:
        assert (await b.axil.write(address, bytes(4))).resp == AxiResp.SLVERR
        assert (await b.axil.read(address, 4)).resp == AxiResp.SLVERR

    # Without a drive an operation is refused.
    await b.write("CONTROL", 1)
    await b.until(DONE, among=DONE | BUSY)
    assert await b.read("ERROR") == ERRORS["NOT_READY"]

    written = [b.source.getrandbits(32) for _ in range(60)]
    writes = [b.axil.init_write(0x020, value.to_bytes(4, "little")) for value in written]
    reads = [b.axil.init_read(0x020, 4) for _ in range(60)]
    for event in writes + reads:
        await with_timeout(event.wait(), 100, "us")
        assert event.data.resp == AxiResp.OKAY
    seen = [int.from_bytes(event.data.data, "little") for event in reads]
    order = [[0x44BB_AA11, *written].index(value) for value in seen]
    assert order == sorted(order)
    assert await b.read("LBA_LOW") == written[-1]

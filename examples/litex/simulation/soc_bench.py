"""Runs in the simulator: the SoC of acorn_recorder.py, or of a file, with LiteSATA's PHY, and the drive model at its
SERDES.

The program host.py runs as it is, on a Wishbone master in place of JTAG; a SoC of a file records, and is read.
"""

import os
import runpy
import struct
from pathlib import Path

import cocotb
from cocotb.task import bridge, resume
from cocotb.triggers import FallingEdge, RisingEdge
from sata_drive_model import Behaviour, DiskImage, Drive, Rule
from sata_drive_model.cocotb import DriveBus

BUILD = Path(os.environ["BUILD"])
HOST = runpy.run_path(str(Path(__file__).resolve().parents[1] / "host.py"))
LBA, SECTORS = 100, 8
#: Of the line to the drive in cells.v.
ROLES = ("tx_data", "tx_k", "rx_data", "rx_k", "link_up", "reset")


class BusError(Exception):
    """``err`` came with the answer."""


class WishboneBus:
    """``read`` and ``write`` as LiteX's RemoteClient has them, on the pads of the bench."""

    def __init__(self, dut):
        self.dut, self.clock = dut, FallingEdge(dut.bench_clk)
        for pad in (dut.bench_cyc, dut.bench_stb, dut.bench_we, dut.bench_cti, dut.bench_bte, dut.bench_adr,
                    dut.bench_dat_w):
            pad.value = 0
        dut.bench_sel.value = 0xF

    async def access(self, address, value=None):
        dut = self.dut
        dut.bench_adr.value, dut.bench_dat_w.value = address >> 2, value or 0
        dut.bench_we.value = value is not None
        dut.bench_cyc.value = dut.bench_stb.value = 1
        await self.clock
        while dut.bench_ack.value != 1:
            await self.clock
        found, failed = int(dut.bench_dat_r.value), bool(dut.bench_err.value)
        dut.bench_cyc.value = dut.bench_stb.value = 0
        await self.clock
        if failed:
            raise BusError(f"{address:#x}")
        return found

    read = resume(access)
    write = resume(access)


class SocBench:
    def __init__(self, dut, **behaviour):
        self.dut = dut
        dut.clk200_p.value, dut.clk200_n.value, dut.sata_rx_p.value, dut.sata_rx_n.value = 0, 1, 0, 1
        self.line = line = dut.GTPE2_CHANNEL
        self.image = DiskImage(sectors=1 << 20)
        self.drive = DriveBus({role: getattr(line, f"line_{role}") for role in ROLES}, line.line_clk,
                              Drive(self.image, behaviour=Behaviour(**behaviour)), reset_clocks=8)
        self.bus = WishboneBus(dut)
        self.recorder = HOST["Recorder"](self.bus, BUILD)
        self.recorder.wait = self.wait
        self.interrupts = 0

    @resume
    async def wait(self, flag):
        """An operation ends with an interrupt, which is taken; all else is polled."""
        if flag == "DONE":
            if self.dut.bench_irq.value != 1:
                await RisingEdge(self.dut.bench_irq)
            self.interrupts += 1
        else:
            await self.until(flag)

    async def until(self, flag, high=True):
        while await bridge(self.recorder.field)("STATUS", flag) != high:
            for _ in range(100):
                await self.bus.clock

    @property
    def violations(self):
        return self.drive.monitor.violations + self.drive.port.link.violations

    def forget_violations(self):
        """LiteSATA's PHY sends SYNC without ALIGN for the 5 ms before it is ready."""
        for side in self.drive.monitor, self.drive.port.link:
            assert all(one.rule in (Rule.ALIGN_PAIR, Rule.ALIGN_DISTANCE) for one in side.violations), side.violations
            side.violations.clear()

    async def link_comes(self, comresets=None):
        """The drive is identified, after so many COMRESETs if that is known."""
        await self.until("READY")
        assert comresets in (None, int(self.line.comresets.value))
        self.forget_violations()

    def enable_interrupt(self):
        self.recorder.write("INTERRUPT_ENABLE", 1)
        self.recorder.csr("recorder_ev_enable", 1)

    def pattern(self):
        return struct.pack(f"<{128 * SECTORS}I", *range(128 * SECTORS))

    async def session(self, lba):
        """What host.py does, from ``lba`` on."""
        lines = []
        assert await bridge(HOST["record_and_play"])(self.recorder, lba, SECTORS, lines.append), lines
        recorded = b"".join(self.image.read_sectors(lba + n) for n in range(SECTORS))
        assert recorded == self.pattern()
        return lines


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def host_program(dut):
    b = SocBench(dut)
    await b.until("READY")
    await bridge(b.enable_interrupt)()
    for line in await b.session(LBA):
        print(line)


def recorded_and_read(recorder, lba, say):
    """RECORD_FLUSH and PLAY, whatever the source is; returns whether both ended without an error."""
    model, firmware = recorder.drive()
    say(f"{model}, firmware {firmware}, {recorder.read_wide('CAPACITY')} sectors")
    for operation in "RECORD_FLUSH", "PLAY":
        recorder.start(operation, lba, SECTORS)
        recorder.wait("DONE")
        say(f"{operation} of {SECTORS} sectors from {lba}")
        for line in recorder.result():
            say(f"  {line}")
        if recorder.field("ERROR", "CODE"):
            return False
    return True


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def own_soc(dut):
    """A SoC with a source of its own: what it records is on the drive."""
    b = SocBench(dut)
    await b.until("READY")
    await bridge(b.enable_interrupt)()
    assert await bridge(recorded_and_read)(b.recorder, LBA, print)
    found = b"".join(b.image.read_sectors(LBA + n) for n in range(SECTORS))
    print(f"on the drive: {found[:16].hex(' ')} ... {found[-16:].hex(' ')}")
    assert any(found), "the drive holds nothing but zeros"

"""A converter at 200 MB/s: a recording of a fixed length, without a gap, although the drive stops in its middle."""

import struct

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiRam
from common import RECORD, SECTOR, Recorder, Source, begin_clock, report

LBA, SECTORS = 100, 80
#: How long the drive stops.
STALL_US = 80
#: Words of the two FIFOs of the core, buffer_words each. More than that during the stall is in the memory.
FIFOS = 2 * 1024


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def one_recording(dut):
    recorder = Recorder(dut)
    begin_clock(dut.s_axis_aclk, 100e6)
    AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=64 << 20)
    # A sample in each clock, from power-on on: those before the recording are dropped.
    adc = Source(dut, lambda clock: clock & 0xFFFF)
    await recorder.reset()
    await RisingEdge(dut.ready)

    # The drive permits each 8 KiB with a DMA Activate. It is late with the fourth one.
    recorder.stall("dma activate", 3, STALL_US)
    await recorder.start(RECORD, LBA, SECTORS)
    await recorder.done()

    lost, most = int(dut.source_lost.value), int(dut.memory_high_water.value)
    assert lost == 0, f"{lost} samples found no room"
    assert int(dut.source_intact.value) == SECTORS * SECTOR // 4
    samples = struct.unpack(f"<{SECTORS * SECTOR // 2}H", recorder.image.read_sectors(LBA, SECTORS))
    first = samples[0]
    assert samples == tuple(number & 0xFFFF for number in range(first, first + len(samples))), "there is a gap"
    assert recorder.longest_stall >= STALL_US and most > FIFOS, "without a memory this stall had lost samples"
    recorder.check_link()
    report(bytes=SECTORS * SECTOR, mb_per_s=adc.rate(first, first + len(samples) - 1, SECTORS * SECTOR), lost=lost,
           stall_us=recorder.longest_stall, memory_words=most)

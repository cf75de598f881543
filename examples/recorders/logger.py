"""A logger at 10 MB/s: each packet becomes a file, and a PC reads the same bytes back."""

import os
import random
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSource
from common import Recorder, begin_clock, now, report

from sata_recorder.pc.volume import Drive, prepare

#: Bytes of the packets: files of any length, which need not be a number of words or sectors.
LENGTHS = 700, 401


async def accepted(dut, times):
    """Notes when each byte was taken."""
    while True:
        await RisingEdge(dut.s_axis_aclk)
        if dut.s_axis_tvalid.value == 1 and dut.s_axis_tready.value == 1:
            times.append(now())


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def files(dut):
    # The drive is prepared at a PC, as `sata-recorder prepare` does it.
    image = Path(os.environ["FOLDER"], "drive.img")
    image.unlink(missing_ok=True)
    prepare(image, sectors=4096, recordings=len(LENGTHS), align=16 << 10)
    recorder = Recorder(dut, image)
    begin_clock(dut.s_axis_aclk, 10e6)
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.s_axis_aclk, dut.rst)
    packets = [random.Random(length).randbytes(length) for length in LENGTHS]
    seconds, stall, count, times = 0, 0, 0, []
    cocotb.start_soon(accepted(dut, times))
    await recorder.reset()
    for packet in packets:
        # It comes before the file begins, and waits.
        await source.send(AxiStreamFrame(packet))
        if not dut.file_ready.value:
            await RisingEdge(dut.file_ready)
        times.clear()
        await recorder.pulse(dut.file_start)
        await RisingEdge(dut.file_done)
        await RisingEdge(dut.clk)
        assert (int(dut.file_error.value), int(dut.file_bytes.value)) == (0, len(packet))
        seconds += times[-1] - times[0]
        count += len(times) - 1
        stall = max(stall, recorder.longest_stall)
    recorder.check_link()

    # At the PC: `sata-recorder extract` reads the same.
    recorder.image.close()
    with Drive(image) as drive:
        read = [drive.read(one).tobytes() for one in drive.recordings if one.is_file]
    assert read == packets
    report(bytes=sum(LENGTHS), mb_per_s=count / seconds / 1e6, lost=sum(LENGTHS) - sum(map(len, read)),
           stall_us=stall, files=len(read))

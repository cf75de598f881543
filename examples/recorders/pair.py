"""A radio at 246 MB/s on two drives: in VITA 49 frames, while one of the drives pauses, and put together again."""

import cocotb
from cocotb.triggers import RisingEdge
from common import RECORD, SECTOR, Recorder, Source, begin_clock, framed_samples, report

SAMPLE_HZ = 61.44e6
STREAM = 0x5246
SECTORS = 128
#: Of pair.toml; and where the data of each drive begin, after the place of its superblock.
DRIVES, CHUNK, FIRST = 2, 32, 2048
#: How long one drive pauses.
PAUSE_US = 15


def together(images, sectors):
    """The first ``sectors`` of the array: chunks of the drives in turn, as Linux md has them."""
    return b"".join(images[chunk % DRIVES].read_sectors(FIRST + chunk // DRIVES * CHUNK, CHUNK)
                    for chunk in range(sectors // CHUNK))


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def record(dut):
    recorder = Recorder(dut, sectors=8192, drives=DRIVES)
    begin_clock(dut.s_axis_aclk, SAMPLE_HZ)
    radio = Source(dut, lambda clock: clock)
    await recorder.reset()
    await RisingEdge(dut.ready)
    recorder.stall("dma activate", 1, PAUSE_US)
    await recorder.start(RECORD, 0, SECTORS, frame_enable=1, frame_stream_id=STREAM)
    await recorder.done()

    content = together(recorder.images, SECTORS)[:4 * int(dut.words.value)]
    found, samples = framed_samples(content, STREAM, SAMPLE_HZ)
    lost = int(dut.source_lost.value)
    assert lost == int(dut.frame_lost.value) == int(dut.array_failed.value) == 0
    written = [sum(map(bool, image.read(FIRST * SECTOR, SECTORS * SECTOR // DRIVES))) for image in recorder.images]
    assert min(written) > 0.4 * sum(written)
    recorder.check_link()
    report(bytes=4 * len(samples), mb_per_s=radio.rate(samples[0], samples[-1], 4 * len(samples)), lost=lost,
           stall_us=recorder.longest_stall, frames=len(found))

"""A radio at 246 MB/s on two drives: in VITA 49 frames, while one of the drives pauses, and put together again."""

import struct

import cocotb
from cocotb.triggers import RisingEdge
from common import CORE_HZ, RECORD, SECTOR, Recorder, Source, begin_clock, report

from sata_recorder.pc.vita49 import VrlFrame, frames

SAMPLE_HZ = 61.44e6
STREAM = 0x5246
SECTORS = 128
#: Of pair.toml; and where the data of each drive begin, after the place of its superblock.
DRIVES, CHUNK, FIRST = 2, 32, 2048
#: How long one drive pauses.
PAUSE_US = 15


class Bytes:
    """A source of the project's reader of frames."""

    def __init__(self, content):
        self.content, self.size = content, len(content)

    def read(self, offset, size):
        return self.content[offset:offset + size]


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
    found = list(frames(Bytes(content)))
    samples = []
    for frame in found:
        assert isinstance(frame, VrlFrame), f"no good frame at byte {frame.place}"
        assert frame.stream_id == STREAM and not frame.gap_ahead and frame.first == len(samples)
        assert abs(frame.clock - found[0].clock - len(samples) / SAMPLE_HZ * CORE_HZ) < 4
        samples += struct.unpack(f"<{len(frame.payload) // 4}I", frame.payload)
    assert samples == list(range(samples[0], samples[0] + len(samples))), "there is a gap"
    lost = int(dut.source_lost.value)
    assert lost == int(dut.frame_lost.value) == int(dut.array_failed.value) == 0
    written = [sum(map(bool, image.read(FIRST * SECTOR, SECTORS * SECTOR // DRIVES))) for image in recorder.images]
    assert min(written) > 0.4 * sum(written)
    recorder.check_link()
    report(bytes=4 * len(samples), mb_per_s=radio.rate(samples[0], samples[-1], 4 * len(samples)), lost=lost,
           stall_us=recorder.longest_stall, frames=len(found))

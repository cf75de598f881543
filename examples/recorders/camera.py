"""A camera whose lines come in bursts, 280 MB/s on average: each segment of the recording begins at its trigger."""

import struct

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiRam
from common import RECORD, Recorder, Source, begin_clock, report

TRIGGERED = 3
#: State of a segment: it waits for its trigger.
BEFORE = 1
#: Beats of a line, and clocks from one line to the next: 4096 bytes every 14.63 us are 280 MB/s.
BEATS, PERIOD = 512, 1463
#: Words of 32 bits in a line.
WORDS = 2 * BEATS
SEGMENTS, LINES = 2, 6
#: How long the drive stops, and the words of the two FIFOs around the memory, buffer_words each.
STALL_US, FIFOS = 40, 2 * 1024
#: Sectors: each segment has a part of the drive, which is written in chunks. During a stall the core takes words for
#: the chunk that is written and for one more: a real camera has chunks of megabytes, and parts to match.
LBA, PART, CHUNK = 0, 512, 32
#: Fields of the table of segments.
FIRST, TRIGGER, END, FLAGS = 0, 1, 2, 7
#: Of FLAGS: the segment has a trigger, and all words after it.
WHOLE = 0b011


class Camera:
    """Gives lines: beat n of line l has n in its lower half and l in its upper one."""

    def __init__(self, dut):
        self.trigger, self.wanted = dut.source_trigger, False
        #: The lines that came with a trigger.
        self.triggered = []

    def beat(self, clock):
        line, beat = divmod(clock, PERIOD)
        # With the first beat of a line: that one is the first after the trigger.
        event = self.wanted and beat == 0
        self.trigger.value = event
        if event:
            self.wanted = False
            self.triggered.append(line)
        return beat | line << 32 if beat < BEATS else None


async def field(dut, segment, number):
    """A field of the table of segments."""
    dut.recording_segment_address.value = 8 * segment + number
    await ClockCycles(dut.clk, 4)
    return int(dut.recording_segment_data.value)


async def lines_of(recorder, segment):
    """The words of a segment from its trigger on, line by line, and how many there are before the trigger."""
    first, trigger, end = [await field(recorder.dut, segment, number) for number in (FIRST, TRIGGER, END)]
    content = recorder.image.read_sectors(LBA + segment * PART, PART)
    # A part is a ring: word n of the recording is at n - first in it, modulo its size.
    words = struct.unpack(f"<{len(content) // 4}I", content)
    lines = [[words[(number - first + place) % len(words)] for place in range(WORDS)]
             for number in range(trigger, end, WORDS)]
    return lines, trigger - first


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def events(dut):
    recorder = Recorder(dut)
    begin_clock(dut.s_axis_aclk, 100e6)
    AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, size=64 << 20)
    await recorder.reset()
    await RisingEdge(dut.ready)
    camera = Camera(dut)
    source = Source(dut, camera.beat)
    recorder.stall("dma activate", 5, STALL_US)
    await recorder.start(
        RECORD, LBA, SEGMENTS * PART, recording_mode=TRIGGERED, recording_segments=SEGMENTS, recording_part=PART,
        recording_chunk=CHUNK, recording_words=LINES * WORDS, recording_ahead=0)
    cocotb.start_soon(arm(dut, camera))
    await recorder.done()

    lost, most = int(dut.source_lost.value), int(dut.memory_high_water.value)
    assert lost == 0, f"{lost} beats found no room"
    assert recorder.longest_stall >= STALL_US and most > FIFOS
    for segment in range(SEGMENTS):
        assert await field(dut, segment, FLAGS) & WHOLE == WHOLE
        lines, before = await lines_of(recorder, segment)
        first = camera.triggered[segment]
        assert before > 0, "the ring has no words from before the trigger"
        assert len(lines) == LINES
        for number, line in enumerate(lines, first):
            assert line == [word for beat in range(BEATS) for word in (beat, number)], f"line {number} differs"
    recorder.check_link()
    first, last = camera.triggered[0], camera.triggered[-1] + LINES
    report(bytes=4 * int(dut.words.value), mb_per_s=source.rate(
        first * PERIOD, last * PERIOD - 1, 4 * WORDS * (last - first)), lost=lost, stall_us=recorder.longest_stall,
        memory_words=most, segments=SEGMENTS, lines=SEGMENTS * LINES)


async def arm(dut, camera):
    """An event for each segment, once words have gone to its ring for a while."""
    for number in range(SEGMENTS):
        while int(dut.recording_segment_state.value) != BEFORE or len(camera.triggered) < number:
            await ClockCycles(dut.clk, 100)
        await ClockCycles(dut.clk, 1500)
        camera.wanted = True
        while len(camera.triggered) == number or int(dut.recording_segment_state.value) == BEFORE:
            await ClockCycles(dut.clk, 100)

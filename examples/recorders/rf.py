"""A radio at 246 MB/s: recorded in VITA 49 frames, recorded plainly, and played back into a DAC without an underrun."""

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from common import CORE_HZ, PLAY, RECORD, SECTOR, Recorder, Source, begin_clock, framed_samples, no_gap, report, words

SAMPLE_HZ = 61.44e6
FIXED = 0
STREAM = 0x5246
#: Sectors: the recording in frames, and the one to be played back, whose words are just those of the radio.
FRAMED, PLAIN = (0, 48), (64, 32)
#: Samples from one pulse to the next: a simulated second would take hours.
SECOND = 1024
#: How long the drive pauses in the playback.
PAUSE_US = 15


class Radio:
    """Gives samples that are numbered, and a pulse per second."""

    def __init__(self, dut):
        self.pps = dut.source_pps

    def beat(self, clock):
        self.pps.value = clock % SECOND < 4
        return clock


class Dac:
    """Takes a beat in each of its clocks, and cannot wait for one; ``missing`` clocks had none between two others."""

    def __init__(self, dut):
        self.dut, self.samples, self.missing, self.ended = dut, [], 0, False
        dut.m_axis_tready.value = 1
        cocotb.start_soon(self._run())

    async def _run(self):
        dut = self.dut
        while not self.ended:
            await RisingEdge(dut.m_axis_aclk)
            if dut.m_axis_tvalid.value == 1:
                self.samples.append(int(dut.m_axis_tdata.value))
                self.ended = dut.m_axis_tlast.value == 1
            else:
                self.missing += bool(self.samples)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def record_and_play(dut):
    recorder = Recorder(dut)
    begin_clock(dut.s_axis_aclk, SAMPLE_HZ)
    begin_clock(dut.m_axis_aclk, SAMPLE_HZ)
    radio = Source(dut, Radio(dut).beat)
    await recorder.reset()
    await RisingEdge(dut.ready)

    figures = await in_frames(recorder, radio)
    plain = await plainly(recorder)
    # The drive is late with the second 8 KiB, when the DAC has just begun with the first.
    recorder.stall("data", 1, PAUSE_US)
    dac, levels = Dac(dut), []
    await recorder.start(PLAY, *PLAIN)
    watch = cocotb.start_soon(fifo_levels(dut, levels))
    await recorder.done()
    watch.cancel()
    # All words have left the core; the DAC still takes those in the FIFO.
    while not dac.ended:
        await ClockCycles(dut.clk, 100)
    await ClockCycles(dut.clk, 20)
    assert dac.samples == plain
    underruns = int(dut.playback_underruns.value)
    assert underruns == dac.missing == 0 and int(dut.playback_intact.value) == len(plain)
    recorder.check_link()
    report(**figures, pause_us=PAUSE_US, played_bytes=PLAIN[1] * SECTOR, underruns=underruns, least_level=min(levels))


async def in_frames(recorder, radio):
    """A recording in frames: each is good, its samples follow those before it, and the pulses have their time."""
    dut = recorder.dut
    await recorder.start(RECORD, *FRAMED, recording_mode=FIXED, recording_words=0, recording_ahead=65536,
                         frame_enable=1, frame_stream_id=STREAM)
    pulses = []
    pulse = cocotb.start_soon(pulse_times(dut, pulses))
    await recorder.done()
    pulse.cancel()
    # It ends by itself once its sectors have no room for another frame; zeros follow what counts.
    content = recorder.image.read(FRAMED[0] * SECTOR, 4 * int(dut.words.value))
    found, samples = framed_samples(content, STREAM, SAMPLE_HZ)
    assert found[-1].last
    lost = int(dut.source_lost.value)
    assert lost == 0 and int(dut.frame_lost.value) == 0
    # A pulse comes with its sample, and may wait a clock or two with that.
    expected = SECOND / SAMPLE_HZ * CORE_HZ
    assert len(pulses) >= 2 and all(abs(b - a - expected) < 3 for a, b in zip(pulses, pulses[1:]))
    return {"bytes": 4 * len(samples), "mb_per_s": radio.rate(samples[0], samples[-1], 4 * len(samples)), "lost": lost,
            "stall_us": recorder.longest_stall, "frames": len(found), "pulses": len(pulses)}


async def pulse_times(dut, times):
    """The time of each pulse per second, in clocks of the core."""
    while True:
        await dut.recording_pps_edges.value_change
        await RisingEdge(dut.clk)
        times.append(int(dut.recording_pps_time.value))


async def fifo_levels(dut, levels):
    """The beats in the FIFO before the DAC, from the first beat on."""
    await RisingEdge(dut.m_axis_tvalid)
    while True:
        levels.append(int(dut.playback_level.value))
        await ClockCycles(dut.clk, 20)


async def plainly(recorder):
    """A recording without frames; its samples."""
    await recorder.start(RECORD, *PLAIN, frame_enable=0)
    await recorder.done()
    samples = words(recorder.image.read_sectors(*PLAIN))
    no_gap(samples)
    assert int(recorder.dut.source_lost.value) == 0
    return samples

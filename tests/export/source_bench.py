"""Runs in the simulator: the core with a wide stream in a clock of its own, and the drive model at its dword port."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSource
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

from sata_recorder.interface import CONTROL, IDENTIFY, JOURNAL, LEDGER, RECORDING, SOURCE, SOURCE_TRIGGER, STATUS

SEED, WIDTH = int(os.environ["SEED"]), int(os.environ["WIDTH"])
#: A clock of the source in picoseconds; that of the core has 10,000.
PERIOD = int(os.environ["PERIOD"])
#: Those of the core that are not on a bus.
INPUTS = [port.name for group in (CONTROL, STATUS, IDENTIFY, LEDGER, JOURNAL, RECORDING, SOURCE, SOURCE_TRIGGER)
          for port in group.ports.values() if port.direction == "input"]
RECORD = 1
FIXED, TRIGGERED = 0, 3
#: A trigger is that of a segment with all its words.
WHOLE = 0b011


class SourceBench:
    """A core that was reset, its drive, and a source with pauses that counts the beats that were taken."""

    def __init__(self, dut, sectors=400):
        self.dut = dut
        self.rng = random.Random(SEED)
        self.bus = DriveBus.from_prefix(dut, "phy", dut.clk, Drive(DiskImage(sectors=sectors)), seed=SEED)
        self.image = self.bus.port.drive.image
        self.beats = 0
        dut.rst.value = 1
        for pin in INPUTS:
            getattr(dut, pin).value = 0
        Clock(dut.clk, 10_000, unit="ps").start()
        Clock(dut.s_axis_aclk, PERIOD, unit="ps").start()
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.s_axis_aclk, dut.rst,
                                      byte_lanes=WIDTH // 8)
        share = self.rng.choice([0, 0.3, 0.8])
        self.source.set_pause_generator(iter(lambda: self.rng.random() < share, None))
        cocotb.start_soon(self._count())

    async def _count(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.s_axis_aclk)
            self.beats += bool(dut.s_axis_tvalid.value) and bool(dut.s_axis_tready.value)

    async def ready(self):
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        while not self.dut.ready.value:
            await RisingEdge(self.dut.clk)

    async def begin(self, lba, sectors, **inputs):
        for name, value in ({"operation": RECORD, "lba": lba, "sectors": sectors, "start": 1} | inputs).items():
            getattr(self.dut, name).value = value
        await RisingEdge(self.dut.clk)
        self.dut.start.value = 0

    async def done(self):
        await RisingEdge(self.dut.done)
        assert not self.dut.error.value

    async def pulse(self, pin, clocks=1):
        """High for ``clocks`` of the source; returns the beats that were taken before it, and to the end of its
        first clock."""
        await RisingEdge(self.dut.s_axis_aclk)
        pin.value = 1
        before = self.beats
        await RisingEdge(self.dut.s_axis_aclk)
        # The clock of the edge that ends now has been counted, or will be in this step.
        taken = before + (bool(self.dut.s_axis_tvalid.value) and bool(self.dut.s_axis_tready.value))
        for _ in range(clocks - 1):
            await RisingEdge(self.dut.s_axis_aclk)
        pin.value = 0
        return before, taken


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def one_recording_after_another(dut):
    """The source waits: what a recording has not taken is the begin of the next."""
    b = SourceBench(dut)
    await b.ready()
    lengths = [b.rng.randint(1, 5) for _ in range(5)]
    content = b.rng.randbytes(512 * sum(lengths) + 1024)
    await b.source.send(AxiStreamFrame(content))
    at = 0
    for sectors in lengths:
        await b.begin(100, sectors, recording_mode=FIXED, recording_words=0, recording_position=0)
        await b.done()
        assert b.image.read_sectors(100, sectors) == content[at:at + 512 * sectors]
        at += 512 * sectors


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def a_stop_at_its_beat(dut):
    b = SourceBench(dut)
    await b.ready()
    await b.source.send(AxiStreamFrame(b.rng.randbytes(512 * 60)))
    end = 0
    for _ in range(4):
        await b.begin(10, 60, recording_mode=FIXED, recording_words=0, recording_position=0)
        begin, size = end, WIDTH // 8
        while b.beats * size < end + 64:
            await RisingEdge(dut.s_axis_aclk)
        await ClockCycles(dut.clk, 2)
        await ClockCycles(dut.s_axis_aclk, b.rng.randint(3, 200))
        _, taken = await b.pulse(dut.source_stop, b.rng.randint(1, 3))
        await b.done()
        end = taken * size
        words = -(-(end - begin) // 4)
        assert int(dut.words.value) == words, (int(dut.words.value), words)
        # Beats of a word that a stop has filled with zeros: the next recording begins with the beat after it.


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def triggers_at_their_beats(dut):
    b = SourceBench(dut)
    await b.ready()
    await b.source.send(AxiStreamFrame(b.rng.randbytes(512 * 200)))
    segments, places = 3, []
    await b.begin(10, 60, recording_mode=TRIGGERED, recording_words=150, recording_part=3, recording_chunk=0,
                  recording_segments=segments, recording_extend=0)
    for number in range(segments):
        # The trigger before has reached the core, and its segment has ended.
        while int(dut.recording_triggers.value) < number or int(dut.recording_segment_state.value) != 1:
            await RisingEdge(dut.clk)
        await ClockCycles(dut.s_axis_aclk, b.rng.randint(40, 300))
        before, _ = await b.pulse(dut.source_trigger)
        places.append(before * WIDTH // 32)
    await b.done()
    for number, place in enumerate(places):
        trigger, flags = await field(dut, number, 1), await field(dut, number, 7)
        assert flags & WHOLE == WHOLE and trigger == place, (number, trigger, place)


async def field(dut, entry, index):
    dut.recording_segment_address.value = 8 * entry + index
    await ClockCycles(dut.clk, 4)
    return int(dut.recording_segment_data.value)

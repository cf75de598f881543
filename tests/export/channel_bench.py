"""Runs in the simulator: several channels are one recording in frames, a file or sectors of the drive model. The first
one ends by its length, the second one, which has the rest of what the channels send, by a stop."""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSource
from sata_drive_model import DiskImage, Drive
from sata_drive_model.cocotb import DriveBus

from sata_recorder.interface import CHANNEL, CONTROL, FILE, FRAME, IDENTIFY, JOURNAL, LEDGER, STATUS

INPUTS = [port.name for group in (CHANNEL, CONTROL, STATUS, IDENTIFY, LEDGER, JOURNAL, FRAME, FILE)
          for port in group.ports.values() if port.direction == "input"]
RECORD, STREAM = 1, 9
#: Of the two recordings, if they are no files: where, and how long.
PLACES = (8, 20), (40, 800)
#: How probable a beat of a channel is in a clock.
RATES = 0.9, 0.1, 0.4


def contents(seed):
    """What each channel sends."""
    rng = random.Random(seed)
    return [rng.randbytes(size) for size in (2603, 205, 902)]


async def source_of(dut, number, content, seed):
    """All of ``content``, with pauses."""
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, f"s{number}_axis"), dut.clk, dut.rst)
    rng = random.Random(seed + number)
    source.set_pause_generator(iter(lambda: rng.random() >= RATES[number], None))
    await source.send(AxiStreamFrame(content))
    return source


class TakenBeats:
    """Beats that the core has taken of each channel."""

    def __init__(self, dut):
        self.streams = [(dut.s0_axis_tvalid, dut.s0_axis_tready), (dut.s1_axis_tvalid, dut.s1_axis_tready),
                        (dut.s2_axis_tvalid, dut.s2_axis_tready)]
        self.beats = [0] * len(self.streams)
        cocotb.start_soon(self._run(dut))

    async def _run(self, dut):
        while True:
            await RisingEdge(dut.clk)
            if not dut.rst.value:
                for number, (valid, ready) in enumerate(self.streams):
                    self.beats[number] += bool(valid.value) and bool(ready.value)


async def record(dut, number, ends):
    """The recording ``number``, from its start to its done; ``ends`` comes before a stop, if it is not None."""
    filed = hasattr(dut, "file_start")
    while not (dut.file_ready if filed else dut.ready).value:
        await RisingEdge(dut.clk)
    lba, sectors = PLACES[number]
    inputs = {"frame_stream_id": STREAM + number}
    inputs |= {"file_length": 512 * sectors if ends is None else 0} if filed else {
        "operation": RECORD, "lba": lba, "sectors": sectors}
    for name, value in inputs.items():
        getattr(dut, name).value = value
    start, stop = (dut.file_start, dut.file_stop) if filed else (dut.start, dut.stop)
    start.value = 1
    await RisingEdge(dut.clk)
    start.value = 0
    if ends is not None:
        await ends
        stop.value = 1
        await RisingEdge(dut.clk)
        stop.value = 0
    await RisingEdge(dut.file_done if filed else dut.done)
    await RisingEdge(dut.clk)
    assert not (dut.file_error if filed else dut.error).value


async def counts(dut):
    """What each channel has lost, and left."""
    found = []
    for number in range(len(RATES)):
        dut.channel_select.value = number
        await ClockCycles(dut.clk, 3)
        found.append((int(dut.channel_lost.value), int(dut.channel_left.value)))
    return found


async def all_sent(sources):
    for source in sources:
        await source.wait()


@cocotb.test(timeout_time=8, timeout_unit="ms")
async def channels_of_a_recording(dut):
    seed = int(os.environ["SEED"])
    DriveBus.from_prefix(dut, "phy", dut.clk, Drive(DiskImage(os.environ["IMAGE"])), seed=seed)
    dut.rst.value = 1
    for pin in INPUTS:
        if hasattr(dut, pin):
            getattr(dut, pin).value = 0
    Clock(dut.clk, 10_000, unit="ps").start()
    sources = [await source_of(dut, number, content, seed) for number, content in enumerate(contents(seed))]
    taken = TakenBeats(dut)
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await record(dut, 0, None)
    first, told = list(taken.beats), await counts(dut)
    assert first == taken.beats and all(lost == 0 for lost, _ in told)
    Path(os.environ["TOLD"]).write_text(json.dumps({"taken": first, "left": [left for _, left in told]}))
    await record(dut, 1, all_sent(sources))
    assert await counts(dut) == [(0, 0)] * len(sources)

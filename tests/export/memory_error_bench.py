"""Runs in the simulator: the core with a memory that answers some bursts with an error, and random pauses."""

import random
import struct

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotbext.axi import AxiResp, AxiStreamFrame
from export.memory_bench import PLAY, RECORD, SEED, WIDTH, MemoryBench

from sata_recorder.core.drive_port import Error

TRIALS = 7
SECTORS = 60


class Failing:
    """Makes one of the answers of a channel an error, and what is read from then on wrong."""

    def __init__(self, bench):
        self.bench, self.rng = bench, bench.rng
        self.left = {}              # by channel: answers before the one that is an error
        self.failed = False
        ram = bench.ram
        for name, channel in (("b", ram.write_if.b_channel), ("r", ram.read_if.r_channel)):
            channel.send = self._sender(name, channel.send)

    def plan(self, **left):
        self.left, self.failed = left, False

    def _sender(self, name, send):
        async def sent(answer):
            before = self.left.get(name, -1)
            if before == 0:
                setattr(answer, f"{name}resp", self.rng.choice((AxiResp.SLVERR, AxiResp.DECERR)))
                self.failed = True
            self.left[name] = before - 1
            if self.failed and name == "r":
                answer.rdata ^= (1 << WIDTH) - 1
            await send(answer)
        return sent


async def watch(dut, taken, played):
    """The words that have crossed the two streams."""
    while True:
        await RisingEdge(dut.clk)
        await ReadOnly()
        # What is high here was high in the clock that ends with the next edge.
        crossed = [(dut.s_axis_tvalid.value and dut.s_axis_tready.value, dut.s_axis_tdata, taken),
                   (dut.m_axis_tvalid.value and dut.m_axis_tready.value, dut.m_axis_tdata, played)]
        for moves, word, words in crossed:
            if moves:
                words.append(int(word.value))


async def operated(b, operation, lba, sectors):
    """Starts when the drive is ready, and returns (error, memory_failure, sectors done) of the end."""
    dut = b.dut
    while not dut.ready.value or dut.busy.value:
        await RisingEdge(dut.clk)
    for name, value in {"operation": operation, "lba": lba, "sectors": sectors, "start": 1}.items():
        getattr(dut, name).value = value
    await RisingEdge(dut.clk)
    dut.start.value = 0
    await RisingEdge(dut.done)
    await ClockCycles(dut.clk, 2)
    return int(dut.error.value), int(dut.memory_failure.value), int(dut.sectors_done.value)


def packed(words):
    return struct.pack(f"<{len(words)}I", *words)


def sectors_of(data):
    return [data[place:place + 512] for place in range(0, len(data), 512)]


@cocotb.test(timeout_time=30, timeout_unit="ms")
async def ends_with_the_error(dut):
    """An operation with an error in it ends with PROTOCOL: what counts as done is good, and nothing wrong came out."""
    b, rng = MemoryBench(dut), random.Random(SEED)
    failing, taken, played = Failing(b), [], []
    writes, reads = b.ram.write_if, b.ram.read_if
    b.pause(b.source, b.sink, writes.aw_channel, writes.w_channel, writes.b_channel, reads.ar_channel, reads.r_channel)
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    cocotb.start_soon(watch(dut, taken, played))
    await b.source.send(AxiStreamFrame(rng.randbytes(512 * SECTORS * TRIALS)))
    seen = set()
    for trial in range(TRIALS):
        lba, sectors = rng.randrange(3000), rng.randint(1, SECTORS)
        before = b.image.read_sectors(lba, sectors)
        where = {0: {"b": rng.randrange(8)}, 1: {"r": rng.randrange(1500)}}.get(trial % 3, {})
        taken.clear()
        failing.plan(**where)
        end = await operated(b, RECORD, lba, sectors)
        words, done = packed(taken), end[2]
        assert end[:2] == ((Error.PROTOCOL, 1) if failing.failed else (0, 0)), (end, where)
        seen.add(("record", failing.failed))
        there = b.image.read_sectors(lba, sectors)
        assert there[:512 * done] == words[:512 * done] and len(words) >= 512 * done
        assert done == sectors or failing.failed
        whole = [*sectors_of(words), *[None] * sectors]
        for found, old, new in zip(sectors_of(there), sectors_of(before), whole):
            assert found in (old, new), "a sector of neither"
        where = {1: {"b": rng.randrange(8)}, 2: {"r": rng.randrange(1500)}}.get(trial % 3, {})
        played.clear()
        failing.plan(**where)
        end = await operated(b, PLAY, lba, sectors)
        assert end[:2] == ((Error.PROTOCOL, 1) if failing.failed else (0, 0)), (end, where)
        seen.add(("play", failing.failed))
        came = packed(played)
        assert came == there[:len(came)] and (failing.failed or len(came) == len(there))
    assert len(seen) == 4, seen

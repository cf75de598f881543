"""A FIFO in block RAM is Amaranth's, clock for clock, whatever a word is that is read while it is written."""

import random

import pytest
from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from sata_recorder.core.block_fifo import BlockFifo
from sata_recorder.core.block_memory import BlockMemory
from unit.bench import Bench

_OUTPUTS = ("w_rdy", "r_rdy", "level")


class _Fifo(wiring.Component):
    """The FIFO of this ``kind``."""

    w_data: In(8)
    w_en: In(1)
    r_en: In(1)
    r_data: Out(8)
    w_rdy: Out(1)
    r_rdy: Out(1)
    level: Out(8)

    def __init__(self, kind, depth):
        self._fifo = kind(width=8, depth=depth)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.fifo = fifo = self._fifo
        m.d.comb += [fifo.w_data.eq(self.w_data), fifo.w_en.eq(self.w_en), fifo.r_en.eq(self.r_en),
                     self.r_data.eq(fifo.r_data), *(getattr(self, name).eq(getattr(fifo, name)) for name in _OUTPUTS)]
        return m


@pytest.mark.parametrize("depth", [3, 4, 5, 9])
@pytest.mark.parametrize("writes, reads", [(0.9, 0.3), (0.3, 0.9), (0.7, 0.7), (1, 1)])
def test_it_is_that_of_amaranth(depth, writes, reads, monkeypatch):
    def undefined(memory, port):
        (write,) = memory.write_ports
        return Mux(write.en & (write.addr == port.addr), ~port.data, port.data)
    monkeypatch.setattr(BlockMemory, "given", undefined)
    rng = random.Random(depth)
    rows = [{"w_data": rng.randrange(256), "w_en": int(rng.random() < writes), "r_en": int(rng.random() < reads)}
            for _ in range(400)]
    ours, theirs = (Bench(_Fifo(kind, depth)).trace(rows, [*_OUTPUTS, "r_data"])
                    for kind in (BlockFifo, SyncFIFOBuffered))
    # What the output shows before the first word is not stated.
    assert [clock | {"r_data": clock["r_data"] * clock["r_rdy"]} for clock in ours] == [
        clock | {"r_data": clock["r_data"] * clock["r_rdy"]} for clock in theirs]
    assert any(clock["r_rdy"] for clock in ours)
    assert writes <= reads or any(clock["level"] == depth for clock in ours)

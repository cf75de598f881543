"""The block RAM beside a processor, with its program."""

from amaranth.hdl import Cat, Module
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In

from .bus import BusSignature

#: Room for the program and its data.
PROGRAM_BYTES = 4096


class ProgramMemory(wiring.Component):
    """A block RAM of :data:`PROGRAM_BYTES` with two ports, which holds ``words`` after power-on.

    An access takes a tick for its address and one for its data.
    """

    tick: In(1)                 # The processor's clock ticks.
    fetch: In(BusSignature())   # A port for instructions, which are read.
    data: In(BusSignature())    # A port for both.

    def __init__(self, words):
        self._words = list(words)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        depth = PROGRAM_BYTES // 4
        fetched, loaded = [], []
        # A memory for each byte of a word: each has one enable.
        for byte in range(4):
            lane = memory.Memory(shape=8, depth=depth, attrs={"ram_style": "block"},
                                 init=[word >> 8 * byte & 0xFF for word in self._words])
            m.submodules[f"lane_{byte}"] = lane
            write = lane.write_port()
            fetch, load = lane.read_port(), lane.read_port()
            bits = slice(8 * byte, 8 * byte + 8)
            m.d.comb += [
                fetch.addr.eq(self.fetch.address[2:]), fetch.en.eq(self.tick),
                load.addr.eq(self.data.address[2:]), load.en.eq(self.tick),
                write.addr.eq(self.data.address[2:]), write.data.eq(self.data.write_data[bits]),
                write.en.eq(self.tick & self.data.valid & self.data.ready
                            & self.data.strobes[byte]),
            ]
            fetched.append(fetch.data)
            loaded.append(load.data)
        m.d.comb += [self.fetch.read_data.eq(Cat(fetched)), self.data.read_data.eq(Cat(loaded))]
        with m.If(self.tick):
            m.d.sync += [self.fetch.ready.eq(self.fetch.valid & ~self.fetch.ready),
                         self.data.ready.eq(self.data.valid & ~self.data.ready)]
        return m

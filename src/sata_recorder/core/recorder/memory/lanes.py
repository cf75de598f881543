"""The memory of a FIFO that has words on one side and beats of several words on the other."""

from amaranth.hdl import Cat, Module
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Lanes"]


class Lanes(wiring.Component):
    """Block RAM with a beat at each address, whose words are written one by one. A read takes a clock.

    Parameters
    ----------
    shape : MemoryShape

    Members
    -------
    write_address : In, write_data : In(width), write_enable : In(lanes)    A beat, and which of its words are written.
    read_address : In, read_enable : In(1), read_data : Out(width)          A beat, a clock later.
    """

    def __init__(self, shape):
        self._shape = shape
        self._beats = shape.fifo // shape.lanes
        super().__init__({
            "write_address": In(range(self._beats)), "write_data": In(shape.width), "write_enable": In(shape.lanes),
            "read_address": In(range(self._beats)), "read_enable": In(1), "read_data": Out(shape.width),
        })

    def elaborate(self, platform):
        m = Module()
        found = []
        for lane in range(self._shape.lanes):
            m.submodules[f"lane{lane}"] = cells = memory.Memory(
                shape=32, depth=self._beats, init=[], attrs={"ram_style": "block"})
            write, read = cells.write_port(), cells.read_port()
            m.d.comb += [
                write.addr.eq(self.write_address), write.data.eq(self.write_data.word_select(lane, 32)),
                write.en.eq(self.write_enable[lane]),
                read.addr.eq(self.read_address), read.en.eq(self.read_enable),
            ]
            found.append(read.data)
        m.d.comb += self.read_data.eq(Cat(found))
        return m

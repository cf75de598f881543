"""A register in a stream."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Skid"]


class Skid(wiring.Component):
    """A register of two places that cuts all combinational paths of a stream, at full rate.

    Latency: 1 clock.

    Parameters
    ----------
    shape : shape of the payload

    Members
    -------
    i : In(stream.Signature(shape))
        What goes in.
    o : Out(stream.Signature(shape))
        The same, a clock or more later.
    """

    def __init__(self, shape):
        self._shape = shape
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform):
        m = Module()
        spare = Signal(self._shape)
        spare_valid = Signal()
        m.d.comb += self.i.ready.eq(~spare_valid)
        with m.If(self.i.ready):
            m.d.sync += spare.eq(self.i.payload)
        with m.If(self.o.ready | ~self.o.valid):
            m.d.sync += [self.o.valid.eq(spare_valid | self.i.valid), spare_valid.eq(0)]
            with m.If(spare_valid):
                m.d.sync += self.o.payload.eq(spare)
            with m.Else():
                m.d.sync += self.o.payload.eq(self.i.payload)
        with m.Elif(self.i.valid & self.i.ready):
            m.d.sync += spare_valid.eq(1)
        return m

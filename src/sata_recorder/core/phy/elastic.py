"""The elastic buffer between the recovered clock and the core's.

Serial ATA Revision 3.x, phy layer, elasticity buffer: ALIGN pairs are there to be dropped.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import fifo, wiring
from amaranth.lib.wiring import In, Out

from .dwords import ALIGN, RxDword

__all__ = ["DROP_LEVEL", "DEPTH", "ElasticBuffer"]

DEPTH = 16
#: From this many dwords on (as the writing side knows it) ALIGN is dropped.
DROP_LEVEL = 6


class ElasticBuffer(wiring.Component):
    """Takes received dwords from domain ``rx`` to ``sync``.

    Where ``sync`` is the slower one and the buffer fills, ALIGN is dropped: a pair in 256 dwords
    makes up for 7800 ppm. Where it is the faster one, clocks without a dword take the place of
    inserted ALIGN. A dword that finds the buffer full is lost, and the next one has ``error``.

    Members
    -------
    write : In(1)
        Domain ``rx``. A dword is written in this clock.
    i : In(RxDword)
        Domain ``rx``. With ``write``, this is the dword.
    valid : Out(1)
        Domain ``sync``. A dword is at ``o``, in this clock only.
    o : Out(RxDword)
        Domain ``sync``. With ``valid``, this is the dword.
    dropped : Out(1)
        Domain ``sync``. With ``valid``, ALIGN was dropped before this dword.
    """

    write: In(1)
    i: In(RxDword)
    valid: Out(1)
    o: Out(RxDword)
    dropped: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = fifo.AsyncFIFO(
            width=RxDword.as_shape().size + 1, depth=DEPTH, w_domain="rx", r_domain="sync")
        lost = Signal()
        dropped = Signal()
        drop = Signal()
        word = Signal(RxDword)
        m.d.comb += [
            drop.eq((self.i.data == ALIGN) & (self.i.k == 1) & ~self.i.error
                    & (queue.w_level >= DROP_LEVEL)),
            word.eq(self.i),
            word.error.eq(self.i.error | lost),
            queue.w_data.eq(Cat(word, dropped)),
            queue.w_en.eq(self.write & ~drop),
            queue.r_en.eq(1),
        ]
        with m.If(self.write):
            with m.If(drop):
                m.d.rx += dropped.eq(1)
            with m.Elif(queue.w_rdy):
                m.d.rx += [dropped.eq(0), lost.eq(0)]
            with m.Else():
                m.d.rx += lost.eq(1)
        m.d.sync += [
            self.valid.eq(queue.r_rdy),
            Cat(self.o, self.dropped).eq(queue.r_data),
        ]
        return m

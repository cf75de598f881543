"""What a host sends where it sends dwords: ALIGN, then SYNC, then what the link layer has.

Serial ATA Revision 3.x, phy layer, host phy initialization: HP7 and HP8.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .dwords import ALIGN, SYNC

__all__ = ["DwordSource"]

#: Dwords between two pairs of ALIGN.
_BETWEEN = 254


class DwordSource(wiring.Component):
    """Chooses the next dword; ALIGN comes in pairs once something else was sent.

    Members
    -------
    started : In(1)     Something else than ALIGN may be sent.
    ready : In(1)       With ``started``, the link layer's dwords may be sent; an ALIGN pair comes
                        first, so that its own pairs need not be sooner than usual.
    tx_data : In(32)    This is the link layer's dword.
    tx_k : In(1)        Byte 0 of it is a control character.
    step : In(1)        The dword at ``data`` is taken.
    taken : Out(1)      It is the link layer's.
    data : Out(32)      This is the next dword.
    k : Out(1)          Byte 0 of it is a control character.
    """

    started: In(1)
    ready: In(1)
    tx_data: In(32)
    tx_k: In(1)
    step: In(1)
    taken: Out(1)
    data: Out(32)
    k: Out(1)

    def elaborate(self, platform):
        m = Module()
        aligns = Signal(2, init=2)              # of the pair, not sent yet
        others = Signal(range(_BETWEEN))        # SYNC since the last pair
        linked = Signal()                       # the pair before the link layer's dwords has begun
        passes = Signal()
        m.d.comb += [
            passes.eq(linked & (aligns == 0)),
            self.taken.eq(passes & self.step),
            self.data.eq(Mux(passes, self.tx_data, Mux(aligns == 0, SYNC, ALIGN))),
            self.k.eq(Mux(passes, self.tx_k, 1)),
        ]
        with m.If(~self.started):
            m.d.sync += [aligns.eq(2), others.eq(0), linked.eq(0)]
        with m.Elif(self.step & ~passes):
            m.d.sync += aligns.eq(aligns - 1)
            with m.If(aligns == 0):
                m.d.sync += [aligns.eq(0), others.eq(others + 1)]
            with m.If((aligns == 0) & (self.ready | (others == _BETWEEN - 1))):
                m.d.sync += [aligns.eq(2), others.eq(0), linked.eq(self.ready)]
        return m

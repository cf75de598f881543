"""How fast the link is, and how fast it may be."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["LinkSpeed"]


class LinkSpeed(wiring.Component):
    """Limits the link to a lower generation for as long as the same drive is there.

    Members
    -------
    generation : In(2)      of the link, valid unless ``lost``
    lost : In(1)            the link is down
    downshift : In(1)       the link is to be limited
    downshift_to : In(2)    with ``downshift``: to this generation
    other_drive : In(1)     another drive has come: a slower link was for the one that needed it
    last : Out(2)           the generation that the link has, or had when it was lost
    limit : Out(2)          the highest generation from the next COMRESET on; 0 for any
    """

    generation: In(2)
    lost: In(1)
    downshift: In(1)
    downshift_to: In(2)
    other_drive: In(1)
    last: Out(2)
    limit: Out(2)

    def elaborate(self, platform):
        m = Module()
        with m.If(self.other_drive):
            m.d.sync += self.limit.eq(0)
        with m.Elif(self.downshift):
            m.d.sync += self.limit.eq(self.downshift_to)
        with m.If(~self.lost):
            m.d.sync += self.last.eq(self.generation)
        return m

"""Which line rate is tried (Serial ATA Revision 3.x, phy layer, speed negotiation)."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["LineRate"]


class LineRate(wiring.Component):
    """Goes through the generations of a back end, from the highest down.

    Parameters
    ----------
    lowest, highest : int       The generations of the back end, each 1 to 3.

    Members
    -------
    limit : In(2)
        No higher generation may be tried, but the lowest always may; 0 allows any.
    next_lower : In(1)
        Goes on to the next lower generation, after the lowest to the highest that ``limit`` allows.
    restart : In(1)
        Goes back to the highest generation that ``limit`` allows.
    generation : Out(2)
        This is the generation to be tried. It changes a clock after ``next_lower`` or ``restart``.
    """

    def __init__(self, lowest, highest):
        if not 1 <= lowest <= highest <= 3:
            raise ValueError(f"generations is {(lowest, highest)}, it must be lowest and highest "
                             f"of 1 to 3")
        self._lowest, self._highest = lowest, highest
        super().__init__({"limit": In(2), "next_lower": In(1), "restart": In(1),
                          "generation": Out(2, init=highest)})

    def elaborate(self, platform):
        m = Module()
        if self._lowest == self._highest:
            return m
        limit = Mux(self.limit < self._lowest, self._lowest, self.limit)
        allowed = Mux((self.limit == 0) | (limit > self._highest), self._highest, limit)
        with m.If(self.restart | (self.next_lower & (self.generation == self._lowest))):
            m.d.sync += self.generation.eq(allowed)
        with m.Elif(self.next_lower):
            m.d.sync += self.generation.eq(self.generation - 1)
        return m

"""What a write cache may have lost."""

from amaranth.hdl import C, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...drive_port import Error

__all__ = ["Exposure"]


class Exposure(wiring.Component):
    """Keeps how many sectors were completed when the drive's write cache may last have been lost.

    Parameters
    ----------
    queued : bool           A recording may have several extents: what is kept is the range of all
                            sectors that were completed in them. Else ``first`` is ``origin``.

    Members
    -------
    begin : In(1)           an operation begins
    sectors_done : In(48)   sectors in completed commands
    skipped : In(48)        sectors that were passed over
    expose : In(1)          the cache may be lost
    cause : In(Error)       with ``expose``: why
    sectors : Out(48)       sectors from ``first`` on that may be lost
    reason : Out(Error)     why
    lba, range : In(48)     the first sector that was completed in this operation, and the sectors
                            from it to the last one; they count if ``sectors_done`` is not 0
    origin : In(48)         the first sector of the extent
    first : Out(48)         the first sector that may be lost
    """

    def __init__(self, *, queued=False):
        self._queued = queued
        super().__init__({
            "begin": In(1), "sectors_done": In(48), "skipped": In(48), "expose": In(1),
            "cause": In(Error), "sectors": Out(48), "reason": Out(Error),
            "lba": In(48), "range": In(48), "origin": In(48), "first": Out(48),
        })

    def elaborate(self, platform):
        m = Module()
        kept = Signal(48)
        sectors, first, none = self.sectors_done + self.skipped, self.origin, C(0, 1)
        if self._queued:
            sectors, first, none = self.range, kept, self.sectors_done == 0
        m.d.comb += self.first.eq(first)
        with m.If(self.expose):
            m.d.sync += [self.sectors.eq(sectors), self.reason.eq(self.cause), kept.eq(self.lba)]
        with m.If(self.begin | (self.expose & none)):
            m.d.sync += self.sectors.eq(0)
        return m

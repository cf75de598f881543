"""What a write cache may have lost."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...drive_port import Error

__all__ = ["Exposure"]


class Exposure(wiring.Component):
    """Keeps how many sectors were completed when the drive's write cache may last have been lost.

    Members
    -------
    begin : In(1)           an operation begins
    sectors_done : In(48)   sectors in completed commands
    skipped : In(48)        sectors that were passed over
    expose : In(1)          the cache may be lost, because of
    cause : In(Error)       this
    sectors : Out(48)       sectors from the beginning of the extent that may be lost
    reason : Out(Error)     why
    """

    begin: In(1)
    sectors_done: In(48)
    skipped: In(48)
    expose: In(1)
    cause: In(Error)
    sectors: Out(48)
    reason: Out(Error)

    def elaborate(self, platform):
        m = Module()
        with m.If(self.begin):
            m.d.sync += self.sectors.eq(0)
        with m.Elif(self.expose):
            m.d.sync += [
                self.sectors.eq(self.sectors_done + self.skipped), self.reason.eq(self.cause),
            ]
        return m

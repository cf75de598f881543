"""Events: what the console sends unrequested."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.core.drive_port import Error

from .messages import Page


class Events(wiring.Component):
    """Compares what has been reported about link and drive with the present state."""

    link_up: In(1)      # The PHY communicates with a drive.
    ready: In(1)        # A drive is identified, and no operation runs.
    error: In(4)        # Result of the last operation or of the bring-up.
    failing: In(1)      # The drive has reported that it is failing.
    hot: In(1)          # The drive has reported that it is too hot.
    active: In(1)       # An operation runs, so ``error`` is not the bring-up's.
    restart: In(1)      # The core is being reset: what has been reported about its drive no longer counts.
    usable: Out(1)      # A drive is identified, even while an operation runs.
    failed: Out(1)      # The bring-up of a drive has failed, which has not been reported. An event of the link or
                        # of the drive comes first.
    valid: Out(1)       # There is something to report.
    page: Out(Page)     # The page that reports it.
    take: In(1)         # High for one clock, with ``valid``: ``page`` is being printed.

    def elaborate(self, platform):
        m = Module()
        told_up = Signal()
        told_usable = Signal()
        told_error = Signal(4)
        told_failing = Signal()
        told_hot = Signal()
        with m.If(~self.link_up | self.restart):
            m.d.sync += self.usable.eq(0)
        with m.Elif(self.ready):
            m.d.sync += self.usable.eq(1)
        # The core keeps the error of an operation: only what is new is the bring-up's.
        with m.If(self.usable | self.active):
            m.d.sync += told_error.eq(self.error)

        m.d.comb += self.valid.eq(1)
        with m.If(told_up != self.link_up):
            m.d.comb += self.page.eq(Page.LINK_EVENT)
            with m.If(self.take):
                m.d.sync += [told_up.eq(self.link_up), told_usable.eq(told_usable & self.link_up)]
        with m.Elif(self.usable & ~told_usable):
            m.d.comb += self.page.eq(Page.READY_EVENT)
            with m.If(self.take):
                m.d.sync += told_usable.eq(1)
        with m.Elif(~self.active & ~self.usable & (self.error != Error.NONE)
                    & (self.error != told_error)):
            m.d.comb += [self.page.eq(Page.ERROR_EVENT), self.failed.eq(1)]
            with m.If(self.take):
                m.d.sync += told_error.eq(self.error)
        with m.Elif(self.failing & ~told_failing):
            m.d.comb += self.page.eq(Page.HEALTH_EVENT)
            with m.If(self.take):
                m.d.sync += told_failing.eq(1)
        with m.Elif(self.hot & ~told_hot):
            m.d.comb += self.page.eq(Page.HEAT_EVENT)
            with m.If(self.take):
                m.d.sync += told_hot.eq(1)
        with m.Else():
            m.d.comb += self.valid.eq(0)
        with m.If(~self.failing):
            m.d.sync += told_failing.eq(0)
        with m.If(~self.hot):
            m.d.sync += told_hot.eq(0)
        with m.If(self.restart):
            m.d.sync += [told_usable.eq(0), told_error.eq(0)]
        return m

"""Whether the extent of an operation can be moved."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..drive_port import Error, Operation

__all__ = ["ExtentCheck"]

#: Clocks from the start of an operation until it is known whether the extent ends beyond the
#: capacity.
_BEYOND_CLOCKS = 3


class ExtentCheck(wiring.Component):
    """Checks the extent of an operation while the ledger is cleared, and what follows.

    Parameters
    ----------
    clocks : int            The ledger takes this many to be cleared.

    Members
    -------
    begin : In(1)           An operation begins.
    checks : In(1)          Its extent is checked, from the clock after ``begin`` until ``cleared``.
    kind : In(Operation)    With ``checks``: the operation.
    empty : In(1)           With ``checks``: it has no sectors.
    beyond : In(1)          It ends beyond the capacity; counts 3 clocks after ``begin``.
    splits : In(1)          With ``checks``: it begins or ends within a logical sector.
    lost : In(1)            The drive is lost.
    unfit : Out(1)          The extent ends beyond the capacity, or splits a logical sector.
    gone : Out(1)           The drive was lost meanwhile.
    cleared : Out(1)        The last clock of ``checks``.
    refuses : Out(1)        With ``cleared``: the extent cannot be moved, for the reason in ``error``.
    error : Out(Error)
    opens, flushes : Out(1) With ``cleared``: the first data command, or FLUSH CACHE alone, comes unless the drive
                            is lost in this very clock. From flops, for much depends on them.
    """

    def __init__(self, clocks):
        self._clocks = clocks
        super().__init__({
            "begin": In(1), "checks": In(1), "kind": In(Operation), "empty": In(1), "beyond": In(1),
            "lost": In(1), "unfit": Out(1), "gone": Out(1), "cleared": Out(1), "refuses": Out(1),
            "error": Out(Error), "opens": Out(1), "flushes": Out(1), "splits": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        clocks = Signal(range(self._clocks + 1))
        outside = Signal()          # the extent ends beyond the capacity
        last = Signal()
        alone = self.kind == Operation.FLUSH
        error = Mux(self.empty, Error.ZERO_SECTORS, Error.OUT_OF_RANGE)
        stays = ~self.lost & ~self.gone
        m.d.comb += [
            self.unfit.eq(outside | self.splits),
            self.error.eq(Mux(self.splits & ~self.empty, Error.SECTOR_SIZE, error)),
            self.refuses.eq(~alone & (self.empty | self.unfit)),
            last.eq(self.checks & (clocks == self._clocks - 1)),
        ]
        m.d.sync += [
            clocks.eq(clocks + 1),
            self.cleared.eq(last),
            self.opens.eq(last & ~alone & ~self.refuses & stays),
            self.flushes.eq(last & alone & stays),
        ]
        with m.If(self.begin):
            m.d.sync += [clocks.eq(0), self.gone.eq(0)]
        with m.Elif(self.checks):
            # However short the loss was: what is there now has not been identified.
            m.d.sync += self.gone.eq(self.lost | self.gone)
            # A drive that is lost meanwhile takes its capacity with it.
            with m.If(clocks == _BEYOND_CLOCKS - 1):
                m.d.sync += outside.eq(self.beyond)
        return m

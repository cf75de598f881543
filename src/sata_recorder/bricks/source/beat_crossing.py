"""From the clock of a source to that of the core."""

from amaranth.hdl import ClockDomain, ClockSignal, Module, Mux, ResetSignal, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.fifo import AsyncFIFOBuffered
from amaranth.lib.wiring import In, Out

__all__ = ["BeatCrossing"]

#: Clocks of the core in which the FIFO settles after a reset.
_SETTLE = 8
_FIFO = "fifo"


class BeatCrossing(wiring.Component):
    """A FIFO between two clocks of any ratio, which also survives a reset while one of them stands still.

    The FIFO of Amaranth forgets what it holds only if its reset lasts until both sides have seen it, and if nothing is
    written before the reader has left it: both are awaited here.

    Parameters
    ----------
    shape : Layout      Of a beat.
    depth : int         Beats that fit.
    domain : str        The clock domain of the source, whose reset comes with that of ``sync``.

    Members
    -------
    i : In(stream)      In the ``domain``.
    opened : Out(1)     In the ``domain``: no reset, else nothing is taken.
    o : Out(stream)     In ``sync``. Latency: 3 to 4 of its clocks.
    """

    def __init__(self, shape, depth, domain):
        self._depth, self._domain = depth, domain
        super().__init__({"i": In(stream.Signature(shape)), "opened": Out(1), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform):
        m = Module()
        domain = self._domain
        holds = Signal(init=1)      # the reset of the FIFO, until the core has seen it
        shown = Signal()
        answered = Signal()
        m.d[domain] += holds.eq(holds & ~answered)
        m.submodules.holds_synchronizer = FFSynchronizer(holds, shown, o_domain="sync", reset_less=False)
        m.submodules.answer_synchronizer = FFSynchronizer(shown, answered, o_domain=domain, reset_less=False)
        m.domains += ClockDomain(_FIFO, local=True)
        m.d.comb += [ClockSignal(_FIFO).eq(ClockSignal(domain)), ResetSignal(_FIFO).eq(ResetSignal(domain) | holds)]
        m.submodules.fifo = fifo = AsyncFIFOBuffered(
            width=len(self.i.payload.as_value()), depth=self._depth, r_domain="sync", w_domain=_FIFO)
        clocks, seen = Signal(_SETTLE), Signal()
        m.d.sync += clocks.eq(Mux(fifo.r_rst | shown, 0, (clocks << 1) | 1))
        settled = clocks[-1]
        m.submodules.settled_synchronizer = FFSynchronizer(settled, seen, o_domain=domain, reset_less=False)
        m.d.comb += [
            self.opened.eq(seen & ~holds & ~ResetSignal(domain)),
            fifo.w_data.eq(self.i.payload), fifo.w_en.eq(self.i.valid & self.opened),
            self.i.ready.eq(fifo.w_rdy & self.opened),
            self.o.payload.eq(fifo.r_data), self.o.valid.eq(fifo.r_rdy & settled),
            fifo.r_en.eq(self.o.ready & settled),
        ]
        return m

"""A stream from one clock to another."""

from amaranth.hdl import ClockDomain, ClockSignal, DomainRenamer, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.fifo import AsyncFIFO
from amaranth.lib.wiring import In, Out

from ..core.skid import Skid

__all__ = ["ClockCrossing"]

#: Clocks of the reader in which the FIFO settles after a reset.
_SETTLE = 8
_FIFO = "fifo"


class ClockCrossing(wiring.Component):
    """A FIFO between two clocks of any ratio, which also survives a reset while one of them stands still.

    The FIFO of Amaranth forgets what it holds only if its reset lasts until both sides have seen it, and if nothing is
    written before the reader has left it: both are awaited here.

    Parameters
    ----------
    shape : Layout      Of a beat.
    depth : int         Beats that fit, a power of two; one more fits into a register after the FIFO, with ``cut`` two.
    writer, reader : str        The clock domains, whose resets come together.
    cut : bool          The FIFO does not depend on ``o.ready`` in the same clock: for a reader whose ready comes late.

    Members
    -------
    i : In(stream)      In the domain of the writer.
    opened : Out(1)     In the same: no reset, else nothing is taken.
    level : Out         In the same: beats in the FIFO, some of which may have left a few clocks ago.
    o : Out(stream)     In the domain of the reader. Latency: 3 to 4 of its clocks.
    waiting : Out       In the same: beats that are there, but for those that have just come.
    """

    def __init__(self, shape, depth, *, writer, reader, cut=False):
        self._depth, self._writer, self._reader, self._cut = depth, writer, reader, cut
        counts = range(depth + 2 + cut)
        super().__init__({"i": In(stream.Signature(shape)), "opened": Out(1), "level": Out(counts),
                          "o": Out(stream.Signature(shape)), "waiting": Out(counts)})

    def elaborate(self, platform):
        m = Module()
        writer, reader = self._writer, self._reader
        holds = Signal(init=1)      # the reset of the FIFO, until the reader has seen it
        shown = Signal()
        answered = Signal()
        m.d[writer] += holds.eq(holds & ~answered)
        m.submodules.holds_synchronizer = FFSynchronizer(holds, shown, o_domain=reader, reset_less=False)
        m.submodules.answer_synchronizer = FFSynchronizer(shown, answered, o_domain=writer, reset_less=False)
        m.domains += ClockDomain(_FIFO, local=True)
        m.d.comb += [ClockSignal(_FIFO).eq(ClockSignal(writer)), ResetSignal(_FIFO).eq(ResetSignal(writer) | holds)]
        m.submodules.fifo = fifo = AsyncFIFO(
            width=len(Value.cast(self.i.payload)), depth=self._depth, r_domain=reader, w_domain=_FIFO)
        clocks, seen = Signal(_SETTLE), Signal()
        m.d[reader] += clocks.eq(Mux(fifo.r_rst | shown, 0, (clocks << 1) | 1))
        settled = clocks[-1]
        m.submodules.settled_synchronizer = FFSynchronizer(settled, seen, o_domain=writer, reset_less=False)
        m.d.comb += [
            self.opened.eq(seen & ~holds & ~ResetSignal(writer)), self.level.eq(fifo.w_level),
            fifo.w_data.eq(self.i.payload), fifo.w_en.eq(self.i.valid & self.opened),
            self.i.ready.eq(fifo.w_rdy & self.opened),
        ]
        self._read(m, fifo, settled)
        return m

    def _read(self, m, fifo, settled):
        """Beats from the FIFO, through a register, as a memory is slow."""
        reader = self._reader
        if self._cut:
            m.submodules.skid = skid = DomainRenamer(reader)(Skid(self.o.payload.shape()))
            m.d.comb += [
                skid.i.payload.eq(fifo.r_data), skid.i.valid.eq(fifo.r_rdy), fifo.r_en.eq(skid.i.ready),
                self.o.payload.eq(skid.o.payload), self.o.valid.eq(skid.o.valid & settled),
                skid.o.ready.eq(self.o.ready & settled),
            ]
            m.d[reader] += self.waiting.eq(fifo.r_level + (skid.o.valid & ~self.o.ready) + ~skid.i.ready)
            return
        there = Signal()
        m.d.comb += [self.o.valid.eq(there & settled), fifo.r_en.eq(~there | (self.o.ready & settled))]
        m.d[reader] += self.waiting.eq(fifo.r_level + (there & ~fifo.r_en))
        with m.If(fifo.r_en):
            m.d[reader] += [Value.cast(self.o.payload).eq(fifo.r_data), there.eq(fifo.r_rdy)]

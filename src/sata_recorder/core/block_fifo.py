"""A FIFO in block RAM, with nothing built round it."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.fifo import SyncFIFOBuffered

from .block_memory import BlockMemory

__all__ = ["BlockFifo"]


class BlockFifo(SyncFIFOBuffered):
    """Amaranth's :class:`~amaranth.lib.fifo.SyncFIFOBuffered`, clock for clock, in a
    :class:`.block_memory.BlockMemory`: no word is read in the clock in which it is written. ``depth`` is at least 3."""

    def elaborate(self, platform):
        m = Module()
        places = self.depth - 1     # and one at the output
        m.submodules.memory = words = BlockMemory(shape=self.width, depth=places)
        write = words.write_port()
        kept = Signal(range(places + 1))
        newest = Signal(range(places))
        oldest = Signal(range(places))
        enters = Signal()           # a word, into the memory
        moves = Signal()            # out of it
        address, word = words.late_port(m, moves)
        m.d.comb += [
            self.level.eq(kept + self.r_rdy), self.w_level.eq(self.level), self.r_level.eq(self.level),
            self.w_rdy.eq(kept != places), enters.eq(self.w_rdy & self.w_en),
            moves.eq((kept != 0) & (~self.r_rdy | self.r_en)),
            write.addr.eq(newest), write.data.eq(self.w_data), write.en.eq(enters),
            address.eq(oldest), self.r_data.eq(word),
        ]
        for place, when in ((newest, enters), (oldest, moves)):
            with m.If(when):
                m.d.sync += place.eq(Mux(place == places - 1, 0, place + 1))
        with m.If(enters != moves):
            m.d.sync += kept.eq(Mux(enters, kept + 1, kept - 1))
        with m.If(moves):
            m.d.sync += self.r_rdy.eq(1)
        with m.Elif(self.r_en):
            m.d.sync += self.r_rdy.eq(0)
        return m

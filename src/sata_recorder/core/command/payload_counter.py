"""How much payload of a command is still to be moved."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["PayloadCounter"]


class PayloadCounter(wiring.Component):
    """Counts the payload of a command and of a PIO data block. Latency: 1 clock.

    Members
    -------
    begin : In(1)
        A command begins; no payload moves.
    words : In(24)
        With ``begin``: the payload of the command in dwords.
    begin_block : In(1)
        A PIO data block begins.
    block_words : In(14)
        With ``begin_block``: the payload of the block in dwords.
    pio : In(1)
        The payload comes in PIO data blocks.
    sent : In(1)
        A dword of payload was sent.
    received : In(1)
        A dword of payload was received.
    forgive : In(1)
        Whatever was wrong with the payload is known already: ``broken`` falls.
    remaining : Out(24)
        Dwords of the command that are still to be moved.
    complete : Out(1)
        ``remaining`` is 0.
    completes : Out(1)
        ``complete`` is high in the next clock.
    block_open : Out(1)
        The block is not complete.
    broken : Out(1)
        More payload was received than belongs to the command, or to the block.
    """

    begin: In(1)
    words: In(24)
    begin_block: In(1)
    block_words: In(14)
    pio: In(1)
    sent: In(1)
    received: In(1)
    forgive: In(1)
    remaining: Out(24)
    complete: Out(1)
    completes: Out(1)
    block_open: Out(1)
    broken: Out(1)

    def elaborate(self, platform):
        m = Module()
        block = Signal(14)
        m.d.comb += self.completes.eq(self.complete)
        m.d.sync += self.complete.eq(self.completes)
        with m.If(self.sent | self.received):
            m.d.sync += [block.eq(block - self.block_open),
                         self.block_open.eq(self.block_open & (block != 1))]
            with m.If(~self.complete):
                m.d.sync += self.remaining.eq(self.remaining - 1)
                m.d.comb += self.completes.eq(self.remaining == 1)
        with m.If(self.received & (self.complete | (self.pio & ~self.block_open))):
            m.d.sync += self.broken.eq(1)
        with m.If(self.forgive):
            m.d.sync += self.broken.eq(0)
        with m.If(self.begin_block):
            m.d.sync += [block.eq(self.block_words), self.block_open.eq(self.block_words != 0)]
        with m.If(self.begin):
            m.d.sync += [self.remaining.eq(self.words), self.broken.eq(0)]
            m.d.comb += self.completes.eq(self.words == 0)
        return m

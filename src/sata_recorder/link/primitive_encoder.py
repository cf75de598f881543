"""The last stage of the transmitter: scrambling, CONT, ALIGN and the output register."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .primitives import Primitive, TxPrimitive, dword_of
from .scrambler import SCRAMBLER_SEED, scrambler_next

__all__ = ["PrimitiveEncoder", "ALIGN_INTERVAL"]

#: Dwords from one ALIGN pair to the next, the pair included.
ALIGN_INTERVAL = 256

#: The primitives besides SYNC that CONT may continue. PMNAK is not one of them.
_CONTINUED = ("hold", "holda", "r_err", "r_ip", "r_ok", "r_rdy", "wtrm", "x_rdy")


class PrimitiveEncoder(wiring.Component):
    """Registers the dword to send.

    Two of every 256 dwords are an ALIGN pair. With ``send_cont`` a primitive that goes on is
    sent twice, then CONT, then junk; before data may follow the junk the primitive is sent once
    more, since data could not be told from junk (Serial ATA 3.x, link layer, CONT).
    After reset it sends SYNC, and the first pair after as many dwords as come between any two.
    Latency: 1 clock.

    Parameters
    ----------
    send_cont : bool

    Members
    -------
    tx_data, tx_k : Out, tx_ready : In      the dword port
    send : In(TxPrimitive)     what to send next; with ``data`` it is ``word``
    word, keystream : In(32)  a dword of a frame, and what scrambles it
    advance : Out(1)    ``send`` is taken in this clock, unless it is data
    take : Out(1)       ``send`` is taken in this clock if it is data
    sent : Out(TxPrimitive)    what the dword at the port stands for; for junk the primitive it continues
    align : Out(1)      the dword at the port is an ALIGN
    """

    def __init__(self, *, send_cont=True):
        self._send_cont = send_cont
        super().__init__({
            "tx_data": Out(32), "tx_k": Out(4), "tx_ready": In(1),
            "send": In(TxPrimitive), "word": In(32), "keystream": In(32),
            "advance": Out(1), "take": Out(1),
            "sent": Out(TxPrimitive), "align": Out(1),
        })

    def elaborate(self, platform):
        m = Module()

        # The phase counts dwords, not clocks; the slot is known a clock ahead.
        # From 1 on: the SYNC that is at the port after reset is a dword, too.
        phase = Signal(range(ALIGN_INTERVAL), init=1)
        slot = Signal()
        with m.If(self.tx_ready):
            m.d.sync += [
                phase.eq(phase + 1),
                slot.eq((phase == ALIGN_INTERVAL - 3) | (phase == ALIGN_INTERVAL - 2)),
            ]

        junk = Signal()         # junk stands for the last primitive
        m.d.comb += [
            self.advance.eq(self.tx_ready & ~slot),
            self.take.eq(self.advance & ~junk),
        ]

        # The port shows one of: ALIGN, a dword of the frame or of junk, CONT, a primitive. The
        # primitive is encoded behind the register: in front of it time is short.
        body = Signal()
        body_next = Signal()
        body_word = Signal(32)
        cont = Signal()
        primitive = Signal(TxPrimitive)
        m.d.comb += [primitive.eq(self.send), body_next.eq(self.send.data)]
        with m.If(self.tx_ready):
            m.d.sync += self.align.eq(slot)
        with m.If(self.advance):
            m.d.sync += [
                body.eq(body_next),
                body_word.eq(self.word ^ self.keystream),
                self.sent.eq(primitive),
            ]

        if self._send_cont:
            filler = Signal(32, init=SCRAMBLER_SEED)
            repeated = Signal()     # the last primitive was sent twice in a row
            sync = Signal(init=1)   # it is SYNC
            same = Signal()
            m.d.comb += [
                same.eq(Cat(self.send[name] & self.sent[name] for name in _CONTINUED).any()
                        | (sync & ~self.send.as_value().any())),
                body_next.eq(Mux(junk, same, self.send.data)),
            ]
            # Only HOLD and HOLDA can be between junk and data.
            with m.If(self.send.data & junk):
                m.d.comb += primitive.eq(self.sent)
            with m.If(self.advance):
                m.d.sync += [
                    sync.eq(~self.send.as_value().any()),
                    repeated.eq(same & ~junk),
                    junk.eq(same & (repeated | junk)),
                    cont.eq(same & repeated & ~junk),
                ]
                with m.If(junk):
                    m.d.sync += [body_word.eq(filler), filler.eq(scrambler_next(filler))]

        with m.If(self.align):
            m.d.comb += [self.tx_data.eq(Primitive.ALIGN.value), self.tx_k.eq(1)]
        with m.Elif(body):
            m.d.comb += [self.tx_data.eq(body_word), self.tx_k.eq(0)]
        with m.Elif(cont):
            m.d.comb += [self.tx_data.eq(Primitive.CONT.value), self.tx_k.eq(1)]
        with m.Else():
            m.d.comb += [self.tx_data.eq(dword_of(self.sent)), self.tx_k.eq(1)]
        return m

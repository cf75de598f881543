"""The last stage of the transmitter: scrambling, CONT, ALIGN and the output register."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .primitives import Primitive, Sent, dword_of
from .scrambler import SCRAMBLER_SEED, scrambler_next

__all__ = ["Emitter", "ALIGN_INTERVAL"]

#: Dwords from one ALIGN pair to the next, the pair included.
ALIGN_INTERVAL = 256

#: The primitives that CONT may continue. PMNAK is not one of them.
_CONTINUED = ("hold", "holda", "r_err", "r_ip", "r_ok", "r_rdy", "sync", "wtrm", "x_rdy")


class Emitter(wiring.Component):
    """Registers the dword to send.

    Two of every 256 dwords are an ALIGN pair. With ``send_cont`` a primitive that goes on is
    sent twice, then CONT, then junk; before data may follow the junk the primitive is sent once
    more, since data could not be told from junk (Serial ATA 3.x, link layer, CONT).
    Latency: 1 clock.

    Parameters
    ----------
    send_cont : bool

    Members
    -------
    tx_data, tx_k : Out, tx_ready : In      the dword port
    send : In(Sent)     what to send next; with ``data`` it is ``word``
    word : In(32)       a dword of a frame, not yet scrambled
    advance : Out(1)    ``send`` is taken in this clock, unless it is data
    take : Out(1)       ``send`` is taken in this clock if it is data
    sent : Out(Sent)    what the dword at the port stands for; for junk the primitive it continues
    align : Out(1)      the dword at the port is an ALIGN
    """

    def __init__(self, *, send_cont=True):
        self._send_cont = send_cont
        super().__init__({
            "tx_data": Out(32), "tx_k": Out(4), "tx_ready": In(1),
            "send": In(Sent), "word": In(32), "advance": Out(1), "take": Out(1),
            "sent": Out(Sent), "align": Out(1),
        })

    def elaborate(self, platform):
        m = Module()

        # The phase counts dwords, not clocks; the slot is known a clock ahead.
        phase = Signal(range(ALIGN_INTERVAL))
        slot = Signal()
        with m.If(self.tx_ready):
            m.d.sync += [
                phase.eq(phase + 1),
                slot.eq((phase == ALIGN_INTERVAL - 3) | (phase == ALIGN_INTERVAL - 2)),
            ]

        key = Signal(32, init=SCRAMBLER_SEED)
        junk = Signal()         # junk stands for the last primitive
        m.d.comb += [
            self.advance.eq(self.tx_ready & ~slot),
            self.take.eq(self.advance & ~junk),
        ]

        primitive = Signal(32)
        m.d.comb += primitive.eq(dword_of(self.send))
        with m.If(self.tx_ready):
            m.d.sync += self.align.eq(slot)
        with m.If(self.tx_ready & slot):
            m.d.sync += [self.tx_data.eq(Primitive.ALIGN.value), self.tx_k.eq(1)]
        with m.If(self.advance):
            m.d.sync += [
                self.tx_data.eq(Mux(self.send.data, self.word ^ key, primitive)),
                self.tx_k.eq(~self.send.data),
                self.sent.eq(self.send),
            ]
            with m.If(self.send.sof):
                m.d.sync += key.eq(SCRAMBLER_SEED)
            with m.If(self.send.data & ~junk):
                m.d.sync += key.eq(scrambler_next(key))

        if self._send_cont:
            filler = Signal(32, init=SCRAMBLER_SEED)
            repeated = Signal()     # the last primitive was sent twice in a row
            same = Signal()
            m.d.comb += same.eq(Cat(self.send[name] & self.sent[name]
                                    for name in _CONTINUED).any())
            with m.If(self.advance):
                m.d.sync += [repeated.eq(same & ~junk), junk.eq(0)]
                with m.If(self.send.data & junk):
                    m.d.sync += [
                        self.tx_data.eq(dword_of(self.sent)),
                        self.tx_k.eq(1),
                        self.sent.eq(self.sent),
                    ]
                with m.Elif(same & junk):
                    m.d.sync += [
                        self.tx_data.eq(filler),
                        self.tx_k.eq(0),
                        filler.eq(scrambler_next(filler)),
                        junk.eq(1),
                    ]
                with m.Elif(same & repeated):
                    m.d.sync += [self.tx_data.eq(Primitive.CONT.value), junk.eq(1)]
        return m

"""The last stage of the transmitter: CONT, ALIGN and the output register.

Serial ATA Revision 3.x, link layer, primitive encoding, CONT and ALIGN.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .primitives import Primitive, TxPrimitive, dword_of
from .scrambler import SCRAMBLER_SEED, scrambler_next

__all__ = ["PrimitiveEncoder", "TxSignature"]


class TxSignature(wiring.Signature):
    """What the host sends, seen from the state machine that decides it.

    Members
    -------
    send : Out(TxPrimitive)
        What to send next. It may change in each clock until it is taken.
    word : Out(32)
        With ``send.data``: the scrambled dword.
    advance : In(1)
        ``send`` is taken in this clock, unless it is data.
    take : In(1)
        ``send`` is taken in this clock if it is data.
    host_idle : In(1)
        What was taken last is SYNC or X_RDY: the host is in no frame. High after reset.
    """

    def __init__(self):
        super().__init__({
            "send": Out(TxPrimitive), "word": Out(32), "advance": In(1), "take": In(1),
            "host_idle": In(1, init=1),
        })


def _repeats(send, sent):
    """Whether ``send`` is the primitive ``sent`` again and CONT may continue it: not so for PMNAK and
    what is sent once. SYNC is dealt with elsewhere."""
    return Cat(
        send.hold & sent.hold, send.holda & sent.holda, send.r_err & sent.r_err,
        send.r_ip & sent.r_ip, send.r_ok & sent.r_ok, send.r_rdy & sent.r_rdy,
        send.wtrm & sent.wtrm, send.x_rdy & sent.x_rdy,
    ).any()


class PrimitiveEncoder(wiring.Component):
    """The output register of the link layer: sends dwords of frames, primitives, CONT and ALIGN.

    Two of every ``align_interval`` dwords are an ALIGN pair. With ``send_cont`` a primitive that
    continues is sent twice, then CONT, then junk. Before data may follow the junk, the primitive is
    sent once more: else data could not be distinguished from junk. After reset it sends SYNC, and the
    first ALIGN pair comes after as many dwords as lie between any two. Latency: 1 clock.

    Parameters
    ----------
    send_cont : bool
        Replace repeated primitives by CONT and junk.
    align_interval : int
        Dwords from one ALIGN pair to the next, the pair included; a power of two of at least 4,
        else ``ValueError``. The specification requires 256; a proof takes fewer.

    Members
    -------
    tx : In(TxSignature)
        What to send.
    tx_data : Out(32)
        The dword at the port. It stays until ``tx_ready``.
    tx_k : Out(4)
        Which bytes of the dword are control characters: byte 0 or none.
    tx_ready : In(1)
        The PHY takes the dword in this clock.
    sent : Out(TxPrimitive)
        What the dword at the port means. For junk and CONT: the primitive they continue.
    align : Out(1)
        The dword at the port is an ALIGN.
    """

    def __init__(self, *, send_cont=True, align_interval=256):
        if align_interval < 4 or align_interval & (align_interval - 1):
            raise ValueError(f"align_interval is {align_interval}, it must be a power of two "
                             f"of at least 4")
        self._send_cont = send_cont
        self._align_interval = align_interval
        super().__init__({
            "tx": In(TxSignature()),
            "tx_data": Out(32), "tx_k": Out(4), "tx_ready": In(1),
            "sent": Out(TxPrimitive), "align": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        tx = self.tx
        send = tx.send

        # The phase counts dwords, not clocks; the slot is known a dword in advance. It starts at 1,
        # because the SYNC that is at the port after reset is a dword, too.
        interval = self._align_interval
        phase = Signal(range(interval), init=1)
        slot = Signal()
        with m.If(self.tx_ready):
            m.d.sync += [
                phase.eq(phase + 1),
                slot.eq((phase == interval - 3) | (phase == interval - 2)),
            ]

        junk = Signal()         # junk continues the last primitive
        m.d.comb += [
            tx.advance.eq(self.tx_ready & ~slot),
            tx.take.eq(tx.advance & ~junk),
        ]

        # The port shows one of: ALIGN, a dword of the frame or of junk, CONT, a primitive. The
        # primitive is encoded after the register: before it timing is tight.
        body = Signal()
        body_next = Signal()
        body_word = Signal(32)
        cont = Signal()
        primitive = Signal(TxPrimitive)
        m.d.comb += [primitive.eq(send), body_next.eq(send.data)]
        with m.If(self.tx_ready):
            m.d.sync += self.align.eq(slot)
        with m.If(tx.advance):
            m.d.sync += [
                body.eq(body_next),
                body_word.eq(tx.word),
                self.sent.eq(primitive),
                tx.host_idle.eq(~send.as_value().any() | send.x_rdy),
            ]

        if self._send_cont:
            filler = Signal(32, init=SCRAMBLER_SEED)
            repeated = Signal()     # the last primitive was sent twice in a row
            sync = Signal(init=1)   # it is SYNC
            same = Signal()
            m.d.comb += [
                same.eq(_repeats(send, self.sent) | (sync & ~send.as_value().any())),
                body_next.eq(Mux(junk, same, send.data)),
            ]
            # Where data follows junk, the primitive can only be HOLD or HOLDA.
            with m.If(send.data & junk):
                m.d.comb += primitive.eq(self.sent)
            with m.If(tx.advance):
                m.d.sync += [
                    sync.eq(~send.as_value().any()),
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

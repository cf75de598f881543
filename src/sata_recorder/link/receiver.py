"""The receiving half of the link state machine."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .frame import ReceiveSignature
from .primitives import Received, Sent

__all__ = ["Receiver"]


class Receiver(wiring.Component):
    """Receives frames (Serial ATA 3.x, link layer, receive states LR1 to LR9).

    The answer to EOF is R_OK or R_ERR at once; as in the specification's state machine it does
    not wait for WTRM. A frame without EOF, a second SOF and an undecodable dword are answered
    by R_ERR. SYNC or X_RDY from the drive ends a frame without an answer.
    Latency: ``reply`` follows ``current`` in the same clock, ``frame.word`` one clock later.

    Members
    -------
    current, strobe, word, error : In       from :class:`.decoder.Decoder`
    key, crc : In(32)       from :class:`.coder.Coder`
    restart, step : Out(1), plain : Out(32)     to it
    allowed : In(1)         the transmitter is in no frame of its own
    active : Out(1)         ``reply`` is what the host sends
    reply : Out(Sent)
    frame : Out(ReceiveSignature, flipped)
    """

    current: In(Received)
    strobe: In(1)
    word: In(32)
    error: In(1)
    key: In(32)
    crc: In(32)
    restart: Out(1)
    step: Out(1)
    plain: Out(32)
    allowed: In(1)
    active: Out(1)
    reply: Out(Sent)
    frame: In(ReceiveSignature())

    def elaborate(self, platform):
        m = Module()
        frame = self.frame
        current = self.current

        in_frame = Signal()
        crc_good = Signal()     # the last dword was the CRC of those before it
        damaged = Signal()
        count = Signal.like(frame.count)
        good = Signal()

        m.d.comb += [
            self.step.eq(in_frame & self.strobe & current.data),
            self.plain.eq(self.word ^ self.key),
            good.eq(crc_good & frame.accept & ~damaged & ~self.error),
        ]
        m.d.sync += [frame.start.eq(0), frame.done.eq(0), frame.valid.eq(self.step)]
        with m.If(self.restart):
            m.d.sync += damaged.eq(0)
        with m.If(self.step):
            m.d.sync += [
                crc_good.eq(self.plain == self.crc),
                frame.word.eq(self.plain),
            ]
        m.d.comb += frame.count.eq(count + (self.step & ~count.all()))
        m.d.sync += count.eq(Mux(self.restart, 0, frame.count))
        with m.If(in_frame & self.error):
            m.d.sync += damaged.eq(1)

        def finish(ok):
            return [frame.done.eq(1), frame.ok.eq(ok)]

        m.d.comb += self.active.eq(1)
        with m.FSM() as fsm:
            m.d.comb += in_frame.eq(fsm.ongoing("FRAME"))

            with m.State("IDLE"):
                # Not while the drive is to pause: it could send 24 dwords in each frame anew.
                with m.If(current.x_rdy & self.allowed & ~frame.hold):
                    m.d.comb += self.reply.r_rdy.eq(1)
                    m.next = "READY"
                with m.Elif(current.x_rdy & self.allowed):
                    m.d.comb += self.reply.sync.eq(1)
                with m.Else():
                    m.d.comb += self.active.eq(0)

            with m.State("READY"):
                m.d.comb += self.restart.eq(1)
                with m.If(current.sof):
                    m.d.comb += self.reply.r_ip.eq(1)
                    m.d.sync += frame.start.eq(1)
                    m.next = "FRAME"
                with m.Elif(current.x_rdy):
                    m.d.comb += self.reply.r_rdy.eq(1)
                with m.Else():
                    m.d.comb += self.reply.sync.eq(1)
                    m.next = "IDLE"

            with m.State("FRAME"):
                with m.If(current.sync | current.x_rdy):
                    m.d.comb += self.reply.sync.eq(1)
                    m.d.sync += finish(0)
                    m.next = "IDLE"
                with m.Elif(frame.escape):
                    m.d.comb += self.reply.sync.eq(1)
                    m.d.sync += finish(0)
                    m.next = "ESCAPE"
                with m.Elif(current.eof):
                    m.d.comb += [self.reply.r_ok.eq(good), self.reply.r_err.eq(~good)]
                    m.d.sync += finish(good)
                    with m.If(good):
                        m.next = "GOOD"
                    with m.Else():
                        m.next = "BAD"
                with m.Elif(current.wtrm):
                    m.d.comb += self.reply.r_err.eq(1)
                    m.d.sync += finish(0)
                    m.next = "BAD"
                with m.Elif(frame.hold):
                    m.d.comb += self.reply.hold.eq(1)
                with m.Elif(current.hold):
                    m.d.comb += self.reply.holda.eq(1)
                with m.Else():
                    m.d.comb += self.reply.r_ip.eq(1)
                # SOF is current until the first dword; one that arrives anew is a second one.
                with m.If(self.strobe & current.sof):
                    m.d.sync += damaged.eq(1)

            for state, answer in ("GOOD", self.reply.r_ok), ("BAD", self.reply.r_err):
                with m.State(state):
                    # X_RDY means that the drive has been idle and its SYNC was lost.
                    with m.If(current.sync | current.x_rdy):
                        m.d.comb += self.active.eq(0)
                        m.next = "IDLE"
                    with m.Else():
                        m.d.comb += answer.eq(1)

            with m.State("ESCAPE"):
                m.d.comb += self.reply.sync.eq(1)
                with m.If(current.sync | current.x_rdy):
                    m.next = "IDLE"
        return m

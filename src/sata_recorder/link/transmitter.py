"""The transmitting half of the link state machine."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .frame import SendSignature
from .primitives import Received, Sent

__all__ = ["Transmitter"]


class Transmitter(wiring.Component):
    """Sends frames (Serial ATA 3.x, link layer, transmit states LT1 to LT9, host variant).

    X_RDY is sent only while the drive sends SYNC, and the host gives way when X_RDY comes from
    both sides. When that SYNC is the drive's answer to R_OK, X_RDY follows without a SYNC of our
    own: the drive is idle already. DMAT ends the frame early, with a good CRC. SYNC or X_RDY
    from the drive ends it without one.
    Latency: ``send`` follows ``current`` in the same clock.

    Members
    -------
    current : In(Received)      what the drive sends
    yields : In(1)              the receiver is at work; no frame is begun
    advance, take : In(1)       from :class:`.emitter.Emitter`
    send : Out(Sent), word : Out(32)        to it
    active : Out(1)             ``send`` is what the host sends
    idle : Out(1)               no frame has been begun, a drive's frame may come first
    crc : In(32)                from :class:`.coder.Coder`
    restart, step : Out(1)      to it; what passes is the word of ``frame``
    sends_crc : Out(1)          ``word`` is the CRC
    frame : In(SendSignature)
    """

    current: In(Received)
    yields: In(1)
    advance: In(1)
    take: In(1)
    send: Out(Sent)
    word: Out(32)
    active: Out(1)
    idle: Out(1)
    crc: In(32)
    restart: Out(1)
    step: Out(1)
    sends_crc: Out(1)
    frame: In(SendSignature())

    def elaborate(self, platform):
        m = Module()
        frame = self.frame
        current = self.current
        send = self.send

        escaped = Signal()
        m.d.comb += [
            # The drive has left our frame: SYNC escape, or it wants to send itself.
            escaped.eq(current.sync | current.x_rdy),
            self.word.eq(frame.payload.word),
            self.active.eq(1),
            self.step.eq(send.data & self.take),
        ]

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.idle.eq(1)
                with m.If(frame.valid & ~self.yields & current.sync):
                    m.d.comb += send.x_rdy.eq(1)
                    with m.If(self.advance):
                        m.next = "READY"
                with m.Else():
                    m.d.comb += self.active.eq(0)

            with m.State("READY"):
                m.d.comb += self.restart.eq(1)
                with m.If(current.x_rdy):
                    m.d.comb += [self.idle.eq(1), self.active.eq(0)]
                    m.next = "IDLE"
                with m.Elif(current.r_rdy):
                    m.d.comb += send.sof.eq(1)
                    with m.If(self.advance):
                        m.next = "DATA"
                with m.Else():
                    m.d.comb += send.x_rdy.eq(1)

            with m.State("DATA"):
                with m.If(escaped):
                    m.d.comb += [send.sync.eq(1), frame.done.eq(1)]
                    m.next = "IDLE"
                with m.Elif(current.dmat):
                    m.d.comb += send.hold.eq(1)
                    m.next = "CRC"
                with m.Elif(current.hold):
                    m.d.comb += send.holda.eq(1)
                with m.Elif(~frame.valid):
                    m.d.comb += send.hold.eq(1)
                with m.Else():
                    m.d.comb += [send.data.eq(1), frame.ready.eq(self.take)]
                    with m.If(self.take & frame.payload.last):
                        m.next = "CRC"

            with m.State("CRC"):
                m.d.comb += [self.word.eq(self.crc), self.sends_crc.eq(1)]
                with m.If(escaped):
                    m.d.comb += [send.sync.eq(1), frame.done.eq(1)]
                    m.next = "IDLE"
                with m.Else():
                    m.d.comb += send.data.eq(1)
                    with m.If(self.take):
                        m.next = "EOF"

            with m.State("EOF"):
                m.d.comb += send.eof.eq(1)
                with m.If(self.advance):
                    m.next = "WAIT"

            with m.State("WAIT"):
                with m.If(escaped | current.r_ok | current.r_err):
                    m.d.comb += [
                        send.sync.eq(1),
                        frame.done.eq(1),
                        frame.ok.eq(current.r_ok),
                        frame.refused.eq(current.r_err),
                    ]
                    m.next = "IDLE"
                with m.Else():
                    m.d.comb += send.wtrm.eq(1)
        return m

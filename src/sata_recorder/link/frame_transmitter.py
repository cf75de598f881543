"""The transmitting half of the link state machine."""

from amaranth.hdl import C, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .frame import SendSignature
from .primitives import RxPrimitive, TxPrimitive

__all__ = ["FrameTransmitter"]


class FrameTransmitter(wiring.Component):
    """Sends frames (Serial ATA 3.x, link layer, transmit states LT1 to LT9, host variant).

    X_RDY is sent only while the drive sends SYNC, and the host gives way when X_RDY comes from
    both sides. When that SYNC is the drive's answer to R_OK, X_RDY follows without a SYNC of our
    own: the drive is idle already. DMAT ends the frame early, with a good CRC. SYNC or X_RDY
    from the drive ends it without one.
    Latency: ``send`` follows ``current`` in the same clock.

    Members
    -------
    current, drive_idle : In          from :class:`.decoder.PrimitiveDecoder`
    receiver_idle : In(1)       from :class:`.receiver.FrameReceiver`
    advance, take : In(1)       from :class:`.encoder.PrimitiveEncoder`
    send : Out(TxPrimitive), word : Out(32)        to it; nothing for SYNC
    idle : Out(1)               no frame has been begun, a drive's frame may come first
    crc : In(32)                from :class:`.crc_scrambler.CrcScrambler`
    restart, step : Out(1)      to it; what passes is the word of ``frame``
    sends_crc : Out(1)          ``word`` is the CRC
    frame : In(SendSignature)
    """

    current: In(RxPrimitive)
    drive_idle: In(1)
    receiver_idle: In(1)
    advance: In(1)
    take: In(1)
    send: Out(TxPrimitive)
    word: Out(32)
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

        ends = Signal()         # DMAT takes effect: no frame has less than a header and one dword
        sent = Signal(2)        # one dword of the frame, two dwords
        # The drive has left our frame: SYNC escape, or it wants to send itself.
        escaped = self.drive_idle
        m.d.comb += [
            self.word.eq(frame.payload.word),
            self.step.eq(send.data & self.take),
        ]

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.idle.eq(1)
                # The receiver sends nothing but SYNC while the drive does. Data outside of a frame
                # is the junk of a CONT that was lost.
                with m.If(frame.valid & (current.sync | (current.data & self.receiver_idle))):
                    m.d.comb += send.x_rdy.eq(1)
                    with m.If(self.advance):
                        m.next = "READY"

            with m.State("READY"):
                m.d.comb += self.restart.eq(1)
                m.d.sync += sent.eq(0)
                m.d.comb += [
                    self.idle.eq(current.x_rdy),
                    send.sof.eq(current.r_rdy),
                    send.x_rdy.eq(~current.x_rdy & ~current.r_rdy),
                ]
                with m.If(current.x_rdy):
                    m.next = "IDLE"
                with m.Elif(current.r_rdy & self.advance):
                    m.next = "DATA"

            with m.State("DATA"):
                pauses = current.hold | ends
                m.d.comb += [
                    ends.eq(current.dmat & sent[1]),
                    send.holda.eq(current.hold),
                    send.hold.eq(~escaped & ~current.hold & (ends | ~frame.valid)),
                    send.data.eq(~escaped & ~pauses & frame.valid),
                    frame.ready.eq(~escaped & ~pauses & self.take),
                ]
                with m.If(escaped):
                    m.d.comb += frame.done.eq(1)
                    m.next = "IDLE"
                with m.Elif(ends | (self.step & frame.payload.last)):
                    m.next = "CRC"
                with m.If(self.step):
                    m.d.sync += sent.eq(Cat(C(1, 1), sent[0]))

            with m.State("CRC"):
                m.d.comb += [
                    self.word.eq(self.crc),
                    self.sends_crc.eq(1),
                    send.data.eq(~escaped),
                ]
                with m.If(escaped):
                    m.d.comb += frame.done.eq(1)
                    m.next = "IDLE"
                with m.Elif(self.take):
                    m.next = "EOF"

            with m.State("EOF"):
                m.d.comb += send.eof.eq(1)
                with m.If(self.advance):
                    m.next = "WAIT"

            with m.State("WAIT"):
                m.d.comb += [
                    send.wtrm.eq(~escaped & ~current.r_ok & ~current.r_err),
                    frame.done.eq(~send.wtrm),
                    frame.ok.eq(current.r_ok),
                    frame.refused.eq(current.r_err),
                ]
                with m.If(frame.done):
                    m.next = "IDLE"
        return m

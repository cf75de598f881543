"""The transmitting half of the link state machine.

Serial ATA Revision 3.x, link layer, link transmit state diagram, as a host runs it.
"""

from amaranth.hdl import C, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .crc_scrambler import CrcScramblerSignature
from .frame import SendSignature
from .primitive_decoder import RxSignature
from .primitive_encoder import TxSignature

__all__ = ["FrameTransmitter"]


class FrameTransmitter(wiring.Component):
    """Sends frames (states LT1 to LT9).

    A frame is offered only while the drive sends SYNC, or data outside of a frame, and the host
    gives way when X_RDY comes from both sides. DMAT ends the frame early, with a good CRC. SYNC or
    X_RDY from the drive ends it without one.
    Latency: ``tx.send`` follows ``rx.current`` in the same clock.

    Members
    -------
    rx : In(RxSignature)
        What the drive is sending.
    receiver_idle : In(1)
        No frame of the drive is being received.
    allowed : In(1)
        A frame may be offered.
    tx : Out(TxSignature)
        What to send; nothing for SYNC.
    idle : Out(1)
        No frame has been begun. A frame of the drive may come first.
    code : Out(CrcScramblerSignature)
        CRC and keystream of the frame.
    sends_crc : Out(1)
        The dword at ``tx.word`` is the CRC.
    frame : In(SendSignature)
        The frames.
    """

    rx: In(RxSignature())
    receiver_idle: In(1)
    allowed: In(1)
    tx: Out(TxSignature())
    idle: Out(1)
    code: Out(CrcScramblerSignature())
    sends_crc: Out(1)
    frame: In(SendSignature())

    def elaborate(self, platform):
        m = Module()
        frame = self.frame
        current = self.rx.current
        send, take, advance = self.tx.send, self.tx.take, self.tx.advance

        ends = Signal()         # DMAT takes effect: no frame has fewer dwords than a header and one more
        sent = Signal(2)        # bit 0: one dword of the frame has been sent; bit 1: two have
        # The drive has left our frame: SYNC escape, or it wants to send itself.
        escaped = self.rx.drive_idle
        word = Signal(32)
        m.d.comb += [
            word.eq(frame.payload.word),
            self.tx.word.eq(word ^ self.code.keystream),
            # From the CRC on the sum is no longer used: what enters it does not matter.
            self.code.word.eq(frame.payload.word),
            self.code.step.eq(send.data & take),
        ]

        with m.FSM():
            # L1: L_IDLE. X_RDY goes out in the clock that chooses LT1.
            with m.State("L_IDLE"):
                m.d.comb += self.idle.eq(1)
                # While the drive sends SYNC, our receiver sends nothing else. Data outside of a frame
                # is the junk of a CONT that was lost.
                with m.If(frame.valid & self.allowed
                          & (current.sync | (current.data & self.receiver_idle))):
                    m.d.comb += send.x_rdy.eq(1)
                    with m.If(advance):
                        m.next = "HL_SendChkRdy"

            # LT1: HL_SendChkRdy, and from R_RDY on LT3: L_SendSOF.
            with m.State("HL_SendChkRdy"):
                m.d.comb += self.code.restart.eq(1)
                m.d.sync += sent.eq(0)
                m.d.comb += [
                    self.idle.eq(current.x_rdy),
                    send.sof.eq(current.r_rdy),
                    send.x_rdy.eq(~current.x_rdy & ~current.r_rdy),
                ]
                with m.If(current.x_rdy):
                    m.next = "L_IDLE"
                with m.Elif(current.r_rdy & advance):
                    m.next = "L_SendData"

            # LT4: L_SendData; with HOLD from the drive LT5: L_RcvrHold (HOLDA goes out); without
            # data LT6: L_SendHold (HOLD goes out).
            with m.State("L_SendData"):
                pauses = current.hold | ends
                m.d.comb += [
                    ends.eq(current.dmat & sent[1]),
                    send.holda.eq(current.hold),
                    send.hold.eq(~escaped & ~current.hold & (ends | ~frame.valid)),
                    send.data.eq(~escaped & ~pauses & frame.valid),
                    frame.ready.eq(~escaped & ~pauses & take),
                ]
                with m.If(escaped):
                    m.d.comb += frame.done.eq(1)
                    m.next = "L_IDLE"
                with m.Elif(ends | (self.code.step & frame.payload.last)):
                    m.next = "L_SendCRC"
                with m.If(self.code.step):
                    m.d.sync += sent.eq(Cat(C(1, 1), sent[0]))

            # LT7: L_SendCRC
            with m.State("L_SendCRC"):
                m.d.comb += [
                    word.eq(self.code.crc),
                    self.sends_crc.eq(1),
                    send.data.eq(~escaped),
                ]
                with m.If(escaped):
                    m.d.comb += frame.done.eq(1)
                    m.next = "L_IDLE"
                with m.Elif(take):
                    m.next = "L_SendEOF"

            # LT8: L_SendEOF
            with m.State("L_SendEOF"):
                m.d.comb += send.eof.eq(1)
                with m.If(advance):
                    m.next = "L_Wait"

            # LT9: L_Wait
            with m.State("L_Wait"):
                m.d.comb += [
                    send.wtrm.eq(~escaped & ~current.r_ok & ~current.r_err),
                    frame.done.eq(~send.wtrm),
                    frame.ok.eq(current.r_ok),
                ]
                with m.If(frame.done):
                    m.next = "L_IDLE"
        return m

"""The receiving half of the link state machine.

Serial ATA Revision 3.x, link layer, link receive state diagram.
"""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .crc_scrambler import CrcScramblerSignature
from .frame import ReceiveSignature
from .primitive_decoder import RxSignature
from .primitives import TxPrimitive

__all__ = ["FrameReceiver"]


class FrameReceiver(wiring.Component):
    """Receives frames (states LR1 to LR9).

    The answer to EOF is R_OK or R_ERR at once; as in the specification's state machine it does
    not wait for WTRM. A frame without EOF, with a second SOF or with an undecodable dword is
    answered by R_ERR. SYNC or X_RDY from the drive ends a frame without an answer.
    Latency: ``reply`` follows ``rx.current`` in the same clock, ``frame.word`` one clock later.

    Members
    -------
    rx : In(RxSignature)
        What the drive is sending.
    code : Out(CrcScramblerSignature)
        CRC and keystream of the frame.
    allowed : In(1)
        No frame of our own is in flight: one of the drive may begin.
    idle : Out(1)
        No frame of the drive is being received, and no answer to one is being sent.
    reply : Out(TxPrimitive)
        What to send in this clock; nothing for SYNC.
    frame : In(ReceiveSignature)
        The frames.
    """

    rx: In(RxSignature())
    code: Out(CrcScramblerSignature())
    allowed: In(1)
    idle: Out(1)
    reply: Out(TxPrimitive)
    frame: In(ReceiveSignature())

    def elaborate(self, platform):
        m = Module()
        rx, code, frame = self.rx, self.code, self.frame
        current = rx.current

        in_frame = Signal()
        descrambled = Signal(32)
        crc_good = Signal()     # the last dword was the CRC of those before it
        damaged = Signal()
        good = Signal()
        m.d.comb += [
            code.step.eq(in_frame & rx.strobe & current.data),
            descrambled.eq(rx.word ^ code.keystream),
            code.word.eq(descrambled),
            good.eq(crc_good & frame.accept & ~damaged & ~rx.error),
        ]

        m.d.comb += frame.arrives.eq(code.step)
        m.d.sync += [frame.start.eq(0), frame.done.eq(0), frame.valid.eq(code.step)]
        with m.If(code.restart):
            m.d.sync += [damaged.eq(0), crc_good.eq(0), frame.count.eq(0)]
        with m.If(code.step):
            m.d.sync += [crc_good.eq(descrambled == code.crc), frame.word.eq(descrambled)]
            with m.If(~frame.count.all()):
                m.d.sync += frame.count.eq(frame.count + 1)
        with m.If(in_frame & rx.error):
            m.d.sync += damaged.eq(1)

        # Only one bit of ``current`` is set, so none of this needs a priority.
        reply = self.reply
        with m.FSM() as fsm:
            m.d.comb += [in_frame.eq(fsm.ongoing("L_RcvData")), self.idle.eq(fsm.ongoing("L_IDLE"))]

            # L1: L_IDLE; with X_RDY and ``hold`` LR2: L_RcvWaitFifo (SYNC goes out).
            with m.State("L_IDLE"):
                # Not while the drive is to pause: it could send 24 dwords in each new frame.
                with m.If(current.x_rdy & self.allowed & ~frame.hold):
                    m.d.comb += reply.r_rdy.eq(1)
                    m.next = "L_RcvChkRdy"

            # LR1: L_RcvChkRdy
            with m.State("L_RcvChkRdy"):
                m.d.comb += [
                    code.restart.eq(1),
                    reply.r_ip.eq(current.sof),
                    reply.r_rdy.eq(current.x_rdy),
                ]
                m.d.sync += frame.start.eq(current.sof)
                with m.If(current.sof):
                    m.next = "L_RcvData"
                with m.Elif(~current.x_rdy):
                    m.next = "L_IDLE"

            # LR3: L_RcvData; with ``hold`` LR4: L_Hold (HOLD goes out); with HOLD from the drive
            # LR5: L_RcvHold (HOLDA goes out). With EOF it is LR6: L_RcvEOF and LR7: L_GoodCRC,
            # whose verdict is there at once.
            with m.State("L_RcvData"):
                m.d.comb += [
                    reply.r_ok.eq(current.eof & good),
                    reply.r_err.eq((current.eof & ~good) | current.wtrm),
                    reply.hold.eq(~rx.ending & frame.hold),
                    reply.holda.eq(current.hold & ~frame.hold),
                    reply.r_ip.eq(~rx.ending & ~frame.hold & ~current.hold),
                ]
                # SOF is current until the first dword; one that arrives again is a second one.
                with m.If(rx.strobe & current.sof):
                    m.d.sync += damaged.eq(1)
                m.d.sync += [frame.done.eq(rx.ending | frame.escape),
                             frame.ok.eq(current.eof & good)]
                with m.If(rx.drive_idle):
                    m.next = "L_IDLE"
                with m.Elif(frame.escape):
                    m.next = "L_SyncEscape"
                    m.d.sync += frame.ok.eq(0)
                with m.Elif(current.eof & good):
                    m.next = "L_GoodEnd"
                with m.Elif(rx.ending):
                    m.next = "L_BadEnd"

            # LR8: L_GoodEnd. X_RDY means that the drive has been idle and its SYNC was lost.
            with m.State("L_GoodEnd"):
                m.d.comb += reply.r_ok.eq(~rx.drive_idle)
                with m.If(rx.drive_idle):
                    m.next = "L_IDLE"

            # LR9: L_BadEnd
            with m.State("L_BadEnd"):
                m.d.comb += reply.r_err.eq(~rx.drive_idle)
                with m.If(rx.drive_idle):
                    m.next = "L_IDLE"

            # L2: L_SyncEscape. SYNC goes out.
            with m.State("L_SyncEscape"):
                with m.If(rx.drive_idle):
                    m.next = "L_IDLE"
        return m

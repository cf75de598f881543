"""The receiving half of the link state machine."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .frame import ReceiveSignature
from .primitives import RxPrimitive, TxPrimitive

__all__ = ["FrameReceiver"]


class FrameReceiver(wiring.Component):
    """Receives frames (Serial ATA 3.x, link layer, receive states LR1 to LR9).

    The answer to EOF is R_OK or R_ERR at once; as in the specification's state machine it does
    not wait for WTRM. A frame without EOF, a second SOF and an undecodable dword are answered
    by R_ERR. SYNC or X_RDY from the drive ends a frame without an answer.
    Latency: ``reply`` follows ``current`` in the same clock, ``frame.word`` one clock later.

    Members
    -------
    current, drive_idle, ending, strobe, word, error : In       from :class:`.decoder.PrimitiveDecoder`
    keystream, crc : In(32)       from :class:`.crc_scrambler.CrcScrambler`
    restart, step : Out(1), descrambled : Out(32)     to it
    allowed : In(1)         the transmitter is in no frame of its own
    idle : Out(1)
    reply : Out(TxPrimitive)       to be sent, nothing for SYNC
    frame : Out(ReceiveSignature, flipped)
    """

    current: In(RxPrimitive)
    drive_idle: In(1)
    ending: In(1)
    strobe: In(1)
    word: In(32)
    error: In(1)
    keystream: In(32)
    crc: In(32)
    restart: Out(1)
    step: Out(1)
    descrambled: Out(32)
    allowed: In(1)
    idle: Out(1)
    reply: Out(TxPrimitive)
    frame: In(ReceiveSignature())

    def elaborate(self, platform):
        m = Module()
        frame = self.frame
        current = self.current

        in_frame = Signal()
        crc_good = Signal()     # the last dword was the CRC of those before it
        damaged = Signal()
        good = Signal()

        m.d.comb += [
            self.step.eq(in_frame & self.strobe & current.data),
            self.descrambled.eq(self.word ^ self.keystream),
            good.eq(crc_good & frame.accept & ~damaged & ~self.error),
        ]
        m.d.sync += [frame.start.eq(0), frame.done.eq(0), frame.valid.eq(self.step)]
        with m.If(self.restart):
            m.d.sync += [damaged.eq(0), crc_good.eq(0)]
        with m.If(self.step):
            m.d.sync += [
                crc_good.eq(self.descrambled == self.crc),
                frame.word.eq(self.descrambled),
            ]
        m.d.comb += frame.arrives.eq(self.step)
        with m.If(self.restart):
            m.d.sync += frame.count.eq(0)
        with m.Elif(self.step & ~frame.count.all()):
            m.d.sync += frame.count.eq(frame.count + 1)
        with m.If(in_frame & self.error):
            m.d.sync += damaged.eq(1)

        def finish(ok):
            return [frame.done.eq(1), frame.ok.eq(ok)]

        # What is current is one thing only, so none of this needs an order of priority.
        reply = self.reply
        with m.FSM() as fsm:
            m.d.comb += [in_frame.eq(fsm.ongoing("FRAME")), self.idle.eq(fsm.ongoing("IDLE"))]

            with m.State("IDLE"):
                # Not while the drive is to pause: it could send 24 dwords in each frame anew.
                with m.If(current.x_rdy & self.allowed & ~frame.hold):
                    m.d.comb += reply.r_rdy.eq(1)
                    m.next = "READY"

            with m.State("READY"):
                m.d.comb += [
                    self.restart.eq(1),
                    reply.r_ip.eq(current.sof),
                    reply.r_rdy.eq(current.x_rdy),
                ]
                m.d.sync += frame.start.eq(current.sof)
                with m.If(current.sof):
                    m.next = "FRAME"
                with m.Elif(~current.x_rdy):
                    m.next = "IDLE"

            with m.State("FRAME"):
                m.d.comb += [
                    reply.r_ok.eq(current.eof & good),
                    reply.r_err.eq((current.eof & ~good) | current.wtrm),
                    reply.hold.eq(~self.ending & frame.hold),
                    reply.holda.eq(current.hold & ~frame.hold),
                    reply.r_ip.eq(~self.ending & ~frame.hold & ~current.hold),
                ]
                # SOF is current until the first dword; one that arrives anew is a second one.
                with m.If(self.strobe & current.sof):
                    m.d.sync += damaged.eq(1)
                m.d.sync += [frame.done.eq(self.ending | frame.escape),
                             frame.ok.eq(current.eof & good)]
                with m.If(self.drive_idle):
                    m.next = "IDLE"
                with m.Elif(frame.escape):
                    m.next = "ESCAPE"
                    m.d.sync += frame.ok.eq(0)
                with m.Elif(current.eof & good):
                    m.next = "GOOD"
                with m.Elif(self.ending):
                    m.next = "BAD"

            for state, answer in ("GOOD", reply.r_ok), ("BAD", reply.r_err), ("ESCAPE", None):
                with m.State(state):
                    # X_RDY means that the drive has been idle and its SYNC was lost.
                    if answer is not None:
                        m.d.comb += answer.eq(~self.drive_idle)
                    with m.If(self.drive_idle):
                        m.next = "IDLE"
        return m

"""The link layer: one transmitter, one receiver, one port."""

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..phy import DwordPort, PhyControlSignature
from .crc_scrambler import CrcScrambler
from .frame import ReceiveSignature, SendSignature
from .frame_receiver import FrameReceiver
from .frame_transmitter import FrameTransmitter
from .primitive_decoder import PrimitiveDecoder
from .primitive_encoder import PrimitiveEncoder
from .primitives import RxPrimitive, TxPrimitive

__all__ = ["Link", "Activity"]


#: What happened at the dword port two clocks ago, for the cycle ledger. ``taken``: the PHY took
#: the dword that ``sent``, ``sent_align`` and ``sent_crc`` describe. ``arrived``: a dword came in;
#: ``strobe``: it was neither ALIGN nor junk; ``received`` is what the drive was sending then.
Activity = data.StructLayout({
    "taken": 1, "sent": TxPrimitive, "sent_align": 1, "sent_crc": 1,
    "arrived": 1, "strobe": 1, "align": 1, "received": RxPrimitive,
})


class Link(wiring.Component):
    """The link layer of a host (Serial ATA 3.x, link layer).

    Frames go in and come out without SOF, CRC and EOF. ALIGN, CONT, scrambling, CRC, flow
    control, the answer to power management requests (PMNAK) and all ends of a frame are settled
    here. While the link is down everything is reset; a frame in flight then ends without ``done``.

    An answer is at ``phy.tx_data`` 2 clocks after its cause was at ``phy.rx_data``, an ALIGN pair
    and a PHY that is not ready aside.

    Parameters
    ----------
    send_cont : bool
        Replace repeated primitives by CONT and junk.

    Members
    -------
    phy : Out(DwordPort)
    control : In(PhyControlSignature)       The control of the PHY, which passes through.
    send : In(SendSignature)        frames to the drive
    receive : In(ReceiveSignature, flipped)     frames from the drive
    activity : Out(Activity)
    """

    def __init__(self, *, send_cont=True):
        self._send_cont = send_cont
        super().__init__({
            "phy": Out(DwordPort()),
            "control": In(PhyControlSignature()),
            "send": In(SendSignature()),
            "receive": In(ReceiveSignature()),
            "activity": Out(Activity),
        })

    def elaborate(self, platform):
        m = Module()
        down = Signal()
        m.d.comb += down.eq(~self.phy.link_up)

        m.submodules.decoder = decoder = PrimitiveDecoder()
        m.submodules.crc_scrambler = crc_scrambler = CrcScrambler()
        encoder = PrimitiveEncoder(send_cont=self._send_cont)
        receiver, transmitter = FrameReceiver(), FrameTransmitter()
        m.submodules.encoder = ResetInserter(down)(encoder)
        m.submodules.receiver = ResetInserter(down)(receiver)
        m.submodules.transmitter = ResetInserter(down)(transmitter)

        m.d.comb += [
            self.phy.reset.eq(self.control.reset),
            self.phy.limit.eq(self.control.limit),
            self.control.link_up.eq(self.phy.link_up),
            self.control.generation.eq(self.phy.generation),
        ]
        connect(m, flipped(self.send), transmitter.frame)
        connect(m, flipped(self.receive), receiver.frame)
        for name in "rx_data", "rx_k", "rx_valid", "rx_error", "link_up":
            m.d.comb += getattr(decoder, name).eq(getattr(self.phy, name))
        for name in "current", "drive_idle", "ending", "strobe", "word", "error":
            m.d.comb += getattr(receiver, name).eq(getattr(decoder, name))

        sending = Signal()      # a frame of ours has been begun, data may come from the next clock
        m.d.sync += sending.eq(~transmitter.idle)
        m.d.comb += [
            crc_scrambler.restart.eq(receiver.restart | transmitter.restart),
            crc_scrambler.step.eq(receiver.step | transmitter.step),
            crc_scrambler.word.eq(Mux(sending, self.send.payload.word, receiver.descrambled)),
            receiver.keystream.eq(crc_scrambler.keystream),
            receiver.crc.eq(crc_scrambler.crc),
            transmitter.crc.eq(crc_scrambler.crc),
            encoder.keystream.eq(crc_scrambler.keystream),
        ]

        # Power management is refused (Serial ATA 3.x, link layer, PMNAK).
        refusal = Signal(TxPrimitive)
        m.d.comb += [
            receiver.allowed.eq(transmitter.idle),
            transmitter.current.eq(decoder.current),
            transmitter.drive_idle.eq(decoder.drive_idle),
            transmitter.receiver_idle.eq(receiver.idle),
            transmitter.advance.eq(encoder.advance),
            transmitter.take.eq(encoder.take),
            refusal.pmnak.eq(decoder.current.pmreq & transmitter.idle & receiver.idle),
            # At most one of the three has something to send.
            encoder.send.eq(receiver.reply.as_value() | transmitter.send.as_value()
                            | refusal.as_value()),
            encoder.word.eq(transmitter.word),
            encoder.tx_ready.eq(self.phy.tx_ready),
            self.phy.tx_data.eq(encoder.tx_data),
            self.phy.tx_k.eq(encoder.tx_k),
        ]

        crc_at_port = Signal()
        with m.If(encoder.advance):
            m.d.sync += crc_at_port.eq(transmitter.sends_crc)
        outgoing = Signal(Activity)
        m.d.sync += [
            outgoing.taken.eq(self.phy.tx_ready),
            outgoing.sent.eq(encoder.sent),
            outgoing.sent_align.eq(encoder.align),
            outgoing.sent_crc.eq(crc_at_port),
            self.activity.eq(outgoing),
            self.activity.arrived.eq(decoder.arrived),
            self.activity.strobe.eq(decoder.strobe),
            self.activity.align.eq(decoder.align),
            self.activity.received.eq(decoder.current),
        ]
        return m

"""The link layer: one transmitter, one receiver, one port.

Serial ATA Revision 3.x, link layer.
"""

from amaranth.hdl import C, Module, ResetInserter, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..phy import DwordPort, PhyControlSignature
from ..crc import crc_next
from .crc_scrambler import CrcScrambler
from .frame import ReceiveSignature, SendSignature
from .frame_receiver import FrameReceiver
from .frame_transmitter import FrameTransmitter
from .primitive_decoder import PrimitiveDecoder
from .primitive_encoder import PrimitiveEncoder
from .primitives import RxPrimitive, TxPrimitive
from .scrambler import scrambler_next

__all__ = ["Link", "Activity"]


class Activity(data.Struct):
    """What happened at the dword port in one clock, for the cycle ledger."""

    taken: 1                # the PHY took the dword that ``sent`` to ``sent_crc`` describe
    sent: TxPrimitive       # what that dword stood for
    sent_align: 1           # it was an ALIGN
    sent_crc: 1             # it was the CRC of a frame
    arrived: 1              # a dword came in
    strobe: 1               # it was neither ALIGN nor junk, and could be decoded
    align: 1                # it was an ALIGN
    received: RxPrimitive   # what the drive was sending


class Link(wiring.Component):
    """The link layer of a host.

    Frames go in without SOF, CRC and EOF, and come out without SOF and EOF, the CRC being their last
    dword. ALIGN, CONT, scrambling, CRC, flow control, the answer to power management requests (PMNAK)
    and every way a frame ends are handled here. While the link is down everything is reset; a frame
    in flight then ends without ``done``.

    An answer is at ``phy.tx_data`` 2 clocks after its cause was at ``phy.rx_data``, unless
    an ALIGN pair or a PHY that is not ready delays it.

    Parameters
    ----------
    send_cont : bool
        Replace repeated primitives by CONT and junk.
    sync_between_frames : bool
        After each frame send at least one SYNC, as L1: L_IDLE does, before X_RDY or R_RDY. If not,
        they follow R_OK, R_ERR and PMNAK at once when the drive is idle: a frame of ours begins a
        clock sooner after one of the drive's.
    crc_next, scrambler_next : functions
        See :class:`.crc_scrambler.CrcScrambler`.

    Members
    -------
    phy : Out(DwordPort)
        The dword port.
    control : In(PhyControlSignature)
        The control of the PHY, which passes through.
    send : In(SendSignature)
        Frames to the drive.
    receive : In(ReceiveSignature)
        Frames from the drive.
    activity : Out(Activity)
        What happened at the dword port two clocks ago.
    """

    def __init__(self, *, send_cont=True, sync_between_frames=True, crc_next=crc_next,
                 scrambler_next=scrambler_next):
        self._send_cont = send_cont
        self._sync_between_frames = sync_between_frames
        self._functions = {"crc_next": crc_next, "scrambler_next": scrambler_next}
        super().__init__({
            "phy": Out(DwordPort()),
            "control": In(PhyControlSignature()),
            "send": In(SendSignature()),
            "receive": In(ReceiveSignature()),
            "activity": Out(Activity),
        })

    def elaborate(self, platform):
        m = Module()
        phy = self.phy
        down = Signal()
        m.d.comb += down.eq(~phy.link_up)

        m.submodules.decoder = decoder = PrimitiveDecoder()
        m.submodules.crc_scrambler = crc_scrambler = CrcScrambler(**self._functions)
        encoder = PrimitiveEncoder(send_cont=self._send_cont)
        receiver, transmitter = FrameReceiver(), FrameTransmitter()
        m.submodules.encoder = ResetInserter(down)(encoder)
        m.submodules.receiver = ResetInserter(down)(receiver)
        m.submodules.transmitter = ResetInserter(down)(transmitter)

        m.d.comb += [
            phy.reset.eq(self.control.reset),
            phy.limit.eq(self.control.limit),
            self.control.link_up.eq(phy.link_up),
            self.control.generation.eq(phy.generation),
        ]
        settled = encoder.tx.host_idle if self._sync_between_frames else C(1, 1)
        connect(m, decoder.rx, receiver.rx, transmitter.rx)
        connect(m, receiver.code, crc_scrambler.receive)
        connect(m, transmitter.code, crc_scrambler.transmit)
        connect(m, flipped(self.send), transmitter.frame)
        connect(m, flipped(self.receive), receiver.frame)
        m.d.comb += [
            decoder.dword.eq(phy.rx_data),
            decoder.k.eq(phy.rx_k),
            decoder.valid.eq(phy.rx_valid),
            decoder.error.eq(phy.rx_error),
            decoder.link_up.eq(phy.link_up),
            phy.tx_data.eq(encoder.tx_data),
            phy.tx_k.eq(encoder.tx_k),
            encoder.tx_ready.eq(phy.tx_ready),
            transmitter.allowed.eq(settled),
            receiver.allowed.eq(transmitter.idle & settled),
            transmitter.receiver_idle.eq(receiver.idle),
        ]
        # A clock late, but in time: ``idle`` falls at least a clock before our first data.
        m.d.sync += crc_scrambler.transmitting.eq(~transmitter.idle)

        # L_PMDeny: power management is refused.
        refusal = Signal(TxPrimitive)
        m.d.comb += [
            refusal.pmnak.eq(decoder.rx.current.pmreq & transmitter.idle & receiver.idle),
            # At most one of the three has something to send.
            encoder.tx.send.eq(receiver.reply.as_value() | transmitter.tx.send.as_value()
                               | refusal.as_value()),
            encoder.tx.word.eq(transmitter.tx.word),
            transmitter.tx.advance.eq(encoder.tx.advance),
            transmitter.tx.take.eq(encoder.tx.take),
            transmitter.tx.host_idle.eq(encoder.tx.host_idle),
        ]

        # What is sent is known a clock earlier than what has been received.
        sends_crc = Signal()
        with m.If(encoder.tx.advance):
            m.d.sync += sends_crc.eq(transmitter.sends_crc)
        outgoing = Signal(Activity)
        m.d.sync += [
            outgoing.taken.eq(phy.tx_ready),
            outgoing.sent.eq(encoder.sent),
            outgoing.sent_align.eq(encoder.align),
            outgoing.sent_crc.eq(sends_crc),
            self.activity.eq(outgoing),
            self.activity.arrived.eq(decoder.rx.arrived),
            self.activity.strobe.eq(decoder.rx.strobe),
            self.activity.align.eq(decoder.rx.align),
            self.activity.received.eq(decoder.rx.current),
        ]
        return m

"""The transport layer: FISes in both directions."""

from amaranth.hdl import Module, ResetInserter
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..link import ReceiveSignature, SendSignature
from .activity import TransportActivity
from .fis import MAX_DATA_WORDS, TaskFile
from .fis_parser import FisParser, ReceivedFis
from .fis_sender import FisSender

__all__ = ["Transport", "TransportSignature"]


class TransportSignature(wiring.Signature):
    """What the transport layer offers, seen from the command layer.

    The members are those of :class:`.sender.FisSender` and :class:`.parser.FisParser`. ``clear`` makes
    the transport layer forget what it was doing.
    """

    def __init__(self):
        super().__init__({
            "clear": Out(1),
            "registers": Out(TaskFile), "send_registers": Out(1),
            "registers_done": In(1), "registers_failed": In(1),
            "send_data": Out(1), "cancel_data": Out(1),
            "data_words": Out(range(MAX_DATA_WORDS + 1)),
            "data": Out(stream.Signature(32)), "data_done": In(1), "data_failed": In(1),
            "data_moved": In(1), "starved": In(1),
            "expect_data": Out(1), "hold": Out(1), "received": In(ReceivedFis),
            "payload": In(stream.Signature(32, always_ready=True)),
        })


class Transport(wiring.Component):
    """The transport layer of a host (Serial ATA 3.x, transport layer).

    Members
    -------
    user : In(TransportSignature)
    send : Out(SendSignature), receive : Out(ReceiveSignature)      the link layer
    activity : Out(TransportActivity)
    """

    user: In(TransportSignature())
    send: Out(SendSignature())
    receive: Out(ReceiveSignature())
    activity: Out(TransportActivity)

    def elaborate(self, platform):
        m = Module()
        user = self.user
        sender, parser = FisSender(), FisParser()
        m.submodules.sender = ResetInserter(user.clear)(sender)
        m.submodules.parser = ResetInserter(user.clear)(parser)

        connect(m, sender.frame, flipped(self.send))
        connect(m, parser.frame, flipped(self.receive))
        connect(m, flipped(user.data), sender.data)
        connect(m, parser.payload, flipped(user.payload))
        m.d.comb += [
            sender.registers.eq(user.registers),
            sender.send_registers.eq(user.send_registers),
            user.registers_done.eq(sender.registers_done),
            user.registers_failed.eq(sender.registers_failed),
            sender.send_data.eq(user.send_data),
            sender.cancel_data.eq(user.cancel_data),
            sender.data_words.eq(user.data_words),
            user.data_done.eq(sender.data_done),
            user.data_failed.eq(sender.data_failed),
            user.data_moved.eq(sender.data_moved),
            user.starved.eq(sender.starved),
            parser.expect_data.eq(user.expect_data),
            parser.hold.eq(user.hold),
            user.received.eq(parser.received),
            self.activity.received.eq(parser.received),
            self.activity.is_data.eq(parser.is_data),
            self.activity.pending.eq(parser.pending),
            self.activity.registers_done.eq(sender.registers_done),
            self.activity.registers_again.eq(sender.registers_again),
            self.activity.data_done.eq(sender.data_done),
        ]
        return m

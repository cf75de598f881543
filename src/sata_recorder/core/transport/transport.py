"""The transport layer: FISes in both directions.

Serial ATA Revision 3.x, transport layer.
"""

from amaranth.hdl import Module, ResetInserter
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..link import ReceiveSignature, SendSignature
from .activity import TransportActivity
from .fis_parser import FisParser, ReceivedFisSignature
from .fis_sender import DataFisSignature, FisSender, RegisterFisSignature

__all__ = ["Transport", "TransportSignature"]


class TransportSignature(wiring.Signature):
    """What the transport layer offers, seen from the command layer.

    Members
    -------
    clear : Out(1)
        The transport layer forgets what it was doing.
    registers : Out(RegisterFisSignature)
        Register FISes to the drive.
    data : Out(DataFisSignature)
        Data FISes to the drive.
    received : Out(ReceivedFisSignature)
        FISes from the drive.
    """

    def __init__(self):
        super().__init__({
            "clear": Out(1),
            "registers": Out(RegisterFisSignature()),
            "data": Out(DataFisSignature()),
            "received": Out(ReceivedFisSignature()),
        })


class Transport(wiring.Component):
    """The transport layer of a host.

    Parameters
    ----------
    results : bool
        Whether ``user.received.results`` counts.

    Members
    -------
    user : In(TransportSignature)
        The command layer.
    send : Out(SendSignature)
        Frames to the drive.
    receive : Out(ReceiveSignature)
        Frames from the drive.
    activity : Out(TransportActivity)
        What the transport layer does, for the cycle ledger.
    """

    def __init__(self, *, results=False):
        self._results = results
        super().__init__({
            "user": In(TransportSignature()), "send": Out(SendSignature()),
            "receive": Out(ReceiveSignature()), "activity": Out(TransportActivity),
        })

    def elaborate(self, platform):
        m = Module()
        user = flipped(self.user)
        sender, parser = FisSender(), FisParser(results=self._results)
        m.submodules.sender = ResetInserter(self.user.clear)(sender)
        m.submodules.parser = ResetInserter(self.user.clear)(parser)

        connect(m, user.registers, sender.registers)
        connect(m, user.data, sender.data)
        connect(m, user.received, parser.received)
        connect(m, sender.frame, flipped(self.send))
        connect(m, parser.frame, flipped(self.receive))
        m.d.comb += [
            self.activity.received.eq(parser.received.fis),
            self.activity.is_data.eq(parser.is_data),
            self.activity.pending.eq(parser.pending),
            self.activity.registers_done.eq(sender.registers.done),
            self.activity.registers_again.eq(sender.registers_again),
            self.activity.data_done.eq(sender.data.done),
        ]
        return m

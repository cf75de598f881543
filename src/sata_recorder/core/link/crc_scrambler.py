"""CRC and scrambler of the frame that is being sent or received.

Serial ATA Revision 3.x, link layer, CRC and frame content scrambling.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..crc import CRC_SEED, crc_next
from .scrambler import SCRAMBLER_SEED, scrambler_next

__all__ = ["CrcScrambler", "CrcScramblerSignature"]


class CrcScramblerSignature(wiring.Signature):
    """CRC and keystream of a frame, seen from the state machine that sends or receives it.

    Members
    -------
    restart : Out(1)
        SOF: a frame begins with the next dword.
    step : Out(1)
        A dword of the frame passes.
    word : Out(32)
        With ``step``: that dword, not scrambled.
    keystream : In(32)
        What scrambles or descrambles the next dword, by XOR.
    crc : In(32)
        The CRC of the dwords that have passed.
    """

    def __init__(self):
        super().__init__({
            "restart": Out(1), "step": Out(1), "word": Out(32),
            "keystream": In(32), "crc": In(32),
        })


class CrcScrambler(wiring.Component):
    """Advances CRC and keystream with each dword of a frame.

    A link is half-duplex, so one CRC and one keystream serve both directions. Latency: 1 clock
    from ``step`` to the new CRC and keystream.

    Parameters
    ----------
    crc_next, scrambler_next : functions
        What CRC and keystream advance by. A proof that does not depend on their values takes
        simpler ones.

    Members
    -------
    receive : In(CrcScramblerSignature)
        For the frame that is being received.
    transmit : In(CrcScramblerSignature)
        For the frame that is being sent.
    transmitting : In(1)
        The frame is one of ours: ``word`` is that of ``transmit``.
    """

    receive: In(CrcScramblerSignature())
    transmit: In(CrcScramblerSignature())
    transmitting: In(1)

    def __init__(self, *, crc_next=crc_next, scrambler_next=scrambler_next):
        self._crc_next = crc_next
        self._scrambler_next = scrambler_next
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        keystream = Signal(32, init=SCRAMBLER_SEED)
        crc = Signal(32, init=CRC_SEED)
        restart = Signal()
        step = Signal()
        word = Signal(32)
        m.d.comb += [
            restart.eq(self.receive.restart | self.transmit.restart),
            step.eq(self.receive.step | self.transmit.step),
            word.eq(Mux(self.transmitting, self.transmit.word, self.receive.word)),
        ]
        with m.If(restart):
            m.d.sync += [keystream.eq(SCRAMBLER_SEED), crc.eq(CRC_SEED)]
        with m.Elif(step):
            m.d.sync += [
                keystream.eq(self._scrambler_next(keystream)),
                crc.eq(self._crc_next(crc, word)),
            ]
        for user in self.receive, self.transmit:
            m.d.comb += [user.keystream.eq(keystream), user.crc.eq(crc)]
        return m

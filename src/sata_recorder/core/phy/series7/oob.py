"""From the levels of the PHY's OOB ports to the pulses of the cell's, and back."""

from amaranth.hdl import Module, Signal
from amaranth.lib import cdc, wiring
from amaranth.lib.wiring import In, Out

from ..hard_oob import HardOobRxSignature, HardOobTxSignature

__all__ = ["OobPorts"]

#: A recognised signal is shown for so many dword times; ``sync`` has one clock in a dword time or more.
_LENGTHENED = 4


class OobPorts(wiring.Component):
    """Requests become pulses of one clock of the transmitter's words, as the transceiver takes them; its answer is kept
    until the request is gone. What the receiver recognises is lengthened, so that ``sync`` cannot miss it.

    Parameters
    ----------
    domain : str
        The domain of RXUSRCLK2; that of TXUSRCLK2 is ``tx``.
    words : int
        So many words of ``domain`` are one dword.

    Members
    -------
    tx : In(HardOobTxSignature)     This port leads to the PHY.
    rx : In(HardOobRxSignature)     This port leads to the PHY; ``elecidle`` is 1 for ever.
    txcominit, txcomwake : Out(1)   Domain ``tx``. They lead to the cell.
    txcomfinish : In(1)             Domain ``tx``. It comes from the cell.
    rxcominitdet, rxcomwakedet : In(1)
        Domain ``domain``. They come from the cell.
    """

    tx: In(HardOobTxSignature())
    rx: In(HardOobRxSignature())
    txcominit: Out(1)
    txcomwake: Out(1)
    txcomfinish: In(1)
    rxcominitdet: In(1)
    rxcomwakedet: In(1)

    def __init__(self, domain, words):
        self._domain = domain
        self._clocks = _LENGTHENED * words
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        receiving = m.d[self._domain]
        finished = Signal(reset_less=True)
        asked = []
        for name, request, pulse in (("cominit", self.tx.cominit, self.txcominit),
                                     ("comwake", self.tx.comwake, self.txcomwake)):
            now = Signal(name=f"{name}_now")
            before = Signal(name=f"{name}_before", reset_less=True)
            m.submodules[name] = cdc.FFSynchronizer(request, now, o_domain="tx")
            m.d.tx += [before.eq(now), pulse.eq(now & ~before)]
            asked.append(now)
        with m.If(~asked[0] & ~asked[1]):
            m.d.tx += finished.eq(0)
        with m.Elif(self.txcomfinish):
            m.d.tx += finished.eq(1)
        m.d.comb += [self.tx.comfinish.eq(finished), self.rx.elecidle.eq(1)]

        for name, detected, shown in (("cominitdet", self.rxcominitdet, self.rx.cominitdet),
                                      ("comwakedet", self.rxcomwakedet, self.rx.comwakedet)):
            left = Signal(range(self._clocks), name=f"{name}_left")
            lengthened = Signal(name=f"{name}_lengthened", reset_less=True)
            receiving += lengthened.eq(detected | (left != 0))
            with m.If(detected):
                receiving += left.eq(self._clocks - 1)
            with m.Elif(left != 0):
                receiving += left.eq(left - 1)
            m.d.comb += shown.eq(lengthened)
        return m

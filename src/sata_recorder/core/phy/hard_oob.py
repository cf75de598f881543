"""Out-of-band signals that the SERDES itself sends and recognises.

Serial ATA Revision 3.x, phy layer, OOB signaling; the ports are those that transceivers of the
7-series name TXCOMINIT, TXCOMWAKE, TXCOMFINISH, RXCOMINITDET, RXCOMWAKEDET and RXELECIDLE.
"""

from math import ceil

from amaranth.hdl import Module, Signal
from amaranth.lib import cdc, wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import DWORD_HZ
from .oob import BURST, BURSTS, GAPS, RESET_GAP, WAKE_GAP, Line, OobSignature

__all__ = ["HardOobDetector", "HardOobGenerator", "HardOobRxSignature", "HardOobTxSignature"]

#: Longest wait for a SERDES that does not report that it has finished, in s: a signal
#: lasts less than 3 us.
_FINISH = 10e-6


def _rest(gap):
    """The longest rest of a signal whose first :data:`GAPS` + 1 bursts were recognised, in s."""
    return (BURSTS - GAPS - 1) * (BURST + gap) / DWORD_HZ[1]


class HardOobTxSignature(wiring.Signature):
    """The SERDES sends OOB signals, seen from the PHY. Requests and answers are levels.

    Members
    -------
    cominit : Out(1)
        Requests a COMRESET, one for each time that it rises. It stays high until ``comfinish``.
    comwake : Out(1)
        Requests a COMWAKE, in the same way. It is never high together with ``cominit``.
    comfinish : In(1)
        Asynchronous. The signal that was requested has been sent. It rises while ``cominit`` or
        ``comwake`` is high, and falls after these.
    """

    def __init__(self):
        super().__init__({"cominit": Out(1), "comwake": Out(1), "comfinish": In(1)})


class HardOobRxSignature(wiring.Signature):
    """The SERDES recognises OOB signals, seen from the PHY.

    Members
    -------
    cominitdet : In(1)
        Asynchronous. COMINIT was recognised. It stays high for two clocks of ``sync`` or longer.
    comwakedet : In(1)
        Asynchronous. COMWAKE was recognised, as ``cominitdet``.
    elecidle : In(1)
        Asynchronous. There is no signal at the receiver. It may be 1 forever: then good dwords
        alone show that there is one.
    """

    def __init__(self):
        super().__init__({"cominitdet": In(1), "comwakedet": In(1), "elecidle": In(1)})


class HardOobGenerator(wiring.Component):
    """Has COMRESET or COMWAKE sent by the SERDES; takes the place of an :class:`.oob.OobGenerator`.

    Parameters
    ----------
    clock_hz : float        Frequency of ``sync``.

    Members
    -------
    start : In(1)
        Begins a signal while ``busy`` is low. If it is high at the end of a COMRESET, another one
        follows.
    wake : In(1)
        With ``start`` while ``busy`` is low, the signal is COMWAKE if this is high, else COMRESET.
    generation : In(2)
        This is the line rate, 1 to 3. It has no effect: the SERDES knows its own.
    step : In(1)
        The line takes what ``line`` states. It has no effect.
    busy : Out(1)
        A signal is being sent. It falls without an answer of the SERDES after 10 us, too.
    line : Out(Line)
        This is what the PHY sends meanwhile: IDLE.
    tx : Out(HardOobTxSignature)
        This port leads to the SERDES.
    """

    def __init__(self, clock_hz):
        self._limit = ceil(_FINISH * clock_hz)
        super().__init__({"start": In(1), "wake": In(1), "generation": In(2), "step": In(1),
                          "busy": Out(1), "line": Out(Line), "tx": Out(HardOobTxSignature())})

    def elaborate(self, platform):
        m = Module()
        tx = self.tx
        finished = Signal()
        m.submodules.finish = cdc.FFSynchronizer(tx.comfinish, finished)
        left = Signal(range(self._limit + 1))
        asked = Signal()
        m.d.comb += [self.line.eq(Line.IDLE), asked.eq(tx.cominit | tx.comwake)]
        with m.If(~self.busy):
            with m.If(self.start):
                m.d.sync += [self.busy.eq(1), left.eq(self._limit),
                             tx.cominit.eq(~self.wake), tx.comwake.eq(self.wake)]
        with m.Elif(left == 0):
            m.d.sync += [self.busy.eq(0), tx.cominit.eq(0), tx.comwake.eq(0)]
        with m.Else():
            m.d.sync += left.eq(left - 1)
            with m.If(asked & finished):
                m.d.sync += [tx.cominit.eq(0), tx.comwake.eq(0)]
            # The answer is gone: the SERDES is ready for the next request.
            with m.Elif(~asked & ~finished):
                m.d.sync += self.busy.eq(0)
        return m


class HardOobDetector(wiring.Component):
    """Turns what the SERDES recognised into what an :class:`.oob.OobDetector` would report.

    The SERDES reports a signal before it ends. So each signal lasts here until its six bursts must
    be over. Latency: 3 clocks.

    Parameters
    ----------
    clock_hz : float        Frequency of ``sync``.

    Members
    -------
    rx : Out(HardOobRxSignature)    This port leads to the SERDES.
    oob : Out(OobSignature)         The members show what is received out of band.
    """

    def __init__(self, clock_hz):
        self._rest = {"cominit": ceil(_rest(RESET_GAP) * clock_hz),
                      "comwake": ceil(_rest(WAKE_GAP) * clock_hz)}
        super().__init__({"rx": Out(HardOobRxSignature()), "oob": Out(OobSignature())})

    def elaborate(self, platform):
        m = Module()

        def lasting(name, detected):
            """``detected``, and for the rest of the signal after it rose."""
            now = Signal(name=f"{name}_now")
            before = Signal(name=f"{name}_before")
            left = Signal(range(self._rest[name] + 1), name=f"{name}_left")
            m.submodules[name] = cdc.FFSynchronizer(detected, now)
            m.d.sync += before.eq(now)
            with m.If(now & ~before):
                m.d.sync += left.eq(self._rest[name])
            with m.Elif(left != 0):
                m.d.sync += left.eq(left - 1)
            return now | (left != 0)

        idle = Signal(init=1)
        m.submodules.idle = cdc.FFSynchronizer(self.rx.elecidle, idle, init=1)
        m.d.comb += [
            self.oob.active.eq(~idle),
            self.oob.cominit.eq(lasting("cominit", self.rx.cominitdet)),
            self.oob.comwake.eq(lasting("comwake", self.rx.comwakedet)),
        ]
        return m

"""The boundary between the PHY and a back end: a SERDES, or a line of a simulation."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .hard_oob import HardOobRxSignature, HardOobTxSignature

__all__ = ["SerdesPort"]


class SerdesPort(wiring.Signature):
    """What a back end offers to the PHY, seen from the PHY.

    The back end drives the clock domains ``tx`` and ``rx``, each of one word of ``gearing``
    characters of 10 bits a clock, and their resets. ``rx`` is the recovered clock; while there is
    none it may run at any rate near the nominal one, or stop. Bit 0 of a word is the first on the
    line; words of ``rx`` need no alignment.

    Parameters
    ----------
    gearing : int       Characters a word, 2 or 4.
    hard_oob : bool     The SERDES sends and recognises OOB signals itself: it has ``tx_com`` and
                        ``rx_com``, and neither ``tx_oob`` nor ``rx_active``.

    Members
    -------
    tx_data : Out(10 * gearing)
        Domain ``tx``. This is the word to send. It is constant while ``tx_idle``.
    tx_idle : Out(1)
        Domain ``tx``. The line is electrically idle during this word.
    tx_oob : Out(1)
        Without ``hard_oob``. Domain ``tx``. The word is burst or gap of COMRESET or COMWAKE. A back
        end whose transmitter cannot enter and leave electrical idle within some ns sends
        ``tx_data``, which has no transitions, where ``tx_idle & tx_oob``.
    rx_data : In(10 * gearing)
        Domain ``rx``. This is the received word.
    tx_com : Out(HardOobTxSignature)
        With ``hard_oob``. OOB signals are requested here; ``tx_idle`` is high meanwhile.
    rx_active : In(1)
        Without ``hard_oob``. Asynchronous. There is a signal at the receiver. Gaps of 107 and
        320 ns must be seen, and not more than some 40 ns shortened or lengthened.
    rx_com : Out(HardOobRxSignature)
        With ``hard_oob``. OOB signals that were recognised are reported here.
    rx_locked : In(1)
        Asynchronous. ``rx`` and ``rx_data`` follow the received signal.
    rx_enable : Out(1)
        Domain ``sync``. Data is expected. While it is low there is only OOB, and a clock recovery
        that could be led astray by it may be held.
    rx_restart : Out(1)
        Domain ``sync``, for one clock. Nothing good has arrived, or a link or a try has ended: a clock recovery that
        does not go back to its reference by itself while ``rx_enable`` is low is to be taken there.
    rx_restarting : In(1)
        Domain ``sync``. From two clocks after ``rx_restart`` on: that lasts. ``rx_enable`` stays low so long. 0 where
        there is nothing to be done.
    generation : Out(2)
        Domain ``sync``. This line rate is requested: 1, 2 or 3. It changes only while nothing is
        sent.
    rate : In(2)
        Domain ``sync``. ``tx`` runs at this line rate, its PLL is locked and all resets are done.
        It is 0 while that is not so. A back end of one rate gives that rate or 0.
    """

    def __init__(self, gearing, *, hard_oob=False):
        if gearing not in (2, 4):
            raise ValueError(f"gearing is {gearing}, it must be 2 or 4 characters")
        self.gearing = gearing
        self.hard_oob = hard_oob
        oob = ({"tx_com": Out(HardOobTxSignature()), "rx_com": Out(HardOobRxSignature())}
               if hard_oob else {"tx_oob": Out(1), "rx_active": In(1)})
        super().__init__({
            "tx_data": Out(10 * gearing), "tx_idle": Out(1), "rx_data": In(10 * gearing),
            "rx_locked": In(1), "rx_enable": Out(1), "rx_restart": Out(1), "rx_restarting": In(1),
            "generation": Out(2), "rate": In(2), **oob,
        })

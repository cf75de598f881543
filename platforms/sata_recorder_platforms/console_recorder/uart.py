"""A UART: 8 data bits, no parity, 1 stop bit, least significant bit first."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

__all__ = ["Byte", "LEAST_DIVISOR", "Receiver", "Transmitter"]

#: What is received: ``fault`` where the stop bit was missing.
Byte = data.StructLayout({"data": 8, "fault": 1})

#: Fewest clocks a bit: with fewer, sampling alone uses up the tolerance of the baud rate.
LEAST_DIVISOR = 8


class Receiver(wiring.Component):
    """Takes bytes from the line ``rx``.

    The line is sampled in the middle of each bit; a low that is over by the middle of the start
    bit is a glitch and ignored. After a missing stop bit the line must be high once before the
    next start bit counts, so a break gives one byte, not many. The baud rates of both sides may
    differ by 2 %.

    Parameters
    ----------
    divisor : int       clocks a bit, at least ``LEAST_DIVISOR``

    Members
    -------
    rx : In(1)          asynchronous, synchronised here
    o : Out(stream of Byte, always ready)       in the middle of the stop bit
    """

    def __init__(self, divisor):
        self._divisor = divisor
        super().__init__({"rx": In(1, init=1),
                          "o": Out(stream.Signature(Byte, always_ready=True))})

    def elaborate(self, platform):
        m = Module()
        rx = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.rx, rx, init=1)
        timer = Signal(range(self._divisor))
        due = Signal()
        m.d.comb += due.eq(timer == 0)
        m.d.sync += timer.eq(timer - 1)
        with m.If(due):
            m.d.sync += timer.eq(self._divisor - 1)
        bits = Signal(3)
        byte = self.o.payload
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += timer.eq(self._divisor // 2 - 1)
                with m.If(~rx):
                    m.next = "START"
            with m.State("START"):
                with m.If(due & rx):
                    m.next = "IDLE"
                with m.Elif(due):
                    m.next = "DATA"
            with m.State("DATA"):
                with m.If(due):
                    m.d.sync += [byte.data.eq(Cat(byte.data[1:], rx)), bits.eq(bits + 1)]
                    with m.If(bits == 7):
                        m.next = "STOP"
            with m.State("STOP"):
                m.d.comb += [self.o.valid.eq(due), byte.fault.eq(~rx)]
                with m.If(due & rx):
                    m.next = "IDLE"
                with m.Elif(due):
                    m.next = "HIGH"
            with m.State("HIGH"):
                with m.If(rx):
                    m.next = "IDLE"
        return m


class Transmitter(wiring.Component):
    """Sends bytes on the line ``tx``, one behind the other where they come so.

    Parameters
    ----------
    divisor : int       clocks a bit

    Members
    -------
    i : In(stream 8)    taken at the end of the stop bit before
    tx : Out(1)         from a flop, high while nothing is sent
    """

    def __init__(self, divisor):
        self._divisor = divisor
        super().__init__({"i": In(stream.Signature(8)), "tx": Out(1, init=1)})

    def elaborate(self, platform):
        m = Module()
        timer = Signal(range(self._divisor))
        left = Signal(range(11))
        rest = Signal(9)
        m.d.comb += self.i.ready.eq((timer == 0) & (left <= 1))
        with m.If(timer != 0):
            m.d.sync += timer.eq(timer - 1)
        with m.Elif(left > 1):
            m.d.sync += [timer.eq(self._divisor - 1), left.eq(left - 1),
                         Cat(self.tx, rest).eq(Cat(rest, 1))]
        with m.Elif(self.i.valid):
            m.d.sync += [timer.eq(self._divisor - 1), left.eq(10),
                         self.tx.eq(0), rest.eq(Cat(self.i.payload, Const(1, 1)))]
        with m.Else():
            m.d.sync += left.eq(0)
        return m

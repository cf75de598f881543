"""A UART: 8 data bits, no parity, 1 stop bit, least significant bit first."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out


class Byte(data.Struct):
    """What is received."""

    data: 8
    fault: 1        # the stop bit was missing, or bytes before this one were lost


#: Fewest clocks a bit: with fewer, sampling alone uses up the tolerance of the baud rate.
LEAST_DIVISOR = 8


class Receiver(wiring.Component):
    """Takes bytes from the line ``rx``.

    The line is sampled in the middle of each bit; a low that is over by the middle of the start
    bit is a glitch and ignored. After a missing stop bit the line must be high once before the
    next start bit counts, so a break gives one byte, not many. The baud rates of both sides may
    differ by 2 %.

    Parameters: ``divisor``, clocks a bit, at least ``LEAST_DIVISOR``.
    """

    rx: In(1, init=1)   # The line, high while nothing is sent. It may be asynchronous.
    # A byte, for one clock in the middle of its stop bit; whoever takes it must always be ready.
    o: Out(stream.Signature(Byte, always_ready=True))

    def __init__(self, divisor):
        self._divisor = divisor
        super().__init__()

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


class LineBuffer(wiring.Component):
    """Keeps received bytes until they are taken. A byte that finds no room is lost; the next one
    that finds some has its fault set then, which spoils the line that it belongs to.

    Parameters: ``depth``, the bytes that may wait.
    """

    i: In(stream.Signature(Byte, always_ready=True))    # Bytes as they are received. It is always ready.
    o: Out(stream.Signature(Byte))                      # The same bytes.

    def __init__(self, depth):
        self._depth = depth
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.fifo = fifo = SyncFIFOBuffered(width=Byte.as_shape().size, depth=self._depth)
        lost = Signal()
        with m.If(self.i.valid):
            m.d.sync += lost.eq(~fifo.w_rdy)
        m.d.comb += [
            fifo.w_en.eq(self.i.valid),
            fifo.w_data.eq(self.i.payload.as_value() | lost << 8),
            self.o.payload.as_value().eq(fifo.r_data),
            self.o.valid.eq(fifo.r_rdy),
            fifo.r_en.eq(self.o.ready),
        ]
        return m


class Transmitter(wiring.Component):
    """Sends bytes on the line ``tx``, one after the other where they come so.

    Parameters: ``divisor``, clocks a bit.
    """

    i: In(stream.Signature(8))  # The bytes. Each is taken at the end of the stop bit of the one before.
    tx: Out(1, init=1)          # The line, high while nothing is sent. It comes from a flop.

    def __init__(self, divisor):
        self._divisor = divisor
        super().__init__()

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

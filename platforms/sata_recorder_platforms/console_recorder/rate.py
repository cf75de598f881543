"""The speed of an operation in MB/s."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

_WIDTH = 48
_BITS = 30      # of words a clock, after the point


class Rate(wiring.Component):
    """Words in clocks as hundredths of MB/s (10^6 bytes a second), rounded down.

    One bit of the quotient a clock, and each bit goes straight into the product with the clock's
    frequency: neither a divider nor a multiplier of its own.

    Parameters: ``clock_hz`` of the domain `sync`.
    """

    words: In(_WIDTH)       # Words that were moved, fewer than ``clocks``.
    clocks: In(_WIDTH)      # Clocks that it took.
    start: In(1)            # High for one clock to begin. ``words`` and ``clocks`` must not change for 32 clocks
                            # from then on.
    hundredths: Out(20)     # The speed in 10 kB/s after these clocks; exact, or 1 less.

    def __init__(self, clock_hz):
        self._full = round(clock_hz * 4 / 1e4)      # one word a clock
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        left = Signal(range(_BITS + 1))
        rest = Signal(_WIDTH)
        product = Signal(_BITS + 20)
        less = Signal(_WIDTH + 2)
        bit = Signal()
        m.d.comb += [
            less.eq(Cat(0, rest) - self.clocks),
            bit.eq(~less[-1]),
            self.hundredths.eq(product[_BITS:]),
        ]
        with m.If(self.start):
            m.d.sync += [left.eq(_BITS), rest.eq(self.words), product.eq(0)]
        with m.Elif(left != 0):
            m.d.sync += [left.eq(left - 1), rest.eq(Cat(0, rest)),
                         product.eq(product << 1)]
            with m.If(bit):
                m.d.sync += [rest.eq(less), product.eq((product << 1) + self._full)]
        return m

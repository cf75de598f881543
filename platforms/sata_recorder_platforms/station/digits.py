"""Numbers as digits, the most significant first."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Digits"]

_WIDTH = 48
_DIGITS = 15        # of 2^48 - 1


class Digits(wiring.Component):
    """Takes a number apart: decimal by doubling and adding, one bit a clock, or hexadecimal.

    Members
    -------
    value : In(48), start : In(1)       with
    hexadecimal : In(1)     ... digits, leading zeros included, and
    short : In(1)           only 2 of them, not 8
    busy : Out(1)           49 clocks for a decimal number
    digit : Out(4)          the next digit
    left : Out(4)           digits from there on
    step : In(1)            to the next one
    """

    value: In(_WIDTH)
    start: In(1)
    hexadecimal: In(1)
    short: In(1)
    busy: Out(1)
    digit: Out(4)
    left: Out(4)
    step: In(1)

    def elaborate(self, platform):
        m = Module()
        digits = Signal(4 * _DIGITS)
        value = Signal(_WIDTH)
        bits = Signal(range(_WIDTH + 1))
        m.d.comb += [self.busy.eq(bits != 0), self.digit.eq(digits[-4:])]
        # A digit of 5 or more carries when it is doubled.
        adjusted = Cat(Mux(digit >= 5, digit + 3, digit)[:4]
                       for digit in (digits[at:at + 4] for at in range(0, len(digits), 4)))
        with m.If(self.start):
            m.d.sync += value.eq(self.value)
            with m.If(self.hexadecimal):
                m.d.sync += [digits[-8:].eq(self.value[:8]), self.left.eq(2)]
                with m.If(~self.short):
                    m.d.sync += [digits[-32:].eq(self.value[:32]), self.left.eq(8)]
            with m.Else():
                m.d.sync += [digits.eq(0), self.left.eq(_DIGITS), bits.eq(_WIDTH)]
        with m.Elif(self.busy):
            m.d.sync += [Cat(value, digits).eq(Cat(0, value, adjusted)), bits.eq(bits - 1)]
        with m.Elif(self.step):
            m.d.sync += [digits.eq(digits << 4), self.left.eq(self.left - 1)]
        return m

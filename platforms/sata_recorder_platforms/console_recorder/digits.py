"""Numbers as digits, the most significant first."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Digits"]

_WIDTH = 48
_DIGITS = 15        # of 2^48 - 1


class Digits(wiring.Component):
    """Takes a number apart.

    One long register that is only ever shifted by one bit a clock: the value moves up into the
    digits. For a decimal number the digits are doubled by that, so one of 5 or more has 3 added
    first, which makes it carry. For a hexadecimal one the value itself becomes the digits.

    Members
    -------
    value : In(48), start : In(1)       with
    hexadecimal : In(1)     ... digits, leading zeros included, and
    short : In(1)           only the last 2, not 8
    busy : Out(1)           at most 100 clocks after ``start``, 4 after ``step``
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
        whole = 4 * _DIGITS + _WIDTH
        digits = Signal(4 * _DIGITS)
        value = Signal(_WIDTH)
        shifts = Signal(range(whole))
        doubling = Signal()
        m.d.comb += [self.busy.eq(shifts != 0), self.digit.eq(digits[-4:])]
        carries = [(digits[at:at + 4], Signal(name=f"carries_{at // 4}"))
                   for at in range(0, len(digits), 4)]
        m.d.comb += [carry.eq(doubling & (digit >= 5)) for digit, carry in carries]
        adjusted = Cat((digit + Mux(carry, 3, 0))[:4] for digit, carry in carries)
        with m.If(self.start):
            m.d.sync += [value.eq(self.value), digits.eq(0), doubling.eq(~self.hexadecimal)]
            with m.If(~self.hexadecimal):
                m.d.sync += [shifts.eq(_WIDTH), self.left.eq(_DIGITS)]
            with m.Elif(self.short):
                m.d.sync += [shifts.eq(whole - 8), self.left.eq(2)]
            with m.Else():
                m.d.sync += [shifts.eq(whole - 32), self.left.eq(8)]
        with m.Elif(self.busy):
            m.d.sync += [Cat(value, digits).eq(Cat(0, value, adjusted)), shifts.eq(shifts - 1)]
        with m.Elif(self.step):
            m.d.sync += [shifts.eq(4), doubling.eq(0), self.left.eq(self.left - 1)]
        return m

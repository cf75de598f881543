"""Numbers as digits, the most significant first."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.pc.console.grammar import NUMBER_BITS

_WIDTH = NUMBER_BITS
_DIGITS = 15        # of 2^48 - 1


def hexadecimal(number):
    """The character of a digit, 0 to 15."""
    return Mux(number >= 10, number + ord("a") - 10, number + ord("0"))


class Digits(wiring.Component):
    """Splits a number into digits.

    One long register that is only ever shifted by one bit a clock: the value moves up into the
    digits. For a decimal number the digits are doubled by that, so one of 5 or more has 3 added
    first, which makes it carry. For a hexadecimal one the value itself becomes the digits.
    """

    value: In(_WIDTH)   # The number.
    start: In(1)        # High for one clock to take ``value``, ``hexadecimal`` and ``short``.
    hexadecimal: In(1)  # Hexadecimal digits, leading zeros included, not decimal ones.
    short: In(1)        # With ``hexadecimal``: only the last 2 digits, not the last 8.
    busy: Out(1)        # ``digit`` and ``left`` are not valid yet: at most 100 clocks after ``start``, 4 after
                        # ``step``.
    digit: Out(4)       # The next digit.
    left: Out(4)        # How many digits there are from ``digit`` on.
    step: In(1)         # High for one clock to continue to the next digit. Not while ``busy``.

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

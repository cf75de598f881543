"""Numbers as they are typed."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Number"]

_WIDTH = 48


class Number(wiring.Component):
    """A decimal number, or a hexadecimal one with 0x in front, out of its characters.

    Members
    -------
    clear : In(1)       a new number
    char : In(8), valid : In(1)     its next character, lower case; stays for 2 clocks, and the
                        next one comes after 3 clocks or more
    value : Out(48)
    bad : Out(1)        no number, or larger than 48 bits
    """

    clear: In(1)
    char: In(8)
    valid: In(1)
    value: Out(_WIDTH)
    bad: Out(1)

    def elaborate(self, platform):
        m = Module()
        char = self.char
        digit = Signal(4)
        known, decimal = Signal(), Signal()
        m.d.comb += decimal.eq((char >= ord("0")) & (char <= ord("9")))
        with m.If(decimal):
            m.d.comb += [digit.eq(char[:4]), known.eq(1)]
        with m.Elif((char >= ord("a")) & (char <= ord("f"))):
            m.d.comb += [digit.eq(char[:4] + 9), known.eq(1)]

        faulty, hexadecimal = Signal(), Signal()
        digits = Signal(2)      # 3 means three or more
        add = Signal()          # the second half of a decimal digit
        more = Signal(_WIDTH + 5)
        # times 10 is times 5, then times 2: one adder serves both, and a hexadecimal digit.
        base = Mux(add, self.value << 1, Mux(hexadecimal, self.value << 4, self.value << 2))
        m.d.comb += [
            more.eq(base + Mux(add | hexadecimal, digit, self.value)),
            self.bad.eq(faulty | (digits == 0)),
        ]
        m.d.sync += add.eq(0)
        with m.If(self.clear):
            m.d.sync += Cat(self.value, faulty, hexadecimal, digits).eq(0)
        with m.Elif(add):
            m.d.sync += [self.value.eq(more), faulty.eq(faulty | more[_WIDTH:].any())]
        with m.Elif(self.valid):
            with m.If((char == ord("x")) & (digits == 1) & (self.value == 0) & ~hexadecimal):
                m.d.sync += [hexadecimal.eq(1), digits.eq(0)]
            with m.Else():
                m.d.sync += [
                    self.value.eq(more), add.eq(~hexadecimal),
                    faulty.eq(faulty | ~known | ~(decimal | hexadecimal)
                              | more[_WIDTH:].any()),
                    digits.eq(Mux(digits == 3, 3, digits + 1)),
                ]
        return m

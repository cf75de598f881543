"""Numbers as they are typed."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.pc.console.grammar import NUMBER_BITS


class Number(wiring.Component):
    """A decimal number, or a hexadecimal one with 0x in front, out of its characters.

    A digit takes 3 or 4 clocks, in each of which the value is doubled and something added: the
    digit in the last one, and the value before in the one in the middle of a decimal digit.
    """

    clear: In(1)                # A new number begins. Not while ``busy``.
    char: In(8)                 # Its next character, in lower case. Taken with ``valid``.
    valid: In(1)                # High for one clock to take ``char``. Not while ``busy``.
    busy: Out(1)                # The character is being worked on.
    value: Out(NUMBER_BITS)     # The number so far. Valid while ``busy`` is low.
    bad: Out(1)                 # The characters so far are no number, or one that is larger than 48 bits.

    def elaborate(self, platform):
        m = Module()
        char = self.char
        found = Signal(4)
        digit = Signal(4)
        known = Signal()
        decimal = Signal()
        m.d.comb += decimal.eq((char >= ord("0")) & (char <= ord("9")))
        with m.If(decimal):
            m.d.comb += [found.eq(char[:4]), known.eq(1)]
        with m.Elif((char >= ord("a")) & (char <= ord("f"))):
            m.d.comb += [found.eq(char[:4] + 9), known.eq(1)]

        faulty = Signal()
        hexadecimal = Signal()
        digits = Signal(2)      # 3 means three or more
        before = Signal(NUMBER_BITS)
        left = Signal(3)        # clocks
        again = Signal()
        last = Signal()
        more = Signal(NUMBER_BITS + 2)
        m.d.comb += [
            self.busy.eq(left != 0),
            again.eq((left == 2) & ~hexadecimal),
            last.eq(left == 1),
            more.eq(Cat(0, self.value)
                    + Cat(Mux(last, digit, before[:4] & again.replicate(4)),
                          before[4:] & again.replicate(NUMBER_BITS - 4))),
            self.bad.eq(faulty | (digits == 0)),
        ]
        with m.If(self.clear):
            m.d.sync += Cat(self.value, faulty, hexadecimal, digits, left).eq(0)
        with m.Elif(self.busy):
            m.d.sync += [self.value.eq(more), faulty.eq(faulty | more[NUMBER_BITS:].any()),
                         left.eq(left - 1)]
        with m.Elif(self.valid):
            m.d.sync += [before.eq(self.value), digit.eq(found)]
            with m.If((char == ord("x")) & (digits == 1) & (self.value == 0) & ~hexadecimal):
                m.d.sync += [hexadecimal.eq(1), digits.eq(0)]
            with m.Else():
                m.d.sync += [
                    left.eq(Mux(hexadecimal, 4, 3)),
                    faulty.eq(faulty | ~known | ~(decimal | hexadecimal)),
                    digits.eq(Mux(digits == 3, 3, digits + 1)),
                ]
        return m

"""Numbers as characters."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.pc.console.grammar import NUMBER_BITS

from .digits import Digits, hexadecimal

#: Clocks for which the printers wait from the choice of a number until it is there, generously.
READ_CLOCKS = 7


class Form(data.Struct):
    """How a number is printed: decimal, without leading zeros, unless a field specifies otherwise."""

    hexadecimal: 1      # in 8 hexadecimal digits
    short: 1            # with ``hexadecimal``: in 2 of them
    hundredths: 1       # with a point in front of the last two digits
    absent: 1           # 2^48 - 1, as a minimum of nothing is in the ledger, is printed as -


class NumberPrinter(wiring.Component):
    """Prints a number."""

    start: In(1)                    # High for one clock to begin. Not while ``busy``.
    form: In(Form)                  # How to print. Stable while ``busy`` is high.
    value: In(NUMBER_BITS)          # The number: valid from at most ``READ_CLOCKS`` clocks after ``start`` on.
    busy: Out(1)                    # From the clock after ``start`` until the last character has been taken.
    o: Out(stream.Signature(8))     # The characters.

    def elaborate(self, platform):
        m = Module()
        m.submodules.digits = digits = Digits()
        wait = Signal(range(READ_CLOCKS + 1))
        leading = Signal()      # only zeros so far
        pointed = Signal()      # no point is to come
        m.d.comb += [
            digits.value.eq(self.value),
            digits.hexadecimal.eq(self.form.hexadecimal),
            digits.short.eq(self.form.short),
            self.o.payload.eq(hexadecimal(digits.digit)),
        ]
        with m.FSM() as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("IDLE"))
            with m.State("IDLE"):
                m.d.sync += [wait.eq(READ_CLOCKS), leading.eq(1)]
                with m.If(self.start):
                    m.next = "VALUE"
            with m.State("VALUE"):
                m.d.sync += pointed.eq(~self.form.hundredths)
                with m.If(wait != 0):
                    m.d.sync += wait.eq(wait - 1)
                with m.Elif(self.form.absent & self.value.all()):
                    m.d.comb += [self.o.payload.eq(ord("-")), self.o.valid.eq(1)]
                    with m.If(self.o.ready):
                        m.next = "IDLE"
                with m.Else():
                    m.d.comb += digits.start.eq(1)
                    m.next = "DIGITS"
            with m.State("DIGITS"):
                with m.If(digits.busy):
                    pass
                with m.Elif(digits.left == 0):
                    m.next = "IDLE"
                with m.Elif(~pointed & (digits.left == 2)):
                    m.d.comb += [self.o.payload.eq(ord(".")), self.o.valid.eq(1)]
                    m.d.sync += pointed.eq(self.o.ready)
                with m.Else():
                    needed = (digits.digit != 0) | ~leading | self.form.hexadecimal \
                        | (digits.left == Mux(pointed, 1, 3))
                    m.d.comb += [self.o.valid.eq(needed), digits.step.eq(~needed | self.o.ready)]
                    m.d.sync += leading.eq(leading & ~needed)
        return m

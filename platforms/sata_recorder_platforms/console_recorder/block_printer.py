"""Texts and dumps of the memories of the core."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .digits import hexadecimal
from .messages import Block
from .number_printer import READ_CLOCKS

_BYTES = 512            # of a dump, 16 a line

#: Characters in the IDENTIFY DEVICE data (ATA8-ACS, words 27-46, 10-19, 23-26): first and last.
_TEXTS = {Block.MODEL: (2 * 27, 2 * 46 + 1), Block.SERIAL: (2 * 10, 2 * 19 + 1),
          Block.FIRMWARE: (2 * 23, 2 * 26 + 1)}

#: Steps of a byte in a dump, "0f0: 00 11 22 ... ff": the first byte of a line has its place in
#: front, the last one the end of the line after it.
_PLACE, _COLON, _BLANK, _UPPER, _LOWER, _CR, _LF = 0, 3, 4, 5, 6, 7, 8


class BlockPrinter(wiring.Component):
    """Prints a text of the IDENTIFY DEVICE data without the blanks around it and with ? in place
    of what is no printable character, or 512 bytes in hexadecimal.
    """

    block: In(Block)                # What to print. Taken at ``start``.
    start: In(1)                    # High for one clock to begin. Not while ``busy``.
    busy: Out(1)                    # From the clock after ``start`` until the last character has been taken.
    dword: Out(7)                   # Number of the dword that is wanted; 0 while not ``busy``.
    value: In(32)                   # That dword, at most ``READ_CLOCKS`` clocks later.
    o: Out(stream.Signature(8))     # The characters. A dump has no end of line after its last line.

    def elaborate(self, platform):
        m = Module()
        wait = Signal(range(READ_CLOCKS + 1))
        at = Signal(range(_BYTES))
        last = Signal(range(_BYTES))
        text = Signal()             # else a dump
        leading = Signal()          # only blanks so far
        spaces = Signal(6)          # that a character may follow
        step = Signal(range(_LF + 1))
        byte = Signal(8)
        digit = Signal(4)
        m.d.comb += [
            self.dword.eq(at[2:]),
            # Words of the data are strings with the first character in the upper byte.
            byte.eq(self.value.word_select(at[:2] ^ text, 8)),
        ]

        def next_byte():
            m.d.sync += [at.eq(at + 1), wait.eq(READ_CLOCKS)]
            m.next = "READ"
            with m.If(at == last):
                m.next = "IDLE"

        with m.FSM() as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("IDLE"))
            with m.State("IDLE"):
                m.d.sync += [wait.eq(READ_CLOCKS), at.eq(0), last.eq(_BYTES - 1), text.eq(0),
                             leading.eq(1), spaces.eq(0)]
                with m.If(self.start):
                    with m.Switch(self.block):
                        for block, (begin, end) in _TEXTS.items():
                            with m.Case(block):
                                m.d.sync += [at.eq(begin), last.eq(end), text.eq(1)]
                    m.next = "READ"
            with m.State("READ"):
                m.d.sync += [wait.eq(wait - 1), step.eq(Mux(at[:4] == 0, _PLACE, _BLANK))]
                with m.If(wait == 0):
                    m.next = "DUMP"
                    with m.If(text):
                        m.next = "CHAR"

            with m.State("CHAR"):
                m.next = "TEXT"
                with m.If(byte == ord(" ")):
                    m.d.sync += spaces.eq(Mux(leading, 0, spaces + 1))
                    next_byte()
            with m.State("TEXT"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(ord(" "))]
                with m.If(spaces != 0):
                    m.d.sync += spaces.eq(spaces - self.o.ready)
                with m.Else():
                    printable = (byte >= 0x20) & (byte < 0x7F)
                    m.d.comb += self.o.payload.eq(Mux(printable, byte, ord("?")))
                    with m.If(self.o.ready):
                        m.d.sync += leading.eq(0)
                        next_byte()

            with m.State("DUMP"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(hexadecimal(digit))]
                with m.Switch(step):
                    with m.Case(_PLACE):
                        m.d.comb += digit.eq(Cat(at[8:], Const(0, 3)))
                    with m.Case(_PLACE + 1):
                        m.d.comb += digit.eq(at[4:8])
                    with m.Case(_UPPER):
                        m.d.comb += digit.eq(byte[4:])
                    with m.Case(_LOWER):
                        m.d.comb += digit.eq(byte[:4])
                    for one, char in (_COLON, ":"), (_BLANK, " "), (_CR, "\r"), (_LF, "\n"):
                        with m.Case(one):
                            m.d.comb += self.o.payload.eq(ord(char))
                with m.If(self.o.ready):
                    m.d.sync += step.eq(step + 1)
                    ends = (at[:4] == 15) & (at != last)
                    with m.If((step == _LF) | ((step == _LOWER) & ~ends)):
                        next_byte()
        return m

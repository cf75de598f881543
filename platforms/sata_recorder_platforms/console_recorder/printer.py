"""The printer: pages of text with fields, character by character."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from .digits import Digits
from .messages import Block, Flag, Kind, Name, Page, Source, rom

__all__ = ["Printer"]

_READ_CLOCKS = 7        # from an index to its number, generously
_BYTES = 512            # of a dump, 16 a line

#: Characters in the IDENTIFY DEVICE data (ACS, words 27-46, 10-19, 23-26): the first and the last.
_TEXTS = {Block.MODEL: (2 * 27, 2 * 46 + 1), Block.SERIAL: (2 * 10, 2 * 19 + 1),
          Block.FIRMWARE: (2 * 23, 2 * 26 + 1)}


class Printer(wiring.Component):
    """Prints one page at a time.

    A text of the IDENTIFY DEVICE data is printed without the blanks around it, with ? in place of
    what is no printable character. A number of a memory that is 2^48 - 1, as a minimum of nothing
    is in the ledger, is printed as -.

    Parameters
    ----------
    version : str       the page of that name

    Members
    -------
    page : In(Page), start : In(1), busy : Out(1)
    flags : In(Flag)            conditions of lines; as all numbers they count while they are
                                printed
    numbers : In(4 x Name)      that are printed as words
    source : Out(Source)        the number that is wanted ...
    index : Out(7)              ... of a memory: entry of the ledger, field of the journal's entry,
                                or dword; 0 for a name
    value : In(48)              that number, at most 7 clocks later
    o : Out(stream 8)           characters
    """

    def __init__(self, version):
        self._version = version
        super().__init__({
            "page": In(Page), "start": In(1), "busy": Out(1), "flags": In(len(Flag)),
            "numbers": In(4 * len(Name)), "source": Out(Source), "index": Out(7),
            "value": In(48), "o": Out(stream.Signature(8)),
        })

    def elaborate(self, platform):
        m = Module()
        items, pages, names = rom(self._version)
        m.submodules.texts = texts = memory.Memory(
            shape=9, depth=1 << (len(items) - 1).bit_length(), init=items,
            attrs={"ram_style": "block"})
        read = texts.read_port()
        m.submodules.digits = digits = Digits()

        place = Signal(len(read.addr))
        back = Signal.like(place)
        in_name = Signal()
        skipping = Signal()
        item = Signal(8)
        kind, argument = item[5:], item[:5]
        m.d.comb += read.addr.eq(place)

        wait = Signal(range(_READ_CLOCKS + 1))
        at = Signal(range(_BYTES))          # byte of a block
        last = Signal(range(_BYTES))
        text = Signal()                     # a block is text
        char = Signal(8)
        leading = Signal()
        pointed = Signal()
        spaces = Signal(6)
        nibble = Signal(3)                  # step within a byte of a dump

        # Words of the data are strings with the first character in the upper byte.
        byte = Signal(8)
        m.d.comb += [
            byte.eq(self.value[:32].word_select(at[:2] ^ text, 8)),
            self.index.eq(Mux(kind == Kind.MEMORY, argument, at[2:])),
            self.o.payload.eq(char),
            digits.value.eq(self.value),
            digits.hexadecimal.eq((kind == Kind.HEX2) | (kind == Kind.HEX8)),
            digits.short.eq(kind == Kind.HEX2),
        ]
        name = Signal(4)
        first = Signal(len(place) - 4)
        m.d.comb += [
            name.eq(self.numbers.word_select(argument[:4], 4)),
            first.eq(Array(names)[argument[:4]]),
        ]

        def hexadecimal(number):
            return Mux(number >= 10, number + ord("a") - 10, number + ord("0"))

        def emit(what, then):
            """Sends a character, then goes on in state ``then``."""
            m.d.sync += [char.eq(what), after.eq(states.index(then))]
            m.next = "EMIT"

        states = ("NEXT", "DIGITS", "BLOCK", "SPACES", "DUMP")
        after = Signal(range(len(states)))

        with m.FSM() as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("IDLE"))
            with m.State("IDLE"):
                m.d.sync += [place.eq(Array(pages)[self.page]), in_name.eq(0), skipping.eq(0)]
                with m.If(self.start):
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.next = "ITEM"
            with m.State("ITEM"):
                m.d.sync += [item.eq(read.data[:8]), place.eq(place + 1)]
                with m.If(read.data[8]):
                    m.next = "FIELD"
                with m.Elif(skipping):
                    m.d.sync += skipping.eq(read.data[:8] != ord("\n"))
                    m.next = "NEXT"
                with m.Else():
                    emit(read.data[:8], "NEXT")
            with m.State("EMIT"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    with m.Switch(after):
                        for number, state in enumerate(states):
                            with m.Case(number):
                                m.next = state

            with m.State("FIELD"):
                m.d.sync += [wait.eq(_READ_CLOCKS), self.source.eq(argument), leading.eq(1),
                             text.eq(0), spaces.eq(0), at.eq(0), last.eq(_BYTES - 1),
                             nibble.eq(0)]
                m.next = "NEXT"
                with m.If(kind == Kind.END):
                    m.d.sync += [in_name.eq(0), place.eq(back)]
                    with m.If(~in_name):
                        m.next = "IDLE"
                with m.Elif(skipping):
                    pass
                with m.Elif(kind == Kind.IF):
                    m.d.sync += skipping.eq(~self.flags.bit_select(argument[:4], 1))
                with m.Elif(kind == Kind.NAME):
                    m.d.sync += [in_name.eq(1), back.eq(place),
                                 place.eq(Cat(Const(0, 4), (first + name)[:len(first)]))]
                with m.Elif(kind == Kind.BLOCK):
                    m.d.sync += self.source.eq(Source.IDENTIFY)
                    m.next = "BLOCK"
                    with m.Switch(argument[:3]):
                        for block, (begin, end) in _TEXTS.items():
                            with m.Case(block):
                                m.d.sync += [at.eq(begin), last.eq(end), text.eq(1)]
                        with m.Case(Block.SECTOR):
                            m.d.sync += self.source.eq(Source.SECTOR)
                with m.Else():
                    with m.If(kind == Kind.MEMORY):
                        m.d.sync += self.source.eq(Source.MEMORY)
                    m.next = "VALUE"

            with m.State("VALUE"):
                m.d.sync += [wait.eq(wait - 1), pointed.eq(self.source != Source.RATE)]
                with m.If(wait == 0):
                    m.d.comb += digits.start.eq(1)
                    m.next = "DIGITS"
                    with m.If((kind == Kind.MEMORY) & self.value.all()):
                        emit(ord("-"), "NEXT")
            with m.State("DIGITS"):
                with m.If(digits.busy):
                    pass
                with m.Elif(digits.left == 0):
                    m.next = "NEXT"
                with m.Elif(~pointed & (digits.left == 2)):
                    m.d.sync += pointed.eq(1)
                    emit(ord("."), "DIGITS")
                with m.Else():
                    m.d.comb += digits.step.eq(1)
                    needed = (digits.digit != 0) | ~leading | digits.hexadecimal \
                        | (digits.left == Mux(pointed, 1, 3))
                    with m.If(needed):
                        m.d.sync += leading.eq(0)
                        emit(hexadecimal(digits.digit), "DIGITS")

            # Blocks: wait for the next byte, print it.
            with m.State("BLOCK"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.next = "DUMP"
                    with m.If(text):
                        m.next = "CHAR"

            with m.State("CHAR"):
                m.next = "SPACES"
                with m.If(byte == ord(" ")):
                    m.d.sync += [spaces.eq(Mux(leading, 0, spaces + 1)), at.eq(at + 1),
                                 wait.eq(_READ_CLOCKS)]
                    m.next = "BLOCK"
                    with m.If(at == last):
                        m.next = "NEXT"
            with m.State("SPACES"):
                with m.If(spaces != 0):
                    m.d.sync += spaces.eq(spaces - 1)
                    emit(ord(" "), "SPACES")
                with m.Else():
                    m.d.sync += [leading.eq(0), at.eq(at + 1), wait.eq(_READ_CLOCKS)]
                    printable = (byte >= 0x20) & (byte < 0x7F)
                    emit(Mux(printable, byte, ord("?")), "BLOCK")
                    with m.If(at == last):
                        emit(Mux(printable, byte, ord("?")), "NEXT")

            # "0f0: 00 11 22 ... ff": the first byte of a line has its place in front.
            with m.State("DUMP"):
                m.d.sync += nibble.eq(nibble + 1)
                with m.Switch(nibble):
                    with m.Case(0):
                        emit(hexadecimal(Cat(at[8:], Const(0, 3))), "DUMP")
                        with m.If(at[:4] != 0):
                            m.d.sync += nibble.eq(5)
                            emit(ord(" "), "DUMP")
                    with m.Case(1):
                        emit(hexadecimal(at[4:8]), "DUMP")
                    with m.Case(2):
                        emit(ord("0"), "DUMP")
                    with m.Case(3):
                        emit(ord(":"), "DUMP")
                    with m.Case(4):
                        emit(ord(" "), "DUMP")
                    with m.Case(5):
                        emit(hexadecimal(byte[4:]), "DUMP")
                    with m.Case(6):
                        emit(hexadecimal(byte[:4]), "DUMP")
                        with m.If((at[:4] != 15) | (at == last)):
                            m.d.sync += [at.eq(at + 1), wait.eq(_READ_CLOCKS), nibble.eq(0)]
                            emit(hexadecimal(byte[:4]), "BLOCK")
                            with m.If(at == last):
                                emit(hexadecimal(byte[:4]), "NEXT")
                    with m.Default():
                        emit(ord("\r"), "DUMP")
                        with m.If(char == ord("\r")):
                            m.d.sync += [at.eq(at + 1), wait.eq(_READ_CLOCKS), nibble.eq(0)]
                            emit(ord("\n"), "BLOCK")
                        with m.Else():
                            m.d.sync += nibble.eq(7)
        return m

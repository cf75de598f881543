"""Request lines: what is typed, as a verb with its numbers."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.console.grammar import LINE_CHARACTERS, NUMBER_BITS

from .keywords import LAYOUT, Choice, Verb, allowed, tree, wanted
from .messages import Mistake
from .number import Number
from .uart import Byte

__all__ = ["Parser", "Request"]

#: ``choice`` is that of the line beside FLUSH, which is ``flush``.
Request = data.StructLayout({"verb": Verb, "choice": Choice, "flush": 1, "mistake": Mistake})


class Parser(wiring.Component):
    """Reads lines: words between blanks, upper or lower case; CR or LF ends a line.

    A line without words and faults is none. Of several mistakes in a line the first of too-long,
    noise, unknown, bad-number, arguments is told.

    Members
    -------
    i : In(stream of Byte)      waits while a request waits to be taken
    o : Out(stream of Request)  a line
    numbers : Out(2 x 48)       of the line, until the next line has a number
    keep : In(1)                they do not change
    empty : Out(1)              no line has begun
    """

    def __init__(self):
        super().__init__({
            "i": In(stream.Signature(Byte)), "o": Out(stream.Signature(Request)),
            "numbers": Out(data.ArrayLayout(NUMBER_BITS, 2)), "keep": In(1), "empty": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        nodes, verbs, choices = tree()
        m.submodules.tree = rom = memory.Memory(
            shape=LAYOUT, depth=128, init=nodes, attrs={"ram_style": "block"})
        read = rom.read_port()
        node = read.data
        m.submodules.number = number = Number()

        char = Signal(8)
        newline = Signal()
        blank = Signal()
        m.d.comb += [
            newline.eq((char == ord("\n")) | (char == ord("\r"))),
            blank.eq((char == ord(" ")) | (char == ord("\t"))),
            number.char.eq(char),
        ]

        # The line so far.
        length = Signal(range(LINE_CHARACTERS + 2))
        noise = Signal()
        stray = Signal()
        bad = Signal()
        count = Signal(2)           # of numbers; 3 means more than two
        verb = Signal(Verb)
        choice = Signal(Choice)
        flush = Signal()
        past_verb = Signal()
        # The word so far.
        inside = Signal()
        numeric = Signal()
        lost = Signal()
        place = Signal(7)
        meaning = Signal(4)
        m.d.comb += [self.empty.eq((length == 0) & ~noise), read.addr.eq(place)]

        numbers = Signal(2)
        fits = Signal()
        with m.Switch(verb):
            for one in Verb:
                choices_of, may_flush = allowed(one)
                with m.Case(one):
                    m.d.comb += numbers.eq(wanted(one))
                    with m.Switch(choice):
                        with m.Case(Choice.NONE, *choices_of):
                            m.d.comb += fits.eq(1 if may_flush else ~flush)

        mistake = self.o.payload.mistake
        m.d.comb += [self.o.payload.verb.eq(verb), self.o.payload.choice.eq(choice),
                     self.o.payload.flush.eq(flush)]

        with m.FSM():
            with m.State("TAKE"):
                m.d.comb += self.i.ready.eq(1)
                byte = self.i.payload
                m.d.sync += char.eq(Cat(byte.data[:5], byte.data[5] | byte.data[6],
                                        byte.data[6:]))
                with m.If(self.i.valid):
                    m.d.sync += noise.eq(noise | byte.fault)
                    m.next = "CHAR"
            with m.State("CHAR"):
                with m.If(~newline & (length <= LINE_CHARACTERS)):
                    m.d.sync += length.eq(length + 1)
                with m.If((newline | blank) & inside):
                    m.next = "WORD"
                with m.Elif(newline):
                    m.next = "LINE"
                with m.Elif(blank):
                    m.next = "TAKE"
                with m.Else():
                    with m.If(~inside):
                        m.d.sync += [
                            inside.eq(1), lost.eq(0),
                            numeric.eq(past_verb & (char[4:] == 3)),
                            place.eq(Mux(past_verb, choices, verbs)),
                        ]
                        m.d.comb += number.clear.eq(1)
                    m.next = "PART"
            with m.State("PART"):
                m.d.sync += meaning.eq(0)
                m.next = "LOOK"
                with m.If(numeric):
                    m.d.comb += number.valid.eq(1)
                    m.next = "DIGIT"
                with m.Elif(lost):
                    m.next = "TAKE"
            with m.State("DIGIT"):
                with m.If(~number.busy):
                    m.next = "TAKE"
            # The memory has been reading ``place`` in the clock before.
            with m.State("LOOK"):
                with m.If(Cat(node.char, 0) == char):
                    m.d.sync += [meaning.eq(node.meaning), lost.eq(node.leaf),
                                 place.eq(place + 1)]
                    m.next = "TAKE"
                with m.Elif(node.other == 0):
                    m.d.sync += lost.eq(1)
                    m.next = "TAKE"
                with m.Else():
                    m.d.sync += place.eq(node.other)
                    m.next = "PART"
            with m.State("WORD"):
                m.d.sync += [inside.eq(0), past_verb.eq(1)]
                with m.If(~past_verb):
                    m.d.sync += verb.eq(meaning)
                with m.Elif(~numeric & (meaning == Choice.FLUSH)):
                    m.d.sync += [flush.eq(1), stray.eq(stray | flush)]
                with m.Elif(~numeric):
                    m.d.sync += [choice.eq(meaning),
                                 stray.eq(stray | (meaning == 0) | (choice != Choice.NONE))]
                with m.Else():
                    m.d.sync += [bad.eq(bad | number.bad), count.eq(Mux(count == 3, 3, count + 1))]
                    with m.If(~self.keep):
                        m.d.sync += self.numbers[count[0]].eq(number.value)
                m.next = "TAKE"
                with m.If(newline):
                    m.next = "LINE"
            with m.State("LINE"):
                m.d.sync += mistake.eq(Mistake.NONE)
                with m.If(length > LINE_CHARACTERS):
                    m.d.sync += mistake.eq(Mistake.TOO_LONG)
                with m.Elif(noise):
                    m.d.sync += mistake.eq(Mistake.NOISE)
                with m.Elif(verb == Verb.NONE):
                    m.d.sync += mistake.eq(Mistake.UNKNOWN)
                with m.Elif(bad):
                    m.d.sync += mistake.eq(Mistake.BAD_NUMBER)
                with m.Elif(stray | ~fits | (count != numbers)):
                    m.d.sync += mistake.eq(Mistake.ARGUMENTS)
                m.next = "OFFER"
            with m.State("OFFER"):
                words = past_verb | noise
                m.d.comb += self.o.valid.eq(words)
                with m.If(self.o.ready | ~words):
                    m.d.sync += [Cat(length, noise, stray, bad, count, past_verb, flush).eq(0),
                                 verb.eq(Verb.NONE), choice.eq(Choice.NONE)]
                    m.next = "TAKE"
        return m

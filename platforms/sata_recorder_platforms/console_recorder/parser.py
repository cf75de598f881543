"""Request lines: what is typed, as a verb with its numbers."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.pc.console.grammar import LINE_CHARACTERS, NUMBER_BITS

from .keywords import Choice, Verb, allowed, known, periodic, wanted
from .matcher import Matcher
from .messages import Mistake
from .number import Number
from .uart import Byte


#: The most numbers of a line; a power of two.
NUMBERS = 4
#: The place of the number after `every`. No line that may have it has as many other numbers.
_EVERY = NUMBERS - 1


class Request(data.Struct):
    """A line."""

    verb: Verb
    choice: Choice      # the choice besides `flush`
    flush: 1            # the line has the word `flush` after its numbers
    late: 1             # ``numbers`` are not those of the line, for they were kept when it came
    mistake: Mistake    # what is wrong with the line; the other fields mean nothing then


class Parser(wiring.Component):
    """Reads lines: words between blanks, upper or lower case; CR or LF ends a line.

    A line without words and faults is no request. Of several mistakes in a line the first of
    too-long, noise, unknown, bad-number, arguments is reported.

    Parameters: with ``files`` a line may have `every` where the grammar allows it; else the word belongs nowhere.
    ``parts`` of the grammar that the board has: the words of others are not known.
    """

    i: In(stream.Signature(Byte))       # The characters. Not ready while a request waits.
    o: Out(stream.Signature(Request))   # A line, once its end has come.
    # The numbers of the line, valid with ``o`` and until the next line with numbers. With ``files`` the last one
    # is that after `every`, 0 in a line without it.
    numbers: Out(NUMBER_BITS * NUMBERS)
    keep: In(1)                         # While it is high, ``numbers`` do not change.
    empty: Out(1)                       # No line has begun.

    def __init__(self, *, files=False, parts=()):
        self._files = files
        self._parts = parts
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.matcher = matcher = Matcher(parts=self._parts)
        m.submodules.number = number = Number()

        char = Signal(8)
        newline = Signal()
        blank = Signal()
        m.d.comb += [
            newline.eq((char == ord("\n")) | (char == ord("\r"))),
            blank.eq((char == ord(" ")) | (char == ord("\t"))),
            number.char.eq(char),
            matcher.char.eq(char),
        ]

        # The line so far.
        length = Signal(range(LINE_CHARACTERS + 2))
        noise = Signal()
        stray = Signal()            # a word does not belong there
        bad = Signal()              # a number is none
        count = Signal(range(NUMBERS + 2))     # of numbers, at most one more than a line has
        past_verb = Signal()
        # The word so far.
        inside = Signal()
        numeric = Signal()
        every = Signal()            # the line has that word

        request = self.o.payload
        numbers, choices_fit, periods_fit = _arguments(m, request, self._parts)
        fits = choices_fit & (count == (Mux(every, NUMBERS, numbers) if self._files else numbers))
        m.d.comb += [self.empty.eq((length == 0) & ~noise), matcher.choice.eq(past_verb)]

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
                        m.d.sync += [inside.eq(1), numeric.eq(past_verb & (char[4:] == 3))]
                        m.d.comb += [number.clear.eq(1), matcher.clear.eq(1)]
                    m.next = "PART"
            with m.State("PART"):
                m.d.comb += [number.valid.eq(numeric), matcher.valid.eq(~numeric)]
                m.next = "WAIT"
            with m.State("WAIT"):
                with m.If(~number.busy & ~matcher.busy):
                    m.next = "TAKE"
            with m.State("WORD"):
                m.d.sync += [inside.eq(0), past_verb.eq(1)]
                with m.If(~past_verb):
                    m.d.sync += request.verb.eq(matcher.meaning)
                    if self._files:
                        m.d.sync += request.late.eq(self.keep)
                        with m.If(~self.keep):
                            m.d.sync += self.numbers.word_select(_EVERY, NUMBER_BITS).eq(0)
                with m.Elif(~numeric & (matcher.meaning == Choice.FLUSH)):
                    m.d.sync += [request.flush.eq(1), stray.eq(stray | request.flush)]
                with m.Elif(self._files & ~numeric & (matcher.meaning == Choice.EVERY)):
                    m.d.sync += [every.eq(1), count.eq(_EVERY),
                                 stray.eq(stray | ~periods_fit | (count != numbers))]
                with m.Elif(~numeric):
                    m.d.sync += [request.choice.eq(matcher.meaning),
                                 stray.eq(stray | (matcher.meaning == 0)
                                          | (request.choice != Choice.NONE))]
                with m.Else():
                    m.d.sync += [bad.eq(bad | number.bad), count.eq(count + (count <= NUMBERS)),
                                 request.late.eq(request.late | self.keep)]
                    with m.If(~self.keep):
                        m.d.sync += self.numbers.word_select(count[:2], NUMBER_BITS).eq(number.value)
                m.next = "TAKE"
                with m.If(newline):
                    m.next = "LINE"
            with m.State("LINE"):
                mistake = request.mistake
                m.d.sync += mistake.eq(Mistake.NONE)
                with m.If(length > LINE_CHARACTERS):
                    m.d.sync += mistake.eq(Mistake.TOO_LONG)
                with m.Elif(noise):
                    m.d.sync += mistake.eq(Mistake.NOISE)
                with m.Elif(request.verb == Verb.NONE):
                    m.d.sync += mistake.eq(Mistake.UNKNOWN)
                with m.Elif(bad):
                    m.d.sync += mistake.eq(Mistake.BAD_NUMBER)
                with m.Elif(stray | ~fits):
                    m.d.sync += mistake.eq(Mistake.ARGUMENTS)
                m.next = "OFFER"
            with m.State("OFFER"):
                words = past_verb | noise
                m.d.comb += self.o.valid.eq(words)
                with m.If(self.o.ready | ~words):
                    m.d.sync += [Cat(length, noise, stray, bad, count, past_verb, every).eq(0),
                                 Cat(request.flush, request.late).eq(0),
                                 request.verb.eq(Verb.NONE), request.choice.eq(Choice.NONE)]
                    m.next = "TAKE"
        return m


def _arguments(m, request, parts):
    """How many numbers the verb of ``request`` has, whether it may have the choices of ``request``, and
    whether it may have `every`."""
    numbers = Signal(range(NUMBERS + 1))
    choices_fit = Signal()
    periods_fit = Signal()
    with m.Switch(request.verb):
        for verb in Verb:
            if not known(verb, parts):
                continue
            choices, may_flush = allowed(verb)
            with m.Case(verb):
                m.d.comb += [numbers.eq(wanted(verb)), periods_fit.eq(periodic(verb))]
                with m.Switch(request.choice):
                    with m.Case(Choice.NONE, *choices):
                        m.d.comb += choices_fit.eq(1 if may_flush else ~request.flush)
    return numbers, choices_fit, periods_fit

"""The name of a file from its slot, REC00001.dat, or from its day and its slot, R2611220001.dat."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .signature import SLOT_BITS, FileTime

__all__ = ["FileName"]

#: Characters of a File Name entry, and digits: two each of year, month and day, four of the slot.
_CHARACTERS, _DIGITS = 15, 10
#: What the names are made of: text, and the numbers of digits.
_DATED = ("R", *range(_DIGITS), ".", "d", "a", "t")
_PLAIN = ("R", "E", "C", "0", *range(_DIGITS - 4, _DIGITS), ".", "d", "a", "t")
#: The last two digits of 1980, where exFAT begins to count.
_EPOCH = 80
#: What is subtracted from a number, digit by digit: (the new number, how much, it is a digit).
_YEAR, _MONTH, _DAY, _SLOT = range(4)
_STEPS = ((_YEAR, 100, False), (None, 10, True), (None, 1, True),
          (_MONTH, 10, True), (None, 1, True), (_DAY, 10, True), (None, 1, True),
          (_SLOT, 1000, True), (None, 100, True), (None, 10, True), (None, 1, True))


class FileName(wiring.Component):
    """Makes the name, and its NameHash (Microsoft, "exFAT file system specification", section 7.6.4
    "NameHash Field").

    Latency: at most 170 clocks from ``start`` to ``done``.

    Members
    -------
    start : In(1)           One clock: the others are valid, and stay so until ``done``.
    time : In(FileTime)
    number : In(13)         The slot.
    is_dated : In(1)        The name is that of the day.
    done : Out(1)           One clock: what follows is valid, until the next ``start``.
    hash : Out(16)          The NameHash.
    length : Out(4)         Characters of the name.
    pair : In(3)            Which two characters are requested: 0 is the second one of the name and
                            the one after it. The first one is R.
    characters : Out(32)    They are, as UTF-16; zeros after the last one.
    """

    start: In(1)
    time: In(FileTime)
    number: In(SLOT_BITS)
    is_dated: In(1)
    done: Out(1)
    hash: Out(16)
    length: Out(4)
    pair: In(3)
    characters: Out(32)

    def elaborate(self, platform):
        m = Module()
        step = Signal(range(len(_STEPS)))
        value = Signal(SLOT_BITS)
        weight = Signal(10)
        digit = Signal(4)
        is_digit = Signal()
        digits = Signal(4 * _DIGITS)        # the first one in the lowest bits
        place = Signal(range(2 * _CHARACTERS))      # of a byte
        byte = Signal(8)
        seconds = self.time.seconds
        values = {_YEAR: seconds[25:32] + _EPOCH, _MONTH: seconds[21:25], _DAY: seconds[16:21],
                  _SLOT: self.number}
        with m.Switch(step):
            for number, (_, size, counts) in enumerate(_STEPS):
                with m.Case(number):
                    m.d.comb += [weight.eq(size), is_digit.eq(counts)]
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [step.eq(0), digit.eq(0), value.eq(values[_YEAR])]
                with m.If(self.start):
                    m.next = "COUNT"
            with m.State("COUNT"):
                m.d.sync += place.eq(0)
                with m.If(value >= weight):
                    m.d.sync += [value.eq(value - weight), digit.eq(digit + 1)]
                with m.Else():
                    m.d.sync += [step.eq(step + 1), digit.eq(0)]
                    with m.If(is_digit):
                        m.d.sync += digits.eq(Cat(digits[4:], digit))
                    with m.Switch(step):
                        for number, (source, *_) in enumerate(_STEPS):
                            if source is not None and number:
                                with m.Case(number - 1):
                                    m.d.sync += value.eq(values[source])
                        with m.Case(len(_STEPS) - 1):
                            m.d.sync += self.hash.eq(0)
                            m.next = "HASH"
            with m.State("HASH"):
                m.d.sync += [
                    place.eq(place + 1),
                    self.hash.eq(Cat(self.hash[1:], self.hash[0]) + Mux(place[0], 0, byte)),
                ]
                with m.If(place == Cat(C(1, 1), self.length - 1)):
                    m.d.comb += self.done.eq(1)
                    m.next = "IDLE"
        m.d.comb += self.length.eq(Mux(self.is_dated, len(_DATED), len(_PLAIN)))

        def character(part):
            return Cat(digits.word_select(part, 4), C(3, 4)) if isinstance(part, int) \
                else C(ord(part), 8)

        def name(upper):
            """The characters of the name, zeros after them."""
            names = ([character(part if isinstance(part, int) or not upper else part.upper())
                      for part in parts] + [C(0, 8)] * (_CHARACTERS - len(parts))
                     for parts in (_DATED, _PLAIN))
            return [Mux(self.is_dated, dated, plain) for dated, plain in zip(*names, strict=True)]

        with m.Switch(place[1:]):
            for number, letter in enumerate(name(upper=True)):
                with m.Case(number):
                    m.d.comb += byte.eq(letter)
        found = name(upper=False)
        with m.Switch(self.pair):
            for number in range(_CHARACTERS // 2):
                with m.Case(number):
                    m.d.comb += self.characters.eq(Cat(found[1 + 2 * number], C(0, 8),
                                                       found[2 + 2 * number], C(0, 8)))
        return m

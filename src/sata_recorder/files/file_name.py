"""The name of a file from its day and its slot, such as R2611220001.dat."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .signature import SLOT_BITS, FileTime

__all__ = ["FileName", "NAME_CHARACTERS"]

#: R, year, month and day with two digits each, four of the slot, .dat
NAME_CHARACTERS = 15
_DIGITS = 10
_FIRST, _REST = "R", ".dat"
#: The last two digits of 1980, where exFAT begins to count.
_EPOCH = 80
#: What is counted out of a number, digit by digit: (the number anew, how much, it is a digit).
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
    done : Out(1)           One clock: what follows is valid, until the next ``start``.
    hash : Out(16)          The NameHash.
    pair : In(3)            Which two characters are asked for: 0 is the second one of the name and
                            the one behind it.
    characters : Out(32)    They are, as UTF-16.
    """

    start: In(1)
    time: In(FileTime)
    number: In(SLOT_BITS)
    done: Out(1)
    hash: Out(16)
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
        place = Signal(range(2 * NAME_CHARACTERS))      # of a byte
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
                with m.If(place == 2 * NAME_CHARACTERS - 1):
                    m.d.comb += self.done.eq(1)
                    m.next = "IDLE"
        name = [C(ord(_FIRST), 8), *(Cat(digits[4 * n:4 * n + 4], C(3, 4)) for n in range(_DIGITS)),
                *(C(ord(letter), 8) for letter in _REST)]
        upper = [*name[:-len(_REST)], *(C(ord(letter), 8) for letter in _REST.upper())]
        with m.Switch(place[1:]):
            for number, letter in enumerate(upper):
                with m.Case(number):
                    m.d.comb += byte.eq(letter)
        with m.Switch(self.pair):
            for number in range(NAME_CHARACTERS // 2):
                with m.Case(number):
                    m.d.comb += self.characters.eq(Cat(name[1 + 2 * number], C(0, 8),
                                                       name[2 + 2 * number], C(0, 8)))
        return m

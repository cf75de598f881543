"""The name of a file from its slot, REC00001.dat, or from its day and its slot, R2611220001.dat."""

from amaranth.hdl import C, Cat, Module, Mux, Signal, signed
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
    next : In(1)            One clock, after ``done`` and 7 times: two characters are requested. The first
                            time they are the second one of the name and the one after it; the first one is R.
    characters : Out(32)    They are, as UTF-16, from 5 clocks later on; zeros after the last one.
    """

    start: In(1)
    time: In(FileTime)
    number: In(SLOT_BITS)
    is_dated: In(1)
    done: Out(1)
    hash: Out(16)
    length: Out(4)
    next: In(1)
    characters: Out(32)

    def elaborate(self, platform):
        m = Module()
        step = Signal(range(len(_STEPS)))
        value = Signal(signed(SLOT_BITS + 1))   # negative once too much has been subtracted
        before = Signal(SLOT_BITS)              # what it was a clock ago
        weight = Signal(10)
        digit = Signal(4)
        is_digit = Signal()
        digits = Signal(4 * _DIGITS)        # the first one in the lowest bits
        place = Signal(range(2 * _CHARACTERS + 2))      # of a byte: every second one is 0
        counts = Signal()
        passes = Signal()
        gives = Signal()
        letter = Signal(8)
        upper = Cat(letter[:5], letter[5] & ~letter[6], letter[6:])
        turns = self._letter(m, place, digits[:4], letter)
        seconds = self.time.seconds
        values = {_YEAR: seconds[25:32] + _EPOCH, _MONTH: seconds[21:25], _DAY: seconds[16:21],
                  _SLOT: self.number}
        with m.Switch(step):
            for number, (_, size, has_digit) in enumerate(_STEPS):
                with m.Case(number):
                    m.d.comb += [weight.eq(size), is_digit.eq(has_digit)]
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [step.eq(0), digit.eq(-1), value.eq(values[_YEAR])]
                with m.If(self.start):
                    m.next = "COUNT"
            with m.State("COUNT"):
                m.d.sync += [place.eq(0), before.eq(value), value.eq(value - weight), digit.eq(digit + 1)]
                with m.If(value < 0):
                    m.d.sync += [step.eq(step + 1), digit.eq(-1), value.eq(before)]
                    m.d.comb += counts.eq(is_digit)
                    with m.Switch(step):
                        for number, (source, *_) in enumerate(_STEPS):
                            if source is not None and number:
                                with m.Case(number - 1):
                                    m.d.sync += value.eq(values[source])
                        with m.Case(len(_STEPS) - 1):
                            m.d.sync += self.hash.eq(0)
                            m.next = "HASH"
            with m.State("HASH"):
                m.d.comb += passes.eq(1)
                m.d.sync += place.eq(place + 1)
                m.d.sync += self.hash.eq(Cat(self.hash[1:], self.hash[0]) + Mux(place[0], 0, upper))
                with m.If(place == Cat(C(1, 1), self.length - 1)):
                    m.d.comb += self.done.eq(1)
                    m.d.sync += place.eq(2)
                    m.next = "IDLE"
        m.d.comb += self.length.eq(Mux(self.is_dated, len(_DATED), len(_PLAIN)))
        first = Signal(8)
        second = Signal(8)
        m.d.comb += self.characters.eq(Cat(first, C(0, 8), second, C(0, 8)))
        with m.If(self.next):
            m.d.sync += gives.eq(1)
        with m.If(gives):
            m.d.sync += place.eq(place + 1)
            with m.If(~place[0]):
                m.d.sync += [first.eq(second), second.eq(letter)]
            with m.If(place[:2] == 1):
                m.d.sync += gives.eq(0)
        with m.If(counts | ((passes | gives) & turns)):
            m.d.sync += digits.eq(Cat(digits[4:], Mux(counts, digit, digits[:4])))
        return m

    def _letter(self, m, place, digit, letter):
        """The character of the byte at ``place``, in small letters after the point. Returns whether the digits go on
        after this byte: they go round once in a name, those of the day within letters where it has none."""
        turns = Signal()
        m.d.comb += letter.eq(Cat(digit, C(3, 4)))
        with m.Switch(Cat(place[1:], self.is_dated)):
            for is_dated, parts in enumerate((_PLAIN, _DATED)):
                for number in range(_CHARACTERS + 1):
                    part = parts[number] if number < len(parts) else "\0"
                    with m.Case(number | is_dated << 4):
                        if isinstance(part, int):
                            m.d.comb += turns.eq(place[0])
                        else:
                            m.d.comb += letter.eq(ord(part))
                            # Three of them for the six digits of the day.
                            if not is_dated and 1 <= number <= 3:
                                m.d.comb += turns.eq(1)
        return turns

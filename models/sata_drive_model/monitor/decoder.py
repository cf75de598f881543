"""One direction's dwords as primitives and data (Serial ATA Revision 3.x, link layer, primitives).

It checks what needs no knowledge of the other direction: coding, ALIGN pairs, CONT.
"""

from ..protocol.primitives import ALIGN, CONT, CONTINUABLE, DATA, K, NAMES, NONE, SYNC, name
from ..protocol.rules import ALIGN_DISTANCE, Rule


def label(symbol):
    """A symbol in a text."""
    return "data dword" if symbol == DATA else name(symbol)


class Decoder:
    """Turns dwords into symbols: primitives with CONT expanded, `DATA`, or `NONE` where nothing is
    learned.

    Parameters: ``violate(rule, detail)`` is called for each violation; ``slack`` dwords that may
    come at first before an ALIGN pair is due. Members: ``word``, ``symbol`` of the latest dword;
    ``current`` the latest symbol that is not NONE; ``count`` dwords so far.
    """

    def __init__(self, violate, slack=0):
        self._violate = violate
        self.word = 0
        self.symbol = NONE
        self.current = SYNC
        self.count = 0
        self._last = SYNC
        self._run = 0               # times that the last primitive came, without CONT
        self._cont = False
        self._aligns = 0            # in a row
        self._since = -slack        # dwords since a pair

    def take(self, word):
        """The symbol of ``word``: 32 bits of data, and above them a bit a byte for control
        characters."""
        self.count += 1
        self.word = word
        self.symbol = self._align() if word == ALIGN else self._other(word)
        if self.symbol != NONE:
            self.current = self.symbol
        return self.symbol

    def _align(self):
        self._aligns += 1
        if self._aligns & 1 == 0:
            self._since = 0
        return NONE

    def _other(self, word):
        if self._aligns & 1:
            self._violate(Rule.ALIGN_PAIR)
        self._aligns = 0
        self._since += 1
        if self._since > ALIGN_DISTANCE:
            self._violate(Rule.ALIGN_DISTANCE)
            self._since = 0
        if word < K:
            if not self._cont:
                self._last, self._run = DATA, 0
            return self._last
        if word == CONT:
            if self._run < 2 or self._cont:
                self._violate(Rule.CONT_EARLY, f"{self._run} x {label(self._last)}"
                              + (" and CONT" if self._cont else ""))
            elif self._last not in CONTINUABLE:
                self._violate(Rule.CONT_PRIMITIVE, label(self._last))
            self._cont = True
            return self._last
        if word not in NAMES:
            if word >> 33:
                self._violate(Rule.CONTROL_CHARACTER)
            else:
                self._violate(Rule.UNKNOWN_PRIMITIVE, f"{word & 0xFFFFFFFF:08X}")
            return NONE
        self._run = self._run + 1 if word == self._last and not self._cont else 1
        self._last = word
        self._cont = False
        return word

"""Dwords to primitives and back: coding, ALIGN pairs and CONT, as the device's link has them.

Serial ATA Revision 3.x, link layer, primitives, ALIGN and CONT. One file of plain ints and arrays:
coder.pxd beside it states how it is compiled.
"""

from array import array

from ..behaviour import NEVER, pick
from ..protocol.primitives import ALIGN, CONT, CONTINUABLE, HOLD, HOLDA, K, NAMES, SYNC, name
from ..protocol.rules import ALIGN_DISTANCE, Rule, Violation
from ..protocol.scrambler import JUNK
from .states import DATA_DWORD, NOTHING

_JUNK = array("I", JUNK)

#: A broken host makes one in every few dwords.
MAX_VIOLATIONS = 1000


class DwordCoder:
    """Decodes what the host sends, checks it, and repeats what the drive sends as CONT allows.

    Parameters: ``behaviour``; ``rng``; ``round_trip`` extra dwords of delay between the two sides.
    Members: ``now`` dwords since start; ``violations`` of the host, recorded, never raised;
    ``clock_of`` gives the clock that they are noted with.
    """

    __slots__ = ("behaviour", "rng", "round_trip", "violations", "clock_of", "now", "last",
                 "repeat", "cont", "aligns", "align_deadline", "tx_last", "tx_count", "tx_cont_at")

    def __init__(self, behaviour, rng, round_trip):
        self.behaviour = behaviour
        self.rng = rng
        self.round_trip = round_trip
        self.violations = []
        self.clock_of = None
        self.now = 0

    def _reset_coder(self):
        """The host's first ALIGN is not yet due; nothing is being repeated either way."""
        self.last = SYNC
        self.repeat = 0
        self.cont = False
        self.aligns = 0
        self.align_deadline = self.now + ALIGN_DISTANCE + self.round_trip + 3
        self.tx_last = 0
        self.tx_count = 0
        self.tx_cont_at = NEVER

    def violate(self, rule: Rule, detail: str = "") -> None:
        """Record a violation of the host."""
        if len(self.violations) < MAX_VIOLATIONS:
            self.violations.append(Violation(self.clock_of() if self.clock_of else self.now, rule,
                                             detail))

    def _decode(self, rx):
        """The meaning of a received dword with CONT expanded; checks coding, ALIGN and CONT."""
        if rx == ALIGN:
            self.aligns += 1
            if self.aligns & 1 == 0:
                self.align_deadline = self.now + ALIGN_DISTANCE + 1
            return NOTHING
        if self.aligns & 1:
            self.violate(Rule.ALIGN_PAIR)
        self.aligns = 0
        if self.now >= self.align_deadline:
            self.violate(Rule.ALIGN_DISTANCE)
            self.align_deadline = self.now + ALIGN_DISTANCE
        if rx < K:
            if self.cont:
                return self.last
            self.last = self.repeat = 0
            return DATA_DWORD
        if rx == CONT:
            if self.repeat < 2 or self.cont:
                self.violate(Rule.CONT_EARLY, f"{self.repeat} x {name(self.last)}"
                             + (" and CONT" if self.cont else ""))
            elif self.last not in CONTINUABLE:
                self.violate(Rule.CONT_PRIMITIVE, name(self.last))
            self.cont = True
            return self.last or DATA_DWORD
        if rx not in NAMES:
            if rx >> 33:
                self.violate(Rule.CONTROL_CHARACTER)
            else:
                self.violate(Rule.UNKNOWN_PRIMITIVE, f"{rx & 0xFFFFFFFF:08X}")
            return NOTHING
        self.repeat = self.repeat + 1 if rx == self.last and not self.cont else 1
        self.last = rx
        self.cont = False
        return rx

    def _compress(self, word):
        """Repeated primitive suppression: the word itself, CONT, or junk."""
        if word < K or word != self.tx_last and word not in CONTINUABLE:
            self.tx_last = 0
            self.tx_count = 0
            return word
        if word != self.tx_last:
            self.tx_last = word
            self.tx_count = 0
            behaviour = self.behaviour
            may = behaviour.cont_hold or word not in (HOLD, HOLDA)
            self.tx_cont_at = NEVER
            if may and (behaviour.cont == 1.0 or self.rng.random() < behaviour.cont):
                self.tx_cont_at = max(2, pick(self.rng, behaviour.cont_after))
        count = self.tx_count
        self.tx_count = count + 1
        if count < self.tx_cont_at:
            return word
        return CONT if count == self.tx_cont_at else _JUNK[self.now & 4095]

"""The line between a port and its drive while it is disturbed: dwords hit on their way.

One file of plain ints: disturb.pxd beside it states how it is compiled. `DrivePort` calls it only
from the clock on at which a fault is armed, and until the last one has struck.
"""

from collections import deque

from ..protocol.primitives import ALIGN, CODE_ERROR, CONT, EOF, K, NAMES, NONE, SOF, SYNC

#: What a `Hit` waits for, besides primitives: any dword; a dword of a frame.
ANY, FRAMED = -3, -2
BITS, REPLACE, LOST, DOUBLED = range(4)
_NUMBERS = {text: word for word, text in NAMES.items()}


class Hit:
    """One fault of the line that is armed. ``fault`` has the fields of a `faults.Fault`."""

    __slots__ = ("fault", "action", "symbol", "skip", "left", "word", "flag", "started")

    def __init__(self, fault):
        self.fault = fault
        self.symbol = {"any": ANY, "data": FRAMED}.get(fault.symbol) or _NUMBERS[fault.symbol]
        self.skip = fault.nth
        self.left = fault.count
        self.flag = CODE_ERROR if fault.code_error else 0
        self.action = {"bits": BITS, "lost": LOST, "doubled": DOUBLED}.get(fault.kind, REPLACE)
        self.word = _NUMBERS[fault.primitive] if fault.kind == "primitive" else fault.value
        self.started = False


class Disturbance:
    """One direction of the line. Members: ``hits`` that are armed; ``struck`` the faults that have
    begun to strike since it was last emptied."""

    __slots__ = ("hits", "struck", "held", "framed", "cont")

    def __init__(self):
        self.hits = []
        self.struck = []
        self.clear()

    def clear(self):
        """The link has fallen: nothing is on the way."""
        self.held = deque()
        self.framed = False
        self.cont = False

    def busy(self) -> bool:
        """Whether dwords must still be taken through here."""
        return len(self.hits) > 0 or len(self.held) > 0

    def take(self, word: int) -> int:
        """The 36-bit ``word`` (or NONE) that has come, to the one that comes out."""
        if word < 0:
            return self.held.popleft() if self.held else word
        inside = self.framed and not self.cont and word < K
        if word >= K and word != ALIGN:
            self.cont = word == CONT
            if word == SOF:
                self.framed = True
            elif word == EOF or word == SYNC:
                self.framed = False
        again = False
        original = word
        for hit in self.hits:
            if not hit.started:
                if hit.symbol != ANY and hit.symbol != original and not (
                        hit.symbol == FRAMED and inside):
                    continue
                if hit.skip > 0:
                    hit.skip -= 1
                    continue
                hit.started = True
                self.struck.append(hit.fault)
            hit.left -= 1
            if hit.action == LOST:
                word = NONE
            elif hit.action == DOUBLED:
                again = True
            elif hit.action == BITS:
                word = (word ^ hit.word) | hit.flag
            else:
                word = hit.word
            break
        if self.hits and self.hits[0].left <= 0 or len(self.hits) > 1:
            self.hits = [hit for hit in self.hits if hit.left > 0]
        if again:
            self.held.append(word)
        if self.held:
            if word != ALIGN and word != NONE:
                self.held.append(word)
            return self.held.popleft()
        return word

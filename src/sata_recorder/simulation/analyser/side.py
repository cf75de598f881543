"""One direction of the dword port as an observer sees it."""

from sata_drive_model.protocol.primitives import ALIGN, CONT, DATA, EOF, K, NONE, SOF, SYNC
from sata_drive_model.protocol.scrambler import keystream

CAPTURE = 8             # dwords of a frame that are descrambled: the longest non-data FIS, its CRC
_KEYS = keystream(CAPTURE)


class Side:
    """One direction: primitives with CONT expanded, and the frame in progress."""

    __slots__ = ("last", "cont", "symbol", "framed", "count", "head", "data_clock", "data_before")

    def __init__(self):
        self.last = SYNC
        self.cont = False
        self.symbol = NONE     # meaning of the dword of this cycle
        self.framed = False
        self.count = 0          # data dwords of the frame
        self.head = []
        self.data_clock = 0     # of the last data dword
        self.data_before = 0    # of the one before it

    def take(self, word):
        """Symbol of a delivered (or taken) word."""
        if word < K:
            if not self.cont:
                self.last = DATA
            return self.last
        if word == ALIGN:
            return ALIGN
        self.cont = word == CONT
        if not self.cont:
            self.last = word
        return self.last

    def follow(self, word, now):
        """Follows SOF, dwords, EOF of one direction; True if a frame has ended in this cycle."""
        symbol = self.symbol
        if symbol == DATA:
            if self.framed:
                if self.count < CAPTURE:
                    self.head.append(word & 0xFFFFFFFF ^ _KEYS[self.count])
                self.count += 1
                self.data_before = self.data_clock
                self.data_clock = now
        elif symbol == SOF:
            self.framed = True
            self.count = 0
            self.head = []
        elif self.framed and symbol == EOF:
            self.framed = False
            return True
        elif self.framed and symbol == SYNC:
            self.framed = False
        return False

    def opcode(self):
        """The opcode of the command whose FIS was the last frame; 0 if that was a Data FIS."""
        return self.head[0] >> 16 & 0xFF if self.head else 0

    def more_data(self, dwords, now):
        """So many data dwords came in the cycles up to ``now`` that were not followed."""
        self.count += dwords
        self.data_before = now - 1 if dwords > 1 else self.data_clock
        self.data_clock = now

    def mask(self, word, capture):
        """The bits in which a coming word may differ from ``word`` and still be like it; -1 if none
        is (``capture``)."""
        if capture:
            return -1
        return 0xFFFFFFFF if (self.symbol == DATA or self.cont) and not word & K else 0

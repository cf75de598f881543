"""The simulated UART line from a board: bytes of its levels, a level a clock."""

__all__ = ["Listener"]


class Listener:
    """Appends each byte that comes to the bytearray ``received``; a bit takes ``divisor`` clocks.

    ``idle``: no byte is on its way.
    """

    def __init__(self, divisor, received):
        self._divisor = divisor
        self._bits, self._wait = None, 0
        self.received = received

    @property
    def idle(self):
        return self._bits is None

    def clock(self, level):
        """One clock of the line; a high one may be left out while ``idle``."""
        if self._bits is None:
            if level:
                return
            self._bits, self._wait = [], self._divisor + self._divisor // 2
        self._wait -= 1
        if self._wait:
            return
        self._wait = self._divisor
        if len(self._bits) < 8:
            self._bits.append(level)
            return
        assert level, "the board has sent no stop bit"
        self.received.append(sum(bit << n for n, bit in enumerate(self._bits)))
        self._bits = None

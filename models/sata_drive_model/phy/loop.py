"""A cable that leads from the host's transmitter back to its receiver."""

from collections import deque


class Loop:
    """Stands in the place of a drive's phy on a :class:`.line.Line`: what comes goes back.

    Parameters: ``ppm``: by how much the host's clock is fast; ``delay``: words of the host that
    the cable holds. Members: ``events``, ``violations``: none, since no drive is there.
    """

    def __init__(self, *, ppm=0.0, delay=4):
        self._ppm = ppm
        self._delay = delay
        self._words = deque()
        self._silence = 20, 2
        self.events = self.violations = ()

    def receive(self, now, word, width, generation, idle):
        """A word of the host; 0 is silence."""
        self._silence = width, generation
        self._words.append((word, width, generation))

    def send(self, now):
        """(bits, count, generation) of the next word."""
        if len(self._words) < self._delay:
            width, generation = self._silence
            return 0, width, generation
        return self._words.popleft()

    def ppm(self, now):
        """By how much the line is faster than nominal."""
        return self._ppm

"""What stands at the core's two streams: producers of words, a sensor that cannot wait, sinks.

The classes :class:`Source` and :class:`Sink` serve the engine in Icarus, a clock at a time;
streams.h does the same for the compiled core.
"""

from collections import deque
from typing import Protocol

from .signals import Hold

#: Most words that are read from a producer, or handed to a consumer, at a time.
CHUNK = 1 << 16
#: Words that are read first; each later read is of as many as came before it: a short operation of
#: a long stream does not wait for what it never takes.
_FIRST = 1 << 12
#: Most gaps of a sensor that an engine returns at once.
MOST_GAPS = 10000


class Producer(Protocol):
    """Words that need not be in memory at once: ``words`` of 4 bytes in all."""

    words: int

    def read(self, first_word: int, count: int) -> bytes:
        """The words from ``first_word`` on; never before the end of what was read earlier."""


class Reader:
    """``data``, bytes or a :class:`Producer`, chunk by chunk; ``words`` is their number.

    Raises ``ValueError`` if a producer does not give as many bytes as were requested.
    """

    def __init__(self, data):
        self._producer = None
        if hasattr(data, "read"):
            self._producer = data
            self.words = data.words
        else:
            self._data = bytes(data)
            self.words = len(self._data) // 4

    def chunk(self, first):
        """(index of its first word, bytes) of a chunk that has the word ``first``."""
        if self._producer is None:
            return 0, self._data
        count = min(CHUNK, max(_FIRST, first), self.words - first)
        data = bytes(self._producer.read(first, count))
        if len(data) != 4 * count:
            raise ValueError(f"the producer gave {len(data)} bytes for {count} words from word "
                             f"{first} on")
        return first, data


class Stall:
    """Whether a stream flows, clock by clock."""

    def __init__(self, hold):
        self._on, self._period, self._phase = hold.on, hold.on + hold.off, 0

    def flows(self):
        """Whether it flows in the next clock."""
        flow = self._phase < self._on
        self._phase = (self._phase + 1) % self._period
        return flow


class Sensor:
    """``count`` words that arrive at ``rate`` at a FIFO of ``depth`` words (None: endless).

    Members: ``arrived`` words, ``lost`` of them, ``backlog`` waiting now, ``high`` most that ever
    waited, ``gaps`` list of [index of the first lost word, words].
    """

    def __init__(self, rate, depth, count):
        self._rate, self._depth, self._count = rate, depth, count
        self._phase = 0
        self._waiting = deque()
        self._losing = False
        self.arrived = self.lost = self.high = 0
        self.gaps = []

    @property
    def backlog(self):
        """Words that wait now."""
        return len(self._waiting)

    def clock(self):
        """Takes what arrives in one clock, after a word has left."""
        self._phase += self._rate.words
        fresh, self._phase = divmod(self._phase, self._rate.clocks)
        for _ in range(min(fresh, self._count - self.arrived)):
            if self._depth is None or self.backlog < self._depth:
                self._waiting.append(self.arrived)
                self._losing = False
            else:
                self._lose()
            self.arrived += 1
        self.high = max(self.high, self.backlog)

    def _lose(self):
        self.lost += 1
        if not self._losing:
            self.gaps.append([self.arrived, 0])
        self.gaps[-1][1] += 1
        self._losing = True

    def next(self):
        """Index of the word in front."""
        return self._waiting[0]

    def take(self):
        """The word in front leaves."""
        self._waiting.popleft()


class Source:
    """Offers words: ``valid`` and ``data`` of the coming clock, ``taken`` so far."""

    def __init__(self, data=b"", hold=Hold(), mark=None, rate=None, depth=None):
        self._reader = Reader(data)
        self.mark = self._reader.words if mark is None else mark
        self._stall = Stall(hold)
        self.sensor = Sensor(rate, depth, self._reader.words) if rate else None
        self._first, self._chunk = 0, memoryview(b"").cast("I")
        self.taken = 0
        self.valid = False
        self.data = 0
        self._running = False

    def _has(self):
        return self.sensor.backlog if self.sensor else self.taken < self._reader.words

    def offer(self):
        """Decides on the coming clock; a word that was offered stays until it is taken."""
        flows = self._stall.flows()
        if self.valid or not (flows and self._has()):
            return
        index = self.sensor.next() if self.sensor else self.taken
        if index >= self._first + len(self._chunk):
            self._first, data = self._reader.chunk(index)
            self._chunk = memoryview(data).cast("I")
        self.data = self._chunk[index - self._first]
        self.valid = True

    def clock(self, ready):
        """One clock has passed."""
        if self.valid and ready:
            self.taken += 1
            self.valid = False
            if self.sensor:
                self.sensor.take()
        if self.sensor:
            self._running |= ready
            if self._running and self.sensor.arrived - self.sensor.lost < self.mark:
                self.sensor.clock()


class Sink:
    """Takes words: ``ready`` of the coming clock; ``count``, ``lasts`` and ``last_at`` so far."""

    def __init__(self, size=0, hold=Hold(), mark=None, consumer=None, armed=True):
        self._size, self._armed, self._consumer = size, armed, consumer
        self.mark = size if mark is None else mark
        self._stall = Stall(hold)
        self._words = []
        self.count = self.lasts = self.last_at = 0
        self.ready = False

    def accept(self):
        """Decides on the coming clock."""
        self.ready = self._stall.flows() and self._armed

    def take(self, word, last):
        """A word crosses."""
        if self.count < self._size:
            self._words.append(word)
            if self._consumer and len(self._words) == CHUNK:
                self.drain()
        if last:
            self.lasts, self.last_at = self.lasts + 1, self.count
        self.count += 1

    def drain(self):
        """Hands what is kept to the consumer, if there is one."""
        if self._consumer and self._words:
            self._consumer(self.received())
            self._words = []

    def received(self):
        """The bytes that are kept."""
        return b"".join(word.to_bytes(4, "little") for word in self._words)

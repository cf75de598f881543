"""The data of a measurement: generated words, a file, or bytes, readable at any place.

A producer has ``words``, how many 32-bit words there are, ``size``, how many of its bytes are not
padding, and ``read(first_word, count)``, which returns the bytes of some words; generated ones cost
no memory, however many there are.
"""

import os
from array import array
from bisect import bisect_left, bisect_right
from itertools import pairwise

import numpy

#: Words of a stream that continues for longer than any recording.
ENDLESS = 1 << 60

_WORD = 4
#: Fewest words that are generated at once.
_AHEAD = 1 << 12
_M1, _M2, _STEP = (numpy.uint64(number) for number in
                   (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15))


def _increasing(seed, first, count):
    numbers = numpy.arange(first, first + count, dtype=numpy.uint64) + numpy.uint64(seed)
    return numbers.astype("<u4")


def _decreasing(seed, first, count):
    return ~_increasing(seed, first, count)


def _random(seed, first, count):
    """SplitMix64 (Steele, Lea, Flood, 2014) of the index: no two words are related."""
    pairs = numpy.arange(first // 2, (first + count + 1) // 2, dtype=numpy.uint64)
    state = (pairs + numpy.uint64(1)) * _STEP + numpy.uint64(seed) * _M1
    state = (state ^ state >> numpy.uint64(30)) * _M1
    state = (state ^ state >> numpy.uint64(27)) * _M2
    state ^= state >> numpy.uint64(31)
    return state.astype("<u8").view("<u4")[first % 2:first % 2 + count]


#: Name to function: "inc32" counts up from the seed, "dec32" is its complement and counts down.
PATTERNS = {"random": _random, "inc32": _increasing, "dec32": _decreasing}


class Pattern:
    """``words`` generated words of the pattern ``kind``, a name of :data:`PATTERNS`."""

    def __init__(self, kind, seed, words):
        self.kind = kind
        self.seed = seed
        self.words = words
        self.size = _WORD * words
        self._generate = PATTERNS[kind]
        self._first, self._block = 0, b""

    def read(self, first, count):
        """The bytes of ``count`` words from word ``first`` on."""
        if not self._first <= first <= first + count <= self._first + len(self._block) // _WORD:
            # The next reads continue from here, a sector each.
            with numpy.errstate(over="ignore"):
                self._block = self._generate(self.seed % (1 << 64), first,
                                             max(count, _AHEAD)).tobytes()
            self._first = first
        start = _WORD * (first - self._first)
        return self._block[start:start + _WORD * count]


class Bytes:
    """Bytes, padded with zeros to ``words``."""

    def __init__(self, data, words=None):
        self._data = bytes(data)
        self.size = len(self._data)
        self.words = -(-self.size // _WORD) if words is None else words

    def read(self, first, count):
        """The bytes of ``count`` words from word ``first`` on."""
        return self._data[_WORD * first:_WORD * (first + count)].ljust(_WORD * count, b"\0")


class File:
    """The content of the file ``path``, padded with zeros to ``words``.

    It is opened when it is first read, in whichever process that is.
    """

    def __init__(self, path, words):
        self.path = path
        self.words = words
        self.size = min(os.path.getsize(path), _WORD * words)
        self._handle = None

    def read(self, first, count):
        """The bytes of ``count`` words from word ``first`` on; raises ``OSError``."""
        if self._handle is None:
            self._handle = os.open(self.path, os.O_RDONLY)
        size, start, parts = _WORD * count, _WORD * first, []
        while size:
            part = os.pread(self._handle, size, start)
            if not part:
                break
            parts.append(part)
            start, size = start + len(part), size - len(part)
        return b"".join(parts) + bytes(size)

    def close(self):
        """Closes the file; a later read opens it again."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __getstate__(self):
        return {**self.__dict__, "_handle": None}


class Gapped:
    """What is left of ``producer`` when words were lost.

    ``gaps(first)`` returns the list of (index of the first lost word, words lost) so far, in order,
    from its number ``first`` on; it may leave out those after the second one that it returns, and
    the last gap may have grown by the next call. With ``unit`` these are pieces of so many bytes, 1, 2 or 4, in place
    of words.
    """

    def __init__(self, producer, gaps, unit=_WORD):
        self._producer = producer
        self._gaps = gaps
        self._unit, self._units = unit, _WORD // unit   # bytes of one, and how many are a word
        self._before = array("Q")   # of the pieces, those that are left before each gap
        self._lost = array("Q")     # and those lost with each gap and those before it

    @property
    def words(self):
        """How many words are left."""
        self._update()
        return self._left() // self._units

    def _left(self):
        return self._units * self._producer.words - self._lost_until(len(self._lost))

    @property
    def gap_count(self):
        """How many gaps there are."""
        self._update()
        return len(self._lost)

    def ahead_of(self, words):
        """How many gaps there are before the last of this many words that are left, and the words lost
        with them."""
        self._update()
        number = bisect_left(self._before, self._units * words)
        return number, self.in_words(self._lost_until(number))

    def gaps(self, most):
        """The first ``most`` gaps, in words."""
        self._update()
        lost = [self._lost_until(number) for number in range(min(most, len(self._lost)) + 1)]
        return [(self.in_words(before + start), self.in_words(end - start))
                for before, (start, end) in zip(self._before, pairwise(lost))]

    def in_words(self, pieces):
        """How many words the pieces are; whole ones are an ``int``."""
        return pieces / self._units if pieces % self._units else pieces // self._units

    def read(self, first, count):
        """The bytes of ``count`` of the words that are left, from the one of index ``first`` on."""
        self._update()
        first *= self._units
        end = min(first + self._units * count, self._left())
        number, after = bisect_right(self._before, first), bisect_left(self._before, end)
        parts, origin, block = [], 0, b""
        for start, stop in pairwise([first, *self._before[number:after], end]):
            lost = self._lost_until(number)
            place, over = self._unit * (start + lost), self._unit * (stop + lost)
            if over > origin + len(block):
                word = place // _WORD
                origin = _WORD * word
                wanted = -(-(place + self._unit * (end - start) - origin) // _WORD)
                block = self._producer.read(word, min(wanted, self._producer.words - word))
            parts.append(block[place - origin:over - origin])
            number += 1
        return b"".join(parts)

    def _lost_until(self, number):
        """Pieces lost with the first ``number`` gaps."""
        return self._lost[number - 1] if number else 0

    def _update(self):
        known = -1
        while known < len(self._lost):
            known = len(self._lost)
            first = max(0, known - 1)
            found = self._gaps(first)
            if found:
                del self._before[first:], self._lost[first:]
            for at, lost in found:
                before = self._lost_until(len(self._lost))
                self._before.append(at - before)
                self._lost.append(before + lost)

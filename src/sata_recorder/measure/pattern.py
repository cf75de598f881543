"""The data of a measurement: generated words, a file, or bytes, readable at any place.

A producer has ``words``, how many 32-bit words there are, ``size``, the bytes in it that are no
filling, and ``read(first_word, count)``, which returns the bytes of some words; generated ones cost
no memory however many there are.
"""

import os

import numpy

__all__ = ["PATTERNS", "Bytes", "File", "Gapped", "Pattern"]

_WORD = 4
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

    def read(self, first, count):
        """The bytes of ``count`` words from word ``first`` on."""
        with numpy.errstate(over="ignore"):
            return self._generate(self.seed % (1 << 64), first, count).tobytes()


class Bytes:
    """Bytes, filled up with zeros to ``words``."""

    def __init__(self, data, words=None):
        self._data = bytes(data)
        self.size = len(self._data)
        self.words = -(-self.size // _WORD) if words is None else words

    def read(self, first, count):
        """The bytes of ``count`` words from word ``first`` on."""
        return self._data[_WORD * first:_WORD * (first + count)].ljust(_WORD * count, b"\0")


class File:
    """The content of the file ``path``, filled up with zeros to ``words``.

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

    ``gaps`` returns the list of (index of the first lost word, words lost) so far, in order.
    """

    def __init__(self, producer, gaps):
        self._producer = producer
        self._gaps = gaps

    @property
    def words(self):
        return self._producer.words - sum(lost for _, lost in self._gaps())

    def read(self, first, count):
        """The bytes of ``count`` of the words that are left, from the one of index ``first`` on."""
        parts = []
        for start, length in self._present():
            if first < length:
                take = min(count, length - first)
                parts.append(self._producer.read(start + first, take))
                first, count = first + take, count - take
                if not count:
                    break
            first -= min(first, length)
        return b"".join(parts)

    def _present(self):
        """(index, words) of every stretch between the gaps."""
        start = 0
        for at, lost in self._gaps():
            yield start, at - start
            start = at + lost
        yield start, max(0, self._producer.words - start)

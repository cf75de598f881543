"""Compares long data piece by piece, and computes their CRC."""

import zlib

#: Bytes compared at once.
CHUNK = 1 << 20


class Tally:
    """A producer that should be read once, from its beginning.

    ``crc`` of the ``position`` words read so far (CRC-32, as in zlib); None if it was read
    otherwise.
    """

    def __init__(self, producer):
        self._producer = producer
        self.position = 0
        self.crc = 0
        self.words = producer.words

    def read(self, first, count):
        data = self._producer.read(first, count)
        if self.crc is not None and first == self.position:
            self.position += count
            self.crc = zlib.crc32(data, self.crc)
        else:
            self.crc = None
        return data


class Comparison:
    """Compares bytes that come in pieces with ``expected(offset, size)``.

    Call it with each piece. Members: ``size`` bytes so far, ``crc`` their CRC-32, ``difference``
    None or the text that states the first byte that differs.
    """

    def __init__(self, expected):
        self._expected = expected
        self.size = 0
        self.crc = 0
        self.difference = None

    def __call__(self, data):
        self.crc = zlib.crc32(data, self.crc)
        if self.difference is None:
            wanted = self._expected(self.size, len(data))
            if data != wanted:
                self.difference = _first(bytes(data), wanted, self.size)
        self.size += len(data)

    def run(self, read, size):
        """Reads ``size`` bytes in pieces by ``read(offset, size)``; stops where they differ."""
        while self.size < size and self.difference is None:
            self(read(self.size, min(CHUNK, size - self.size)))
        return self


def _first(got, wanted, start):
    for at, (mine, theirs) in enumerate(zip(got, wanted)):
        if mine != theirs:
            return f"first at byte {start + at}: {mine:02x}h instead of {theirs:02x}h"
    return f"in length: {start + len(got)} bytes, of which {start + len(wanted)} are right"

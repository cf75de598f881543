"""How the words of a producer are read: in order, all of them, a long stream not all at once."""

import pytest
from sata_recorder.simulation.streams import CHUNK, Reader


class _Words:
    def __init__(self, words, short=False):
        self.words, self.short, self.asked = words, short, []

    def read(self, first, count):
        self.asked.append((first, count))
        return bytes(4 * (count - self.short))


@pytest.mark.parametrize("words", [0, 1, 8191, 8192, 8193, 100_000, 5 * CHUNK + 3])
def test_chunks_follow_each_other_and_grow(words):
    producer = _Words(words)
    reader, at = Reader(producer), 0
    while at < words:
        first, data = reader.chunk(at)
        assert first == at
        at += len(data) // 4
    assert at == words
    sizes = [count for _, count in producer.asked]
    assert sizes[:-1] == sorted(sizes[:-1]) and all(size <= CHUNK for size in sizes)
    assert words < 5 * CHUNK or sizes[0] < CHUNK == max(sizes)


def test_too_few_bytes_are_refused():
    with pytest.raises(ValueError, match="gave 396 bytes for 100 words from word 0 on"):
        Reader(_Words(100, short=True)).chunk(0)

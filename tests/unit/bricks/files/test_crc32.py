"""The CRC-32, against zlib's."""

import zlib

from hypothesis import given
from hypothesis import strategies as st
from unit.bench import Bench

from sata_recorder.bricks.files.crc32 import Crc32

BENCH = Bench(Crc32())


async def total(bench, data, gaps):
    """The CRC-32 of ``data``, with clocks without a word between words where ``gaps`` say so."""
    await bench.pulse(port__clear=1)
    for n in range(0, len(data), 4):
        part = data[n:n + 4]
        bench.set(port__add=1, port__word=int.from_bytes(part, "little"),
                  port__bytes=len(part) % 4)
        await bench.tick()
        bench.set(port__add=0)
        await bench.tick(gaps[n // 4 % len(gaps)] if gaps else 0)
    clocks = 1
    await bench.tick()
    while bench.get("busy"):
        await bench.tick()
        clocks += 1
    assert clocks <= 2 + 8 * (len(data) % 4)
    return bench.get("value"), bench.get("is_whole")


@given(data=st.binary(max_size=60), gaps=st.lists(st.integers(0, 2), max_size=3))
def test_any_bytes(data, gaps):
    async def script(bench):
        for part in (data[::-1], data):         # the second one shows that the first is forgotten
            found, _ = await total(bench, part, gaps)
            assert found == zlib.crc32(part)
    BENCH.run(script)


@given(words=st.integers(0, 10), seed=st.binary(min_size=40, max_size=40),
       bit=st.none() | st.integers(0, 31))
def test_whole(words, seed, bit):
    """With its own CRC-32 after it, and with one of which a bit is wrong."""
    data = seed[:4 * words]
    crc = zlib.crc32(data) ^ (0 if bit is None else 1 << bit)

    async def script(bench):
        _, whole = await total(bench, data + crc.to_bytes(4, "little"), [])
        assert whole == (bit is None)
    BENCH.run(script)

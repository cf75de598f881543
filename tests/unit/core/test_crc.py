"""The CRC against the specification's sample, and bit by bit.

The sample is the input and output of the program `crc.c` of the Serial ATA specification (link
layer, CRC calculation), as quoted in the public sources hydrausb3/wch-ch569-serdes,
CH569_SerDes_Descramble_glscopeclient_CSV_8b10bIBM_Hex.c, and enjoy-digital/litex,
misoclib/mem/litesata/test/crc.c.
"""

import zlib

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.core.crc import CRC_SEED, crc32_next, crc_next
from unit.bench import Bench
from unit.core.link.reference import crc

SAMPLE = (0x00308027, 0xE1234567, 0x00000000, 0x00000002, 0x00000000)
RUNNING = (0x11E353FD, 0x0F656DA7, 0x3D14369C, 0x92D0D681, 0x319FFF6F)

DWORD = st.integers(0, 2**32 - 1)


class NextCrc(wiring.Component):
    crc: In(32)
    dword: In(32)
    next: Out(32)
    next32: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [self.next.eq(crc_next(self.crc, self.dword)), self.next32.eq(crc32_next(self.crc, self.dword))]
        return m


BENCH = Bench(NextCrc(), clocked=False)


async def running(bench, dwords, value=CRC_SEED, which="next"):
    seen = []
    for dword in dwords:
        bench.set(crc=value, dword=dword)
        value = bench.get(which)
        seen.append(value)
    return seen


def test_sample_of_the_specification():
    assert BENCH.run(running, SAMPLE) == [*RUNNING]


def test_reference_agrees_with_the_sample():
    assert [crc(SAMPLE[:n + 1]) for n in range(len(SAMPLE))] == [*RUNNING]


@pytest.mark.parametrize("bit", range(32))
def test_every_single_bit(bit):
    assert BENCH.run(running, [1 << bit], 0) == [crc([1 << bit], 0)]
    assert BENCH.run(running, [0], 1 << bit) == [crc([0], 1 << bit)]


@given(st.lists(DWORD, min_size=1, max_size=8), DWORD)
def test_random_dwords(dwords, value):
    assert BENCH.run(running, dwords, value)[-1] == crc(dwords, value)


@given(st.lists(DWORD, min_size=1, max_size=8))
def test_crc_of_a_frame_with_its_crc_is_0(dwords):
    assert BENCH.run(running, [*dwords, crc(dwords)])[-1] == 0


@given(st.lists(DWORD, min_size=1, max_size=8))
def test_crc32_is_that_of_zlib(words):
    data = b"".join(word.to_bytes(4, "little") for word in words)
    assert BENCH.run(running, words, 0xFFFFFFFF, "next32")[-1] ^ 0xFFFFFFFF == zlib.crc32(data)

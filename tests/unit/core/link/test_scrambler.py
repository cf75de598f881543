"""The scrambler against the published keystream, and bit by bit.

The first dword is named by the program `scramble.c` of the Serial ATA specification (link layer,
scrambling), quoted in enjoy-digital/litex, misoclib/mem/litesata/test/scrambler.c, which also
prints the others; the public test bench `tb_sata_crc_scrambler` spells out the first four.
"""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.core.link.scrambler import SCRAMBLER_SEED, scrambler_next
from unit.bench import Bench
from unit.core.link.reference import keystream

PUBLISHED = [0xC2D2768D, 0x1F26B368, 0xA508436C, 0x3452D354]


class NextKey(wiring.Component):
    key: In(32)
    next: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.next.eq(scrambler_next(self.key))
        return m


BENCH = Bench(NextKey(), clocked=False)


async def keys(bench, count, key=SCRAMBLER_SEED):
    seen = [key]
    for _ in range(count - 1):
        bench.set(key=key)
        key = bench.get("next")
        seen.append(key)
    return seen


def test_published_keystream():
    assert BENCH.run(keys, 4) == PUBLISHED


def test_reference_agrees_with_the_published_keystream():
    assert keystream(4) == PUBLISHED


def test_longest_frame():
    assert BENCH.run(keys, 2050) == keystream(2050)


def test_another_start():
    """Any 16 bits are a state of the register: the stream is one cycle, entered anywhere."""
    start = keystream(700)[-1]
    assert BENCH.run(keys, 50, start) == keystream(750)[699:749]

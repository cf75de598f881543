"""The words of a recording, and whether they come back."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Checker", "Generator"]


class Generator(wiring.Component):
    """Words of inc32 or dec32: word n is 128 x LBA + n modulo 2^32, or its complement.

    So a sector holds the same words in whichever recording it was written. They are the patterns
    of `sata-recorder measure` with 128 x LBA as the seed.

    Members
    -------
    lba : In(48), begin : In(1)     the words from that sector on follow
    decreasing : In(1)              dec32
    advance : In(1)                 to the next word
    word : Out(32)
    """

    lba: In(48)
    begin: In(1)
    decreasing: In(1)
    advance: In(1)
    word: Out(32)

    def elaborate(self, platform):
        m = Module()
        index = Signal(32)
        m.d.comb += self.word.eq(index ^ self.decreasing.replicate(32))
        with m.If(self.begin):
            m.d.sync += index.eq(Cat([0] * 7, self.lba))
        with m.Elif(self.advance):
            m.d.sync += index.eq(index + 1)
        return m


class Checker(wiring.Component):
    """Compares words with those that are expected.

    Members
    -------
    clear : In(1)
    i : In(stream 32, always ready), expected : In(32)      in the same clock
    mismatches : Out(48)        words that differed, 2 clocks later
    first : Out(48)             index of the first of them, and both words:
    wanted, got : Out(32)
    """

    clear: In(1)
    i: In(stream.Signature(32, always_ready=True))
    expected: In(32)
    mismatches: Out(48)
    first: Out(48)
    wanted: Out(32)
    got: Out(32)

    def elaborate(self, platform):
        m = Module()
        valid = Signal()
        found = Signal()
        wanted = Signal(32)
        got = Signal(32)
        m.d.sync += [wanted.eq(self.expected), got.eq(self.i.payload),
                     valid.eq(self.i.valid & ~self.clear)]
        differs = Signal()
        m.d.comb += differs.eq(valid & (wanted != got))
        # As long as no word was wrong, the index of the next word is that of the first wrong one.
        with m.If(self.clear):
            m.d.sync += Cat(self.mismatches, self.first, found).eq(0)
        with m.Elif(valid):
            m.d.sync += self.mismatches.eq(self.mismatches + differs)
            with m.If(~found & ~differs):
                m.d.sync += self.first.eq(self.first + 1)
            with m.If(~found & differs):
                m.d.sync += [found.eq(1), self.wanted.eq(wanted), self.got.eq(got)]
        return m

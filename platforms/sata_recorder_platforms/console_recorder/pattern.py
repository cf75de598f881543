"""The words of a recording, and whether they come back."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from sata_recorder.interface import StreamsSignature


class Generator(wiring.Component):
    """Words of inc32 or dec32: word n is 128 x LBA + n modulo 2^32, or its complement.

    So a sector holds the same words in whichever recording it was written. They are the patterns
    of `sata-recorder measure` with 128 x LBA as the seed.
    """

    lba: In(48)         # The first sector.
    begin: In(1)        # High for one clock: the words from ``lba`` on follow.
    decreasing: In(1)   # The pattern is dec32, not inc32.
    advance: In(1)      # High for one clock: ``word`` becomes the next one.
    word: Out(32)       # The word of the pattern.

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
    """Compares words with those that are expected."""

    clear: In(1)                                    # High for one clock: no word has been wrong so far.
    i: In(stream.Signature(32, always_ready=True))  # The words. It is always ready.
    expected: In(32)                                # The word that ``i`` should have, in the same clock.
    mismatches: Out(48)                             # How many words differed, 2 clocks after ``i``.
    first: Out(48)                                  # Index of the first of them.
    wanted: Out(32)                                 # The word that was expected there.
    got: Out(32)                                    # The word that came there.

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


class PatternTester(wiring.Component):
    """Gives a recorder a pattern to record, and verifies what comes back; keeps one sector of it."""

    user: Out(StreamsSignature())   # The streams of the recorder.
    lba: In(48)                     # First sector of the operation.
    start: In(1)                    # High for one clock: an operation begins.
    active: In(1)                   # An operation runs.
    decreasing: In(1)               # The pattern is dec32, not inc32.
    load: In(1)                     # High for one clock: the words from ``lba`` on follow, of the same operation.
    wait: In(1)                     # No word is offered: the place of the next one is not known yet.
    index: In(48)                   # Words of the operation that have been taken or delivered.
    keep: In(1)                     # The words that come back are the sector to keep.
    address: In(7)                  # A dword of that sector.
    data: Out(32)                   # That dword, one clock later.
    mismatches: Out(48)             # Words that were not those of the pattern.
    first: Out(48)                  # Index of the first of them.
    wanted: Out(32)                 # The word that was expected there.
    got: Out(32)                    # The word that came there.

    def elaborate(self, platform):
        m = Module()
        m.submodules.generator = generator = Generator()
        m.submodules.checker = checker = Checker()
        m.submodules.sector = sector = memory.Memory(
            shape=32, depth=128, init=[], attrs={"ram_style": "block"})
        write = sector.write_port()
        read = sector.read_port()
        user = self.user
        m.d.comb += [
            generator.lba.eq(self.lba),
            generator.begin.eq(self.start | self.load),
            generator.decreasing.eq(self.decreasing),
            generator.advance.eq((user.i.valid & user.i.ready) | user.o.valid),
            user.i.payload.eq(generator.word),
            user.i.valid.eq(self.active & ~self.wait),
            checker.clear.eq(self.start),
            checker.expected.eq(generator.word),
            self.mismatches.eq(checker.mismatches),
            self.first.eq(checker.first),
            self.wanted.eq(checker.wanted),
            self.got.eq(checker.got),
            write.addr.eq(self.index),
            write.data.eq(user.o.payload),
            write.en.eq(user.o.valid & self.keep),
            read.addr.eq(self.address),
            self.data.eq(read.data),
        ]
        connect(m, flipped(user.o), checker.i)
        return m

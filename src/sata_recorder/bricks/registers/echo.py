"""What was written, to be read again."""

from itertools import combinations

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.block_memory import BlockMemory
from ...interface import ADDRESS_BITS
from ...interface.registers import Access

__all__ = ["Echo"]

_WORD_BITS = 32
#: A register with fewer bits that are read as they were written is read from its flops, and so are fewer words.
_FEWEST, _FEWEST_WORDS = 16, 8


class Echo(wiring.Component):
    """A memory of the words that are read as they were written: so these need no multiplexer. A few words have none.

    Parameters
    ----------
    registers : list of Register    Those of the bank.

    Members
    -------
    ready : Out(1)          It has been cleared after a reset; nothing may be written or read before.
    write : In(1), write_address : In, data : In(32), strobes : In(4)       A word is written, if it is one of these.
    read_address : In       Of the word to be read; it has been that for two clocks when ``word`` counts.
    word : Out(32)          It; 0 in all bits that are not read as they were written.
    waits : In(1)           In the next clock no word may be written.
    """

    def __init__(self, registers):
        self._registers = [register for register in registers if _written(register.fields) >= _FEWEST]
        if sum(len(register.words) for register in self._registers) < _FEWEST_WORDS:
            self._registers = []
        self._words = {word.offset // 4: word for register in self._registers for word in register.words}
        bits = ADDRESS_BITS - 2
        super().__init__({
            "ready": Out(1), "write": In(1), "write_address": In(bits), "data": In(_WORD_BITS), "strobes": In(4),
            "read_address": In(bits), "word": Out(_WORD_BITS), "waits": In(1),
        })

    def has(self, register):
        """Whether the fields of ``register`` are read from here."""
        return register in self._registers

    def elaborate(self, platform):
        m = Module()
        if not self._words:
            m.d.comb += self.ready.eq(1)
            return m
        index = self._index()
        m.submodules.memory = words = BlockMemory(shape=_WORD_BITS, depth=1 << len(index))
        write = words.write_port(granularity=8)
        address, stored = words.late_port(m)
        place = Signal(len(index) + 1)      # the next one to be cleared; 0s are written while nothing has come
        kept = Signal()
        m.d.comb += [
            self.ready.eq(place[-1]),
            kept.eq(self.write & self.write_address.matches(*self._words)),
            write.addr.eq(Mux(self.ready, Cat(self.write_address[bit] for bit in index), place)),
            write.data.eq(self.data),
            write.en.eq(Mux(self.ready, self.strobes & kept.replicate(4), 0b1111)),
            address.eq(Cat(self.read_address[bit] for bit in index)),
        ]
        m.d.sync += [place.eq(place + ~self.ready)]
        # Bits that are read in the same words have one register.
        those = {}
        for bit in range(_WORD_BITS):
            found = frozenset(number for number, word in self._words.items() if _mask(word.fields) >> bit & 1)
            those.setdefault(found, []).append(bit)
        for numbers, bits in those.items():
            shown = Signal()
            m.d.sync += shown.eq(self.read_address.matches(*numbers) if numbers else C(0))
            m.d.comb += [self.word[bit].eq(stored[bit] & shown) for bit in bits]
        return m

    def _index(self):
        """The fewest bits of an address by which the words differ."""
        for count in range(ADDRESS_BITS):
            for bits in combinations(range(ADDRESS_BITS - 2), count):
                if len({tuple(number >> bit & 1 for bit in bits) for number in self._words}) == len(self._words):
                    return bits
        return ()


def _mask(fields):
    """The bits that are read as they were written."""
    return sum(field.mask for field in fields if field.access is Access.RW)


def _written(fields):
    return _mask(fields).bit_count()

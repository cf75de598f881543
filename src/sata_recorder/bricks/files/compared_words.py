"""The words by which a drive is known to be the one that was prepared, without those that another
system may change when it merely mounts the volume, lists a folder or reads a file.

Microsoft, "exFAT file system specification", section 3.1.13 "VolumeFlags Field", section 3.1.19
"PercentInUse Field", section 6.3.3 "SetChecksum Field" and section 7.4 "File Directory Entry".
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .sector_check import INDEX_BITS, ReadWord

__all__ = ["ComparedWords", "WordRange"]

#: Words of an entry, and of an entry set of three.
_ENTRY_WORDS, _SET_WORDS = 8, 24
#: Words of the set of which bits do not count: SetChecksum, the archive bit, the last one of the
#: offsets from UTC; and those that are times as a whole.
_SET_MASKS = {0: 0x0000FFFF, 1: 0xFFFFFFDF, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0xFFFFFF00}
#: Words of the boot sector: VolumeFlags and PercentInUse.
_BOOT_MASKS = {26: 0x0000FFFF, 28: 0xFFFFFF00}


class WordRange(wiring.Signature):
    """Which words count, seen from the side that has them compared; all 0 while there are none.

    Members
    -------
    first : Out(16)         The first one that counts.
    is_set : Out(1)         They are the 24 words of an entry set; those before it are the entries
                            before it in its directory. Else all that follow count.
    is_boot : Out(1)        They are a boot region.
    """

    def __init__(self):
        super().__init__({"first": Out(INDEX_BITS), "is_set": Out(1), "is_boot": Out(1)})


class ComparedWords(wiring.Component):
    """Gives the words that count, masked, and shows whether an entry set is sound.

    Latency: ``good`` and ``ends`` 5 clocks after the last word. A word of a set keeps the next one
    waiting for 4 clocks: ``ready``.

    Members
    -------
    begin : In(1)           One clock: the next word is the first one.
    range : In(WordRange)   What it was a clock ago counts.
    read : In(ReadWord)     The words; their index has been that for a clock.
    ready : Out(1)          In the second clock from now a word may come, if none does in the first.
    counts : Out(1)         With ``read.valid``: the word counts, as ``word``.
    word : Out(32)          It, with zeros in what does not count.
    good : Out(1)           Of a set: its SetChecksum is right.
    ends : Out(1)           Of a set: an entry before it ends the directory (EntryType 00h).
    """

    def __init__(self):
        super().__init__({
            "begin": In(1), "range": In(WordRange()), "read": In(ReadWord), "ready": Out(1),
            "counts": Out(1), "word": Out(32), "good": Out(1), "ends": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        read, range_ = self.read, self.range
        place = Signal(INDEX_BITS + 1)      # of the word in the range; negative before it
        before = place[-1]
        is_set = Signal()
        is_boot = Signal()
        in_set = Signal()
        mask = Signal(32)
        m.d.sync += [place.eq(read.index - range_.first), is_set.eq(range_.is_set), is_boot.eq(range_.is_boot)]
        m.d.comb += [
            in_set.eq(~before & (place[:INDEX_BITS] < _SET_WORDS)),
            self.counts.eq(Mux(is_set, in_set, ~before)),
            mask.eq(0xFFFFFFFF),
            self.word.eq(read.word & mask),
        ]
        for condition, masks in (is_set, _SET_MASKS), (is_boot, _BOOT_MASKS):
            with m.If(condition):
                with m.Switch(place):
                    for number, value in masks.items():
                        with m.Case(number):
                            m.d.comb += mask.eq(value)
        with m.If(read.valid & is_set & before & (read.index % _ENTRY_WORDS == 0) & (read.word[:8] == 0)):
            m.d.sync += self.ends.eq(1)
        self._sum(m, read.valid & is_set & in_set, place == 0)
        with m.If(self.begin):
            m.d.sync += self.ends.eq(0)
        return m

    def _sum(self, m, adds, is_head):
        """The SetChecksum, a byte a clock; bytes 2 and 3 of the set are it, and do not count."""
        total = Signal(16)
        expected = Signal(16)
        word = Signal(32)
        steps = Signal(3)
        m.d.comb += [self.ready.eq(~adds & (steps <= 2)), self.good.eq(total == expected)]
        with m.If(self.begin):
            m.d.sync += [total.eq(0), steps.eq(0)]
        with m.Elif(adds):
            m.d.sync += [word.eq(self.read.word), steps.eq(Mux(is_head, 2, 4))]
            with m.If(is_head):
                m.d.sync += expected.eq(self.read.word[16:])
        with m.Elif(steps != 0):
            m.d.sync += [total.eq(Cat(total[1:], total[0]) + word[:8]),
                         word.eq(Cat(word[8:], Const(0, 8))), steps.eq(steps - 1)]

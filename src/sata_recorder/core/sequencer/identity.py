"""What the drive reports about itself."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...facts.ata import (CARDS, CHECKSUM_SIGNATURE, IDENTIFY_WORDS, LBA28_SECTORS, MODEL_WORDS,
                          SERIAL_WORDS, WWN_WORDS, IdentifyWord, SpecificConfiguration)
from ...interface import IDENTIFY
from ...facts.units import LONG_SECTOR_BLOCKS, LONG_SECTOR_SHIFT, SECTOR_BYTES
from ..block_memory import BlockMemory
from .drive_check import DriveCheck

__all__ = ["Identity", "IDENTIFY_DWORDS"]

IDENTIFY_DWORDS = IDENTIFY_WORDS // 2

#: The words by which a drive is known.
_KNOWN_BY = frozenset({
    *SERIAL_WORDS, *MODEL_WORDS, *WWN_WORDS, IdentifyWord.CAPACITY_28,
    IdentifyWord.CAPACITY_28 + 1, IdentifyWord.COMMAND_SETS,
    *range(IdentifyWord.CAPACITY_48, IdentifyWord.CAPACITY_48 + 4)})
#: Clocks from the end of the command to the result; three would do for the comparison.
_JUDGED = 8


class Identity(wiring.Component):
    """Decodes IDENTIFY DEVICE data and keeps it (ATA8-ACS, IDENTIFY DEVICE data).

    A drive is known by its serial number, model number, World Wide Name, capacity and width of
    addresses. The data of the drive before are kept in the other half of the memory, and compared
    dword by dword as the new ones come in.

    Parameters
    ----------
    width : int             bits of each dword that are kept; fewer in a proof
    long_sectors : bool     whether logical sectors of 4096 bytes (words 117-118) are used, too: else ``long``
                            stays 0

    Members
    -------
    payload : In(stream 32, always ready)   the 128 dwords of IDENTIFY DEVICE data
    check : In(DriveCheck)  what bring-up needs, from word 49 bits 8 and 9, word 0 bits 2 and 15,
                            word 2, word 106 bit 12, words 117-118 and the checksum in word 255.
                            ``user.address``
                            has no effect from the first dword until ``check.checked``
    capacity : Out(48)      sectors: words 100-103 with 48-bit addresses, else 60-61; 0 from two
                            clocks after ``check.begin`` on. They are of 512 bytes, however long
                            the logical ones are, from ``check.checked`` on
    lba48 : Out(1)          the drive takes 48-bit addresses (word 83 bit 10)
    flush_ext : Out(1)      the drive has FLUSH CACHE EXT (word 83 bit 13)
    fua : Out(1)            the drive has WRITE DMA FUA EXT (words 84 and 87, bit 6)
    logs : Out(1)           the drive has READ LOG DMA EXT (words 119 and 120, bit 3)
    trim : Out(1)           the drive has TRIM (word 169, bit 0)
    long : Out(1)           the logical sectors have 4096 bytes; valid with ``check.checked``
    user : In               the group "identify" of :mod:`...interface`
    unlike : Out(1)         with ``check.checked``: the data differ from those of the drive of the last
                            check
    differs : Out(1)        with ``check.checked``: that, or the drive
                            has no name by which it could be recognized: a blank serial
                            number (words 10-19) and no World Wide Name (words 108-111)
    """

    def __init__(self, *, width=32, long_sectors=False):
        self._width = width
        self._long_sectors = long_sectors
        super().__init__({
            "payload": In(stream.Signature(32, always_ready=True)), "check": In(DriveCheck()),
            "capacity": Out(48), "lba48": Out(1), "flush_ext": Out(1),
            "user": In(IDENTIFY.signature), "unlike": Out(1), "differs": Out(1),
            "fua": Out(1), "logs": Out(1), "trim": Out(1), "long": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        check, valid = self.check, self.payload.valid
        index = Signal(range(IDENTIFY_DWORDS))
        with m.If(check.begin):
            m.d.sync += index.eq(0)
        with m.Elif(valid):
            m.d.sync += index.eq(index + 1)
        judged = Signal(_JUDGED)
        m.d.sync += judged.eq(Mux(check.begin, 0, Cat(check.check, judged)))
        m.d.comb += check.checked.eq(judged[-1])
        before = self._memory(m, index)
        self._judge(m, index)
        # A clock late: an extent that comes in the clock in which the drive is lost is checked against its data.
        # All in one clock: ``capacity`` never needs more than 28 bits while ``lba48`` is 0.
        forget = Signal()
        m.d.sync += forget.eq(check.begin)
        self._results(m, index, forget)
        known_by = self._sector_size(m, index)
        self._capacity(m, index, judged, forget)
        self._either(m, index, self.fua, 6, IdentifyWord.COMMAND_SETS_3, IdentifyWord.ENABLED_3)
        self._either(m, index, self.logs, 3, IdentifyWord.COMMAND_SETS_4, IdentifyWord.ENABLED_4)
        self._forget(m, index)
        self._compare(m, index, before, known_by)
        return m

    def _memory(self, m, index):
        """Two halves: the data that come, and those of the last drive that was checked. Returns
        what the latter hold in the place of the dword that comes."""
        check, valid = self.check, self.payload.valid
        # A dword read while it is written is not used: while they come, the other half is read.
        m.submodules.memory = mem = BlockMemory(shape=self._width, depth=2 * IDENTIFY_DWORDS)
        write = mem.write_port()
        address, stored = mem.late_port(m)
        half = Signal()             # with the latest data
        kept = Signal()             # they are those of the last drive that was checked
        taking = Signal()
        # ``valid`` may come late in the clock: it only selects.
        following = Signal.like(index)
        m.d.comb += following.eq(Mux(valid, index + 1, index))
        with m.If(check.begin | check.checked):
            m.d.sync += taking.eq(0)
        with m.Elif(valid):
            m.d.sync += taking.eq(1)
        with m.If(valid):
            m.d.sync += [half.eq(half ^ kept), kept.eq(0)]
        with m.Elif(check.checked & ~check.unsound):
            m.d.sync += kept.eq(1)
        m.d.comb += [
            write.addr.eq(Cat(index, half ^ kept)),
            write.data.eq(self.payload.payload),
            write.en.eq(valid),
            address.eq(Mux(taking, Cat(following, ~half), Cat(self.user.address, half))),
            self.user.data.eq(stored),
        ]
        return stored

    def _judge(self, m, index):
        """Whether the data are incomplete or damaged; valid three clocks after them."""
        check, word, valid = self.check, self.payload.payload, self.payload.valid
        low, high = word[0:16], word[16:32]
        incomplete = Signal()
        lacking = Signal()          # no DMA, no LBA or no capacity
        partly = Signal()           # word 2 alone reports incomplete data
        summed = Signal()           # word 255 has a checksum
        arrives = Signal()
        lower = Signal(8)           # sums of two bytes
        upper = Signal(8)
        total = Signal(8)
        m.d.sync += [
            arrives.eq(valid),
            lower.eq(word[0:8] + word[8:16]),
            upper.eq(word[16:24] + word[24:32]),
            # Word 2 may keep its value from power-up forever: what the data do contain counts.
            lacking.eq(~(check.dma & check.lba & self.capacity.any())),
            check.unsound.eq(incomplete | (summed & (total != 0)) | (check.spins_up & ~check.spun_up)
                             | (partly & lacking)),
        ]
        with m.If(check.begin):
            m.d.sync += Cat(incomplete, partly, summed, check.spins_up, total).eq(0)
        with m.Else():
            with m.If(arrives):
                m.d.sync += total.eq(total + lower + upper)
            with m.If(valid):
                with m.Switch(index):
                    with m.Case(IdentifyWord.GENERAL // 2):
                        m.d.sync += incomplete.eq(low[2])
                    with m.Case(IdentifyWord.SPECIFIC_CONFIGURATION // 2):
                        with m.Switch(low):
                            with m.Case(SpecificConfiguration.INCOMPLETE_SPIN_UP):
                                m.d.sync += [partly.eq(1), check.spins_up.eq(1)]
                            with m.Case(SpecificConfiguration.SPIN_UP):
                                m.d.sync += check.spins_up.eq(1)
                            with m.Case(SpecificConfiguration.INCOMPLETE):
                                m.d.sync += partly.eq(1)
                    with m.Case(IdentifyWord.INTEGRITY // 2):
                        m.d.sync += summed.eq(high[0:8] == CHECKSUM_SIGNATURE)

    def _capacity(self, m, index, judged, forget):
        """The capacity in sectors of 512 bytes."""
        word = self.payload.payload
        low, high = word[0:16], word[16:32]
        low_comes = Signal()
        high_comes = Signal()
        beyond_28 = Signal()        # 28-bit commands reach no further, whatever the drive reports
        of_28 = index == IdentifyWord.CAPACITY_28 // 2
        m.d.comb += [
            low_comes.eq(self.payload.valid & (
                of_28 | (self.lba48 & (index == IdentifyWord.CAPACITY_48 // 2)))),
            high_comes.eq(self.payload.valid & self.lba48
                          & (index == IdentifyWord.CAPACITY_48 // 2 + 1)),
            beyond_28.eq(of_28 & high[12:].any()),
        ]
        with m.If(low_comes):
            m.d.sync += self.capacity[0:32].eq(word)
        with m.If(low_comes & beyond_28):
            m.d.sync += self.capacity[0:32].eq(LBA28_SECTORS)
        with m.If(high_comes):
            m.d.sync += self.capacity[32:48].eq(low)
        with m.If(forget):
            m.d.sync += self.capacity.eq(0)
        with m.If(judged[0] & self.long):
            m.d.sync += self.capacity.eq(
                Mux(self.capacity[48 - LONG_SECTOR_SHIFT:].any(), ~0, self.capacity << LONG_SECTOR_SHIFT))

    def _results(self, m, index, forget):
        """What single words state."""
        check, word = self.check, self.payload.payload
        low, high = word[0:16], word[16:32]
        with m.If(check.begin):
            m.d.sync += Cat(check.dma, check.lba, check.packet).eq(0)
        with m.Elif(self.payload.valid):
            with m.Switch(index):
                with m.Case(IdentifyWord.GENERAL // 2):
                    m.d.sync += check.packet.eq(low[15] & (low != CARDS[0]) & (low != CARDS[1]))
                with m.Case(IdentifyWord.CAPABILITIES // 2):
                    m.d.sync += [check.dma.eq(high[8]), check.lba.eq(high[9])]
                with m.Case(IdentifyWord.COMMAND_SETS // 2):
                    # The word counts only with 01 in bits 15:14.
                    with m.If(high[14:16] == 0b01):
                        m.d.sync += self.flush_ext.eq(high[13])
                        # Data beyond dword 127 do not take it back: ``capacity`` may need it.
                        with m.If(high[10]):
                            m.d.sync += self.lba48.eq(1)
        with m.If(forget):
            m.d.sync += Cat(self.lba48, self.flush_ext).eq(0)

    def _either(self, m, index, has, bit, supported, enabled):
        """Whether the drive ``has`` a command with a 48-bit address: ``bit`` of the words ``supported`` and
        ``enabled``, which come in this order."""
        word = self.payload.payload
        halves = word[0:16], word[16:32]
        said = Signal()
        m.d.comb += has.eq(said & self.lba48)

        def says(number):
            half = halves[number % 2]
            return (half[14:16] == 0b01) & half[bit]

        with m.If(self.check.begin):
            m.d.sync += said.eq(0)
        with m.Elif(self.payload.valid):
            # Either word states it, and counts only with 01 in bits 15:14.
            with m.Switch(index):
                with m.Case(supported // 2):
                    m.d.sync += said.eq(says(supported))
                with m.Case(enabled // 2):
                    m.d.sync += said.eq(said | says(enabled))

    def _forget(self, m, index):
        """Whether the drive has TRIM. Word 105, the maximum of range blocks, need not be read: one is sent."""
        with m.If(self.check.begin):
            m.d.sync += self.trim.eq(0)
        with m.Elif(self.payload.valid & (index == IdentifyWord.DATA_SET_MANAGEMENT // 2)):
            m.d.sync += self.trim.eq(self.payload.payload[16])

    def _sector_size(self, m, index):
        """How long the logical sectors are. Returns the words by which a drive is known."""
        check, word = self.check, self.payload.payload
        low, high = word[0:16], word[16:32]
        with m.If(check.begin):
            m.d.sync += check.long_sectors.eq(0)
        with m.Elif(self.payload.valid):
            with m.Switch(index):
                with m.Case(IdentifyWord.SECTOR_SIZE // 2):
                    m.d.sync += check.long_sectors.eq((low[14:16] == 0b01) & low[12])
        if not self._long_sectors:
            return _KNOWN_BY
        words = LONG_SECTOR_BLOCKS * SECTOR_BYTES // 2
        fits = Signal()             # word 117, the lower half of the number, fits
        with m.If(check.begin):
            m.d.sync += self.long.eq(0)
        with m.Elif(self.payload.valid):
            with m.Switch(index):
                with m.Case(IdentifyWord.SECTOR_SIZE // 2):
                    m.d.sync += self.long.eq(0)
                with m.Case(IdentifyWord.SECTOR_WORDS // 2):
                    m.d.sync += fits.eq(high == words)
                with m.Case(IdentifyWord.SECTOR_WORDS // 2 + 1):
                    with m.If(check.long_sectors & fits & (low == 0)):
                        m.d.sync += [self.long.eq(1), check.long_sectors.eq(0)]
        return _KNOWN_BY | {IdentifyWord.SECTOR_SIZE}

    def _compare(self, m, index, before, known_by):
        """Whether the drive has a name, and whether its words ``known_by`` are those ``before``; two
        clocks after the data."""
        word, valid = self.payload.payload, self.payload.valid
        low, high = word[0:16], word[16:32]
        stored = word[:self._width]
        unequal = Signal(8)         # in two steps, for the sake of timing
        counts = Signal(2)          # which words of the dword a drive is known by
        names = Signal()            # the dword is a part of a name, and not blank
        wwn = Signal()              # there is a World Wide Name
        unlike = self.unlike
        named = Signal()
        m.d.sync += [unequal[bit].eq(stored[4 * bit:4 * bit + 4] != before[4 * bit:4 * bit + 4])
                     for bit in range(8)]
        m.d.sync += [counts.eq(0), names.eq(0), self.differs.eq(unlike | ~named)]
        with m.If(valid):
            visible = (word & ~0x20202020).any()    # not only spaces and zeros
            for half in range(2):
                with m.Switch(index):
                    with m.Case(*(n // 2 for n in sorted(known_by.intersection(range(half, IDENTIFY_WORDS, 2))))):
                        m.d.sync += counts[half].eq(1)
            with m.Switch(index):
                with m.Case(*_dwords(SERIAL_WORDS)):
                    m.d.sync += names.eq(visible)
                with m.Case(*_dwords(WWN_WORDS)):
                    m.d.sync += names.eq(visible & wwn)
                # Either of them states that there is one, and counts only with 01 in bits 15:14.
                with m.Case(IdentifyWord.COMMAND_SETS_3 // 2):
                    m.d.sync += wwn.eq((low[14:16] == 0b01) & low[8])
                with m.Case(IdentifyWord.ENABLED_3 // 2):
                    m.d.sync += wwn.eq(wwn | ((high[14:16] == 0b01) & high[8]))
        with m.If(self.check.begin):
            m.d.sync += [unlike.eq(0), named.eq(0)]
        with m.Else():
            m.d.sync += [
                unlike.eq(unlike | (unequal[0:4].any() & counts[0])
                          | (unequal[4:8].any() & counts[1])),
                named.eq(named | names),
            ]


def _dwords(words):
    """The dwords of ``words``, an even to an odd one."""
    return range(words.start // 2, words.stop // 2)

"""What the drive says of itself."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ..ata import IDENTIFY_WORDS, LBA28_SECTORS, SERIAL_WORDS, IdentifyWord
from ..interface import group
from .drive_check import DriveCheck

__all__ = ["Identity", "IDENTIFY_DWORDS"]

IDENTIFY_DWORDS = IDENTIFY_WORDS // 2

#: The dwords with the serial number.
_SERIAL = range(SERIAL_WORDS.start // 2, SERIAL_WORDS.stop // 2)


class Identity(wiring.Component):
    """Takes IDENTIFY DEVICE data apart and keeps it (ATA8-ACS, IDENTIFY DEVICE data).

    Parameters
    ----------
    width : int             bits of each dword that are kept; fewer in a proof

    Members
    -------
    payload : In(stream 32, always ready)   the 128 dwords of IDENTIFY DEVICE data
    check : In(DriveCheck)  what bring-up asks, from word 49 bits 8 and 9, word 0 bit 15 and word
                            106 bit 12. ``user.address`` has no effect while serial numbers
                            (words 10-19) are compared
    capacity : Out(48)      sectors: words 100-103 with 48-bit addresses, else 60-61; 0 from two
                            clocks after ``check.begin`` on
    lba48 : Out(1)          the drive takes 48-bit addresses (word 83 bit 10)
    flush_ext : Out(1)      the drive has FLUSH CACHE EXT (word 83 bit 13)
    user : In               the group "identify" of :mod:`..interface`
    differs : Out(1)        with ``check.checked``: the serial number is another one
    """

    def __init__(self, *, width=32):
        self._width = width
        super().__init__({
            "payload": In(stream.Signature(32, always_ready=True)), "check": In(DriveCheck()),
            "capacity": Out(48), "lba48": Out(1), "flush_ext": Out(1),
            "user": In(group("identify")), "differs": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = mem = memory.Memory(
            shape=self._width, depth=IDENTIFY_DWORDS, init=[], attrs={"ram_style": "block"})
        write = mem.write_port()
        read = mem.read_port()
        index = Signal(range(IDENTIFY_DWORDS))
        check = self.check
        word = self.payload.payload
        low, high = word[0:16], word[16:32]
        m.d.comb += [
            write.addr.eq(index),
            write.data.eq(word),
            write.en.eq(self.payload.valid),
            self.user.data.eq(read.data),
        ]
        self._compare_serial(m, read)
        # An extent that comes in the clock in which the drive is lost is checked against it.
        forget = Signal()
        m.d.sync += forget.eq(check.begin)
        with m.If(forget):
            m.d.sync += self.capacity.eq(0)
        with m.If(check.begin):
            m.d.sync += [index.eq(0), Cat(
                self.lba48, self.flush_ext, check.dma, check.lba, check.packet,
                check.long_sectors).eq(0)]
        with m.Elif(self.payload.valid):
            m.d.sync += index.eq(index + 1)
            with m.Switch(index):
                with m.Case(IdentifyWord.GENERAL // 2):
                    m.d.sync += check.packet.eq(low[15])
                with m.Case(IdentifyWord.CAPABILITIES // 2):
                    m.d.sync += [check.dma.eq(high[8]), check.lba.eq(high[9])]
                with m.Case(IdentifyWord.CAPACITY_28 // 2):
                    # 28-bit commands reach no further, whatever the drive says.
                    m.d.sync += self.capacity.eq(Mux(high[12:].any(), LBA28_SECTORS, word))
                with m.Case(IdentifyWord.COMMAND_SETS // 2):
                    # The word counts only with 01 in bits 15:14.
                    with m.If(high[14:16] == 0b01):
                        m.d.sync += [self.lba48.eq(high[10]), self.flush_ext.eq(high[13])]
                with m.Case(IdentifyWord.CAPACITY_48 // 2):
                    with m.If(self.lba48):
                        m.d.sync += self.capacity[0:32].eq(word)
                with m.Case(IdentifyWord.CAPACITY_48 // 2 + 1):
                    with m.If(self.lba48):
                        m.d.sync += self.capacity[32:48].eq(low)
                with m.Case(IdentifyWord.SECTOR_SIZE // 2):
                    m.d.sync += check.long_sectors.eq((low[14:16] == 0b01) & low[12])
        return m

    def _compare_serial(self, m, read):
        """A walk over the serial number, one dword a clock: what is there, and what was."""
        first, count = _SERIAL.start, len(_SERIAL)
        m.submodules.serial = serial = memory.Memory(
            shape=self._width, depth=count, init=[], attrs={"ram_style": "distributed"})
        kept = serial.read_port(domain="comb")
        keep = serial.write_port()
        step = Signal(range(count))
        walking = Signal()
        arrives = Signal()
        place = Signal(range(count))
        compares = Signal()
        unequal = Signal(8)     # in two steps, for the sake of the clock
        m.d.comb += [
            read.addr.eq(Mux(walking, first + step, self.user.address)),
            kept.addr.eq(place),
            keep.addr.eq(place),
            keep.data.eq(read.data),
            keep.en.eq(arrives),
        ]
        m.d.sync += [
            arrives.eq(walking),
            place.eq(step),
            compares.eq(arrives),
            self.check.checked.eq(compares & ~arrives),
        ]
        m.d.sync += [unequal[bit].eq(kept.data[4 * bit:4 * bit + 4]
                                     != read.data[4 * bit:4 * bit + 4]) for bit in range(8)]
        with m.If(self.check.check):
            m.d.sync += [step.eq(0), walking.eq(1), self.differs.eq(0)]
        with m.Elif(walking):
            m.d.sync += [step.eq(step + 1), walking.eq(step != count - 1)]
        with m.If(compares & unequal.any()):
            m.d.sync += self.differs.eq(1)

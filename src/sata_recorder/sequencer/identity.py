"""What the drive says of itself."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ..ata import IDENTIFY_WORDS, LBA28_SECTORS, SERIAL_WORDS, IdentifyWord

__all__ = ["Identity", "IDENTIFY_DWORDS"]

IDENTIFY_DWORDS = IDENTIFY_WORDS // 2

#: The dwords with the serial number.
_SERIAL = range(SERIAL_WORDS.start // 2, SERIAL_WORDS.stop // 2)


class Identity(wiring.Component):
    """Takes IDENTIFY DEVICE data apart and keeps it (ACS, IDENTIFY DEVICE data).

    Members
    -------
    begin : In(1)               a new block of 128 dwords comes; all results become 0
    payload : In(stream 32, always ready)
    capacity : Out(48)          sectors: words 100-103 with 48-bit addresses, else 60-61
    lba48 : Out(1)              word 83 bit 10
    flush_ext : Out(1)          word 83 bit 13
    dma, lba : Out(1)           word 49 bits 8 and 9
    packet : Out(1)             word 0 bit 15: not an ATA device
    long_sectors : Out(1)       word 106 bit 12: logical sectors longer than 512 bytes
    address : In(7), data : Out(32)     the raw data, words 2a+1 and 2a of address a, 1 clock later
    check : In(1)               compare the serial number (words 10-19) with the one of the last
                                check, and keep it; ``address`` has no effect meanwhile
    checked : Out(1)            done, for one clock
    differs : Out(1)            with it: the serial number is another one
    """

    begin: In(1)
    payload: In(stream.Signature(32, always_ready=True))
    capacity: Out(48)
    lba48: Out(1)
    flush_ext: Out(1)
    dma: Out(1)
    lba: Out(1)
    packet: Out(1)
    long_sectors: Out(1)
    address: In(range(IDENTIFY_DWORDS))
    data: Out(32)
    check: In(1)
    checked: Out(1)
    differs: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = mem = memory.Memory(
            shape=32, depth=IDENTIFY_DWORDS, init=[], attrs={"ram_style": "block"})
        write = mem.write_port()
        read = mem.read_port()
        index = Signal(range(IDENTIFY_DWORDS))
        word = self.payload.payload
        low, high = word[0:16], word[16:32]
        m.d.comb += [
            write.addr.eq(index),
            write.data.eq(word),
            write.en.eq(self.payload.valid),
            self.data.eq(read.data),
        ]
        self._compare_serial(m, read)
        with m.If(self.begin):
            m.d.sync += [index.eq(0), Cat(
                self.capacity, self.lba48, self.flush_ext, self.dma, self.lba, self.packet,
                self.long_sectors).eq(0)]
        with m.Elif(self.payload.valid):
            m.d.sync += index.eq(index + 1)
            with m.Switch(index):
                with m.Case(IdentifyWord.GENERAL // 2):
                    m.d.sync += self.packet.eq(low[15])
                with m.Case(IdentifyWord.CAPABILITIES // 2):
                    m.d.sync += [self.dma.eq(high[8]), self.lba.eq(high[9])]
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
                    m.d.sync += self.long_sectors.eq((low[14:16] == 0b01) & low[12])
        return m

    def _compare_serial(self, m, read):
        """A walk over the serial number, one dword a clock: what is there, and what was."""
        first, count = _SERIAL.start, len(_SERIAL)
        m.submodules.serial = serial = memory.Memory(
            shape=32, depth=count, init=[], attrs={"ram_style": "distributed"})
        kept = serial.read_port(domain="comb")
        keep = serial.write_port()
        step = Signal(range(count))
        walking = Signal()
        arrives = Signal()
        place = Signal(range(count))
        compares = Signal()
        unequal = Signal(8)     # in two steps, for the sake of the clock
        m.d.comb += [
            read.addr.eq(Mux(walking, first + step, self.address)),
            kept.addr.eq(place),
            keep.addr.eq(place),
            keep.data.eq(read.data),
            keep.en.eq(arrives),
        ]
        m.d.sync += [
            arrives.eq(walking),
            place.eq(step),
            compares.eq(arrives),
            self.checked.eq(compares & ~arrives),
        ]
        m.d.sync += [unequal[bit].eq(kept.data[4 * bit:4 * bit + 4]
                                     != read.data[4 * bit:4 * bit + 4]) for bit in range(8)]
        with m.If(self.check):
            m.d.sync += [step.eq(0), walking.eq(1), self.differs.eq(0)]
        with m.Elif(walking):
            m.d.sync += [step.eq(step + 1), walking.eq(step != count - 1)]
        with m.If(compares & unequal.any()):
            m.d.sync += self.differs.eq(1)

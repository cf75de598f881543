"""The memory of the brick of files: four sectors."""

from amaranth.hdl import Module
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ..units import SECTOR_WORDS

__all__ = ["DIRECTORY_BASE", "LOG_BASE", "SectorMemory", "SectorMemoryPort"]

_WORDS = 4 * SECTOR_WORDS
#: Where the directory sector is in the memory, and the three sectors of the log.
DIRECTORY_BASE, LOG_BASE = 0, SECTOR_WORDS


class SectorMemoryPort(wiring.Signature):
    """Access to the memory, seen from who has it; all outputs are 0 while he does nothing.

    Members
    -------
    address : Out(9)        A word.
    data : Out(32)          With ``write``: what it becomes.
    write : Out(1)          The word at ``address`` is written.
    read : In(32)           What the word at ``address`` was a clock ago.
    """

    def __init__(self):
        super().__init__({"address": Out(range(_WORDS)), "data": Out(32), "write": Out(1),
                          "read": In(32)})


class SectorMemory(wiring.Component):
    """Keeps the directory sector of a slot, and its log; block RAM.

    Members
    -------
    transfer, log, directory : In(SectorMemoryPort)     Only one of them does something at a time.
    """

    transfer: In(SectorMemoryPort())
    log: In(SectorMemoryPort())
    directory: In(SectorMemoryPort())

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = sectors = memory.Memory(
            shape=32, depth=_WORDS, init=[], attrs={"ram_style": "block", "no_rw_check": 1})
        write, read = sectors.write_port(), sectors.read_port()
        transfer, log, directory = self.transfer, self.log, self.directory
        m.d.comb += [
            write.addr.eq(transfer.address | log.address | directory.address),
            write.data.eq(transfer.data | log.data | directory.data),
            write.en.eq(transfer.write | log.write | directory.write),
            read.addr.eq(write.addr),
            transfer.read.eq(read.data), log.read.eq(read.data), directory.read.eq(read.data),
        ]
        return m

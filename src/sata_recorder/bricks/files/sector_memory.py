"""The memory of the brick of files: four sectors, or six."""

from amaranth.hdl import Module
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import SECTOR_WORDS
from .table_format import LOG_SECTORS, LONG_LOG_SECTORS

__all__ = ["DIRECTORY_BASE", "LOG_BASE", "SectorMemory", "SectorMemoryPort"]

#: Sectors: the directory, and the log.
_SECTORS = 1 + LOG_SECTORS
_MOST_SECTORS = 1 + LONG_LOG_SECTORS
#: Where the directory sector is in the memory, and the sectors of the log.
DIRECTORY_BASE, LOG_BASE = 0, SECTOR_WORDS


class SectorMemoryPort(wiring.Signature):
    """Access to the memory, seen from who has it; all outputs are 0 while he does nothing.

    Members
    -------
    address : Out(10)       A word.
    data : Out(32)          With ``write``: what it becomes.
    write : Out(1)          The word at ``address`` is written.
    read : In(32)           What the word at ``address`` was a clock ago.
    """

    def __init__(self):
        super().__init__({"address": Out(range(_MOST_SECTORS * SECTOR_WORDS)), "data": Out(32),
                          "write": Out(1), "read": In(32)})


class SectorMemory(wiring.Component):
    """Keeps the directory sector of a slot, and its log; block RAM.

    Parameters
    ----------
    long_log : bool         There is room for a log with the table of segments.

    Members
    -------
    transfer, log, directory : In(SectorMemoryPort)     Only one of them does something at a time.
    """

    def __init__(self, *, long_log=False):
        self._sectors = _MOST_SECTORS if long_log else _SECTORS
        super().__init__({"transfer": In(SectorMemoryPort()), "log": In(SectorMemoryPort()),
                          "directory": In(SectorMemoryPort())})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = sectors = memory.Memory(
            shape=32, depth=self._sectors * SECTOR_WORDS, init=[],
            attrs={"ram_style": "block", "no_rw_check": 1})
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

"""The memory of the files stage: four sectors, or six; sixteen where sectors are moved by eight."""

from amaranth.hdl import Module, Mux
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import LONG_SECTOR_BLOCKS, SECTOR_WORDS
from .table_format import LOG_SECTORS, LONG_LOG_SECTORS

__all__ = ["DIRECTORY_BASE", "LOG_BASE", "LONG_LOG_BASE", "SectorMemory", "SectorMemoryPort"]

#: Sectors: the directory, and the log.
_SECTORS = 1 + LOG_SECTORS
_MOST_SECTORS = 1 + LONG_LOG_SECTORS
#: Where the directory sector is in the memory, and the sectors of the log.
DIRECTORY_BASE, LOG_BASE = 0, SECTOR_WORDS
#: The same where logical sectors have 4096 bytes: each of the two has one.
LONG_LOG_BASE = LONG_SECTOR_BLOCKS * SECTOR_WORDS


class SectorMemoryPort(wiring.Signature):
    """Access to the memory, seen from its user; all outputs are 0 while that user does nothing.

    Members
    -------
    address : Out(10)       A word; 11 bits with ``long_sectors``.
    data : Out(32)          With ``write``: what it becomes.
    write : Out(1)          The word at ``address`` is written.
    read : In(32)           What the word at ``address`` was a clock ago.
    """

    def __init__(self, *, long_sectors=False):
        words = 2 * LONG_LOG_BASE if long_sectors else _MOST_SECTORS * SECTOR_WORDS
        super().__init__({"address": Out(range(words)), "data": Out(32), "write": Out(1), "read": In(32)})


class SectorMemory(wiring.Component):
    """Keeps the directory sector of a slot, and its log; block RAM.

    Parameters
    ----------
    long_log : bool         There is room for a log with the table of segments.
    long_sectors : bool     There is room for a logical sector of 4096 bytes of each. Then the log is at
                            `LONG_LOG_BASE` for ``transfer``.

    Members
    -------
    transfer, log, directory : In(SectorMemoryPort)     Only one of them does something at a time.
    """

    def __init__(self, *, long_log=False, long_sectors=False):
        self._sectors = _MOST_SECTORS if long_log else _SECTORS
        self._long_sectors = long_sectors
        if long_sectors:
            self._sectors = 2 * LONG_SECTOR_BLOCKS
        super().__init__({"transfer": In(SectorMemoryPort(long_sectors=long_sectors)), "log": In(SectorMemoryPort()),
                          "directory": In(SectorMemoryPort())})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = sectors = memory.Memory(
            shape=32, depth=self._sectors * SECTOR_WORDS, init=[],
            attrs={"ram_style": "block", "no_rw_check": 1})
        write, read = sectors.write_port(), sectors.read_port()
        transfer, log, directory = self.transfer, self.log, self.directory
        log_address = log.address
        if self._long_sectors:
            # The writer of the log does not read it.
            log_address = Mux(log.write, log.address + (LONG_LOG_BASE - LOG_BASE), 0)
        m.d.comb += [
            write.addr.eq(transfer.address | log_address | directory.address),
            write.data.eq(transfer.data | log.data | directory.data),
            write.en.eq(transfer.write | log.write | directory.write),
            read.addr.eq(write.addr),
            transfer.read.eq(read.data), log.read.eq(read.data), directory.read.eq(read.data),
        ]
        return m

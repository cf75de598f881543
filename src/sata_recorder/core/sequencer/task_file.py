"""The registers of the command in flight."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.ata import (SMART_RETURN_STATUS, SPIN_UP, TRIM, CommandCode, DeviceBit, SmartVerdict,
                          TemperatureStatistics)
from ..command import CommandSpec, Protocol
from ...facts.units import LONG_SECTOR_SHIFT, SECTOR_WORDS
from .identity import IDENTIFY_DWORDS
from .phase import Phase

__all__ = ["TaskFileEncoder"]


class TaskFileEncoder(wiring.Component):
    """Says what the command layer is to do: a data command, a flush, or else IDENTIFY DEVICE or SET
    FEATURES.

    Without logic in between but multiplexers: ``spec`` follows its inputs in the same clock.

    Parameters
    ----------
    fua, smart, temperature, trim : bool    ``fua``, ``asks``, ``reads``, ``trims`` is there
    long_sectors : bool     whether ``long`` is there

    Members
    -------
    phase : In(Phase)       whether a data command or FLUSH CACHE (EXT) is in flight; else it is
                            IDENTIFY DEVICE,
    spins_up : In(1)        or SET FEATURES (ATA8-ACS), with which a drive spins up
    writes : In(1)          the data command writes
    lba48, flush_ext : In(1)        what the drive can do, see :class:`.identity.Identity`
    lba : In(48)            the first sector of the data command; 0 in other commands
    sectors : In(17)        the length of the data command; 0 in other commands
    long : In(1)            the drive counts logical sectors of 4096 bytes
    fua : In(1)             data are written with WRITE DMA FUA EXT (ATA8-ACS): they are on the medium
                            when it ends well
    asks : In(1)            SMART RETURN STATUS (ATA8-ACS) is in flight
    reads : In(1)           with ``asks``: READ LOG DMA EXT is, with the page of temperatures
    trims : In(1)           DATA SET MANAGEMENT (ATA8-ACS) with a block of ranges for TRIM is in flight
    spec : Out(CommandSpec) the command, as :class:`..command.CommandSignature` wants it
    """

    def __init__(self, *, fua=False, smart=False, temperature=False, trim=False, long_sectors=False):
        self._fua = fua
        self._temperature = temperature
        self._smart = smart
        self._trim = trim
        self._long_sectors = long_sectors
        super().__init__({
            "phase": In(Phase), "spins_up": In(1), "writes": In(1), "lba48": In(1), "flush_ext": In(1),
            "lba": In(48), "sectors": In(17), "spec": Out(CommandSpec),
            **({"fua": In(1)} if fua else {}), **({"long": In(1)} if long_sectors else {}),
            **({"asks": In(1)} if smart else {}), **({"reads": In(1)} if temperature else {}),
            **({"trims": In(1)} if trim else {}),
        })

    def elaborate(self, platform):
        m = Module()
        spec, registers = self.spec, self.spec.registers
        writes = CommandCode.WRITE_DMA_EXT
        if self._fua:
            writes = Mux(self.fua, CommandCode.WRITE_DMA_FUA_EXT, CommandCode.WRITE_DMA_EXT)
        lba, count = self.lba, self.sectors
        if self._long_sectors:
            lba, count = (Mux(self.long, value >> LONG_SECTOR_SHIFT, value)
                          for value in (lba, count))
        m.d.comb += [
            registers.lba.eq(lba),
            registers.count.eq(count[0:16]),
            registers.device.eq(1 << DeviceBit.LBA),
        ]
        with m.If(self.phase.moves):
            m.d.comb += [
                spec.words.eq(self.sectors * SECTOR_WORDS),
                spec.protocol.eq(Mux(self.writes, Protocol.DMA_OUT, Protocol.DMA_IN)),
            ]
            with m.If(self.lba48):
                m.d.comb += registers.command.eq(
                    Mux(self.writes, writes, CommandCode.READ_DMA_EXT))
            with m.Else():
                m.d.comb += registers.command.eq(
                    Mux(self.writes, CommandCode.WRITE_DMA, CommandCode.READ_DMA))
        with m.Elif(self.phase.flushes):
            m.d.comb += [
                spec.protocol.eq(Protocol.NO_DATA),
                registers.command.eq(
                    Mux(self.flush_ext & self.lba48,
                        CommandCode.FLUSH_CACHE_EXT, CommandCode.FLUSH_CACHE)),
            ]
        if self._temperature:
            with m.Elif(self.asks & self.reads):
                m.d.comb += [
                    spec.protocol.eq(Protocol.DMA_IN),
                    spec.words.eq(SECTOR_WORDS),
                    registers.command.eq(CommandCode.READ_LOG_DMA_EXT),
                    registers.lba.eq(TemperatureStatistics.PAGE << 8 | TemperatureStatistics.LOG),
                    registers.count.eq(1),
                ]
        if self._smart:
            with m.Elif(self.asks):
                m.d.comb += [
                    spec.protocol.eq(Protocol.NO_DATA),
                    registers.command.eq(CommandCode.SMART),
                    registers.features.eq(SMART_RETURN_STATUS),
                    registers.lba.eq(SmartVerdict.GOOD << 8),
                ]
        if self._trim:
            with m.Elif(self.trims):
                m.d.comb += [
                    spec.protocol.eq(Protocol.DMA_OUT),
                    spec.words.eq(SECTOR_WORDS),
                    registers.command.eq(CommandCode.DATA_SET_MANAGEMENT),
                    registers.features.eq(TRIM),
                    registers.count.eq(1),
                ]
        with m.Elif(self.spins_up):
            m.d.comb += [
                spec.protocol.eq(Protocol.NO_DATA),
                registers.command.eq(CommandCode.SET_FEATURES),
                registers.features.eq(SPIN_UP),
            ]
        with m.Else():
            m.d.comb += [
                spec.protocol.eq(Protocol.PIO_IN),
                spec.words.eq(IDENTIFY_DWORDS),
                registers.command.eq(CommandCode.IDENTIFY_DEVICE),
            ]
        # A 28-bit drive has LBA 27:24 in the device register, and takes 256 sectors for 0.
        with m.If(~self.lba48):
            m.d.comb += [
                registers.lba[24:28].eq(0),
                registers.count[8].eq(0),
                registers.device[0:4].eq(lba[24:28]),
            ]
        return m

"""The registers of the command in flight."""

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.ata import SPIN_UP, CommandCode, DeviceBit
from ...facts.units import LONG_SECTOR_SHIFT, SECTOR_WORDS
from ..command import CommandSpec, Protocol
from .between import InterjectedCommand
from .identity import IDENTIFY_DWORDS
from .phase import Phase

__all__ = ["TaskFileEncoder"]


class TaskFileEncoder(wiring.Component):
    """Makes the command for the command layer: a data command, FLUSH CACHE, one that comes between two data
    commands, otherwise IDENTIFY DEVICE or SET FEATURES.

    Without logic in between but multiplexers: ``spec`` follows its inputs in the same clock.

    Members
    -------
    phase : In(Phase)       whether a data command or FLUSH CACHE (EXT) is in flight; else it is
                            IDENTIFY DEVICE or SET FEATURES
    spins_up : In(1)        it is SET FEATURES (ATA8-ACS), with which a drive spins up
    writes : In(1)          the data command writes
    lba48, flush_ext : In(1)        what the drive can do, see :class:`.identity.Identity`
    lba : In(48)            the first sector of the data command; 0 in other commands
    sectors : In(17)        the length of the data command; 0 in other commands
    long : In(1)            the drive counts logical sectors of 4096 bytes
    fua : In(1)             data are written with WRITE DMA FUA EXT (ATA8-ACS): they are on the medium
                            when it succeeds
    between : In(1)         what comes between two data commands is in flight
    request : In(InterjectedCommand)   with ``between``: that command
    spec : Out(CommandSpec) the command, as :class:`..command.CommandSignature` wants it
    """

    phase: In(Phase)
    spins_up: In(1)
    writes: In(1)
    lba48: In(1)
    flush_ext: In(1)
    lba: In(48)
    sectors: In(17)
    long: In(1)
    fua: In(1)
    between: In(1)
    request: In(InterjectedCommand)
    spec: Out(CommandSpec)

    def elaborate(self, platform):
        m = Module()
        spec, registers = self.spec, self.spec.registers
        writes = Mux(self.fua, CommandCode.WRITE_DMA_FUA_EXT, CommandCode.WRITE_DMA_EXT)
        theirs = self.request.command.registers
        lba = Mux(self.between, theirs.lba, self.lba)
        count = Mux(self.between, theirs.count, self.sectors)
        addressed = ~self.between | self.request.addressed
        lba, count = (Mux(self.long & addressed, value >> LONG_SECTOR_SHIFT, value) for value in (lba, count))
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
        with m.Elif(self.between):
            m.d.comb += [
                spec.protocol.eq(self.request.command.protocol),
                spec.words.eq(self.request.command.words),
                registers.command.eq(theirs.command),
                registers.features.eq(theirs.features),
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

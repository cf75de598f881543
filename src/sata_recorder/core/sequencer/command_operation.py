"""The operation COMMAND: any ATA command, by the registers that the user gives."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...interface import TASK
from ..command import CommandSpec, FinalRegisters, Protocol
from ..drive_port import Extent, Operation
from .phase import Phase

__all__ = ["CommandOperation", "NoCommandOperation"]


class CommandOperation(wiring.Component):
    """Puts the registers of the user into the command, where the operation is COMMAND.

    COMMAND is an operation of one command. The extent's operation determines where its data go, the
    extent's LBA is that of the registers, and its length that of the data. Without data it takes
    the place of FLUSH CACHE; else that of the data command. It is not issued again when it fails:
    it is unknown how much of it the drive has done.

    Parameters
    ----------
    max_sectors : int       Longest command, 1 to 65,536: COMMAND moves no more in blocks of 512
                            bytes.

    Members
    -------
    user : In               The group of the task file, see :mod:`...interface`.
    begin : In(1)           The operation ``extent`` begins.
    extent : In(Extent)     With ``begin``: the operation.
    phase : In(Phase)       What the operation does.
    writes : In(1)          The operation takes words from the stream.
    lba : In(48)            The extent's LBA, from the clock after ``begin`` on.
    own : In(CommandSpec)   The command of every other operation.
    spec : Out(CommandSpec) The command. Without registers: it follows its inputs.
    pio_out : Out(1)        With ``spec``: its data go out by PIO.
    final : In(FinalRegisters)      The registers at the end of the last command.
    begins : Out(1)         With ``begin``: it is COMMAND.
    active : Out(1)         The operation is COMMAND; from the clock after ``begin`` to the next ``begin``.
    no_data : Out(1)        ``active``, and the command moves no data.
    too_long : Out(1)       The data are more than ``max_sectors``; from 2 clocks after ``begin`` on.
    """

    def __init__(self, *, max_sectors):
        self._max_sectors = max_sectors
        super().__init__(_members())

    def elaborate(self, platform):
        m = Module()
        user, spec = self.user, self.spec
        flushes = Signal()          # it moves no data
        ours = Signal()             # the command is that of the user
        m.d.comb += [
            self.begins.eq(user.operation),
            self.no_data.eq(self.active & flushes),
            ours.eq(self.active & (self.phase.moves | (self.phase.flushes & flushes))),
            spec.eq(self.own),
            user.result_lba.eq(self.final.lba),
            user.result_count.eq(self.final.count),
            user.result_device.eq(self.final.device),
        ]
        with m.If(self.begin):
            m.d.sync += [
                self.active.eq(user.operation),
                flushes.eq(self.extent.operation == Operation.FLUSH),
                self.too_long.eq(self.extent.sectors > self._max_sectors),
            ]
        with m.If(ours):
            m.d.comb += [
                spec.registers.command.eq(user.command),
                spec.registers.features.eq(user.features),
                spec.registers.lba.eq(self.lba),
                spec.registers.device.eq(user.device),
                spec.registers.count.eq(user.count),
            ]
            with m.If(self.phase.moves & user.pio):
                m.d.comb += self.pio_out.eq(self.writes)
                with m.If(~self.writes):
                    m.d.comb += spec.protocol.eq(Protocol.PIO_IN)
        return m


class NoCommandOperation(wiring.Component):
    """In the place of :class:`CommandOperation` where there is no COMMAND: every command is the core's own.

    Members: those of :class:`CommandOperation`.
    """

    def __init__(self):
        super().__init__(_members())

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.spec.eq(self.own)
        return m


def _members():
    return {
        "user": In(TASK.signature), "begin": In(1), "extent": In(Extent), "phase": In(Phase), "writes": In(1),
        "lba": In(48), "own": In(CommandSpec), "spec": Out(CommandSpec), "pio_out": Out(1),
        "final": In(FinalRegisters), "begins": Out(1), "active": Out(1), "no_data": Out(1), "too_long": Out(1),
    }

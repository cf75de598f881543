"""The drive's own verdict while it records: SMART RETURN STATUS."""

from amaranth.hdl import Module, Signal

from ....facts.ata import SMART_RETURN_STATUS, CommandCode, SmartVerdict
from ....interface import HEALTH
from ....interface.health import HealthVerdict
from ...command import CommandResult, Protocol
from .every_commands import EveryCommands
from .interjection import Interjection
from .may_query import MayQuery

__all__ = ["HealthQuery"]


class HealthQuery(Interjection):
    """Queries the drive with SMART RETURN STATUS (ATA8-ACS), and keeps what it has answered.

    Parameters
    ----------
    commands : int      It comes before the first write command of a recording and after every N.

    Members: those of an :class:`.Interjection`; ``user`` is the group of the health.
    """

    name = "health"
    group = HEALTH
    wants_final = True

    def __init__(self, commands):
        self._commands = commands
        super().__init__()

    @classmethod
    def exists(cls, configuration):
        return configuration.smart_commands > 0

    @classmethod
    def made(cls, configuration):
        return cls(configuration.smart_commands)

    def elaborate(self, platform):
        m = Module()
        m.submodules.every = every = EveryCommands(self._commands)
        m.submodules.may_query = query = MayQuery()
        gap, user, registers = self.gap, self.user, self.request.command.registers
        succeeded = Signal()
        worth = Signal()
        verdict = Signal(HealthVerdict)
        m.d.comb += [
            succeeded.eq(self.runs & self.done & (self.result == CommandResult.SUCCESS)),
            query.gap.eq(gap), query.runs.eq(self.runs), query.answered.eq(succeeded),
            query.resets.eq(self.resets),
            worth.eq(gap.records & query.may),
            every.begin.eq(gap.begin), every.at_start.eq(1), every.writing.eq(gap.writing & worth),
            every.written.eq(gap.written & worth), every.restart.eq(self.runs | gap.query_failed),
            every.runs.eq(self.runs), self.due.eq(every.due & worth),
            self.request.command.protocol.eq(Protocol.NO_DATA),
            registers.command.eq(CommandCode.SMART),
            registers.features.eq(SMART_RETURN_STATUS),
            registers.lba.eq(SmartVerdict.GOOD << 8),
            user.drive_health.eq(verdict),
        ]
        with m.If(succeeded):
            with m.Switch(self.final.lba[8:24]):
                with m.Case(SmartVerdict.GOOD):
                    m.d.sync += verdict.eq(HealthVerdict.GOOD)
                with m.Case(SmartVerdict.EXCEEDED):
                    m.d.sync += verdict.eq(HealthVerdict.FAILING)
                with m.Default():
                    m.d.sync += verdict.eq(HealthVerdict.UNKNOWN)
        with m.Elif(gap.other_drive | (self.runs & self.done)):
            m.d.sync += verdict.eq(HealthVerdict.UNKNOWN)
        # It is not queried again for long: a good verdict no longer counts, a bad one does.
        with m.Elif(self.runs & self.resets & (verdict == HealthVerdict.GOOD)):
            m.d.sync += verdict.eq(HealthVerdict.UNKNOWN)
        with m.If(gap.begin & gap.begins_recording):
            m.d.sync += user.drive_health_clocks.eq(0)
        with m.Elif(self.runs):
            m.d.sync += user.drive_health_clocks.eq(user.drive_health_clocks + 1)
        return m

"""READ VERIFY of what a recording wrote a while ago: whether the drive can read it, without moving it."""

from amaranth.hdl import Module, Mux, Signal

from ....interface import VERIFY
from ...command import CommandResult, Protocol
from .every_commands import EveryCommands
from .interjection import Interjection, Silence

__all__ = ["VerifyQuery"]

#: READ VERIFY SECTOR(S), and EXT (ATA8-ACS).
_READ_VERIFY, _READ_VERIFY_EXT = 0x40, 0x42


class VerifyQuery(Interjection):
    """Lets the drive read the sectors of a write command after ``commands`` more of them have ended well.

    An error is counted, and the recording goes on.

    Parameters
    ----------
    commands : int      1 or more.

    Members: those of an :class:`.Interjection`; ``user`` is the group of READ VERIFY.
    """

    name = "verify"
    silence = Silence.COMMAND
    group = VERIFY

    def __init__(self, commands):
        self._commands = commands
        super().__init__()

    @classmethod
    def exists(cls, configuration):
        return configuration.verify_commands > 0

    @classmethod
    def made(cls, configuration):
        return cls(configuration.verify_commands)

    def elaborate(self, platform):
        m = Module()
        m.submodules.every = every = EveryCommands(self._commands)
        gap, user, command = self.gap, self.user, self.request.command
        kept = Signal()             # lba and sectors are those of a command that is not verified yet
        lba = Signal(48)
        sectors = Signal(17)
        ended = self.runs & self.done
        m.d.comb += [
            every.begin.eq(gap.begin), every.written.eq(gap.written & kept), every.restart.eq(self.runs),
            self.due.eq(every.due & gap.records),
            self.request.addressed.eq(1),
            command.protocol.eq(Protocol.NO_DATA),
            command.registers.command.eq(Mux(gap.lba48, _READ_VERIFY_EXT, _READ_VERIFY)),
            command.registers.lba.eq(lba),
            command.registers.count.eq(sectors),
        ]
        with m.If(gap.begin | self.runs):
            m.d.sync += kept.eq(0)
        with m.Elif(gap.written & ~kept):
            m.d.sync += [kept.eq(1), lba.eq(gap.lba), sectors.eq(gap.sectors)]
        with m.If(gap.begin & gap.begins_recording):
            m.d.sync += [user.verified.eq(0), user.unreadable.eq(0)]
        with m.Elif(ended):
            good = self.result == CommandResult.SUCCESS
            m.d.sync += [user.verified.eq(user.verified + good),
                         user.unreadable.eq(user.unreadable + (self.result == CommandResult.DRIVE_ERROR))]
        return m

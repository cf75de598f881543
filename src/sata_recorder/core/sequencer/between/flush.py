"""FLUSH CACHE after every N write commands of a recording."""

from amaranth.hdl import Module, Mux

from ....facts.ata import CommandCode
from ...command import CommandResult, Protocol
from .every_commands import EveryCommands
from .interjection import Interjection, OnFailure

__all__ = ["PeriodicFlush"]


class PeriodicFlush(Interjection):
    """Limits what a loss of power takes: FLUSH CACHE (EXT) (ATA8-ACS) after every ``commands`` write commands.

    It does not come where the operation's own FLUSH CACHE follows anyway. What is on the medium when its
    command succeeds needs none. After a failure it comes again.

    Parameters
    ----------
    commands : int      1 or more.
    """

    name = "flush"
    on_failure = OnFailure.REPEATS
    flushes_cache = True

    def __init__(self, commands):
        self._commands = commands
        super().__init__()

    @classmethod
    def exists(cls, configuration):
        return configuration.fua or configuration.flush_commands > 0

    @classmethod
    def made(cls, configuration):
        # With fua there is no number: a drive without WRITE DMA FUA EXT flushes after each command.
        return cls(max(1, configuration.flush_commands))

    def elaborate(self, platform):
        m = Module()
        m.submodules.every = every = EveryCommands(self._commands)
        gap, request = self.gap, self.request
        m.d.comb += [
            every.begin.eq(gap.begin), every.writing.eq(gap.writing & ~gap.on_medium),
            every.written.eq(gap.written & ~gap.on_medium), every.runs.eq(self.runs),
            every.restart.eq(self.runs & self.done & (self.result == CommandResult.SUCCESS)),
            self.due.eq(every.due & ~gap.ends),
            request.command.protocol.eq(Protocol.NO_DATA),
            request.command.registers.command.eq(Mux(
                gap.flush_ext & gap.lba48, CommandCode.FLUSH_CACHE_EXT, CommandCode.FLUSH_CACHE)),
        ]
        return m

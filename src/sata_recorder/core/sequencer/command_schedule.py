"""When a command without data comes between two commands of a recording."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CommandSchedule", "schedule_flushes"]


class CommandSchedule(wiring.Component):
    """Counts the write commands of a recording that have ended well.

    Parameters
    ----------
    commands : int      Behind so many of them the command is due.
    at_start : bool     It is due ahead of the first one, too.

    Members
    -------
    begin : In(1)       An operation begins.
    next : In(1)        A data command begins.
    written : In(1)     A write command ends well.
    ends : In(1)        The command at the end of the operation would come in this clock.
    issue : In(1)       The one that is due begins.
    ended : In(1)       It is over.
    due : Out(1)        It is to come before the next command, or behind the last one.
    between : Out(1)    It is in flight, or has failed and comes again.
    clean : Out(1)      No command has begun since.
    """

    def __init__(self, commands, *, at_start=False):
        self._commands = commands
        self._at_start = at_start
        super().__init__({
            "begin": In(1), "next": In(1), "written": In(1), "ends": In(1), "issue": In(1),
            "ended": In(1), "due": Out(1), "between": Out(1), "clean": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        commands = Signal(range(self._commands + 1))
        first = Signal()            # none has come in this operation
        reached = (commands == self._commands) | (
            self.written & (commands == self._commands - 1))
        m.d.comb += self.due.eq((reached | first) & ~self.between & ~self.ends)
        if self._at_start:
            with m.If(self.begin):
                m.d.sync += first.eq(1)
            with m.Elif(self.between):
                m.d.sync += first.eq(0)
        with m.If(self.begin | self.ended):
            m.d.sync += self.between.eq(0)
        with m.Elif(self.issue):
            m.d.sync += self.between.eq(1)
        with m.If(self.begin | self.next):
            m.d.sync += self.clean.eq(0)
        with m.Elif(self.between):
            m.d.sync += self.clean.eq(1)
        with m.If(self.begin | self.between):
            m.d.sync += commands.eq(0)
        with m.Elif(self.written & (commands != self._commands)):
            m.d.sync += commands.eq(commands + 1)
        return m


def schedule_flushes(m, schedule, operation, finally_flushes, *, queued, trims):
    """FLUSH CACHE between two commands of ``operation``, which may end with one, too."""
    ends = operation.no_more & finally_flushes
    if queued:
        ends &= ~(operation.gathers | operation.pending)
    command, phase = operation.command, operation.phase
    m.d.comb += [
        schedule.begin.eq(operation.begin), schedule.ends.eq(ends),
        schedule.next.eq(operation.next | operation.trim if trims else operation.next),
        schedule.written.eq(command.succeeded & phase.moves & operation.caches),
        schedule.ended.eq(command.succeeded & phase.flushes),
    ]

"""When FLUSH CACHE comes between two commands of a recording."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FlushSchedule"]


class FlushSchedule(wiring.Component):
    """Counts the write commands of a recording that have ended well.

    Parameters
    ----------
    commands : int      Behind so many of them FLUSH CACHE is due.

    Members
    -------
    begin : In(1)       An operation begins.
    next : In(1)        A data command begins.
    written : In(1)     A write command ends well.
    ends : In(1)        FLUSH CACHE at the end of the operation would come in this clock.
    flush : In(1)       The one that is due begins.
    flushed : In(1)     It has succeeded.
    due : Out(1)        It is to come before the next command, or behind the last one.
    between : Out(1)    It is in flight, or has failed and comes again.
    clean : Out(1)      No command has begun since.
    """

    def __init__(self, commands):
        self._commands = commands
        super().__init__({
            "begin": In(1), "next": In(1), "written": In(1), "ends": In(1), "flush": In(1),
            "flushed": In(1), "due": Out(1), "between": Out(1), "clean": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        commands = Signal(range(self._commands + 1))
        reached = (commands == self._commands) | (
            self.written & (commands == self._commands - 1))
        m.d.comb += self.due.eq(reached & ~self.between & ~self.ends)
        with m.If(self.begin | self.flushed):
            m.d.sync += self.between.eq(0)
        with m.Elif(self.flush):
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

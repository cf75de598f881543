"""When something comes after every N write commands of a recording."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["EveryCommands"]


class EveryCommands(wiring.Component):
    """Counts the write commands of a recording that have succeeded.

    Parameters
    ----------
    commands : int      N: after this many of them it is due.

    Members
    -------
    begin : In(1)       An operation begins.
    at_start : In(1)    With ``begin``: it is due before the first one, too.
    writing : In(1)     A write command that counts is in flight; it ends with ``written``, or in a failure.
    written : In(1)     It succeeds.
    restart : In(1)     The count starts again.
    runs : In(1)        What is due is in flight.
    due : Out(1)        It is due, and does not run. While ``writing``: it is once the command has succeeded, for that
                        is known late in a clock.
    """

    def __init__(self, commands):
        self._commands = commands
        super().__init__({
            "begin": In(1), "at_start": In(1), "writing": In(1), "written": In(1), "restart": In(1), "runs": In(1),
            "due": Out(1)})

    def elaborate(self, platform):
        m = Module()
        commands = Signal(range(self._commands + 1))
        first = Signal()            # there was none in this operation
        with m.If(self.begin):
            m.d.sync += first.eq(self.at_start)
        with m.Elif(self.restart):
            m.d.sync += first.eq(0)
        reached = (commands == self._commands) | (
            self.writing & (commands == self._commands - 1)) | first
        m.d.comb += self.due.eq(reached & ~self.runs)
        with m.If(self.begin | self.restart):
            m.d.sync += commands.eq(0)
        with m.Elif(self.written & (commands != self._commands)):
            m.d.sync += commands.eq(commands + 1)
        return m

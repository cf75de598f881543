"""The pause between two commands."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...interface import PACING

__all__ = ["CommandPacing"]


class CommandPacing(wiring.Component):
    """Delays a command that follows another, as a slower controller would.

    Parameters
    ----------
    programmable : bool     whether the user sets pause and limit; else there is neither

    Members
    -------
    user : In               the group "pacing" of :mod:`...interface`
    moves : In(1)           a data command is in flight, or a pause
    succeeded : In(1)       the command has been completed
    no_more : In(1)         it was the last one
    lost : In(1)            there is no drive: the next command fails at once, and what follows is
                            a recovery
    next_due : Out(1)       the command is over, and so is its pause
    pausing : Out(1)        the pause runs
    limit : Out(17)         the longest command that the user wants, if not 0
    """

    def __init__(self, *, programmable):
        self._programmable = programmable
        super().__init__({
            "user": In(PACING.signature), "moves": In(1), "succeeded": In(1), "no_more": In(1),
            "lost": In(1), "next_due": Out(1), "pausing": Out(1), "limit": Out(17),
        })

    def elaborate(self, platform):
        m = Module()
        if not self._programmable:
            m.d.comb += self.next_due.eq(self.succeeded)
            return m
        delay = Signal()
        over = Signal()
        left = Signal(32)
        m.d.comb += [
            self.limit.eq(self.user.command_limit),
            delay.eq(self.user.turnaround != 0),
            over.eq(self.pausing & ((left == 0) | self.lost | self.no_more)),
            self.next_due.eq((self.succeeded & (~delay | self.no_more)) | over),
        ]
        m.d.sync += [
            left.eq(Mux(self.pausing, left, self.user.turnaround) - 1),
            self.pausing.eq(self.moves & ~over & (
                self.pausing | (self.succeeded & delay & ~self.no_more))),
        ]
        return m

"""Whether a drive may be queried between two commands: one that does not answer is left alone."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .interjection import GapView

__all__ = ["MayQuery"]


class MayQuery(wiring.Component):
    """A drive that has not answered is not queried again before an operation that begins after a later
    bring-up; one that had to be reset for it, not before one after that of a drive that is
    ``gap.renewed``.

    Members
    -------
    gap : In(GapView)           What can be seen.
    runs : In(1)            The query is in flight.
    answered : In(1)        With ``runs``: that was no silence and no refusal.
    resets : In(1)          With ``runs``: the drive gets a COMRESET for it.
    may : Out(1)            The drive may be queried.
    """

    gap: In(GapView)
    runs: In(1)
    answered: In(1)
    resets: In(1)
    may: Out(1)

    def elaborate(self, platform):
        m = Module()
        gap = self.gap
        unanswered = Signal()
        since_bring_up = Signal()   # the drive has been brought up since the query
        needed_reset = Signal()     # another bring-up would change nothing
        pending = Signal()          # the answer is not there yet
        m.d.comb += self.may.eq(~unanswered)
        m.d.sync += pending.eq(self.runs & ~self.answered)
        with m.If(pending & ~self.runs):
            m.d.sync += [unanswered.eq(1), since_bring_up.eq(0)]
        with m.Elif(gap.begin & since_bring_up):
            m.d.sync += unanswered.eq(0)
        with m.If(gap.renewed | (gap.brings_up & ~needed_reset)):
            m.d.sync += since_bring_up.eq(1)
        with m.If(gap.renewed):
            m.d.sync += needed_reset.eq(0)
        with m.Elif(self.runs & self.resets):
            m.d.sync += needed_reset.eq(1)
        return m

"""How often and how soon a command is tried again, and on how fast a link."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..timer import CLOCKS_BITS, Timer

__all__ = ["Attempts"]

#: Failures of one command after which the next one on the line makes the link slower.
_DOWNSHIFT_AFTER = 2
#: The pause doubles up to this power of two times the first one.
_DOUBLINGS = 7


class Attempts(wiring.Component):
    """Counts the attempts of a command, and times the pauses between them.

    The first attempt after a failure comes at once, the others after a pause that doubles each
    time. A read that got further than before counts as progress: its attempts are counted from 0
    again.

    Parameters
    ----------
    retries : int           of one command, 0 to 255
    delay, timeout : int    clocks: of the first pause, and of the longest recovery
    retries_width : int     bits of ``retries``

    Members
    -------
    begin : In(1)           an operation begins
    succeeded : In(1)       a command has been completed
    pause : In(1)           the pause begins
    judge : In(1)           the failure is judged: ``progress`` counts
    resume_at : In(17)      sectors that the read need not move again
    confirmed : In(1)       what follows is another command, after ``resume_at``
    writes : In(1)          the command is one of a recording
    skip : In(1)            the command is not tried again
    again : In(1)           the command is issued again
    clocks : In(32)         a count of clocks that never stops
    waiting : In(1)         the recovery waits for the drive
    downshift_to : Out(2)   the generation below that of the link
    generation : In(2)      of the link, when ``pause`` comes
    by_line : In(1)         the line may be to blame
    progress : Out(1)       the read has got further than in any attempt before; a clock late
    exhausted : Out(1)      there have been as many attempts as are allowed; a clock late
    pause_over : Out(1)     the pause has passed, or none is due
    expired : Out(1)        the recovery has waited for the drive for too long
    downshift : Out(1)      the link ought to be brought up a generation lower
    retries : Out           commands issued again in this operation; it stays at its maximum
    """

    def __init__(self, *, retries, delay, timeout, retries_width=16):
        self._limit = retries
        self._delay = delay
        self._timeout = timeout
        super().__init__({
            "begin": In(1), "succeeded": In(1), "pause": In(1), "judge": In(1),
            "resume_at": In(17), "confirmed": In(1), "writes": In(1), "skip": In(1), "again": In(1),
            "waiting": In(1), "clocks": In(CLOCKS_BITS), "generation": In(2), "by_line": In(1),
            "progress": Out(1), "exhausted": Out(1), "pause_over": Out(1), "expired": Out(1),
            "downshift": Out(1), "downshift_to": Out(2), "retries": Out(retries_width),
        })

    def elaborate(self, platform):
        m = Module()
        tries = Signal(range(self._limit + 2))
        untried = Signal()          # none, a clock ago: long before it counts
        farthest = Signal(17)       # sectors that the attempts of this read have delivered
        m.d.sync += [
            self.exhausted.eq(tries >= self._limit), untried.eq(tries == 0),
            self.progress.eq(~self.writes & (farthest < self.resume_at) & (self._limit > 0)),
        ]
        with m.If(self.succeeded | self.skip):
            m.d.sync += [tries.eq(0), farthest.eq(0)]
        with m.If(self.judge & self.progress):
            m.d.sync += [tries.eq(0), farthest.eq(Mux(self.confirmed, 0, self.resume_at))]
        with m.If(self.again):
            m.d.sync += tries.eq(tries + 1)
            with m.If(~self.retries.all()):
                m.d.sync += self.retries.eq(self.retries + 1)
        with m.If(self.begin):
            m.d.sync += [tries.eq(0), farthest.eq(0), self.retries.eq(0)]

        limits = [self._delay << power for power in range(_DOUBLINGS + 1)]
        m.submodules.pause_timer = pause_timer = Timer(limits)
        with m.If(tries > _DOUBLINGS):
            m.d.comb += pause_timer.select.eq(_DOUBLINGS)
        with m.Elif(tries != 0):
            m.d.comb += pause_timer.select.eq(tries - 1)
        m.submodules.recovery_timer = recovery_timer = Timer([self._timeout])
        m.d.comb += [
            pause_timer.clocks.eq(self.clocks), recovery_timer.clocks.eq(self.clocks),
            pause_timer.restart.eq(self.pause),
            self.pause_over.eq(pause_timer.expired | untried),
            recovery_timer.restart.eq(~self.waiting),
            self.expired.eq(recovery_timer.expired),
        ]

        with m.If(self.pause):
            m.d.sync += self.downshift_to.eq(self.generation - 1)
        m.d.comb += self.downshift.eq(
            self.by_line & (tries >= _DOWNSHIFT_AFTER) & (self.downshift_to != 0)
            & (self.downshift_to != 3))
        return m

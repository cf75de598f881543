"""A recording in a mode that is interrupted, and continued."""

from amaranth.hdl import C, Mux, Signal

from ...core.drive_port import Error
from ...facts.units import SECTOR_SHIFT

__all__ = ["Suspension"]

#: Clocks after the start of an operation until the core's numbers are its.
_FRESH = 8


class Suspension:
    """What the mode stage does with a :class:`..inner.SuspensionSignature`; with None nothing, and
    all attributes are 0.

    ``suspended``: it is interrupted, from the clock after that in which it ``keeps`` on.
    ``passes``: the operation that starts in this clock is not in a mode; ``direct``: the one that
    runs is not. ``resumes``: the operation that is started, or runs, is not the first one of its
    recording. ``keeps``: the end of this operation is not that of the recording. ``ends``: the
    recording ends though no operation runs, or with one that has failed. ``waits``: a word waits.
    ``goes_on``: a recording is suspended, is about to be, or to be resumed. ``takes``: what belongs to the next
    recording is taken; with None when it begins. ``whole``: the recording that begins passes over nothing.
    """

    def __init__(self, suspension):
        self._suspension = suspension
        self.passes = self.direct = self.resumes = self.keeps = self.ends = self.waits = self.whole = C(0)
        self.goes_on = self.takes = self.suspended = C(0)

    def connect(self, m, status, course, over, source, segments):
        """``over``: the last word of the recording has passed. Returns whether another recording is started."""
        told, starts = self._suspension, course.user.start & course.idle
        if told is None:
            self.takes = starts
            return starts
        begins = starts & ~told.direct & ~told.resume
        self.takes = told.take | (begins & ~told.taken)
        self.direct = Signal()
        self.resumes = Signal()
        self.keeps = Signal()
        self.passes, self.waits, self.whole, self.suspended = told.direct, told.waits, told.taken, told.suspended
        failed = course.runs & status.done & (status.error != Error.NONE)
        self.ends = failed | told.abandon
        rewinds = Signal()
        self.goes_on = self.keeps | (course.starting & self.resumes)
        m.d.comb += [
            rewinds.eq(told.suspend & course.user.stop & course.runs & ~told.suspended & ~over),
            self.keeps.eq(rewinds | told.suspended),
            source.rewind.eq(rewinds), source.to.eq(told.position[SECTOR_SHIFT:]),
            told.position.eq(segments.position), told.first_sector.eq(segments.first_sector),
        ]
        with m.If(rewinds):
            m.d.sync += told.suspended.eq(1)
        with m.If(status.done):
            m.d.sync += self.direct.eq(0)
        with m.If(starts):
            m.d.sync += self.direct.eq(told.direct)
            with m.If(~told.direct):
                m.d.sync += [self.resumes.eq(told.resume), told.suspended.eq(0)]
        with m.If(self.ends):
            m.d.sync += told.suspended.eq(0)
        return begins

    def sectors_before(self, m, starts):
        """The sectors of the recording before the operation whose start is ``starts``."""
        if self._suspension is None:
            return C(0)
        sectors = Signal(48)
        with m.If(starts):
            m.d.sync += sectors.eq(self._suspension.position[SECTOR_SHIFT:])
        with m.If(starts & ~self.resumes):
            m.d.sync += sectors.eq(0)
        return sectors

    def recorded(self, m, sectors):
        """``sectors`` of the recording that the core has written, but for those of zeros after its words that a
        command in flight was filled with when it was interrupted."""
        if self._suspension is None:
            return sectors
        told = self._suspension
        written = Signal(48)
        m.d.comb += written.eq(sectors)
        reached = told.position[SECTOR_SHIFT:]
        return Mux(told.suspended & (written > reached), reached, written)

    def foreign(self, m, course):
        """While the core's numbers are those of an operation between two of the recording's, or of the one
        before, or None."""
        if self._suspension is None:
            return None
        left = Signal(range(_FRESH + 2))        # clocks; the highest one stays
        with m.If(course.user.start & course.idle & self._suspension.direct):
            m.d.sync += left.eq(_FRESH + 1)
        with m.Elif(course.starts):
            m.d.sync += left.eq(Mux(self.resumes, _FRESH, 0))
        with m.Elif((left != 0) & (left != _FRESH + 1)):
            m.d.sync += left.eq(left - 1)
        return left.any()

    def held(self, m, foreign, sectors):
        """``sectors`` of the recording, as they were when the core's numbers were last its: see `foreign`; not
        without a suspension."""
        latest = Signal(48)
        told = Signal(48)
        m.d.comb += told.eq(Mux(foreign, latest, sectors))
        m.d.sync += latest.eq(told)
        return told

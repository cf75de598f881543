"""The groups that stages share, and no user sees: no ports and no registers."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..interface import RECORDING, BareGroup

__all__ = ["SUSPENSION", "SuspensionSignature"]


class SuspensionSignature(wiring.Signature):
    """Interrupts a recording and continues it, seen from the side that does so.

    Between the two, other operations may be started; the recording keeps its words, triggers, segments
    and places. No word is lost: those that come meanwhile wait.

    Members
    -------
    suspend : Out(1)        With ``stop``, which ends a whole sector, while ``segment_state`` was BEFORE
                            or BEHIND in the clock of the last word: the recording does not end with
                            the operation.
    resume : Out(1)         With ``start``: the recording continues; all else that belongs to a start
                            counts as in its first operation.
    direct : Out(1)         With ``start``: the operation is not in a mode, and leaves the recording
                            that is suspended as it is.
    take : Out(1)           One clock, while no recording is suspended: ``words``, ``chunk`` and ``extend`` of the
                            next one are those of this clock, if
    taken : Out(1)          is high with its ``start``, and ``position`` is 0; else all are those of its start.
    abandon : Out(1)        The recording that is suspended, if any, is over.
    waits : Out(1)          A word is offered and does not pass, as the recording is suspended.
    suspended : In(1)       There is a recording that can be resumed.
    position : In(48)       Words of the recording that have passed.
    first_sector : In(48)   The first sector of the segment that is being recorded.
    """

    def __init__(self):
        super().__init__({
            "suspend": Out(1), "resume": Out(1), "direct": Out(1), "abandon": Out(1), "take": Out(1), "taken": Out(1),
            "waits": Out(1), "suspended": In(1), "position": In(48), "first_sector": In(48),
        })


#: Between the modes and the stage that interrupts their recordings.
SUSPENSION = BareGroup("suspension", Out(SuspensionSignature()), lambda configuration: (
    RECORDING.exists(configuration) and configuration.files))

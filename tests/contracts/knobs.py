"""What a test makes a fake drive port do."""

import enum

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from .faults import FAULTS

__all__ = ["FAULT_NUMBERS", "Knobs", "Remedy"]

#: What a fake does wrong, to what ``fault`` is then.
FAULT_NUMBERS = {name: number for number, name in enumerate(FAULTS, 1)}


class Remedy(enum.IntEnum):
    """What follows a command that has failed."""

    #: It is moved again, all of it: ``reread`` in a playback.
    AGAIN = 0
    #: A playback continues after what was delivered; a recording as with AGAIN.
    RESUME = 1
    SKIP = 2
    END = 3


class Knobs(wiring.Signature):
    """What a test makes a fake do, from one clock to the next.

    Members
    -------
    waits : Out(1)          No command begins: an operation does not, nor continues after a failure.
    stalls : Out(1)         No word moves in this clock, and the command in flight stops.
    longest : Out           Sectors of the next command, at most; 0: as many as can be.
    retains : Out(1)        The next command of a recording asks for its words to be kept.
    burst : Out             Words of a playback that are found good together.
    fails : Out(1)          The command in flight fails after ``fail_after`` words, or at once
                            if more have moved; those from ``bad_from`` on come inverted and are
                            not found good.
    remedy : Out(Remedy)    What follows.
    flush_fails : Out(1)    FLUSH CACHE fails.
    fault : Out(8)          One of :data:`FAULT_NUMBERS`, or 0.
    """

    def __init__(self):
        super().__init__({
            "waits": Out(1), "stalls": Out(1), "longest": Out(17), "retains": Out(1),
            "burst": Out(12, init=2048),
            "fails": Out(1), "fail_after": Out(24), "bad_from": Out(24, init=(1 << 24) - 1),
            "remedy": Out(Remedy), "flush_fails": Out(1), "fault": Out(8),
        })

"""What is told to the brick of recordings, and what it tells."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..described_enum import DescribedEnum

__all__ = ["RecordingMode", "RecordingSignature", "RecordingState"]

_WORDS = _SECTORS = 48


class RecordingMode(DescribedEnum):
    """What a recording does with its space."""

    FIXED = 0, "fill it once, and end after ``words`` words"
    UNTIL_STOPPED = 1, "fill it once, and end with stop, or when it is full"
    RING = 2, "fill it again and again, and end with stop"


class RecordingState(DescribedEnum):
    """What a recording does."""

    IDLE = 0, "there is none"
    STARTING = 1, "it has been asked for"
    RUNNING = 2, "it accepts words, unless its space is full"
    CLOSING = 3, "it accepts no more words; those that it has are written"


class RecordingSignature(wiring.Signature):
    """The brick, seen from its user.

    A word of a recording has a number, that of the words accepted before it; sector s has the words
    128 s to 128 s + 127.

    Members
    -------
    mode : Out(RecordingMode)   With ``start``: what the recording does.
    words : Out(48)         With ``start`` of FIXED: how many words are recorded; 0, or more than the
                            space has: all of it.
    ahead : Out(17)         With ``start``: sectors by which a command may be longer than what is in
                            the buffer; 65536 or more: any number, for words that will come for
                            certain.
    state : In(RecordingState)
    newest : In(48)         The sectors of the recording that have been written, or were passed over;
                            2 clocks late.
    oldest : In(48)         The first sector of the recording that is still there: no command has
                            been begun that writes over it, or over one behind it. Sector s is at
                            ``lba`` + (s mod ``sectors``). 3 clocks late, so that a command cannot
                            have written anything yet.
    """

    def __init__(self):
        super().__init__({
            "mode": Out(RecordingMode), "words": Out(_WORDS), "ahead": Out(17),
            "state": In(RecordingState), "newest": In(_SECTORS), "oldest": In(_SECTORS),
        })

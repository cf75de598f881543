"""What a recording does with its space, and what it does just now."""

from ...facts.described_enum import DescribedEnum

__all__ = ["RecordingMode", "RecordingState", "SegmentState"]


class RecordingMode(DescribedEnum):
    """What a recording does with its space."""

    FIXED = 0, "fill it once, and end after the given number of words"
    UNTIL_STOPPED = 1, "fill it once, and end with stop, or when it is full"
    RING = 2, "fill it again and again, and end with stop"
    TRIGGERED = 3, "fill a part of it again and again until a trigger and for some words behind it, " \
                   "then the next part"


class RecordingState(DescribedEnum):
    """What a recording does."""

    IDLE = 0, "there is none"
    STARTING = 1, "it has been asked for"
    RUNNING = 2, "it accepts words, unless its space is full"
    CLOSING = 3, "it accepts no more words; those that it has are written"


class SegmentState(DescribedEnum):
    """What the segment does that is being recorded."""

    NONE = 0, "there is none"
    BEFORE = 1, "it waits for its trigger, if the mode has one"
    BEHIND = 2, "the words behind its trigger are being recorded"
    BETWEEN = 3, "it has ended; the next one begins with the first word of its part"

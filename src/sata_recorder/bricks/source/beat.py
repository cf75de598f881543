"""A beat of a stream, and what happens beside it."""

from amaranth.lib import data

from .recording_boundary import NUMBER_BITS

__all__ = ["LOST_BITS", "beat_layout"]

#: Bits of a number of lost beats: an hour at 250 MHz.
LOST_BITS = 40


def beat_layout(width, *, counts):
    """The layout of a beat of ``width`` bits.

    Without ``has_data`` there is no beat: something happens after the one before. ``boundary``: this and all that
    follows is after the end of a recording, with its ``number``, see :class:`.recording_boundary.RecordingBoundary`.
    ``trigger`` and ``pps`` happen
    before the data, ``stop`` after them. ``last``: a file ends with the bytes that are in ``keep``. With ``counts``
    there is ``lost``: as many beats were lost before this one.
    """
    return data.StructLayout({
        "data": width, "has_data": 1, "boundary": 1, "number": NUMBER_BITS, "trigger": 1, "pps": 1, "stop": 1,
        "last": 1, "keep": width // 8, **({"lost": LOST_BITS} if counts else {})})

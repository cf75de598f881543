"""A beat of a playback, and what ends it."""

from amaranth.lib import data

from ...interface.group import WORD

__all__ = ["played_layout"]


def played_layout(width):
    """The layout of a beat of ``width`` bits, 32 or more.

    ``keep``: the words that were played back, from the lowest on; none in a beat that only marks an end. ``last``: the
    playback ends with this beat; ``cut``: before its last word. ``resumes``: it was the last one before a stop,
    what comes now is no longer to be dropped.
    """
    return data.StructLayout({"data": width, "keep": width // WORD, "last": 1, "cut": 1, "resumes": 1})

"""The face of a recorder: its streams and its groups, as its user sees them."""

from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .base import BASE
from .group import WORD

__all__ = ["StreamsSignature", "UserSignature", "part"]


class StreamsSignature(wiring.Signature):
    """The streams of a recorder, as its user sees them.

    Members
    -------
    i : Out(stream 32)      Words to be recorded. Bits 7:0 are the first byte on the disk.
    o : In(stream 32)       Words played back.
    last : In(1)            With ``o.valid``: the word is the last one of the operation.
    """

    def __init__(self, members={}):
        super().__init__({"i": Out(stream.Signature(WORD)), "o": In(stream.Signature(WORD)),
                          "last": In(1), **members})


class UserSignature(StreamsSignature):
    """All that a recorder offers, as its user sees it: the streams and its groups.

    What is built around a core has this face on both sides, so that such parts can be stacked.

    Parameters
    ----------
    groups : Group      What there is beside :data:`.base.BASE`.

    Members
    -------
    i, o, last      The streams, see :class:`StreamsSignature`.
    control, status, counters, identify, ledger, journal, and the ``groups`` : Out
                    Their signatures.
    away : In(1)    The drive is absent or is being brought up, also in the midst of an operation:
                    what is on it may not be what it was. For what stands round the core; no port.
    """

    def __init__(self, *groups):
        super().__init__({"away": In(1), **{
            group.name: Out(group.signature)
            for group in (*BASE, *sorted(groups, key=lambda group: group.name))}})


def part(face, group):
    """The ports of ``group`` among the members of ``face``."""
    return getattr(face, group.name)

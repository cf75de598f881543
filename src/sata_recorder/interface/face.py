"""The user interface of a recorder: its streams and its groups, as its user sees them."""

from collections.abc import Iterable
from typing import Any

from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .base import BASE
from .group import WORD, BareGroup, Group

__all__ = ["AWAY", "CHECKS", "Face", "LAST", "LINK", "STREAMS", "STREAM_IN", "STREAM_OUT", "StreamsSignature",
           "UserSignature", "part"]

#: With more bits it is that of an array.
STREAM_IN = BareGroup("i", Out(stream.Signature(WORD)), lambda configuration: configuration.array_width == WORD)
STREAM_OUT = BareGroup("o", In(stream.Signature(WORD)))
LAST = BareGroup("last", In(1))
STREAMS = (STREAM_IN, STREAM_OUT, LAST)
AWAY = BareGroup("away", In(1))
#: Of an array, for the files stage: it looks whose its drives are, after an operation, too. Until that is over it is
#: not ready, which may be all that is wrong.
CHECKS = BareGroup("checks", In(1), lambda configuration: configuration.files and configuration.drives > 1)
LINK = BareGroup("link", Out(wiring.Signature({"up": In(1), "generation": In(2)})))


class Face(wiring.Signature):
    """Groups, each a member by its name, as the user of what has them sees them.

    Parameters
    ----------
    groups : Group or BareGroup
    """

    def __init__(self, *groups: Group | BareGroup) -> None:
        super().__init__({group.name: group.member for group in groups})


class StreamsSignature(wiring.Signature):
    """The streams of a recorder, as its user sees them.

    Members
    -------
    i : Out(stream 32)      Words to be recorded. Bits 7:0 are the first byte on the disk.
    o : In(stream 32)       Words played back.
    last : In(1)            With ``o.valid``: the word is the last one of the operation.
    """

    def __init__(self, members: Iterable[tuple[str, Any]] = ()) -> None:
        super().__init__({**Face(*STREAMS).members, **dict(members)})


class UserSignature(Face):
    """All that a recorder offers, as its user sees it: the streams and its groups.

    Parameters
    ----------
    groups : Group      The groups besides those of :data:`.base.BASE`.

    Members
    -------
    i, o, last      The streams, see :class:`StreamsSignature`.
    control, status, counters, identify, ledger, journal, and the ``groups`` : Out
                    Their signatures.
    away : In(1)    The drive is absent or is being brought up, also in the middle of an operation:
                    what is on it may not be what it was. ``ready`` stays low until it has been identified again, which
                    takes more than a few clocks. For what is around the core; no port.
    link : Out      What the dword port reports about the link, in the same clock: ``up``, and ``generation`` meanwhile.
                    For what is around the core; the ports are those of the PHY.
    """

    def __init__(self, *groups: Group | BareGroup) -> None:
        super().__init__(*STREAMS, AWAY, LINK, *BASE, *sorted(groups, key=lambda group: group.name))


def part(face: Any, group: Group | BareGroup) -> Any:
    """The ports of ``group`` among the members of ``face``."""
    return getattr(face, group.name)

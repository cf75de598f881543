"""What drives do before there is a link, beyond the shortest way that the specification has."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PhyHabits:
    """Habits of a drive's phy.

    ``deaf``: it hears nothing of COMWAKE, so it only sends COMINIT. ``beacon``: it hears nothing
    at all, COMRESET neither. ``order``: the generations in which it sends ALIGN, one after the
    other; empty: from its fastest down. ``keeps_aligning``: it continues with ALIGN until the host
    sends something else, and starts over with COMINIT if that comes earlier than the first or
    later than the second of these seconds after the host's ALIGN; None: it sends dwords of its own
    after the host's ALIGN. ``false_primitives``: this many dwords in a row between two ALIGN, each
    with K28.3 in front and no primitive, as a corrupted byte makes them. ``ignores_align``: it
    never recognises the host's ALIGN, so it goes through its speeds and fails. ``amplitude``: it takes
    for a gap only what has no amplitude, electrical idle, and no constant word (as some drives were seen
    to do with a host whose gaps are constant words, LiteICLink's pull request 33).
    """

    deaf: bool = False
    beacon: bool = False
    order: tuple = ()
    keeps_aligning: tuple | None = None
    false_primitives: int = 0
    ignores_align: bool = False
    amplitude: bool = False

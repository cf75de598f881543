"""A frame that waits at the drive's link (Serial ATA Revision 3.x, link layer, frames)."""

from ..protocol.frame import scrambled


class Frame:
    """One FIS on its way to the host.

    Parameters: ``fis`` bytes; ``ready_at`` link clock before which no X_RDY is sent; ``holds`` list
    of (index of the dword in the frame, SOF being 0, before which HOLD is sent; number of HOLDs);
    ``stop_at`` index at which the drive stops sending: SYNC escape, or HOLD forever if ``vanish``;
    ``damage`` XORed into the CRC; ``cut`` is the number of dwords after which EOF comes, with no
    CRC, None for all of them and the CRC; ``extra`` dwords at the end of the FIS count for nothing;
    ``tag`` is the sender's own note. ``fis`` None makes it a power request ``primitive``.
    """

    __slots__ = ("fis", "ready_at", "holds", "stop_at", "vanish", "tag", "words", "primitive",
                 "resends", "extra")

    def __init__(self, fis, ready_at=0, holds=(), stop_at=None, vanish=False, damage=0, cut=None,
                 extra=0, tag=None, primitive=0):
        self.fis = fis
        self.ready_at = ready_at
        self.holds = list(holds)
        self.stop_at = stop_at
        self.vanish = vanish
        self.tag = tag
        self.primitive = primitive
        self.resends = 0
        self.extra = extra
        self.words = scrambled(fis, damage) if fis is not None else None
        if cut is not None:
            del self.words[min(cut + 1, len(self.words) - 2):-1]

"""Whether the drive has room for one more frame."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import SECTOR_SHIFT, SECTOR_WORDS
from ...facts.vita49 import AROUND

__all__ = ["FrameRoom"]

#: Clocks from a look at what is in hand until what was taken from the rest is in hand; and until all of a new
#: recording is.
_REFILL, _LOAD = 4, 5


class FrameRoom(wiring.Component):
    """Counts the sectors that are left besides a longest frame and the last one.

    Most of them are in a long sum, of which a part is always in hand, in a short one that is exact in each clock: a
    frame may end with the word with which it begins, and the next one begin a clock later.

    Parameters
    ----------
    payload : int           The most words of payload in a frame.

    Members
    -------
    begin : In(1), sectors : In(48), endless : In(1)        See :class:`.framer.VrlFramer`.
    begun : Out(1)          ``fits`` counts from here on, 5 clocks after ``begin``.
    enters : In(1)          A word enters a frame.
    begins : In(1)          With ``enters``: it is the first one.
    closes : In(1)          The frame ends in this clock, with the word that enters if one does.
    fits : Out(1)           There is room for a frame.
    """

    begin: In(1)
    sectors: In(48)
    endless: In(1)
    begun: Out(1)
    enters: In(1)
    begins: In(1)
    closes: In(1)
    fits: Out(1)

    def __init__(self, payload):
        self._longest = _sectors(payload)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        longest = self._longest
        # A frame begins in each clock at most, and if it ends at once it costs one sector.
        few = longest + 2 * _REFILL
        shift = (few + 2 * longest).bit_length()
        rest = Signal(48)           # sectors that are not in hand
        hand = Signal(signed(shift + 3))    # but for what happened a clock ago
        following = Signal.like(hand)       # in the next clock
        latest = Signal(signed(longest.bit_length() + 1))
        now = hand + latest
        refill = Signal(shift + 1)      # those on their way from the rest
        refills = Signal()
        is_low = Signal()
        waits = Signal(_REFILL)     # since the latest refill
        begun = Signal(_LOAD)
        much = rest[shift:].any()
        m.d.comb += [
            refills.eq(is_low & ~waits.any()),
            following.eq(now + refill), self.begun.eq(begun[-1]),
        ]
        back, longer = self._back(m)
        m.d.sync += [
            begun.eq((begun << 1) | self.begin), waits.eq((waits << 1) | refills), is_low.eq(hand < few),
            hand.eq(following), refill.eq(0),
            latest.eq(Mux(self.closes, Mux(self.enters, longer, back), 0) - Mux(self.begins, longest, 0)),
            # Each sum is there early in a clock, and what happens in it comes late: this is now >= 0 of the next clock.
            self.fits.eq(Mux(
                self.begins, Mux(self.closes, following >= _sectors(1), following >= longest), Mux(
                    self.closes, Mux(self.enters, following + longer >= 0, following + back >= 0), following >= 0))),
        ]
        with m.If(refills):
            m.d.sync += refill.eq(Mux(much, 1 << shift, rest[:shift]))
            with m.If(much):
                m.d.sync += rest[shift:].eq(rest[shift:] - 1)
            with m.Else():
                m.d.sync += rest[:shift].eq(0)
        with m.If(self.begin):
            m.d.sync += [rest.eq(self.sectors | self.endless.replicate(48)), hand.eq(-(longest + 1)), latest.eq(0),
                         refill.eq(0), waits.eq(0), is_low.eq(0), begun.eq(1), self.fits.eq(0)]
        return m

    def _back(self, m):
        """What a frame that ends in this clock gives back of the sectors of a longest one; and with one more word."""
        longest = self._longest
        place = Signal(SECTOR_SHIFT, init=AROUND)       # words in its last sector
        back = Signal(range(longest + 1), init=longest - _sectors(0))
        longer = Signal(range(longest + 1), init=longest - _sectors(1))     # with one more word
        with m.If(self.closes | self.begin):
            m.d.sync += [place.eq(place.init), back.eq(back.init), longer.eq(longer.init)]
        with m.Elif(self.enters):
            m.d.sync += [place.eq(place + 1), back.eq(longer), longer.eq(longer - place.all())]
        return back, longer


def _sectors(words):
    """The sectors of a frame with this many words of payload."""
    return (words + AROUND + SECTOR_WORDS - 1) >> SECTOR_SHIFT

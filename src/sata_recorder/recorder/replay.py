"""What of a failed command need not, or cannot, be moved again."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..units import SECTOR_SHIFT

__all__ = ["Replay"]

#: More sectors than this are never owed: each skip is an entry of the journal, which has few.
_OWED_WIDTH = 25


class Replay(wiring.Component):
    """Counts the words of each command, and settles after ``rewind`` which of them are past.

    A recording whose words are not kept goes on behind the sector in which the last word that
    left the buffer is; the rest of that sector is owed, that is, to be dropped. A play-back goes
    on at the sector of the first word that has not been delivered for good; the words of that
    sector that have been are repeated by the drive and not taken. ``skip`` makes the words of
    more sectors owed: to be dropped, or to be replaced by zeros.

    Parameters
    ----------
    verify : bool   words of a play-back count when they are good, not when they come
    skips : bool    if not, ``skip`` never comes, and a recording that would have to drop the rest
                    of a sector ends: nothing is ever owed

    Members
    -------
    begin, playing, command, completed, verified, rewind, repeat, skip, skip_sectors : In
    behind, partial, tainted : Out
                            see :class:`..sequencer.StreamSignature`
    kept : In(1)            words of this command are kept
    moved : In(1)           recording: a word was taken by the drive; playing: one has come
    passed : In(1)          a word that is owed was dropped, or replaced by zero
    forget : In(1)          nothing is owed any more
    parked : Out(1)         from the clock after ``rewind`` to ``command``: no word may move
    rewound : Out(1)        one clock after ``rewind``: the buffer is to go back
    repeated : Out(1)       playing: the next word that comes is not to be taken
    owing : Out(1)          words are owed, ``passed`` may come
    free : Out(1)           neither ``parked`` nor ``owing``
    settled : Out(1)        neither ``rewind`` nor ``skip`` were in the last 3 clocks
    """

    def __init__(self, *, verify, skips=True):
        self._verify = verify
        self._skips = skips
        super().__init__({
            "begin": In(1), "playing": In(1), "command": In(1), "completed": In(1),
            "verified": In(1), "rewind": In(1), "repeat": In(1),
            "skip": In(1), "skip_sectors": In(17),
            "kept": In(1), "moved": In(1), "passed": In(1), "forget": In(1),
            "behind": Out(17), "partial": Out(1), "tainted": Out(1), "parked": Out(1),
            "rewound": Out(1), "repeated": Out(1), "owing": Out(1), "free": Out(1),
            "settled": Out(1, init=1),
        })

    def elaborate(self, platform):
        m = Module()
        moved = Signal(17 + SECTOR_SHIFT)      # words of this command
        past = Signal.like(moved)               # playing: those delivered for good
        before = Signal.like(moved)             # the same, before the latest ``rewind``
        any_before = Signal()
        m.d.sync += any_before.eq(before.any())
        fresh = Signal()                        # playing: words have come since ``verified``

        m.d.sync += self.rewound.eq(self.rewind)
        parks = Signal()
        with m.If(self.begin | self.command):
            m.d.comb += parks.eq(0)
        with m.Else():
            m.d.comb += parks.eq(self.parked | self.rewind)

        # Clocks 1 to 3 after an event: the last word of the command is counted and the buffer
        # goes back; what is past is computed; it is there.
        since = Signal(2)
        settles = Signal()
        m.d.comb += settles.eq(~(self.rewind | self.skip | since.any()))
        m.d.sync += [
            since.eq(Cat(self.rewind | self.skip, since)),
            self.settled.eq(settles),
            self.parked.eq(parks),
        ]
        assess = Signal()
        skips = Signal()
        m.d.sync += [assess.eq(self.rewound), skips.eq(self.skip)]

        words, sectors = moved[:SECTOR_SHIFT], moved[SECTOR_SHIFT:]
        delivered, whole = past[:SECTOR_SHIFT], past[SECTOR_SHIFT:]
        begun = self.playing & delivered.any()      # a sector that has been delivered in part
        m.d.comb += self.partial.eq(begun)
        counts = self.verified if self._verify else 1
        repeats = Signal.like(moved)
        ends = Signal()
        m.d.sync += ends.eq(Mux(self.moved, repeats == 2, repeats == 1))
        with m.If(self.begin | self.completed | assess):
            m.d.sync += [moved.eq(0), fresh.eq(0)]
        with m.Else():
            m.d.sync += [
                moved.eq(moved + self.moved),
                fresh.eq((fresh & ~self.verified) | (self.moved & ~self.repeated)),
            ]
        with m.If(self.begin | self.completed):
            m.d.sync += past.eq(0)
        with m.Elif(assess):
            m.d.sync += [past.eq(delivered), before.eq(past)]
        with m.Elif(self.repeat):
            m.d.sync += past.eq(before)
        with m.Elif(skips):
            m.d.sync += past.eq(0)
        with m.Elif(counts & ~self.repeated):
            m.d.sync += past.eq(moved)

        with m.If(self.begin | skips):
            m.d.sync += [repeats.eq(0), self.repeated.eq(0)]
        with m.Elif(assess):
            m.d.sync += [repeats.eq(delivered), self.repeated.eq(begun)]
        with m.Elif(self.repeat):
            m.d.sync += [repeats.eq(before), self.repeated.eq(any_before)]
        with m.Elif(self.moved & self.repeated):
            m.d.sync += [repeats.eq(repeats - 1), self.repeated.eq(~ends)]

        with m.If(assess):
            m.d.sync += self.tainted.eq(0 if self._verify else self.playing & fresh)
            with m.If(self.playing):
                m.d.sync += self.behind.eq(whole)
            with m.Else():
                m.d.sync += self.behind.eq(Mux(self.kept, 0, sectors + words.any()))

        owes = Signal()
        m.d.sync += [
            self.owing.eq(owes & settles),
            self.free.eq(~parks & ~(owes & settles)),
        ]
        if not self._skips:
            return m

        # Words that are owed: 128 x owed_sectors + owed_words.
        owed_words = Signal(SECTOR_SHIFT)
        owed_sectors = Signal(_OWED_WIDTH)
        none_whole = Signal()
        more = Signal(17)
        any_more = Signal()
        owing = Signal()
        m.d.sync += [
            owing.eq(owes),
            none_whole.eq(owed_sectors == 0),
            more.eq(self.skip_sectors - begun),
            any_more.eq(self.skip_sectors != 0),
        ]
        m.d.comb += owes.eq(owing)
        with m.If(self.begin | self.forget):
            m.d.comb += owes.eq(0)
            m.d.sync += [owed_words.eq(0), owed_sectors.eq(0)]
        with m.Elif(assess):
            with m.If(~self.playing & ~self.kept & words.any()):
                m.d.comb += owes.eq(1)
                m.d.sync += owed_words.eq(-words)
        with m.Elif(skips):
            m.d.comb += owes.eq(owing | any_more)
            m.d.sync += owed_sectors.eq(owed_sectors + more)
            with m.If(begun):
                m.d.sync += owed_words.eq(-delivered)
        with m.Elif(self.passed):
            m.d.comb += owes.eq((owed_words != 1) | ~none_whole)
            m.d.sync += [
                owed_words.eq(owed_words - 1),
                owed_sectors.eq(owed_sectors - (owed_words == 0)),
            ]
        return m

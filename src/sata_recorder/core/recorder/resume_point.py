"""Where a failed command resumes: what of it need not, or cannot, be moved again."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import LONG_SECTOR_BLOCKS, LONG_SECTOR_SHIFT, SECTOR_SHIFT
from ..drive_port import RecoveryPort

__all__ = ["ResumePoint"]

#: Bits of the sectors that can be pending: each skip is an entry of the journal, which has few.
_PENDING_WIDTH = 25


class ResumePoint(wiring.Component):
    """Finds where a failed command resumes. The buffer gives the words again.

    It counts the words of each command, and settles after ``rewind`` which of them are past.

    A recording whose words are not kept resumes after the sector of the last word that left the
    buffer; the other words of that sector are discarded. A playback resumes at the sector of the
    first word whose delivery is not final; the words of that sector that were delivered are
    sent again by the drive and not taken. ``skip`` makes the words of more sectors pending: they
    are discarded, or zeros are delivered in their place. While ``long``, 8 sectors count as one.

    Parameters
    ----------
    verify : bool   Whether words of a playback count when they are good, not when they come.
    skips : bool    Whether ``skip`` may come. If not, a recording that would have to discard the
                    rest of a sector ends: nothing is ever pending.
    queued : bool   Whether commands of a recording may be of what is in hand: whether ``gathers``
                    counts.
    long_sectors : bool     Whether ``long`` counts.

    Members
    -------
    begin : In(1)           An operation begins. No word moves in this clock and the next.
    playing, command, completed, verified : In(1)   See :class:`..drive_port.DrivePort`.
    recovery : Out(RecoveryPort)    What follows a command that has failed.
    kept : In(1)            The words of this command are kept.
    moved : In(1)           In a recording, the drive took a word; in a playback, one has come.
    stopped : In(1)         The user wants no more words.
    passed : In(1)          A pending word was discarded, or replaced by zero.
    forget : In(1)          Nothing is pending any more.
    stalled : Out(1)        No word may move. It is high from the clock after ``rewind`` to
                            ``command``.
    rewound : Out(1)        The buffer is to go back. It is high one clock after ``rewind``.
    repeated : Out(1)       In a playback, the next word that comes has been delivered before.
    discard_pending : Out(1)        Words are to be discarded or replaced: ``passed`` may come.
    free : Out(1)           Neither ``stalled`` nor ``discard_pending`` is high.
    quiet : Out(1)          Neither ``rewind`` nor ``skip`` came in the last 3 clocks.
    gathers : In(1)         A command of the recording must not count on words that are pending.
    long : In(1)            See :class:`..drive_port.DrivePort`.
    """

    def __init__(self, *, verify, skips=True, queued=False, long_sectors=False):
        self._long_sectors = long_sectors
        self._queued = queued
        self._verify = verify
        self._skips = skips
        super().__init__({
            "begin": In(1), "playing": In(1), "command": In(1), "completed": In(1),
            "verified": In(1), "recovery": Out(RecoveryPort()),
            "kept": In(1), "moved": In(1), "stopped": In(1), "passed": In(1), "forget": In(1),
            "stalled": Out(1), "rewound": Out(1), "repeated": Out(1),
            "discard_pending": Out(1), "free": Out(1), "quiet": Out(1, init=1),
            "gathers": In(1), "long": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        recovery = self.recovery
        moved = Signal(17 + SECTOR_SHIFT)      # words of this command
        past = Signal.like(moved)               # playing: those whose delivery is final
        before = Signal.like(moved)             # the same, before the latest ``rewind``
        any_before = Signal()
        m.d.sync += any_before.eq(before.any())
        fresh = Signal()                        # playing: words have come since ``verified``

        m.d.sync += self.rewound.eq(recovery.rewind)
        stalls = Signal()
        with m.If(self.begin | self.command):
            m.d.comb += stalls.eq(0)
        with m.Else():
            m.d.comb += stalls.eq(self.stalled | recovery.rewind)

        # Clocks 1 to 3 after an event: the last word of the command is counted and the buffer
        # goes back (1); what is past is computed (2); it is valid (3).
        since = Signal(2)
        settles = Signal()
        m.d.comb += settles.eq(~(recovery.rewind | recovery.skip | since.any()))
        m.d.sync += [
            since.eq(Cat(recovery.rewind | recovery.skip, since)),
            self.quiet.eq(settles),
            self.stalled.eq(stalls),
        ]
        assess = Signal()
        skips = Signal()
        begins = Signal()       # a clock late: in its own it would have to reach many flops
        m.d.sync += [assess.eq(self.rewound), skips.eq(recovery.skip), begins.eq(self.begin)]

        words, sectors = self._split(moved)
        delivered, whole = self._split(past)
        begun = self.playing & delivered.any()      # a sector that has been delivered in part
        m.d.comb += recovery.partial.eq(begun)
        counts = self.verified if self._verify else 1
        repeats = Signal.like(moved)
        ends = Signal()
        m.d.sync += ends.eq(Mux(self.moved, repeats == 2, repeats == 1))
        with m.If(begins | self.completed | assess):
            m.d.sync += [moved.eq(0), fresh.eq(0)]
        with m.Else():
            m.d.sync += [
                moved.eq(moved + self.moved),
                fresh.eq((fresh & ~self.verified) | (self.moved & ~self.repeated)),
            ]
        with m.If(begins | self.completed):
            m.d.sync += past.eq(0)
        with m.Elif(assess):
            m.d.sync += [past.eq(delivered), before.eq(past)]
        with m.Elif(recovery.reread):
            m.d.sync += past.eq(before)
        with m.Elif(skips):
            m.d.sync += past.eq(0)
        with m.Elif(counts & ~self.repeated):
            m.d.sync += past.eq(moved)

        with m.If(begins | skips):
            m.d.sync += [repeats.eq(0), self.repeated.eq(0)]
        with m.Elif(assess):
            m.d.sync += [repeats.eq(delivered), self.repeated.eq(begun)]
        with m.Elif(recovery.reread):
            m.d.sync += [repeats.eq(before), self.repeated.eq(any_before)]
        with m.Elif(self.moved & self.repeated):
            m.d.sync += [repeats.eq(repeats - 1), self.repeated.eq(~ends)]

        with m.If(assess):
            m.d.sync += recovery.tainted.eq(0 if self._verify else self.playing & fresh)
            with m.If(self.playing):
                m.d.sync += recovery.resume_offset.eq(whole)
            with m.Else():
                begins_one = words.any()
                if self._long_sectors:
                    begins_one = Mux(self.long, begins_one << LONG_SECTOR_SHIFT, begins_one)
                m.d.sync += recovery.resume_offset.eq(Mux(self.kept, 0, sectors + begins_one))

        pends = Signal()
        ends_between = self.playing | self.stopped      # ``settled`` waits for what is pending
        if self._queued:
            ends_between |= self.gathers
        m.d.sync += [
            self.discard_pending.eq(pends & settles),
            self.free.eq(~stalls & ~(pends & settles)),
            recovery.settled.eq(self.quiet & ~recovery.rewind & ~recovery.skip
                                & ~(self.discard_pending & ends_between)),
        ]
        if self._skips:
            self._pend(m, pends, assess, skips, words, delivered, begun)
        return m

    def _pend(self, m, pends, assess, skips, words, delivered, begun):
        """Words that are pending: 128 x pending_sectors + pending_words."""
        recovery = self.recovery
        pending_words = Signal(SECTOR_SHIFT)
        pending_sectors = Signal(_PENDING_WIDTH)
        none_whole = Signal()
        more = Signal(17)
        any_more = Signal()
        pending = Signal()
        m.d.sync += [
            pending.eq(pends),
            none_whole.eq(pending_sectors == 0),
            more.eq(recovery.skip_sectors - (self._begun(delivered) if self._long_sectors else begun)),
            any_more.eq(recovery.skip_sectors != 0),
        ]
        m.d.comb += pends.eq(pending)
        with m.If(self.begin | self.forget):
            m.d.comb += pends.eq(0)
            m.d.sync += [pending_words.eq(0), pending_sectors.eq(0)]
        with m.Elif(assess):
            with m.If(~self.playing & ~self.kept & words.any()):
                m.d.comb += pends.eq(1)
                m.d.sync += pending_words.eq(-words)
                if self._long_sectors:
                    with m.If(self.long):
                        m.d.sync += pending_sectors.eq(LONG_SECTOR_BLOCKS - self._begun(words))
        with m.Elif(skips):
            m.d.comb += pends.eq(pending | any_more)
            m.d.sync += pending_sectors.eq(pending_sectors + more)
            with m.If(begun):
                m.d.sync += pending_words.eq(-delivered)
        with m.Elif(self.passed):
            m.d.comb += pends.eq((pending_words != 1) | ~none_whole)
            m.d.sync += [
                pending_words.eq(pending_words - 1),
                pending_sectors.eq(pending_sectors - (pending_words == 0)),
            ]

    def _split(self, words):
        """The ``words`` after the last whole sector, and the number of whole sectors."""
        part, whole = words[:SECTOR_SHIFT], words[SECTOR_SHIFT:]
        if not self._long_sectors:
            return part, whole
        among = whole[:LONG_SECTOR_SHIFT]     # its place among those that count as one
        return (Cat(part, among & self.long.replicate(LONG_SECTOR_SHIFT)),
                Cat(among & ~self.long.replicate(LONG_SECTOR_SHIFT), whole[LONG_SECTOR_SHIFT:]))

    @staticmethod
    def _begun(words):
        """The sectors of 512 bytes that ``words`` have begun."""
        return words[SECTOR_SHIFT:] + words[:SECTOR_SHIFT].any()

"""An extent as a chain of commands."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import LONG_SECTOR_SHIFT
from ..drive_port import SectorSpan
from .recovery import ResumeSignature

__all__ = ["ExtentSplitter"]


class ExtentSplitter(wiring.Component):
    """Cuts an extent into commands, each prepared while the one before it runs.

    When all of an extent has been begun, the span that ``waits`` is next: its first command is
    prepared in the same way, and with it the span becomes the extent.

    Parameters
    ----------
    max_sectors : int
        Longest command, 1 to 65,536.
    queued : bool
        Whether a span may follow the extent; else ``waits`` and ``gathers`` are not driven.
        What is valid 6 clocks after an event is then valid 7 clocks after it.

    Members
    -------
    load : In(1)            an extent begins
    lba, sectors : In(48)   with ``load``: the extent
    lba48 : In(1)           commands may exceed 256 sectors
    limit : In(17)          longest command, if not 0; stable from ``load`` on
    capacity : In(48)       sectors of the drive
    shorten : In(1)         no further command may have more than ``shorten_to`` sectors
    shorten_to : In(17)     the sectors that are still wanted, with ``shorten``
    next : In(1)            the next command begins
    clear : In(1)           ``command_lba`` and ``command_sectors`` become 0
    completed : In(1)       the command has been completed
    resume : In(ResumeSignature)    where the extent continues after a failure. ``sectors_done`` is
                            valid 2 clocks after ``completed`` and 3 after ``rewind``. While
                            ``no_more``, ``next`` must not come; it is valid 6 clocks after
                            ``load``, ``next`` or ``rewind``
    command_lba : Out(48), command_sectors : Out(17)    the command, from the clock after ``next``
    next_sectors : Out(17)  sectors of the command that ``next`` would begin; valid like ``no_more``
    origin : Out(48)        the first sector of the extent, from the clock after ``load``
    next_lba : Out(48)      the sector after the last command that was begun; it moves 4 clocks
                            after ``next``
    beyond : Out(1)         the extent ends beyond ``capacity``; valid 3 clocks after ``load``
    waits : In(1)           ``span`` follows the extent; until ``taken`` both stay
    span : In(SectorSpan)         what follows
    taken : Out(1)          the span has become the extent, 2 clocks after ``next``: ``waits`` falls
    gathers : In(1)         no further command may have more than ``shorten_to`` sectors, and 0 does
                            not end the extent
    gathering : Out(1)      with ``no_more``: only ``gathers`` is why there is no command
    begun : Out(48)         sectors of all extents since ``load`` for which a command has begun,
                            or that were passed over
    long : In(1)            all commands are multiples of 8 sectors, if extents, spans, ``shorten_to`` and
                            ``max_sectors`` are; of ``limit``, what is a multiple counts, at least 8
    """

    def __init__(self, *, max_sectors, queued=False):
        self._max_sectors = max_sectors
        self._queued = queued
        super().__init__({
            "load": In(1), "lba": In(48), "sectors": In(48), "lba48": In(1), "limit": In(17),
            "capacity": In(48),
            "shorten": In(1), "shorten_to": In(17), "next": In(1), "clear": In(1),
            "completed": In(1), "resume": In(ResumeSignature()),
            "command_lba": Out(48), "command_sectors": Out(17), "next_sectors": Out(17),
            "origin": Out(48), "next_lba": Out(48), "beyond": Out(1),
            "waits": In(1), "span": In(SectorSpan), "taken": Out(1), "gathers": In(1),
            "gathering": Out(1), "begun": Out(48), "long": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        resume = self.resume
        origin, next_lba = self.origin, self.next_lba
        size = Signal(48)
        begun = Signal(48)          # sectors for which a command has begun, or that were passed over
        left = Signal(48)           # the others
        planned = Signal(17)
        longest = self._longest(m)
        end = Signal(49)
        # By how much ``begun`` advances, or goes back if negative.
        moves = Signal(2)
        step = Signal(signed(18))
        counts = Signal()
        candidate = Signal(17)
        rewound = Signal()
        shortens = self.shorten | self.gathers
        m.d.comb += candidate.eq(Mux(shortens & (self.shorten_to < planned),
                                     self.shorten_to, planned))
        with m.If(resume.again):
            m.d.comb += candidate.eq(resume.again_sectors)
        m.d.sync += [
            moves.eq(Cat(moves[1] | resume.rewind, self.next)),
            step.eq(Mux(resume.rewind, resume.rewind_to - resume.again_sectors,
                        self.command_sectors)),
            rewound.eq(resume.rewind),
            counts.eq(self.completed | rewound),
            next_lba.eq(origin + begun),
            left.eq(size - begun),
            # The longest command has no more than 2^16 sectors.
            planned.eq(Mux(left[16:].any() | (longest < left[:16]), longest, left)),
            self.next_sectors.eq(candidate),
            # Whether ``candidate`` is 0; it need not be known itself.
            resume.no_more.eq(Mux(resume.again, resume.again_sectors == 0,
                                  (planned == 0) | (shortens & (self.shorten_to == 0)))),
            end.eq(origin + size),
            self.beyond.eq(self.capacity < end),
            self.gathering.eq(self.gathers & ~self.shorten & (planned != 0) & (candidate == 0)),
        ]
        with m.If(moves[0]):
            m.d.sync += begun.eq(begun + step)
        command_lba, total = next_lba, begun
        if self._queued:
            command_lba = Signal(48)
            total = self.begun
            ends = Signal()             # all of the extent has been begun
            crosses = Signal()          # the next command is the first one of the span
            crossed = Signal(2)         # such a command began 2 clocks ago (bit 0), or a clock ago
            m.d.comb += [
                crosses.eq(ends & self.waits),
                self.taken.eq(moves[0] & crossed[0]),
            ]
            m.d.sync += [
                ends.eq(begun == size),
                crossed.eq(Cat(crossed[1], self.next & crosses)),
                command_lba.eq(Mux(crosses, self.span.lba, origin + begun)),
            ]
            with m.If(crosses):
                m.d.sync += left.eq(self.span.sectors)
            with m.If(moves[0]):
                m.d.sync += total.eq(total + step)
            with m.If(self.taken):
                m.d.sync += [origin.eq(self.span.lba), size.eq(self.span.sectors), begun.eq(step)]
            with m.If(self.load):
                m.d.sync += total.eq(0)
        # What has been begun by then is done, or has been passed over.
        with m.If(counts):
            m.d.sync += resume.sectors_done.eq(total - resume.skipped)
        with m.If(self.load):
            m.d.sync += [origin.eq(self.lba), size.eq(self.sectors), begun.eq(0),
                         resume.sectors_done.eq(0)]
        with m.If(self.clear):
            m.d.sync += [self.command_lba.eq(0), self.command_sectors.eq(0)]
        with m.Elif(self.next):
            m.d.sync += [
                self.command_lba.eq(command_lba),
                self.command_sectors.eq(self.next_sectors),
            ]
        return m

    def _longest(self, m):
        """The sectors of the longest command."""
        longest = Signal(17)
        m.d.comb += longest.eq(Mux(self.lba48, self._max_sectors, min(self._max_sectors, 256)))
        with m.If((self.limit != 0) & (self.limit < self._max_sectors)
                  & (self.lba48 | (self.limit < 256))):
            m.d.comb += longest.eq(self.limit)
            low = LONG_SECTOR_SHIFT
            with m.If(self.long):
                m.d.comb += [longest[:low].eq(0), longest[low].eq(self.limit[low] | ~self.limit[low:].any())]
        return longest

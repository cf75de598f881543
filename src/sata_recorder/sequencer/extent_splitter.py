"""An extent as a chain of commands."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .recovery import ResumeSignature

__all__ = ["ExtentSplitter"]


class ExtentSplitter(wiring.Component):
    """Cuts an extent into commands, each prepared while the one before it runs.

    Parameters
    ----------
    max_sectors : int
        Longest command, 1 to 65,536.
    limited : bool
        Whether ``limit`` counts, too.

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
    resume : In(ResumeSignature)    where the extent goes on after a failure. ``sectors_done`` is
                            valid 2 clocks after ``completed`` and 3 after ``rewind``. While
                            ``no_more``, ``next`` must not come; it is valid 6 clocks after
                            ``load``, ``next`` or ``rewind``
    command_lba : Out(48), command_sectors : Out(17)    the command, from the clock after ``next``
    next_sectors : Out(17)  sectors of the command that ``next`` would begin; valid like ``no_more``
    origin : Out(48)        the first sector of the extent, from the clock after ``load``
    next_lba : Out(48)      the sector behind the last command that was begun; it moves 4 clocks
                            after ``next``
    beyond : Out(1)         the extent ends beyond ``capacity``; valid 3 clocks after ``load``
    """

    def __init__(self, *, max_sectors, limited=False):
        self._max_sectors = max_sectors
        self._limited = limited
        super().__init__({
            "load": In(1), "lba": In(48), "sectors": In(48), "lba48": In(1), "limit": In(17),
            "capacity": In(48),
            "shorten": In(1), "shorten_to": In(17), "next": In(1), "clear": In(1),
            "completed": In(1), "resume": In(ResumeSignature()),
            "command_lba": Out(48), "command_sectors": Out(17), "next_sectors": Out(17),
            "origin": Out(48), "next_lba": Out(48), "beyond": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        resume = self.resume
        origin, next_lba = self.origin, self.next_lba
        size = Signal(48)
        begun = Signal(48)          # sectors that a command has been begun for, or passed over
        left = Signal(48)           # the others
        planned = Signal(17)
        longest = Signal(17)
        end = Signal(49)
        # By how much ``begun`` advances, or goes back if negative.
        moves = Signal(2)
        step = Signal(signed(18))
        counts = Signal()
        candidate = Signal(17)
        rewound = Signal()
        m.d.comb += [
            longest.eq(Mux(self.lba48, self._max_sectors, min(self._max_sectors, 256))),
            candidate.eq(Mux(self.shorten & (self.shorten_to < planned),
                             self.shorten_to, planned)),
        ]
        with m.If(resume.again):
            m.d.comb += candidate.eq(resume.again_sectors)
        if self._limited:
            with m.If((self.limit != 0) & (self.limit < self._max_sectors)
                      & (self.lba48 | (self.limit < 256))):
                m.d.comb += longest.eq(self.limit)
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
            resume.no_more.eq(candidate == 0),
            end.eq(origin + size),
            self.beyond.eq(self.capacity < end),
        ]
        with m.If(moves[0]):
            m.d.sync += begun.eq(begun + step)
        # What has been begun by then is done, or has been passed over.
        with m.If(counts):
            m.d.sync += resume.sectors_done.eq(begun - resume.skipped)
        with m.If(self.load):
            m.d.sync += [origin.eq(self.lba), size.eq(self.sectors), begun.eq(0),
                         resume.sectors_done.eq(0)]
        with m.If(self.clear):
            m.d.sync += [self.command_lba.eq(0), self.command_sectors.eq(0)]
        with m.Elif(self.next):
            m.d.sync += [
                self.command_lba.eq(next_lba),
                self.command_sectors.eq(self.next_sectors),
            ]
        return m

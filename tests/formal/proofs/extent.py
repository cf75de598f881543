"""An extent as commands: what is asked of the drive, at full width."""

from amaranth.hdl import Mux, Signal

from sata_recorder.core.sequencer.extent_splitter import ExtentSplitter


def extent(h, max_sectors=65536, limited=False):
    """Any extent; ``next`` once a command is ready, ``rewind`` at most once after each.

    ``again`` is 0. Any number of sectors may have been passed over. The capacity and the width of the
    addresses may be others in each clock: what IDENTIFY DEVICE reports again must not lead a command out of the extent.
    """
    m = h.m
    dut = h.dut(ExtentSplitter(max_sectors=max_sectors))
    h.drive(dut.load, dut.lba, dut.sectors, dut.shorten, dut.shorten_to, dut.next, dut.clear,
            dut.completed, dut.resume.rewind, dut.resume.rewind_to, dut.resume.skipped,
            dut.resume.again, dut.resume.again_sectors, dut.lba48, dut.capacity)
    if limited:
        m.d.comb += dut.limit.eq(h.constant(17, dut.limit.name))
    age, running, begun = Signal(3), Signal(), Signal()
    with m.If(dut.load | dut.next | dut.resume.rewind):
        m.d.sync += age.eq(0)
    with m.Elif(~age.all()):
        m.d.sync += age.eq(age + 1)
    with m.If(dut.load):
        m.d.sync += [running.eq(1), begun.eq(0)]
    with m.Elif(dut.next):
        m.d.sync += begun.eq(1)
    with m.Elif(dut.resume.rewind | dut.clear):
        m.d.sync += begun.eq(0)
    ready = age >= 5
    command = Signal(17)        # sectors of the command
    h.assume(
        ~dut.next | (running & ~dut.resume.no_more & ~dut.load & ~dut.clear & ready),
        ~dut.completed | (begun & ~dut.load & ~dut.resume.rewind & ready),
        ~dut.resume.rewind | (begun & ~dut.next & ~dut.load & ~dut.clear & ready
                       & (dut.resume.rewind_to <= command) & ~h.past(dut.completed)),
        ~dut.resume.rewind | (dut.resume.again_sectors == command), ~dut.resume.again,
        ~dut.clear | ready, ~dut.load | (ready & ~h.past(dut.completed)) | ~running)

    # Where the next command begins, what is left for it and those after it, and the same as it
    # was before the command in flight.
    lba, left, done = Signal(48), Signal(48), Signal(48)
    start, whole = Signal(48), Signal(48)
    origin, size = Signal(48), Signal(48)
    next_, started = h.past(dut.next), h.past(h.past(dut.next))
    resume = dut.resume
    rewound, to = h.past(resume.rewind), h.past(resume.rewind_to)
    rewound_then, counted = h.past(rewound), h.past(dut.completed)
    with m.If(dut.load):
        m.d.sync += [lba.eq(dut.lba), left.eq(dut.sectors), origin.eq(dut.lba),
                     size.eq(dut.sectors)]
    with m.Elif(started):
        m.d.sync += [lba.eq(lba + command), left.eq(left - command)]
    with m.Elif(rewound):
        m.d.sync += [lba.eq(start + to), left.eq(whole - to)]
    with m.If(dut.clear):
        m.d.sync += command.eq(0)
    with m.Elif(dut.next):
        m.d.sync += [command.eq(dut.next_sectors), start.eq(lba), whole.eq(left)]
    with m.If(dut.load):
        m.d.sync += done.eq(0)
    with m.Elif(counted | rewound_then):
        m.d.sync += done.eq(lba - origin - resume.skipped)
    longest_now = Signal(17)
    longest = Mux(dut.lba48, max_sectors, min(max_sectors, 256))
    if limited:
        longest = Mux((dut.limit != 0) & (dut.limit < longest), dut.limit, longest)

    # What a command may have is decided two clocks before it begins.
    m.d.comb += longest_now.eq(longest)
    longest_then = h.past(longest_now)
    longest = h.past(longest_then)
    due = Signal(17)
    then_left = h.past(left)
    m.d.sync += due.eq(Mux(then_left > longest_now, longest_now, then_left))
    longest_left = Mux(left > longest_then, longest_then, left)
    settled = begun & (age >= 2)
    moves, step = h.probe("dut.moves", 2), h.probe("dut.step", 18)
    h.lemma("nothing before the first", running | (
        ~begun & (left == 0) & (size == 0) & (lba == origin)
        & (command == 0) & (moves == 0) & ~counted & ~h.probe("dut.counts")))
    h.lemma("moves follow next and rewind",
            (moves[1] == next_) & (moves[0] == (started | rewound)))
    h.lemma("one after the other", (~next_ | (age == 0)) & (~started | (age == 1))
            & (~rewound | ((age == 0) & ~begun & ~started & ~next_)))
    h.lemma("by as much as must be", dut.command_sectors == command)
    h.lemma("... forth", ~started | (step == command))
    h.lemma("... back", ~rewound | ((step == (to - command)[:18])
                                               & (lba == (start + command)[:48])
                                               & (left == (whole - command)[:48])))
    h.lemma("in the command", ~begun | (
        ~settled | ((lba == (start + command)[:48]) & (left == (whole - command)[:48]))))
    h.lemma("about to be", ~begun | settled | ((lba == start) & (left == whole)))
    h.lemma("the command is a part of what was left",
            (command <= whole) | ~(begun | rewound))
    advanced = h.probe("dut.begun", 48)
    h.lemma("the extent", (dut.origin == origin) & (h.probe("dut.size", 48) == size))
    h.lemma("what has been begun of it", advanced == (lba - origin)[:48])
    h.lemma("what has not", (advanced == (size - left)[:48]) & (left <= size))
    h.lemma("the next LBA and what is left", h.first | (
        (h.probe("dut.next_lba", 48) == h.past(lba))
        & (h.probe("dut.left", 48) == h.past(left))))
    h.lemma("the extent in the command", ~(begun | rewound) | (
        ((start - origin)[:48] == (size - whole)[:48]) & (whole <= size)))
    h.lemma("a command is planned", h.probe("dut.planned", 17) == due)
    h.lemma("... for what is left", ~running | (age < 4) | (due == longest_left))
    again = h.past(dut.resume.again)
    h.lemma("no more than planned, but for a repetition", h.first | (
        (again | (dut.next_sectors <= h.past(due)))
        & (resume.no_more == (dut.next_sectors == 0))))
    h.lemma("all that is planned, unless shortened or repeated",
            h.past(dut.shorten) | again | h.first | (dut.next_sectors == h.past(due)))
    h.lemma("what counts", h.probe("dut.counts") == (counted | rewound_then))
    h.check("a command begins where the one before ended, or at rewind_to",
            ~next_ | ((dut.command_lba == lba) & (dut.command_lba == start)))
    h.check("a command has at least one sector", ~dut.next | (dut.next_sectors != 0))
    h.check("a command has no more than are left", ~dut.next | (dut.next_sectors <= left))
    h.check("a command has no more than the longest", ~dut.next | (dut.next_sectors <= longest))
    if not limited:
        h.check("a command lies within the extent",
                ~dut.next | ((lba - origin)[:48] + dut.next_sectors <= size))
    end, capacity = h.probe("dut.end", 49), h.past(dut.capacity)
    h.lemma("the end of the extent", h.first | (end == h.past(origin) + h.past(size)))
    h.lemma("beyond", h.first | (dut.beyond == (h.past(end) > capacity)))
    h.check("a command lies within the capacity of the clock before, unless beyond is high",
            ~dut.next | dut.beyond | (lba + dut.next_sectors <= capacity))
    shortened = Signal()
    with m.If(dut.load):
        m.d.sync += shortened.eq(0)
    with m.Elif(dut.shorten):
        m.d.sync += shortened.eq(1)
    h.check("all commands but the last have the longest length",
            ~dut.next | shortened | again
            | (dut.next_sectors == Mux(left > longest, longest, left)))
    h.check("a shortened command has no more than allowed", ~dut.next | again
            | ~h.past(dut.shorten) | (dut.next_sectors <= h.past(dut.shorten_to)))
    h.check("the command stays until the next one",
            next_ | h.first | h.past(dut.clear) | (
                (dut.command_lba == h.past(dut.command_lba))
                & (dut.command_sectors == h.past(dut.command_sectors))))
    h.check("there are no more when all have been begun",
            ~running | ~ready | shortened | again | dut.load | (dut.resume.no_more == (left == 0)))
    h.check("sectors_done is what was begun, without what was passed over",
            dut.resume.sectors_done == done)
    h.cover("a long command, then a short one", dut.next & begun & (dut.next_sectors == 1)
            & (command == longest) & ~shortened)
    h.cover("a command that continues after the fifth sector of the one that failed",
            dut.next & ~begun & (lba == (start + 5)[:48]) & (done == 5) & (command == longest))
    h.hint("rewound", ~dut.shorten & ~dut.clear & ~dut.completed & (dut.lba == 0)
           & (dut.sectors == 70000) & dut.lba48)
    h.cover("all done", begun & (done == 65537) & (left == 0) & ready & dut.resume.no_more
            if max_sectors == 65536 and not limited else dut.resume.no_more & begun)


def beyond(h):
    """An extent that ends beyond the capacity is seen, at full width."""
    m = h.m
    dut = h.dut(ExtentSplitter(max_sectors=65536))
    h.drive(dut.load, dut.lba, dut.sectors, dut.capacity)
    lba, sectors = h.probe("dut.origin", 48), h.probe("dut.size", 48)
    end, seen = Signal(49), Signal()
    m.d.sync += [end.eq(lba + sectors), seen.eq(end > dut.capacity)]
    h.check("beyond is the end above the capacity of the clock before", dut.beyond == seen)
    h.check("load takes the extent", ~h.past(dut.load) | (
        (lba == h.past(dut.lba)) & (sectors == h.past(dut.sectors))))
    h.cover("beyond, with an end above 2^48", dut.beyond & h.past(end[48]))
    h.cover("to the last sector", ~dut.beyond & h.past((end == dut.capacity) & (end != 0)))


def whole_sectors(h, max_sectors=16, queued=False):
    """On a drive with logical sectors of 4096 bytes every command is a multiple of 8 sectors, whatever
    the limit of its length is, if all that the splitter is told is one."""
    m = h.m
    dut = h.dut(ExtentSplitter(max_sectors=max_sectors, queued=queued))
    h.drive(dut.load, dut.lba, dut.sectors, dut.shorten, dut.shorten_to, dut.next, dut.clear,
            dut.completed, dut.resume.rewind, dut.resume.rewind_to, dut.resume.skipped,
            dut.resume.again, dut.resume.again_sectors, dut.lba48, dut.capacity, dut.limit)
    told = [dut.lba, dut.sectors, dut.shorten_to, dut.resume.rewind_to, dut.resume.again_sectors]
    if queued:
        h.drive(dut.waits, dut.span, dut.gathers)
        told += [dut.span.lba, dut.span.sectors]
    m.d.comb += dut.long.eq(1)
    h.assume(*(value[:3] == 0 for value in told))
    h.lemma("nothing else is kept", (dut.origin[:3] == 0) & (h.probe("dut.size", 48)[:3] == 0)
            & (h.probe("dut.begun", 48)[:3] == 0) & (h.probe("dut.step", 18)[:3] == 0)
            & (h.probe("dut.left", 48)[:3] == 0) & (h.probe("dut.planned", 17)[:3] == 0)
            & (dut.next_lba[:3] == 0) & (dut.next_sectors[:3] == 0))
    h.check("a command begins and ends with a logical sector",
            (dut.command_lba[:3] == 0) & (dut.command_sectors[:3] == 0))
    h.cover("a command of one logical sector, with a limit of less",
            (dut.command_sectors == 8) & (dut.limit == 3) & (h.past(dut.limit) == 3))
    h.cover("a command of several", dut.command_sectors == 16)

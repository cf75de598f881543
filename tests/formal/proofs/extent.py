"""An extent as commands: what is asked of the drive, at full width."""

from amaranth.hdl import Mux, Signal

from sata_recorder.sequencer.extent import Extent


def extent(h, max_sectors=65536, limited=False):
    """Any extent; ``next`` once a command is ready, at least 5 clocks after the one before."""
    m = h.m
    dut = h.dut(Extent(max_sectors=max_sectors, limited=limited))
    h.drive(dut.load, dut.lba, dut.sectors, dut.shorten, dut.shorten_to, dut.next, dut.clear,
            dut.completed)
    for target, width in (dut.lba48, 1), (dut.limit, 17), (dut.capacity, 48):
        m.d.comb += target.eq(h.constant(width, target.name))
    age, running, begun = Signal(3), Signal(), Signal()
    with m.If(dut.load | dut.next):
        m.d.sync += age.eq(0)
    with m.Elif(~age.all()):
        m.d.sync += age.eq(age + 1)
    with m.If(dut.load):
        m.d.sync += [running.eq(1), begun.eq(0)]
    with m.Elif(dut.next):
        m.d.sync += begun.eq(1)
    h.assume(~dut.next | (running & ~dut.no_more & ~dut.load & ~dut.clear & (age >= 4)),
             ~dut.completed | (begun & ~dut.next & ~dut.load), ~dut.clear | (age >= 4),
             ~dut.load | (age >= 4) | ~running)

    # The next command must begin here, and so many sectors are left, a clock after ``next``.
    started = h.past(dut.next)
    lba, left, done = Signal(48), Signal(48), Signal(48)
    command = Signal(17)        # sectors of the command
    with m.If(dut.load):
        m.d.sync += [lba.eq(dut.lba), left.eq(dut.sectors), done.eq(0)]
    with m.Elif(started):
        m.d.sync += [lba.eq(lba + command), left.eq(left - command)]
    with m.If(dut.clear):
        m.d.sync += command.eq(0)
    with m.Elif(dut.next):
        m.d.sync += command.eq(dut.next_sectors)
    with m.If(dut.completed & ~dut.load):
        m.d.sync += done.eq(done + command)
    longest = Mux(dut.lba48, max_sectors, min(max_sectors, 256))
    if limited:
        longest = Mux((dut.limit != 0) & (dut.limit < longest), dut.limit, longest)

    whole, due = Mux(left > longest, longest, left), Signal(17)
    m.d.sync += due.eq(whole)
    h.lemma("the next LBA and what is left", (h.probe("dut.next_lba", 48) == lba)
            & (h.probe("dut.left", 48) == left) & (dut.command_sectors == command))
    h.lemma("a command is planned", h.probe("dut.planned", 17) == due)
    h.lemma("... for what is left", ~running | (age < 3) | (due == whole))
    h.check("a command begins where the one before ended",
            ~started | (dut.command_lba == lba))
    h.check("a command has at least one sector", ~dut.next | (dut.next_sectors != 0))
    h.check("a command has no more than are left", ~dut.next | (dut.next_sectors <= left))
    h.check("a command has no more than the longest", ~dut.next | (dut.next_sectors <= longest))
    shortened = Signal()
    with m.If(dut.load):
        m.d.sync += shortened.eq(0)
    with m.Elif(dut.shorten):
        m.d.sync += shortened.eq(1)
    h.check("all commands but the last have the longest length",
            ~dut.next | shortened | (dut.next_sectors == whole))
    h.check("a shortened command has no more than allowed", ~dut.next | ~h.past(dut.shorten) | (
        dut.next_sectors <= h.past(dut.shorten_to)))
    h.check("the command stays until the next one", dut.clear | started | h.first | (
        (dut.command_lba == h.past(dut.command_lba))
        & (dut.command_sectors == h.past(dut.command_sectors))) | h.past(dut.clear))
    h.check("there are no more when all have been begun",
            ~running | (age < 4) | shortened | dut.load | (dut.no_more == (left == 0)))
    h.check("sectors_done", dut.sectors_done == done)
    h.cover("a long command, then a short one", dut.next & begun & (dut.next_sectors == 1)
            & (command == longest) & ~shortened)
    h.cover("all done", begun & (done == 65537) & (left == 0) & (age >= 4) & dut.no_more
            if max_sectors == 65536 and not limited else dut.no_more & begun)


def beyond(h):
    """An extent that ends beyond the capacity is seen, at full width."""
    m = h.m
    dut = h.dut(Extent(max_sectors=65536))
    h.drive(dut.load, dut.lba, dut.sectors, dut.capacity)
    lba, left = h.probe("dut.next_lba", 48), h.probe("dut.left", 48)
    end, seen = Signal(49), Signal()
    m.d.sync += [end.eq(lba + left), seen.eq(end > dut.capacity)]
    h.check("beyond is the end above the capacity of the clock before", dut.beyond == seen)
    h.check("load takes the extent", ~h.past(dut.load) | (
        (lba == h.past(dut.lba)) & (left == h.past(dut.sectors))))
    h.cover("beyond, with an end above 2^48", dut.beyond & h.past(end[48]))
    h.cover("to the last sector", ~dut.beyond & h.past((end == dut.capacity) & (end != 0)))

"""The recovery: nothing of a failed command is left out, and it comes to an end."""

from amaranth.hdl import C, Mux, Signal

from formal.order import steady
from sata_recorder.sequencer import Error, Mark
from sata_recorder.sequencer.recovery import Recovery

_RETRIES = 2
_DELAY, _TIMEOUT = 3, 20
#: Clocks from the failure, or from the loss of the drive, to the end: the longest recovery, with
#: the clock of its timer that may be over, and what comes before and behind it.
_WITHIN = _TIMEOUT + 50
#: Clocks that an entry waits for the journal at most.
_MARK = 10

#: In the order in which the states are first named.
(IDLE, CLOSE, PREPARE, WAIT, GO, REWIND, ASSESS, DECIDE, DOUBT, SKIP, ADVANCE,
 SURRENDER) = range(12)


def scene(h, skips):
    """Commands of any length that fail in any way, a drive that comes and goes.

    A recorder keeps to what it says: no more sectors are gone than the command has. Another drive
    is told before it can be used.
    """
    m = h.m
    dut = h.dut(Recovery(retries=_RETRIES, delay=_DELAY, timeout=_TIMEOUT, skips=skips))
    h.drive(dut.begin, dut.writes, dut.flushing, dut.failed, dut.cause, dut.idle, dut.succeeded,
            dut.usable, dut.unusable, dut.judgement, dut.changed, dut.generation, dut.lba,
            dut.sectors, dut.interface, dut.located, dut.error_lba, dut.passed, dut.origin,
            dut.ended, dut.stopped, dut.behind, dut.partial, dut.tainted, dut.settled,
            dut.mark_room, dut.drained, dut.last, dut.mark.ready)
    state = h.probe("dut.fsm_state", 4)
    running = Signal()
    with m.If(dut.begin):
        m.d.sync += running.eq(1)
    with m.Elif(dut.surrender | dut.ended):
        m.d.sync += running.eq(0)
    waits = Signal(range(_MARK + 2))
    m.d.sync += waits.eq(Mux(dut.mark.valid & ~dut.mark.ready, waits + 1, 0))
    rises = dut.changed & ~h.past(dut.changed)
    idle = state == IDLE
    h.assume(
        ~dut.begin | (idle & ~running & ~dut.mark.valid),
        ~dut.failed | (idle & running & ~dut.begin),
        ~dut.ended | (idle & ~dut.begin & ~dut.failed),
        ~dut.succeeded | (idle & running & ~dut.failed),
        running | dut.begin | (dut.writes == h.past(dut.writes)),
        dut.begin | (dut.writes == h.past(dut.writes)),
        dut.begin | ~h.past(dut.changed) | dut.changed,
        dut.begin | ~h.past(dut.stopped) | dut.stopped,
        ~rises | ~dut.usable, waits <= _MARK,
        dut.sectors != 0, dut.behind <= dut.sectors,
        ~dut.active | ((dut.sectors == h.past(dut.sectors)) & (dut.lba == h.past(dut.lba))),
        dut.lba[47:] == 0, dut.error_lba[47:] == 0,
        dut.judgement != Error.NONE, dut.cause != Error.NONE)
    return dut, running


def recovery(h, skips=True):
    """What becomes of the sectors of the command; how often it is tried."""
    m = h.m
    dut, _ = scene(h, skips)
    mark = dut.mark.payload
    flushing, sectors = Signal(), Signal(17)
    with m.If(dut.failed):
        m.d.sync += flushing.eq(dut.flushing)
    with m.If(dut.rewind):
        m.d.sync += sectors.eq(dut.sectors)
    # Sectors that are done, marked as passed over, marked as in doubt.
    done, before, passed, doubt = Signal(17), Signal(17), Signal(17), Signal(17)
    entered = dut.mark.valid & ~h.past(dut.mark.valid & ~dut.mark.ready)
    m.d.comb += passed.eq(Mux(entered & (mark.kind == Mark.SKIPPED), mark.length, before))
    with m.If(dut.failed):
        m.d.sync += [done.eq(0), before.eq(0)]
    with m.Else():
        m.d.sync += before.eq(passed)
        with m.If(dut.advance):
            m.d.sync += done.eq(dut.credit)
    m.d.comb += doubt.eq(Mux(entered & (mark.kind == Mark.IN_DOUBT), mark.length, 0))
    to = Signal(17)
    with m.If(dut.advance):
        m.d.sync += to.eq(dut.advance_to)

    def within(*states):
        return sum((state == one for one in states), C(0, 1)) != 0

    state = h.probe("dut.fsm_state", 4)
    count, moved = h.probe("dut.count", 17), h.probe("dut.moved", 17)
    doubt_from = h.probe("dut.doubt_from", 17)
    whole, replays = h.probe("dut.whole"), h.probe("dut.replays")
    credited, confirmed = h.probe("dut.credited"), h.probe("dut.confirmed")
    credit = Mux(dut.writes | ~confirmed, 0, moved)
    begun = within(PREPARE, WAIT, GO)
    h.lemma("the states", state <= SURRENDER)
    h.lemma("a flush or a command", within(IDLE, CLOSE) | (h.probe("dut.of_flush") == flushing))
    h.lemma("the command", within(IDLE, CLOSE, REWIND) | (
        (count == sectors) & (count == dut.sectors)) | flushing)
    h.lemma("no more is gone than it has",
            within(IDLE, CLOSE, REWIND, ASSESS) | flushing | (moved <= count))
    h.lemma("nothing yet", ~within(REWIND, ASSESS, DECIDE, SKIP) | flushing | (
        (done == 0) & (passed == 0) & ~dut.mark.valid))
    h.lemma("when it is credited", flushing | Mux(
        within(ASSESS, DECIDE, SKIP, ADVANCE), ~credited, ~begun | credited))
    h.lemma("about to be passed over", ~within(SKIP) | (doubt_from == credit) | flushing)
    h.lemma("about to be advanced", ~within(ADVANCE) | flushing | (done == 0) & Mux(
        replays, (passed == 0) & (doubt_from == credit) & (~dut.writes | (moved == 0)) & ~whole,
        Mux(whole, (passed + credit == count) & (doubt_from == count),
            (passed == moved) & (credit == 0) & (doubt_from == moved) & dut.writes)))
    h.lemma("advanced", ~begun | flushing | (
        (to == done + passed) & (doubt_from == to) & (to <= count)))
    h.lemma("in doubt", ~within(DOUBT) | flushing | (doubt_from <= count) & Mux(
        credited, doubt_from == done + passed, (done == 0) & (passed == 0)))
    h.check("at the end each sector of the command is done, passed over or in doubt",
            ~dut.surrender | flushing | (done + passed + doubt == sectors))
    h.check("the next command begins behind what is done or passed over",
            ~dut.again | flushing | (to == done + passed))
    h.check("never both", ~(dut.again & dut.surrender))
    steady(h, "mark", dut.mark)
    stops = dut.stopped & ~dut.writes & ~flushing
    h.check("on with a drive that can be used, but for a play-back that is over",
            ~dut.again | dut.usable | stops)
    h.check("on with the same drive", ~dut.again | ~dut.changed | stops)
    tries = Signal(3)
    with m.If(dut.begin | dut.succeeded | dut.skip):
        m.d.sync += tries.eq(0)
    with m.Elif(dut.again & replays & ~tries.all()):
        m.d.sync += tries.eq(tries + 1)
    h.check(f"a recording tries a command {_RETRIES} times again",
            ~dut.writes | dut.begin | (tries <= _RETRIES))
    h.check("the count of retries saturates",
            h.past(dut.begin) | (dut.retries >= h.past(dut.retries)))
    h.cover("tried again", dut.again & (tries == 1) & dut.writes)
    h.cover("given up, in doubt", dut.surrender & (doubt == 5) & dut.writes)


def ends(h, skips=True):
    """How long it takes without a drive."""
    m = h.m
    dut, _ = scene(h, skips)
    away = Signal(range(_WITHIN + 1))
    with m.If(~dut.active | dut.usable):
        m.d.sync += away.eq(0)
    with m.Elif(away != _WITHIN):
        m.d.sync += away.eq(away + 1)
    h.check(f"it ends within {_WITHIN} clocks without a drive, at a limit of {_TIMEOUT}",
            away != _WITHIN)
    h.cover("given up because no drive came", dut.surrender & (away > _TIMEOUT))

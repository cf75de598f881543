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
#: Clocks after which the recovery knows what a status says.
_SETTLED = 5

#: In the order in which they are first named; without SKIP if nothing is passed over.
STATES = ["IDLE", "CLOSE", "PREPARE", "WAIT", "GO", "REWIND", "ASSESS", "DECIDE", "DOUBT", "SKIP",
          "ADVANCE", "SURRENDER"]


class Scene:
    """Commands of any length that fail in any way, a drive that comes and goes.

    A recorder keeps to what it says: no more sectors are gone than the command has. Another drive
    is told of before it can be used. What the registers of the command say counts in the clock
    after the failure only: IDENTIFY DEVICE takes their place.
    """

    def __init__(self, h, skips):
        m = h.m
        self.dut = dut = h.dut(Recovery(retries=_RETRIES, delay=_DELAY, timeout=_TIMEOUT,
                                        skips=skips))
        h.drive(dut.begin, dut.writes, dut.flushing, dut.failed, dut.cause, dut.idle,
                dut.succeeded, dut.usable, dut.unusable, dut.judgement, dut.changed,
                dut.generation, dut.lba, dut.sectors, dut.interface, dut.located, dut.error_lba,
                dut.passed, dut.origin, dut.ended, dut.stopped, dut.behind, dut.partial,
                dut.tainted, dut.settled, dut.mark_room, dut.drained, dut.last, dut.mark.ready)
        self._state = h.probe("dut.fsm_state", 4)
        self._states = [name for name in STATES if skips or name != "SKIP"]
        # What failed, and why.
        self.flushing, self.anew = Signal(), Signal()
        self.cause, self.lba, self.sectors = Signal(Error), Signal(48), Signal(17)
        with m.If(dut.failed):
            m.d.sync += [self.flushing.eq(dut.flushing), self.anew.eq(~dut.idle),
                         self.cause.eq(dut.cause)]
        with m.If(self.within("REWIND")):
            m.d.sync += [self.lba.eq(dut.lba), self.sectors.eq(dut.sectors)]
        waits, running = Signal(range(_MARK + 2)), Signal()
        m.d.sync += waits.eq(Mux(dut.mark.valid & ~dut.mark.ready, waits + 1, 0))
        with m.If(dut.begin):
            m.d.sync += running.eq(1)
        with m.Elif(dut.surrender | dut.ended):
            m.d.sync += running.eq(0)
        begun = h.past(dut.begin)
        rises = dut.changed & ~h.past(dut.changed)
        idle = self.within("IDLE")
        h.assume(
            ~dut.begin | (idle & ~dut.mark.valid),
            ~dut.failed | (idle & running & ~dut.begin & ~begun),
            ~dut.ended | (idle & ~dut.begin & ~dut.failed & ~begun),
            ~dut.succeeded | (idle & running & ~dut.failed),
            begun | (dut.writes == h.past(dut.writes)),
            begun | dut.begin | ~h.past(dut.changed) | dut.changed,
            begun | dut.begin | ~h.past(dut.stopped) | dut.stopped,
            ~rises | ~dut.usable, waits <= _MARK,
            ~self.within("REWIND") | (dut.sectors != 0),
            self.within("IDLE", "CLOSE", "REWIND") | (dut.behind <= self.sectors),
            ~dut.active | (dut.passed == h.past(dut.passed)),
            begun | dut.begin | (dut.passed >= h.past(dut.passed)),
            ~dut.passed[47], ~dut.skipped[47],
            dut.cause != Error.NONE)

    def within(self, *states):
        """Whether the state is one of these."""
        return sum((self._state == self._states.index(name) for name in states
                    if name in self._states), C(0, 1)) != 0


def recovery(h, skips=True):
    """What becomes of the sectors of the command; how often it is tried."""
    m = h.m
    scene = Scene(h, skips)
    dut, within, flushing = scene.dut, scene.within, scene.flushing
    mark, sectors = dut.mark.payload, scene.sectors
    # Sectors that are done, marked as passed over (from where on), marked as in doubt.
    done, before, passed, doubt = Signal(17), Signal(17), Signal(17), Signal(17)
    entered = dut.mark.valid & ~h.past(dut.mark.valid & ~dut.mark.ready)
    skipped = entered & (mark.kind == Mark.SKIPPED)
    doubted = entered & (mark.kind == Mark.IN_DOUBT)
    place = Signal(48)
    m.d.comb += [passed.eq(Mux(skipped, mark.length, before)),
                 doubt.eq(Mux(doubted, mark.length, 0))]
    to, repeat = Signal(17), Signal()
    with m.If(dut.failed):
        m.d.sync += [done.eq(0), before.eq(0)]
    with m.Else():
        m.d.sync += before.eq(passed)
        with m.If(skipped):
            m.d.sync += place.eq(mark.position)
        with m.If(dut.advance):
            m.d.sync += [done.eq(dut.credit), to.eq(dut.advance_to), repeat.eq(dut.repeat)]

    count, moved = h.probe("dut.count", 17), h.probe("dut.moved", 17)
    doubt_from, first = h.probe("dut.doubt_from", 17), h.probe("dut.place", 48)
    whole, replays = h.probe("dut.whole"), h.probe("dut.replays")
    credited, confirmed = h.probe("dut.credited"), h.probe("dut.confirmed")
    credit = Mux(dut.writes | ~confirmed, 0, moved)
    begun = within("PREPARE", "WAIT", "GO")
    h.lemma("a flush or a command",
            within("IDLE", "CLOSE") | (h.probe("dut.of_flush") == flushing))
    h.lemma("the command", within("IDLE", "CLOSE", "REWIND")
            | ((count == sectors) & (first == scene.lba)))
    h.lemma("no more is gone than it has",
            within("IDLE", "CLOSE", "REWIND", "ASSESS") | flushing | (moved <= count))
    h.lemma("nothing yet", ~within("REWIND", "ASSESS", "DECIDE", "SKIP") | flushing | (
        (done == 0) & (passed == 0) & ~dut.mark.valid))
    h.lemma("when it is credited", flushing | Mux(
        within("ASSESS", "DECIDE", "SKIP", "ADVANCE"), ~credited, ~begun | credited))
    h.lemma("about to be passed over", ~within("SKIP") | (doubt_from == credit) | flushing)
    h.lemma("about to be advanced", ~within("ADVANCE") | flushing | (done == 0) & Mux(
        replays, (passed == 0) & (doubt_from == credit) & (~dut.writes | (moved == 0)) & ~whole,
        skipped & (mark.position == (first + credit)[:48]) & Mux(
            whole, (passed + credit == count) & (doubt_from == count),
            (passed == moved) & (credit == 0) & (doubt_from == moved) & dut.writes)))
    h.lemma("where it was passed over", ~(begun | within("DOUBT")) | flushing
            | (passed == 0) | (before == 0) | (place == (scene.lba + done)[:48]))
    h.lemma("advanced", ~begun | flushing | (
        (to == done + passed) & (doubt_from == to) & (to <= count)
        & (repeat | dut.writes | (to != 0) | (moved == 0))))
    h.lemma("in doubt", ~within("DOUBT") | flushing | (doubt_from <= count) & Mux(
        credited, doubt_from == done + passed, (done == 0) & (passed == 0)))
    h.check("at the end each sector of the command is done, passed over or in doubt",
            ~dut.surrender | flushing | (done + passed + doubt == sectors))
    h.check("in this order: passed over is what is behind those that are done",
            ~(dut.surrender | dut.again) | flushing | (passed == 0)
            | (place == (scene.lba + done)[:48]))
    h.check("in doubt is what is behind those",
            ~doubted | (mark.position == (scene.lba + done + passed)[:48]))
    h.check("the next command begins behind what is done or passed over",
            ~dut.again | flushing | (to == done + passed))
    h.check("the recorder is told of a read that begins anew",
            ~dut.again | flushing | dut.writes | repeat | (to != 0) | (moved == 0))
    h.check("the recorder is told of the rest that is passed over", ~h.past(dut.skip) | (
        skipped & ((mark.position + mark.length)[:48] == (scene.lba + sectors)[:48])))
    # What a status says is believed once it has stood for some clocks.
    said = [dut.error_lba, dut.located, dut.behind, dut.partial]
    error_lba, located, behind, partial = map(h.past, said)
    stands = Signal(range(_SETTLED + 1))
    with m.If(sum((value != h.past(value) for value in said), C(0, 1)) | within("REWIND")):
        m.d.sync += stands.eq(0)
    with m.Elif(stands != _SETTLED):
        m.d.sync += stands.eq(stands + 1)
    delivered, end = Signal(48), Signal(48)
    m.d.comb += [delivered.eq(scene.lba + behind + partial), end.eq(scene.lba + sectors)]
    elsewhere = (error_lba < delivered) | (error_lba >= end)
    bad = (scene.cause == Error.DRIVE_ERROR) & located & ~elsewhere
    deciding = within("ASSESS", "DECIDE") & ~flushing
    h.lemma("a status, after 1 clock", ~deciding | (stands < 1) | (moved == behind))
    h.lemma("... 2 clocks", ~deciding | (stands < 2) | (
        (h.probe("dut.delivered", 48) == delivered) & (h.probe("dut.end", 48) == end)))
    h.lemma("... 3 clocks", ~deciding | (stands < 3) | (h.probe("dut.elsewhere") == elsewhere))
    h.lemma("the cause", within("IDLE", "CLOSE") | (dut.last_cause == scene.cause))
    h.check("a sector counts as bad if it is one of the command that has not been delivered",
            ~within("DECIDE") | flushing | (stands < _SETTLED) | (confirmed == bad))
    h.check("never both", ~(dut.again & dut.surrender))
    steady(h, "mark", dut.mark)
    stops = dut.stopped & ~dut.writes & ~flushing
    h.check("on with a drive that can be used, but for a play-back that is over",
            ~dut.again | dut.usable | stops)
    h.check("on with the same drive", ~dut.again | ~dut.changed | stops)
    h.check("on when the recorder is ready", ~dut.again | h.past(dut.settled) | stops)
    total = (dut.passed + dut.skipped)[:48]
    cached = Signal()       # sectors were completed when the drive was brought up anew
    with m.If(dut.begin):
        m.d.sync += cached.eq(0)
    with m.Elif(within("DECIDE") & scene.anew & dut.writes
                & (total != 0)):
        m.d.sync += cached.eq(1)
    h.lemma("the sum", h.first | (h.probe("dut.total", 48) == h.past(total)))
    h.lemma("what is completed stays so", ~cached | dut.begin | (total != 0))
    h.lemma("what may be lost with a cache", ~cached | (h.probe("dut.exposed", 48) != 0))
    h.check("what may be lost with a cache is entered at the end",
            ~cached | ~h.past(within("CLOSE")) | within("CLOSE") | (
                entered & (mark.kind == Mark.UNFLUSHED) & (mark.length != 0)
                & (mark.position == h.past(dut.origin))))
    tries = Signal(3)
    with m.If(dut.begin | dut.succeeded | dut.skip):
        m.d.sync += tries.eq(0)
    with m.Elif(dut.again & replays & ~tries.all()):
        m.d.sync += tries.eq(tries + 1)
    h.check(f"a recording tries a command {_RETRIES} times again",
            ~dut.writes | dut.begin | (tries <= _RETRIES))
    h.check("the count of retries saturates",
            h.past(dut.begin) | (dut.retries >= h.past(dut.retries)))
    h.hint("small", sum((value[5:] != 0 for value in (
        dut.lba, dut.sectors, dut.error_lba, dut.passed, dut.origin, dut.behind)), C(0, 1)) == 0)
    h.hint("tried", dut.writes & dut.usable & dut.settled & dut.idle & dut.mark.ready
           & ~dut.flushing & ~dut.stopped & ~dut.changed & (dut.behind == 0) & (dut.lba == 0)
           & (dut.sectors == 1) & (dut.passed == 0) & (dut.cause == Error.DRIVE_ERROR)
           & ~dut.located & ~dut.interface & (dut.generation == 0) | h.first)
    h.cover("tried again", dut.again & (tries == 1) & dut.writes)
    h.cover("given up, in doubt", dut.surrender & (doubt == 5) & dut.writes)
    h.cover("a read goes on behind what it delivered", dut.again & (to == 5) & ~dut.writes)
    if skips:
        h.cover("passed over", dut.again & (passed == 5))


def ends(h, skips=True):
    """How long it takes without a drive."""
    m = h.m
    dut = Scene(h, skips).dut
    away = Signal(range(_WITHIN + 1))
    with m.If(~dut.active | dut.usable):
        m.d.sync += away.eq(0)
    with m.Elif(away != _WITHIN):
        m.d.sync += away.eq(away + 1)
    h.check(f"it ends within {_WITHIN} clocks without a drive, at a limit of {_TIMEOUT}",
            away != _WITHIN)
    h.cover("given up because no drive came", dut.surrender & (away > _TIMEOUT))

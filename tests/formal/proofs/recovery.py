"""The recovery: nothing of a failed command is left out, and it comes to an end."""

from amaranth.hdl import C, Mux, Signal

from formal.order import steady
from formal.states import states
from sata_recorder.core.drive_port import Error, JournalKind
from sata_recorder.core.sequencer.recovery import Recovery
from sata_recorder.core.sequencer.recovery.recovery import Case

_RETRIES = 2
_DELAY, _TIMEOUT = 3, 20
#: Clocks from the failure, or from the loss of the drive, to the end: the longest recovery, with
#: the clock of its timer that may be over, and what comes before and after it.
_WITHIN = _TIMEOUT + 50
#: Clocks that an entry waits for the journal at most.
_MARK = 10
#: Clocks after which the recovery knows what a status reports.
_SETTLED = 5

#: Without SKIP if nothing is passed over.
STATES = ["IDLE", "CLOSE", "PREPARE", "WAIT", "GO", "REWIND", "ASSESS", "DECIDE", "DOUBT", "ADVANCE", "SKIP",
          "ABORT"]


class Scene:
    """Commands of any length that fail in any way, a drive that comes and goes.

    A recorder keeps to what it states: no more sectors are gone than the command has. Another drive
    is told of before it can be used. What the registers of the command say counts in the clock
    after the failure only: IDENTIFY DEVICE takes their place.
    """

    def __init__(self, h, skips):
        m = h.m
        self.dut = dut = h.dut(Recovery(retries=_RETRIES, delay=_DELAY, timeout=_TIMEOUT,
                                        skips=skips, retries_width=1))
        control, resume, port = dut.control, dut.resume, dut.port
        command, drive, status = dut.command, dut.drive, dut.status
        h.drive(control.begin, control.writes, control.plays, control.no_data, control.failed, control.cause,
                control.needs_comreset, control.succeeded, control.ended, dut.drive, dut.command,
                resume.sectors_done, resume.no_more, dut.origin, dut.stopped, port.resume_offset,
                port.partial, port.tainted, port.settled, dut.journal_room, dut.drained,
                dut.journal.ready)
        self._states = states(h, "dut", *(name for name in STATES if skips or name != "SKIP"))
        # What failed, and why.
        self.no_data, self.anew = Signal(), Signal()
        self.cause, self.lba, self.sectors = Signal(Error), Signal(48), Signal(17)
        with m.If(control.failed):
            m.d.sync += [self.no_data.eq(control.no_data), self.anew.eq(control.needs_comreset),
                         self.cause.eq(control.cause)]
        with m.If(self.within("REWIND")):
            m.d.sync += [self.lba.eq(command.lba), self.sectors.eq(command.sectors)]
        waits = Signal(range(_MARK + 2))
        self.running = running = Signal()
        m.d.sync += waits.eq(Mux(dut.journal.valid & ~dut.journal.ready, waits + 1, 0))
        with m.If(control.begin):
            m.d.sync += running.eq(1)
        with m.Elif(control.abort | control.ended):
            m.d.sync += running.eq(0)
        begun = h.past(control.begin)
        rises = drive.changed & ~h.past(drive.changed)
        idle = self.within("IDLE")
        h.assume(
            ~control.begin | (idle & ~dut.journal.valid),
            ~control.failed | (idle & running & ~control.begin & ~begun),
            ~control.ended | (idle & ~control.begin & ~control.failed & ~begun),
            ~control.succeeded | (idle & running & ~control.failed),
            begun | (control.writes == h.past(control.writes)),
            begun | (control.plays == h.past(control.plays)), ~control.plays | ~control.writes,
            begun | (dut.origin == h.past(dut.origin)),
            begun | control.begin | ~h.past(drive.changed) | drive.changed,
            begun | control.begin | ~h.past(dut.stopped) | dut.stopped,
            ~rises | ~drive.usable, waits <= _MARK,
            ~self.within("REWIND") | (command.sectors != 0),
            ~self.within("REWIND") | (command.lba + command.sectors <= 1 << 48),
            self.within("IDLE", "CLOSE", "REWIND") | (port.resume_offset <= self.sectors),
            ~dut.active | (resume.sectors_done == h.past(resume.sectors_done)),
            begun | control.begin | (resume.sectors_done >= h.past(resume.sectors_done)),
            ~resume.sectors_done[47], ~status.skipped[47],
            control.cause != Error.NONE)

    def within(self, *names):
        """Whether the state is one of these."""
        return sum((self._states[name] for name in names if name in self._states), C(0, 1)) != 0


def recovery(h, skips=True):
    """What becomes of the sectors of the command; how often it is tried."""
    m = h.m
    scene = Scene(h, skips)
    dut, within, no_data = scene.dut, scene.within, scene.no_data
    control, resume, port = dut.control, dut.resume, dut.port
    command, drive, status = dut.command, dut.drive, dut.status
    mark, sectors = dut.journal.payload, scene.sectors
    # Sectors that are done, marked as passed over (from where on), marked as in doubt.
    done, before, passed, doubt = Signal(17), Signal(17), Signal(17), Signal(17)
    entered = dut.journal.valid & ~h.past(dut.journal.valid & ~dut.journal.ready)
    skipped = entered & (mark.kind == JournalKind.SKIPPED)
    doubted = entered & (mark.kind == JournalKind.IN_DOUBT)
    place = Signal(48)
    m.d.comb += [passed.eq(Mux(skipped, mark.length, before)),
                 doubt.eq(Mux(doubted, mark.length, 0))]
    to, repeat = Signal(17), Signal()
    with m.If(control.failed):
        m.d.sync += [done.eq(0), before.eq(0)]
    with m.Else():
        m.d.sync += before.eq(passed)
        with m.If(skipped):
            m.d.sync += place.eq(mark.position)
        with m.If(resume.rewind):
            m.d.sync += [done.eq(resume.rewind_to - passed), to.eq(resume.rewind_to),
                         repeat.eq(port.reread)]

    count, moved = h.probe("dut.verdict.count", 17), h.probe("dut.verdict.resume_at", 17)
    confirmed, first = h.probe("dut.verdict.confirmed"), h.probe("dut.verdict.place", 48)
    case = Case(h.probe("dut.case", Case.as_shape().size))
    doubt_from, whole, replays, credited = (
        case.doubt_from, case.whole, case.replays, case.credited)
    credit = Mux(control.writes | ~confirmed, 0, moved)
    begun = within("PREPARE", "WAIT", "GO")
    h.lemma("a flush or a command",
            within("IDLE", "CLOSE") | (case.no_data == no_data))
    h.lemma("why", within("IDLE", "CLOSE") | (case.needs_comreset == scene.anew))
    h.lemma("the command", within("IDLE", "CLOSE", "REWIND")
            | ((count == sectors) & (first == scene.lba)))
    h.lemma("where it ends", within("IDLE", "CLOSE", "REWIND") | (scene.lba + sectors <= 1 << 48))
    h.lemma("no more is gone than it has",
            within("IDLE", "CLOSE", "REWIND", "ASSESS") | no_data | (moved <= count))
    h.lemma("nothing yet", ~within("REWIND", "ASSESS", "DECIDE", "SKIP") | no_data | (
        (done == 0) & (passed == 0) & ~dut.journal.valid))
    h.lemma("when it is credited", no_data | Mux(
        within("ASSESS", "DECIDE", "SKIP", "ADVANCE"), ~credited, ~begun | credited))
    h.lemma("about to be passed over", ~within("SKIP") | (doubt_from == credit) | no_data)
    h.lemma("about to be advanced", ~within("ADVANCE") | no_data | (done == 0) & Mux(
        replays, (passed == 0) & (doubt_from == credit) & (~control.writes | (moved == 0)) & ~whole,
        skipped & (mark.position == (first + credit)[:48]) & (doubt_from == credit) & Mux(
            whole, passed + credit == count,
            (passed == moved) & (credit == 0) & control.writes)))
    h.lemma("where it was passed over", ~(begun | within("DOUBT")) | no_data
            | (passed == 0) | (before == 0) | (place == (scene.lba + done)[:48]))
    h.lemma("advanced", ~begun | no_data | (
        (to == done + passed) & (to <= count) & (resume.rewind_to == to)
        & (within("PREPARE") | (doubt_from == to))
        & (repeat | control.writes | (to != 0) | (moved == 0))))
    h.lemma("in doubt", ~within("DOUBT") | no_data | (doubt_from <= count) & Mux(
        credited, doubt_from == done + passed, (done == 0) & (passed == 0)))
    h.lemma("when an entry waits", ~dut.journal.valid | Mux(
        mark.kind == JournalKind.SKIPPED, within("ADVANCE", "PREPARE"),
        within("ABORT") | (within("IDLE", "CLOSE") & ~scene.running)))
    h.lemma("the place of an entry", ~dut.journal.valid | (mark.kind == JournalKind.UNFLUSHED)
            | (h.probe("dut.position", 48) == (first + doubt_from)[:48]))
    h.check("of a read only what the status confirms is done, of a recording nothing",
            ~resume.rewind | no_data | (resume.rewind_to == passed)
            | (resume.rewind_to == passed + credit))
    h.check("the user gets the number of sectors that were passed over", ~skipped | (
        status.skipped == (h.past(status.skipped) + mark.length)[:48]))
    h.check("at the end each sector of the command is done, passed over or in doubt",
            ~control.abort | no_data | (done + passed + doubt == sectors))
    h.check("in this order: what comes after those that are done is passed over",
            ~(control.abort | control.again) | no_data | (passed == 0)
            | (place == (scene.lba + done)[:48]))
    h.check("what comes after those is in doubt",
            ~doubted | (mark.position == (scene.lba + done + passed)[:48]))
    h.check("the next command begins after what is done or passed over",
            ~control.again | no_data | (to == done + passed))
    h.check("the recorder sees a read that begins again",
            ~control.again | no_data | control.writes | repeat | (to != 0) | (moved == 0))
    h.check("the recorder sees that the rest is passed over", ~h.past(port.skip) | (
        skipped & ((mark.position + mark.length)[:48] == (scene.lba + sectors)[:48])))
    # What a status reports is believed once it has stood for some clocks.
    said = [command.error_lba, command.located, port.resume_offset, port.partial]
    error_lba, located, offset, partial = map(h.past, said)
    stands = Signal(range(_SETTLED + 1))
    with m.If(sum((value != h.past(value) for value in said), C(0, 1)) | within("REWIND")):
        m.d.sync += stands.eq(0)
    with m.Elif(stands != _SETTLED):
        m.d.sync += stands.eq(stands + 1)
    elsewhere = (error_lba < scene.lba + offset + partial) | (error_lba >= scene.lba + sectors)
    bad = (scene.cause == Error.DRIVE_ERROR) & located & ~elsewhere
    deciding = within("ASSESS", "DECIDE") & ~no_data
    h.lemma("a status, after 1 clock", ~deciding | (stands < 1) | (moved == offset))
    h.lemma("... 2 clocks", ~deciding | (stands < 2) | (
        (h.probe("dut.verdict.delivered", 18) == offset + partial)
        & (h.probe("dut.verdict.offset", 48) == (error_lba - scene.lba)[:48])))
    h.lemma("... 3 clocks", ~deciding | (stands < 3)
            | (h.probe("dut.verdict.elsewhere") == elsewhere))
    h.lemma("the cause", within("IDLE", "CLOSE") | (status.cause == scene.cause))
    h.check("a sector counts as bad if it is one of the command that has not been delivered",
            ~within("DECIDE") | no_data | (stands < _SETTLED) | (confirmed == bad))
    h.check("never both", ~(control.again & control.abort))
    steady(h, "mark", dut.journal)
    stops = dut.stopped & control.plays
    h.check("on with a drive that can be used, but for a play-back that is over",
            ~control.again | h.past(drive.usable) | stops)
    h.check("on with the same drive", ~control.again | ~drive.changed | stops)
    h.check("on when the recorder is ready", ~control.again | h.past(port.settled) | stops)
    total = (resume.sectors_done + status.skipped)[:48]
    cached = Signal()       # sectors were completed when the drive was brought up again
    with m.If(control.begin):
        m.d.sync += cached.eq(0)
    with m.Elif(within("DECIDE") & scene.anew & control.writes
                & (total != 0)):
        m.d.sync += cached.eq(1)
    h.lemma("what is completed stays so", ~cached | control.begin | (total != 0))
    h.lemma("what may be lost with a cache", ~cached | (h.probe("dut.exposure.sectors", 48) != 0))
    h.check("what may be lost with a cache is entered at the end",
            ~cached | ~h.past(within("CLOSE")) | within("CLOSE") | (
                entered & (mark.kind == JournalKind.UNFLUSHED) & (mark.length != 0)
                & (mark.position == h.past(dut.origin))))
    tries = Signal(3)
    with m.If(control.begin | control.succeeded | port.skip):
        m.d.sync += tries.eq(0)
    with m.Elif(control.again & replays & ~tries.all()):
        m.d.sync += tries.eq(tries + 1)
    h.check(f"a recording tries a command {_RETRIES} times again",
            ~control.writes | control.begin | (tries <= _RETRIES))
    h.check("the count of retries saturates",
            h.past(control.begin) | (status.retries >= h.past(status.retries)))
    h.hint("small", sum((value[5:] != 0 for value in (
        command.lba, command.sectors, command.error_lba, resume.sectors_done, dut.origin,
        port.resume_offset)), C(0, 1)) == 0)
    h.hint("tried", control.writes & drive.usable & port.settled & ~control.needs_comreset
           & dut.journal.ready & ~control.no_data & ~dut.stopped & ~drive.changed
           & (port.resume_offset == 0) & (command.lba == 0) & (command.sectors == 1)
           & (resume.sectors_done == 0) & (control.cause == Error.DRIVE_ERROR)
           & ~command.located & ~command.line_error & (drive.generation == 0) | h.first)
    h.cover("tried again", control.again & (tries == 1) & control.writes)
    h.cover("given up, in doubt", control.abort & (doubt == 5) & control.writes)
    h.cover("a read continues after what it delivered", control.again & (to == 5) & ~control.writes)
    if skips:
        h.cover("passed over", control.again & (passed == 5))


def ends(h, skips=True):
    """How long it takes without a drive."""
    m = h.m
    dut = Scene(h, skips).dut
    away = Signal(range(_WITHIN + 1))
    with m.If(~dut.active | dut.drive.usable):
        m.d.sync += away.eq(0)
    with m.Elif(away != _WITHIN):
        m.d.sync += away.eq(away + 1)
    h.check(f"it ends within {_WITHIN} clocks without a drive, at a limit of {_TIMEOUT}",
            away != _WITHIN)
    h.cover("given up because no drive came", dut.control.abort & (away > _TIMEOUT))

"""What follows a command that has failed."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import data, wiring

from ...drive_port import Error, JournalKind
from ...states import OneHotStates
from .attempts import Attempts
from .exposure import Exposure
from .signatures import recovery_members
from .verdict import Verdict

__all__ = ["Case", "Recovery"]

#: Clocks from ``rewind`` until the recorder's answer is valid.
_ASSESS = 8
#: Clocks from ``resume.rewind`` until the extent has its next command.
_PREPARE = 6


class Case(data.Struct):
    """The command that a recovery handles."""

    #: The failed command moves no data of the extent, or no command had begun yet.
    no_data: 1
    needs_comreset: 1
    #: The command, or what is left of it, is tried once more.
    replays: 1
    #: All that is left of the command is skipped.
    whole: 1
    #: What is done of the command has been counted.
    credited: 1
    #: The command's sectors before this one are done, or have been passed over. Those from
    #: here on are in doubt if the operation ends.
    doubt_from: 17


class Recovery(wiring.Component):
    """Decides between replaying the failed command, skipping it, and the end of the operation.

    A command is replayed as long as the recorder still has its words and ``retries`` last; a read
    whose status named the bad sector continues with what has not been delivered. After that,
    ``skips`` decides. If a read has delivered words that cannot be trusted, see
    :class:`.verdict.Verdict`, the operation ends. When a command has failed twice and fails again
    because of the line, the link is brought up a generation lower. Before the next command the drive
    must be usable again and the same as before, and the pause must be over.

    Parameters
    ----------
    retries : int           of one command, 0 to 255
    delay, timeout : int    clocks: of the first pause, and of the longest recovery
    skips : bool            pass over what cannot be replayed
    queued : bool           a recording may have several extents, see :class:`.exposure.Exposure`
    retries_width : int     bits of ``status.retries``

    Members
    -------
    once : In(1)            the command is not issued again, and not passed over
    safe : In(1)            what was completed in this operation is on the medium
    query : In(1)           with ``control.failed``: the command in flight came between two of the
                            extent. It is not issued again, and is no attempt of the next one
    clocks : In(32)         a count of clocks that never stops
    complete : In(1)        nothing is passed over, whatever ``skips`` is
    control : In(RecoveryControl)   the operation
    drive : In(DriveState)          the state of the drive
    command : In(FailedCommand)     the command in flight; its sectors are valid one clock after
                            ``control.failed``
    resume : Out(ResumeSignature)   where the extent continues
    port : In(RecoveryPort)         the recorder
    stopped, drained, journal_room : In(1)  see :class:`...drive_port.DrivePort`
    journal : Out(stream JournalEntry)      what is missing, old or in doubt
    origin : In(48)         the first LBA of the extent
    unflushed_lba, unflushed_sectors : In(48)       with ``control.unflushed``: the sectors
    status : Out(RecoveryStatus)    for the user
    active : Out(1)         from the clock after ``control.failed`` to ``control.again`` or
                            ``control.abort``
    downshift : Out(1)      requests COMRESET, and a link limited to ``downshift_to``
    downshift_to : Out(2)   with ``downshift``: the highest generation
    recorded : In(SectorSpan)     the range of the sectors that were completed in this operation
    """

    def __init__(self, *, retries, delay, timeout, skips, queued=False, retries_width=16):
        self._attempts = {"retries": retries, "delay": delay, "timeout": timeout,
                          "retries_width": retries_width}
        self._exposure = Exposure(queued=queued)
        self._skips = C(skips)
        super().__init__(recovery_members(retries_width=retries_width))

    def elaborate(self, platform):
        m = Module()
        control, port, status = self.control, self.port, self.status
        m.submodules.verdict = verdict = Verdict()
        m.submodules.attempts = attempts = Attempts(**self._attempts)
        m.submodules.exposure = exposure = self._exposure
        m.d.comb += [
            verdict.command.eq(self.command),
            verdict.cause.eq(status.cause),
            verdict.writes.eq(control.writes),
            verdict.resume_offset.eq(port.resume_offset),
            verdict.partial.eq(port.partial),
            verdict.tainted.eq(port.tainted),
            attempts.clocks.eq(self.clocks),
            attempts.begin.eq(control.begin),
            attempts.succeeded.eq(control.succeeded),
            attempts.writes.eq(control.writes),
            attempts.generation.eq(self.drive.generation),
            attempts.resume_at.eq(verdict.resume_at),
            attempts.confirmed.eq(verdict.confirmed),
            attempts.by_line.eq(verdict.by_line),
            # Once the drive is usable, the recovery waits for the user.
            attempts.waiting.eq(self.active & ~self.drive.usable),
            exposure.begin.eq(control.begin),
            exposure.sectors_done.eq(self.resume.sectors_done),
            exposure.skipped.eq(status.skipped),
            exposure.cause.eq(status.cause),
            exposure.lba.eq(self.recorded.lba),
            exposure.range.eq(self.recorded.sectors),
            exposure.origin.eq(self.origin),
            status.retries.eq(attempts.retries),
            self.downshift_to.eq(attempts.downshift_to),
            self.resume.again_sectors.eq(verdict.count),
            self.resume.skipped.eq(status.skipped),
        ]
        self._state_machine(m, verdict, attempts, exposure)
        return m

    def _state_machine(self, m, verdict, attempts, exposure):
        case = Signal(Case)
        enter = self._journal_entry(m, case, verdict, exposure)
        m.d.comb += self.resume.rewind_to.eq(case.doubt_from)
        with m.If(self._skips & ~case.replays):
            m.d.comb += self.resume.rewind_to.eq(
                Mux(case.whole, verdict.count, verdict.resume_at))

        def give_up(error):
            m.d.sync += self.control.error.eq(Mux(self.control.broken, Error.PROTOCOL, error))
            self._states.enter("DOUBT")

        def expose():
            """What was completed may be in a write cache, and the cache may be lost."""
            m.d.comb += exposure.expose.eq(self.control.writes & ~self.safe)

        # Much depends on the state: it is kept in flops of its own.
        self._states = fsm = OneHotStates(
            m, "IDLE", "REWIND", "ASSESS", "DECIDE", "SKIP", "ADVANCE", "PREPARE", "WAIT", "GO", "DOUBT", "ABORT",
            "CLOSE", only={"SKIP": self._skips})
        m.d.comb += [
            self.active.eq(~fsm.ongoing("IDLE") & ~fsm.ongoing("CLOSE")),
            # The drive may have begun to write all of it: a stop does not make it shorter.
            self.resume.again.eq(case.replays & self.control.writes & ~case.no_data & (
                fsm.ongoing("PREPARE") | fsm.ongoing("WAIT") | fsm.ongoing("GO"))),
            verdict.no_data.eq(case.no_data),
            verdict.capture.eq(fsm.ongoing("REWIND")),
            verdict.assess.eq(fsm.ongoing("ASSESS")),
            attempts.pause.eq(fsm.ongoing("REWIND")),
            attempts.judge.eq(fsm.ongoing("DECIDE")),
        ]
        self._lead(m, case, verdict, attempts, exposure, give_up, expose, enter)

    def _lead(self, m, case, verdict, attempts, exposure, give_up, expose, enter):
        """From the failure to what follows it: where the extent continues, or the end."""
        control, port, status, resume = self.control, self.port, self.status, self.resume
        clocks = Signal(range(max(_ASSESS, _PREPARE)))
        m.d.sync += [clocks.eq(clocks + 1), self.downshift.eq(0)]
        count, resume_at, confirmed = verdict.count, verdict.resume_at, verdict.confirmed
        writes, no_data, whole = control.writes, case.no_data, case.whole
        doubt_from = case.doubt_from
        m.d.comb += port.skip_sectors.eq(count - resume_at)

        with self._states.state("IDLE"):
            with m.If(control.failed):
                m.d.sync += [
                    status.cause.eq(control.cause),
                    no_data.eq(control.no_data),
                    case.needs_comreset.eq(control.needs_comreset),
                ]
                self._states.enter("REWIND")
            with m.Elif(control.ended):
                self._states.enter("CLOSE")
        with self._states.state("REWIND"):
            m.d.comb += port.rewind.eq(~no_data)
            m.d.sync += [clocks.eq(0), case.credited.eq(no_data)]
            self._states.enter("ASSESS")
        with self._states.state("ASSESS"):
            m.d.sync += [case.replays.eq(1), whole.eq(0)]
            with m.If(clocks == _ASSESS - 1):
                self._states.enter("DECIDE")
        with self._states.state("DECIDE"):
            may_skip = self.journal_room & ~self.complete & ~self.once & self._skips
            fails = (attempts.exhausted & ~attempts.progress) | (writes & resume_at.any()) | self.once
            m.d.sync += doubt_from.eq(Mux(writes | verdict.suspect | ~confirmed, 0, resume_at))
            with m.If(case.needs_comreset | no_data):
                expose()
            with m.If(no_data):
                # What could not be written is out of the cache after an error: a second FLUSH
                # CACHE would succeed without it (ATA8-ACS, FLUSH CACHE). After a loss of power
                # so would any; a recording notes that in the journal.
                with m.If(attempts.exhausted | control.broken | control.abandoned | (status.cause == Error.DRIVE_ERROR)
                          | (case.needs_comreset & ~writes)):
                    give_up(status.cause)
                with m.Else():
                    m.d.sync += self.downshift.eq(attempts.downshift)
                    self._states.enter("WAIT")
            with m.Elif(~verdict.suspect & ~fails):
                self._states.enter("ADVANCE")
            with m.Elif(verdict.suspect | ~may_skip):
                give_up(status.cause)
            with m.Else():
                m.d.sync += [case.replays.eq(0), whole.eq(attempts.exhausted)]
                self._states.enter("SKIP")
        with self._states.state("SKIP"):
            enter(JournalKind.SKIPPED)
            m.d.comb += [port.skip.eq(whole), attempts.skip.eq(whole)]
            # What a recording lost belongs to what it skips.
            m.d.sync += status.skipped.eq(status.skipped + Mux(whole, count - doubt_from, resume_at))
            self._states.enter("ADVANCE")
        with self._states.state("ADVANCE"):
            m.d.comb += [
                resume.rewind.eq(1),
                port.reread.eq(~writes & ~confirmed & ~whole),
            ]
            m.d.sync += [clocks.eq(0), case.credited.eq(1), self.downshift.eq(attempts.downshift & case.replays)]
            self._states.enter("PREPARE")
        with self._states.state("PREPARE"):
            with m.If((clocks == _PREPARE - 1) & ~self.journal.valid):
                m.d.sync += doubt_from.eq(resume.rewind_to)
                self._states.enter("WAIT")
        self._wait(m, case, attempts, give_up, expose)
        with self._states.state("DOUBT"):
            with m.If(~self.journal.valid):
                m.d.comb += resume.rewind.eq(~case.credited)
                with m.If(~no_data & (doubt_from != count)):
                    enter(JournalKind.IN_DOUBT)
                self._states.enter("ABORT")
        with self._states.state("ABORT"):
            m.d.comb += control.abort.eq(1)
            self._states.enter("IDLE")
        with self._states.state("CLOSE"):
            with m.If(~self.journal.valid):
                with m.If((exposure.sectors != 0) | control.unflushed):
                    enter(JournalKind.UNFLUSHED)
                self._states.enter("IDLE")
        with m.If(control.begin):
            m.d.sync += [status.cause.eq(Error.NONE), status.skipped.eq(0)]

    def _wait(self, m, case, attempts, give_up, expose):
        """Until the next command can be issued."""
        control, drive, resume = self.control, self.drive, self.resume
        abandons = Signal()     # a playback that the user has stopped no longer needs the drive
        m.d.comb += abandons.eq(self.stopped & control.plays)
        query = Signal()        # the next command is not the one that has failed
        with m.If(control.failed):
            m.d.sync += query.eq(self.query)
        repeats = case.replays & ~abandons & ~query
        with self._states.state("WAIT"):
            with m.If(~drive.usable):
                expose()
            with m.If(abandons):
                self._states.enter("GO")
            with m.Elif(control.broken):
                give_up(Error.PROTOCOL)
            with m.Elif(control.abandoned):
                give_up(self.status.cause)
            with m.Elif(drive.changed):
                give_up(Error.OTHER_DRIVE)
            with m.Elif(drive.unusable):
                give_up(drive.judgement)
            with m.Elif(attempts.expired):
                give_up(self.status.cause)
            # The words of sectors that are skipped have to come before the operation ends.
            with m.Elif(drive.usable & self.port.settled & attempts.pause_over & ~self.downshift
                        & (~resume.no_more | ~control.writes | case.no_data | self.drained)):
                self._states.enter("GO")
        with self._states.state("GO"):
            # If the link has fallen in the meantime, the next command fails at once, which counts as an attempt.
            with m.If(abandons | ~drive.changed):
                m.d.comb += [control.again.eq(1), attempts.again.eq(repeats)]
                self._states.enter("IDLE")
            with m.Else():
                self._states.enter("WAIT")

    def _journal_entry(self, m, case, verdict, exposure):
        """The contents of ``journal`` follow from the kind of entry; returns the function that
        enters one. Nothing of it changes before the entry is taken."""
        entry = self.journal.payload
        kind = Signal(JournalKind)
        position = Signal(48)
        m.d.sync += position.eq(verdict.place + case.doubt_from)
        m.d.comb += entry.kind.eq(kind)
        with m.If(kind != JournalKind.UNFLUSHED):
            m.d.comb += [
                entry.cause.eq(self.status.cause),
                entry.position.eq(position),
                entry.length.eq(verdict.count - case.doubt_from),
            ]
            with m.If(self._skips & (kind == JournalKind.SKIPPED) & ~case.whole):
                m.d.comb += entry.length.eq(verdict.resume_at)
        with m.Elif(self.control.writes):
            m.d.comb += [
                entry.cause.eq(exposure.reason),
                entry.position.eq(exposure.first),
                entry.length.eq(exposure.sectors),
            ]
        with m.Else():
            m.d.comb += [
                entry.cause.eq(Error.LINK_LOST),
                entry.position.eq(self.unflushed_lba),
                entry.length.eq(self.unflushed_sectors),
            ]
        with m.If(self.journal.ready):
            m.d.sync += self.journal.valid.eq(0)

        def enter(which):
            m.d.sync += [self.journal.valid.eq(1), kind.eq(which)]
        return enter

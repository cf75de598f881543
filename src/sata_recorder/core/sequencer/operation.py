"""The state machine of an operation."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..command import CommandResult
from ..drive_port import Error, Extent, Operation
from .extent_check import ExtentCheck
from .phase import FAILURES, CommandEnd, Phase
from .recovery import RecoveryControl
from ..states import OneHotStates

__all__ = ["OperationControl"]


class OperationControl(wiring.Component):
    """Takes an operation from its start to its end.

    With a queue, a recording whose extents have all been moved waits for a span that is
    ``pending``, and one that ``gathers`` waits for words. It does so between two commands. It always
    waits for at least one clock, in which no span is taken: so none comes too late.

    An operation that cannot be done is refused before any command. A command that fails, or a
    drive that is silent for too long, begins a recovery.

    Parameters
    ----------
    clear_clocks, settle_clocks : int       clocks that the ledger takes to be cleared before an
                            operation, and to settle after it
    queued : bool           a recording can wait between two commands; else ``gathers`` and ``pending`` must be 0
    between : bool          something may come between two data commands; else ``wanted`` must be 0

    Members
    -------
    extent : In(stream Extent)      what to do; taken while no operation runs
    usable : In(1)          the drive can be used
    unusable : In(1)        the drive cannot be used, for the reason in ``judgement``
    judgement : In(Error)   with ``unusable``: why
    lost : In(1)            the link is down, or the drive is not usable
    failed_bring_up : In(1) an attempt to bring the drive up has failed
    failure : In(Error)     with ``failed_bring_up``: why
    command : In(CommandEnd)        how the command in flight has ended
    silent : In(1)          the drive has been silent for too long
    word_lost : In(1)       the recorder could not keep a word
    broken : In(1)          the recorder has lost the words that it held; ``word_lost`` is high, too, while words move
    abandoned : In(1)       see :class:`..drive_port.DrivePort`
    beyond : In(1)          the extent ends beyond the capacity; valid 3 clocks after ``begin``
    splits : In(1)          the extent begins or ends within a logical sector; from the clock after
                            ``begin`` to the end
    no_more : In(1)         no data command is left
    next_due : In(1)        the data command is over, and so is the pause after it
    pausing : In(1)         the pause between two commands runs
    wanted : In(1)          something is to come before the next data command
    repeated : In(1)        with ``between``: its failure is the operation's, and it is issued first after
                            the recovery. Else it is a query: the operation continues without its answer
    clean : In(1)           nothing was written in this operation since the latest FLUSH CACHE
    unflushed : In(1)       sectors of earlier recordings may be lost with the drive's cache
    tainted, drained : In(1)        see :class:`..drive_port.DrivePort`
    recovery : Out(RecoveryControl)
    phase : Out(Phase)
    writes : Out(1)         the operation records
    recording, playing : Out(1)     see :class:`..drive_port.DrivePort`, a clock early
    begin : Out(1)          ``extent`` is taken
    opening : Out(1)        nothing is wrong with the extent of a recording
    next : Out(1)           the next data command begins
    flush : Out(1)          FLUSH CACHE begins
    starts : Out(1)         a command begins, if the drive is not ``lost``
    issue : Out(1)          what is ``wanted`` begins
    between : Out(1)        it is in flight
    closes : Out(1)         no data command is left, and the operation's own FLUSH CACHE comes
    began : Out(1)          a data command has begun in this operation, or a failure has come before it
    needs_comreset : Out(1) the drive is to be brought up by COMRESET
    busy, done, error : Out see :mod:`...interface`
    gathers : In(1)         with ``no_more``: there are sectors, but no words for them
    pending : In(1)         with ``no_more``: a span may follow
    more : In(1)            with ``pending``: the recording waits for the span, however long that takes
    closing : In(1)         with ``no_more``: spans may still be taken in this clock
    refused : In(1)         a span cannot be moved: the operation ends after those before it
    refusal : In(Error)     with ``refused``: how it ends
    waits : Out(1)          the recording waits between two commands
    extends : Out(1)        the recording can continue with a span
    """

    def __init__(self, *, clear_clocks, settle_clocks, queued=False, between=False):
        self._queued = queued
        self._between = between
        self._clear_clocks = clear_clocks
        self._settle_clocks = settle_clocks
        super().__init__({
            "extent": In(stream.Signature(Extent)), "usable": In(1),
            "unusable": In(1), "judgement": In(Error), "lost": In(1),
            "failed_bring_up": In(1), "failure": In(Error),
            "command": In(CommandEnd), "silent": In(1), "word_lost": In(1), "broken": In(1),
            "abandoned": In(1),
            "beyond": In(1), "no_more": In(1), "next_due": In(1), "pausing": In(1),
            "unflushed": In(1), "tainted": In(1), "drained": In(1),
            "recovery": Out(RecoveryControl()),
            "phase": Out(Phase), "writes": Out(1), "recording": Out(1), "playing": Out(1),
            "begin": Out(1), "opening": Out(1),
            "next": Out(1), "flush": Out(1), "starts": Out(1), "began": Out(1), "needs_comreset": Out(1),
            "busy": Out(1), "done": Out(1), "error": Out(Error),
            "splits": In(1),
            "wanted": In(1), "repeated": In(1), "clean": In(1), "issue": Out(1), "between": Out(1),
            "closes": Out(1),
            "gathers": In(1), "pending": In(1), "more": In(1), "closing": In(1), "refused": In(1), "refusal": In(Error),
            "waits": Out(1), "extends": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        phase = self.phase
        operation = Signal(Operation)
        with_flush = Signal()       # it is RECORD_FLUSH
        empty = Signal()            # it has no sectors
        flushed = Signal()          # FLUSH CACHE has begun in it
        words = Signal()            # the words of the extent move, or will again
        moves = phase.moves | self.waits | self.between
        finally_flushes = with_flush & ~self.clean
        m.submodules.check = check = ExtentCheck(self._clear_clocks)
        m.d.comb += [
            check.begin.eq(self.begin), check.checks.eq(phase.checks), check.kind.eq(operation),
            check.empty.eq(empty), check.beyond.eq(self.beyond), check.lost.eq(self.lost),
            check.splits.eq(self.splits),
            self.writes.eq(operation[0]),
            # A recovery of FLUSH CACHE moves no words.
            words.eq(moves | (phase.recovers & ~flushed)),
            self.recording.eq(words & self.writes),
            self.playing.eq((words | phase.delivers) & (operation == Operation.PLAY)),
            self.starts.eq(self._starts(check, flushed, finally_flushes)),
            self.closes.eq(self.no_more & finally_flushes & ~(self.gathers | self.pending)),
        ]
        success = self._goes_on(m, words)

        states = {"CHECK": phase.checks, "MOVE": phase.moves, "FLUSH": phase.flushes,
                  "RECOVER": phase.recovers, "DELIVER": phase.delivers, "WAIT": self.waits,
                  "BETWEEN": self.between}
        # Much depends on the state: it is kept in flops of its own.
        self.states = OneHotStates(
            m, "IDLE", "SETTLE", *states, only={"WAIT": self._queued, "BETWEEN": self._between})
        m.d.comb += [shown.eq(self.states.ongoing(name)) for name, shown in states.items()]
        self._lead(m, check, operation, with_flush, empty, flushed, finally_flushes, success)
        return m

    def _lead(self, m, check, operation, with_flush, empty, flushed, finally_flushes, success):
        """From state to state."""
        fsm, command, recovery = self.states, self.command, self.recovery
        ending = Signal(Error)      # how a playback ends once the user has its words
        clocks = Signal(range(max(self._clear_clocks, self._settle_clocks) + 1))
        m.d.sync += [clocks.eq(clocks + 1), self.done.eq(0)]
        m.d.comb += self.busy.eq(1)
        with m.If(self.failed_bring_up & ~self.busy):
            m.d.sync += self.error.eq(self.failure)
        with m.If(self.next):
            m.d.sync += self.began.eq(1)

        def finish(error):
            m.d.sync += [clocks.eq(0), self.error.eq(error)]
            fsm.enter("SETTLE")

        def flush():
            m.d.comb += self.flush.eq(1)
            fsm.enter("FLUSH")

        fails_before, fails, query_fails = self._failing(m, operation)

        def lost_before():
            """The drive is lost before the first command."""
            with m.If(operation != Operation.FLUSH):
                m.d.sync += self.began.eq(1)
            fails_before()
        go_on = self._following(m, finally_flushes, success, finish, flush)

        m.d.comb += [
            # What is wrong with the extent is known by then.
            self.opening.eq(self.phase.checks & self.writes & clocks[3:].any() & ~empty & ~check.unfit),
            recovery.ended.eq(fsm.ongoing("SETTLE") & (clocks == 0)),
        ]
        with fsm.state("IDLE"):
            m.d.comb += [self.busy.eq(0), self.extent.ready.eq(1),
                         self.begin.eq(self.extent.valid)]
            with m.If(self.begin):
                m.d.sync += [
                    operation.eq(self.extent.payload.operation),
                    with_flush.eq(self.extent.payload.operation == Operation.RECORD_FLUSH),
                    empty.eq(self.extent.payload.sectors == 0),
                    flushed.eq(0), self.began.eq(0), ending.eq(Error.NONE), clocks.eq(0),
                    self.error.eq(Error.NONE),
                ]
                with m.If(self.usable):
                    fsm.enter("CHECK")
                with m.Else():
                    m.d.sync += [self.error.eq(Error.NOT_READY), self.done.eq(1)]
                    with m.If(self.unusable):
                        m.d.sync += self.error.eq(self.judgement)
        with fsm.state("CHECK"):
            with m.If(check.cleared):
                with m.If(check.refuses):
                    finish(check.error)
                with m.Elif(self.lost | check.gone):
                    lost_before()
        with fsm.part("CHECK", check.flushes & ~self.lost):
            flush()
        # If it was stopped before anything could be written, no data command comes.
        with fsm.part("CHECK", check.opens & ~self.lost):
            go_on()
        with fsm.state("MOVE"):
            # A command that has succeeded cannot fail any more, whatever happens to the link.
            with m.If(self.next_due):
                go_on()
            with m.Elif(~command.succeeded & ~self.pausing):
                fails()
        with fsm.state("WAIT"):
            with m.If(self.lost & (self.gathers | self.pending | ~self.no_more)):
                lost_before()
            with m.Else():
                go_on()
        with fsm.state("FLUSH"):
            m.d.sync += flushed.eq(1)
            with m.If(command.succeeded):
                # What it was to flush may be lost already.
                finish(Mux(recovery.unflushed, Error.LINK_LOST, success))
            with m.Else():
                fails()
        with fsm.state("BETWEEN"):
            with m.If(command.done & self._answered):
                go_on()
            with m.Elif(command.done & ~self.repeated & (command.result == CommandResult.DRIVE_ERROR)):
                query_fails()
            with m.Else():
                fails()
            # Whatever drive comes back is checked against the extent.
            with m.If(recovery.failed):
                m.d.sync += self.began.eq(1)
        with fsm.state("RECOVER"):
            with m.If(recovery.abort):
                with m.If((operation == Operation.PLAY) & ~self.tainted):
                    m.d.sync += ending.eq(recovery.error)
                    fsm.enter("DELIVER")
                with m.Else():
                    finish(recovery.error)
        with fsm.part("RECOVER", recovery.again):
            with m.If(flushed):
                flush()
            with m.Else():
                go_on()
        with fsm.state("DELIVER"):
            with m.If(self.broken):
                finish(Error.PROTOCOL)
            with m.Elif(self.drained):
                finish(ending)
        with fsm.state("SETTLE"):
            with m.If(clocks == self._settle_clocks):
                m.d.sync += self.done.eq(1)
                fsm.enter("IDLE")

    def _following(self, m, finally_flushes, success, finish, flush):
        """The function that continues the operation between two commands."""
        def go_on():
            """The next command, or what comes after the last one."""
            with m.If(self.wanted):
                m.d.comb += self.issue.eq(1)
                self.states.enter("BETWEEN")
            with m.Elif(~self.no_more):
                m.d.comb += self.next.eq(1)
                self.states.enter("MOVE")
            with m.Elif(self.writes & (self.gathers | self.pending | self.closing)):
                self.states.enter("WAIT")
            with m.Elif(finally_flushes):
                flush()
            with m.Elif(self.writes):
                finish(success)
            with m.Else():
                self.states.enter("DELIVER")
        return go_on

    def _starts(self, check, flushed, finally_flushes):
        """Whether a command begins, unless the drive is lost. It does not wait for the choice of the command."""
        going = (check.opens | (self.phase.moves & self.next_due) | self.waits
                 | (self.between & self.command.done & self._answered))
        flushes = finally_flushes & ~(self.writes & (self.gathers | self.pending | self.closing))
        comes = ~self.no_more | flushes | self.wanted
        again = self.recovery.again
        return check.flushes | (again & flushed) | ((going | again) & comes)

    @property
    def _answered(self):
        """With the end of what is ``between``: it has succeeded, or is a query and needs no COMRESET."""
        return self.command.succeeded | (~self.repeated & ~self.command.needs_comreset)

    def _goes_on(self, m, words):
        """Whether a recording can be continued; returns how an operation without a failure ends."""
        success = Signal(Error)
        refused = Signal()
        refusal = Signal(Error)
        # A clock late: they do not change in the last clocks before an operation can end with them.
        m.d.sync += [refused.eq(self.refused & self.writes), refusal.eq(self.refusal)]
        given_up = self.abandoned & ~self.drained & self.writes
        m.d.comb += success.eq(Mux(refused, refusal, Mux(given_up, Error.PROTOCOL, Error.NONE)))
        m.d.comb += self.extends.eq(words & self.writes & (~self.waits | self.gathers | self.more))
        return success

    def _failing(self, m, operation):
        """The inputs of recovery. Returns functions that set them for a failure before the first command, for one in
        flight, and for a query that the drive may still execute."""
        command, recovery, phase = self.command, self.recovery, self.phase
        succeeds = phase.moves | phase.flushes | (self.between & self.repeated)
        m.d.comb += [
            recovery.begin.eq(self.begin), recovery.broken.eq(self.broken),
            recovery.abandoned.eq(self.abandoned & self.recording & ~self.drained), recovery.writes.eq(self.writes),
            recovery.plays.eq(operation == Operation.PLAY),
            recovery.no_data.eq(phase.flushes | self.between),
            recovery.unflushed.eq(self.unflushed & (operation == Operation.FLUSH)),
            recovery.succeeded.eq(command.succeeded & succeeds),
            recovery.needs_comreset.eq(1),
        ]

        def fail(cause):
            m.d.comb += [recovery.failed.eq(1), recovery.cause.eq(cause)]
            self.states.enter("RECOVER")

        def before():
            """No words have moved."""
            m.d.comb += recovery.no_data.eq(1)
            # FLUSH CACHE would find another cache.
            with m.If(operation != Operation.FLUSH):
                m.d.comb += recovery.needs_comreset.eq(0)
            fail(Error.LINK_LOST)

        def in_flight():
            with m.If(self.lost):
                fail(Error.LINK_LOST)
            with m.Elif(command.done & ~command.succeeded):
                m.d.comb += [self.needs_comreset.eq(command.needs_comreset),
                             recovery.needs_comreset.eq(command.needs_comreset)]
                with m.Switch(command.result):
                    for result, which in FAILURES.items():
                        with m.Case(result):
                            fail(which)
            with m.Elif(self.silent):
                m.d.comb += self.needs_comreset.eq(1)
                fail(Error.TIMEOUT)
            with m.Elif(self.word_lost):
                m.d.comb += self.needs_comreset.eq(1)
                fail(Error.PROTOCOL)

        def in_query():
            m.d.comb += [self.needs_comreset.eq(1), recovery.needs_comreset.eq(1)]
            fail(Error.PROTOCOL)
        return before, in_flight, in_query

"""The state machine of an operation."""

from functools import reduce
from operator import or_

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..drive_port import Error, Extent, Operation
from .command_schedule import CommandSchedule, schedule_flushes
from .extent_check import check_state
from .health_watch import ask_schedule, ask_state, begin_asking
from .look import look_state
from .phase import FAILURES, CommandEnd, Phase
from .recovery import RecoveryControl
from .states import OneHotStates
from .trim_ahead import trim_state

__all__ = ["OperationControl"]


class OperationControl(wiring.Component):
    """Leads an operation from its start to its end.

    With a queue, a recording whose extents have all been moved waits for a span that is
    ``pending``, and one that ``gathers`` waits for words. It does so between two commands.

    An operation that cannot be done is refused before any command. A command that fails, or a
    drive that is silent for too long, begins a recovery.

    Parameters
    ----------
    clear_clocks, settle_clocks : int       which the ledger takes to be cleared before an
                            operation, and to settle after it
    queued : bool           whether a recording can go on: whether the last six members are there
    flush_commands : int    write commands behind which FLUSH CACHE comes between two commands; 0:
                            never, and ``caches`` is not there
    smart_commands : int    write commands behind which SMART RETURN STATUS comes between two
                            commands, and ahead of the first one; 0: never, and ``watches``, ``ask``
                            and ``asks`` are not there
    temperature : bool      READ LOG DMA EXT comes with it, and ``mute``, ``measures``, ``reads`` are there
    trims : bool            whether ``trim_due``, ``trim`` and ``trims`` are there
    looks : bool            whether ``look_due``, ``look`` and ``looks`` are there
    long_sectors : bool     whether ``splits`` is there

    Members
    -------
    extent : In(stream Extent)      what to do; taken while no operation runs
    usable : In(1)          the drive can be used
    unusable : In(1)        the drive cannot be used, for the reason in ``judgement``
    judgement : In(Error)   with ``unusable``: why
    lost : In(1)            the link is down, or the drive is not usable
    failed_bring_up : In(1) with ``failure``: an attempt to bring the drive up has failed
    failure : In(Error)     why it has failed
    command : In(CommandEnd)        how the command in flight has ended
    silent : In(1)          the drive has been silent for too long
    word_lost : In(1)       the recorder could not keep a word
    beyond : In(1)          the extent ends beyond the capacity; counts 3 clocks after ``begin``
    splits : In(1)          the extent begins or ends within a logical sector; from the clock after
                            ``begin`` to the end
    no_more : In(1)         no data command is left
    next_due : In(1)        the data command is over, and so is the pause behind it
    pausing : In(1)         the pause between two commands runs
    caches : In(1)          the operation is a recording, and not COMMAND
    watches : In(1)         the operation is a recording, and not COMMAND, and its drive may be asked
    mute, measures : In(1)  ``watches``, but not for its verdict; for its temperature
    trim_due : In(1)        TRIM is to come before the next command
    look_due : In(1)        a look is to come before the next command
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
    ask, asks : Out(1)      SMART RETURN STATUS, or READ LOG DMA EXT, begins, and is in flight
    reads : Out(1)          with ``asks``: it is READ LOG DMA EXT
    trim, trims : Out(1)    TRIM begins, and is in flight
    look, looks : Out(1)    a look begins, and is in flight
    began : Out(1)          a data command has been begun in this operation, or would have been
    needs_comreset : Out(1) the drive is to be brought up by COMRESET
    busy, done, error : Out see :mod:`..interface`
    gathers : In(1)         with ``no_more``: there are sectors, but no words for them
    pending : In(1)         with ``no_more``: a span may follow
    refused : In(1)         a span cannot be moved: the operation ends behind what it had
    refusal : In(Error)     with ``refused``: how it ends
    waits : Out(1)          the recording waits between two commands
    extends : Out(1)        the recording can go on with a span
    """

    def __init__(self, *, clear_clocks, settle_clocks, queued=False, flush_commands=0,
                 smart_commands=0, temperature=False, trims=False, looks=False, long_sectors=False):
        self._queued = queued
        self._long_sectors = long_sectors
        self._flush_commands = flush_commands
        self._smart_commands = smart_commands
        self._temperature = temperature
        self._trims = trims
        self._looks = looks
        self._asks = smart_commands > 0 or trims or looks
        self._clear_clocks = clear_clocks
        self._settle_clocks = settle_clocks
        super().__init__({
            "extent": In(stream.Signature(Extent)), "usable": In(1),
            "unusable": In(1), "judgement": In(Error), "lost": In(1),
            "failed_bring_up": In(1), "failure": In(Error),
            "command": In(CommandEnd), "silent": In(1), "word_lost": In(1),
            "beyond": In(1), "no_more": In(1), "next_due": In(1), "pausing": In(1),
            "unflushed": In(1), "tainted": In(1), "drained": In(1),
            "recovery": Out(RecoveryControl()),
            "phase": Out(Phase), "writes": Out(1), "recording": Out(1), "playing": Out(1),
            "begin": Out(1), "opening": Out(1),
            "next": Out(1), "flush": Out(1), "starts": Out(1), "began": Out(1), "needs_comreset": Out(1),
            "busy": Out(1), "done": Out(1), "error": Out(Error),
            **({"caches": In(1)} if flush_commands else {}), **({"splits": In(1)} if long_sectors else {}),
            **({"watches": In(1), "ask": Out(1), "asks": Out(1)} if smart_commands else {}),
            **({"mute": In(1), "measures": In(1), "reads": Out(1)} if temperature else {}),
            **({"trim_due": In(1), "trim": Out(1), "trims": Out(1)} if trims else {}),
            **({"look_due": In(1), "look": Out(1), "looks": Out(1)} if looks else {}),
            **({"gathers": In(1), "pending": In(1), "refused": In(1), "refusal": In(Error),
                "waits": Out(1), "extends": Out(1)} if queued else {}),
        })

    def between(self, *, looks=True):
        """Whether what comes between two commands beside FLUSH CACHE begins, and whether it is in flight;
        without ``looks`` but for those."""
        there = [*([(self.ask, self.asks)] if self._smart_commands else []),
                 *([(self.trim, self.trims)] if self._trims else []),
                 *([(self.look, self.looks)] if self._looks and looks else [])]
        return tuple(reduce(or_, signals) for signals in zip(*there))

    def elaborate(self, platform):
        m = Module()
        command, recovery, phase = self.command, self.recovery, self.phase
        operation = Signal(Operation)
        flushed = Signal()          # FLUSH CACHE has been begun in this operation
        words = Signal()            # the words of the extent move, or will again
        ending = Signal(Error)      # how a play-back ends once its words are with the user
        empty = Signal()
        outside = Signal()          # the extent ends beyond the capacity
        unfit = outside | self.splits if self._long_sectors else outside
        gone = Signal()             # the drive was lost while the extent was checked
        clocks = Signal(range(max(self._clear_clocks, self._settle_clocks) + 1))
        moves = phase.moves | self.waits if self._queued else phase.moves
        if self._asks:
            moves |= self.between()[1]
        schedule = None
        with_flush = Signal()       # the operation is RECORD_FLUSH
        finally_flushes = with_flush
        if self._flush_commands:
            m.submodules.schedule = schedule = CommandSchedule(self._flush_commands)
            finally_flushes = with_flush & ~schedule.clean
            schedule_flushes(m, schedule, self, finally_flushes, queued=self._queued, trims=self._trims)
        smart = ask_schedule(m, self, self._smart_commands) if self._smart_commands else None
        m.d.sync += [clocks.eq(clocks + 1), self.done.eq(0)]
        m.d.comb += [
            self.busy.eq(1),
            self.writes.eq(operation[0]),
            # A recovery of FLUSH CACHE moves no words.
            words.eq(moves | (phase.recovers & ~flushed) if schedule is None else
                     moves | (phase.recovers & ~flushed)
                     | ((phase.recovers | phase.flushes) & schedule.between)),
            self.recording.eq(words & self.writes),
            self.playing.eq((words | phase.delivers) & (operation == Operation.PLAY)),
            *self._told(operation),
        ]
        with m.If(self.failed_bring_up & ~self.busy):
            m.d.sync += self.error.eq(self.failure)
        with m.If(self.next):
            m.d.sync += self.began.eq(1)

        success = self._goes_on(m, words)

        states = {"CHECK": phase.checks, "MOVE": phase.moves, "FLUSH": phase.flushes,
                  "RECOVER": phase.recovers, "DELIVER": phase.delivers,
                  **({"WAIT": self.waits} if self._queued else {}),
                  **({"ASK": self.asks} if self._smart_commands else {}),
                  **({"TRIM": self.trims} if self._trims else {}),
                  **({"LOOK": self.looks} if self._looks else {})}
        # Much depends on the state: it is in flops of its own.
        self.states = fsm = OneHotStates(m, "IDLE", "SETTLE", *states)
        m.d.comb += [shown.eq(fsm.ongoing(name)) for name, shown in states.items()]

        def finish(error):
            m.d.sync += [clocks.eq(0), self.error.eq(error)]
            fsm.enter("SETTLE")

        def flush():
            m.d.comb += self.flush.eq(1)
            fsm.enter("FLUSH")
        go_on = self._following(m, schedule, smart, finally_flushes, success, finish, flush)

        m.d.comb += [
            # What is wrong with the extent is known by then.
            self.opening.eq(phase.checks & self.writes & clocks[3:].any() & ~empty & ~unfit),
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
                    gone.eq(0), self.error.eq(Error.NONE),
                ]
                with m.If(self.usable):
                    fsm.enter("CHECK")
                with m.Else():
                    m.d.sync += [self.error.eq(Error.NOT_READY), self.done.eq(1)]
                    with m.If(self.unusable):
                        m.d.sync += self.error.eq(self.judgement)
        opens, flushes = check_state(m, self, clocks, self._clear_clocks, operation, empty, outside, unfit,
                                     gone, finish, flush, go_on, self._fails_before)
        with fsm.state("MOVE"):
            # A command that has succeeded cannot fail any more, whatever happens to the link.
            with m.If(self.next_due):
                go_on()
            with m.Elif(~command.succeeded & ~self.pausing):
                self._failures(m)
        if self._queued:
            with fsm.state("WAIT"):
                with m.If(self.lost):
                    self._fails_before(m, operation)
                with m.Else():
                    go_on()
        self._flush(m, flushed, schedule, success, finish, go_on)
        if smart is not None:
            ask_state(m, self, go_on, self._fail, self._failures, temperature=self._temperature)
        if self._trims:
            trim_state(m, self, go_on, self._fail, self._failures)
        if self._looks:
            look_state(m, self, go_on, self._fail, self._failures)
        again = flushed if schedule is None else flushed | schedule.between
        self._recover(m, operation, again, ending, finish, flush, go_on)
        m.d.comb += self.starts.eq(self._starts(opens, flushes, again, finally_flushes))
        with fsm.state("DELIVER"):
            with m.If(self.drained):
                finish(ending)
        with fsm.state("SETTLE"):
            with m.If(clocks == self._settle_clocks):
                m.d.sync += self.done.eq(1)
                fsm.enter("IDLE")
        return m

    def _following(self, m, schedule, smart, finally_flushes, success, finish, flush):
        """The function that goes on between two commands."""
        def go_on(again=False, looks=None):
            """The next command, or what comes after the last one; ``again``: after a recovery. A look may
            come where ``looks``, by default not after a recovery."""
            branch = m.If
            if schedule is not None:
                with m.If(schedule.due):
                    m.d.comb += schedule.issue.eq(1)
                    flush()
                branch = m.Elif
            # What is issued again has to follow the recovery at once.
            if smart is not None and not again:
                # At once, where the recording may go on: not behind a wait for words.
                more = ~self.no_more
                if self._queued:
                    more |= self.gathers | self.pending
                with branch(smart.due & self.watches & more):
                    begin_asking(m, self, self._temperature)
                branch = m.Elif
            if self._trims and not again:
                with branch(self.trim_due & (~self.no_more | self.gathers | self.pending)):
                    m.d.comb += self.trim.eq(1)
                    self.states.enter("TRIM")
                branch = m.Elif
            if self._looks and (not again if looks is None else looks):
                with branch(self.look_due & (~self.no_more | self.gathers | self.pending)):
                    m.d.comb += self.look.eq(1)
                    self.states.enter("LOOK")
                branch = m.Elif
            with branch(~self.no_more):
                m.d.comb += self.next.eq(1)
                self.states.enter("MOVE")
            if self._queued:
                with m.Elif(self.writes & (self.gathers | self.pending)):
                    self.states.enter("WAIT")
            with m.Elif(finally_flushes):
                flush()
            with m.Elif(self.writes):
                finish(success)
            with m.Else():
                self.states.enter("DELIVER")
        return go_on

    def _starts(self, opens, flushes, again, finally_flushes):
        """Whether a command begins, unless the drive is lost. Where only data commands and FLUSH CACHE can
        follow, this does not wait for what decides between them."""
        if self._asks or self._flush_commands:
            return self.next | self.flush | (self.between()[0] if self._asks else 0)
        going = opens | (self.phase.moves & self.next_due)
        if self._queued:
            finally_flushes &= ~(self.writes & (self.gathers | self.pending))
            going |= self.waits
        recovered = self.phase.recovers & self.recovery.again
        return flushes | (recovered & again) | ((going | recovered) & (~self.no_more | finally_flushes))

    def _goes_on(self, m, words):
        """Whether a recording can; returns what an operation ends with in which nothing failed."""
        if not self._queued:
            return Error.NONE
        success = Signal(Error)
        m.d.comb += [success.eq(Mux(self.refused & self.writes, self.refusal, Error.NONE)),
                     self.extends.eq(words & self.writes)]
        return success

    def _told(self, operation):
        """What recovery is told."""
        command, recovery, phase = self.command, self.recovery, self.phase
        no_data = phase.flushes
        if self._asks:
            no_data |= self.between()[1]
        return [
            recovery.begin.eq(self.begin), recovery.writes.eq(self.writes),
            recovery.plays.eq(operation == Operation.PLAY),
            recovery.no_data.eq(no_data),
            recovery.unflushed.eq(self.unflushed & (operation == Operation.FLUSH)),
            recovery.succeeded.eq(command.succeeded & (phase.moves | phase.flushes)),
            recovery.needs_comreset.eq(1),
        ]

    def _flush(self, m, flushed, schedule, success, finish, go_on):
        """FLUSH CACHE."""
        with self.states.state("FLUSH"):
            branch = m.If
            if schedule is None:
                m.d.sync += flushed.eq(1)
            else:
                m.d.sync += flushed.eq(~schedule.between)
                with m.If(self.command.succeeded & schedule.between):
                    go_on()
                branch = m.Elif
            with branch(self.command.succeeded):
                # What it was to flush may be lost already.
                finish(Mux(self.recovery.unflushed, Error.LINK_LOST, success))
            with m.Else():
                self._failures(m)

    def _recover(self, m, operation, flushed, ending, finish, flush, go_on):
        """What comes of a failure."""
        recovery = self.recovery
        with self.states.state("RECOVER"):
            with m.If(recovery.abort):
                with m.If((operation == Operation.PLAY) & ~self.tainted):
                    m.d.sync += ending.eq(recovery.error)
                    self.states.enter("DELIVER")
                with m.Else():
                    finish(recovery.error)
            with m.If(recovery.again):
                with m.If(flushed):
                    flush()
                with m.Else():
                    go_on(again=True)

    def _fail(self, m, cause):
        m.d.comb += [self.recovery.failed.eq(1), self.recovery.cause.eq(cause)]
        self.states.enter("RECOVER")

    def _fails_before(self, m, operation):
        """The drive is lost before the first command: no words have moved."""
        m.d.comb += self.recovery.no_data.eq(1)
        # FLUSH CACHE would find another cache.
        with m.If(operation != Operation.FLUSH):
            m.d.comb += self.recovery.needs_comreset.eq(0)
            m.d.sync += self.began.eq(1)
        self._fail(m, Error.LINK_LOST)

    def _failures(self, m):
        """How a command fails while it is in flight."""
        command = self.command

        def fail(cause):
            self._fail(m, cause)

        with m.If(self.lost):
            fail(Error.LINK_LOST)
        with m.Elif(command.done & ~command.succeeded):
            m.d.comb += [self.needs_comreset.eq(command.needs_comreset),
                         self.recovery.needs_comreset.eq(command.needs_comreset)]
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

"""A recording in a mode, from its start to its end."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.states import OneHotStates
from ...interface import CONTROL
from ...interface.recording import RecordingState

__all__ = ["Course"]

#: Clocks from ``start``: to the sectors of a part, and to the core's start with the first extent.
_PART, _PREPARE = 3, 9


class Course(wiring.Component):
    """Starts and stops the core for a recording; everything else passes through.

    Members
    -------
    user : In                The control of the user, see :mod:`...interface`.
    core : Out               That of the core.
    recorded : In(1)         With ``user.start``: the operation is a recording.
    passes : In(1)           With ``user.start``: it is not in a mode.
    resumes : In(1)          The operation that is started is not the first one of its recording.
    busy, done : In(1)       As in the core's status.
    operation : In(2)        That of the recording.
    lba, sectors : In(48)    Its first extent.
    changes : In(1)          The space has to be computed again.
    vacant : In(1)           There is no segment: that of the last recording is in the table.
    ended : In(1)            The last word of the recording has passed.
    state : Out(RecordingState)
    idle : Out(1)            A start would be taken in this clock, which may be that of a ``done``.
    coming : Out(1)          The start of a recording is taken in this clock.
    starting : Out(1)        The recording is being prepared.
    part : Out(1)            One clock of that, if the space is another one: the sectors of a part are known.
    starts : Out(1)          The core's start with the first extent.
    runs : Out(1)            The core runs the recording.
    """

    user: In(CONTROL.signature)
    core: Out(CONTROL.signature)
    recorded: In(1)
    passes: In(1)
    resumes: In(1)
    busy: In(1)
    done: In(1)
    operation: In(2)
    lba: In(48)
    sectors: In(48)
    changes: In(1)
    vacant: In(1)
    ended: In(1)
    state: Out(RecordingState)
    idle: Out(1)
    coming: Out(1)
    starting: Out(1)
    part: Out(1)
    starts: Out(1)
    runs: Out(1)

    def elaborate(self, platform):
        m = Module()
        user, core = self.user, self.core
        stopped = Signal()          # a stop came before the core had begun
        clocks = Signal(range(_PREPARE + 1))
        due = Signal()              # in STARTING: nothing has to be waited for any more

        states = OneHotStates(m, "IDLE", "STARTING", "RUNNING", "CLOSING")

        def wait():
            """Ready for a start, unless the core is busy with what has passed through."""
            m.d.comb += [self.idle.eq(~self.busy), core.stop.eq(user.stop)]
            m.d.sync += [clocks.eq(0), due.eq(0), stopped.eq(0)]
            states.enter("IDLE")
            with m.If(user.start & self.recorded & ~self.passes & self.idle):
                m.d.comb += self.coming.eq(1)
                states.enter("STARTING")

        m.d.comb += [core.operation.eq(user.operation), core.lba.eq(user.lba), core.sectors.eq(user.sectors)]
        m.d.sync += self.part.eq(0)
        with states.state("IDLE"):
            m.d.comb += self.state.eq(RecordingState.IDLE)
            wait()
        with states.state("STARTING"):
            m.d.comb += [
                self.state.eq(RecordingState.STARTING),
                core.operation.eq(self.operation),
                core.lba.eq(self.lba),
                core.sectors.eq(self.sectors),
            ]
            m.d.sync += self.part.eq((clocks == _PART - 1) & ~self.resumes & ~self.changes)
            m.d.sync += stopped.eq(stopped | user.stop)
            m.d.sync += due.eq((clocks >= _PREPARE - 1) & (self.vacant | self.resumes))
            with m.If(self.changes):
                m.d.sync += [clocks.eq(0), due.eq(0)]
            with m.Elif(clocks != _PREPARE):
                m.d.sync += clocks.eq(clocks + 1)
            with m.If(self.starts):
                m.d.sync += due.eq(0)
                states.enter("RUNNING")
        with states.state("RUNNING"):
            m.d.comb += [
                self.state.eq(RecordingState.RUNNING),
                core.stop.eq(user.stop | stopped | self.ended),
            ]
            with m.If(core.stop):
                states.enter("CLOSING")
            with m.If(self.done):
                wait()
        with states.state("CLOSING"):
            m.d.comb += self.state.eq(RecordingState.CLOSING)
            with m.If(self.done):
                wait()
        m.d.comb += [
            # Much follows a start: it waits neither for the state nor for ``done``. A core that is busy takes none.
            self.starts.eq(due & ~self.changes),
            core.start.eq(self.starts | (~self.starting & user.start & (~self.recorded | self.passes))),
            self.starting.eq(states.ongoing("STARTING")),
            self.runs.eq(states.ongoing("RUNNING") | states.ongoing("CLOSING")),
        ]
        return m

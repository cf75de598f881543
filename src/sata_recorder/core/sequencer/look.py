"""A look at what a recording has written: a read between two of its commands."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..command import CommandResult
from ..drive_port import LookPort
from .asking import goes_wrong

__all__ = ["LookControl", "attach_look", "look_state"]


class LookControl(wiring.Component):
    """Decides whether a look may begin, and keeps what is read.

    Behind a look, and behind a recovery, none begins before the next write command has.

    Members
    -------
    port : In(LookPort)     What is wanted, and what becomes of it.
    begin : In(1)           An operation begins, or a recovery runs.
    may : In(1)             The operation is a recording that is not stopped.
    room : In(16)           Words for which the recorder has room.
    writes : In(1)          A write command of the recording begins.
    due : Out(1)            A look is to come before the next command.
    issue : In(1)           With ``due``: it begins.
    looks : In(1)           It is in flight.
    done : In(1)            With ``looks``: it has ended,
    result : In(CommandResult)      in this way.
    payload : In(stream 32, always ready)   With ``looks``: its words.
    lba : Out(48), sectors : Out(17)        What is read, from the clock after ``issue`` on.
    """

    port: In(LookPort())
    begin: In(1)
    may: In(1)
    room: In(16)
    writes: In(1)
    due: Out(1)
    issue: In(1)
    looks: In(1)
    done: In(1)
    result: In(CommandResult)
    payload: In(stream.Signature(32, always_ready=True))
    lba: Out(48)
    sectors: Out(17)

    def elaborate(self, platform):
        m = Module()
        port = self.port
        fresh = Signal()            # a write command has begun since the last look
        roomy = Signal()
        pending = Signal()          # how it ends is not known yet
        m.d.comb += [
            port.span.ready.eq(self.issue), port.reads.eq(self.looks),
            port.data.payload.eq(self.payload.payload), port.data.valid.eq(self.payload.valid & self.looks),
            port.succeeded.eq(self.looks & self.done & (self.result == CommandResult.SUCCESS)),
            port.failed.eq(pending & ~self.looks),
            self.due.eq(port.span.valid & self.may & fresh & roomy),
        ]
        m.d.sync += [
            roomy.eq(self.room >= port.room),
            pending.eq(self.looks & ~port.succeeded),
        ]
        # A recovery may end with the write command.
        with m.If(self.writes):
            m.d.sync += fresh.eq(1)
        with m.Elif(self.begin | self.issue):
            m.d.sync += fresh.eq(0)
        with m.If(self.issue):
            m.d.sync += [self.lba.eq(port.span.payload.lba), self.sectors.eq(port.span.payload.sectors)]
        return m


def look_state(m, operation, go_on, fail, failures):
    """The state of ``operation`` in which a look is in flight. ``go_on`` follows it, also where the drive
    has ended it with an error, or the line has damaged it; ``fail(m, error)`` and ``failures(m)`` begin a
    recovery."""
    command = operation.command
    refused = command.done & (command.result == CommandResult.DRIVE_ERROR)
    with operation.states.state("LOOK"):
        with m.If(command.done & ~command.needs_comreset):
            # A write command, if there is one: what was recorded comes first.
            go_on(again=True)
        goes_wrong(m, operation, refused, fail, failures)


def attach_look(m, sequencer, *, operation, encoder, silence_timer, raw):
    """Adds a :class:`LookControl` to a ``sequencer`` with its parts; COMMAND is left alone. The registers are
    those of a read of the data command, and so is its time."""
    port, command = sequencer.port, sequencer.command
    m.submodules.look = look = LookControl()
    connect(m, flipped(sequencer.look), look.port)
    records = operation.writes if raw is None else operation.writes & ~raw.active
    m.d.comb += [
        look.begin.eq(operation.begin | operation.phase.recovers),
        look.may.eq(records & ~port.stopped), look.room.eq(port.room),
        look.writes.eq(operation.next), look.issue.eq(operation.look), look.looks.eq(operation.looks),
        look.done.eq(command.done), look.result.eq(command.result),
        look.payload.payload.eq(command.read_data.payload), look.payload.valid.eq(command.read_data.valid),
        operation.look_due.eq(look.due),
    ]
    with m.If(operation.looks):
        m.d.comb += [
            encoder.phase.moves.eq(1), encoder.writes.eq(0),
            encoder.lba.eq(look.lba), encoder.sectors.eq(look.sectors),
            silence_timer.phase.moves.eq(1),
        ]

"""TRIM of what a recording writes next, between two of its commands."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..command import CommandResult
from ..drive_port import TrimPort
from .asking import goes_wrong, renewed
from .trim_ranges import TrimRanges

__all__ = ["TrimAhead", "send_trim", "trim_state"]


class TrimAhead(wiring.Component):
    """Decides whether a TRIM may come, and makes its block of ranges.

    Behind one that has failed none comes before the next operation; behind one for which the drive had to
    be reset, not before it is ``renewed``. One whose block was damaged on the
    way, which the drive has told, is no failure of the drive's.

    Parameters
    ----------
    long_sectors : bool     There is ``long``.

    Members
    -------
    port : In(TrimPort)     What is wanted.
    begin : In(1)           An operation begins.
    may : In(1)             The operation is a recording that is not stopped.
    known : In(1)           The drive is ready, and that of this operation:
    offered : In(1)         it has TRIM.
    long : In(1)            The drive counts sectors of 4096 bytes.
    due : Out(1)            One is to come before the next command.
    issue : In(1)           With ``due``: it begins.
    trims : In(1)           It is in flight.
    done : In(1)            With ``trims``: it has ended,
    result : In(CommandResult)      in this way.
    resets : In(1), renewed : In(1)         See :class:`.asking.WorthAsking`.
    block : Out(stream 32)  The ranges, from the clock after ``issue`` on.
    """

    def __init__(self, *, long_sectors=False):
        self._long = {"long_sectors": long_sectors}
        super().__init__({
            "port": In(TrimPort()), "begin": In(1), "may": In(1), "known": In(1), "offered": In(1),
            "due": Out(1), "issue": In(1), "trims": In(1), "done": In(1), "result": In(CommandResult),
            "resets": In(1), "renewed": In(1), "block": Out(stream.Signature(32, always_valid=True)),
            **({"long": In(1)} if long_sectors else {}),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.ranges = ranges = TrimRanges(**self._long)
        port = self.port
        connect(m, ranges.o, flipped(self.block))
        passed = Signal()           # it has succeeded, or the line has failed
        pending = Signal()          # its end is not known yet
        stubborn = Signal()         # the drive had to be reset for one
        m.d.comb += [
            port.known.eq(self.known), port.offered.eq(self.offered), port.trims.eq(self.trims),
            port.span.ready.eq(self.issue),
            port.succeeded.eq(self.trims & self.done & (self.result == CommandResult.SUCCESS)),
            passed.eq(self.done & ((self.result == CommandResult.SUCCESS)
                                   | (self.result == CommandResult.DATA_CRC))),
            self.due.eq(port.span.valid & self.may & self.offered & ~port.given_up),
            ranges.begin.eq(self.issue), ranges.lba.eq(port.span.payload.lba),
            ranges.sectors.eq(port.span.payload.sectors),
        ]
        if self._long["long_sectors"]:
            m.d.comb += ranges.long.eq(self.long)
        m.d.sync += pending.eq(self.trims & ~passed)
        with m.If(self.renewed):
            m.d.sync += stubborn.eq(0)
        with m.Elif(self.trims & self.resets):
            m.d.sync += stubborn.eq(1)
        with m.If(self.begin):
            m.d.sync += port.given_up.eq(stubborn)
        with m.Elif(pending & ~self.trims):
            m.d.sync += port.given_up.eq(1)
        return m


def trim_state(m, operation, go_on, fail, failures):
    """The state of ``operation`` in which TRIM is in flight. ``go_on`` follows it, also where the drive
    has refused it; ``fail(m, error)`` and ``failures(m)`` begin a recovery."""
    command = operation.command
    refused = command.done & (command.result == CommandResult.DRIVE_ERROR)
    with operation.states.state("TRIM"):
        with m.If(command.done & ~command.needs_comreset):
            # A write command, if there is one: what was recorded comes first, but for a look, which would
            # never come where a TRIM is due ahead of each.
            go_on(again=True, looks=True)
        goes_wrong(m, operation, refused, fail, failures)


def send_trim(m, sequencer, *, bring_up, known, identity, operation, encoder, raw, sector):
    """Adds a :class:`TrimAhead` to a ``sequencer`` with its parts; COMMAND is left alone. ``known``: the
    ``identity`` is that of the drive of this operation. Without ``sector`` all drives count sectors of 512
    bytes."""
    port, command = sequencer.port, sequencer.command
    m.submodules.trim = trim = TrimAhead(long_sectors=sector is not None)
    connect(m, flipped(sequencer.trim), trim.port)
    records = operation.writes if raw is None else operation.writes & ~raw.active
    m.d.comb += [
        trim.begin.eq(operation.begin), trim.may.eq(records & ~port.stopped),
        trim.known.eq(known), trim.offered.eq(identity.trim),
        operation.trim_due.eq(trim.due), trim.issue.eq(operation.trim),
        trim.resets.eq(operation.needs_comreset),
        trim.renewed.eq(renewed(bring_up, identity, sequencer.phy.link_up)),
        trim.trims.eq(operation.trims), trim.done.eq(command.done), trim.result.eq(command.result),
        encoder.trims.eq(operation.trims),
        trim.block.ready.eq(command.write_data.ready & operation.trims),
    ]
    if sector is not None:
        m.d.comb += trim.long.eq(sector.long)
    with m.If(operation.trims):
        m.d.comb += [command.write_data.payload.eq(trim.block.payload), command.write_data.valid.eq(1)]

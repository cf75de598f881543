"""The drive's own verdict while it records: SMART RETURN STATUS."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...facts.ata import SmartVerdict
from ..command import CommandResult
from ...interface.health import HealthVerdict
from ...interface import HEALTH
from .asking import WorthAsking, goes_wrong, renewed
from .command_schedule import CommandSchedule
from .heat_watch import watch_heat

__all__ = ["HealthWatch", "ask_schedule", "ask_state", "begin_asking", "watch_health"]


class HealthWatch(wiring.Component):
    """Keeps what the drive has answered, and whether it is worth asking, see
    :class:`.asking.WorthAsking`.

    Members
    -------
    user : In               The group of the health, see :mod:`..interface`.
    begin : In(1)           An operation begins.
    recording : In(1)       With ``begin``: it is a recording.
    brings_up : In(1)       A drive is being brought up.
    other_drive : In(1)     The drive that has been identified is another one.
    renewed : In(1), resets : In(1)         See :class:`.asking.WorthAsking`.
    asking : In(1)          SMART RETURN STATUS is in flight.
    succeeded : In(1)       With ``asking``: it has ended well.
    refused : In(1)         With ``asking``: the drive has ended it with an error.
    answer : In(16)         With ``succeeded``: LBA 23:8.
    worth : Out(1)          The drive may be asked.
    """

    def __init__(self):
        super().__init__({
            "user": In(HEALTH.signature), "begin": In(1), "recording": In(1), "brings_up": In(1),
            "other_drive": In(1), "renewed": In(1), "resets": In(1), "asking": In(1), "succeeded": In(1), "refused": In(1),
            "answer": In(16), "worth": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        verdict = Signal(HealthVerdict)
        m.submodules.worth_asking = worth = WorthAsking()
        m.d.comb += [
            worth.begin.eq(self.begin), worth.brings_up.eq(self.brings_up), worth.asking.eq(self.asking),
            worth.answered.eq(self.succeeded), worth.resets.eq(self.resets),
            worth.renewed.eq(self.renewed), self.worth.eq(worth.worth),
            self.user.drive_health.eq(verdict),
        ]
        with m.If(self.asking & self.succeeded):
            with m.Switch(self.answer):
                with m.Case(SmartVerdict.GOOD):
                    m.d.sync += verdict.eq(HealthVerdict.GOOD)
                with m.Case(SmartVerdict.EXCEEDED):
                    m.d.sync += verdict.eq(HealthVerdict.FAILING)
                with m.Default():
                    m.d.sync += verdict.eq(HealthVerdict.UNKNOWN)
        with m.Elif(self.other_drive | (self.asking & self.refused)):
            m.d.sync += verdict.eq(HealthVerdict.UNKNOWN)
        # It is not asked again for long: that it was well counts no more, that it was not does.
        with m.Elif(self.asking & self.resets & (verdict == HealthVerdict.GOOD)):
            m.d.sync += verdict.eq(HealthVerdict.UNKNOWN)
        with m.If(self.begin & self.recording):
            m.d.sync += self.user.drive_health_clocks.eq(0)
        with m.Elif(self.asking):
            m.d.sync += self.user.drive_health_clocks.eq(self.user.drive_health_clocks + 1)
        return m


def ask_schedule(m, operation, commands):
    """When the state machine ``operation`` asks: behind so many write ``commands``, and at the start."""
    m.submodules.smart = smart = CommandSchedule(commands, at_start=True)
    m.d.comb += [
        smart.begin.eq(operation.begin), smart.next.eq(operation.next),
        smart.issue.eq(operation.ask),
        smart.written.eq(operation.command.succeeded & operation.phase.moves & operation.watches),
        smart.ended.eq(operation.asks & (operation.command.done | operation.recovery.failed)),
    ]
    return smart


def begin_asking(m, operation, temperature):
    """``operation`` asks the drive; with ``temperature`` for that alone, if it gives no verdict."""
    m.d.comb += operation.ask.eq(1)
    if temperature:
        m.d.sync += operation.reads.eq(operation.mute)
    operation.states.enter("ASK")


def ask_state(m, operation, go_on, fail, failures, *, temperature):
    """The state of ``operation`` in which SMART RETURN STATUS is in flight. ``go_on`` follows it, also
    where the drive does not know it; ``fail(m, error)`` and ``failures(m)`` begin a recovery. With
    ``temperature`` READ LOG DMA EXT comes between them, and what it does not bring is not missed."""
    command = operation.command
    refusal = command.result == CommandResult.DRIVE_ERROR
    if temperature:
        refusal |= operation.reads & ((command.result == CommandResult.SHORT_DATA)
                                      | (command.result == CommandResult.DATA_CRC))
    refused = command.done & refusal
    with operation.states.state("ASK"):
        with m.If(command.succeeded | (refused & ~command.needs_comreset)):
            if temperature:
                with m.If(operation.measures & ~operation.reads):
                    m.d.comb += operation.ask.eq(1)
                    m.d.sync += operation.reads.eq(1)
                with m.Else():
                    go_on()
            else:
                go_on()
        goes_wrong(m, operation, refused, fail, failures)


def watch_health(m, user, *, command, answer, bring_up, identity, link_up, operation, port, raw, temperature,
                 read_data, encoder):
    """Asks in each recording, for the group ``user``; COMMAND asks for itself. ``answer``: LBA 23:8 at the
    end of a command. ``link_up``: there is a link. ``temperature``: the group of the temperature, which is in ``read_data``, or None.
    ``encoder`` makes the registers."""
    m.submodules.health = watch = HealthWatch()
    connect(m, flipped(user), watch.user)
    records, starts = operation.writes, port.extent.payload.operation[0]
    if raw is not None:
        records, starts = records & ~raw.active, starts & ~raw.active
    leaves = renewed(bring_up, identity, link_up)
    other_drive = identity.check.checked & ~identity.check.unsound & identity.differs
    m.d.comb += [
        watch.begin.eq(operation.begin), watch.recording.eq(starts),
        watch.brings_up.eq(bring_up.start), watch.other_drive.eq(other_drive),
        watch.renewed.eq(leaves), watch.resets.eq(operation.needs_comreset),
        watch.asking.eq(operation.asks if temperature is None else operation.asks & ~operation.reads),
        watch.succeeded.eq(command.succeeded),
        watch.refused.eq(command.done & ~command.succeeded), watch.answer.eq(answer),
    ]
    m.d.comb += encoder.asks.eq(operation.asks)
    if temperature is None:
        # A recording that is stopped is not held up.
        m.d.comb += operation.watches.eq(records & watch.worth & ~port.stopped)
    else:
        watch_heat(m, temperature, health=watch, command=command, bring_up=bring_up, identity=identity,
                   operation=operation, other_drive=other_drive, leaves=leaves, read_data=read_data,
                   stopped=port.stopped, records=records)
        m.d.comb += encoder.reads.eq(operation.reads)

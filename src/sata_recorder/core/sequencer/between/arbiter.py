"""Which interjection comes next, and the one way from it to the drive and back."""

from functools import reduce
from operator import or_

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ....interface.face import Face, part
from ...command import CommandResult, FinalRegisters
from .flush import PeriodicFlush
from .health import HealthQuery
from .interjection import Booked, GapView, InterjectedCommand, OnFailure, Silence
from .readback import Readback
from .temperature import TemperatureQuery
from .trim import TrimCommand

__all__ = ["TABLE", "Between", "interjections"]

#: All of them; those in front come first.
TABLE = (PeriodicFlush, HealthQuery, TemperatureQuery, TrimCommand, Readback)


def interjections(configuration):
    """Those that a core with this ``configuration`` has, in their order."""
    return tuple(kind for kind in TABLE if kind.exists(configuration))


def _fields(request):
    """What of a ``request`` is chosen: all but the device register, which the encoder makes."""
    command, registers = request.command, request.command.registers
    return (registers.command, registers.features, registers.lba, registers.count, command.protocol,
            command.words, request.addressed)


class Between(wiring.Component):
    """Chooses among the interjections that are due between two data commands.

    Those that are repeated come first, also after a recovery. A query comes where the recording continues: each
    at most once between two data commands, in the order of the table, and none between a recovery and the
    data command, or the repeated one, that follows it.

    Parameters
    ----------
    configuration : Configuration

    Members
    -------
    groups : In             The ports of each interjection that has some, by the names of their groups.
    gap : In(GapView)           What they can see.
    more : In(1)            A data command follows, or may: the recording is not over.
    waits : In(1)           The recording waits between two commands.
    issue : In(1)           With ``wanted``: the one that comes next begins.
    runs : In(1)            It is in flight, from the clock after ``issue`` on.
    done : In(1), result : In(CommandResult), final : In(FinalRegisters), resets : In(1)
                            See :class:`.Interjection`.
    read : In(stream 32, always ready), write : Out(stream 32, always valid)    The words of its command.
    wanted : Out(1)         One is to come before the next data command.
    request : Out(InterjectedCommand)  While it ``runs``: its command.
    repeated : Out(1)       While it ``runs``: if it fails, it comes first after the recovery.
    patient : Out(1)        While it ``runs``: the drive has the time of FLUSH CACHE for it.
    flushes : Out(1)        While it ``runs``: it empties the drive's write cache.
    clean : Out(1)          In this operation, nothing was written since the latest that did.
    booked_late : Out(1)    While it ``runs``: it is booked from its own X_RDY on.
    ahead : Out(1)          What is in flight comes before the first data command, or its failure is dealt with.
    """

    def __init__(self, configuration):
        self._configuration = configuration
        self._kinds = interjections(configuration)
        self._with_group = [kind for kind in self._kinds if kind.group]
        super().__init__({
            "groups": In(Face(*(kind.group for kind in self._with_group))),
            "gap": In(GapView), "more": In(1), "waits": In(1), "issue": In(1), "runs": In(1), "done": In(1),
            "result": In(CommandResult), "final": In(FinalRegisters), "resets": In(1),
            "read": In(stream.Signature(32, always_ready=True)),
            "write": Out(stream.Signature(32, always_valid=True)),
            "wanted": Out(1), "request": Out(InterjectedCommand), "repeated": Out(1), "patient": Out(1),
            "flushes": Out(1), "clean": Out(1), "booked_late": Out(1), "ahead": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        count = len(self._kinds)
        wants = Signal(count)
        comes = Signal(count)       # the first one of them
        chosen = Signal(count)      # the latest one that has begun
        passed = Signal(count)      # those that had their turn before the next data command
        repeats = C(self._mask(lambda kind: kind.on_failure is OnFailure.REPEATS), count)
        made = {kind: kind.made(self._configuration) for kind in self._kinds}
        for kind in self._with_group:
            connect(m, flipped(part(self.groups, kind.group)), made[kind].user)
        for number, (kind, one) in enumerate(made.items()):
            m.submodules[kind.name] = one
            connect(m, flipped(self.read), one.read)
            m.d.comb += [
                # One that is repeated comes even where a query must not.
                wants[number].eq(one.due & (self.more | repeats[number]) & (~passed[number] | repeats[number])),
                comes[number].eq(wants[number] & ~wants[:number].any()),
                one.gap.eq(self.gap), one.issue.eq(self.issue & comes[number]),
                one.runs.eq(self.runs & chosen[number]), one.done.eq(self.done),
                one.result.eq(self.result), one.final.eq(self.final), one.resets.eq(self.resets),
                one.write.ready.eq(self.write.ready & one.runs),
            ]
        with m.If(self.issue):
            m.d.sync += chosen.eq(comes)
        with m.If(self.gap.begin | self.gap.next | (self.issue & (comes & repeats).any())):
            m.d.sync += passed.eq(0)
        with m.Elif(self.gap.recovers):
            m.d.sync += passed.eq(-1)
        with m.Elif(self.issue):
            # A query lets those after it come.
            m.d.sync += [passed[number].eq(passed[number] | comes[number:].any()) for number in range(count)]
        with m.Elif(self.waits):
            m.d.sync += passed.eq(0)
        moved = Signal()            # a data command has begun in this operation
        with m.If(self.gap.begin):
            m.d.sync += moved.eq(0)
        with m.Elif(self.gap.next):
            m.d.sync += moved.eq(1)

        def those(what):
            return (chosen & self._mask(what)).any()

        m.d.comb += [
            self.wanted.eq(wants.any()),
            self.repeated.eq((chosen & repeats).any()),
            self.patient.eq(those(lambda kind: kind.silence is Silence.FLUSH)),
            self.flushes.eq(those(lambda kind: kind.flushes_cache)),
            self.booked_late.eq(those(lambda kind: kind.booked is Booked.X_RDY)),
            # Where nothing can come before it, a failure before the first data command belongs to the transfer.
            self.ahead.eq(C(count > 0) & (self.runs | self.gap.recovers) & ~moved),
        ]
        with m.If(self.gap.begin | self.gap.next | (self.runs & those(lambda kind: kind.writes_cache))):
            m.d.sync += self.clean.eq(0)
        with m.Elif(self.runs & self.flushes):
            m.d.sync += self.clean.eq(1)
        offers = [(*_fields(one.request), one.write.payload) for one in made.values()]
        taken = (*_fields(self.request), self.write.payload)
        m.d.comb += [field.eq(reduce(or_, (Mux(chosen[number], value, 0) for number, value in enumerate(values))))
                     for field, values in zip(taken, zip(*offers))]
        return m

    def _mask(self, what):
        """The bits of those kinds of which ``what`` is true."""
        return sum(what(kind) << number for number, kind in enumerate(self._kinds))

"""STANDBY IMMEDIATE when power is about to fail."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..ata import DeviceBit
from ..drive_port import Error, Operation
from ..interface import TASK_GROUP, UserSignature

__all__ = ["STANDBY_IMMEDIATE", "PowerFail"]

#: The command code (ATA8-ACS, STANDBY IMMEDIATE): the drive writes its cache, and parks.
STANDBY_IMMEDIATE = 0xE0


class PowerFail(wiring.Component):
    """Ends the operation that runs and issues STANDBY IMMEDIATE, once ``power_fail`` is high.

    A recording or a play-back is stopped, and the command in flight settled: what the core has
    accepted goes to the drive. Words of a play-back that the user has not taken are dropped. Then
    STANDBY IMMEDIATE, with which the drive writes its cache (ATA8-ACS). No start of the user counts
    until ``power_fail`` is low again; the end of STANDBY IMMEDIATE shows as one more ``done``.
    Without an operation the core gets its start 2 clocks after ``power_fail``; else 1 clock after
    ``busy`` has fallen. ``power_fail`` may be asynchronous only behind a synchroniser.

    Members
    -------
    user : In(UserSignature)    The user, as he sees a core that has COMMAND.
    core : Out(UserSignature)   The core; its configuration has ``commands``.
    power_fail : In(1)          Power is about to fail.
    taken : Out(1)              The core is not the user's: from the clock after ``power_fail`` until
                                it is low and STANDBY IMMEDIATE has ended.
    safe : Out(1)               STANDBY IMMEDIATE has succeeded: power may go. Until ``taken`` falls.
    failed : Out(1)             It has not, or there was no drive. Until ``taken`` falls.
    """

    def __init__(self):
        super().__init__({
            "user": In(UserSignature(TASK_GROUP)), "core": Out(UserSignature(TASK_GROUP)),
            "power_fail": In(1), "taken": Out(1), "safe": Out(1), "failed": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        user, below, core = flipped(self.user), flipped(self.core), self.core
        connect(m, user.i, below.i)
        connect(m, user.status, below.status)
        connect(m, user.counters, below.counters)
        connect(m, user.identify, below.identify)
        connect(m, user.ledger, below.ledger)
        connect(m, user.journal, below.journal)
        taken = self.taken
        ours = Signal()             # the operation is STANDBY IMMEDIATE
        m.d.comb += [
            self.user.o.payload.eq(core.o.payload),
            self.user.o.valid.eq(core.o.valid & ~taken),
            self.user.last.eq(core.last),
            core.o.ready.eq(self.user.o.ready | taken),
            core.control.start.eq(self.user.control.start & ~taken),
            core.control.stop.eq(self.user.control.stop),
            core.control.operation.eq(Mux(ours, Operation.FLUSH, self.user.control.operation)),
            core.control.lba.eq(Mux(ours, 0, self.user.control.lba)),
            core.control.sectors.eq(self.user.control.sectors),
        ]
        self._task(m, ours)
        with m.FSM() as fsm:
            m.d.comb += [taken.eq(~fsm.ongoing("USER")),
                         ours.eq(fsm.ongoing("START") | fsm.ongoing("STANDBY"))]
            with m.State("USER"):
                with m.If(self.power_fail):
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                # An operation that has begun in the clock of `power_fail` is busy by now.
                m.d.comb += core.control.stop.eq(1)
                with m.If(~core.status.busy):
                    m.next = "START"
            with m.State("START"):
                m.d.comb += core.control.start.eq(1)
                m.next = "STANDBY"
            with m.State("STANDBY"):
                with m.If(core.status.done):
                    good = core.status.error == Error.NONE
                    m.d.sync += [self.safe.eq(good), self.failed.eq(~good)]
                    m.next = "OVER"
            with m.State("OVER"):
                with m.If(~self.power_fail):
                    m.d.sync += [self.safe.eq(0), self.failed.eq(0)]
                    m.next = "USER"
        return m

    def _task(self, m, ours):
        """The registers of COMMAND: the user's, or those of STANDBY IMMEDIATE."""
        task, users = self.core.task, self.user.task
        m.d.comb += [
            task.operation.eq(users.operation),
            task.pio.eq(users.pio),
            task.command.eq(users.command),
            task.features.eq(users.features),
            task.count.eq(users.count),
            task.device.eq(users.device),
            users.result_lba.eq(task.result_lba),
            users.result_count.eq(task.result_count),
            users.result_device.eq(task.result_device),
        ]
        # Before that the user's own command may still need its registers.
        with m.If(ours):
            m.d.comb += [task.operation.eq(1), task.command.eq(STANDBY_IMMEDIATE),
                         task.device.eq(1 << DeviceBit.LBA)]

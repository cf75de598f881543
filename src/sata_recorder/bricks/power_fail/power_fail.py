"""STANDBY IMMEDIATE when power is about to fail."""

from amaranth.hdl import Module, Mux, Signal

from ...core.drive_port import Error, Operation
from ...core.states import OneHotStates
from ...facts.ata import DeviceBit, StatusBit
from ...interface import CONTROL, FILE, MEMORY, POWER, POWER_LOST, STATUS, TASK
from ...interface.file import FileState
from ..stage import Stage, StageRow

__all__ = ["STANDBY_IMMEDIATE", "PowerFail"]

#: The command code (ATA8-ACS, STANDBY IMMEDIATE): the drive writes its cache, and parks.
STANDBY_IMMEDIATE = 0xE0


class PowerFail(Stage):
    """Ends what runs and issues STANDBY IMMEDIATE, once ``user.power.fail`` is high.

    An operation of the user is stopped, and the command in flight completed: what the core has
    accepted goes to the drive. A recording that becomes a file is ended as by ``file.stop``, its log
    and its sector of the directory are written, and the core is taken from the files stage. Words
    of a playback that have not left the core are dropped, as with every stop. Then comes STANDBY
    IMMEDIATE, with which the drive writes its cache (ATA8-ACS).

    With a memory what the core has accepted may be more than power lasts for: ``power_hold_up`` seconds after
    ``fail`` the words that are left in it are given up, and counted.

    A drive that takes its good status back, by an error status that comes after it, has failed.

    An attempt without a usable drive fails at once. While ``fail`` is high there is another one as soon as
    the drive is ready, after each time that it had to be brought up; ``failed`` is low meanwhile.

    ``busy`` is high from the clock after ``fail`` until ``fail`` is low and STANDBY IMMEDIATE has
    ended, so no start of the user counts; a ``file.start`` is refused with RELEASED. The end of
    STANDBY IMMEDIATE is no ``done`` of the user's, but error, drive status, counters, journal and
    ledger are those of the latest command of the core.

    Latency: without an operation the core gets the start of STANDBY IMMEDIATE 2 clocks after
    ``fail``; else 1 clock after its own ``busy`` has fallen. An asynchronous
    ``fail`` needs a synchroniser before it.

    Parameters
    ----------
    configuration : Configuration   ``power_fail`` is true.

    Members
    -------
    user : In(Face)     The user, with the group of power.
    core : Out(Face)    The core.
    """

    row = StageRow("power_fail", adds={POWER, POWER_LOST}, claims={CONTROL, STATUS, TASK, FILE, MEMORY},
                   needs={TASK})

    def elaborate(self, platform):
        m = Module()
        user, core, power = self.user, self.core, self.user.power
        taken = Signal()            # the core is not the user's
        stops = Signal()            # what runs is to end
        ours = Signal()             # the operation is STANDBY IMMEDIATE
        away = Signal()             # the drive was not usable, in the latest try or since
        revoked = Signal()          # the latest status of a drive that stayed is an error
        self._status(m, taken, ours)
        self._task(m, ours)
        if FILE in self.below:
            self._files(m, taken, stops)
        if MEMORY in self.below:
            self._memory(m, taken, stops)
        status = core.status.drive_status
        m.d.comb += [
            revoked.eq(~away & (status[StatusBit.ERR] | status[StatusBit.DF])),
            core.control.stop.eq(user.control.stop | stops),
            core.control.operation.eq(Mux(ours, Operation.FLUSH, user.control.operation)),
            core.control.lba.eq(Mux(ours, 0, user.control.lba)),
            core.control.sectors.eq(user.control.sectors),
        ]
        fsm = OneHotStates(m, "USER", "SETTLE", "START", "STANDBY", "OVER")
        m.d.comb += [
            taken.eq(~fsm.ongoing("USER")), stops.eq(fsm.ongoing("SETTLE")),
            core.control.start.eq(fsm.ongoing("START") | (user.control.start & ~taken)),
        ]
        with fsm.state("USER"):
            with m.If(power.fail):
                m.d.sync += power.error.eq(Error.NONE)
                fsm.enter("SETTLE")
        with fsm.state("SETTLE"):
            # An operation that has begun in the clock of `fail` is busy by now.
            with m.If(user.status.done):
                m.d.sync += [power.error.eq(core.status.error),
                             power.sectors.eq(core.status.sectors_done)]
            with m.If(~core.status.busy):
                m.d.sync += ours.eq(1)
                fsm.enter("START")
        with fsm.state("START"):
            m.d.sync += away.eq(~core.status.ready)
            fsm.enter("STANDBY")
        with fsm.state("STANDBY"):
            with m.If(core.status.done):
                good = core.status.error == Error.NONE
                m.d.sync += [power.safe.eq(good & ~revoked), power.failed.eq(~good | revoked), ours.eq(0)]
                fsm.enter("OVER")
            self._notices(m, away)
        with fsm.state("OVER"):
            self._notices(m, away)
            with m.If(power.safe & revoked):
                m.d.sync += [power.safe.eq(0), power.failed.eq(1)]
            with m.If(~power.fail):
                m.d.sync += [power.safe.eq(0), power.failed.eq(0)]
                fsm.enter("USER")
            # Its cache may be what it was. One that has failed on its own is not repeated.
            with m.Elif(power.failed & away & core.status.ready):
                m.d.sync += [power.failed.eq(0), ours.eq(1)]
                fsm.enter("START")
        with m.If(~taken & power.fail):
            m.d.sync += power.sectors.eq(0)
        return m

    def _notices(self, m, away):
        """A core that brings up its drive, within a recovery too, has no capacity meanwhile."""
        with m.If(self.core.status.capacity == 0):
            m.d.sync += away.eq(1)

    def _status(self, m, taken, ours):
        """What the core reports about the drive; it is busy as long as it is not the user's."""
        above, below = self.user.status, self.core.status
        self.hand_on(m, STATUS, but=("ready", "busy", "done"))
        m.d.comb += [above.ready.eq(below.ready & ~taken), above.busy.eq(below.busy | taken),
                     above.done.eq(below.done & ~ours)]

    def _files(self, m, taken, stops):
        """The recording that becomes a file ends, and the core is released."""
        above, below = self.user.file, self.core.file
        self.hand_on(m, FILE, but=("stop", "release", "ready"))
        m.d.comb += [below.stop.eq(above.stop | stops), below.release.eq(above.release | taken),
                     above.ready.eq(below.ready & ~taken)]

    def _memory(self, m, taken, stops):
        """What is left in the memory when time is out is given up, and counted."""
        clocks = max(1, round(self.configuration.power_hold_up * self.configuration.clock_hz))
        left = Signal(range(clocks + 1))
        runs = Signal()             # an operation of the user
        self.hand_on(m, MEMORY, but=("abandon",))
        m.d.comb += [
            self.core.memory.abandon.eq(self.user.memory.abandon | (stops & (left == 0))),
            runs.eq(self.core.status.busy),
        ]
        if FILE in self.below:
            state = self.core.file.state
            m.d.comb += runs.eq(state.matches(FileState.RECORDING, FileState.CLOSING)
                                | ((state == FileState.RELEASED) & self.core.status.busy))
        with m.If(~stops):
            m.d.sync += left.eq(clocks)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        with m.If(stops & runs):
            m.d.sync += self.user.power_loss.lost.eq(self.core.memory.lost)
        with m.If(~taken & self.user.power.fail):
            m.d.sync += self.user.power_loss.lost.eq(0)

    def _task(self, m, ours):
        """The registers of COMMAND: the user's, or those of STANDBY IMMEDIATE."""
        above, task = self.user.task, self.core.task
        self.hand_on(m, TASK, but=("operation", "command", "device"))
        m.d.comb += [task.operation.eq(above.operation), task.command.eq(above.command),
                     task.device.eq(above.device)]
        # Before that the user's own command may still need its registers.
        with m.If(ours):
            m.d.comb += [task.operation.eq(1), task.command.eq(STANDBY_IMMEDIATE),
                         task.device.eq(1 << DeviceBit.LBA)]

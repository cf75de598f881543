# amaranth: UnusedElaboratable=no
"""The operation COMMAND of an array: any ATA command, for the drive of one lane."""

from amaranth.hdl import Array, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...core.drive_port import Error
from ...facts.array import DATA_OFFSET
from ...facts.ata import StatusBit
from ...interface import TASK

__all__ = ["ArrayCommand", "command_part", "names_sector", "run_commands"]


class ArrayCommand(wiring.Component):
    """Keeps the lane that was chosen when a COMMAND began. That one alone gets it, and its registers are shown.

    Parameters
    ----------
    lanes : int

    Members
    -------
    user : In               The group of the task file, see :mod:`...interface`.
    lanes : Out(...) array  The same group, of each lane.
    chosen : In(range)      The lane that the user chooses now.
    begin : In(1)           One clock: an operation begins, or is refused.
    runs : In(1)            It runs. Otherwise lanes begin playbacks of superblocks, which are no COMMAND.
    commanded : Out(1)      The operation is COMMAND; from the clock after ``begin`` until the next one.
    lane : Out(range)       With ``commanded``: of this lane.
    seen : Out(range)       The lane whose registers are shown: that of a COMMAND until another operation begins.
    own : In(48)            A sector in the journal of the lane, from ``DATA_OFFSET`` on.
    sector : Out(48)        That sector as the user stated it, as LBA of the drive; a clock later.
    """

    def __init__(self, lanes):
        self._lanes = lanes
        lane = range(lanes)
        super().__init__({
            "user": In(TASK.signature), "lanes": Out(TASK.signature).array(lanes), "chosen": In(lane),
            "begin": In(1), "runs": In(1), "commanded": Out(1), "lane": Out(lane), "seen": Out(lane),
            "own": In(48), "sector": Out(48),
        })

    def elaborate(self, platform):
        m = Module()
        user = self.user
        with m.If(self.begin):
            m.d.sync += [self.commanded.eq(user.operation), self.lane.eq(self.chosen)]
        m.d.sync += self.sector.eq(self.own + DATA_OFFSET)
        for number, lane in enumerate(self.lanes):
            m.d.comb += [
                lane.operation.eq(self.commanded & self.runs & (self.lane == number)),
                lane.pio.eq(user.pio), lane.command.eq(user.command), lane.features.eq(user.features),
                lane.count.eq(user.count), lane.device.eq(user.device),
            ]
        shown = Array(self.lanes)[self.seen]
        m.d.comb += [
            self.seen.eq(Mux(self.commanded, self.lane, self.chosen)), user.result_lba.eq(shown.result_lba),
            user.result_count.eq(shown.result_count), user.result_device.eq(shown.result_device),
        ]
        return m


def command_part(configuration):
    """The :class:`ArrayCommand` of an array, or None if it has none."""
    return ArrayCommand(configuration.drives) if configuration.commands else None


def run_commands(m, command, array, cores, operation, router, progress):
    """Connects the :class:`ArrayCommand` of an ``array`` to its ``cores`` and to what runs its operations."""
    m.submodules.command = command
    connect(m, flipped(array).user.task, command.user)
    for lane, core in zip(command.lanes, cores):
        connect(m, lane, core.user.task)
    m.d.comb += [
        command.begin.eq(progress.restart), command.runs.eq(operation.busy),
        operation.commanded.eq(command.commanded), operation.command_lane.eq(command.lane),
        router.stays.eq(command.commanded), progress.commanded.eq(command.commanded),
    ]


def names_sector(status):
    """Whether the ``status`` of a lane has an LBA of an error of this operation: one that its drive has sent."""
    return (status.cause == Error.DRIVE_ERROR) | ((status.cause == Error.DATA_CRC) & (
        status.drive_status[StatusBit.ERR] | status.drive_status[StatusBit.DF]))

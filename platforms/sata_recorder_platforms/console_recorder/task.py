"""COMMAND for the console: the registers that were typed, and those of TRIM."""

from amaranth.hdl import Module, Mux
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out, connect

from sata_recorder.facts.ata import TRIM, CommandCode, DeviceBit
from sata_recorder.interface import TASK
from sata_recorder.core.sequencer import TrimRanges


class TypedRegisters(data.Struct):
    """The first number of `command`."""

    command: 8
    device: 8
    features: 16
    count: 16


class TaskFileRequest(wiring.Component):
    """The task file of the core, from what was typed. Without registers: it follows its inputs."""

    task: Out(TASK.signature)   # The group of the task file, see :mod:`sata_recorder.interface`.
    commands: In(1)             # The operation is `command`.
    trims: In(1)                # It is `trim`; none of both: another one.
    pio: In(1)                  # The data of `command` come by PIO.
    typed: In(TypedRegisters)   # The first number of `command`.

    def elaborate(self, platform):
        m = Module()
        task = self.task
        m.d.comb += [
            task.operation.eq(self.commands | self.trims),
            task.command.eq(self.typed.command),
            task.device.eq(self.typed.device),
            task.features.eq(self.typed.features),
            task.count.eq(self.typed.count),
            task.pio.eq(self.pio),
        ]
        with m.If(self.trims):
            m.d.comb += [
                task.command.eq(CommandCode.DATA_SET_MANAGEMENT),
                task.device.eq(1 << DeviceBit.LBA),
                task.features.eq(TRIM),
                task.count.eq(1),
                task.pio.eq(0),
            ]
        return m


def attach_task(m, user, tester, console, numbers, commands, trims, *, long_sectors):
    """COMMAND of a console recorder of these parts, and the ranges of TRIM in the place of the pattern."""
    m.submodules.request = request = TaskFileRequest()
    m.submodules.ranges = ranges = TrimRanges()
    if long_sectors:
        m.d.comb += ranges.long.eq(user.sector.long_sectors)
    connect(m, request.task, user.task)
    m.d.comb += [
        request.commands.eq(commands), request.trims.eq(trims), request.pio.eq(console.pio),
        request.typed.eq(numbers[0]),
        ranges.lba.eq(numbers[0]), ranges.sectors.eq(numbers[1]),
        ranges.begin.eq(console.start),
        ranges.o.ready.eq(user.i.valid & user.i.ready),
        user.i.payload.eq(Mux(trims, ranges.o.payload, tester.user.i.payload)),
        user.i.valid.eq(tester.user.i.valid),
        tester.user.i.ready.eq(user.i.ready),
    ]

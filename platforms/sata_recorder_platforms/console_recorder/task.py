"""COMMAND for the console: the registers that were typed, and the ranges of TRIM."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect

from sata_recorder.ata import CommandCode, DeviceBit
from sata_recorder.console.grammar import NUMBER_BITS
from sata_recorder.interface import TASK_GROUP, group
from sata_recorder.units import LONG_SECTOR_SHIFT

__all__ = ["RANGE_SECTORS", "TaskFileRequest", "TrimRanges", "TypedRegisters", "attach_task"]

#: Most sectors of one range of DATA SET MANAGEMENT (ATA8-ACS, LBA range entry).
RANGE_SECTORS = 65535
#: Features of DATA SET MANAGEMENT that say TRIM.
_TRIM = 0x01


class TypedRegisters(data.Struct):
    """The first number of `command`."""

    command: 8
    device: 8
    features: 16
    count: 16


class TaskFileRequest(wiring.Component):
    """The task file of the core, from what was typed. Without registers: it follows its inputs.

    Members
    -------
    task : Out              The group of the task file, see :mod:`sata_recorder.interface`.
    commands, trims : In(1) The operation is `command`, is `trim`; none of both: another one.
    pio : In(1)             The data of `command` come by PIO.
    typed : In(TypedRegisters)      The first number of `command`.
    """

    def __init__(self):
        super().__init__({
            "task": Out(group(TASK_GROUP)), "commands": In(1), "trims": In(1), "pio": In(1),
            "typed": In(TypedRegisters),
        })

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
                task.features.eq(_TRIM),
                task.count.eq(1),
                task.pio.eq(0),
            ]
        return m


class TrimRanges(wiring.Component):
    """The ranges of DATA SET MANAGEMENT for an extent, as words: LBA in bits 47:0 of two of them,
    the sectors in bits 63:48. Behind the last range come zeros.

    Parameters
    ----------
    long_sectors : bool     There is ``long``.

    Members
    -------
    long : In(1)            The drive, and so the ranges, count sectors of 4096 bytes.
    lba, sectors : In(48)   The extent, in sectors of 512 bytes.
    begin : In(1)           High for one clock: its ranges follow.
    o : Out(stream 32)      The words; there are always more.
    """

    def __init__(self, *, long_sectors=False):
        self._long_sectors = long_sectors
        super().__init__({
            "lba": In(NUMBER_BITS), "sectors": In(NUMBER_BITS), "begin": In(1),
            "o": Out(stream.Signature(32, always_valid=True)),
            **({"long": In(1)} if long_sectors else {}),
        })

    def elaborate(self, platform):
        m = Module()
        first = Signal(NUMBER_BITS)
        left = Signal(NUMBER_BITS)
        upper = Signal()            # of the two words
        count = Signal(16)
        none = Signal()
        lba, sectors = self.lba, self.sectors
        if self._long_sectors:
            lba, sectors = (Mux(self.long, value >> LONG_SECTOR_SHIFT, value)
                            for value in (lba, sectors))
        m.d.comb += [
            none.eq(left == 0),
            count.eq(Mux(left > RANGE_SECTORS, RANGE_SECTORS, left)),
            self.o.payload.eq(Mux(none, 0, Mux(upper, Cat(first[32:], count), first[:32]))),
        ]
        with m.If(self.begin):
            m.d.sync += [first.eq(lba), left.eq(sectors), upper.eq(0)]
        with m.Elif(self.o.ready):
            m.d.sync += upper.eq(~upper)
            with m.If(upper):
                m.d.sync += [first.eq(first + count), left.eq(left - count)]
        return m


def attach_task(m, user, tester, console, numbers, commands, trims, *, long_sectors):
    """COMMAND of a console recorder of these parts, and the ranges of TRIM in the place of the pattern."""
    m.submodules.request = request = TaskFileRequest()
    m.submodules.ranges = ranges = TrimRanges(long_sectors=long_sectors)
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

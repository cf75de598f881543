"""The drive's temperature while it records: the Device Statistics log (ATA/ATAPI Command Set - 2)."""

from amaranth.hdl import Module, Mux, Signal

from ....facts.ata import CommandCode, TemperatureStatistics
from ....facts.units import SECTOR_WORDS
from ....interface import TEMPERATURE
from ....interface.temperature import HeatVerdict
from ...command import CommandResult, Protocol
from .every_commands import EveryCommands
from .interjection import Interjection
from .may_query import MayQuery

__all__ = ["TemperatureQuery"]

_DWORDS = 128
#: Flags of a statistic, in bits 31:30 of its upper dword: it is supported, and its value is valid.
_VALID = 0b11


class TemperatureQuery(Interjection):
    """Reads the page of temperatures with READ LOG DMA EXT, and keeps what it reports. A page that the line
    has damaged changes nothing.

    Parameters
    ----------
    commands : int      It comes before the first write command of a recording and after every N.

    Members: those of an :class:`.Interjection`; ``user`` is the group of the temperature.
    """

    name = "temperature"
    group = TEMPERATURE

    def __init__(self, commands):
        self._commands = commands
        super().__init__()

    @classmethod
    def exists(cls, configuration):
        return configuration.smart_temperature

    @classmethod
    def made(cls, configuration):
        return cls(configuration.smart_commands)

    def elaborate(self, platform):
        m = Module()
        m.submodules.every = every = EveryCommands(self._commands)
        m.submodules.may_query = query = MayQuery()
        gap, registers = self.gap, self.request.command.registers
        succeeded = Signal()
        damaged = Signal()
        worth = Signal()
        m.d.comb += [
            succeeded.eq(self.runs & self.done & (self.result == CommandResult.SUCCESS)),
            damaged.eq(self.runs & self.done & (self.result == CommandResult.DATA_CRC)),
            query.gap.eq(gap), query.runs.eq(self.runs), query.answered.eq(succeeded | damaged),
            query.resets.eq(self.resets),
            worth.eq(gap.records & query.may & gap.logs),
            every.begin.eq(gap.begin), every.at_start.eq(1), every.writing.eq(gap.writing & worth),
            every.written.eq(gap.written & worth), every.restart.eq(self.runs | gap.query_failed),
            every.runs.eq(self.runs), self.due.eq(every.due & worth),
            self.request.command.protocol.eq(Protocol.DMA_IN),
            self.request.command.words.eq(SECTOR_WORDS),
            registers.command.eq(CommandCode.READ_LOG_DMA_EXT),
            registers.lba.eq(TemperatureStatistics.PAGE << 8 | TemperatureStatistics.LOG),
            registers.count.eq(1),
        ]
        self._take(m, succeeded, damaged)
        return m

    def _take(self, m, succeeded, damaged):
        """Decodes the page."""
        user = self.user
        heat = Signal(HeatVerdict)
        index = Signal(range(_DWORDS))
        page = Signal()             # it is the page that was requested
        now = Signal(8)
        most = Signal(8)
        now_valid = Signal()
        most_valid = Signal()
        word = self.read.payload
        m.d.comb += user.drive_heat.eq(heat)
        with m.If(~self.runs):
            m.d.sync += index.eq(0)
        with m.Elif(self.read.valid):
            m.d.sync += index.eq(index + 1)
            with m.Switch(index):
                with m.Case(0):
                    m.d.sync += page.eq(word[16:24] == TemperatureStatistics.PAGE)
                with m.Case(TemperatureStatistics.CURRENT // 4):
                    m.d.sync += now.eq(word[0:8])
                with m.Case(TemperatureStatistics.CURRENT // 4 + 1):
                    m.d.sync += now_valid.eq(word[30:32] == _VALID)
                with m.Case(TemperatureStatistics.MAXIMUM // 4):
                    m.d.sync += most.eq(word[0:8])
                with m.Case(TemperatureStatistics.MAXIMUM // 4 + 1):
                    m.d.sync += most_valid.eq(word[30:32] == _VALID)
        with m.If(succeeded & page & now_valid):
            m.d.sync += [
                user.drive_temperature.eq(now),
                heat.eq(Mux(~most_valid, HeatVerdict.NO_LIMIT,
                            Mux(now.as_signed() > most.as_signed(), HeatVerdict.TOO_HOT,
                                HeatVerdict.GOOD))),
            ]
        with m.Elif(self.gap.other_drive | (self.runs & self.done & ~damaged) | (self.runs & self.resets)):
            m.d.sync += [user.drive_temperature.eq(0), heat.eq(HeatVerdict.UNKNOWN)]

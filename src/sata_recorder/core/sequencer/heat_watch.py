"""The drive's temperature while it records: the Device Statistics log (ATA/ATAPI Command Set - 2)."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...facts.ata import TemperatureStatistics
from ..command import CommandResult
from ...interface import TEMPERATURE
from ...interface.temperature import HeatVerdict
from .asking import WorthAsking

__all__ = ["HeatWatch", "watch_heat"]

_DWORDS = 128
#: Flags of a statistic, in bits 31:30 of its upper dword: it is supported, and its value is valid.
_TOLD = 0b11


class HeatWatch(wiring.Component):
    """Takes the page of temperatures apart, and keeps what it says, and whether the drive is worth
    asking, see :class:`.asking.WorthAsking`.

    Members
    -------
    user : In               The group of the temperature, see :mod:`..interface`.
    begin : In(1)           An operation begins.
    brings_up : In(1)       A drive is being brought up.
    other_drive : In(1)     The drive that has been identified is another one.
    renewed : In(1), resets : In(1)         See :class:`.asking.WorthAsking`.
    reading : In(1)         READ LOG DMA EXT is in flight.
    payload : In(stream 32, always ready)   With ``reading``: the dwords of the page.
    succeeded : In(1)       With ``reading``: it has ended well.
    refused : In(1)         With ``reading``: it has ended, and the drive gives no such page.
    spoilt : In(1)          With ``reading``: it has ended, and the line has damaged the page.
    worth : Out(1)          The drive may be asked.
    """

    def __init__(self):
        super().__init__({
            "user": In(TEMPERATURE.signature), "begin": In(1), "brings_up": In(1),
            "other_drive": In(1), "renewed": In(1), "resets": In(1), "reading": In(1),
            "payload": In(stream.Signature(32, always_ready=True)),
            "succeeded": In(1), "refused": In(1), "spoilt": In(1), "worth": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        heat = Signal(HeatVerdict)
        m.submodules.worth_asking = worth = WorthAsking()
        m.d.comb += [
            worth.begin.eq(self.begin), worth.brings_up.eq(self.brings_up), worth.asking.eq(self.reading),
            worth.answered.eq(self.succeeded | self.spoilt), worth.resets.eq(self.resets),
            worth.renewed.eq(self.renewed), self.worth.eq(worth.worth),
            self.user.drive_heat.eq(heat),
        ]

        index = Signal(range(_DWORDS))
        page = Signal()             # it is the page that was asked for
        now, most = Signal(8), Signal(8)
        now_told, most_told = Signal(), Signal()
        word = self.payload.payload
        with m.If(~self.reading):
            m.d.sync += index.eq(0)
        with m.Elif(self.payload.valid):
            m.d.sync += index.eq(index + 1)
            with m.Switch(index):
                with m.Case(0):
                    m.d.sync += page.eq(word[16:24] == TemperatureStatistics.PAGE)
                with m.Case(TemperatureStatistics.CURRENT // 4):
                    m.d.sync += now.eq(word[0:8])
                with m.Case(TemperatureStatistics.CURRENT // 4 + 1):
                    m.d.sync += now_told.eq(word[30:32] == _TOLD)
                with m.Case(TemperatureStatistics.MAXIMUM // 4):
                    m.d.sync += most.eq(word[0:8])
                with m.Case(TemperatureStatistics.MAXIMUM // 4 + 1):
                    m.d.sync += most_told.eq(word[30:32] == _TOLD)
        with m.If(self.reading & self.succeeded & page & now_told):
            m.d.sync += [
                self.user.drive_temperature.eq(now),
                heat.eq(Mux(~most_told, HeatVerdict.NO_LIMIT,
                            Mux(now.as_signed() > most.as_signed(), HeatVerdict.TOO_HOT,
                                HeatVerdict.GOOD))),
            ]
        with m.Elif(self.other_drive | (self.reading & (
                self.succeeded | self.refused | self.resets))):
            m.d.sync += [self.user.drive_temperature.eq(0), heat.eq(HeatVerdict.UNKNOWN)]
        return m


def watch_heat(m, user, *, health, command, bring_up, identity, operation, other_drive, leaves, read_data,
               stopped, records):
    """Reads the temperature behind each answer to SMART RETURN STATUS, and without one, for the group
    ``user``. ``health``: what watches that; ``leaves``: the drive is `.asking.renewed`; ``records``: the operation is a recording,
    and not COMMAND."""
    m.submodules.heat = watch = HeatWatch()
    connect(m, flipped(user), watch.user)
    worth = Signal()
    m.d.comb += [
        watch.begin.eq(operation.begin), watch.brings_up.eq(bring_up.start),
        watch.renewed.eq(leaves), watch.resets.eq(operation.needs_comreset),
        watch.other_drive.eq(other_drive), watch.reading.eq(operation.asks & operation.reads),
        watch.payload.payload.eq(read_data.payload), watch.payload.valid.eq(read_data.valid),
        watch.succeeded.eq(command.succeeded),
        watch.refused.eq(command.done & ~command.succeeded & ~watch.spoilt),
        watch.spoilt.eq(command.done & (command.result == CommandResult.DATA_CRC)),
        worth.eq(watch.worth & identity.logs),
        operation.mute.eq(~health.worth),
        operation.measures.eq(records & worth & ~stopped),
        operation.watches.eq(records & (health.worth | worth) & ~stopped),
    ]

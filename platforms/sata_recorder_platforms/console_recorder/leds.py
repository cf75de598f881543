"""Leds for an eye."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Leds"]

#: Shortest time that the activity light is on, and half the period of a flashing one, in s.
_STRETCH, _FLASH = 0.05, 0.25


class Leds(wiring.Component):
    """Makes lights out of states.

    Parameters
    ----------
    clock_hz : float

    Members
    -------
    up, usable, busy : In(1)    the link is up; a drive is identified; an operation runs
    fault, clear : In(1)        something ended badly; a command begins
    link : Out(1)               flashes while there is a link and no identified drive yet
    activity : Out(1)           an operation runs, and 50 ms longer
    error : Out(1)              from ``fault`` to ``clear``
    """

    up: In(1)
    usable: In(1)
    busy: In(1)
    fault: In(1)
    clear: In(1)
    link: Out(1)
    activity: Out(1)
    error: Out(1)

    def __init__(self, clock_hz):
        self._stretch = max(1, round(_STRETCH * clock_hz))
        self._flash = max(1, round(_FLASH * clock_hz))
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        stretch = Signal(range(self._stretch + 1))
        flash = Signal(range(self._flash))
        phase = Signal()
        m.d.sync += [
            self.link.eq(self.up & (self.usable | phase)),
            self.activity.eq(self.busy | (stretch != 0)),
            flash.eq(flash - 1),
            self.error.eq((self.error & ~self.clear) | self.fault),
        ]
        with m.If(flash == 0):
            m.d.sync += [flash.eq(self._flash - 1), phase.eq(~phase)]
        with m.If(self.busy):
            m.d.sync += stretch.eq(self._stretch)
        with m.Elif(stretch != 0):
            m.d.sync += stretch.eq(stretch - 1)
        return m

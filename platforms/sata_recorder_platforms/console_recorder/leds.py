"""The LEDs: states that an eye can follow."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

#: Shortest time that the activity LED is on, and half the period of a flashing one, in s.
_STRETCH, _FLASH = 0.05, 0.25


class Leds(wiring.Component):
    """Drives the LEDs from states of the core and of the console.

    Parameters: ``clock_hz`` of the domain `sync`.
    """

    up: In(1)           # The link is up.
    usable: In(1)       # A drive is identified.
    busy: In(1)         # An operation runs.
    fault: In(1)        # High for one clock: something has ended badly.
    clear: In(1)        # High for one clock: an operation begins.
    link: Out(1)        # An LED: on with an identified drive, flashing with a link alone.
    activity: Out(1)    # An LED: an operation runs, or has ended less than 50 ms ago.
    error: Out(1)       # An LED: on from ``fault`` to ``clear``.

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

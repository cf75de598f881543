"""What follows a command that has failed where there is no recovery: the end of the operation."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring

from ...drive_port import Error
from .signatures import recovery_members

__all__ = ["NoRecovery"]

#: Clocks from ``rewind`` until the recorder has taken back what was not found good.
_ASSESS = 8


class NoRecovery(wiring.Component):
    """Ends the operation at the first command that fails, in the place of :class:`.Recovery`.

    Nothing of the failed command counts as done, and the journal gets no entry. A playback
    still delivers the words that were found good before.
    Latency: ``control.abort`` comes 10 clocks after ``control.failed``.

    Members: those of :class:`.recovery.Recovery`. Of ``status`` only ``cause`` is valid.
    """

    def __init__(self):
        super().__init__(recovery_members())

    def elaborate(self, platform):
        m = Module()
        control, cause = self.control, self.status.cause
        clocks = Signal(range(_ASSESS))
        m.d.comb += control.error.eq(Mux(control.broken, Error.PROTOCOL, cause))
        m.d.sync += clocks.eq(clocks + 1)
        with m.If(control.begin):
            m.d.sync += cause.eq(Error.NONE)
        with m.FSM() as fsm:
            m.d.comb += self.active.eq(~fsm.ongoing("IDLE"))
            with m.State("IDLE"):
                with m.If(control.failed):
                    m.d.sync += cause.eq(control.cause)
                    m.next = "REWIND"
                    with m.If(control.no_data):
                        m.next = "ABORT"
            with m.State("REWIND"):
                m.d.comb += self.port.rewind.eq(1)
                m.d.sync += clocks.eq(0)
                m.next = "ASSESS"
            with m.State("ASSESS"):
                with m.If(clocks == _ASSESS - 1):
                    m.next = "ABORT"
            with m.State("ABORT"):
                m.d.comb += control.abort.eq(1)
                m.next = "IDLE"
        return m

"""The register interface of the DCU: holds the receiver's clock recovery."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CDR", "CDR_HOLD", "HoldWriter", "SciSignature"]

#: Channel register with the control of the clock recovery, and its bit that holds it at the
#: reference (as LiteICLink's serdes_ecp5.py uses it).
CDR, CDR_HOLD = 0x18, 1 << 6
#: Clocks that an access is set up, strobed and held, each. The cell wants some ns.
_PHASE = 3


class SciSignature(wiring.Signature):
    """The SERDES client interface, seen from its user.

    Members
    -------
    select : Out(1)         The access is to a register of the channel.
    address : Out(6)        The access is to the register at this address.
    write_data : Out(8)     With ``write``, this is written.
    write : Out(1)          The register takes ``write_data``; the cell's input is low then.
    read : Out(1)           The register is read.
    read_data : In(8)       With ``read``, this is in the register.
    """

    def __init__(self):
        super().__init__({"select": Out(1), "address": Out(6), "write_data": Out(8),
                          "write": Out(1), "read": Out(1), "read_data": In(8)})


class HoldWriter(wiring.Component):
    """Keeps one bit of a register of the DCU equal to ``hold``, and leaves its other bits alone.

    No other register is ever written: channel register 0x02 has the electrical idle, and writing
    it while the line is idle makes the idle end (LiteICLink's pull request 33). A change is in
    effect 10 clocks later.

    Members
    -------
    enable : In(1)              The DCU is out of reset.
    hold : In(1)                The clock recovery is to stay at the reference.
    ready : Out(1)              The register has been written once since ``enable`` rose.
    sci : Out(SciSignature)     It leads to the registers of the DCU.
    """

    enable: In(1)
    hold: In(1)
    ready: Out(1)
    sci: Out(SciSignature())

    def elaborate(self, platform):
        m = Module()
        sci = self.sci
        others = Signal(8)
        timer = Signal(range(_PHASE), init=_PHASE - 1)
        over = Signal()
        m.d.comb += [over.eq(timer == 0), sci.address.eq(CDR)]
        m.d.sync += timer.eq(timer - 1)
        with m.If(over):
            m.d.sync += timer.eq(_PHASE - 1)

        with m.FSM():
            with m.State("OFF"):
                m.d.sync += [timer.eq(_PHASE - 1), self.ready.eq(0)]
                with m.If(self.enable):
                    m.next = "READ"
            with m.State("READ"):
                m.d.comb += [sci.select.eq(1), sci.read.eq(1)]
                with m.If(over):
                    m.d.sync += [others.eq(sci.read_data & ~CDR_HOLD),
                                 sci.write_data.eq(Cat(sci.read_data[:6], self.hold,
                                                       sci.read_data[7]))]
                    m.next = "SET_UP"
            with m.State("SET_UP"):
                m.d.comb += sci.select.eq(1)
                with m.If(over):
                    m.next = "STROBE"
            with m.State("STROBE"):
                m.d.comb += [sci.select.eq(1), sci.write.eq(1)]
                with m.If(over):
                    m.next = "HOLD"
            with m.State("HOLD"):
                m.d.comb += sci.select.eq(1)
                with m.If(over):
                    m.d.sync += self.ready.eq(1)
                    m.next = "IDLE"
            with m.State("IDLE"):
                m.d.sync += [timer.eq(_PHASE - 1),
                             sci.write_data.eq(others | self.hold * CDR_HOLD)]
                with m.If(~self.enable):
                    m.next = "OFF"
                with m.Elif(self.hold != sci.write_data[6]):
                    m.next = "SET_UP"
        return m

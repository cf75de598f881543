"""To which account a cycle belongs within a Data FIS, or while the drive offers a frame."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..link import Activity
from .accounts import Account

__all__ = ["PROMPT_CLOCKS", "IncomingCycle", "OfferedCycle", "OutgoingCycle"]

#: Clocks, that of the drive's X_RDY included, for which R_RDY may be outstanding before the host
#: counts as throttling.
PROMPT_CLOCKS = 16


class OutgoingCycle(wiring.Component):
    """Classifies a cycle between SOF and EOF of a Data FIS to the drive, in that cycle.

    Members
    -------
    link : In(Activity)     what was sent in this cycle
    begin : In(1)           no dword of the FIS has been sent
    active : In(1)          this cycle is one between SOF and EOF
    account : Out(Account)  to which the cycle belongs
    payload : Out(1)        a payload dword was sent
    eof : Out(1)            EOF was sent
    """

    link: In(Activity)
    begin: In(1)
    active: In(1)
    account: Out(Account)
    payload: Out(1)
    eof: Out(1)

    def elaborate(self, platform):
        m = Module()
        link, sent = self.link, self.link.sent
        header_sent = Signal()
        with m.If(~link.taken):
            m.d.comb += self.account.eq(Account.PHY_WAIT)
        with m.Elif(link.sent_align):
            m.d.comb += self.account.eq(Account.ALIGN)
        with m.Elif(sent.hold):
            m.d.comb += self.account.eq(Account.HOST_HOLD)
        with m.Elif(sent.holda):
            m.d.comb += self.account.eq(Account.DEVICE_HOLD)
        with m.Elif(sent.data & header_sent & ~link.sent_crc):
            m.d.comb += [self.account.eq(Account.PAYLOAD), self.payload.eq(1)]
        with m.Else():
            m.d.comb += [self.account.eq(Account.FRAMING), self.eof.eq(sent.eof)]
            with m.If(self.active & sent.data):
                m.d.sync += header_sent.eq(1)
        with m.If(self.begin):
            m.d.sync += header_sent.eq(0)
        return m


class IncomingCycle(wiring.Component):
    """Classifies a cycle between SOF and EOF of a frame from the drive, in that cycle.

    The CRC cannot be distinguished from payload when it arrives. Booking the dword after the header in its
    place gives the same sums.

    Members
    -------
    link : In(Activity)     what arrived in this cycle
    is_data : In(1)         the dword that arrived is the header of a Data FIS
    begin : In(1)           no dword of the frame has arrived
    active : In(1)          this cycle is one between SOF and EOF
    account : Out(Account)  to which the cycle belongs
    payload : Out(1)        a dword after the header arrived: payload or the CRC
    no_data : Out(1)        the frame is no Data FIS, or the drive has abandoned it
    eof : Out(1)            EOF arrived
    """

    link: In(Activity)
    is_data: In(1)
    begin: In(1)
    active: In(1)
    account: Out(Account)
    payload: Out(1)
    no_data: Out(1)
    eof: Out(1)

    def elaborate(self, platform):
        m = Module()
        link, got = self.link, self.link.received
        dwords = Signal(2)      # that have arrived: 0, 1, or 2 for more
        with m.If(~link.arrived):
            m.d.comb += self.account.eq(Account.PHY_WAIT)
        with m.Elif(link.align):
            m.d.comb += self.account.eq(Account.ALIGN)
        with m.Elif(got.hold):
            m.d.comb += self.account.eq(Account.DEVICE_HOLD)
        with m.Elif(got.holda):
            m.d.comb += self.account.eq(Account.HOST_HOLD)
        with m.Elif(link.strobe & got.data):
            m.d.comb += [
                self.account.eq(Mux(dwords == 2, Account.PAYLOAD, Account.FRAMING)),
                self.payload.eq(dwords != 0),
                self.no_data.eq((dwords == 0) & ~self.is_data),
            ]
            with m.If(self.active):
                m.d.sync += dwords.eq(Mux(dwords == 0, 1, 2))
        with m.Elif(link.strobe & got.sync):
            m.d.comb += self.no_data.eq(1)
        with m.Else():
            m.d.comb += [self.account.eq(Account.FRAMING), self.eof.eq(link.strobe & got.eof)]
        with m.If(self.no_data):
            m.d.comb += self.account.eq(Account.DATA_WAIT)
        with m.If(self.begin):
            m.d.sync += dwords.eq(0)
        return m


class OfferedCycle(wiring.Component):
    """Classifies a cycle from the drive's X_RDY to its SOF, in that cycle.

    Members
    -------
    link : In(Activity)     what was sent in this cycle
    begin : In(1)           the drive's X_RDY arrives
    active : In(1)          this cycle is one after that, up to SOF
    account : Out(Account)  HANDSHAKE, or HOST_HOLD where R_RDY is late
    """

    link: In(Activity)
    begin: In(1)
    active: In(1)
    account: Out(Account)

    def elaborate(self, platform):
        m = Module()
        link = self.link
        answered = Signal()
        unanswered = Signal(range(PROMPT_CLOCKS + 1))
        m.d.comb += self.account.eq(Account.HANDSHAKE)
        with m.If(self.active):
            with m.If(answered | (link.taken & ~link.sent_align & link.sent.r_rdy)):
                m.d.sync += answered.eq(1)
            with m.Elif(unanswered == PROMPT_CLOCKS):
                m.d.comb += self.account.eq(Account.HOST_HOLD)
            with m.Else():
                m.d.sync += unanswered.eq(unanswered + 1)
        with m.If(self.begin):
            m.d.sync += [unanswered.eq(1), answered.eq(0)]
        return m

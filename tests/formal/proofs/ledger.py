"""The ledger's sums: once it has settled, an account holds the clocks that were booked to it.

The sums are narrower than those of the core; low bits, scan and carry are the same.
"""

from amaranth.hdl import Mux, Signal

from sata_recorder.command import Account
from sata_recorder.sequencer.ledger import _LOW, _WIDTH, CLEAR_CLOCKS, SETTLE_CLOCKS, Ledger


def ledger(h):
    """One account, any of them; any bookings; ``clear`` for as long as it needs, at any time."""
    m = h.m
    dut = h.dut(Ledger())
    h.drive(dut.clear, dut.enable, dut.flush, dut.completed, dut.booking, dut.address)
    account = h.constant(4, "account")
    booking = dut.booking
    clearing, quiet = Signal(range(CLEAR_CLOCKS + 1)), Signal(range(SETTLE_CLOCKS + 1))
    cleared = h.ever(clearing == CLEAR_CLOCKS)
    booked = dut.enable & booking.valid
    own = booked & (account == Mux(dut.flush, Account.FLUSH, booking.account))
    h.assume(account <= max(Account), booking.account <= max(Account),
             dut.clear | (clearing == 0) | (clearing == CLEAR_CLOCKS), ~dut.clear | ~booked,
             cleared | ~booked)
    with m.If(~dut.clear):
        m.d.sync += clearing.eq(0)
    with m.Elif(clearing != CLEAR_CLOCKS):
        m.d.sync += clearing.eq(clearing + 1)
    with m.If(booked | dut.clear):
        m.d.sync += quiet.eq(0)
    with m.Elif(quiet != SETTLE_CLOCKS):
        m.d.sync += quiet.eq(quiet + 1)
    count = Signal(_WIDTH)
    with m.If(dut.clear):
        m.d.sync += count.eq(0)
    with m.Elif(own):
        m.d.sync += count.eq(count + 1)
    settled = cleared & ~dut.clear & (quiet == SETTLE_CLOCKS)
    asked = h.past(h.past(dut.address == account))
    h.check("the account holds its clocks", ~settled | ~asked | (dut.data == count))
    h.cover("more than the low bits hold", settled & asked & (count == 1 << _LOW),
            given=(dut.clear == ~h.ever(clearing == CLEAR_CLOCKS)) & (account == 0)
            & (dut.address == 0) & ~dut.flush & (dut.enable == (count < 1 << _LOW)))

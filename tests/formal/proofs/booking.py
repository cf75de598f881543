"""Each clock of an operation is booked to exactly one account."""

from sata_recorder.command.booking import Account, Booker


def booking(h):
    """Anything at the line, in the FISes and in the command."""
    dut = h.dut(Booker())
    h.drive(dut.activity, dut.received, dut.is_data, dut.pending, dut.registers_done,
            dut.registers_again, dut.data_done, dut.outward, dut.complete, dut.last, dut.final,
            dut.success)
    booking = dut.booking
    begun = h.past(h.ever(dut.activity.taken & ~dut.activity.sent_align & dut.activity.sent.x_rdy)
                   | (dut.activity.taken & ~dut.activity.sent_align & dut.activity.sent.x_rdy))
    h.check("booked from the first X_RDY on, without a gap", booking.valid == begun)
    h.check("to an account that there is", booking.account <= max(Account))
    h.check("the booker knows no FLUSH", booking.account != Account.FLUSH)
    h.check("a command is issued by X_RDY",
            ~booking.issue | (booking.account == Account.COMMAND))
    h.check("payload is a clock of a Data FIS", ~booking.payload | (
        (booking.account == Account.PAYLOAD) | (booking.account == Account.FRAMING)))
    for account in (Account.PAYLOAD, Account.DEVICE_HOLD, Account.RECOVERY, Account.TURNAROUND):
        h.cover(f"{account.name.lower()} is booked",
                booking.valid & (booking.account == account))
    h.cover("a second command", booking.issue)

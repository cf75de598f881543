"""Each clock of an operation is booked to exactly one account."""

from sata_recorder.core.ledger import Account
from sata_recorder.core.ledger.cycle_classifier import CycleClassifier


def booking(h):
    """Anything at the line, in the FISes and in the command."""
    dut = h.dut(CycleClassifier())
    h.drive(dut.link, dut.transport, dut.command)
    cycle, link = dut.cycle, dut.link
    x_rdy = link.taken & ~link.sent_align & link.sent.x_rdy
    begun = h.past(h.ever(x_rdy) | x_rdy)
    h.check("booked from the first X_RDY on, without a gap", cycle.valid == begun)
    h.check("to an account that there is", cycle.account <= max(Account))
    h.check("the classifier never reports FLUSH", cycle.account != Account.FLUSH)
    h.check("a command is issued by X_RDY",
            ~cycle.issue | (cycle.account == Account.COMMAND))
    h.check("payload is a clock of a Data FIS", ~cycle.payload | (
        (cycle.account == Account.PAYLOAD) | (cycle.account == Account.FRAMING)))
    for account in (Account.PAYLOAD, Account.DEVICE_HOLD, Account.RECOVERY, Account.TURNAROUND):
        h.cover(f"{account.name.lower()} is booked",
                cycle.valid & (cycle.account == account))
    h.cover("a second command", cycle.issue)

"""To which account of the cycle ledger each clock belongs."""

import enum

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..transport import Activity, ReceivedFis

__all__ = ["Account", "Booking", "Booker"]


#: Clocks, that of the drive's X_RDY included, for which R_RDY may be outstanding before the host
#: counts as throttling.
PROMPT_CLOCKS = 16


class Account(enum.IntEnum):
    """The accounts: each clock of a transfer belongs to exactly one."""

    PAYLOAD = 0             # a payload dword crossed
    FRAMING = 1             # SOF, header, CRC and EOF of a Data FIS
    ALIGN = 2               # ALIGN in the data direction
    PHY_WAIT = 3            # the PHY took or delivered nothing within a Data FIS
    HANDSHAKE = 4           # X_RDY to SOF and EOF to SYNC around Data FISes
    DEVICE_HOLD = 5         # the drive throttles
    HOST_HOLD = 6           # the user's stream throttles: HOLD, or a frame is not let in
    ACTIVATE_WAIT = 7       # write: until DMA Activate has arrived
    DATA_WAIT = 8           # read: until the drive offers a frame
    COMPLETION_WAIT = 9     # from the last data to the status
    COMMAND = 10            # the Register H2D frame
    TURNAROUND = 11         # from the status to the next X_RDY
    RECOVERY = 12           # from a refused command FIS, or a failed command, to the next X_RDY
    FLUSH = 13              # FLUSH CACHE after the transfer, from status to status


#: The account of the clock that was at the dword port three clocks ago. ``valid`` is low before
#: the first X_RDY. ``issue``: X_RDY of a command after another; ``payload``: a payload dword, on a
#: read perhaps one more than the FIS turns out to have, but never beyond the command's last.
Booking = data.StructLayout({
    "account": 4, "valid": 1, "issue": 1, "payload": 1,
})


class Booker(wiring.Component):
    """Classifies every clock of a data command as seen at the dword port.

    A clock is classified by what was sent and taken, and by what arrived, in that very clock;
    the documentation of the ledger lists the rules. After reset nothing is booked until X_RDY is
    sent. Latency: 3 clocks from the dword port.

    Members
    -------
    activity : In(Activity), received : In(ReceivedFis), is_data, pending : In  transport layer
    registers_done, registers_again, data_done : In(1)      the same
    outward : In(1)         the command writes
    complete, last : In(1)  no payload dword, one payload dword of the command is still to move
    final : In(1)           ``received`` holds the status that ends the command, and
    success : In(1)         that it is done
    booking : Out(Booking)
    """

    activity: In(Activity)
    received: In(ReceivedFis)
    is_data: In(1)
    pending: In(1)
    registers_done: In(1)
    registers_again: In(1)
    data_done: In(1)
    outward: In(1)
    complete: In(1)
    last: In(1)
    final: In(1)
    success: In(1)
    booking: Out(Booking)

    def elaborate(self, platform):
        m = Module()
        activity = self.activity
        sent = activity.sent
        got = activity.received

        account = Signal(Account)
        valid = Signal()
        issue = Signal()
        payload = Signal()
        m.d.comb += valid.eq(1)
        m.d.sync += [
            self.booking.account.eq(account),
            self.booking.valid.eq(valid),
            self.booking.issue.eq(issue),
            self.booking.payload.eq(payload),
        ]

        # The sender reports in the clock before the activity that it reports about.
        done = Signal()
        again = Signal()
        data_done = Signal()
        m.d.sync += [
            done.eq(self.registers_done),
            again.eq(self.registers_again),
            data_done.eq(self.data_done),
        ]

        emits = Signal()
        begun = Signal()        # the header of this Data FIS has been sent
        framed = Signal()       # SOF of the command FIS has been sent
        answered = Signal()     # the drive's X_RDY by R_RDY
        unanswered = Signal(range(PROMPT_CLOCKS + 1))
        first = Signal(2)       # the next dword in is 0: the header, 1: the one after it, 2: later
        m.d.comb += emits.eq(activity.taken & ~activity.sent_align)

        def book(which):
            return account.eq(which)

        with m.FSM() as fsm:
            def wait_or_complete(wait):
                with m.If(self.complete):
                    m.next = "COMPLETION_WAIT"
                with m.Else():
                    m.next = wait

            def end_with_status():
                with m.If(self.final):
                    with m.If(self.success):
                        m.next = "TURNAROUND"
                    with m.Else():
                        m.next = "RECOVERY"

            def issue_command():
                with m.If(emits & sent.x_rdy):
                    m.d.comb += [book(Account.COMMAND), issue.eq(fsm.ongoing("TURNAROUND"))]
                    m.d.sync += framed.eq(0)
                    m.next = "COMMAND"

            with m.State("OFF"):
                m.d.comb += valid.eq(emits & sent.x_rdy)
                issue_command()

            with m.State("COMMAND"):
                m.d.comb += book(Account.COMMAND)
                # The link layer may see a SYNC escape only after its EOF is out.
                with m.If(emits & sent.sof):
                    m.d.sync += framed.eq(1)
                with m.If(done):
                    with m.If(self.outward):
                        m.next = "ACTIVATE_WAIT"
                    with m.Else():
                        m.next = "DATA_WAIT"
                with m.Elif(again | (framed & activity.strobe & got.sync)):
                    m.next = "RECOVERY"

            with m.State("RECOVERY"):
                m.d.comb += book(Account.RECOVERY)
                issue_command()

            with m.State("ACTIVATE_WAIT"):
                m.d.comb += book(Account.ACTIVATE_WAIT)
                with m.If(self.received.dma_activate):
                    m.next = "OFFER"
                end_with_status()

            with m.State("OFFER"):
                m.d.comb += book(Account.HANDSHAKE)
                m.d.sync += begun.eq(0)
                with m.If(emits & sent.sof):
                    m.d.comb += book(Account.FRAMING)
                    m.next = "FRAME_OUT"
                end_with_status()

            with m.State("FRAME_OUT"):
                with m.If(~activity.taken):
                    m.d.comb += book(Account.PHY_WAIT)
                with m.Elif(activity.sent_align):
                    m.d.comb += book(Account.ALIGN)
                with m.Elif(sent.hold):
                    m.d.comb += book(Account.HOST_HOLD)
                with m.Elif(sent.holda):
                    m.d.comb += book(Account.DEVICE_HOLD)
                with m.Elif(sent.data & begun & ~activity.sent_crc):
                    m.d.comb += [book(Account.PAYLOAD), payload.eq(1)]
                with m.Else():
                    m.d.comb += book(Account.FRAMING)
                    with m.If(sent.data):
                        m.d.sync += begun.eq(1)
                    with m.If(sent.eof):
                        m.next = "SENT"
                with m.If(data_done):
                    wait_or_complete("ACTIVATE_WAIT")

            with m.State("SENT"):
                m.d.comb += book(Account.HANDSHAKE)
                with m.If(data_done):
                    wait_or_complete("ACTIVATE_WAIT")
                end_with_status()

            with m.State("DATA_WAIT"):
                m.d.comb += book(Account.DATA_WAIT)
                with m.If(activity.strobe & got.x_rdy):
                    m.d.comb += book(Account.HANDSHAKE)
                    m.d.sync += [unanswered.eq(1), answered.eq(0)]
                    m.next = "OFFERED"
                end_with_status()

            with m.State("OFFERED"):
                m.d.comb += book(Account.HANDSHAKE)
                m.d.sync += first.eq(0)
                with m.If(~answered & ~(emits & sent.r_rdy)):
                    with m.If(unanswered == PROMPT_CLOCKS):
                        m.d.comb += book(Account.HOST_HOLD)
                    with m.Else():
                        m.d.sync += unanswered.eq(unanswered + 1)
                with m.Else():
                    m.d.sync += answered.eq(1)
                with m.If(activity.strobe & got.sof):
                    m.d.comb += book(Account.FRAMING)
                    m.next = "FRAME_IN"
                end_with_status()

            with m.State("FRAME_IN"):
                with m.If(~activity.arrived):
                    m.d.comb += book(Account.PHY_WAIT)
                with m.Elif(activity.align):
                    m.d.comb += book(Account.ALIGN)
                with m.Elif(got.hold):
                    m.d.comb += book(Account.DEVICE_HOLD)
                with m.Elif(got.holda):
                    m.d.comb += book(Account.HOST_HOLD)
                with m.Elif(activity.strobe & got.data):
                    # The CRC cannot be told from payload when it arrives. Booking the dword
                    # after the header in its place gives the same sums.
                    m.d.comb += [
                        book(Mux(first == 2, Account.PAYLOAD, Account.FRAMING)),
                        payload.eq((first != 0) & ~self.complete & ~(self.last & self.pending)),
                    ]
                    m.d.sync += first.eq(Mux(first == 0, 1, 2))
                    with m.If((first == 0) & ~self.is_data):
                        m.d.comb += book(Account.DATA_WAIT)
                        m.next = "DATA_WAIT"
                with m.Elif(activity.strobe & got.sync):
                    m.d.comb += book(Account.DATA_WAIT)
                    m.next = "DATA_WAIT"
                with m.Else():
                    m.d.comb += book(Account.FRAMING)
                    with m.If(activity.strobe & got.eof):
                        m.next = "RECEIVED"

            with m.State("RECEIVED"):
                m.d.comb += book(Account.HANDSHAKE)
                with m.If(activity.strobe & got.sync):
                    wait_or_complete("DATA_WAIT")
                end_with_status()

            with m.State("COMPLETION_WAIT"):
                m.d.comb += book(Account.COMPLETION_WAIT)
                end_with_status()

            with m.State("TURNAROUND"):
                m.d.comb += book(Account.TURNAROUND)
                issue_command()
        return m

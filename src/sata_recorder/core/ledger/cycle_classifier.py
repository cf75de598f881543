"""To which account of the ledger each cycle belongs."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..command import CommandActivity
from ..link import Activity
from ..transport import TransportActivity
from .accounts import Account
from .frame_cycles import IncomingCycle, OfferedCycle, OutgoingCycle

__all__ = ["ClassifiedCycle", "CycleClassifier"]


class ClassifiedCycle(data.Struct):
    """The account of a cycle."""

    #: The account; never FLUSH, which only the sequencer knows.
    account: Account
    #: The cycle has an account: the first X_RDY of a command has been sent.
    valid: 1
    #: X_RDY of a command that follows a good one was sent.
    issue: 1
    #: A payload dword crossed; on a read perhaps one more than the FIS turns out to have, but
    #: never one beyond the last of the command.
    payload: 1


class CycleClassifier(wiring.Component):
    """Classifies every cycle of a data command as seen at the dword port.

    A cycle is classified by what was sent and taken, and by what arrived, in that very clock;
    docs/ledger.md lists the rules. After reset nothing is booked until X_RDY is sent.
    Latency: 3 clocks from the dword port.

    Members
    -------
    link : In(Activity)             what happened at the dword port
    transport : In(TransportActivity)       which FIS that was part of
    command : In(CommandActivity)   what it meant for the command
    cycle : Out(ClassifiedCycle)    the cycle that was at the dword port three clocks ago
    """

    link: In(Activity)
    transport: In(TransportActivity)
    command: In(CommandActivity)
    cycle: Out(ClassifiedCycle)

    def elaborate(self, platform):
        m = Module()
        m.submodules.outgoing = outgoing = OutgoingCycle()
        m.submodules.incoming = incoming = IncomingCycle()
        m.submodules.offered = offered = OfferedCycle()
        cycle = Signal(ClassifiedCycle)
        m.d.comb += [
            outgoing.link.eq(self.link),
            incoming.link.eq(self.link),
            incoming.is_data.eq(self.transport.is_data),
            offered.link.eq(self.link),
        ]
        m.d.sync += self.cycle.eq(cycle)
        self._state_machine(m, cycle, outgoing, incoming, offered)
        return m

    def _sent(self, m):
        """What the transport layer reports on what it sends, a clock late, as the link layer is."""
        transport = self.transport
        registers_done = Signal()
        registers_again = Signal()
        data_done = Signal()
        m.d.sync += [
            registers_done.eq(transport.registers_done),
            registers_again.eq(transport.registers_again),
            data_done.eq(transport.data_done),
        ]
        return registers_done, registers_again, data_done

    def _state_machine(self, m, cycle, outgoing, incoming, offered):
        """Assigns ``cycle``; a state is what the cycle is expected to be."""
        link, transport, command = self.link, self.transport, self.command
        sent, got = link.sent, link.received
        registers_done, registers_again, data_done = self._sent(m)
        emits = Signal()
        sof_sent = Signal()     # of the command FIS
        m.d.comb += [emits.eq(link.taken & ~link.sent_align), cycle.valid.eq(1)]

        def book(account):
            m.d.comb += cycle.account.eq(account)

        def wait_or_complete(wait):
            with m.If(command.complete):
                m.next = "COMPLETION_WAIT"
            with m.Else():
                m.next = wait

        def end_with_status():
            with m.If(command.final):
                with m.If(command.success):
                    m.next = "TURNAROUND"
                with m.Else():
                    m.next = "RECOVERY"

        def issue_command():
            with m.If(emits & sent.x_rdy):
                book(Account.COMMAND)
                m.d.comb += cycle.issue.eq(fsm.ongoing("TURNAROUND"))
                m.d.sync += sof_sent.eq(0)
                m.next = "COMMAND"

        with m.FSM() as fsm:
            m.d.comb += [
                outgoing.begin.eq(fsm.ongoing("OFFER")),
                outgoing.active.eq(fsm.ongoing("FRAME_OUT")),
                offered.active.eq(fsm.ongoing("OFFERED")),
                incoming.begin.eq(fsm.ongoing("OFFERED")),
                incoming.active.eq(fsm.ongoing("FRAME_IN")),
            ]
            with m.State("OFF"):
                m.d.comb += cycle.valid.eq(emits & sent.x_rdy)
                issue_command()
            with m.State("COMMAND"):
                book(Account.COMMAND)
                # The link layer may see a SYNC escape only after its EOF is out.
                with m.If(emits & sent.sof):
                    m.d.sync += sof_sent.eq(1)
                with m.If(registers_done):
                    m.next = "ACTIVATE_WAIT"
                    with m.If(~command.outward):
                        m.next = "DATA_WAIT"
                with m.Elif(registers_again | (sof_sent & link.strobe & got.sync)):
                    m.next = "RECOVERY"
            with m.State("RECOVERY"):
                book(Account.RECOVERY)
                issue_command()

            with m.State("ACTIVATE_WAIT"):
                book(Account.ACTIVATE_WAIT)
                with m.If(transport.received.dma_activate):
                    m.next = "OFFER"
                end_with_status()
            with m.State("OFFER"):
                book(Account.HANDSHAKE)
                with m.If(emits & sent.sof):
                    book(Account.FRAMING)
                    m.next = "FRAME_OUT"
                end_with_status()
            with m.State("FRAME_OUT"):
                book(outgoing.account)
                m.d.comb += cycle.payload.eq(outgoing.payload)
                with m.If(outgoing.eof):
                    m.next = "SENT"
                with m.If(data_done):
                    wait_or_complete("ACTIVATE_WAIT")
            with m.State("SENT"):
                book(Account.HANDSHAKE)
                with m.If(data_done):
                    wait_or_complete("ACTIVATE_WAIT")
                end_with_status()

            with m.State("DATA_WAIT"):
                book(Account.DATA_WAIT)
                with m.If(link.strobe & got.x_rdy):
                    book(Account.HANDSHAKE)
                    m.d.comb += offered.begin.eq(1)
                    m.next = "OFFERED"
                end_with_status()
            with m.State("OFFERED"):
                book(offered.account)
                with m.If(link.strobe & got.sof):
                    book(Account.FRAMING)
                    m.next = "FRAME_IN"
                end_with_status()
            with m.State("FRAME_IN"):
                book(incoming.account)
                m.d.comb += cycle.payload.eq(incoming.payload & ~command.complete & ~(
                    command.last & transport.pending))
                with m.If(incoming.no_data):
                    m.next = "DATA_WAIT"
                with m.Elif(incoming.eof):
                    m.next = "RECEIVED"
            with m.State("RECEIVED"):
                book(Account.HANDSHAKE)
                with m.If(link.strobe & got.sync):
                    wait_or_complete("DATA_WAIT")
                end_with_status()

            with m.State("COMPLETION_WAIT"):
                book(Account.COMPLETION_WAIT)
                end_with_status()
            with m.State("TURNAROUND"):
                book(Account.TURNAROUND)
                issue_command()

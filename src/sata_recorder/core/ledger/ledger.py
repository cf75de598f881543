"""The cycle ledger: every cycle of an operation is booked to one account."""

from amaranth.hdl import Module, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...interface import LEDGER
from ..command import CommandActivity
from ..link import Activity
from ..sequencer import SequencerActivity
from ..transport import TransportActivity
from .accumulator import CLEAR_CLOCKS, SETTLE_CLOCKS, Accumulator, BookedCycle
from .cycle_classifier import CycleClassifier

__all__ = ["CLEAR_CLOCKS", "SETTLE_CLOCKS", "Ledger", "LedgerTaps"]


class LedgerTaps(wiring.Signature):
    """What a ledger taps of the layers, seen from them. :class:`Ledger` describes the members.

    Members
    -------
    link_activity : Out(Activity)
    transport_activity : Out(TransportActivity)
    command_activity : Out(CommandActivity)
    sequencer_activity : Out(SequencerActivity)
    """

    def __init__(self):
        super().__init__({
            "link_activity": Out(Activity), "transport_activity": Out(TransportActivity),
            "command_activity": Out(CommandActivity), "sequencer_activity": Out(SequencerActivity),
        })


class Ledger(wiring.Component):
    """Taps the layers, and adds up the clocks of each account.

    ``sequencer_activity.clear`` must be held for ``CLEAR_CLOCKS``, and the sums are complete
    ``SETTLE_CLOCKS`` after the last clock that was booked.

    Members
    -------
    link_activity : In(Activity)                    what happened at the dword port
    transport_activity : In(TransportActivity)      which FIS that was part of
    command_activity : In(CommandActivity)          what it meant for the command
    sequencer_activity : In(SequencerActivity)      what it was for
    user : In                       the group "ledger" of :mod:`...interface`: ``data`` is the
                                    :class:`.Account` or :class:`.Entry` of ``address``, 2 clocks
                                    later
    booked : Out(BookedCycle)       what is booked in this clock
    """

    link_activity: In(Activity)
    transport_activity: In(TransportActivity)
    command_activity: In(CommandActivity)
    sequencer_activity: In(SequencerActivity)
    user: In(LEDGER.signature)
    booked: Out(BookedCycle)

    def elaborate(self, platform):
        m = Module()
        sequencer = self.sequencer_activity
        command = Signal(CommandActivity)
        begins = sequencer.clear | sequencer.recovery
        m.submodules.classifier = classifier = ResetInserter(begins)(CycleClassifier())
        m.submodules.accumulator = accumulator = Accumulator()
        m.d.comb += [
            classifier.link.eq(self.link_activity),
            classifier.transport.eq(self.transport_activity),
            classifier.command.eq(command),
            command.eq(self.command_activity),
            # After an error of a query there is no recovery.
            command.success.eq(self.command_activity.success | sequencer.query),
            accumulator.cycle.eq(classifier.cycle),
            accumulator.sequencer.eq(sequencer),
            accumulator.address.eq(self.user.address),
            self.user.data.eq(accumulator.data), self.booked.eq(accumulator.booked),
        ]
        return m

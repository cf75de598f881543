"""The sums over all operations of a request: the ledger continues, and the counters add up."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..interface import COUNTERS, LEDGER
from ..core.ledger import SETTLE_CLOCKS, Account, Ledger, LedgerTaps


class RequestLedger(wiring.Component):
    """A second ledger of the core, for all operations of a request.

    It taps the same layers. It is cleared only before the first operation, and it books the clocks
    between the status of one operation and the first X_RDY of the next one to TURNAROUND, as
    between two commands of one operation. So the overhead of a command counts from the last payload
    dword of one operation to the first of the next, too. What followed the last operation is subtracted
    again. A FLUSH CACHE after a stop is an operation of its own: what led to it is booked to FLUSH
    with it, as after the last command of an operation.
    """

    taps: In(LedgerTaps())      # The layers of the core.
    begins: In(1)               # One clock: a request is made.
    ends: In(1)                 # One clock: the request is over.
    settled: Out(1)             # One clock, after ``ends``: the sums are complete.
    user: In(LEDGER.signature)  # The group "ledger" of :mod:`..interface`, as :class:`.Ledger` has it.

    def elaborate(self, platform):
        m = Module()
        m.submodules.ledger = ledger = Ledger()
        taps, sequencer = self.taps, self.taps.sequencer_activity
        runs = Signal()         # from the request's begin to its end
        opened = Signal()       # clocks of this request have been booked
        between = Signal()
        trailing = Signal(48)   # booked to TURNAROUND since the latest operation
        before_flush = Signal(48)       # booked to TURNAROUND, but FLUSH CACHE followed
        wait = Signal(range(SETTLE_CLOCKS + 2))
        m.d.comb += [
            between.eq(runs & opened & ~sequencer.enable),
            ledger.link_activity.eq(taps.link_activity),
            ledger.transport_activity.eq(taps.transport_activity),
            ledger.command_activity.eq(taps.command_activity),
            ledger.sequencer_activity.eq(sequencer),
            ledger.sequencer_activity.clear.eq(sequencer.clear & ~opened),
            ledger.sequencer_activity.enable.eq(sequencer.enable | between),
            self.settled.eq(wait == 1),
            ledger.user.address.eq(self.user.address),
        ]
        with m.If(self.begins):
            m.d.sync += [runs.eq(1), opened.eq(0), trailing.eq(0), before_flush.eq(0)]
        with m.Elif(self.ends):
            m.d.sync += runs.eq(0)
        with m.If(runs & sequencer.enable):
            m.d.sync += [opened.eq(1), trailing.eq(0)]
        with m.Elif(between & sequencer.flush):
            m.d.sync += [before_flush.eq(before_flush + trailing), trailing.eq(0)]
        with m.Elif(between & ~sequencer.recovery):
            m.d.sync += trailing.eq(trailing + 1)
        with m.If(self.ends):
            m.d.sync += wait.eq(SETTLE_CLOCKS + 1)
        with m.Elif(wait != 0):
            m.d.sync += wait.eq(wait - 1)

        # The address of the data that come out now.
        shown = [Signal.like(self.user.address, name=f"shown_{clock}") for clock in range(2)]
        m.d.sync += [shown[0].eq(self.user.address), shown[1].eq(shown[0])]
        m.d.comb += self.user.data.eq(ledger.user.data)
        with m.If(shown[1] == Account.TURNAROUND):
            m.d.comb += self.user.data.eq(ledger.user.data - trailing - before_flush)
        with m.Elif(shown[1] == Account.FLUSH):
            m.d.comb += self.user.data.eq(ledger.user.data + before_flush)
        return m


class StatusSums(data.Struct):
    """What the status of the core counts in an operation."""

    #: Sectors in commands that ended without error.
    sectors_done: 48
    #: Sectors that were passed over.
    skipped_sectors: 48
    #: Commands issued again.
    retries: 16


class RequestSums(wiring.Component):
    """What the core counted in all operations of a request."""

    begins: In(1)                           # One clock: a request is made.
    active: In(1)                           # An operation of the core runs, or ends in this clock.
    done: In(1)                             # One clock: an operation of the core ends.
    core_counters: Out(COUNTERS.signature)  # The counters of the core.
    core_status: In(StatusSums)             # Those of its status.
    counters: In(COUNTERS.signature)        # For the user: sums, or the most of all operations.
    status: Out(StatusSums)                 # The same for the status.

    def elaborate(self, platform):
        m = Module()

        def keep(total, value, before):
            """``total`` is ``value`` while an operation counts, and stays after it."""
            m.d.comb += total.eq(Mux(self.active, value, before))
            with m.If(self.begins):
                m.d.sync += before.eq(0)
            with m.Elif(self.done):
                m.d.sync += before.eq(total)

        def add(core, total, before):
            keep(total, before + core, before)

        def most(core, total, before):
            keep(total, Mux(core > before, core, before), before)

        core, user = self.core_counters, self.counters
        add(core.words, user.words, Signal(48, name="words"))
        add(core.held_cycles, user.held_cycles, Signal(48, name="held_cycles"))
        add(core.dropped, user.dropped, Signal(48, name="dropped"))
        most(core.high_water, user.high_water, Signal(16, name="high_water"))
        most(core.longest_stall, user.longest_stall, Signal(48, name="longest_stall"))
        core, user = self.core_status, self.status
        add(core.sectors_done, user.sectors_done, Signal(48, name="sectors_done"))
        add(core.skipped_sectors, user.skipped_sectors, Signal(48, name="skipped_sectors"))
        add(core.retries, user.retries, Signal(16, name="retries"))
        return m

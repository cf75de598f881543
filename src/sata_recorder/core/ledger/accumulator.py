"""The memory of the cycle ledger."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from ..sequencer import SequencerActivity
from .account_counters import LOW_BITS, AccountCounters
from .accounts import Account, Entry
from .command_intervals import CommandIntervals
from .cycle_classifier import ClassifiedCycle

__all__ = ["CLEAR_CLOCKS", "SETTLE_CLOCKS", "WIDTH", "Accumulator", "BookedCycle"]


#: Bits of a sum.
WIDTH = 48
_TURNAROUND_WIDTH = 24  # bits of the longest turnaround
_OVERHEAD_WIDTH = 40    # bits of the longest overhead: two hours
_DEPTH = 32
_STAGES = 5     # of which one in front of the counts

#: Clocks that ``clear`` takes, and that the last event takes to reach the memory.
CLEAR_CLOCKS = _DEPTH + _STAGES
SETTLE_CLOCKS = 2 * _DEPTH + _STAGES


class BookedCycle(data.Struct):
    """What is booked: the cycle that was at the dword port four clocks ago."""

    account: Account
    #: It is booked.
    valid: 1
    #: A data command has been completed.
    completed: 1


class Accumulator(wiring.Component):
    """Adds up the clocks of each account, and keeps the extremes of the commands.

    A counter of 48 bits an account would be most of the core's registers. Instead only the low
    bits of each sum are counted, in a small memory. A scan over the entries of the full sums, one
    a clock, puts the low bits in and carries their overflow on, before there can be a second one:
    a round takes 32 clocks, so 6 bits overflow once a round at most.

    Parameters
    ----------
    width : int             bits of a sum
    turnaround_width, overhead_width : int      bits of the longest ones

    Members
    -------
    sequencer : In(SequencerActivity)
                            what this clock is for. ``clear`` must be held for ``CLEAR_CLOCKS``;
                            minima become 2^48 - 1, the rest 0. ``flush`` books to FLUSH whatever
                                            ``cycle`` is. ``recovery`` books to RECOVERY, as do the clocks
                                            after it until ``cycle.valid``
    cycle : In(ClassifiedCycle)     the account of this clock
    address : In(5)         an :class:`.Account` or another :class:`.Entry`
    data : Out(width)       that entry, 2 clocks later
    booked : Out(BookedCycle)       what is booked in this clock
    """

    def __init__(self, *, width=WIDTH, turnaround_width=_TURNAROUND_WIDTH,
                 overhead_width=_OVERHEAD_WIDTH):
        self._width = width
        self._turnaround_width = turnaround_width
        self._overhead_width = overhead_width
        super().__init__({
            "sequencer": In(SequencerActivity), "cycle": In(ClassifiedCycle),
            "address": In(5), "data": Out(width), "booked": Out(BookedCycle),
        })

    def elaborate(self, platform):
        m = Module()
        clear = self.sequencer.clear
        m.submodules.counters = counters = AccountCounters()
        m.submodules.intervals = intervals = CommandIntervals(
            turnaround_width=self._turnaround_width, overhead_width=self._overhead_width)
        self._select(m, counters, intervals)
        commands = Signal(LOW_BITS)
        with m.If(self.sequencer.completed):
            m.d.sync += commands.eq(commands + 1)
        with m.If(clear):
            m.d.sync += commands.eq(0)

        minima = (Entry.TURNAROUND_MIN, Entry.OVERHEAD_MIN)
        initial = [2**self._width - 1 if i in minima else 0 for i in range(_DEPTH)]
        m.submodules.memory = mem = memory.Memory(
            shape=self._width, depth=_DEPTH, init=initial, attrs={"ram_style": "block"})
        write = mem.write_port()
        scan = mem.read_port()
        user = mem.read_port()
        m.d.comb += user.addr.eq(self.address)
        m.d.sync += self.data.eq(user.data)

        slots = [Signal(5, name=f"slot_{stage}") for stage in range(_STAGES - 1)]
        m.d.sync += slots[0].eq(slots[0] + 1)
        m.d.sync += [after.eq(before) for before, after in zip(slots, slots[1:])]
        m.d.comb += [
            scan.addr.eq(slots[0]),
            counters.clear.eq(clear),
            counters.slot.eq(slots[1][0:4]),
            intervals.clear.eq(clear),
            # What is new when the scan comes to the extremes is compared in this round.
            intervals.visit.eq(slots[0] == Entry.TURNAROUND_MIN - 1),
            intervals.visited.eq(slots[-1] == Entry.OVERHEAD_MAX + 1),
        ]

        # Clock 1: the memory's data arrives. 2: it is next to its new value. 3: the
        # comparison is done. 4: written back.
        stored = Signal(self._width)
        count = Signal(LOW_BITS)
        carry = Signal()
        total = Signal(self._width)
        sample = Signal(self._overhead_width)
        new = Signal(self._overhead_width)
        less = Signal()
        m.d.comb += carry.eq(count < stored[:LOW_BITS])
        m.d.sync += [
            stored.eq(scan.data),
            count.eq(Mux(slots[1] == Entry.COMMANDS, commands, counters.low)),
            sample.eq(Mux(slots[1][1], intervals.overhead, intervals.turnaround)),
            total.eq(Cat(count, stored[LOW_BITS:] + carry)),
            less.eq(sample < stored),
            new.eq(sample),
        ]
        extreme = Signal()
        takes_new = Signal()
        ones = Signal()
        m.d.comb += [
            extreme.eq(slots[3][2:] == Entry.TURNAROUND_MIN >> 2),
            ones.eq(clear & extreme & ~slots[3][0]),
            # A minimum has an even address.
            takes_new.eq(Mux(slots[3][1], intervals.overhead_new, intervals.turnaround_new)
                         & (less ^ slots[3][0])),
            write.addr.eq(slots[3]),
            write.en.eq(clear | ~extreme | takes_new),
            write.data.eq(Mux(extreme & ~clear, new, total) | ones.replicate(self._width)),
        ]
        with m.If(clear):
            m.d.sync += total.eq(0)
        return m

    def _select(self, m, counters, intervals):
        """What is booked in this clock, and to which account; a clock later it is counted."""
        sequencer, cycle = self.sequencer, self.cycle
        recovers = Signal()
        recovering = Signal()
        transfer = Signal()
        issue = Signal()
        payload = Signal()
        booked = self.booked
        # The recording may have waited for words before, as long as it would have anyway.
        flush = sequencer.flush & ~(sequencer.from_x_rdy & (cycle.account == Account.TURNAROUND))
        m.d.comb += recovers.eq(sequencer.recovery | (recovering & ~cycle.valid))
        m.d.sync += [
            recovering.eq(recovers & ~sequencer.clear),
            booked.valid.eq(sequencer.enable & (cycle.valid | recovers)),
            transfer.eq(sequencer.enable & (cycle.valid | recovers) & ~flush),
            issue.eq(cycle.issue & ~recovers),
            payload.eq(cycle.payload & ~recovers & ~flush),
            booked.account.eq(Mux(recovers, Account.RECOVERY,
                                  Mux(flush, Account.FLUSH, cycle.account))),
        ]
        m.d.comb += [
            booked.completed.eq(sequencer.completed),
            counters.book.eq(booked.valid),
            counters.account.eq(booked.account),
            intervals.transfer.eq(transfer),
            intervals.turnaround_clock.eq(booked.account == Account.TURNAROUND),
            intervals.issue.eq(issue),
            intervals.payload_clock.eq(payload),
        ]

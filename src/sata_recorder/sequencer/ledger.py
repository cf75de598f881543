"""The memory of the cycle ledger."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ..command import Account, Booking

__all__ = ["Ledger", "Entry", "CLEAR_CLOCKS", "SETTLE_CLOCKS"]


class Entry:
    """Addresses in the ledger: the accounts, the extremes over all commands, their number."""

    TURNAROUND_MIN = 16
    TURNAROUND_MAX = 17
    OVERHEAD_MIN = 18
    OVERHEAD_MAX = 19
    COMMANDS = 20


_WIDTH = 48
_LOW = 6        # bits of a sum that are counted clock by clock
_SINCE = 40     # bits of the largest overhead: two hours
_DEPTH = 32
_STAGES = 5     # of which one in front of the counts

#: Clocks that ``clear`` takes, and that the last event takes to reach the memory.
CLEAR_CLOCKS = _DEPTH + _STAGES
SETTLE_CLOCKS = 2 * _DEPTH + _STAGES


class Ledger(wiring.Component):
    """Adds up the clocks of each account, and keeps the extremes of the commands.

    A counter of 48 bits an account would be most of the sequencer. Instead only the low bits of
    each sum are counted, in a small memory. A scan over the entries of the full sums, one a
    clock, puts the low bits in and carries their overflow on, before there can be a second one.
    Turnarounds saturate at 2^24 - 1 clocks.

    Members
    -------
    clear : In(1)               hold it for ``CLEAR_CLOCKS``; minima become 2^48 - 1, the rest 0
    enable : In(1)              book this clock
    flush : In(1)               book it to FLUSH, whatever ``booking`` says
    recovery : In(1)            book it to RECOVERY, and the clocks after it until ``booking.valid``
    completed : In(1)           a data command was completed
    booking : In(Booking)
    address : In(5), data : Out(48)     an entry, 2 clocks later
    """

    clear: In(1)
    enable: In(1)
    flush: In(1)
    recovery: In(1)
    completed: In(1)
    booking: In(Booking)
    address: In(5)
    data: Out(_WIDTH)

    def elaborate(self, platform):
        m = Module()
        booking = self.booking

        minima = (Entry.TURNAROUND_MIN, Entry.OVERHEAD_MIN)
        initial = [2**_WIDTH - 1 if i in minima else 0 for i in range(_DEPTH)]
        m.submodules.memory = mem = memory.Memory(
            shape=_WIDTH, depth=_DEPTH, init=initial, attrs={"ram_style": "block"})
        write = mem.write_port()
        scan = mem.read_port()
        user = mem.read_port()
        m.d.comb += user.addr.eq(self.address)
        m.d.sync += self.data.eq(user.data)

        slots = [Signal(5, name=f"slot_{stage}") for stage in range(_STAGES - 1)]
        m.d.comb += scan.addr.eq(slots[0])
        m.d.sync += slots[0].eq(slots[0] + 1)
        m.d.sync += [after.eq(before) for before, after in zip(slots, slots[1:])]

        # The low bits. A round takes 32 clocks, so 6 bits overflow once a round at most.
        booked = Signal()
        transfer = Signal()
        issue = Signal()
        payload = Signal()
        account = Signal(Account)
        recovers = Signal()
        recovering = Signal()
        m.d.comb += recovers.eq(self.recovery | (recovering & ~booking.valid))
        m.d.sync += [
            recovering.eq(recovers & ~self.clear),
            booked.eq(self.enable & (booking.valid | recovers)),
            transfer.eq(self.enable & (booking.valid | recovers) & ~self.flush),
            issue.eq(booking.issue & ~recovers),
            payload.eq(booking.payload & ~recovers),
            account.eq(Mux(recovers, Account.RECOVERY,
                           Mux(self.flush, Account.FLUSH, booking.account))),
        ]
        m.submodules.low = low = memory.Memory(
            shape=_LOW, depth=16, init=[], attrs={"ram_style": "distributed"})
        low_write = low.write_port()
        low_count = low.read_port(domain="comb")
        low_scan = low.read_port(domain="comb")
        m.d.comb += [
            low_count.addr.eq(account),
            low_scan.addr.eq(slots[1][0:4]),
            low_write.en.eq(booked | self.clear),
            low_write.addr.eq(Mux(self.clear, slots[1][0:4], account)),
            low_write.data.eq(Mux(self.clear, 0, low_count.data + 1)),
        ]

        # Clocks of the last turnaround, and since the last payload dword.
        turnaround = Signal(24)
        turnaround_full = Signal()
        in_turnaround = Signal()
        since = Signal(_SINCE)
        next_command = Signal()
        turnaround_new = Signal()
        overhead_new = Signal()
        starts = Signal()       # the first payload dword of a command after another
        m.d.comb += [
            starts.eq(transfer & payload & next_command),
            in_turnaround.eq(transfer & (account == Account.TURNAROUND)),
        ]

        # What is new when the scan comes to the extremes is looked at in this round.
        looking = Signal(2)
        turnaround_seen, overhead_seen = looking
        fresh = (turnaround_new, overhead_new)
        with m.If(slots[0] == Entry.TURNAROUND_MIN - 1):
            m.d.sync += looking.eq(Cat(fresh))
        with m.If(slots[-1] == Entry.OVERHEAD_MAX + 1):
            for seen, new in zip(looking, fresh):
                with m.If(seen):
                    m.d.sync += new.eq(0)

        m.d.sync += turnaround_full.eq(turnaround[1:].all())
        with m.If(payload & ~turnaround_new):
            m.d.sync += turnaround.eq(0)
        with m.Elif(in_turnaround & ~turnaround_full):
            m.d.sync += turnaround.eq(turnaround + 1)
        with m.If(transfer & issue):
            m.d.sync += [turnaround_new.eq(1), next_command.eq(1)]
        # A count stays until it has been looked at, the second one from the first payload of a
        # command on. It goes on long before the last payload: there are at least 128.
        with m.If(starts):
            m.d.sync += [overhead_new.eq(1), next_command.eq(0)]
        with m.Elif(transfer & ~overhead_new):
            with m.If(payload):
                m.d.sync += since.eq(0)
            with m.Else():
                m.d.sync += since.eq(since + 1)
        commands = Signal(_LOW)
        with m.If(self.completed):
            m.d.sync += commands.eq(commands + 1)
        with m.If(self.clear):
            m.d.sync += [commands.eq(0), next_command.eq(0), *(new.eq(0) for new in fresh)]

        # Clock 1: the memory's data arrives. 2: it stands beside what it will become. 3: the
        # comparison is done. 4: written back.
        stored = Signal(_WIDTH)
        count = Signal(_LOW)
        carry = Signal()
        total = Signal(_WIDTH)
        sample = Signal(_SINCE)
        new = Signal(_SINCE)
        less = Signal()
        m.d.comb += carry.eq(count < stored[:_LOW])
        m.d.sync += [
            stored.eq(scan.data),
            count.eq(Mux(slots[1] == Entry.COMMANDS, commands, low_scan.data)),
            sample.eq(Mux(slots[1][1], since, turnaround)),
            total.eq(Cat(count, stored[_LOW:] + carry)),
            less.eq(sample < stored),
            new.eq(sample),
        ]
        extreme = Signal()
        takes_new = Signal()
        ones = Signal()
        m.d.comb += [
            extreme.eq(slots[3][2:] == Entry.TURNAROUND_MIN >> 2),
            ones.eq(self.clear & extreme & ~slots[3][0]),
            # A minimum has an even address.
            takes_new.eq(Mux(slots[3][1], overhead_seen, turnaround_seen)
                         & (less ^ slots[3][0])),
            write.addr.eq(slots[3]),
            write.en.eq(self.clear | ~extreme | takes_new),
            write.data.eq(Mux(extreme & ~self.clear, new, total) | ones.replicate(_WIDTH)),
        ]
        with m.If(self.clear):
            m.d.sync += total.eq(0)
        return m

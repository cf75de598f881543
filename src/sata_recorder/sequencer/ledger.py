"""The memory of the cycle ledger."""

from amaranth.hdl import Array, C, Module, Mux, Signal
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
_DEPTH = 32
_STAGES = 4

#: Clocks that ``clear`` takes, and that the last event takes to reach the memory.
CLEAR_CLOCKS = _DEPTH + _STAGES
SETTLE_CLOCKS = 2 * _DEPTH + _STAGES


class Ledger(wiring.Component):
    """Adds up the clocks of each account, and keeps the extremes of the commands.

    A counter of 48 bits an account would be most of the sequencer. Instead the clocks are
    counted in a few bits an account, and a scan over all entries of a memory, one a clock, adds
    these small counts to their sums before they can overflow.

    Members
    -------
    clear : In(1)               hold it for ``CLEAR_CLOCKS``; minima become 2^48 - 1, the rest 0
    enable : In(1)              book this clock
    flush : In(1)               book it to FLUSH, whatever ``booking`` says
    completed : In(1)           a data command was completed
    booking : In(Booking)
    address : In(5), data : Out(48)     an entry, 2 clocks later
    """

    clear: In(1)
    enable: In(1)
    flush: In(1)
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
        write, scan, user = mem.write_port(), mem.read_port(), mem.read_port()
        m.d.comb += user.addr.eq(self.address)
        m.d.sync += self.data.eq(user.data)

        # Small counts. A round takes 32 clocks, so 32 is the most that one can reach.
        booked = Signal()
        account = Signal(Account)
        m.d.comb += [
            booked.eq(self.enable & booking.valid),
            account.eq(Mux(self.flush, Account.FLUSH, booking.account)),
        ]
        slots = [Signal(5, name=f"slot_{stage}") for stage in range(_STAGES + 1)]
        m.d.comb += scan.addr.eq(slots[0])
        m.d.sync += slots[0].eq(slots[0] + 1)
        m.d.sync += [after.eq(before) for before, after in zip(slots, slots[1:])]
        counts = Array(Signal(range(_DEPTH + 1), name=f"count_{which.name.lower()}")
                       for which in Account)
        for which in Account:
            one = Signal(name=f"one_{which.name.lower()}")
            m.d.comb += one.eq(booked & (account == which))
            base = Mux(slots[1] == which, 0, counts[which])
            m.d.sync += counts[which].eq(Mux(self.clear, 0, base + one))

        # Clocks of the last turnaround, and since the last payload dword.
        turnaround = Signal(40)
        was_turnaround = Signal()
        since = Signal(40)
        next_command = Signal()
        turnaround_new, overhead_new, completed_new = Signal(), Signal(), Signal()
        with m.If(booked & ~self.flush):
            m.d.sync += was_turnaround.eq(account == Account.TURNAROUND)
            with m.If(account == Account.TURNAROUND):
                m.d.sync += turnaround.eq(Mux(was_turnaround, turnaround, 0) + 1)
            with m.If(booking.issue):
                m.d.sync += [turnaround_new.eq(1), next_command.eq(1)]
            # The first payload of a command stops the count until it has been looked at. It
            # goes on long before the last payload: a command has at least 128 dwords.
            with m.If(~overhead_new):
                m.d.sync += since.eq(Mux(booking.payload, 0, since + 1))
                with m.If(booking.payload & next_command):
                    m.d.sync += [since.eq(since), overhead_new.eq(1), next_command.eq(0)]
        with m.If(self.completed):
            m.d.sync += completed_new.eq(1)

        # What is new when the scan comes to the extremes is looked at in this round.
        looking = Signal(3)
        turnaround_seen, overhead_seen, completed_seen = looking
        with m.If(slots[0] == Entry.TURNAROUND_MIN - 1):
            m.d.sync += [
                turnaround_seen.eq(turnaround_new),
                overhead_seen.eq(overhead_new),
                completed_seen.eq(completed_new),
            ]
        with m.If(slots[_STAGES] == Entry.COMMANDS):
            m.d.sync += [
                looking.eq(0),
                turnaround_new.eq(turnaround_new & ~turnaround_seen),
                overhead_new.eq(overhead_new & ~overhead_seen),
                completed_new.eq(completed_new & ~completed_seen),
            ]
        with m.If(self.clear):
            m.d.sync += [next_command.eq(0), turnaround_new.eq(0), overhead_new.eq(0),
                         completed_new.eq(0), was_turnaround.eq(0)]

        # Stage 1: the memory's data arrives. 2: it stands beside its addend. 3: sum and
        # comparison. 4: written back.
        stored = Signal(_WIDTH)
        addend = Signal(range(_DEPTH + 1))
        sample = Signal(40)
        total = Signal(_WIDTH)
        less = Signal()
        kept, new = Signal(_WIDTH), Signal(40)
        with m.If(slots[1] == Entry.COMMANDS):
            m.d.sync += addend.eq(completed_seen)
        with m.Elif(slots[1] < len(Account)):
            m.d.sync += addend.eq(counts[slots[1][0:4]])
        with m.Else():
            m.d.sync += addend.eq(0)
        m.d.sync += [
            stored.eq(scan.data),
            sample.eq(Mux(slots[1][1], since, turnaround)),
            total.eq(stored + addend),
            less.eq(sample < stored),
            kept.eq(stored),
            new.eq(sample),
        ]
        m.d.comb += [write.addr.eq(slots[3]), write.en.eq(1), write.data.eq(total)]
        for entry, seen in ((Entry.TURNAROUND_MIN, turnaround_seen),
                            (Entry.OVERHEAD_MIN, overhead_seen)):
            with m.If((slots[3] == entry) & seen & less):
                m.d.comb += write.data.eq(new)
            with m.If((slots[3] == entry + 1) & seen & ~less):
                m.d.comb += write.data.eq(new)
        with m.If(self.clear):
            m.d.comb += write.data.eq(
                Mux((slots[3] == minima[0]) | (slots[3] == minima[1]), C(-1, _WIDTH), 0))
        return m

"""The ledger's sums: once it has settled, an account holds the clocks that were booked to it.

The sums are narrower than those of the core; low bits, scan and carry are the same.
"""

from amaranth.hdl import Array, Cat, Mux, Signal

from sata_recorder.core.ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, Account
from sata_recorder.core.ledger.account_counters import LOW_BITS
from sata_recorder.core.ledger.accumulator import Accumulator

_WIDTH = 8          # of a sum
_ROUND = 32         # clocks from one visit of the scan to an entry to the next


def scene(h):
    """A ledger, any of its accounts and the two places in which it is counted."""
    dut = h.dut(Accumulator(width=_WIDTH, overhead_width=_WIDTH))
    h.drive(dut.sequencer, dut.cycle, dut.address)
    account = h.constant(4, "account")
    h.assume(account <= max(Account), dut.cycle.account <= max(Account))
    low = Array(h.probe(f"dut.counters.memory[{entry}]", LOW_BITS) for entry in range(16))[account]
    total = Array(h.probe(f"dut.memory[{entry}]", _WIDTH) for entry in range(16))[account]
    return dut, account, low, total


def scan(h, started):
    """The pipeline's addresses, stage by stage: one entry a clock."""
    slots = [h.probe(f"dut.slot_{stage}", 5) for stage in range(4)]
    h.lemma("the scan", ~started | Cat(
        (slots[0] - stage)[:5] == slots[stage] for stage in (1, 2, 3)).all())
    return slots


def clear(h):
    """What is booked before or meanwhile does not matter."""
    m = h.m
    dut, account, low, total = scene(h)
    age, clearing = Signal(3), Signal(range(CLEAR_CLOCKS + 1))
    m.d.sync += age.eq(age + ~age.all())
    h.assume(age.all() | ~dut.sequencer.clear)
    slots = scan(h, age.all())
    zero, low_zero = Signal(), Signal()     # the scan has written to the places since
    with m.If(~dut.sequencer.clear):
        m.d.sync += [clearing.eq(0), zero.eq(0), low_zero.eq(0)]
    with m.Else():
        m.d.sync += [
            clearing.eq(Mux(clearing == CLEAR_CLOCKS, clearing, clearing + 1)),
            zero.eq(zero | ((clearing != 0) & (slots[3] == account))),
            low_zero.eq(low_zero | (slots[1][:4] == account)),
        ]
    h.lemma("clear comes late", (clearing == 0) | age.all())
    h.lemma("what is written is 0", (clearing == 0) | (h.probe("dut.total", _WIDTH) == 0))
    h.lemma("the sum is 0 from then on", ~zero | (total == 0))
    h.lemma("the low bits are 0 from then on", ~low_zero | (low == 0))
    h.lemma("the scan comes by", (clearing == 0) | (
        (zero | ((account - slots[3])[:5] + clearing <= _ROUND))
        & (low_zero | ((account - slots[1])[:4] + clearing <= _ROUND))))
    cleared = clearing == CLEAR_CLOCKS
    h.check(f"an account is 0 after {CLEAR_CLOCKS} clocks of clear",
            ~cleared | ((low == 0) & (total == 0)))
    asked = h.past(h.past(cleared & (dut.address == account)))
    h.check("... and read as 0", ~asked | ~dut.sequencer.clear | (dut.data == 0))
    h.cover("an account is cleared", cleared & h.ever(low == 3),
            given=~h.ever(low == 3) | dut.sequencer.clear)


def sums(h):
    """From accounts of 0 on, with any bookings."""
    m = h.m
    dut, account, low, total = scene(h)
    sequencer, cycle = dut.sequencer, dut.cycle
    age, quiet = Signal(3), Signal(range(SETTLE_CLOCKS + 1))
    m.d.sync += age.eq(age + ~age.all())
    started = age.all()
    # From ``recovery`` to the next booking each clock is one of RECOVERY.
    recovers, recovering = Signal(), Signal()
    m.d.comb += recovers.eq(sequencer.recovery | (recovering & ~cycle.valid))
    m.d.sync += recovering.eq(recovers & ~sequencer.clear)
    booked = sequencer.enable & (cycle.valid | recovers)
    # Of what is booked from X_RDY on, the wait before it stays that between two commands.
    flushes = sequencer.flush & ~(sequencer.from_x_rdy & (cycle.account == Account.TURNAROUND))
    due = Mux(recovers, Account.RECOVERY, Mux(flushes, Account.FLUSH, cycle.account))
    h.assume(sequencer.clear == ~started, started | ~booked)
    with m.If(booked):
        m.d.sync += quiet.eq(0)
    with m.Elif(quiet != SETTLE_CLOCKS):
        m.d.sync += quiet.eq(quiet + 1)
    # The clocks that were booked to the account, and those of them that are in the low bits.
    own = h.past(booked & (account == due))
    count, counted = Signal(_WIDTH), Signal(_WIDTH)
    m.d.sync += counted.eq(count)
    m.d.comb += count.eq(counted + own)

    # What the scan found at its last visit, and at the one before.
    slots = scan(h, started)
    sample, before, fresh = Signal(_WIDTH), Signal(_WIDTH), Signal()
    visits = slots[1] == account
    with m.If(visits):
        m.d.sync += [sample.eq(counted), before.eq(sample)]
    since = Signal(5)       # clocks after the last visit, from 0
    m.d.comb += since.eq(slots[1] - account - 1)
    m.d.sync += fresh.eq((visits | fresh) & ~own)       # and it found all
    under_way = (slots[2] == account) | (slots[3] == account)
    h.lemma("nothing before", started | Cat(
        value == 0 for value in (own, counted, sample, before, total, low)).all())
    h.lemma("the low bits", low == counted[:LOW_BITS])
    h.lemma("one visit a round",
            ((counted - sample)[:_WIDTH] <= since + 1) & ((sample - before)[:_WIDTH] <= _ROUND))
    h.lemma("the sum in the memory", total == Mux(under_way & started, before, sample))
    h.lemma("stage 1", ~started | ~visits | (h.probe("dut.scan__data", _WIDTH) == sample))
    h.lemma("stage 2", ~started | (slots[2] != account) | (
        (h.probe("dut.stored", _WIDTH) == before)
        & (h.probe("dut.count", LOW_BITS) == sample[:LOW_BITS])))
    h.lemma("stage 3", ~started | (slots[3] != account)
            | (h.probe("dut.total", _WIDTH) == sample))
    h.lemma("a visit in time", fresh | (quiet <= since + 2) | ~started)
    h.lemma("the last visit found all", ~fresh | (sample == counted))
    h.lemma("the visit before found all, too", (quiet <= since + _ROUND + 2) | (before == counted))
    settled = quiet == SETTLE_CLOCKS
    asked = h.past(h.past(dut.address == account))
    h.check("the account holds its clocks when all has settled", ~settled | (total == count))
    h.check("it can be read", ~settled | ~asked | (dut.data == count))
    alone = ((account == 0) & (dut.address == 0) & cycle.valid & (cycle.account == 0)
             & ~sequencer.flush & ~sequencer.recovery
             & (sequencer.enable == (started & (count <= 1 << LOW_BITS))))
    h.cover("a carry out of the low bits", settled & asked & (count == (1 << LOW_BITS) + 1),
            given=alone)
    h.cover("clocks of a recovery", settled & (count == 3) & (account == Account.RECOVERY),
            given=~cycle.valid & (sequencer.enable == (started & (count < 3))))
    h.hint("alone", alone)

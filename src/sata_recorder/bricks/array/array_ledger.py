"""The cycle ledger of an array as a whole."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...core.ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, Account, Accumulator, BookedCycle, WholeAccount
from ...interface import LEDGER

__all__ = ["ArrayLedger"]

#: Clocks after which a lane books what was at its dword port.
_BOOKED = 4


class ArrayLedger(wiring.Component):
    """Books each clock of an operation to one account, from those that the ledgers of the lanes book it to.

    The first of these that holds for a clock, at the streams and at the dword ports:

    - A word crosses the streams: PAYLOAD.
    - Words are to cross, and the lane whose turn it is has an account: that one, but for its PAYLOAD, which is
      LANE_PAYLOAD here.
    - A lane has one: that of the lowest of these lanes, as above.
    - Words are to cross, and one has crossed or a lane has had an account: HOST_HOLD while a word waits for the
      user, RECOVERY after a lane has failed, else TURNAROUND.

    What remains is not booked.

    Parameters
    ----------
    lanes : int

    Members
    -------
    begin : In(1)           One clock: an operation begins. Nothing may cross or be booked in the 40 clocks after it.
    booked : In(BookedCycle) array          What the lanes book.
    crosses : In(1)         A word crosses the streams in this clock.
    lane : In(range)        Whose turn it is.
    open : In(1)            Words are to cross.
    waits : In(1)           One waits for the user.
    failed : In(1)          A lane has failed, and the operation goes on without it.
    user : In               As that of a ledger, see :class:`...core.ledger.Ledger`; there are no extremes.
    settled : Out(1)        The sums are complete, if nothing more is booked.
    """

    def __init__(self, lanes):
        self._lanes = lanes
        super().__init__({
            "begin": In(1), "booked": In(BookedCycle).array(lanes), "crosses": In(1), "lane": In(range(lanes)),
            "open": In(1), "waits": In(1), "failed": In(1), "user": In(LEDGER.signature), "settled": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.accumulator = accumulator = Accumulator()
        clearing = Signal(range(CLEAR_CLOCKS + 1))
        settling = Signal(range(SETTLE_CLOCKS + 1))
        valid = self._select(m, accumulator.cycle)
        with m.If(self.begin):
            m.d.sync += clearing.eq(CLEAR_CLOCKS)
        with m.Elif(clearing != 0):
            m.d.sync += clearing.eq(clearing - 1)
        with m.If(valid):
            m.d.sync += settling.eq(SETTLE_CLOCKS)
        with m.Elif(settling != 0):
            m.d.sync += settling.eq(settling - 1)
        m.d.comb += [
            self.settled.eq(settling == 0),
            accumulator.sequencer.enable.eq(1), accumulator.sequencer.clear.eq(clearing != 0),
            accumulator.cycle.valid.eq(valid), accumulator.address.eq(self.user.address),
            self.user.data.eq(accumulator.data),
        ]
        self._count(m, accumulator.sequencer)
        return m

    def _select(self, m, cycle):
        """Assigns the account of a clock. Returns whether it has one."""
        streams = Signal(data.StructLayout({
            "crosses": 1, "lane": range(self._lanes), "open": 1, "waits": 1, "failed": 1}))
        m.d.comb += [streams.crosses.eq(self.crosses), streams.lane.eq(self.lane), streams.open.eq(self.open),
                     streams.waits.eq(self.waits), streams.failed.eq(self.failed)]
        late = [streams]
        for clocks in range(1, _BOOKED + 2):
            late.append(Signal.like(streams, name=f"streams_{clocks}"))
            m.d.sync += late[-1].eq(late[-2])
        turn, other = Signal(BookedCycle), Signal(BookedCycle)
        m.d.sync += [turn.eq(Array(self.booked)[late[-2].lane]), other.eq(self.booked[0])]
        for one in reversed(self.booked):
            with m.If(one.valid):
                m.d.sync += other.eq(one)
        known = Mux(late[-1].open & turn.valid, turn.account, other.account)
        pausing = Mux(late[-1].waits, Account.HOST_HOLD, Mux(late[-1].failed, Account.RECOVERY, Account.TURNAROUND))
        valid, begun = Signal(), Signal()
        with m.If(late[-1].crosses):
            m.d.comb += [cycle.account.eq(Account.PAYLOAD), valid.eq(1)]
        with m.Elif(other.valid):
            m.d.comb += [cycle.account.eq(Mux(known == Account.PAYLOAD, WholeAccount.LANE_PAYLOAD, known)), valid.eq(1)]
        with m.Else():
            m.d.comb += [cycle.account.eq(pausing), valid.eq(late[-1].open & begun)]
        m.d.sync += begun.eq(~self.begin & (begun | valid))
        return valid

    def _count(self, m, sequencer):
        """The commands of all lanes: those of two that end in one clock are counted one after the other."""
        pending = Signal(self._lanes)
        completed = Cat(one.completed for one in self.booked)
        m.d.sync += pending.eq((pending & (pending - 1)) | completed)
        m.d.comb += sequencer.completed.eq(pending.any())

"""The cycle ledger of an array as a whole."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...core.ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, Account, Accumulator, BookedCycle, WholeAccount
from ...facts.array import MOST_DRIVES
from ...interface import LEDGER

__all__ = ["ArrayLedger"]

#: Clocks after which a lane books what was at its dword port.
_BOOKED = 4


class StreamCycle(data.Struct):
    """What happens at the streams of an array in a clock."""

    #: A word crosses.
    crosses: 1
    #: The lane whose turn it is.
    lane: range(MOST_DRIVES)
    #: Words are to cross.
    open: 1
    #: They are those of a playback.
    plays: 1
    #: The user offers no word of a recording, or does not take one that is there.
    idle: 1
    #: A lane has failed, and the operation goes on without it.
    failed: 1


class ArrayLedger(wiring.Component):
    """Books each clock of an operation to one account, from those that the ledgers of the lanes book it to.

    The first of these that holds for a clock, at the streams and at the dword ports:

    - A word crosses the streams: PAYLOAD.
    - Words are to cross, and the lane whose turn it is has an account: that one. In place of PAYLOAD it is HOST_HOLD
      if the user has no word, or takes none that is there, else LANE_PAYLOAD.
    - A lane has one: that of the lowest of these lanes, as above.
    - Words are to cross, and one has crossed or a lane has had an account. In a playback: HOST_HOLD while one waits for
      the user. RECOVERY after a lane has failed. Else LANE_PAYLOAD in a playback, as the words are in the buffers of
      the lanes, and TURNAROUND in a recording.

    What remains is not booked.

    Parameters
    ----------
    lanes : int

    Members
    -------
    begin : In(1)           One clock: an operation begins. Nothing may cross before ``cleared``.
    cleared : Out(1)        The sums of the operation before are gone.
    booked : In(BookedCycle) array          What the lanes book.
    stream : In(StreamCycle)        The streams in this clock.
    user : In               As that of a ledger, see :class:`...core.ledger.Ledger`; there are no extremes.
    settled : Out(1)        The sums are complete, if nothing more is booked.
    """

    def __init__(self, lanes):
        self._lanes = lanes
        super().__init__({
            "begin": In(1), "cleared": Out(1), "booked": In(BookedCycle).array(lanes),
            "stream": In(StreamCycle), "user": In(LEDGER.signature), "settled": Out(1),
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
        # A flop: what waits for it is far from here.
        m.d.sync += self.cleared.eq((clearing == 0) & ~self.begin)
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
        late = [self.stream]
        for clocks in range(1, _BOOKED + 2):
            late.append(Signal(StreamCycle, name=f"stream_{clocks}"))
            m.d.sync += late[-1].eq(late[-2])
        turn, other = Signal(BookedCycle), Signal(BookedCycle)
        m.d.sync += [turn.eq(Array(self.booked)[late[-2].lane]), other.eq(self.booked[0])]
        for one in reversed(self.booked):
            with m.If(one.valid):
                m.d.sync += other.eq(one)
        then = late[-1]
        known = Mux(then.open & turn.valid, turn.account, other.account)
        waits = then.open & then.idle
        moving = Mux(waits, Account.HOST_HOLD, WholeAccount.LANE_PAYLOAD)
        valid, begun = Signal(), Signal()
        with m.If(then.crosses):
            m.d.comb += [cycle.account.eq(Account.PAYLOAD), valid.eq(1)]
        with m.Elif(other.valid):
            m.d.comb += [cycle.account.eq(Mux(known == Account.PAYLOAD, moving, known)), valid.eq(1)]
        with m.Else():
            m.d.comb += [cycle.account.eq(Mux(then.plays, moving, Account.TURNAROUND)), valid.eq(then.open & begun)]
            with m.If(then.failed & ~(then.plays & then.idle)):
                m.d.comb += cycle.account.eq(Account.RECOVERY)
        m.d.sync += begun.eq(~self.begin & (begun | valid))
        return valid

    def _count(self, m, sequencer):
        """The commands of all lanes: those of two that end in one clock are counted one after the other."""
        pending = Signal(self._lanes)
        completed = Cat(one.completed for one in self.booked)
        m.d.sync += pending.eq((pending & (pending - 1)) | completed)
        m.d.comb += sequencer.completed.eq(pending.any())

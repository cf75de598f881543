"""What the PHY reports about itself: counts, the shape of OOB signals, rates of errors."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...interface import PHY_STATUS
from .dwords import RxDword
from .states import BistState, Fall, PhyState

__all__ = ["BIST_BLOCKS", "ErrorMeter", "Observer", "OobMeter", "RECENT"]

#: Dwords over which the error meter counts those with an error.
RECENT = 1 << 16
#: Blocks of the loop-back test: 3.6 s at Gen2.
BIST_BLOCKS = 1 << 20


def count(m, counter, event, clear):
    """Counts ``event`` in ``counter``, which saturates."""
    with m.If(clear):
        m.d.sync += counter.eq(0)
    with m.Elif(event & ~counter.all()):
        m.d.sync += counter.eq(counter + 1)


class OobMeter(wiring.Component):
    """The shortest and the longest of bursts or gaps.

    Members
    -------
    ended : In(1)           One of them ends.
    length : In(8)          With ``ended``, this is its length in clocks.
    clear : In(1)           What was seen is forgotten.
    shortest : Out(8)       Clocks; 255 before the first one.
    longest : Out(8)        Clocks; 0 before the first one.
    """

    ended: In(1)
    length: In(8)
    clear: In(1)
    shortest: Out(8, init=255)
    longest: Out(8)

    def elaborate(self, platform):
        m = Module()
        with m.If(self.clear):
            m.d.sync += [self.shortest.eq(255), self.longest.eq(0)]
        with m.Elif(self.ended):
            with m.If(self.length < self.shortest):
                m.d.sync += self.shortest.eq(self.length)
            with m.If(self.length > self.longest):
                m.d.sync += self.longest.eq(self.length)
        return m


class ErrorMeter(wiring.Component):
    """How many of the latest dwords had an error.

    Parameters
    ----------
    dwords : int        ``recent`` is renewed each time that so many have come; a power of two.

    Members
    -------
    valid : In(1)       A dword was received.
    error : In(1)       With ``valid``, it had an error.
    clear : In(1)       It starts over, with ``recent`` at 0.
    recent : Out(16)    Dwords with an error among the latest full number of ``dwords``; saturates.
    """

    valid: In(1)
    error: In(1)
    clear: In(1)
    recent: Out(16)

    def __init__(self, dwords):
        self._dwords = dwords
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        dwords = Signal(range(self._dwords))
        errors = Signal(16)
        renews = Signal()
        m.d.comb += renews.eq(self.valid & dwords.all())
        m.d.sync += dwords.eq(Mux(self.clear, 0, dwords + self.valid))
        with m.If(self.clear | renews):
            m.d.sync += [errors.eq(0), self.recent.eq(Mux(
                self.clear, 0, errors + (self.error & ~errors.all())))]
        with m.Elif(self.valid & self.error & ~errors.all()):
            m.d.sync += errors.eq(errors + 1)
        return m


class Observer(wiring.Component):
    """Counts and keeps what happens to the PHY, for the bring-up of a board.

    All of it is in the domain ``sync``, and none of it has an effect on the link. A count that is
    at its highest value stays there.

    Parameters
    ----------
    recent : int
        Dwords of the error meter; a power of two.

    Members
    -------
    status : In(PHY_STATUS.signature)
        All that is reported.
    state : In(PhyState)
        This is the state of the initializer.
    fell : In(1)
        In this clock a try or a link ends.
    fall : In(Fall)
        With ``fell``, this is the reason.
    tx_inverted : In(1)
        Dwords go out with P and N swapped.
    rate : In(2)
        This is the line rate at which the back end runs, or 0.
    expected : In(1)
        Dwords are expected, not only OOB signals.
    rx_active : In(1)
        The signal detector reports that there is a signal.
    rx_locked : In(1)
        The clock recovery is locked.
    rx_inverted : In(1)
        P and N of the received line are swapped.
    burst : In(1)
        In this clock a burst of an OOB signal ends.
    gap : In(1)
        In this clock a gap of an OOB signal ends.
    length : In(8)
        With ``burst`` or ``gap``, this is its length in clocks.
    valid : In(1)
        A dword was received.
    dword : In(RxDword)
        With ``valid``, this is the dword.
    bist : In(BistState)
        This is what the loop-back test has found.
    bist_errors : In(16)
        Dwords of the loop-back test that were wrong or missing.
    """

    def __init__(self, recent=RECENT):
        self._recent = recent
        super().__init__({
            "status": In(PHY_STATUS.signature),
            "state": In(PhyState), "fell": In(1), "fall": In(Fall), "tx_inverted": In(1),
            "rate": In(2), "expected": In(1),
            "rx_active": In(1), "rx_locked": In(1), "rx_inverted": In(1),
            "burst": In(1), "gap": In(1), "length": In(8),
            "valid": In(1), "dword": In(RxDword), "bist": In(BistState), "bist_errors": In(16),
        })

    def elaborate(self, platform):
        m = Module()
        status, state, clear = self.status, self.state, self.status.clear
        ready = state == PhyState.HR_Ready
        testing = self.bist == BistState.RUNNING
        m.d.comb += [
            status.state.eq(state),
            status.line_rate.eq(self.rate),
            status.rx_active.eq(self.rx_active),
            status.rx_locked.eq(self.rx_locked),
            status.rx_inverted.eq(self.rx_inverted),
            status.tx_inverted.eq(self.tx_inverted),
            status.bist.eq(self.bist),
            status.bist_errors.eq(self.bist_errors),
        ]

        # Where the PHY was, and is.
        before = Signal(PhyState, init=PhyState.HR_AwaitCOMINIT)
        m.d.sync += before.eq(state)
        fell_from_link = (before == PhyState.HR_Ready) & ~ready
        with m.If(clear | fell_from_link | (state > status.reached)):
            m.d.sync += status.reached.eq(state)
        with m.If(self.fell):
            m.d.sync += status.last_fall.eq(Mux(testing, Fall.BIST, self.fall))
        with m.If(state == PhyState.HR_AwaitNoCOMWAKE):
            m.d.sync += status.training.eq(0)
        with m.Elif(state.matches(PhyState.HR_AwaitAlign, PhyState.HR_SendAlign,
                                  PhyState.HR_SendSync) & ~status.training.all()):
            m.d.sync += status.training.eq(status.training + 1)
        changes = state != before
        for counter, event in (
                (status.comresets, changes & (state == PhyState.HR_Reset)),
                (status.cominits, changes & (state == PhyState.HR_AwaitNoCOMINIT)),
                (status.links, changes & ready),
                (status.lock_losses, self._falls(m, "locked", self.rx_locked)),
                (status.signal_losses, self._falls(m, "active", self.rx_active)),
                (status.code_errors, ready & self.valid & self.dword.code_error),
                (status.disparity_errors, ready & self.valid & self.dword.disparity_error
                 & ~self.dword.code_error)):
            count(m, counter, event, clear)

        # The drive's OOB signals, and the rate of errors.
        only_oob = (state < PhyState.HR_AwaitAlign) & ~testing
        m.submodules.bursts = bursts = OobMeter()
        m.submodules.gaps = gaps = OobMeter()
        m.submodules.errors = errors = ErrorMeter(self._recent)
        m.d.comb += [
            bursts.ended.eq(only_oob & self.burst),
            gaps.ended.eq(only_oob & self.gap),
            errors.valid.eq(self.valid & self.expected),
            errors.error.eq(self.dword.error),
            status.shortest_burst.eq(bursts.shortest), status.longest_burst.eq(bursts.longest),
            status.shortest_gap.eq(gaps.shortest), status.longest_gap.eq(gaps.longest),
            status.recent_errors.eq(errors.recent),
        ]
        m.d.comb += [part.clear.eq(clear) for part in (bursts, gaps, errors)]
        m.d.comb += [part.length.eq(self.length) for part in (bursts, gaps)]
        return m

    def _falls(self, m, name, level):
        """Whether ``level`` falls while dwords are expected, from the second clock of that on."""
        before = Signal(name=f"{name}_before")
        m.d.sync += before.eq(level & self.expected)
        return before & ~level & self.expected

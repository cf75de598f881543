"""The order in which the parts of the DCU come out of reset."""

from dataclasses import dataclass

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["ResetTimes", "Resets"]


@dataclass(frozen=True)
class ResetTimes:
    """Seconds. The defaults of ``pll`` and ``cdr`` are those of the reset logic that Lattice's own
    tool generates (rsl_core.v: 781250 clocks of 156 MHz, 460000 of 150 MHz)."""

    #: A reset lasts so long.
    reset: float = 10e-6
    #: A lock must have lasted so long.
    settle: float = 1e-6
    #: The transmitter's PLL may take so long to lock before it is reset once more.
    pll: float = 5e-3
    #: The receiver's clock recovery may take so long to lock after its reset before it is reset
    #: once more.
    cdr: float = 3e-3
    #: A lock that was lost may be away for so long before the receiver is reset: longer than it is
    #: held at its reference and released again, shorter than a drive sends ALIGN at one rate.
    relock: float = 30e-6

    def __post_init__(self):
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"{name} is {value}, it must be positive")


class Resets(wiring.Component):
    """Reset sequence of the DCU (Lattice FPGA-TN-02206, SERDES/PCS reset; rsl_core.v).

    The states have the names of that guide's reset state diagrams. Nothing leaves reset without a
    reference. Dual and macro first; then the transmitter's PLL locks; then the transmitter's PCS;
    then the register that holds the clock recovery is written; then the receiver's SERDES; then its
    clock recovery locks, to the reference while it is held; then the receiver's PCS. A lock that is
    lost puts what follows it back into reset; where the receiver's does not come back soon, its
    SERDES is reset, too: a signal of another rate may have pulled the recovery away. Domain
    ``sync``.

    Parameters
    ----------
    clock_hz : float        Frequency of ``sync``.
    times : ResetTimes      How long the steps last.

    Members
    -------
    referenced : In(1)      The reference runs. It is synchronous to ``sync``.
    tx_unlocked : In(1)     The transmitter's PLL is not locked. It is synchronous to ``sync``.
    rx_unlocked : In(1)     The receiver's clock recovery is not locked. It is synchronous to
                            ``sync``.
    held : In(1)            The register that holds the clock recovery was written.
    dual : Out(1)           Resets dual and macro.
    tx_serdes : Out(1)      Resets the transmitter's SERDES.
    tx_pcs : Out(1)         Resets the transmitter's PCS.
    rx_serdes : Out(1)      Resets the receiver's SERDES.
    rx_pcs : Out(1)         Resets the receiver's PCS.
    tx_ready : Out(1)       All of the transmitter is out of reset.
    rx_ready : Out(1)       All of the receiver is out of reset.
    """

    referenced: In(1)
    tx_unlocked: In(1)
    rx_unlocked: In(1)
    held: In(1)
    dual: Out(1, init=1)
    tx_serdes: Out(1, init=1)
    tx_pcs: Out(1, init=1)
    rx_serdes: Out(1, init=1)
    rx_pcs: Out(1, init=1)
    tx_ready: Out(1)
    rx_ready: Out(1)

    def __init__(self, clock_hz, times=ResetTimes()):
        self._clocks = {name: max(2, round(seconds * clock_hz))
                        for name, seconds in vars(times).items()}
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        clocks = self._clocks

        def lasted(name, unlocked):
            """Counters: since the state was entered (stops at the end), and of the lock."""
            since = Signal(range(max(clocks.values()) + 1), name=f"{name}_since")
            locked = Signal(range(clocks["settle"] + 1), name=f"{name}_lasted")
            m.d.sync += since.eq(since + 1)
            with m.If(unlocked):
                m.d.sync += locked.eq(0)
            with m.Elif(locked != clocks["settle"]):
                m.d.sync += locked.eq(locked + 1)
            return since, locked

        since, locked = lasted("tx", self.tx_unlocked)

        def unless_referenced():
            """Without its clock everything starts over; after everything else in a state."""
            with m.If(~self.referenced):
                m.d.sync += [self.dual.eq(1), self.tx_serdes.eq(1), self.tx_pcs.eq(1),
                             self.tx_ready.eq(0), since.eq(0)]
                m.next = "QUAD_RESET"

        with m.FSM(name="transmitter"):
            with m.State("QUAD_RESET"):
                with m.If(since == clocks["reset"]):
                    m.d.sync += [self.dual.eq(0), since.eq(0)]
                    m.next = "WAIT_FOR_TIMER1"
                unless_referenced()
            with m.State("WAIT_FOR_TIMER1"):
                with m.If(since == clocks["reset"]):
                    m.d.sync += [self.tx_serdes.eq(0), since.eq(0), locked.eq(0)]
                    m.next = "CHECK_PLOL"
                unless_referenced()
            with m.State("CHECK_PLOL"):
                with m.If(locked == clocks["settle"]):
                    m.d.sync += [self.tx_pcs.eq(0), since.eq(0)]
                    m.next = "WAIT_FOR_TIMER2"
                with m.Elif(since == clocks["pll"]):
                    m.d.sync += [self.tx_serdes.eq(1), since.eq(0)]
                    m.next = "WAIT_FOR_TIMER1"
                unless_referenced()
            with m.State("WAIT_FOR_TIMER2"):
                with m.If(since == clocks["reset"]):
                    m.d.sync += self.tx_ready.eq(1)
                    m.next = "NORMAL"
                unless_referenced()
            with m.State("NORMAL"):
                with m.If(self.tx_unlocked):
                    m.d.sync += [self.tx_ready.eq(0), self.tx_pcs.eq(1), since.eq(0)]
                    m.next = "CHECK_PLOL"
                unless_referenced()

        since, locked = lasted("rx", self.rx_unlocked)
        again = Signal()            # it was locked since its reset

        def unless_held():
            """Without its register the receiver has not begun; after everything else in a state."""
            with m.If(~self.held):
                m.d.sync += [self.rx_serdes.eq(1), self.rx_pcs.eq(1), self.rx_ready.eq(0),
                             again.eq(0)]
                m.next = "WAIT_FOR_PLOL"

        with m.FSM(name="receiver"):
            # The register is written once the transmitter's PLL is locked.
            with m.State("WAIT_FOR_PLOL"):
                with m.If(self.held):
                    m.d.sync += since.eq(0)
                    m.next = "RX_SERDES_RESET"
            with m.State("RX_SERDES_RESET"):
                with m.If(since == clocks["reset"]):
                    m.d.sync += [self.rx_serdes.eq(0), since.eq(0), locked.eq(0)]
                    m.next = "CHECK_LOL_LOS"
                unless_held()
            with m.State("CHECK_LOL_LOS"):
                with m.If(locked == clocks["settle"]):
                    m.d.sync += [self.rx_pcs.eq(0), self.rx_ready.eq(1), again.eq(1)]
                    m.next = "NORMAL"
                with m.Elif((since == clocks["cdr"]) | again & (since == clocks["relock"])):
                    m.d.sync += [self.rx_serdes.eq(1), since.eq(0), again.eq(0)]
                    m.next = "RX_SERDES_RESET"
                unless_held()
            with m.State("NORMAL"):
                with m.If(self.rx_unlocked):
                    m.d.sync += [self.rx_ready.eq(0), self.rx_pcs.eq(1), since.eq(0)]
                    m.next = "CHECK_LOL_LOS"
                unless_held()
        return m

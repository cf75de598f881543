"""The order in which the parts of a GTP or GTX come out of reset, and the restart of its receiver."""

from dataclasses import dataclass

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["NARROW", "RX_WIDTH", "DrpSignature", "ReceiverResets", "TransceiverResetTimes", "TransmitterResets"]

#: The register of the GTP's DRP with RX_DATA_WIDTH, and its bit that must be 0 while the PMA comes out of its reset
#: (Xilinx Answer Record 53561).
RX_WIDTH, NARROW = 0x011, 1 << 11


@dataclass(frozen=True)
class TransceiverResetTimes:
    """Seconds."""

    #: So long after configuration no reset may be raised (Xilinx Answer Record 43482: 500 ns).
    configured: float = 1e-6
    #: A reset lasts so long.
    reset: float = 1e-6
    #: A lock must have lasted so long.
    settle: float = 1e-6
    #: The transmitter may take so long from its reset on before it starts over; of that an MMCM takes up to 100 us
    #: (Xilinx DS181), and the PLL up to 1 ms, as remembered, not looked up.
    transmitter: float = 3e-3
    #: The receiver may take so long from its reset on before it starts over.
    receiver: float = 4e-3

    def __post_init__(self):
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"{name} is {value}, it must be positive")


def _clocks(times, clock_hz):
    return {name: max(2, round(seconds * clock_hz)) for name, seconds in vars(times).items()}


class TransmitterResets(wiring.Component):
    """Reset sequence of PLL and transmitter (UG482, UG476, TX initialization and reset; Answer Record 43482).

    After configuration nothing is raised for a while. Then PLL, transmitter and MMCM are in reset, as long as there
    is no reference. The PLL gets its power (a CPLL without a reference draws too much, Answer Records 59294 and
    69421), its reset ends, and it locks; then the transmitter's PMA runs, and with its clock the MMCM locks; then the
    transmitter is told that its clocks are stable, and reports that it is done. What takes too long, and a lock that
    is lost, starts everything over. Domain ``sync``.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``.
    times : TransceiverResetTimes
        How long the steps last.

    Members, all inputs synchronous to ``sync``
    -------
    referenced : In(1)      The reference runs.
    pll_locked : In(1)      The PLL is locked.
    clock_locked : In(1)    The MMCM of the word clock is locked; 1 where there is none.
    done : In(1)            TXRESETDONE.
    power_down : Out(1)     The PLL has no power.
    pll : Out(1)            Resets the PLL.
    transmitter : Out(1)    GTTXRESET.
    clock : Out(1)          Resets the MMCM of the word clock.
    stable : Out(1)         TXUSERRDY: the clocks of the words are stable.
    ready : Out(1)          All of the transmitter is out of reset.
    """

    referenced: In(1)
    pll_locked: In(1)
    clock_locked: In(1)
    done: In(1)
    power_down: Out(1, init=1)
    pll: Out(1)
    transmitter: Out(1)
    clock: Out(1, init=1)
    stable: Out(1)
    ready: Out(1)

    def __init__(self, clock_hz, times=TransceiverResetTimes()):
        self._clocks = _clocks(times, clock_hz)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        clocks = self._clocks
        since = Signal(range(clocks["transmitter"] + 1))
        settled = Signal(range(clocks["settle"] + 1))       # since what a state waits for is there
        waits = Signal()
        m.d.sync += since.eq(since + 1)
        with m.If(~waits):
            m.d.sync += settled.eq(0)
        with m.Elif(settled != clocks["settle"]):
            m.d.sync += settled.eq(settled + 1)
        over = settled == clocks["settle"]

        def start_over():
            m.d.sync += [self.power_down.eq(1), self.pll.eq(1), self.transmitter.eq(1), self.clock.eq(1),
                         self.stable.eq(0), self.ready.eq(0), since.eq(0), settled.eq(0)]
            m.next = "POWER"

        def unless(condition):
            """After everything else of a state."""
            with m.If(~condition | (since == clocks["transmitter"])):
                start_over()

        with m.FSM():
            with m.State("CONFIGURED"):
                with m.If(since == clocks["configured"]):
                    start_over()
            with m.State("POWER"):
                with m.If(~self.referenced):
                    m.d.sync += since.eq(0)
                with m.Elif(since == clocks["reset"]):
                    m.d.sync += [self.power_down.eq(0), since.eq(0)]
                    m.next = "RESET"
            with m.State("RESET"):
                with m.If(since == clocks["reset"]):
                    m.d.sync += [self.pll.eq(0), settled.eq(0)]
                    m.next = "LOCK"
                unless(self.referenced)
            with m.State("LOCK"):
                m.d.comb += waits.eq(self.pll_locked)
                with m.If(over):
                    m.d.sync += [self.transmitter.eq(0), settled.eq(0)]
                    m.next = "CLOCK"
                unless(self.referenced)
            with m.State("CLOCK"):                          # its clock has begun to run
                m.d.comb += waits.eq(1)
                with m.If(over):
                    m.d.sync += [self.clock.eq(0), settled.eq(0)]
                    m.next = "CLOCK_LOCK"
                unless(self.pll_locked)
            with m.State("CLOCK_LOCK"):
                m.d.comb += waits.eq(self.clock_locked)
                with m.If(over):
                    m.d.sync += self.stable.eq(1)
                    m.next = "DONE"
                unless(self.pll_locked)
            with m.State("DONE"):
                with m.If(self.done):
                    m.d.sync += self.ready.eq(1)
                    m.next = "READY"
                unless(self.pll_locked & self.clock_locked)
            with m.State("READY"):
                with m.If(~self.pll_locked | ~self.clock_locked | ~self.done):
                    start_over()
        return m


class DrpSignature(wiring.Signature):
    """The dynamic reconfiguration port of a channel, seen from its user; its clock is that of ``sync``.

    Members
    -------
    address : Out(9)        The access is to the register at this address.
    enable : Out(1)         For one clock: an access begins.
    write : Out(1)          With ``enable``, the register takes ``write_data``; else it is read.
    write_data : Out(16)    With ``write``, this is written.
    read_data : In(16)      With ``ready`` of a read access, this is in the register.
    ready : In(1)           For one clock: the access is done.
    """

    def __init__(self):
        super().__init__({"address": Out(9), "enable": Out(1), "write": Out(1), "write_data": Out(16),
                          "read_data": In(16), "ready": In(1)})


class ReceiverResets(wiring.Component):
    """Reset sequence of the receiver (UG482, UG476, RX initialization and reset; Answer Record 53561).

    A reset, and then the receiver reports that it is done. With ``narrow`` the register with RX_DATA_WIDTH is read in
    reset, and written back with one bit cleared; when the reset has ended and RXPMARESETDONE falls, the register gets
    back what it had. The reset takes the clock recovery back to its reference, so it is also its restart: RXCDRHOLD
    would only freeze it.

    Parameters
    ----------
    clock_hz : float
        Frequency of ``sync``.
    times : TransceiverResetTimes
        How long the steps last.
    narrow : bool
        The receiver is that of a GTP, whose RX_DATA_WIDTH has to change during its reset.

    Members, all inputs but ``drp`` synchronous to ``sync``
    -------
    enable : In(1)          The transmitter is ready, and with it the PLL.
    restart : In(1)         The receiver starts over; without effect while ``busy``.
    follow : In(1)          The clock recovery may follow the drive.
    pma_done : In(1)        With ``narrow``: RXPMARESETDONE.
    done : In(1)            RXRESETDONE.
    receiver : Out(1)       GTRXRESET.
    hold : Out(1)           RXCDRHOLD: high unless ``follow``, and during the whole sequence.
    stable : Out(1)         RXUSERRDY: the clocks of the words are as stable as they will be.
    busy : Out(1)           The receiver is in reset, or coming out of it.
    ready : Out(1)          All of the receiver is out of reset.
    drp : Out(DrpSignature) With ``narrow``: it leads to the registers of the channel.
    """

    def __init__(self, clock_hz, times=TransceiverResetTimes(), *, narrow):
        self._clocks = _clocks(times, clock_hz)
        self._narrow = narrow
        super().__init__({
            "enable": In(1), "restart": In(1), "follow": In(1), "done": In(1), "receiver": Out(1),
            "hold": Out(1, init=1), "stable": Out(1), "busy": Out(1, init=1), "ready": Out(1),
            "pma_done": In(1), "drp": Out(DrpSignature())})

    def elaborate(self, platform):
        m = Module()
        clocks = self._clocks
        since = Signal(range(clocks["receiver"] + 1))
        m.d.comb += self.ready.eq(~self.busy)
        m.d.sync += [since.eq(since + 1), self.hold.eq(self.busy | ~self.follow)]

        def start_over():
            m.d.sync += [self.receiver.eq(1), self.stable.eq(0), self.busy.eq(1), self.hold.eq(1), since.eq(0)]
            m.next = "RESET"

        def unless_late():
            """After everything else of a state. What was written is restored by the next turn."""
            with m.If(~self.enable | (since == clocks["receiver"])):
                start_over()

        def release():
            m.d.sync += [self.receiver.eq(0), self.stable.eq(1)]

        access = self._drp_access(m) if self._narrow else None
        with m.FSM():
            with m.State("OFF"):
                with m.If(self.enable):
                    start_over()
            with m.State("RESET"):
                with m.If(~self.enable):
                    m.d.sync += since.eq(0)
                with m.Elif(since == clocks["reset"]):
                    if self._narrow:
                        access()
                        m.next = "READ"
                    else:
                        release()
                        m.next = "DONE"
            if self._narrow:
                self._narrowed(m, access, release, unless_late)
            with m.State("DONE"):
                with m.If(self.done):
                    m.d.sync += self.busy.eq(0)
                    m.next = "READY"
                unless_late()
            with m.State("READY"):
                with m.If(self.restart | ~self.enable | ~self.done):
                    start_over()
        return m

    def _drp_access(self, m):
        """Begins an access to the register with RX_DATA_WIDTH, to write a value if there is one."""
        drp = self.drp
        m.d.comb += drp.address.eq(RX_WIDTH)
        m.d.sync += [drp.enable.eq(0), drp.write.eq(0)]

        def access(value=None):
            m.d.sync += [drp.enable.eq(1), drp.write.eq(value is not None)]
            if value is not None:
                m.d.sync += drp.write_data.eq(value)
        return access

    def _narrowed(self, m, access, release, unless_late):
        """The states in which the GTP's RX_DATA_WIDTH is another one."""
        drp = self.drp
        original = Signal(16)
        known = Signal()            # `original` is what the attribute has
        before = Signal()
        m.d.sync += before.eq(self.pma_done)
        with m.State("READ"):
            with m.If(drp.ready):
                # A turn that was given up may have left the bit cleared.
                with m.If(~known):
                    m.d.sync += original.eq(drp.read_data)
                m.d.sync += known.eq(1)
                access(drp.read_data & (0xFFFF ^ NARROW))
                m.next = "NARROW"
            unless_late()
        with m.State("NARROW"):
            with m.If(drp.ready):
                release()
                m.next = "PMA"
            unless_late()
        with m.State("PMA"):
            with m.If(before & ~self.pma_done):
                access(original)
                m.next = "RESTORE"
            unless_late()
        with m.State("RESTORE"):
            with m.If(drp.ready):
                m.next = "DONE"
            unless_late()

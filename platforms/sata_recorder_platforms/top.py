"""The top level of a board: clocks, SERDES, PHY and the console recorder."""

from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Module, Signal
from amaranth.lib import io
from amaranth.lib.cdc import ResetSynchronizer
from amaranth.lib.wiring import connect

from .console_recorder import ConsoleRecorder
from .console_recorder.core_check import check_core
from .console_recorder.uart import LEAST_DIVISOR

#: Default frequency of the core, above the 75 MHz that a Gen2 line needs: so answers leave earlier.
CORE_HZ = 100e6
#: Frequency of the resource ``clk100``.
_OSCILLATOR_HZ = 100e6


def check(board, configuration, baud):
    """``ValueError`` for a configuration that the top level of ``board`` cannot have."""
    clock_hz = configuration.clock_hz
    if configuration.drives > 1:
        raise ValueError(f"drives is {configuration.drives}, and a board has one PHY")
    board.phy.check(clock_hz)
    board.flow.check_pll(_OSCILLATOR_HZ, clock_hz)
    if not 0 < baud <= clock_hz / LEAST_DIVISOR:
        raise ValueError(f"baud is {baud}, it must be positive and at most clock_hz / "
                         f"{LEAST_DIVISOR}, which is {clock_hz / LEAST_DIVISOR:.0f}")
    check_core(configuration, baud)


class Top(Elaboratable):
    """Everything that goes into the device.

    A PLL makes the clock of the core, and the PHY has one of its own for the reference of the
    SERDES. The core's reset ends when its PLL has locked; a reset button of the board resets
    everything.

    Parameters: a :class:`.board.Board`, the core's configuration and the console's baud rate, as :func:`check`
    has them. Members: ``clocks``, net of each clock that must be constrained, to Hz; ``derived``, the same of
    clocks whose constraint follows from that of the oscillator; ``crossings``, pairs of ``clocks`` between
    which there are paths: from, to.
    """

    def __init__(self, board, configuration, *, baud=115200):
        check(board, configuration, baud)
        self._board = board
        self._clock_hz = clock_hz = configuration.clock_hz
        self._pll = board.flow.pll(_OSCILLATOR_HZ, clock_hz)
        self._recorder = ConsoleRecorder(configuration, baud=baud, phy_status=True)
        words = board.phy.clocks("phy")
        self.clocks = {"core_clk": clock_hz, **words}
        self.derived = board.phy.derived("phy")
        self.crossings = [pair for word in words
                          for pair in (("core_clk", word), (word, "core_clk"))]

    def elaborate(self, platform):
        m = Module()
        board, clock_hz = self._board, self._clock_hz

        m.submodules.oscillator = oscillator = io.Buffer("i", platform.request("clk100", dir="-"))
        m.submodules.button = button = io.Buffer("i", platform.request("rst", dir="-"))
        m.submodules.pll = pll = self._pll
        core_clk = Signal(attrs={"keep": 1})
        m.domains.sync = ClockDomain()
        m.d.comb += [
            pll.input.eq(oscillator.i),
            core_clk.eq(pll.outputs[0]),
            ClockSignal().eq(core_clk),
        ]
        m.submodules.reset = ResetSynchronizer(~pll.locked | button.i)
        platform.add_clock_constraint(core_clk, clock_hz)

        pins = platform.request("sata", 0, dir={"tx": "-", "rx": "-"})
        m.submodules.phy = phy = board.phy.phy(clock_hz, {
            "sata_tx_p": pins.tx.p, "sata_tx_n": pins.tx.n,
            "sata_rx_p": pins.rx.p, "sata_rx_n": pins.rx.n})
        m.submodules.console_recorder = recorder = self._recorder
        m.d.comb += phy.reference_clk.eq(oscillator.i)
        connect(m, recorder.phy, phy.port)
        connect(m, recorder.phy_status, phy.status)

        uart = platform.request("uart", 0, dir={"rx": "-", "tx": "-"})
        m.submodules.uart_rx = rx = io.Buffer("i", uart.rx)
        m.submodules.uart_tx = tx = io.Buffer("o", uart.tx)
        m.d.comb += [recorder.uart_rx.eq(rx.i), tx.o.eq(recorder.uart_tx)]

        states = (recorder.link, recorder.activity, recorder.error, phy.transmitting,
                  phy.receiving)
        for number, (state, port) in enumerate(zip(states, board.leds(platform), strict=True)):
            m.submodules[f"led_{number}"] = led = io.Buffer("o", port)
            m.d.comb += led.o.eq(state)
        return m

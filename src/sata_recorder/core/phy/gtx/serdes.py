# amaranth: UnusedElaboratable=no
"""The GTX of the 7-series as a back end of the PHY."""

from amaranth.hdl import Cat, ClockDomain, Const, Module, Signal
from amaranth.lib.wiring import In

from ..series7.serdes import Series7Serdes, raw
from .attributes import channel_attributes
from .channel import CONSTANTS

__all__ = ["GtxSerdes", "raw_word_domains"]

#: The inputs of the CPLL to which a reference may lead, by what selects them (CPLLREFCLKSEL).
_INPUTS = {0b001: "GTREFCLK0", 0b111: "GTGREFCLK"}
_UNUSED = "GTREFCLK1", "GTNORTHREFCLK0", "GTNORTHREFCLK1", "GTSOUTHREFCLK0", "GTSOUTHREFCLK1"


def raw_word_domains():
    """The clock domains of :class:`GtxSerdes`, which drives them, for the module that contains back end and PHY."""
    return [ClockDomain(name, async_reset=True) for name in ("tx", "rx")]


class GtxSerdes(Series7Serdes):
    """A :class:`.Series7Serdes` with a GTXE2_CHANNEL and its own PLL.

    With TX_INT_DATAWIDTH and RX_INT_DATAWIDTH = 1 the cell's own datapath has 40 bits, so TXUSRCLK and TXUSRCLK2 are
    one clock, TXOUTCLK through a global buffer, and so are RXUSRCLK, RXUSRCLK2 and RXOUTCLK. They are the clocks of the
    domains of :func:`raw_word_domains`, which it drives. Latency: besides the cell's own 1 word each way.

    Parameters and members: as there, and

    selected : int
        The input of the PLL that ``reference`` leads to, as CPLLREFCLKSEL has it.
    reference : In(1)
        The clock that the PLL multiplies.
    oob_clock : In(1)
        Half the reference, for the circuit that recognises OOB signals. It has an effect only where the reference
        itself is too fast for that.
    """

    def __init__(self, clock_hz, back_end, tx, rx, selected, **options):
        self._selected = selected
        super().__init__(clock_hz, back_end, tx, rx, {"reference": In(1), "oob_clock": In(1)}, **options)

    def elaborate(self, platform):
        m = Module()
        outclks = {way: Signal(name=f"{way}_outclk") for way in ("tx", "rx")}
        clocks = {way: Signal(name=f"{way}_usrclk") for way in ("tx", "rx")}
        for way, outclk in outclks.items():
            m.submodules[f"{way}_buffer"] = self._cell("BUFG", i_I=outclk, o_O=clocks[way])
        nets = self._clock_nets(m, clocks)
        locked = Signal(name="cplllock")
        parts = self._parts(m, pll_locked=locked, clock_locked=Const(1))
        m.submodules.channel = self._cell(
            "GTXE2_CHANNEL",
            **{f"p_{name}": value for name, value in channel_attributes(
                self._back_end.generation, self._back_end.pll_reference_hz, self._selected).items()},
            **{f"i_{name}": value for name, value in CONSTANTS.items()},
            **{f"i_{name}": Const(0) for name in (*_UNUSED, *_INPUTS.values()) if name != _INPUTS[self._selected]},
            **{f"i_{_INPUTS[self._selected]}": self.reference}, i_CPLLREFCLKSEL=Const(self._selected, 3),
            i_CPLLPD=parts.resets.power_down, i_CPLLRESET=parts.resets.pll, o_CPLLLOCK=locked,
            i_CLKRSVD=Cat(self.oob_clock, Const(0, 3)),
            o_GTXTXP=self._tx.p, o_GTXTXN=self._tx.n, i_GTXRXP=self._rx.p, i_GTXRXN=self._rx.n,
            o_TXOUTCLK=outclks["tx"], i_TXUSRCLK=nets["tx"], i_TXUSRCLK2=nets["tx"],
            o_RXOUTCLK=outclks["rx"], i_RXUSRCLK=nets["rx"], i_RXUSRCLK2=nets["rx"],
            **parts.links, **self._outgoing(m, 8), **self._received(m))
        return m

    def _received(self, m):
        """The word from the drive, through a register next to the cell. Returns what the cell gets."""
        links, (data, *others) = self._incoming(8)
        m.d.rx += self.port.rx_data.eq(raw(data, *(one[:4] for one in others)))
        return links

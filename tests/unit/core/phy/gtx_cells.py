"""A stand-in for the GTX of the 7-series and the cells around it: see :mod:`.series7_cells`."""

from amaranth.hdl import Module

from unit.core.phy.series7_cells import NS, Series7Cells, links_of, number

__all__ = ["GtxCells"]


class GtxCells(Series7Cells):
    channel, pll_reset = "GTXE2_CHANNEL", "CPLLRESET"
    required = {
        "RX_DATA_WIDTH": (40, "not four characters a word"),
        "TX_INT_DATAWIDTH": (1, "TXUSRCLK would need another frequency than TXUSRCLK2"),
        "RX_INT_DATAWIDTH": (1, "RXUSRCLK would need another frequency than RXUSRCLK2"),
        "SATA_CPLL_CFG": ("VCO_3000MHZ", "bursts of a wrong length"),
    }
    required_ports = {"CPLLLOCKEN": (1, "the PLL never reports its lock"), "RXLPMEN": (1, "another equaliser")}
    to_cells = {"TXDATA": 64, "TXCHARDISPVAL": 8, "TXCHARDISPMODE": 8, "TXELECIDLE": 1, "TXCOMINIT": 1, "TXCOMWAKE": 1,
                "GTTXRESET": 1, "TXUSERRDY": 1, "GTRXRESET": 1, "RXUSERRDY": 1, "RXCDRHOLD": 1, "CPLLPD": 1,
                "CPLLRESET": 1}
    from_cells = {"RXDATA": 64, "RXCHARISK": 8, "RXDISPERR": 8, "TXRESETDONE": 1, "RXRESETDONE": 1, "TXCOMFINISH": 1,
                  "RXCOMINITDET": 1, "RXCOMWAKEDET": 1, "CPLLLOCK": 1}
    #: Each lane has a PLL of its own.
    shared = ()

    def __init__(self, *arguments, **options):
        self._power_since = None
        super().__init__(*arguments, **options)

    @staticmethod
    def of_lane(kind, links):
        """Whether there is one of this cell in each lane, and the others are not counted."""
        return kind == "GTXE2_CHANNEL"

    @staticmethod
    def connected(component, kind, links):
        """The stand-in as gateware: what a cell is connected to leads to the ports of ``component``."""
        m = Module()
        if kind == "GTXE2_CHANNEL":
            m.d.comb += [getattr(component, name).eq(links[f"i_{name}"]) for name in GtxCells.to_cells]
            m.d.comb += [links[f"o_{name}"].eq(getattr(component, name)) for name in GtxCells.from_cells]
            m.d.comb += [links["o_TXOUTCLK"].eq(component.tx_clk), links["o_RXOUTCLK"].eq(component.rx_clk)]
        elif kind == "BUFG":
            m.d.comb += links["o_O"].eq(links["i_I"])
        elif kind == "IBUFDS_GTE2":
            m.d.comb += [links[name].eq(links["i_I"]) for name in ("o_O", "o_ODIV2") if name in links]
        elif kind == "MMCME2_BASE":
            m.d.comb += [links["o_LOCKED"].eq(1)]
            m.d.comb += [links[name].eq(links["i_CLKIN1"]) for name in ("o_CLKOUT0", "o_CLKOUT1") if name in links]
        else:
            raise ValueError(kind)
        return m

    def _vco(self, made, reference_hz):
        channel = links_of(made, "GTXE2_CHANNEL")
        port = {0b001: "GTREFCLK0", 0b111: "GTGREFCLK"}.get(number(channel["i_CPLLREFCLKSEL"]))
        if port is None or isinstance(number(channel[f"i_{port}"]), int):
            self.complain("the PLL has no reference")
        if number(channel["p_SIM_CPLLREFCLK_SEL"]) != number(channel["i_CPLLREFCLKSEL"]):
            self.complain("the vendor's simulation has another reference")
        # The OOB circuit runs with the reference, or with CLKRSVD[0], half of it.
        told = number(channel["p_PCS_RSVD_ATTR"])
        if not told & 1 << 8:
            self.complain("PCS_RSVD_ATTR: the OOB circuit has no power")
        if (reference_hz / 2 if told & 1 << 3 else reference_hz) > 100e6 * (1 << self._generation - 1):
            self.complain("PCS_RSVD_ATTR: the clock of the OOB circuit is too fast")
        vco = reference_hz * channel["p_CPLL_FBDIV"] * channel["p_CPLL_FBDIV_45"] / channel["p_CPLL_REFCLK_DIV"]
        if not 1.6e9 <= vco <= 3.3e9:
            self.complain(f"the CPLL runs at {vco / 1e9:g} GHz")
        return vco

    def sync(self, now):
        super().sync(now)
        self._set(CPLLLOCK=self.pll_locked)

    def _powered(self, now):
        """Its reset has to last from before it gets its power until some time after that."""
        get = self._get
        if get("CPLLPD"):
            self._power_since = None
        elif self._power_since is None:
            self._power_since = now
            if now < 500 * NS:
                self.complain("the PLL has power before its reference is known to run")
            if not get("CPLLRESET"):
                self.complain("the PLL gets power while it is not in reset")
        elif not get("CPLLRESET") and self._pll is not None and self._pll - self._power_since < 500 * NS:
            self.complain("the reset of the PLL ends too early after it got power")
        return self._power_since is not None

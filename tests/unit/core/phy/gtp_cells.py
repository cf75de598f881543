"""A stand-in for the GTP of the 7-series and the cells around it: see :mod:`.series7_cells`."""

from amaranth.hdl import Module

from unit.core.phy.series7_cells import NS, Series7Cells, links_of, number

__all__ = ["GtpCells"]

_RX_WIDTH, _NARROW = 0x011, 1 << 11


class GtpCells(Series7Cells):
    channel, pll_reset = "GTPE2_CHANNEL", "PLL0RESET"
    required = {
        "RX_DATA_WIDTH": (20, "not two characters a word"),
        "PCS_RSVD_ATTR": (1 << 8, "the OOB circuit has no power"),
        "SATA_PLL_CFG": ("VCO_3000MHZ", "bursts of a wrong length"),
        "RXOOB_CLK_CFG": ("PMA", "the OOB circuit has no clock"),
    }
    to_cells = {"TXDATA": 32, "TXCHARDISPVAL": 4, "TXCHARDISPMODE": 4, "TXELECIDLE": 1, "TXCOMINIT": 1, "TXCOMWAKE": 1,
                "GTTXRESET": 1, "TXUSERRDY": 1, "GTRXRESET": 1, "RXUSERRDY": 1, "RXCDRHOLD": 1,
                "DRPADDR": 9, "DRPEN": 1, "DRPWE": 1, "DRPDI": 16, "PLL0RESET": 1, "RST": 1, "CE": 1}
    from_cells = {"RXDATA": 32, "RXCHARISK": 4, "RXDISPERR": 4, "TXRESETDONE": 1, "RXRESETDONE": 1, "RXPMARESETDONE": 1,
                  "DRPDO": 16, "DRPRDY": 1, "TXCOMFINISH": 1, "RXCOMINITDET": 1, "RXCOMWAKEDET": 1, "PLL0LOCK": 1,
                  "LOCKED": 1}
    clocks = ("sync", "tx", "rx", "rxusr")
    after_pma = "restore"
    #: Ports and cells of the PLL, which all lanes have in common.
    shared = ("PLL0RESET", "PLL0LOCK", "GTPE2_COMMON")

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._registers = {_RX_WIDTH: 0x1A35}
        self._access = None                 # (clocks left, written)
        self._mmcm, self._broken = None, False
        self._rx.extend([0] * self._times.rx_words)     # words of 20 bits

    @staticmethod
    def of_lane(kind, links):
        """Whether there is one of this cell in each lane, and the others are not counted."""
        return kind in ("GTPE2_CHANNEL", "BUFGCE") or "o_CLKOUT1" in links

    @staticmethod
    def connected(component, kind, links):
        """The stand-in as gateware: what a cell is connected to leads to the ports of ``component``."""
        m = Module()

        def to(name, port=None):
            m.d.comb += getattr(component, port or name).eq(links[f"i_{name}"])

        def back(name, value):
            m.d.comb += links[f"o_{name}"].eq(value)

        if kind == "GTPE2_CHANNEL":
            for name in GtpCells.to_cells:
                if f"i_{name}" in links:
                    to(name)
            for name in GtpCells.from_cells:
                if f"o_{name}" in links:
                    back(name, getattr(component, name))
            back("RXOUTCLK", component.rxusr_clk)
        elif kind == "GTPE2_COMMON":
            to("PLL0RESET")
            back("PLL0LOCK", component.PLL0LOCK)
        elif kind == "MMCME2_BASE" and "o_CLKOUT1" in links:
            to("RST")
            back("LOCKED", component.LOCKED)
            back("CLKOUT1", component.tx_clk)
        elif kind == "MMCME2_BASE":
            back("LOCKED", 1)
            back("CLKOUT0", links["i_CLKIN1"])
        elif kind == "BUFGCE":
            to("CE")
            back("O", component.rx_clk)
        elif kind == "BUFG":
            back("O", links["i_I"])
        elif kind == "IBUFDS_GTE2":
            back("O", links["i_I"])
        else:
            raise ValueError(kind)
        return m

    def _vco(self, made, reference_hz):
        common = links_of(made, "GTPE2_COMMON")
        if number(common["i_PLL0REFCLKSEL"]) not in (0b001, 0b111) or number(common["i_PLL0PD"]):
            self.complain("the PLL has no reference, or no power")
        return reference_hz * common["p_PLL0_FBDIV"] * common["p_PLL0_FBDIV_45"] / common["p_PLL0_REFCLK_DIV"]

    def sync(self, now):
        self._drp(now)
        super().sync(now)
        self._set(PLL0LOCK=self.pll_locked, LOCKED=self.clock_locked)

    def _words_clocked(self, now, there):
        """An MMCM makes them."""
        if self._get("RST"):
            self._mmcm, self._broken = None, False
        elif not there:
            self._broken = True
            self.complain("the MMCM is not in reset while its clock is away")
        elif self._mmcm is None:
            self._mmcm = now
        return bool(there and not self._broken and self._mmcm is not None
                    and now - self._mmcm > self._times.mmcm_lock * NS)

    def stop_clock(self):
        """The MMCM of the word clock has lost its lock; only its reset brings it back."""
        self._broken = True

    def _receiver(self, now):
        narrow = not self._registers[_RX_WIDTH] & _NARROW
        before = self._phase
        super()._receiver(now)
        if before == "reset" and self._phase == "pma" and not narrow:
            self.complain("the receiver's reset ends with RX_DATA_WIDTH as it was")
        elif before == self._phase == "pma" and not narrow:
            self.complain("RX_DATA_WIDTH is restored before RXPMARESETDONE falls")
        elif before == self._phase == "restore" and not narrow:
            self._enter("finish", now)
        lasted = now - self._phase_since
        self._set(RXPMARESETDONE=self._phase == "pma" and lasted > self._times.pma * NS / 2
                  or self._phase in ("finish", "up"))

    def _drp(self, now):
        get = self._get
        if self._access is not None:
            self._access -= 1
            if get("DRPEN"):
                self.complain("an access begins before the last one has ended")
        elif get("DRPEN"):
            self._access = 5
            if get("DRPADDR") != _RX_WIDTH:
                self.complain(f"an access to register {get('DRPADDR'):03X}h")
            elif get("DRPWE"):
                if (get("DRPDI") ^ self._registers[_RX_WIDTH]) & ~_NARROW:
                    self.complain("other bits than that of RX_DATA_WIDTH are changed")
                self._registers[_RX_WIDTH] = get("DRPDI")
        ready = self._access == 0
        self._set(DRPRDY=ready, DRPDO=self._registers[_RX_WIDTH] if ready else 0)
        if ready:
            self._access = None

    def _received(self, word):
        """A word of 20 bits, and every second pulse of the clock for those of 40."""
        self._rx.append(word)
        self._show(self._rx.popleft(), 2)
        return 8 | 4 * self._get("CE")

"""A stand-in for the GTP of the 7-series and the cells around it: ports, attributes, and a judge of how they are used.

It knows what the vendor's documents state and what others' designs do: a transmitter, a receiver and clocks that work
under their conditions only. `complaints` has a line for each violation. Times are in fs.
"""

from collections import deque
from dataclasses import dataclass

from amaranth.hdl import Const, Module

from sata_drive_model.phy.line import FS

__all__ = ["FROM_CELLS", "GtpCells", "CellTimes", "REQUIRED", "TO_CELLS", "links_of"]

NS = FS // 10**9
#: What the gateware gives to the cells, and what they give to it: name to bits.
TO_CELLS = {"TXDATA": 32, "TXCHARDISPVAL": 4, "TXCHARDISPMODE": 4, "TXELECIDLE": 1, "TXCOMINIT": 1, "TXCOMWAKE": 1,
            "GTTXRESET": 1, "TXUSERRDY": 1, "GTRXRESET": 1, "RXUSERRDY": 1, "RXCDRHOLD": 1,
            "DRPADDR": 9, "DRPEN": 1, "DRPWE": 1, "DRPDI": 16, "PLL0RESET": 1, "RST": 1, "CE": 1}
FROM_CELLS = {"RXDATA": 32, "RXCHARISK": 4, "RXDISPERR": 4, "TXRESETDONE": 1, "RXRESETDONE": 1, "RXPMARESETDONE": 1,
              "DRPDO": 16, "DRPRDY": 1, "TXCOMFINISH": 1, "RXCOMINITDET": 1, "RXCOMWAKEDET": 1, "PLL0LOCK": 1,
              "LOCKED": 1}

#: Attributes of the channel without which it does not do what this project wants, and what happens.
REQUIRED = {
    "RX_DATA_WIDTH": (20, "not two characters a word"), "TX_DATA_WIDTH": (40, "not four characters a word"),
    "RXBUF_EN": ("TRUE", "the receiver's clock would have to be aligned"),
    "RX_XCLK_SEL": ("RXREC", "the receive buffer is written with another clock"),
    "TXBUF_EN": ("TRUE", "the transmitter's clock would have to be aligned"),
    "TX_XCLK_SEL": ("TXOUT", "the transmit buffer is read with another clock"),
    "CLK_CORRECT_USE": ("FALSE", "characters are dropped and inserted"),
    "PCS_PCIE_EN": ("FALSE", "PCI Express"), "RXGEARBOX_EN": ("FALSE", "gearbox"), "TXGEARBOX_EN": ("FALSE", "gearbox"),
    "CHAN_BOND_SEQ_2_USE": ("FALSE", "channel bonding"), "RXSLIDE_MODE": ("OFF", "the words are shifted"),
    "RXBUF_RESET_ON_EIDLE": ("FALSE", "silence resets the receive buffer"),
    "RXBUF_RESET_ON_COMMAALIGN": ("FALSE", "a comma resets the receive buffer"),
    "RXCDR_HOLD_DURING_EIDLE": (0, "a signal detector that is wrong holds the recovery"),
    "RXCDR_FR_RESET_ON_EIDLE": (0, "a signal detector that is wrong resets the recovery"),
    "RXCDR_PH_RESET_ON_EIDLE": (0, "a signal detector that is wrong resets the recovery"),
    "PCS_RSVD_ATTR": (1 << 8, "the OOB circuit has no power"),
    "SATA_PLL_CFG": ("VCO_3000MHZ", "bursts of a wrong length"),
    "SATA_BURST_SEQ_LEN": (5, "not the number of bursts with which boards linked"),
    "RXOOB_CLK_CFG": ("PMA", "the OOB circuit has no clock"),
}
#: Inputs that do not change: the same.
REQUIRED_PORTS = {
    "RX8B10BEN": (0, "characters are decoded before the PHY sees them"),
    "TX8B10BEN": (0, "characters are encoded twice"), "RXCOMMADETEN": (0, "the cell's aligner moves the words"),
    "RXMCOMMAALIGNEN": (0, "the cell's aligner moves the words"), "RXPCOMMAALIGNEN": (0, "the same"),
    "RXPD": (0, "no power"), "TXPD": (0, "no power"), "LOOPBACK": (0, "a loop-back"), "RXDDIEN": (0, "buffer bypass"),
    "RXDLYBYPASS": (1, "the phase alignment acts"), "TXDLYBYPASS": (1, "the phase alignment acts"),
    "TXPHDLYPD": (0, "-"), "RXOUTCLKSEL": (2, "RXOUTCLK is not the recovered clock"),
    "TXOUTCLKSEL": (2, "TXOUTCLK is not that of words of 20 bits"), "RXELECIDLEMODE": (0, "no OOB circuit"),
    "TXPDELECIDLEMODE": (0, "electrical idle is not timed with the words"), "TXINHIBIT": (0, "no output"),
    "RXSYSCLKSEL": (0, "the second PLL"), "TXSYSCLKSEL": (0, "the second PLL"), "RXRATE": (0, "another rate"),
    "TXRATE": (0, "another rate"), "TXCOMSAS": (0, "COMSAS"),
}
_RX_WIDTH, _NARROW = 0x011, 1 << 11
#: Bursts of COMRESET and COMWAKE, in dwords of Gen1, and the gap that follows each.
_BURST, _GAPS = 4, {"TXCOMINIT": 12, "TXCOMWAKE": 4}


@dataclass(frozen=True)
class CellTimes:
    """In ns: how long the steps of the cells' resets take, of which no document is known; ``unmute``: from the end of
    electrical idle to the first bit. ``tx_words``, ``rx_words``: delay of the cell, in words of 40 and of 20 bits."""

    pll_lock: int = 2000
    clock: int = 200
    mmcm_lock: int = 3000
    tx_done: int = 500
    pma: int = 400
    rx_done: int = 1000
    unmute: int = 100
    tx_words: int = 5
    rx_words: int = 16


def _number(value):
    return value.value if isinstance(value, Const) else value


def links_of(made, kind):
    """The links of the only cell of a kind."""
    (found,) = [links for one, links in made if one == kind]
    return found


def connected(component, kind, links):
    """The stand-in as gateware: what a cell is connected to leads to the ports of ``component``."""
    m = Module()

    def to(name, port=None):
        m.d.comb += getattr(component, port or name).eq(links[f"i_{name}"])

    def back(name, value):
        m.d.comb += links[f"o_{name}"].eq(value)

    if kind == "GTPE2_CHANNEL":
        for name in TO_CELLS:
            if f"i_{name}" in links:
                to(name)
        for name in FROM_CELLS:
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


class GtpCells:
    """How the cells behave. ``get`` and ``set`` reach the ports of :func:`connected`; ``made``: (kind, links) of all
    cells; ``reference_hz``: what the PLL gets; ``line``: with ``send``, ``enable`` and ``restart`` of a
    :class:`sata_drive_model.phy.line.Line`. ``complaints``; ``comresets``: when they began; ``restarts``: of the
    receiver; ``pll_resets``: how many.
    """

    def __init__(self, get, set_, made, generation, reference_hz, line, *, times=CellTimes()):
        self._get, self._set = get, set_
        self._generation, self._line, self._times = generation, line, times
        self.complaints, self.comresets, self.restarts = [], [], []
        channel, common = links_of(made, "GTPE2_CHANNEL"), links_of(made, "GTPE2_COMMON")
        self._check(channel, common, reference_hz)
        values = {name[2:]: _number(value) for name, value in channel.items() if name[:2] == "p_"}
        half = FS * values["RX_CLK25_DIV"] // round(reference_hz) // 2
        self._windows = {name: (half * values[f"SATA_MIN_{name}"], half * values[f"SATA_MAX_{name}"])
                         for name in ("BURST", "INIT", "WAKE")}
        self._bursts = values["SATA_BURST_SEQ_LEN"] + 1
        self._needed = values["SATA_BURST_VAL"]
        self._registers = {_RX_WIDTH: 0x1A35}
        self._access = None                 # (clocks left, written)
        self._pll = self._tx_done = self._outclk = self._mmcm = None        # since when
        self._reset_once = self._broken = False
        self._before, self.pll_resets = 0, 0        # the clock before
        self.pll_locked = self.clock_locked = False
        self._phase, self._phase_since = "off", 0
        self._words, self._finish, self._com = deque(), False, None
        self._tx = deque([(0, True)] * times.tx_words)
        self._rx = deque([0] * times.rx_words)
        self._idle_until = 0
        self._active, self._edge = False, 0
        self._counts = {"INIT": 0, "WAKE": 0}
        self._crawl = 0

    # What never changes ---------------------------------------------------------------------------

    def _check(self, channel, common, reference_hz):
        for required, prefix in (REQUIRED, "p_"), (REQUIRED_PORTS, "i_"):
            for name, (value, what) in required.items():
                told = _number(channel.get(prefix + name))
                if told != value:
                    self.complain(f"{name} is {told}: {what}")
        vco = reference_hz * common["p_PLL0_FBDIV"] * common["p_PLL0_FBDIV_45"] / common["p_PLL0_REFCLK_DIV"]
        for way in "TX", "RX":
            rate = 2 * vco / channel[f"p_{way}OUT_DIV"]
            if rate != 1.5e9 * (1 << self._generation - 1):
                self.complain(f"{way}: {rate / 1e9:g} Gb/s")
        clock = reference_hz / channel["p_RX_CLK25_DIV"]
        if not 20e6 <= clock <= 30e6:
            self.complain(f"RX_CLK25_DIV: OOB signals are measured with {clock / 1e6:g} MHz")
        if _number(common["i_PLL0REFCLKSEL"]) not in (0b001, 0b111) or _number(common["i_PLL0PD"]):
            self.complain("the PLL has no reference, or no power")

    def complain(self, text):
        if text not in self.complaints:
            self.complaints.append(text)

    # With each clock of `sync` --------------------------------------------------------------------

    def sync(self, now):
        get, times = self._get, self._times
        if now < 500 * NS and (get("GTTXRESET") or get("GTRXRESET") or get("PLL0RESET")):
            self.complain("a reset within 500 ns of the configuration")
        self._drp(now)
        if get("PLL0RESET"):
            self.pll_resets += self._pll != self._before
            self._pll, self._reset_once = now, True
        self._before = now
        self.pll_locked = self._reset_once and now - self._pll > times.pll_lock * NS

        # The transmitter: its clock runs, the MMCM locks, it is done.
        running = self.pll_locked and not get("GTTXRESET")
        if not running:
            self._outclk = None
        elif self._outclk is None:
            self._outclk = now
        there = running and now - self._outclk > times.clock * NS
        if get("RST"):
            self._mmcm, self._broken = None, False
        elif not there:
            self._broken = True
            self.complain("the MMCM is not in reset while its clock is away")
        elif self._mmcm is None:
            self._mmcm = now
        self.clock_locked = bool(there and not self._broken and self._mmcm is not None
                                 and now - self._mmcm > times.mmcm_lock * NS)
        if get("TXUSERRDY") and not self.clock_locked:
            self.complain("TXUSERRDY before the clocks are stable")
        if not (get("TXUSERRDY") and self.clock_locked):
            self._tx_done = None
        elif self._tx_done is None:
            self._tx_done = now
        self.transmits = self._tx_done is not None and now - self._tx_done > times.tx_done * NS
        self._receiver(now)
        self._set(PLL0LOCK=self.pll_locked, LOCKED=self.clock_locked, TXRESETDONE=self.transmits)

    def lose_lock(self, now):
        """The PLL has lost its lock, and finds it again."""
        self._pll = now

    def stop_clock(self):
        """The MMCM of the word clock has lost its lock; only its reset brings it back."""
        self._broken = True

    def _enter(self, phase, now):
        self._phase, self._phase_since = phase, now

    @property
    def receives(self):
        return self._phase == "up"

    def _receiver(self, now):
        get, times = self._get, self._times
        since = now - self._phase_since
        narrow = not self._registers[_RX_WIDTH] & _NARROW
        if get("GTRXRESET"):
            if self._phase != "reset":
                self._enter("reset", now)
                self.restarts.append(now)
                self._line.restart()
        elif self._phase == "reset":
            if not self.pll_locked:
                self.complain("the receiver's reset ends before the PLL has locked")
            if not narrow:
                self.complain("the receiver's reset ends with RX_DATA_WIDTH as it was")
            self._enter("pma", now)
        elif self._phase == "pma":
            if not narrow:
                self.complain("RX_DATA_WIDTH is restored before RXPMARESETDONE falls")
            if since > times.pma * NS:
                self._enter("restore", now)
        elif self._phase == "restore":
            if not narrow:
                self._enter("finish", now)
        elif self._phase == "finish" and since > times.rx_done * NS:
            if not get("RXUSERRDY"):
                self.complain("RXUSERRDY is low")
            self._enter("up", now)
        elif self._phase == "up" and not self.pll_locked:
            self._enter("off", now)
        lasted = now - self._phase_since
        pma = self._phase == "pma" and lasted > times.pma * NS / 2 or self._phase in ("finish", "up")
        self._set(RXPMARESETDONE=pma, RXRESETDONE=self._phase == "up")
        held = get("RXCDRHOLD")
        if not held and self._phase != "up":
            self.complain("the clock recovery is released while the receiver is in reset")
        self._line.enable(self.receives and not held)

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

    # With each clock of words to the drive --------------------------------------------------------

    def transmit(self, now, period):
        """A word of 40 bits; the line gets its halves."""
        get = self._get
        idle = get("TXELECIDLE")
        asked = [name for name in _GAPS if get(name)]
        for name in asked:
            if len(asked) > 1 or self._words or self._finish:
                self.complain("an OOB signal is requested while another one goes out")
            if not idle or not self.transmits:
                self.complain("an OOB signal is requested while words go out, or before the transmitter is ready")
            scale = 1 << self._generation - 1
            self._words.extend(([True] * (_BURST * scale) + [False] * (_GAPS[name] * scale)) * self._bursts)
            if name == "TXCOMINIT":
                self.comresets.append(now)
        if self._words:
            word, idle = (0x3333333333 if self._words.popleft() else 0), False
            idle = not word
            finish = not self._words
        else:
            data, values, modes = get("TXDATA"), get("TXCHARDISPVAL"), get("TXCHARDISPMODE")
            word = sum((data >> 8 * n & 255 | (values >> n & 1) << 8 | (modes >> n & 1) << 9) << 10 * n
                       for n in range(4))
            finish = False
            if idle:
                self._idle_until = now + self._times.unmute * NS
            idle = idle or now < self._idle_until or not self.transmits
        self._set(TXCOMFINISH=finish)
        self._tx.append((word, idle))
        word, idle = self._tx.popleft()
        for half in range(2):
            self._line.send(now + half * period // 2, 0 if idle else word >> 20 * half & 0xFFFFF, idle)

    # With each word of 20 bits from the drive -----------------------------------------------------

    def receive(self, now, word, active):
        """Whether RXUSRCLK rises, with this word; it crawls where the recovery went astray."""
        self._listen(now, active)
        if self._phase not in ("finish", "up"):
            return False
        self._crawl += 1
        if self._line.astray and self._crawl % 25:
            return False
        self._rx.append(word)
        word = self._rx.popleft()
        self._set(RXDATA=word & 255 | (word >> 10 & 255) << 8,
                  RXCHARISK=word >> 8 & 1 | (word >> 18 & 1) << 1, RXDISPERR=word >> 9 & 1 | (word >> 19 & 1) << 1)
        return True

    def _listen(self, now, active):
        """Gaps and bursts, as the OOB circuit measures them: a signal is shown for one clock of the words."""
        found = dict.fromkeys(self._counts, False)
        if active != self._active:
            length, self._edge, self._active = now - self._edge, now, active
            if active:
                for name in self._counts:
                    low, high = self._windows[name]
                    self._counts[name] = self._counts[name] + 1 if low <= length <= high else 0
            else:
                low, high = self._windows["BURST"]
                for name, count in self._counts.items():
                    if not low <= length <= high:
                        self._counts[name] = 0
                    elif count == self._needed - 1 and self.receives:
                        found[name] = True
        self._set(RXCOMINITDET=found["INIT"], RXCOMWAKEDET=found["WAKE"])

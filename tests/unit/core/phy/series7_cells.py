"""A stand-in for a transceiver of the 7-series, and a judge of how it is used: what that of the GTP and that of the GTX
have in common.

It knows what the vendor's documents state and what others' designs do: a transmitter, a receiver and clocks that work
under their conditions only. `complaints` has a line for each violation. Times are in fs.
"""

from collections import deque
from dataclasses import dataclass

from amaranth.hdl import Const

from sata_drive_model.phy.line import FS

__all__ = ["NS", "REQUIRED", "REQUIRED_PORTS", "CellTimes", "Series7Cells", "links_of", "number"]

NS = FS // 10**9
#: Attributes of the channel without which it does not do what this project wants, and what happens.
REQUIRED = {
    "TX_DATA_WIDTH": (40, "not four characters a word"),
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
    "SATA_BURST_SEQ_LEN": (5, "not the number of bursts with which boards linked"),
}
#: Inputs that do not change: the same.
REQUIRED_PORTS = {
    "RX8B10BEN": (0, "characters are decoded before the PHY sees them"),
    "TX8B10BEN": (0, "characters are encoded twice"), "RXCOMMADETEN": (0, "the cell's aligner moves the words"),
    "RXMCOMMAALIGNEN": (0, "the cell's aligner moves the words"), "RXPCOMMAALIGNEN": (0, "the same"),
    "RXPD": (0, "no power"), "TXPD": (0, "no power"), "LOOPBACK": (0, "a loop-back"), "RXDDIEN": (0, "buffer bypass"),
    "RXDLYBYPASS": (1, "the phase alignment acts"), "TXDLYBYPASS": (1, "the phase alignment acts"),
    "TXPHDLYPD": (0, "-"), "RXOUTCLKSEL": (2, "RXOUTCLK is not the recovered clock"),
    "TXOUTCLKSEL": (2, "TXOUTCLK is not that of the cell's own words"), "RXELECIDLEMODE": (0, "no OOB circuit"),
    "TXPDELECIDLEMODE": (0, "electrical idle is not timed with the words"), "TXINHIBIT": (0, "no output"),
    "RXSYSCLKSEL": (0, "another PLL"), "TXSYSCLKSEL": (0, "another PLL"), "RXRATE": (0, "another rate"),
    "TXRATE": (0, "another rate"), "TXCOMSAS": (0, "COMSAS"),
}
#: Bursts of COMRESET and COMWAKE, in dwords of Gen1, and the gap that follows each.
_BURST, _GAPS = 4, {"TXCOMINIT": 12, "TXCOMWAKE": 4}


@dataclass(frozen=True)
class CellTimes:
    """In ns: how long the steps of the cells' resets take, of which no document is known; ``unmute``: from the end of
    electrical idle to the first bit. ``tx_words``, ``rx_words``: delay of the cell, in words of 40 bits."""

    pll_lock: int = 2000
    clock: int = 200
    mmcm_lock: int = 3000
    tx_done: int = 500
    pma: int = 400
    rx_done: int = 1000
    unmute: int = 100
    tx_words: int = 5
    rx_words: int = 8


def number(value):
    return value.value if isinstance(value, Const) else value


def links_of(made, kind):
    """The links of the only cell of a kind."""
    (found,) = [links for one, links in made if one == kind]
    return found


class Series7Cells:
    """How the cells behave. ``get`` and ``set`` reach the ports of ``connected``; ``made``: (kind, links) of all
    cells; ``reference_hz``: what the PLL gets; ``line``: with ``send``, ``enable`` and ``restart`` of a
    :class:`sata_drive_model.phy.line.Line`. ``complaints``; ``comresets``: when they began; ``restarts``: of the
    receiver; ``pll_resets``: how many.
    """

    #: The cell, and its input that resets the PLL.
    channel: str
    pll_reset: str
    #: Attributes and inputs that it must have, besides those above.
    required, required_ports = {}, {}
    #: What the gateware gives to the cells, and what they give to it: name to bits.
    to_cells, from_cells = {}, {}
    #: The clocks: that of the core, and those of the words.
    clocks = ("sync", "tx", "rx")
    #: What follows the reset of the receiver's PMA.
    after_pma = "finish"

    def __init__(self, get, set_, made, generation, reference_hz, line, *, times=CellTimes()):
        self._get, self._set = get, set_
        self._generation, self._line, self._times = generation, line, times
        self.complaints, self.comresets, self.restarts = [], [], []
        channel = links_of(made, self.channel)
        self._check(channel, made, reference_hz)
        values = {name[2:]: number(value) for name, value in channel.items() if name[:2] == "p_"}
        half = FS * values["RX_CLK25_DIV"] // round(reference_hz) // 2
        self._windows = {name: (half * values[f"SATA_MIN_{name}"], half * values[f"SATA_MAX_{name}"])
                         for name in ("BURST", "INIT", "WAKE")}
        self._bursts = values["SATA_BURST_SEQ_LEN"] + 1
        self._needed = values["SATA_BURST_VAL"]
        self._pll = self._tx_done = self._outclk = None        # since when
        self._reset_once = False
        self._before, self.pll_resets = 0, 0        # the clock before
        self.pll_locked = self.clock_locked = self.transmits = False
        self._phase, self._phase_since = "off", 0
        self._words, self._finish, self._com = deque(), False, None
        self._tx = deque([(0, True)] * times.tx_words)
        self._rx = deque([0] * times.rx_words)
        self._idle_until = 0
        self._active, self._edge = False, 0
        self._counts = {"INIT": 0, "WAKE": 0}
        self._found = dict.fromkeys(self._counts, False)        # shown, and whether a clock has risen since
        self._seen = False
        self._crawl = 0
        self._first = None          # half of a word from the drive

    # What never changes ---------------------------------------------------------------------------

    def _check(self, channel, made, reference_hz):
        for required, prefix in (REQUIRED | self.required, "p_"), (REQUIRED_PORTS | self.required_ports, "i_"):
            for name, (value, what) in required.items():
                told = number(channel.get(prefix + name))
                if told != value:
                    self.complain(f"{name} is {told}: {what}")
        vco = self._vco(made, reference_hz)
        for way in "TX", "RX":
            rate = 2 * vco / channel[f"p_{way}OUT_DIV"]
            if rate != 1.5e9 * (1 << self._generation - 1):
                self.complain(f"{way}: {rate / 1e9:g} Gb/s")
        clock = reference_hz / channel["p_RX_CLK25_DIV"]
        if not 20e6 <= clock <= 30e6:
            self.complain(f"RX_CLK25_DIV: OOB signals are measured with {clock / 1e6:g} MHz")

    def _vco(self, made, reference_hz):
        """Frequency of the PLL's oscillator; objects where it has no reference or no power."""
        raise NotImplementedError

    def complain(self, text):
        if text not in self.complaints:
            self.complaints.append(text)

    # With each clock of `sync` --------------------------------------------------------------------

    def sync(self, now):
        get, times = self._get, self._times
        if now < 500 * NS and (get("GTTXRESET") or get("GTRXRESET") or get(self.pll_reset)):
            self.complain("a reset within 500 ns of the configuration")
        if get(self.pll_reset):
            self.pll_resets += self._pll != self._before
            self._pll, self._reset_once = now, True
        self._before = now
        powered = self._powered(now)
        self.pll_locked = powered and self._reset_once and now - self._pll > times.pll_lock * NS

        # The transmitter: its clock runs, the clocks of the words are stable, it is done.
        running = self.pll_locked and not get("GTTXRESET")
        if not running:
            self._outclk = None
        elif self._outclk is None:
            self._outclk = now
        self.clock_locked = self._words_clocked(now, running and now - self._outclk > times.clock * NS)
        if get("TXUSERRDY") and not self.clock_locked:
            self.complain("TXUSERRDY before the clocks are stable")
        if not (get("TXUSERRDY") and self.clock_locked):
            self._tx_done = None
        elif self._tx_done is None:
            self._tx_done = now
        self.transmits = self._tx_done is not None and now - self._tx_done > times.tx_done * NS
        self._receiver(now)
        self._set(TXRESETDONE=self.transmits)

    def _powered(self, now):
        """Whether the PLL has power."""
        return True

    def _words_clocked(self, now, there):
        """Whether the clocks of the words to the drive are stable; ``there``: TXOUTCLK is."""
        return there

    def lose_lock(self, now):
        """The PLL has lost its lock, and finds it again."""
        self._pll = now

    def _enter(self, phase, now):
        self._phase, self._phase_since = phase, now

    @property
    def receives(self):
        return self._phase == "up"

    def _receiver(self, now):
        get, times = self._get, self._times
        since = now - self._phase_since
        if get("GTRXRESET"):
            if self._phase != "reset":
                self._enter("reset", now)
                self.restarts.append(now)
                self._line.restart()
        elif self._phase == "reset":
            if not self.pll_locked:
                self.complain("the receiver's reset ends before the PLL has locked")
            self._enter("pma", now)
        elif self._phase == "pma" and since > times.pma * NS:
            self._enter(self.after_pma, now)
        elif self._phase == "finish" and since > times.rx_done * NS:
            if not get("RXUSERRDY"):
                self.complain("RXUSERRDY is low")
            self._enter("up", now)
        elif self._phase == "up" and not self.pll_locked:
            self._enter("off", now)
        self._set(RXRESETDONE=self._phase == "up")
        held = get("RXCDRHOLD")
        if not held and self._phase != "up":
            self.complain("the clock recovery is released while the receiver is in reset")
        self._line.enable(self.receives and not held)

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
        """The clocks that rise with this word, a bit each as in ``clocks``; they crawl where the recovery went
        astray."""
        self._listen(now, active)
        if self._phase not in ("finish", "up"):
            return 0
        self._crawl += 1
        if self._line.astray and self._crawl % 25:
            return 0
        clocks = self._received(word)
        self._seen = bool(clocks)
        return clocks

    def _received(self, word):
        """The same of a receiver that gives 40 bits at once."""
        if self._first is None:
            self._first = word
            return 0
        self._rx.append(self._first | word << 20)
        self._first = None
        self._show(self._rx.popleft(), 4)
        return 1 << self.clocks.index("rx")

    def _show(self, word, characters):
        def bits(first, count):
            return sum((word >> 10 * n + first & (1 << count) - 1) << count * n for n in range(characters))

        self._set(RXDATA=bits(0, 8), RXCHARISK=bits(8, 1), RXDISPERR=bits(9, 1))

    def _listen(self, now, active):
        """Gaps and bursts, as the OOB circuit measures them: a signal is shown for one clock of the words."""
        found = self._found
        if self._seen:
            found.update(dict.fromkeys(found, False))
            self._seen = False
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

"""A stand-in for the cell DCUA: the same ports and parameters, and a judge of how it is used.

It knows what public records of the cell report: a receiver and a transmitter that work under their
conditions only, and traps that a design falls into in silence on hardware. `complaints` has a line
for each of these.
"""

from amaranth.hdl import Elaboratable, Module, Signal, Value

__all__ = ["Dcu", "REQUIRED"]

NS = 1000               # ps
HALF = 3333             # half a clock of words, ps
#: From the end of electrical idle to the first bit on the line, the worst that was measured.
UNMUTE = 427 * NS
#: The longest gap of an OOB signal.
GAP = 336 * NS
#: Time of PLL and clock recovery to lock; of the signal detector.
PLL_LOCK, CDR_LOCK, DETECT = 1000 * NS, 500 * NS, 10 * NS
#: A signal of another rate for so long pulls the clock recovery away; then it needs the reference
#: for so long, or the reset of its SERDES.
PULL, REFERENCE = 1000 * NS, 1000 * NS
LINES = [*range(10), *range(12, 22)]

#: Parameters without which the cell does not do what this project wants, and what happens.
REQUIRED = {
    "D_SYNC_LOCAL_EN": (1, "the word clock of the transmitter stands still"),
    "D_BITCLK_LOCAL_EN": (1, "no bit clock"),
    "D_MACROPDB": (1, "no power"), "D_TXPLL_PWDNB": (1, "no PLL"),
    "D_IB_PWDNB": (1, "nothing is received"),
    "D_REFCK_MODE": (0, "the bit clock is not 20 times the reference"),
    "D_TX_VCO_CK_DIV": (0, "not 3 Gb/s"), "CH_RX_DCO_CK_DIV": (0, "not 3 Gb/s"),
    "CH_CTC_BYPASS": (1, "characters are dropped and inserted"),
    "CH_ENC_BYPASS": (1, "characters are encoded twice"),
    "CH_DEC_BYPASS": (1, "characters are decoded before the PHY sees them"),
    "CH_UC_MODE": (1, "a protocol's state machine is in the way"),
    "CH_LSM_DISABLE": (1, "the link state machine holds the word boundary"),
    "CH_TX_GEAR_MODE": (1, "one character a word"), "CH_RX_GEAR_MODE": (1, "one character a word"),
    "CH_FF_TX_H_CLK_EN": (1, "no word clock"), "CH_FF_RX_H_CLK_EN": (1, "no word clock"),
    "CH_SEL_SD_RX_CLK": (1, "the receive FIFO runs with another clock"),
    "CH_TPWDNB": (1, "no transmitter"), "CH_RPWDNB": (1, "no receiver"),
    "CH_RX_LOS_EN": (1, "no signal detector"), "CH_RLOS_SEL": (1, "no signal detector"),
    "CH_PDEN_SEL": (0, "silence stops the phase detector, and it never starts again"),
}


def number(text):
    """The value of a parameter such as 0b101, 0d19 or 0x3ff."""
    return int(text[2:], {"b": 2, "d": 10, "x": 16}[text[1]])


class Dcu(Elaboratable):
    """What `Instance("DCUA", ...)` would be. `run` is a test bench of the simulator.

    `transmitted` gets (ps, word or None where the line is idle) for each word; `line(ps)` gives the
    word that is received, or None for silence; `nominal(ps)` whether it comes at 3 Gb/s.
    `detector(ps, heard)` reports whether the signal detector shows a signal that is `heard` or not.
    `complaints`: what was done wrong.
    """

    def __init__(self, kind, **links):
        assert kind == "DCUA"
        self.parameters = {name[2:]: value for name, value in links.items() if name[:2] == "p_"}
        channel = links["a_CHAN"][2]
        self._links = {name[2:].replace(f"CH{channel}_", "CH_", 1): value
                       for name, value in links.items() if name[:2] in ("i_", "o_")}
        self._signals = {name: Signal(len(Value.cast(value)), name=name)
                         for name, value in self._links.items()}
        self._outputs = {name[2:].replace(f"CH{channel}_", "CH_", 1) for name in links
                         if name[:2] == "o_"}
        self.complaints = []
        self.transmitted = []
        self.line = lambda now: None
        self.nominal = lambda now: True
        self.detector = lambda now, heard: heard
        self.registers = {0x02: 0x0C, 0x18: 0x05}
        for name, (value, what) in REQUIRED.items():
            told = self.parameters.get(name.replace("CH_", f"CH{channel}_", 1), "0b0")
            if number(told) != value:
                self.complaints.append(f"{name} is {told}: {what}")

    def elaborate(self, platform):
        m = Module()
        for name, value in self._links.items():
            if name in self._outputs:
                m.d.comb += value.eq(self._signals[name])
            else:
                m.d.comb += self._signals[name].eq(value)
        return m

    def complain(self, text):
        if text not in self.complaints:
            self.complaints.append(text)

    def get(self, name):
        return self._context.get(self._signals[name])

    def _set(self, **values):
        for name, value in values.items():
            self._context.set(self._signals[name], value)

    async def run(self, context):
        """Half a word a step, for ever."""
        self._context = context
        self.now = 0
        self._before, self._strobe = {}, None
        self.pll_since = self._cdr_since = self._heard = 0
        self._right_since = self._held_since = 0
        self.astray = False
        self._idle_since = self._muted_until = 0
        self._steps = 0
        alive = number(self.parameters.get("D_SYNC_LOCAL_EN", "0b0"))
        for name in "D_FFC_MACROPDB", "CH_FFC_TXPWDNB", "CH_FFC_RXPWDNB":
            if not self.get(name):
                self.complain(f"{name} is low: no power")
        while True:
            self._resets()
            self._sci()
            tx_lock = self._transmit_lock()
            self._set(D_FFS_PLOL=not tx_lock)
            if alive and tx_lock:
                self._transmit()
            self._receive()
            for name in "TX", "RX":
                if self.get(f"CH_FF_{name}I_CLK") != self.get(f"CH_FF_{name}_PCLK"):
                    self.complain(f"FF_{name}I_CLK is not FF_{name}_PCLK")
            await context.delay(HALF * 1e-12)
            self.now += HALF

    # Resets ---------------------------------------------------------------------------------------

    def _resets(self):
        names = {"dual": "D_FFC_DUAL_RST", "macro": "D_FFC_MACRO_RST", "tx": "D_FFC_TRST",
                 "tx_pcs": "CH_FFC_LANE_TX_RST", "rx": "CH_FFC_RRST",
                 "rx_pcs": "CH_FFC_LANE_RX_RST"}
        now = {name: self.get(signal) for name, signal in names.items()}
        before = self._before or dict.fromkeys(names, 1)
        if not self._before and not all(now.values()):
            self.complain("not everything is in reset at first")
        ended = {name for name in names if before[name] and not now[name]}
        self._before = now
        if {"tx", "rx"} & ended and (now["dual"] or now["macro"]):
            self.complain("a SERDES reset ends before that of the dual")
        if "tx_pcs" in ended and (now["tx"] or not self._transmit_lock()):
            self.complain("the transmitter's PCS reset ends before the PLL has locked")
        if "rx" in ended and not self._transmit_lock():
            self.complain("the receiver's SERDES reset ends before the PLL has locked")
        if "rx_pcs" in ended and (now["rx"] or self.get("CH_FFS_RLOL")):
            self.complain("the receiver's PCS reset ends before its clock recovery has locked")
        if now["macro"] or now["dual"] or now["tx"]:
            self.pll_since = self.now
        if now["rx"]:
            self._cdr_since = self.now

    # Registers ------------------------------------------------------------------------------------

    def _sci(self):
        bits = {name: sum(self.get(f"D_SCI{name}{n}") << n for n in range(count))
                for name, count in (("ADDR", 6), ("WDATA", 8))}
        selected = self.get("CH_SCIEN") and self.get("CH_SCISEL")
        writing = not self.get("D_SCIWSTN")
        was = self._strobe
        if selected and self.get("D_SCIRD"):
            value = self.registers.get(bits["ADDR"], 0)
            self._set(**{f"D_SCIRDATA{n}": value >> n & 1 for n in range(8)})
        if was is not None:
            if was != (bits, selected):
                self.complain("address or data change while a register is written")
            if not writing:
                self._write(*bits.values())
        self._strobe = (bits, selected) if writing else None

    def _write(self, address, value):
        if address == 0x02 and self.get("CH_FFC_EI_EN"):
            self.complain("channel register 0x02 is written during electrical idle: it ends")
        old = self.registers.get(address, 0)
        if address == 0x18 and (old ^ value) & ~0x40:
            self.complain("other bits of channel register 0x18 are changed")
        if address == 0x18 and (old ^ value) & 0x40:
            self._cdr_since = self.now
        self.registers[address] = value

    @property
    def held(self):
        return bool(self.registers[0x18] & 0x40)

    # Transmitter ----------------------------------------------------------------------------------

    def _transmit_lock(self):
        return self.now - self.pll_since > PLL_LOCK

    def _transmit(self):
        clock = not self.get("CH_FF_TX_PCLK")
        self._set(CH_FF_TX_PCLK=clock)
        if not clock:
            return
        idle = self.get("CH_FFC_EI_EN")
        if idle and not self._idle_since:
            self._idle_since = self.now
        elif not idle and self._idle_since:
            if self.now - self._idle_since < GAP:
                self.complain("electrical idle for a gap of an OOB signal: it comes too late, and "
                              "the burst after it is lost")
            self._idle_since = 0
            self._muted_until = self.now + UNMUTE
        bits = [self.get(f"CH_FF_TX_D_{n}") for n in range(24)]
        if any(bits[n] for n in range(24) if n not in LINES):
            self.complain("data on lines that no character has")
        word = sum(bits[line] << n for n, line in enumerate(LINES))
        silent = idle or self.now < self._muted_until or self.get("CH_FFC_LANE_TX_RST")
        self.transmitted.append((self.now, None if silent else word))

    # Receiver -------------------------------------------------------------------------------------

    def _receive(self):
        """A clock that is held follows the reference, one that is not follows the signal; without
        a signal it crawls, and so it does once a signal of another rate has pulled it away."""
        self._steps += 1
        if self._steps % 2:
            self._word = self.line(self.now)
            if self._word is not None:
                self._heard = self.now
        if self.get("CH_FFC_RRST"):
            self._set(CH_FFS_RLOL=1, CH_FFS_RLOS=1)
            self.astray = False
            return
        heard = self.now - self._heard
        if self.held or heard > DETECT or self.nominal(self.now):
            self._right_since = self.now
        if not self.held:
            self._held_since = self.now
            self.astray |= self.now - self._right_since > PULL
        elif self.now - self._held_since > REFERENCE:
            self.astray = False
        following = not self.astray and (self.held or heard < 100 * NS)
        if not following:
            self._cdr_since = self.now
        locked = following and self.now - self._cdr_since > CDR_LOCK
        self._set(CH_FFS_RLOL=not locked,
                  CH_FFS_RLOS=not self.detector(self.now, heard <= DETECT))
        if not following and self._steps % 25:
            return
        clock = not self.get("CH_FF_RX_PCLK")
        self._set(CH_FF_RX_PCLK=clock)
        if not clock:
            self._set(**{f"CH_FF_RX_D_{line}": (self._word or 0) >> n & 1
                         for n, line in enumerate(LINES)})

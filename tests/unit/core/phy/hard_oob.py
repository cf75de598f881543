"""A stand-in for the OOB ports of a transceiver that sends and recognises OOB signals itself.

As the transceivers of the 7-series do (Xilinx UG476 and UG482, "Using TX OOB", "RX OOB"): six
bursts go out for a request, and a signal is recognised after four bursts with the right gaps.
`complaints` has a line for what the ports must not see.
"""

from sata_drive_model.phy.line import FS

__all__ = ["HardOob"]

NS = FS // 10**9
#: A burst, and the gaps, in dwords of Gen1; limits of the gaps that are recognised, in fs.
BURST = 4
GAPS = {"cominit": 12, "comwake": 4}
WINDOWS = {"cominit": (175 * NS, 525 * NS), "comwake": (55 * NS, 175 * NS)}
BURSTS = 4


class HardOob:
    """`elecidle`: what RXELECIDLE reports, of `None` the truth; `finishes`: TXCOMFINISH works.

    Members: `comresets`: when those that were asked for began; `complaints`.
    """

    def __init__(self, *, elecidle=None, finishes=True):
        self._elecidle = elecidle
        self._finishes = finishes
        self.comresets = []
        self.complaints = []
        self._words = []            # of a signal, None where the line is idle
        self._before = None         # what was asked for
        self._finish = False
        self._active, self._edge = False, 0
        self._gaps = dict.fromkeys(GAPS, 0)
        self._until = dict.fromkeys(GAPS, 0)

    def _complain(self, text):
        if text not in self.complaints:
            self.complaints.append(text)

    def transmit(self, dut, now, word, idle):
        """A word of 20 bits at Gen2: what goes to the line, and whether it is idle."""
        asked = [name for name in GAPS if dut.get(f"serdes__tx_com__{name}")]
        if len(asked) > 1:
            self._complain("both signals are asked for")
        name = asked[0] if asked else None
        if name and name != self._before:
            if self._words or self._finish:
                self._complain("a signal is asked for before the last one is acknowledged")
            if not idle:
                self._complain("a signal is asked for while words go out")
            burst = [0x0F0F0, 0xF0F0F] * (2 * BURST)
            self._words = (burst + [None] * (4 * GAPS[name])) * 6
            if name == "cominit":
                self.comresets.append(now)
        if self._before and not name and self._words and self._finishes:
            self._complain("a request is taken back")
        self._before = name
        if self._words:
            out = self._words.pop(0)
            self._finish = self._finishes and not self._words
            dut.set(serdes__tx_com__comfinish=self._finish)
            return out or 0, out is None
        if not name:
            self._finish = False
            dut.set(serdes__tx_com__comfinish=0)
        return word, idle

    def receive(self, dut, now, active):
        """A word of the line, and whether there is a signal."""
        if active != self._active:
            length, self._edge, self._active = now - self._edge, now, active
            if active:
                for name, (first, last) in WINDOWS.items():
                    right = first <= length <= last
                    self._gaps[name] = self._gaps[name] + 1 if right else 0
                    if self._gaps[name] == BURSTS - 1:
                        self._until[name] = now + 100 * NS
        dut.set(serdes__rx_com__elecidle=not active if self._elecidle is None else self._elecidle,
                **{f"serdes__rx_com__{name}det": now < until
                   for name, until in self._until.items()})

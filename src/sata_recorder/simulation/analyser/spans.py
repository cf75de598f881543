"""Latency spans of the host, in clocks of the port, as the analyser collects them."""

from sata_drive_model.protocol.primitives import (ALIGN, DATA, EOF, HOLD, HOLDA, K, NONE, PMNAK,
                                                  PMREQ_P, PMREQ_S, R_ERR, R_IP, R_OK, R_RDY, SOF,
                                                  SYNC, WTRM, X_RDY)

#: Name -> from the first cycle of the one at the core's input to the first cycle of the other at
#: its output.
SPANS = {
    "x_rdy_r_rdy": "X_RDY in to R_RDY out",
    "sof_r_ip": "SOF in to R_IP out",
    "hold_holda": "HOLD in to HOLDA out",
    "wtrm_r_ok": "WTRM in to R_OK or R_ERR out",
    "status_sof": "final Register D2H EOF in to the next SOF out",
    "activate_sof": "DMA Activate EOF in to Data SOF out",
    "pmreq_pmnak": "PMREQ in to PMNAK out",
    "dwords_after_hold": "data dwords in after HOLD out, until HOLDA in",
}


class Span:
    """Minimum, maximum and mean of one span."""

    __slots__ = ("minimum", "maximum", "count", "total")

    def __init__(self):
        self.minimum = None
        self.maximum = None
        self.count = 0
        self.total = 0

    def add(self, value: int):
        """Adds one sample."""
        self.count += 1
        self.total += value
        if self.minimum is None or value < self.minimum:
            self.minimum = value
        if self.maximum is None or value > self.maximum:
            self.maximum = value

    @property
    def mean(self):
        """Mean, None without a sample."""
        return self.total / self.count if self.count else None

    def __repr__(self):
        return f"Span(min={self.minimum}, max={self.maximum}, count={self.count}, mean={self.mean})"


class SpanMeter:
    """Collects the spans; ``spans`` name -> ``Span``."""

    __slots__ = ("spans", "_starts", "_visible", "_heard", "_held", "_count")

    def __init__(self):
        self.spans = {name: Span() for name in SPANS}
        self._starts = {}
        self._visible = 0       # word at the core's output
        self._heard = SYNC      # last symbol from the drive that was not ALIGN
        self._held = False
        self._count = 0

    def start(self, name: str, now: int):
        """Starts a span that begins with a whole FIS."""
        self._starts[name] = now

    def no_hold(self):
        """A frame has ended: a HOLD in it needs no answer any more."""
        self._starts.pop("hold_holda", None)

    def more_data(self, dwords: int):
        """So many data dwords came in cycles that were not observed."""
        self._count += dwords

    def observe(self, now: int, word: int, rx, tx):
        """Takes one cycle: ``word`` at the core's output, both ``Side``s after it."""
        symbol, starts = rx.symbol, self._starts
        if word != self._visible:
            for name in _ANSWERS.get(word, ()) if word >= K else ():
                start = starts.pop(name, None)
                if start is not None:
                    span = self.spans[name]
                    span.add(now - start)
            if word == HOLD and rx.framed and not self._held:
                self._held = True
                self._count = -1 if symbol == DATA else 0   # not the one of this very cycle
            self._visible = word
        if self._held:
            if symbol == DATA:
                self._count += 1
            elif symbol == HOLDA:
                self.spans["dwords_after_hold"].add(self._count)
                self._held = False
            elif not rx.framed:
                self._held = False
        if symbol not in (NONE, ALIGN, self._heard):
            self._heard = symbol
            if symbol == WTRM and tx.last in (R_OK, R_ERR):
                self.spans["wtrm_r_ok"].add(0)      # answered before it was asked
            elif symbol in _QUESTIONS:
                starts[_QUESTIONS[symbol]] = now
            elif symbol == EOF:
                starts.pop("hold_holda", None)


#: Received primitive -> span that starts with it; sent primitive -> spans that end with it.
_QUESTIONS = {X_RDY: "x_rdy_r_rdy", SOF: "sof_r_ip", HOLD: "hold_holda", WTRM: "wtrm_r_ok",
              PMREQ_P: "pmreq_pmnak", PMREQ_S: "pmreq_pmnak"}
_ANSWERS = {R_RDY: ("x_rdy_r_rdy",), R_IP: ("sof_r_ip",), HOLDA: ("hold_holda",),
            R_OK: ("wtrm_r_ok",), R_ERR: ("wtrm_r_ok",), PMNAK: ("pmreq_pmnak",),
            SOF: ("status_sof", "activate_sof")}

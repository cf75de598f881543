"""Latency spans of the host, in clocks of the port, as the analyser collects them."""

#: Name -> from the first cycle of the one at the core's input to the first cycle of the other at its output.
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
        """One sample."""
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

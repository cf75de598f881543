"""The rules that a host may break on the line before there is a link, each with its clause.

Serial ATA Revision 3.x, phy layer.
"""

from enum import Enum
from typing import NamedTuple

_PHY = "Serial ATA Revision 3.x, phy layer, "


class PhyRule(Enum):
    """One rule. ``text`` states in a few words how it was violated; ``clause`` where it is specified;
    ``report`` is the text with a place, {}, for what was seen."""

    COMRESET_BURSTS = ("COMRESET of a number of bursts that is no multiple of six",
                       _PHY + "OOB signaling, COMRESET", "COMRESET of {} bursts")
    BURST_LENGTH = ("burst of a length that no OOB signal has",
                    _PHY + "OOB signaling, OOB burst", "burst of {} ns")
    GAP_LENGTH = ("gap of a length that no OOB signal has",
                  _PHY + "OOB signaling, OOB gap", "gap of {} ns")
    WAIT_LATE = ("D10.2 later than 533 ns after COMWAKE",
                 _PHY + "host phy initialization, state HP6", "D10.2 comes {} ns after COMWAKE")

    def __init__(self, text, clause, report):
        self.text = text
        self.clause = clause
        self.report = report


class PhyViolation(NamedTuple):
    """What the host did against a rule: when (in fs), against which, and what was seen."""

    time: int
    rule: PhyRule
    detail: str

    def __str__(self):
        return self.rule.report.format(self.detail)

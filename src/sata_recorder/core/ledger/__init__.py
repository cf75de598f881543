"""The cycle ledger: to whom each cycle of an operation belongs, and the sums."""

from .accounts import Account, Entry
from .histograms import Histograms
from .ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, Ledger, LedgerTaps

__all__ = ["CLEAR_CLOCKS", "SETTLE_CLOCKS", "Account", "Entry", "Histograms", "Ledger",
           "LedgerTaps"]

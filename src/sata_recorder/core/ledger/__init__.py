"""The cycle ledger: to whom each cycle of an operation belongs, and the sums."""

from .accounts import Account, Entry, WholeAccount
from .accumulator import Accumulator, BookedCycle
from .histograms import Histograms
from .ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, Ledger, LedgerTaps

__all__ = ["CLEAR_CLOCKS", "SETTLE_CLOCKS", "Account", "Accumulator", "BookedCycle", "Entry", "Histograms", "Ledger",
           "LedgerTaps", "WholeAccount"]

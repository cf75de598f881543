"""The cycle ledger, spans and FIS log as an independent observer of the dword port sees them.

What the hardware counts is compared with this. It knows the drive model's dwords, and nothing about
the gateware.
"""

from .analyser import PortAnalyser
from .record import Record
from .spans import SPANS, Span
from .states import ACCOUNTS

__all__ = ["ACCOUNTS", "PortAnalyser", "Record", "SPANS", "Span"]

"""The recorder: user streams and their buffer, replay and the journal."""

from .journal import ENTRIES, FIELDS, Journal
from .memory import MemoryShape
from .recorder import Recorder

__all__ = ["ENTRIES", "FIELDS", "Journal", "MemoryShape", "Recorder"]

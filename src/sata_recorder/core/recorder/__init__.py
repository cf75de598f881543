"""The recorder: user streams and their buffer, replay and the journal."""

from .journal import ENTRIES, FIELDS, Journal
from .recorder import Recorder

__all__ = ["ENTRIES", "FIELDS", "Journal", "Recorder"]

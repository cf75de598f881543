"""The sequencer: operations on a drive as chains of commands, and the cycle ledger."""

from .ledger import Entry
from .sequencer import Sequencer
from .types import Error, Mark, MarkLayout, Operation, StreamSignature

__all__ = ["Sequencer", "StreamSignature", "Operation", "Error", "Entry",
           "Mark", "MarkLayout"]

"""The host's side of a station: its line protocol over a serial port (docs/console.md)."""

from .answer import Answer
from .client import Client, ConsoleError
from .grammar import BadLine, checked

__all__ = ["Answer", "BadLine", "Client", "ConsoleError", "checked"]

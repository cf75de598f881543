"""The command layer: one ATA command at a time."""

from .booking import Account, Booking
from .command import Command, CommandSignature, CommandSpec, Protocol, Result

__all__ = ["Command", "CommandSignature", "CommandSpec", "Protocol", "Result", "Account",
           "Booking"]

"""The command layer: one ATA command at a time."""

from .booking import Account, Booking
from .command import Command, CommandSignature, CommandSpec, Protocol, CommandResult

__all__ = ["Command", "CommandSignature", "CommandSpec", "Protocol", "CommandResult", "Account",
           "Booking"]

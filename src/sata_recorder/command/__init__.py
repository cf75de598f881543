"""The command layer: one ATA command at a time."""

from .activity import CommandActivity
from .command import Command, CommandSignature, CommandSpec, Protocol, CommandResult

__all__ = ["Command", "CommandActivity", "CommandSignature", "CommandSpec", "Protocol", "CommandResult"]

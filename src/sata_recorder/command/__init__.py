"""The command layer: one ATA command at a time."""

from .activity import CommandActivity
from .command import Command, CommandResult, CommandSignature, CommandSpec, Protocol

__all__ = ["Command", "CommandActivity", "CommandResult", "CommandSignature", "CommandSpec",
           "Protocol"]

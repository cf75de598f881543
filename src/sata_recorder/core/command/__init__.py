"""The command layer: one ATA command at a time.

Serial ATA Revision 3.x, device command layer protocol; ATA8-ACS.
"""

from .activity import CommandActivity
from .command import Command
from .interface import CommandResult, CommandSignature, CommandSpec, FinalRegisters, Protocol

__all__ = ["Command", "CommandActivity", "CommandResult", "CommandSignature", "CommandSpec",
           "FinalRegisters", "Protocol"]

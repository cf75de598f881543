"""What an operation does, and how its commands end."""

from amaranth.lib import data

from ..command import CommandResult
from ..drive_port import Error

__all__ = ["FAILURES", "CommandEnd", "Phase"]

#: The error of an operation whose command has failed.
FAILURES = {
    CommandResult.DRIVE_ERROR: Error.DRIVE_ERROR,
    CommandResult.SHORT_DATA: Error.SHORT_DATA,
    CommandResult.DATA_CRC: Error.DATA_CRC,
    CommandResult.PROTOCOL: Error.PROTOCOL,
    CommandResult.REFUSED: Error.COMMAND_REFUSED,
}


class CommandEnd(data.Struct):
    """How a command ends, from the command layer."""

    done: 1
    succeeded: 1
    #: How the command ended, with ``done``.
    result: CommandResult
    #: The drive may still be in the command, with ``done``.
    needs_comreset: 1


class Phase(data.Struct):
    """What an operation does; at most one bit is set."""

    #: The extent is checked, and the ledger cleared.
    checks: 1
    #: A data command is in flight, or a pause between two.
    moves: 1
    #: FLUSH CACHE is in flight.
    flushes: 1
    #: A command has failed, and the next one has not been issued.
    recovers: 1
    #: The words of a playback are with the recorder, but not yet all of them with the user.
    delivers: 1

"""What the command layer shows of its work, for the cycle ledger."""

from amaranth.lib import data

__all__ = ["CommandActivity"]


class CommandActivity(data.Struct):
    """How far the command in flight has come in a clock."""

    #: The command writes.
    outward: 1
    #: No payload dword of the command is still to move.
    complete: 1
    #: One payload dword of the command is still to move.
    last: 1
    #: The FIS received in this clock holds the status that ends the command.
    final: 1
    #: With ``final``: the command has succeeded.
    success: 1

"""What the sequencer shows of its work, for the cycle ledger."""

from amaranth.lib import data

__all__ = ["SequencerActivity"]


class SequencerActivity(data.Struct):
    """The part of an operation to which a clock belongs."""

    #: An operation is about to begin its first command: what was booked before is forgotten.
    clear: 1
    #: The clock belongs to a transfer: it is booked.
    enable: 1
    #: FLUSH CACHE is in flight, or what comes between two data commands: its words are no payload.
    flush: 1
    #: With ``flush``: an error in it is no failure of the operation.
    query: 1
    #: With ``flush``: what is before its X_RDY belongs to the data commands.
    from_x_rdy: 1
    #: A command has failed, and the next one has not been issued.
    recovery: 1
    #: A data command has been completed.
    completed: 1

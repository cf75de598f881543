"""What may come between two data commands of a recording: its contract, and what it can see."""

import enum

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...command import CommandResult, CommandSpec, FinalRegisters

__all__ = ["Booked", "GapView", "InterjectedCommand", "Interjection", "OnFailure", "Silence"]


class OnFailure(enum.Enum):
    """What follows when the command of an interjection fails."""

    #: It is a query: if the drive is in order the recording continues without an answer.
    GOES_ON = enum.auto()
    #: What follows a data command that fails. It comes first after the recovery.
    REPEATS = enum.auto()


class Silence(enum.Enum):
    """How long the drive may be silent in it."""

    COMMAND = enum.auto()
    FLUSH = enum.auto()


class Booked(enum.Enum):
    """From where on its clocks belong to the account FLUSH of the ledger."""

    STATUS = enum.auto()        # of the command before it
    X_RDY = enum.auto()         # its own


class InterjectedCommand(data.Struct):
    """The command of an interjection, see :class:`...command.CommandSpec`."""

    command: CommandSpec
    #: LBA and count are sectors of 512 bytes of the drive: they become those that it counts in.
    addressed: 1


class GapView(data.Struct):
    """What an interjection can see of the operation, the drive and the recorder."""

    #: An operation began a clock ago; with it: it is a recording, and not COMMAND.
    begin: 1
    begins_recording: 1
    #: The operation is a recording, not stopped, and not COMMAND; a clock late.
    records: 1
    #: A write command of a recording is in flight.
    writing: 1
    #: It has succeeded; with it: its sectors are on the medium.
    written: 1
    on_medium: 1
    #: With ``written``: its first sector and how many it has.
    lba: 48
    sectors: 17
    #: A data command began a clock ago.
    next: 1
    #: No data command is left, and the operation's own FLUSH CACHE comes next.
    ends: 1
    #: A recovery runs.
    recovers: 1
    #: A query ended in a recovery, a clock ago: each one counts from here on, so that the recording gets its turn.
    query_failed: 1
    #: The drive is ready, and that of this operation.
    known: 1
    #: A command begins that brings the drive up.
    brings_up: 1
    #: The drive that has been identified is another one.
    other_drive: 1
    #: The drive is another one, by what it reports of itself, or has left while it was usable.
    renewed: 1
    #: The drive has 48-bit commands, FLUSH CACHE EXT, TRIM, READ LOG DMA EXT; it counts logical sectors of
    #: 4096 bytes.
    lba48: 1
    flush_ext: 1
    trim: 1
    logs: 1
    long_sectors: 1
    #: Words for which the recorder has room.
    room: 16


class Interjection(wiring.Component):
    """A command that comes between two data commands of a recording: the base of each one.

    The attributes of a subclass state what it is, ``exists`` which configurations have it, and ``made`` how it is
    made for one. No other part of the core knows its name.

    Parameters
    ----------
    group : Group, BareGroup or None        Its ports to the user, or to a stage alone: the member ``user``.

    Members
    -------
    gap : In(GapView)           What it can see.
    due : Out(1)            It is to come before the next data command, if the one in flight succeeds; only from
                            flops, ``gap`` and ``user``. It may fall until ``issue``.
    issue : In(1)           It begins.
    runs : In(1)            Its command is in flight: from the clock after ``issue`` to the end.
    request : Out(InterjectedCommand)       Its command, while it ``runs``, but for the device register.
    write : Out(stream 32, always valid)    The words that its command sends.
    read : In(stream 32, always ready)      While it ``runs``: the words that its command brings.
    done : In(1)            While it ``runs``: its command has ended.
    result : In(CommandResult)              With ``done``: how it has ended.
    final : In(FinalRegisters)              With ``done``: the registers at its end.
    resets : In(1)          While it ``runs``: the drive gets a COMRESET for it.
    """

    #: Its name in the hierarchy.
    name = ""
    on_failure = OnFailure.GOES_ON
    silence = Silence.FLUSH
    booked = Booked.STATUS
    #: Its command empties the drive's write cache; its command may write to it.
    flushes_cache = False
    writes_cache = False
    #: It reads the registers at the end of its command.
    wants_final = False
    #: It reads ``gap.room``.
    wants_room = False
    #: The group of its ports.
    group = None

    def __init__(self):
        super().__init__({
            "gap": In(GapView), "due": Out(1), "issue": In(1), "runs": In(1), "request": Out(InterjectedCommand),
            "write": Out(stream.Signature(32, always_valid=True)),
            "read": In(stream.Signature(32, always_ready=True)),
            "done": In(1), "result": In(CommandResult), "final": In(FinalRegisters), "resets": In(1),
            **({"user": In(self.group.member.signature)} if self.group else {}),
        })

    @classmethod
    def exists(cls, configuration):
        """Whether a core with this ``configuration`` has it."""
        raise NotImplementedError

    @classmethod
    def made(cls, configuration):
        """The component for ``configuration``."""
        return cls()

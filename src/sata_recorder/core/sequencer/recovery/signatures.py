"""What the recovery gets to know, and what it decides."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...drive_port import Error, JournalEntry, RecoveryPort, SectorSpan
from ..timer import CLOCKS_BITS

__all__ = ["DriveState", "FailedCommand", "RecoveryControl", "RecoveryStatus", "ResumeSignature",
           "recovery_members"]


class DriveState(data.Struct):
    """What the recovery must know of the drive."""

    #: The drive can take a command.
    usable: 1
    #: The drive has been brought up and cannot be used, for the reason in ``judgement``.
    unusable: 1
    judgement: Error
    #: The drive is another one than when the operation began.
    changed: 1
    #: The generation that the link has, or had when it was lost.
    generation: 2


class FailedCommand(data.Struct):
    """The command in flight and the last status of the drive."""

    #: The first sector of the data command.
    lba: 48
    #: The sectors of the data command.
    sectors: 17
    #: The status shows that the error was one of the line (ICRC).
    line_error: 1
    #: The status shows that there is an error at ``error_lba``.
    located: 1
    error_lba: 48


class RecoveryControl(wiring.Signature):
    """The recovery, seen from the state machine of the operation.

    Members
    -------
    begin : Out(1)          An operation begins.
    writes : Out(1)         The operation records. It stays for as long as the operation runs.
    plays : Out(1)          The operation plays back. It stays for as long as the operation runs.
    no_data : Out(1)        The command in flight moves no data of the extent. Or none is in flight,
                            because the drive was lost before the first one.
    succeeded : Out(1)      A command of the operation has been completed.
    failed : Out(1)         The command in flight has failed; the recovery begins.
    cause : Out(Error)      With ``failed``: why it has failed.
    broken : Out(1)         The words of the recorder are lost: the operation ends.
    abandoned : Out(1)      Nobody wants them any more: nothing is issued again.
    needs_comreset : Out(1) With ``failed``: the drive is brought up again by COMRESET.
    unflushed : Out(1)      With ``ended``: FLUSH has found that sectors of earlier recordings may be
                            lost. It stays until ``begin``.
    ended : Out(1)          The operation has ended: what a lost cache may hold is entered.
    again : In(1)           The recovery is over, the operation continues. Its next command is what
                            the splitter has next, or FLUSH CACHE where that has failed.
    abort : In(1)           The recovery is over, the operation ends with ``error``.
    error : In(Error)       With ``abort``: how the operation ends.
    """

    def __init__(self):
        super().__init__({
            "begin": Out(1), "writes": Out(1), "plays": Out(1), "no_data": Out(1), "succeeded": Out(1),
            "failed": Out(1), "cause": Out(Error), "broken": Out(1), "abandoned": Out(1),
            "needs_comreset": Out(1), "ended": Out(1), "unflushed": Out(1),
            "again": In(1), "abort": In(1), "error": In(Error),
        })


class ResumeSignature(wiring.Signature):
    """Where an extent continues after a failure, seen from the recovery.

    Members
    -------
    rewind : Out(1)         What follows begins ``rewind_to`` sectors after the beginning of the
                            failed command. Those before are done, or have been passed over.
    rewind_to : Out(17)     With ``rewind``: how far after it.
    skipped : Out(48)       Sectors of the extent that have been passed over. With ``rewind`` those
                            of the failed command are among them.
    again : Out(1)          The next command has ``again_sectors`` sectors, however long a command
                            may be.
    again_sectors : Out(17) The sectors of the failed command; valid with ``rewind`` and ``again``.
    sectors_done : In(48)   Sectors of the extent that are done.
    no_more : In(1)         No command would follow.
    """

    def __init__(self):
        super().__init__({
            "rewind": Out(1), "rewind_to": Out(17), "skipped": Out(48),
            "again": Out(1), "again_sectors": Out(17),
            "sectors_done": In(48), "no_more": In(1),
        })


class RecoveryStatus(wiring.Signature):
    """What the user sees of the recoveries of an operation, seen from the recovery.

    Members
    -------
    cause : Out(Error)      Why the last recovery began; NONE if there was none.
    retries : Out           Commands issued again; it stays at its maximum.
    skipped : Out(48)       Sectors that were passed over.
    """

    def __init__(self, *, retries_width=16):
        super().__init__({"cause": Out(Error), "retries": Out(retries_width), "skipped": Out(48)})


def recovery_members(*, retries_width=16):
    """The members of :class:`.recovery.Recovery`, and of what takes its place."""
    return {
        "control": In(RecoveryControl()), "drive": In(DriveState),
        "command": In(FailedCommand), "resume": Out(ResumeSignature()),
        "port": In(RecoveryPort()),
        "stopped": In(1), "drained": In(1), "journal_room": In(1),
        "journal": Out(stream.Signature(JournalEntry)), "origin": In(48),
        "unflushed_lba": In(48), "unflushed_sectors": In(48),
        "status": Out(RecoveryStatus(retries_width=retries_width)),
        "active": Out(1), "downshift": Out(1), "downshift_to": Out(2),
        "recorded": In(SectorSpan), "once": In(1), "safe": In(1), "query": In(1), "complete": In(1),
        "clocks": In(CLOCKS_BITS),
    }

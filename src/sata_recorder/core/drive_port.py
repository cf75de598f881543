"""The drive port: the interface between a recorder and whatever moves its extents.

A recorder knows words, sectors and this port; what is below the port knows the drive. The port is
one :class:`DrivePort`; the enums and structs that travel through it, and that the user sees on
`error` and in the journal, are defined here with their meanings.

The course of an operation, as the recorder sees it::

    extent.valid     ___|‾|________________________________________________________
    extent.ready     ‾‾‾‾‾|__________________________________________________|‾‾‾‾‾
    recording        _____________|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|________
    command          _________|‾|___________|‾|_______________|‾|__________________
    completed        _________________________|‾|_______________________|‾|________
    recovery.rewind  ___________________________________|‾|________________________

The second command begins in the clock in which the first one has succeeded, and ``completed``
follows a clock later. The second command fails: after ``recovery.rewind`` no word moves until the
next ``command``, which begins ``recovery.resume_offset`` sectors after the beginning of the failed one.
"""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..facts.described_enum import DescribedEnum
from ..interface import LOOK, RECORDING, TRIM, BareGroup

__all__ = ["COMING", "COMPLETE", "Coming", "DrivePort", "Error", "Extent", "JournalEntry", "JournalKind", "LOOK_PORT",
           "LookPort", "Operation", "RecoveryPort", "SectorSpan", "TRIM_PORT", "TrimPort"]

#: Bits of an address or a length in sectors, and of the length of one command.
_SECTORS, _COMMAND = 48, 17
#: Bits of a number of words in the buffer of a recorder.
_ROOM = 16


class Operation(DescribedEnum):
    """What an operation does; bit 0 writes, bit 1 ends with FLUSH CACHE."""

    PLAY = 0, "read the extent to m_axis"
    RECORD = 1, "write s_axis to the extent"
    FLUSH = 2, "FLUSH CACHE alone"
    RECORD_FLUSH = 3, "write s_axis to the extent, then FLUSH CACHE"


class Error(DescribedEnum):
    """How an operation, or the bring-up of a drive, ended."""

    NONE = 0, "success"
    NOT_READY = 1, "start without an identified drive"
    ZERO_SECTORS = 2, "start with sectors = 0"
    OUT_OF_RANGE = 3, "the extent ends beyond the drive's capacity"
    NO_DMA_LBA = 4, "the drive has no DMA or no LBA"
    TIMEOUT = 5, "the drive was silent for too long; a COMRESET was requested"
    LINK_LOST = 6, "phy_link_up fell"
    DRIVE_ERROR = 7, "the drive's status has ERR or DF, or lacks DRDY"
    SHORT_DATA = 8, "the drive ended a command before all data had moved"
    PROTOCOL = 9, "a FIS that was not expected, or too much data; with memory: memory_failure may be the reason"
    DATA_CRC = 10, "a Data FIS was answered by R_ERR, in either direction"
    IDENTIFY_FAILED = 11, "IDENTIFY DEVICE failed, or its data are incomplete or damaged"
    SECTOR_SIZE = 12, ("the drive's logical sector is not 512 bytes; with long_logical_sectors: is neither"
                       " 512 nor 4096 bytes, or the extent does not begin and end with one of 4096")
    NOT_ATA = 13, "the signature of another kind of device"
    OTHER_DRIVE = 14, ("after a failure another drive came back, or one that cannot be distinguished from"
                       " another one")
    COMMAND_REFUSED = 15, "the drive did not acknowledge a command FIS sent 16 times"


class JournalKind(DescribedEnum):
    """What an entry of the journal states about a part of the recording."""

    GAP = 1, "words of the recording that were lost because the buffer was full"
    SKIPPED = 2, "sectors that were passed over: old data, new data, or a mixture"
    IN_DOUBT = 3, "sectors of the command at which the operation ended: as SKIPPED"
    UNFLUSHED = 4, ("sectors completed before the drive was brought up again, or before a FLUSH"
                    " CACHE that failed: as recorded, except for what was lost with its write cache")


class Extent(data.Struct):
    """An operation and the sectors that it is to move."""

    operation: Operation
    #: The first sector.
    lba: _SECTORS
    sectors: _SECTORS


class SectorSpan(data.Struct):
    """Sectors with which a recording continues."""

    #: The first sector.
    lba: _SECTORS
    sectors: _SECTORS


class JournalEntry(data.Struct):
    """What an entry of the journal reports on sectors."""

    kind: JournalKind
    #: The failure that is the reason for the entry.
    cause: Error
    #: The first sector.
    position: _SECTORS
    #: The number of sectors.
    length: _SECTORS


class TrimPort(wiring.Signature):
    """TRIM between two commands of a recording, seen from the side that knows what is written next.

    It bypasses the recorder, which knows no sectors after those of its extents.

    Members
    -------
    span : Out(stream SectorSpan)   Sectors that the drive may forget, at most 64 x 65,535. ``ready`` comes in
                            the clock in which TRIM begins: after the end of a command, before the first one, or
                            while the recording waits; not after another TRIM or a failure. Until then the span may
                            change, or be withdrawn.
    known : In(1)           The drive is ready, and is that of this operation.
    offered : In(1)         With ``known``: the drive has TRIM.
    given_up : In(1)        No TRIM follows in this operation: one has failed.
    trims : In(1)           TRIM is in flight.
    succeeded : In(1)       With ``trims``: it has succeeded.
    """

    def __init__(self):
        super().__init__({
            "span": Out(stream.Signature(SectorSpan)), "known": In(1), "offered": In(1),
            "given_up": In(1), "trims": In(1), "succeeded": In(1),
        })


class LookPort(wiring.Signature):
    """Reading between two commands of a recording, seen from the side that wants to see what it has written.

    It bypasses the recorder, except for the room in its buffer.

    Members
    -------
    span : Out(stream SectorSpan)   Sectors that are to be read, at most 64. ``ready`` comes in the clock in
                            which the read begins: after the end of another command, or while the recording waits.
                            After another read or a failure it does not come before the next write command. Until
                            ``ready`` the span may change, or be withdrawn.
    room : Out(16)          With ``span``: words for which the recorder must have room two clocks before ``ready``.
    reads : In(1)           The read is in flight.
    data : In(stream 32, always ready)      With ``reads``: its words. They are good with ``succeeded``.
    succeeded : In(1)       With ``reads``: it has succeeded; all words have come.
    failed : In(1)          The read failed a clock ago.
    """

    def __init__(self):
        super().__init__({
            "span": Out(stream.Signature(SectorSpan)), "room": Out(_ROOM), "reads": In(1),
            "data": In(stream.Signature(32, always_ready=True)), "succeeded": In(1), "failed": In(1),
        })


class RecoveryPort(wiring.Signature):
    """What follows a command that has failed, seen from the recorder.

    Members
    -------
    rewind : In(1)          The command has failed. From this clock on no word moves in either
                            direction until the next ``command``.
    resume_offset : Out(17) Sectors from the beginning of the failed command that cannot be, or need
                            not be, moved again; valid from 4 clocks after ``rewind`` to the next
                            one. In a recording the words of these sectors are gone. In a playback
                            they have been, or will be, delivered. The next command begins after
                            these sectors, unless ``reread`` has come.
    partial : Out(1)        With ``resume_offset``: the playback has delivered a part of the sector
                            that follows.
    tainted : Out(1)        With ``resume_offset``: the playback has delivered words that were not
                            found good. The operation ends.
    reread : In(1)          The next command is the whole failed command of a playback again. The
                            recorder drops the words that it has delivered before.
    skip : In(1)            ``skip_sectors`` more sectors after ``resume_offset`` are passed over.
                            The recorder drops the words of a recording that belong there; in a
                            playback it delivers zeros in their place.
    skip_sectors : In(17)   The number of sectors that ``skip`` passes over.
    settled : Out(1)        The recorder has done all of this, and ``pending_sectors`` counts; from
                            4 clocks after ``rewind`` or ``skip`` on. The next ``command`` waits for
                            it.
    """

    def __init__(self):
        super().__init__({
            "rewind": In(1), "resume_offset": Out(_COMMAND), "partial": Out(1), "tainted": Out(1),
            "reread": In(1), "skip": In(1), "skip_sectors": In(_COMMAND), "settled": Out(1),
        })


class DrivePort(wiring.Signature):
    """The drive port, seen from the recorder.

    ``Out`` leads from the recorder to the drive side: the sequencer, or what takes its place.

    Parameters
    ----------
    width : int             Bits of a word. The recorder and the sequencer have 32.
    burst_words : int       The most words of a playback that can be found bad together: the
                            payload of a Data FIS. A recorder that holds twice as many delivers no
                            word before it was found good.
    reserve_words : int     The most words that still arrive after ``hold`` has risen. A drive
                            within the rules sends fewer; long cables and a deep PHY add to them.
    queued : bool           Whether a recording can continue with more sectors than its extent has:
                            whether ``queue``, ``extended``, ``gathers`` and ``begun`` are used.
    long_sectors : bool     Whether ``long`` has an effect.
    looks : bool            Whether ``room`` has an effect.

    Members
    -------
    extent : Out(stream Extent)     The next operation. ``ready`` is high while none runs. The
                            recorder may withdraw an extent that has not been taken. An extent that
                            cannot be moved is taken and refused: then neither ``recording`` nor
                            ``playing`` follows.
    recording : In(1)       An operation that writes moves words: from a clock after the extent was
                            taken, or later, to the end of its last command, or to the failure that
                            ends it. FLUSH CACHE moves none.
    playing : In(1)         The same for an operation that reads. It stays until ``drained``.
    opening : In(1)         A recording begins some clocks from now: words may be accepted.
                            ``recording`` rises with the fall of ``opening`` or a clock later.
    write_data : Out(stream)        Words that are to be written: from the recorder to the drive
                            side. It takes as many as the commands of a recording move.
    read_data : In(stream, always ready)    Words that were read: from the drive side to the
                            recorder, which must take each in the clock in which it comes.
    verified : In(1)        The words of ``read_data`` that came since the last ``verified`` or
                            ``rewind`` are good.
    hold : Out(1)           Requests a pause from the drive; up to ``reserve_words`` words of ``read_data``
                            follow.
    lost : Out(1)           A word of ``read_data`` could not be kept: more than ``reserve_words`` came. Or
                            the words that came again after ``reread`` differ from those that
                            were delivered: then it is high from at most 3 clocks after ``verified``
                            until ``rewind``. The command fails; in the second case the operation ends.
    broken : Out(1)         The words that the recorder holds are lost: the command in flight fails, and the
                            operation ends. It stays until the next ``extent`` is taken.
    abandoned : Out(1)      With ``stopped``, in a recording: ``pending_sectors`` is 0 although the recorder holds
                            words; these are not written any more. A command that fails is not issued again, and
                            the operation ends with an error unless it is ``drained``.
    stopped : Out(1)        No command beyond the one in flight is wanted, except for
                            ``pending_sectors``.
    pending_sectors : Out(17)       Sectors whose words were accepted and have not gone out yet.
    drained : Out(1)        Every word that came from the drive has been delivered, and none is to
                            be dropped or made up; a clock late.
    command : In(1)         A data command begins in this clock.
    retain : In(1)          With ``command``, of a recording: its words must be kept until
                            ``completed``.
    completed : In(1)       The command was completed a clock ago. Where the next one follows at
                            once, its ``command`` was in that clock.
    recovery : Out(RecoveryPort)    What follows a command that has failed.
    journal : In(stream JournalEntry)       An entry for the journal; it stays until it is taken.
    journal_room : Out(1)   There is room for an entry and two more, which are reserved for the end
                            of the operation.
    queue : Out(stream SectorSpan)        Sectors with which the recording that runs continues, after those
                            of its extent and of the spans that were taken before it. ``ready`` is
                            high only while a recording runs that is not ``stopped`` and has room
                            for a span. A span that was taken is moved, unless the operation ends
                            before it by ``stopped`` or by a failure.
    extended : In(1)        The span that was taken last lies within the drive: words for it may be
                            accepted. It comes at most 4 clocks after the span was taken. If it does
                            not, the span is not moved, no other one is taken, and the operation
                            ends with an error after the sectors that it had.
    gathers : Out(1)        No command of the recording begins with more than ``pending_sectors``
                            sectors, except one that is repeated. While ``pending_sectors`` is 0
                            the operation waits for more, as long as it has sectors and is not
                            ``stopped``.
    begun : In(48)          The sectors of the operation for which a command has begun, or that
                            were passed over; it moves 3 clocks after ``command``.
    long : In(1)            From the clock after ``extent`` was taken to the next one: the drive moves
                            8 sectors at once. The lengths of commands are multiples of 8, and so must
                            be ``recovery.resume_offset`` and ``pending_sectors``; the latter is rounded
                            up, or down while ``gathers``.
    room : Out(16)          Words for which the recorder had room a clock ago, in a recording; those that
                            it keeps for a replay count as room.
    """

    def __init__(self, *, width=32, burst_words=2048, reserve_words=96, queued=False,
                 long_sectors=False, looks=False):
        self.width = width
        self.burst_words = burst_words
        self.reserve_words = reserve_words
        self.queued = queued
        self.long_sectors = long_sectors
        self.looks = looks
        super().__init__({
            "extent": Out(stream.Signature(Extent)),
            "recording": In(1), "playing": In(1), "opening": In(1),
            "write_data": Out(stream.Signature(width)),
            "read_data": In(stream.Signature(width, always_ready=True)),
            "verified": In(1),
            "hold": Out(1), "lost": Out(1), "broken": Out(1), "abandoned": Out(1),
            "stopped": Out(1), "pending_sectors": Out(_COMMAND), "drained": Out(1),
            "command": In(1), "retain": In(1), "completed": In(1),
            "recovery": Out(RecoveryPort()),
            "journal": In(stream.Signature(JournalEntry)), "journal_room": Out(1),
            "queue": Out(stream.Signature(SectorSpan)), "extended": In(1), "gathers": Out(1),
            "begun": In(_SECTORS), "long": In(1), "room": Out(_ROOM),
        })


class Coming(data.Struct):
    """An operation that will be started some clocks later."""

    #: A start of any operation is requested, whether it is taken or not: known early in a clock.
    requested: 1
    #: It is the start of a recording, and is taken.
    recording: 1


#: What a core has besides its user's interface, for a stage around it: what is trimmed before a recording writes
#: it, what is read between the commands of a recording, that a recording is about to start (not with several drives),
#: and that nothing is to be passed over in the operation that runs.
TRIM_PORT = BareGroup("trim", Out(TrimPort()), TRIM.exists)
LOOK_PORT = BareGroup("look", Out(LookPort()), LOOK.exists)
COMING = BareGroup("coming", Out(Coming), lambda configuration: (
    RECORDING.exists(configuration) and configuration.drives == 1))
COMPLETE = BareGroup("complete", Out(1), lambda configuration: configuration.skips_but_files)

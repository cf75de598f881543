"""The types by which sequencer and recorder speak to each other."""

import enum

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Error", "Mark", "MarkLayout", "Operation", "StreamSignature"]


class Operation(enum.IntEnum):
    """What an operation does; bit 0 writes, bit 1 ends with FLUSH CACHE."""

    PLAY = 0
    RECORD = 1
    FLUSH = 2
    RECORD_FLUSH = 3


class Error(enum.IntEnum):
    """How an operation, or the bring-up of a drive, ended."""

    NONE = 0
    NOT_READY = 1           # there is no identified drive
    ZERO_SECTORS = 2
    OUT_OF_RANGE = 3        # the extent ends beyond the capacity
    NO_DMA_LBA = 4          # a drive without DMA or LBA
    TIMEOUT = 5
    LINK_LOST = 6
    DRIVE_ERROR = 7         # status ERR, DF or not DRDY
    SHORT_DATA = 8          # the drive ended a command before all data had moved
    PROTOCOL = 9            # a FIS that does not belong, or too much data
    DATA_CRC = 10           # R_ERR to a Data FIS, by either side
    IDENTIFY_FAILED = 11
    SECTOR_SIZE = 12        # a drive whose logical sectors are longer than 512 bytes
    NOT_ATA = 13            # the signature of another kind of device
    OTHER_DRIVE = 14        # the drive that came back has another serial number
    COMMAND_REFUSED = 15    # the drive acknowledged no command FIS


class Mark(enum.IntEnum):
    """What an entry of the journal says of a part of the recording."""

    GAP = 1                 # words that the buffer had no room for
    SKIPPED = 2             # sectors that were passed over
    IN_DOUBT = 3            # sectors of the command at which the operation ended
    UNFLUSHED = 4           # completed sectors, lost if the drive lost its power


#: An entry of the journal, as the sequencer makes it.
MarkLayout = data.StructLayout({"kind": Mark, "cause": Error, "position": 48, "length": 48})


class StreamSignature(wiring.Signature):
    """The data of an operation, seen from the recorder.

    Members
    -------
    begin : In(1)           an operation begins, perhaps only to be refused
    sectors : In(48)        with it, the length of its extent
    recording, playing : In(1)      which kind of operation runs, from the clock after ``begin``
                            until it ends or fails
    opening : In(1)         an operation that records is about to begin: words may be accepted
    data : Out(stream 32)   to the drive; takes as many words as the commands move
    payload : In(stream 32, always ready)       from the drive
    hold : Out(1)           asks the drive to pause; up to 96 more words of ``payload`` follow
    lost : Out(1)           a word of ``payload`` could not be kept: there were more than that
    stopped : Out(1)        no command beyond the one in flight is wanted, except for
    pending_sectors : Out(17)       this many sectors whose words were accepted already
    drained : Out(1)        the recorder has delivered what it got
    command : In(1)         a data command begins, and
    retain : In(1)          with it: its words are kept until
    completed : In(1)       it has been completed, a clock ago: with the first clock of the next
                            one, if there is one
    verified : In(1)        a Data FIS has ended well: the words of ``payload`` so far are good
    rewind : In(1)          the command has failed; no ``payload`` comes and no ``data`` is taken
                            from now on until the next ``command``
    behind : Out(17)        4 clocks after ``rewind``: sectors from the beginning of the command
                            that cannot be, or need not be, moved again. Recording: their words
                            are gone. Playing: their words have been, or will be, delivered. The
                            next command begins behind them, but after
    repeat : In(1)          where it is the same command: what was delivered comes again
    partial : Out(1)        with it, playing: words of the sector after those have been delivered
    tainted : Out(1)        with it: words were delivered that may be wrong
    skip : In(1)            the words of
    skip_sectors : In(17)   this many more sectors are passed over: those accepted for them are
                            dropped, or zeros delivered in their place
    settled : Out(1)        ``pending_sectors`` counts; 4 clocks after ``rewind`` or ``skip``
    mark : In(stream)       an entry for the journal: ``kind`` (:class:`Mark`), ``cause``
                            (:class:`Error`), ``position`` and ``length`` in sectors
    mark_room : Out(1)      there is room for more than the last two entries
    """

    def __init__(self):
        super().__init__({
            "begin": In(1), "sectors": In(48), "recording": In(1), "playing": In(1),
            "opening": In(1),
            "data": Out(stream.Signature(32)),
            "payload": In(stream.Signature(32, always_ready=True)), "hold": Out(1), "lost": Out(1),
            "stopped": Out(1), "pending_sectors": Out(17), "drained": Out(1),
            "command": In(1), "retain": In(1), "completed": In(1), "verified": In(1),
            "rewind": In(1), "repeat": In(1),
            "behind": Out(17), "partial": Out(1), "tainted": Out(1),
            "skip": In(1), "skip_sectors": In(17), "settled": Out(1),
            "mark": In(stream.Signature(MarkLayout)), "mark_room": Out(1),
        })

"""What the files stage gets, and what it reports."""

from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...core.drive_port import Error
from ...interface import RECORDING
from ...interface.file import FileError, FileState
from ...interface.trim import TRIM_AHEAD_BITS

__all__ = ["FileTime", "FileWord", "FilesSignature", "SLOT_BITS"]

#: Bits of the number of a slot, 1 to 4096.
SLOT_BITS = 13
_BYTES = 48


class FileTime(data.Struct):
    """A time as an entry of exFAT has it."""

    #: Date and time in steps of 2 s: year - 1980, month, day, hour, minute, second / 2 from bit 25,
    #: 21, 16, 11, 5, 0 on.
    seconds: 32
    #: What is to be added, in steps of 10 ms: 0 to 199.
    ten_ms: 8
    #: Bit 7: bits 6:0 are the offset from UTC in quarters of an hour. 80h is UTC.
    offset: 8
    #: There is a clock: the rest is valid.
    valid: 1


class FileWord(data.Struct):
    """A word of a recording."""

    #: Bits 7:0 are the first byte of the file.
    data: 32
    #: The recording ends with this word.
    last: 1
    #: With ``last``: this many bytes do not belong to the file, from bits 31:24 on.
    spare: 2


class FilesSignature(wiring.Signature):
    """The files stage, seen from its user.

    Parameters
    ----------
    modes : bool            There is the member ``recording``.

    Members
    -------
    i : Out(stream FileWord)    The words of the recording.
    start : Out(1)          One clock: begins a recording in the next free slot, which ends with one
                            ``done``; ignored in a clock in which ``busy`` is high.
    stop : Out(1)           One clock, while RECORDING: no word is accepted from the next clock on,
                            and the recording ends with the words before.
    length : Out(48)        With ``start``: the recording ends after this many bytes; 0: with a word
                            that is ``last``, with ``stop``, or when the slot is full.
    interval : Out(16)      With ``start``: seconds after which the file is brought up to date each
                            time; 0: it is made at the end only.
    dated : Out(1)          With ``start``: the file is named after the day of ``time`` and after
                            its slot, R2611220001.dat; else, or without a clock, after the slot
                            only.
    time : Out(FileTime)    With ``start``: when it is, for the file's times. Without a clock they
                            stay what they were when the drive was prepared.
    release : Out(1)        The stage is to leave the core alone. It does so when no recording
                            runs and no slot is being searched for. When ``release`` ends, the table is
                            read again.
    ready : In(1)           ``start`` will begin a recording.
    busy : In(1)            A recording runs, or a slot is being searched for.
    done : In(1)            One clock, at the end of every recording, a failed or refused one too.
    state : In(FileState)
    error : In(FileError)   How the latest recording ended, from ``done`` on.
    refusal : In(FileError) While FULL or REFUSED: why no recording can begin.
    drive_error : In(Error) With CUT_SHORT, CUT_IN_DOUBT or DRIVE: the ``error`` of the core.
    slot : In(13)           The slot of this or of the latest recording, from ``start`` on.
    bytes : In(48)          Bytes of its file, from ``done`` on; 0 for none.
    recording : Out         The group of the modes, see :mod:`...interface`; it is taken with
                            ``start``. FIXED with ``words`` not 0 is a ``length`` of this many words;
                            else FIXED and UNTIL_STOPPED are the same. The space of a recording is
                            its slot: ``position`` and ``ahead`` are ignored. ``newest``,
                            ``oldest``, ``triggers`` and ``segment_count`` are those of this or of
                            the latest recording; the table of segments can be read while RECORDING.
    trim_ahead : Out(20)    With ``start``: the ``ahead`` of the group of TRIM, see :mod:`...interface`.
    """

    def __init__(self, *, modes=False):
        super().__init__({
            "i": Out(stream.Signature(FileWord)),
            "start": Out(1), "stop": Out(1), "length": Out(_BYTES), "interval": Out(16),
            "dated": Out(1), "release": Out(1),
            "time": Out(FileTime),
            "ready": In(1), "busy": In(1), "done": In(1), "state": In(FileState),
            "error": In(FileError), "refusal": In(FileError), "drive_error": In(Error),
            "slot": In(SLOT_BITS), "bytes": In(_BYTES),
            **({"recording": Out(RECORDING.signature)} if modes else {}),
            "trim_ahead": Out(TRIM_AHEAD_BITS),
        })

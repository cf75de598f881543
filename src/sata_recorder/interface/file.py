"""The ports and registers of the files stage, which makes files of recordings."""

from functools import partial
from typing import Any

from ..facts.described_enum import DescribedEnum
from .group import SUM, Group, PortRow, input_row, output_row, port_field
from .registers import Access, Field, Register

__all__ = ["FILE", "FILE_END", "FileError", "FileState"]


class FileState(DescribedEnum):
    """What the files stage does, and whether a recording can begin."""

    OFFLINE = 0, "no drive is ready"
    SEARCHING = 1, "the table is being read, and a free slot searched for"
    READY = 2, "a slot is free: a recording can begin"
    RECORDING = 3, "words are accepted, unless the slot is full"
    CLOSING = 4, "no word is accepted; what was recorded becomes a file"
    FULL = 5, "no slot is free"
    REFUSED = 6, "the drive cannot take a recording, for the reason in ``refusal``"
    RELEASED = 7, "the user has the core: the files stage does nothing"


class FileError(DescribedEnum):
    """How a recording, or the search for a slot, ended."""

    NONE = 0, "success: the recording is a file"
    NO_DRIVE = 1, "start without a drive that is ready"
    NOT_PREPARED = 2, "the drive has no recording table, or one of another version"
    DAMAGED = 3, "the CRC-32 of the recording table or of a slot is wrong"
    FULL = 4, "no slot is free"
    TOO_LONG = 5, "the slot does not have that many bytes: nothing was recorded"
    EMPTY = 6, "the recording ended before its first word: there is no file"
    CUT_SHORT = 7, ("an operation failed, see drive_error: the file has what was recorded before, "
                    "as many bytes as bytes states; no file if bytes is 0")
    DRIVE = 8, "the drive could not be read while a slot was searched for, see drive_error"
    IN_DOUBT = 9, ("the recording is a file, but the drive was brought up again meanwhile: what "
                   "was in its cache may be lost, which the log states; its CRC-32, if it has one, shows whether it is")
    PARTS_DO_NOT_FIT = 10, ("TRIGGERED: a part has no sectors, or ends within a logical sector, or the slot "
                            "has no room for that many segments: nothing was recorded")
    NOT_IN_THIS_MODE = 11, ("length together with RING or TRIGGERED, which have none: nothing was "
                            "recorded")
    RELEASED = 12, "start while the user has the core, or is about to get it: nothing was recorded"
    CUT_IN_DOUBT = 13, ("as CUT_SHORT, and the drive was brought up again, or FLUSH CACHE failed: what "
                        "was in its cache may be lost, too")
    CHANGED = 14, ("partition table, file system or folder of the recordings are no longer those that were "
                   "prepared, as another system has changed them: nothing more is written to them, and "
                   "bytes is the length that an earlier update gave the file")
    SKIPPED = 15, ("the recording is a file, but some of its sectors were passed over and not recorded, which the log "
                   "states; what IN_DOUBT states may be true, too")


def _input(name: str, width: int, meaning: str, **keywords: Any) -> PortRow:
    return input_row(f"file_{name}", width, meaning, **keywords)


def _output(name: str, width: int, meaning: str, **keywords: Any) -> PortRow:
    return output_row(f"file_{name}", width, meaning, **keywords)


#: Of two groups, which no core has both of.
S_AXIS_TLAST = input_row("s_axis_tlast", 1, "with s_axis_tvalid: the file ends with this word, or the line with "
                         "file_lines, or the packet with frame_packets", member="last")
_END = (
    S_AXIS_TLAST,
    input_row("s_axis_tkeep", 4, "with s_axis_tlast: bytes of the word that belong to the file, or the line, "
              "from bit 0 on: 1111, 0111, 0011 or 0001", member="keep"),
)

_TABLE = (
    _input("start", 1, "one clock: begins a recording in the next free slot, which ends with one "
           "file_done; ignored in a clock in which file_busy is high"),
    _input("stop", 1, "one clock: ends the current recording after the words already taken"),
    _input("length", SUM, "with file_start: bytes of the file; 0: until s_axis_tlast, file_stop, "
           "or the end of the slot", at=0x920, unit="bytes"),
    _input("interval", 16, "with file_start: seconds from one update of the file to the "
           "next; 0: it is made at the end only", at=0x90C),
    _input("dated", 1, "with file_start: the file is named after day and slot, not after the slot "
           "alone"),
    _input("time", 32, "with file_start: date and time as exFAT has them: year - 1980, month, day, "
           "hour, minute, second / 2 from bit 25, 21, 16, 11, 5, 0 on", at=0x910),
    _input("time_ten_ms", 8, "what is to be added to file_time, in steps of 10 ms: 0 to 199"),
    _input("time_offset", 8, "while bit 7 is high, bits 6:0 are the offset of file_time from UTC in "
           "quarters of an hour; 80h is UTC"),
    _input("time_valid", 1, "there is a clock: file_time and related ports are valid"),
    _input("release", 1, "while high, gives the core to its user, as without files, once "
           "file_state is RELEASED; until then busy is high"),
    _output("ready", 1, "file_start will begin a recording"),
    _output("busy", 1, "a recording runs, or a slot is being searched for"),
    _output("done", 1, "one clock, at the end of every recording, a failed or refused one too"),
    _output("state", 3, "what the files stage does, see file_states"),
    _output("error", 4, "how the latest recording ended, see file_errors; valid from file_done on"),
    _output("refusal", 4, "while file_state is FULL or REFUSED: why, see file_errors"),
    _output("drive_error", 4, "with CUT_SHORT, CUT_IN_DOUBT or DRIVE: the error of the "
            "core, see errors"),
    _output("slot", 13, "slot of this or the latest recording, from file_start on", at=0x91C),
    _output("bytes", SUM, "bytes of its file, valid from file_done on; 0 for none",
            at=0x928, unit="bytes"),
)

_field = partial(port_field, _TABLE)

_BANK = (
    Register("FILE_CONTROL", 0x900, "starts and ends a recording that becomes a file", (
        _field("START", 0, "file_start", "begins a recording in the next free slot; ignored while "
               "FILE_STATUS.BUSY", access=Access.W1P),
        _field("STOP", 1, "file_stop", "ends the recording that runs; not together with START",
               access=Access.W1P),
        _field("DATED", 8, "file_dated", access=Access.RW),
        _field("RELEASE", 16, "file_release", access=Access.RW),
    )),
    Register("FILE_STATUS", 0x904, "what the files stage does", (
        # `file_done` is high for one clock only: the bank keeps it.
        Field("DONE", 0, 1, Access.W1C, "a recording has ended, a failed or refused one too"),
        _field("READY", 1, "file_ready", "START will begin a recording"),
        _field("BUSY", 2, "file_busy"),
        _field("STATE", 4, "file_state"),
        _field("ERROR", 8, "file_error"),
        _field("REFUSAL", 12, "file_refusal"),
        _field("DRIVE_ERROR", 16, "file_drive_error"),
    )),
    Register("FILE_INTERRUPT_ENABLE", 0x908, "bits of FILE_STATUS that raise irq", (
        Field("DONE", 0, 1, Access.RW, "irq is high while FILE_STATUS.DONE"),
    )),
    Register("FILE_TIME_FINE", 0x914, "the parts of the time that FILE_TIME does not have", (
        _field("TEN_MS", 0, "file_time_ten_ms", access=Access.RW),
        _field("OFFSET", 8, "file_time_offset", access=Access.RW),
        _field("VALID", 16, "file_time_valid", access=Access.RW),
    )),
)

FILE = Group("file", _TABLE, _BANK, exists=lambda configuration: configuration.files)
#: What belongs to a word of the stream.
FILE_END = Group("file_end", _END, exists=FILE.exists)

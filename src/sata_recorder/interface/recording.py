"""The ports and registers of the modes of a recording."""

from functools import partial
from typing import Any

from ..facts.described_enum import DescribedEnum
from .group import SUM, Group, PortRow, input_row, output_row, port_field, row
from .registers import Access, Field, Register

__all__ = ["RECORDING", "RecordingMode", "RecordingState", "SegmentState"]

#: Bits of a time.
_TIME = 64


class RecordingMode(DescribedEnum):
    """What a recording does with its space."""

    FIXED = 0, "fill it once, and end after the given number of words"
    UNTIL_STOPPED = 1, "fill it once, and end with stop, or when it is full"
    RING = 2, "fill it again and again, and end with stop"
    TRIGGERED = 3, "fill a part of it again and again until a trigger and for some words after it, " \
                   "then the next part"


class RecordingState(DescribedEnum):
    """What a recording does."""

    IDLE = 0, "no recording"
    STARTING = 1, "it has been requested"
    RUNNING = 2, "it accepts words, unless its space is full"
    CLOSING = 3, "it accepts no more words; those that it has are written"


class SegmentState(DescribedEnum):
    """What the segment that is being recorded does."""

    NONE = 0, "no segment"
    BEFORE = 1, "it waits for its trigger, if the mode has one"
    BEHIND = 2, "the words after its trigger are being recorded"
    BETWEEN = 3, "it has ended; the next one begins with the first word of its part"


def _input(name: str, width: int, meaning: str, **keywords: Any) -> PortRow:
    return input_row(f"recording_{name}", width, meaning, **keywords)


def _output(name: str, width: int, meaning: str, **keywords: Any) -> PortRow:
    return output_row(f"recording_{name}", width, meaning, **keywords)


_TABLE = (
    _input("mode", 2, "what a recording does with its sectors, see recording_modes; all inputs of "
           "recording_ but pps and trigger are taken with start"),
    _input("extend", 1, "a trigger after that of a segment and before its end makes the segment "
           "longer; else the first such trigger is that of the next segment"),
    _input("ahead", 17, "sectors by which a command may be longer than what is in the buffer; 0: "
           "stop counts to the word; 65536 or more: any number"),
    _input("words", SUM, "FIXED: words to record, 0 for all that the sectors hold; TRIGGERED: words "
           "of a segment after its trigger, 0 counts as 1", at=0xA10, unit="words"),
    _input("position", SUM, "FIXED, UNTIL_STOPPED, RING: sectors after lba at which the recording "
           "begins", at=0xA18, unit="sectors"),
    _input("part", SUM, "TRIGGERED: sectors of the part that each segment has", at=0xA20,
           unit="sectors"),
    _input("chunk", SUM, "TRIGGERED: sectors of an extent, not fewer than the buffer holds; after "
           "a segment up to three of them follow before the next part; 0: the part is one extent",
           at=0xA28, unit="sectors"),
    _input("segments", 16, "TRIGGERED: segments after which the recording ends; 0: as many as have "
           "a part", at=0xA30),
    _input("trigger", 1, "its rising edge is a trigger of a recording in the mode TRIGGERED; a word "
           "that is accepted in its clock is the first one after it"),
    _input("pps", 1, "pulse per second of any clock; its rising edge latches the time; 0 if "
           "it is not used"),
    _output("state", 2, "what the recording does, see recording_states"),
    _output("segment_state", 2, "what its segment does, see segment_states"),
    _output("triggers", 16, "triggers in this recording"),
    _output("segment_count", 16, "segments of this recording in the table; number n is entry n "
            "modulo 16", at=0xA34),
    _output("newest", SUM, "sectors of this recording that are written, or were passed over; 2 "
            "clocks late", at=0xA38, unit="sectors"),
    _output("oldest", SUM, "first sector of this recording that is still there in the space, or "
            "in the part of the segment that is recorded: no command has begun that writes "
            "over it; 3 clocks late", at=0xA40, unit="sectors"),
    _output("time", _TIME, "clocks since reset", at=0xA48, unit="clocks"),
    _output("pps_time", _TIME, "time of the latest rising edge of pps, which counts 3 clocks after "
            "it came", at=0xA50, unit="clocks"),
    _output("pps_edges", 32, "rising edges of pps since reset", at=0xA58),
    _input("segment_address", 7, "8 x entry + field of the table of segments to read, see segments"),
    _output("segment_data", _TIME, "the field, two clocks after the address"),
)

_field = partial(port_field, _TABLE)

_SEGMENT = "recording_segment_address", "recording_segment_data"

_BANK = (
    Register("RECORDING_CONTROL", 0xA00, "what a recording does, and its trigger", (
        _field("MODE", 0, "recording_mode", access=Access.RW),
        _field("EXTEND", 2, "recording_extend", access=Access.RW),
        _field("AHEAD", 8, "recording_ahead", access=Access.RW),
    )),
    Register("RECORDING_TRIGGER", 0xA04, "a trigger by a write; the pin is there, too", (
        _field("TRIGGER", 0, "recording_trigger", "a trigger of a recording in the mode TRIGGERED",
               access=Access.W1P),
    )),
    Register("RECORDING_STATE", 0xA08, "what a recording does", (
        _field("STATE", 0, "recording_state"),
        _field("SEGMENT_STATE", 4, "recording_segment_state"),
        _field("TRIGGERS", 16, "recording_triggers"),
    )),
    Register("RECORDING_SEGMENT", 0xC00, "field n % 8 of entry n / 8 of the table of segments", (
        Field("VALUE", 0, _TIME, Access.RO, "field n % 8 of entry n / 8 of the table of segments",
              port=_SEGMENT),), 1 << row(_TABLE, _SEGMENT[0]).width),
)

RECORDING = Group("recording", _TABLE, _BANK, exists=lambda configuration: configuration.extents == "modes")

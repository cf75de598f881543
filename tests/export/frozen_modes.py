"""What is frozen of a core with the modes of a recording, written down a second time."""

__all__ = ["CODES", "PINS", "PORTS", "REGISTERS", "WINDOWS"]

#: After the others, where the control is by pins.
PORTS = [
    ("input", "recording_mode", 2),
    ("input", "recording_extend", 1),
    ("input", "recording_ahead", 17),
    ("input", "recording_words", 48),
    ("input", "recording_position", 48),
    ("input", "recording_part", 48),
    ("input", "recording_chunk", 48),
    ("input", "recording_segments", 16),
    ("input", "recording_trigger", 1),
    ("input", "recording_pps", 1),
    ("output", "recording_state", 2),
    ("output", "recording_segment_state", 2),
    ("output", "recording_triggers", 16),
    ("output", "recording_segment_count", 16),
    ("output", "recording_newest", 48),
    ("output", "recording_oldest", 48),
    ("output", "recording_time", 64),
    ("output", "recording_pps_time", 64),
    ("output", "recording_pps_edges", 32),
    ("input", "recording_segment_address", 7),
    ("output", "recording_segment_data", 64),
]

#: The pins that are beside the registers.
PINS = ["recording_trigger", "recording_pps"]

#: Offset, access, and of each field its lowest bit, width and access.
REGISTERS = {
    "RECORDING_CONTROL": (0xA00, "rw", {
        "MODE": (0, 2, "rw"),
        "EXTEND": (2, 1, "rw"),
        "AHEAD": (8, 17, "rw")}),
    "RECORDING_TRIGGER": (0xA04, "rw", {"TRIGGER": (0, 1, "w1p")}),
    "RECORDING_STATE": (0xA08, "ro", {
        "STATE": (0, 2, "ro"),
        "SEGMENT_STATE": (4, 2, "ro"),
        "TRIGGERS": (16, 16, "ro")}),
    "RECORDING_WORDS_LOW": (0xA10, "rw", {"VALUE": (0, 32, "rw")}),
    "RECORDING_WORDS_HIGH": (0xA14, "rw", {"VALUE": (0, 16, "rw")}),
    "RECORDING_POSITION_LOW": (0xA18, "rw", {"VALUE": (0, 32, "rw")}),
    "RECORDING_POSITION_HIGH": (0xA1C, "rw", {"VALUE": (0, 16, "rw")}),
    "RECORDING_PART_LOW": (0xA20, "rw", {"VALUE": (0, 32, "rw")}),
    "RECORDING_PART_HIGH": (0xA24, "rw", {"VALUE": (0, 16, "rw")}),
    "RECORDING_CHUNK_LOW": (0xA28, "rw", {"VALUE": (0, 32, "rw")}),
    "RECORDING_CHUNK_HIGH": (0xA2C, "rw", {"VALUE": (0, 16, "rw")}),
    "RECORDING_SEGMENTS": (0xA30, "rw", {"VALUE": (0, 16, "rw")}),
    "RECORDING_SEGMENT_COUNT": (0xA34, "ro", {"VALUE": (0, 16, "ro")}),
    "RECORDING_NEWEST_LOW": (0xA38, "ro", {"VALUE": (0, 32, "ro")}),
    "RECORDING_NEWEST_HIGH": (0xA3C, "ro", {"VALUE": (0, 16, "ro")}),
    "RECORDING_OLDEST_LOW": (0xA40, "ro", {"VALUE": (0, 32, "ro")}),
    "RECORDING_OLDEST_HIGH": (0xA44, "ro", {"VALUE": (0, 16, "ro")}),
    "RECORDING_TIME_LOW": (0xA48, "ro", {"VALUE": (0, 32, "ro")}),
    "RECORDING_TIME_HIGH": (0xA4C, "ro", {"VALUE": (0, 32, "ro")}),
    "RECORDING_PPS_TIME_LOW": (0xA50, "ro", {"VALUE": (0, 32, "ro")}),
    "RECORDING_PPS_TIME_HIGH": (0xA54, "ro", {"VALUE": (0, 32, "ro")}),
    "RECORDING_PPS_EDGES": (0xA58, "ro", {"VALUE": (0, 32, "ro")}),
    "RECORDING_SEGMENT_LOW": (0xC00, "ro", {"VALUE": (0, 32, "ro")}),
    "RECORDING_SEGMENT_HIGH": (0xC04, "ro", {"VALUE": (0, 32, "ro")}),
}

#: Of those that are several: how many, and the bytes from one to the next.
WINDOWS = {"RECORDING_SEGMENT_LOW": (128, 8), "RECORDING_SEGMENT_HIGH": (128, 8)}

#: Name and number of all that is told in numbers.
CODES = {
    "recording_modes": {"FIXED": 0, "UNTIL_STOPPED": 1, "RING": 2, "TRIGGERED": 3},
    "recording_states": {"IDLE": 0, "STARTING": 1, "RUNNING": 2, "CLOSING": 3},
    "segment_states": {"NONE": 0, "BEFORE": 1, "BEHIND": 2, "BETWEEN": 3},
    "segments": {"first": 0,
                 "trigger": 1,
                 "end": 2,
                 "first_time": 3,
                 "trigger_time": 4,
                 "waited": 5,
                 "gap_time": 6,
                 "flags": 7},
}

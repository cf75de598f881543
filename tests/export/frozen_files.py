"""What is frozen of a core that makes files, written down a second time."""

__all__ = ["CODES", "PINS", "PORTS", "REGISTERS"]

#: After the others, where the control is by pins.
PORTS = [
    ("input", "s_axis_tlast", 1),
    ("input", "s_axis_tkeep", 4),
    ("input", "file_start", 1),
    ("input", "file_stop", 1),
    ("input", "file_length", 48),
    ("input", "file_interval", 16),
    ("input", "file_dated", 1),
    ("input", "file_time", 32),
    ("input", "file_time_ten_ms", 8),
    ("input", "file_time_offset", 8),
    ("input", "file_time_valid", 1),
    ("input", "file_release", 1),
    ("output", "file_ready", 1),
    ("output", "file_busy", 1),
    ("output", "file_done", 1),
    ("output", "file_state", 3),
    ("output", "file_error", 4),
    ("output", "file_refusal", 4),
    ("output", "file_drive_error", 4),
    ("output", "file_slot", 13),
    ("output", "file_bytes", 48),
]

#: The pins that are beside the registers.
PINS = ["s_axis_tlast", "s_axis_tkeep"]

#: Offset, access, and of each field its lowest bit, width and access.
REGISTERS = {
    "FILE_CONTROL": (0x900, "rw", {
        "START": (0, 1, "w1p"),
        "STOP": (1, 1, "w1p"),
        "DATED": (8, 1, "rw"),
        "RELEASE": (16, 1, "rw")}),
    "FILE_STATUS": (0x904, "rw", {
        "DONE": (0, 1, "w1c"),
        "READY": (1, 1, "ro"),
        "BUSY": (2, 1, "ro"),
        "STATE": (4, 3, "ro"),
        "ERROR": (8, 4, "ro"),
        "REFUSAL": (12, 4, "ro"),
        "DRIVE_ERROR": (16, 4, "ro")}),
    "FILE_INTERRUPT_ENABLE": (0x908, "rw", {"DONE": (0, 1, "rw")}),
    "FILE_INTERVAL": (0x90C, "rw", {"VALUE": (0, 16, "rw")}),
    "FILE_TIME": (0x910, "rw", {"VALUE": (0, 32, "rw")}),
    "FILE_TIME_FINE": (0x914, "rw", {
        "TEN_MS": (0, 8, "rw"),
        "OFFSET": (8, 8, "rw"),
        "VALID": (16, 1, "rw")}),
    "FILE_SLOT": (0x91C, "ro", {"VALUE": (0, 13, "ro")}),
    "FILE_LENGTH_LOW": (0x920, "rw", {"VALUE": (0, 32, "rw")}),
    "FILE_LENGTH_HIGH": (0x924, "rw", {"VALUE": (0, 16, "rw")}),
    "FILE_BYTES_LOW": (0x928, "ro", {"VALUE": (0, 32, "ro")}),
    "FILE_BYTES_HIGH": (0x92C, "ro", {"VALUE": (0, 16, "ro")}),
}

#: Name and number of all that is told in numbers.
CODES = {
    "file_states": {"OFFLINE": 0, "SEARCHING": 1, "READY": 2, "RECORDING": 3, "CLOSING": 4,
                    "FULL": 5, "REFUSED": 6, "RELEASED": 7},
    "file_errors": {"NONE": 0, "NO_DRIVE": 1, "NOT_PREPARED": 2, "DAMAGED": 3, "FULL": 4,
                    "TOO_LONG": 5, "EMPTY": 6, "CUT_SHORT": 7, "DRIVE": 8, "IN_DOUBT": 9,
                    "PARTS_DO_NOT_FIT": 10, "NOT_IN_THIS_MODE": 11, "RELEASED": 12,
                    "CUT_IN_DOUBT": 13, "CHANGED": 14, "SKIPPED": 15},
}

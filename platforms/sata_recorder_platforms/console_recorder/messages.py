"""What the console can send, as numbers: pages, fields in them, conditions and names."""

import enum


class Mistake(enum.IntEnum):
    """Why a line is answered by an error that is not the core's."""

    NONE = 0
    UNKNOWN = 1         # no such verb
    TOO_LONG = 2
    NOISE = 3           # a byte of the line was faulty or lost
    BAD_NUMBER = 4
    ARGUMENTS = 5       # too many, too few, or others
    BUSY = 6            # an operation runs
    NOT_RUNNING = 7     # no operation runs
    NOT_READY = 8       # there is no identified drive
    MISMATCH = 9        # words were played that are not those of the pattern
    RESET = 10          # the operation was ended by it
    NO_PHY = 11         # the PHY reports nothing about itself
    NO_COMMANDS = 12    # the core has no COMMAND
    RANGE = 13          # no sectors, or more than one command takes
    NO_FILES = 14       # the core makes none
    NOT_PREPARED = 15   # the drive has no table of recordings, or one of another version
    DAMAGED_TABLE = 16
    FULL = 17           # no slot is free
    NO_ROOM = 18        # the slot is too short
    EMPTY = 19          # a file without a word
    CUT_SHORT = 20      # an operation failed: the file has what was recorded before
    UNREADABLE = 21     # the drive failed while a slot was searched for
    IN_DOUBT = 22       # the file is there, but the drive was brought up again meanwhile, or sectors were passed over
    NO_MODES = 23       # the core has no rings and no segments
    NO_PARTS = 24       # the slot has no room for one of these
    CUT_IN_DOUBT = 25   # as CUT_SHORT, and more may be lost with the drive's cache
    NO_HISTOGRAMS = 26  # the core has none
    NO_FRAMES = 27      # the core makes none
    CHANGED = 28        # another system has changed the drive since it was prepared


class Page(enum.IntEnum):
    """What is printed at a time: an answer, or an event."""

    STATUS = 0
    IDENTIFY = 1
    RAW = 2
    OPERATION = 3
    SECTOR = 4
    COUNTERS = 5
    VERSION = 6
    HELP = 7
    MISTAKE = 8
    DONE = 9
    LINK_EVENT = 10
    READY_EVENT = 11
    ERROR_EVENT = 12
    JOURNAL = 13
    ENTRY = 14          # of the journal
    PHY = 15
    TASK = 16           # the answer to `command` and `trim`
    FILE = 17
    HISTOGRAM = 18
    HEALTH_EVENT = 19
    HEAT_EVENT = 20
    ACCESS = 21         # those that only some boards have are the last ones
    LANE = 22


class Kind(enum.IntEnum):
    """What a field is; its argument is one of the enumerations below, or a place in a memory."""

    END = 0             # of the page, or of a name
    DECIMAL = 1         # a Source
    HEX2 = 2            # a Source in 2 digits
    HEX8 = 3            # a Source in 8 digits
    NAME = 4            # a Name
    MEMORY = 5          # an entry of the ledger, a field of the journal's entry, a Figure, a
                        # FrameFigure: decimal
    BLOCK = 6           # a Block
    IF = 7              # a Flag: if it is low, the rest of the line is left out


class Source(enum.IntEnum):
    """Numbers that the printer can fetch."""

    CAPACITY = 0
    LBA = 1
    SECTORS = 2
    SECTORS_DONE = 3
    WORDS = 4
    CLOCKS = 5
    HELD_CYCLES = 6
    MEMORY = 7
    MISMATCHES = 8
    FIRST = 9           # index of the first word that was wrong
    EXPECTED = 10
    GOT = 11
    RATE = 12           # in 10 kB/s: printed with a point and two decimals
    HIGH_WATER = 13
    DRIVE_STATUS = 14
    DRIVE_ERROR = 15
    GENERATION = 16
    IDENTIFY = 17       # a dword of the IDENTIFY DEVICE data
    SECTOR = 18         # a dword of the sector that was dumped
    RETRIES = 19
    SKIPPED = 20
    LONGEST_STALL = 21
    ERROR_LBA = 22
    ENTRIES = 23        # of the journal
    RESULT_LBA = 24     # registers that the drive has sent
    RESULT_COUNT = 25
    RESULT_DEVICE = 26
    SLOT = 27           # of the file
    BYTES = 28
    SEGMENTS = 29
    PART = 30
    AFTER = 31         # words of a segment after its trigger; of a file the seconds of `every`


class Figure(enum.IntEnum):
    """Numbers of the PHY: the memory of its page."""

    LINE_RATE = 0
    COMRESETS = 1
    COMINITS = 2
    LINKS = 3
    LOCK_LOSSES = 4
    SIGNAL_LOSSES = 5
    CODE_ERRORS = 6
    DISPARITY_ERRORS = 7
    RECENT_ERRORS = 8
    SHORTEST_BURST = 9
    LONGEST_BURST = 10
    SHORTEST_GAP = 11
    LONGEST_GAP = 12
    TRAINING = 13
    BIST_ERRORS = 14


class FrameFigure(enum.IntEnum):
    """Numbers of the memory of the pages that end a recording: of its frames, of its commands."""

    STREAM_ID = 0
    KEPT = 1
    MISALIGNED = 2
    CELSIUS = 3         # of the drive


class AccessFigure(enum.IntEnum):
    """Numbers of the memory of the page that ends accesses."""

    SIZE = 0
    COUNT = 1
    ALIGN = 2
    SEED = 3
    SEQUENTIAL = 4      # 1: one after the other
    DONE = 5            # accesses that have ended
    WORDS = 6           # of all of them
    LEAST = 7           # clocks of the shortest
    SUM = 8             # clocks of all
    MOST = 9


class LaneFigure(enum.IntEnum):
    """Numbers of the memory of the page about a lane."""

    LANE = 0
    LANES = 1


class Block(enum.IntEnum):
    """Texts and dumps out of the IDENTIFY DEVICE data, and a sector."""

    MODEL = 0
    SERIAL = 1
    FIRMWARE = 2
    IDENTIFY = 3
    SECTOR = 4


class Flag(enum.IntEnum):
    """Conditions of a line."""

    UP = 0              # the link is up
    DOWN = 1
    GOOD = 2            # the end of a good answer
    FAILED = 3          # the core's error ends it
    MISTAKEN = 4        # a Mistake ends it
    MOVED = 5           # the operation was a recording or a playback
    PLAYED = 6
    DIFFERENT = 7       # ... with words that were wrong
    FLUSHED = 8         # the operation was a flush
    DUMPED = 9          # it read one sector
    MARKED = 10         # the journal has entries
    COMMANDED = 11      # the operation was `command`
    TRIMMED = 12        # ... was `trim`
    BROUGHT = 13        # ... and has brought data, all of them
    CAUSED = 14         # there is no file, or half of one, for an error of the core
    FILED = 15          # the operation was `file`
    RINGED = 16
    SEGMENTED = 17
    SPANNED = 18        # the operation was a recording or a playback, of nothing but an extent
    PLACED = 19         # it was `segments-at`
    REPEATED = 20       # its line had `every`
    FRAMED = 21         # the operation was a recording with frames
    RECORDED = 22       # the operation was a recording
    WARM = 24           # RECORDED, and the drive's temperature is known, and not below zero
    LONG = 23           # the drive's logical sectors have 4096 bytes


class Name(enum.IntEnum):
    """Small numbers that are printed as words."""

    ERROR = 0
    MISTAKE = 1
    RUNNING = 2
    LINK = 3
    READY = 4
    STOPPED = 5
    LBA48 = 6
    PATTERN = 7
    RECOVERING = 8
    MARK = 9            # of the journal's entry
    CAUSE = 10
    STATE = 11          # of the PHY
    REACHED = 12
    FALL = 13
    SIGNAL = 14
    LOCKED = 15
    RX_PAIR = 16
    TX_PAIR = 17
    BIST = 18
    FILE_CAUSE = 19
    HISTOGRAM = 20
    HEALTH = 21         # of the drive
    HEAT = 22           # of the drive
    LANE_LINK = 23
    LANE_READY = 24
    LANE_MEMBER = 25
    LANE_FAILED = 26
    LANE_FIRST = 27     # it has failed first
    LANE_LEDGER = 28    # whose ledger `counters` shows

"""What the console says: pages of lines in a ROM, with fields in them."""

import enum

from sata_recorder.console.grammar import FLUSH, PATTERNS, help_lines
from sata_recorder.export.description import codes
from sata_recorder.drive_port import Error, JournalKind
from sata_recorder.phy import BistState, Fall, PhyState

from .keywords import Running, keyword

__all__ = ["NAME_SIZE", "Block", "Figure", "Flag", "Kind", "Mistake", "Name", "Page", "Source",
           "rom"]


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
    NO_PHY = 11         # the PHY tells nothing about itself
    NO_COMMANDS = 12    # the core has no COMMAND
    RANGE = 13          # no sectors, or more than one command takes
    NO_FILES = 14       # the core makes none
    NOT_PREPARED = 15   # the drive has no table of recordings, or one of another version
    DAMAGED_TABLE = 16
    FULL = 17           # no slot is free
    NO_ROOM = 18        # the slot is too short
    EMPTY = 19          # a file without a word
    CUT_SHORT = 20      # an operation failed: the file has what was recorded before
    UNREADABLE = 21     # the drive failed while a slot was looked for
    IN_DOUBT = 22       # the file is there, but the drive was brought up again meanwhile
    NO_MODES = 23       # the core has no rings and no segments
    NO_PARTS = 24       # the slot has no room for one of these
    CUT_IN_DOUBT = 25   # as CUT_SHORT, and more may be lost with the drive's cache


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


class Kind(enum.IntEnum):
    """What a field is; its argument is one of the enumerations below, or a place in a memory."""

    END = 0             # of the page, or of a name
    DECIMAL = 1         # a Source
    HEX2 = 2            # a Source in 2 digits
    HEX8 = 3            # a Source in 8 digits
    NAME = 4            # a Name
    MEMORY = 5          # an entry of the ledger, a field of the journal's entry, a Figure: decimal
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
    BEHIND = 31         # words of a segment behind its trigger; of a file the seconds of `every`


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
    GOOD = 2            # the answer ends well
    FAILED = 3          # the core's error ends it
    MISTAKEN = 4        # a Mistake ends it
    MOVED = 5           # the operation was a recording or a play-back
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
    SPANNED = 18        # the operation was a recording or a play-back, of nothing but an extent
    PLACED = 19         # it was `segments-at`
    REPEATED = 20       # its line had `every`


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


_YES_NO = ("no", "yes")
_PAIR = ("straight", "inverted")
_STATES = tuple(state.name.removeprefix("HR_") for state in PhyState)
_WORDS = {
    Name.ERROR: tuple(map(keyword, Error)),
    Name.MISTAKE: tuple(map(keyword, Mistake)),
    Name.RUNNING: tuple(map(keyword, Running)),
    Name.LINK: ("down", "up"),
    Name.READY: _YES_NO,
    Name.STOPPED: _YES_NO,
    Name.LBA48: _YES_NO,
    Name.PATTERN: (*PATTERNS, *(f"{pattern} {FLUSH}" for pattern in PATTERNS)),
    Name.RECOVERING: _YES_NO,
    Name.MARK: ("none", *map(keyword, JournalKind)),
    Name.CAUSE: tuple(map(keyword, Error)),
    Name.STATE: _STATES,
    Name.REACHED: _STATES,
    Name.FALL: tuple(map(keyword, Fall)),
    Name.SIGNAL: _YES_NO,
    Name.LOCKED: _YES_NO,
    Name.RX_PAIR: _PAIR,
    Name.TX_PAIR: _PAIR,
    Name.BIST: tuple(map(keyword, BistState)),
    Name.FILE_CAUSE: tuple(map(keyword, Error)),
}

#: Characters that a name takes in the ROM, its end included.
NAME_SIZE = 16

_END = {"good": "{IF:GOOD}ok\n",
        "bad": "{IF:FAILED}error {NAME:ERROR}\n{IF:MISTAKEN}error {NAME:MISTAKE}\n"}

_STATUS = """\
link {NAME:LINK}
generation {DECIMAL:GENERATION}
ready {NAME:READY}
last-error {NAME:ERROR}
drive-status 0x{HEX2:DRIVE_STATUS}
drive-error 0x{HEX2:DRIVE_ERROR}
capacity {DECIMAL:CAPACITY}
operation {NAME:RUNNING}
recovering {NAME:RECOVERING}
retries {DECIMAL:RETRIES}
sectors-done {DECIMAL:SECTORS_DONE}
words {DECIMAL:WORDS}
clocks {DECIMAL:CLOCKS}
ok
"""

_IDENTIFY = """\
model {BLOCK:MODEL}
serial {BLOCK:SERIAL}
firmware {BLOCK:FIRMWARE}
capacity {DECIMAL:CAPACITY}
lba48 {NAME:LBA48}
ok
"""

_OPERATION = """\
{IF:SPANNED}{NAME:RUNNING} {DECIMAL:LBA} {DECIMAL:SECTORS} {NAME:PATTERN}
{IF:PLACED}{NAME:RUNNING} {DECIMAL:LBA} {DECIMAL:SECTORS} {DECIMAL:PART} {DECIMAL:BEHIND} {NAME:PATTERN}
{IF:FLUSHED}flush
{IF:DUMPED}dump {DECIMAL:LBA}
{IF:MOVED}sectors-done {DECIMAL:SECTORS_DONE}
{IF:MOVED}words {DECIMAL:WORDS}
{IF:PLACED}segment-count {DECIMAL:SEGMENTS}
clocks {DECIMAL:CLOCKS}
{IF:MOVED}mb-per-s {DECIMAL:RATE}
{IF:MOVED}stopped {NAME:STOPPED}
{IF:MOVED}retries {DECIMAL:RETRIES}
{IF:MOVED}skipped-sectors {DECIMAL:SKIPPED}
{IF:PLAYED}mismatches {DECIMAL:MISMATCHES}
{IF:DIFFERENT}first-mismatch {DECIMAL:FIRST} expected 0x{HEX8:EXPECTED} got 0x{HEX8:GOT}
{IF:FAILED}drive-status 0x{HEX2:DRIVE_STATUS}
{IF:FAILED}drive-error 0x{HEX2:DRIVE_ERROR}
{IF:FAILED}error-lba {DECIMAL:ERROR_LBA}
{IF:MARKED}journal-entries {DECIMAL:ENTRIES}
""" + _END["good"] + _END["bad"]

# The fields of an entry: kind and cause, position, length. There are no gaps, because
# the pattern waits for the drive.
_ENTRY = "{NAME:MARK} cause {NAME:CAUSE} lba {MEMORY:1} sectors {MEMORY:2}\n"

_PHY = """\
state HR_{NAME:STATE}
reached HR_{NAME:REACHED}
last-fall {NAME:FALL}
line-rate {MEMORY:LINE_RATE}
signal {NAME:SIGNAL}
locked {NAME:LOCKED}
rx-pair {NAME:RX_PAIR}
tx-pair {NAME:TX_PAIR}
comresets {MEMORY:COMRESETS}
cominits {MEMORY:COMINITS}
links {MEMORY:LINKS}
lock-losses {MEMORY:LOCK_LOSSES}
signal-losses {MEMORY:SIGNAL_LOSSES}
code-errors {MEMORY:CODE_ERRORS}
disparity-errors {MEMORY:DISPARITY_ERRORS}
recent-errors {MEMORY:RECENT_ERRORS} of 65536
burst-clocks {MEMORY:SHORTEST_BURST} to {MEMORY:LONGEST_BURST}
gap-clocks {MEMORY:SHORTEST_GAP} to {MEMORY:LONGEST_GAP}
training-clocks {MEMORY:TRAINING}
bist {NAME:BIST}
bist-errors {MEMORY:BIST_ERRORS}
ok
"""

_TASK = """\
{IF:TRIMMED}trim {DECIMAL:LBA} {DECIMAL:SECTORS}
{IF:COMMANDED}command
drive-status 0x{HEX2:DRIVE_STATUS}
drive-error 0x{HEX2:DRIVE_ERROR}
{IF:COMMANDED}result-lba {DECIMAL:RESULT_LBA}
{IF:COMMANDED}result-count {DECIMAL:RESULT_COUNT}
{IF:COMMANDED}result-device {DECIMAL:RESULT_DEVICE}
clocks {DECIMAL:CLOCKS}
{IF:MARKED}journal-entries {DECIMAL:ENTRIES}
{IF:BROUGHT}{BLOCK:SECTOR}
""" + _END["good"] + _END["bad"]

_FILE = """\
{IF:FILED}file {DECIMAL:LBA} {NAME:PATTERN}
{IF:RINGED}ring {NAME:PATTERN}
{IF:SEGMENTED}segments {DECIMAL:LBA} {DECIMAL:SECTORS} {NAME:PATTERN}
{IF:REPEATED}every {DECIMAL:BEHIND}
slot {DECIMAL:SLOT}
bytes {DECIMAL:BYTES}
{IF:SEGMENTED}segment-count {DECIMAL:SEGMENTS}
clocks {DECIMAL:CLOCKS}
{IF:FILED}mb-per-s {DECIMAL:RATE}
stopped {NAME:STOPPED}
{IF:CAUSED}cause {NAME:FILE_CAUSE}
""" + _END["good"] + _END["bad"]

_SECTOR = "dump {DECIMAL:LBA}\n{BLOCK:SECTOR}\nok\n"


def _counters():
    lines = [f"{entry['name'].replace('_', '-')} {{MEMORY:{entry['address']}}}"
             for entry in codes()["ledger"]]
    return "\n".join(["clocks {DECIMAL:CLOCKS}", *lines, "sectors-done {DECIMAL:SECTORS_DONE}",
                      "words {DECIMAL:WORDS}", "high-water {DECIMAL:HIGH_WATER}",
                      "held-cycles {DECIMAL:HELD_CYCLES}",
                      "longest-stall {DECIMAL:LONGEST_STALL}", "retries {DECIMAL:RETRIES}",
                      "skipped-sectors {DECIMAL:SKIPPED}", "ok", ""])


_ARGUMENTS = {Kind.DECIMAL: Source, Kind.HEX2: Source, Kind.HEX8: Source, Kind.NAME: Name,
              Kind.MEMORY: Figure, Kind.BLOCK: Block, Kind.IF: Flag}


def _items(text):
    """The items of a page: characters, and fields as 256 + 32 x kind + argument."""
    items = []
    while text:
        before, _, rest = text.partition("{")
        items += before.replace("\n", "\r\n").encode("ascii")
        field, _, text = rest.partition("}")
        if field:
            name, argument = field.split(":")
            kind = Kind[name]
            known = _ARGUMENTS[kind]
            place = int(argument) if argument.isdecimal() else known[argument]
            items.append(256 | kind << 5 | place)
    return items


def rom(version, parts):
    """The ROM: items of 9 bits, the first item of each page, the number of each name's first word.

    ``version`` is the page of that name, without its end; ``parts`` the board has, see `help_lines`.
    """
    end = 256 | Kind.END << 5
    items, names = [], {}
    for name, words in _WORDS.items():
        same = [other for other in names if _WORDS[other] == words]
        if same:
            names[name] = names[same[0]]
            continue
        names[name] = len(items) // NAME_SIZE
        for word in words:
            assert len(word) < NAME_SIZE, word
            items += [*word.encode("ascii"), end, *[0] * (NAME_SIZE - 1 - len(word))]
    texts = {
        Page.STATUS: _STATUS, Page.IDENTIFY: _IDENTIFY, Page.RAW: "{BLOCK:IDENTIFY}\nok\n",
        Page.OPERATION: _OPERATION, Page.SECTOR: _SECTOR, Page.COUNTERS: _counters(),
        Page.VERSION: f"{version}ok\n", Page.HELP: "\n".join([*help_lines(parts), "ok", ""]),
        Page.MISTAKE: _END["bad"],
        Page.DONE: "ok\n", Page.JOURNAL: "entries {DECIMAL:ENTRIES}\n", Page.ENTRY: _ENTRY,
        Page.PHY: _PHY, Page.TASK: _TASK, Page.FILE: _FILE,
        Page.LINK_EVENT: "{IF:UP}* link up generation {DECIMAL:GENERATION}\n{IF:DOWN}* link down\n",
        Page.READY_EVENT: "* ready {DECIMAL:CAPACITY}\n",
        Page.ERROR_EVENT: "* error {NAME:ERROR}\n",
    }
    pages = []
    for page in Page:
        pages.append(len(items))
        items += [*_items(texts[page]), end]
    return items, pages, [names[name] for name in Name]

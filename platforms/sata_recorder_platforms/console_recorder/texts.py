"""What the console sends: pages of lines in a ROM, with fields in them."""

from sata_recorder.pc.console.grammar import (ACCESSES, ALIGNMENT, DRIVE_FAILING, DRIVE_TOO_HOT, FLUSH, FRAMES, HEALTH,
                                           HISTOGRAMS, LANES, PATTERNS, STALLS, TEMPERATURE, TIMES, help_lines)
from sata_recorder.core.drive_port import Error, JournalKind
from sata_recorder.core.ledger.accounts import WholeAccount
from sata_recorder.export.description import codes
from sata_recorder.interface.array import MemberState
from sata_recorder.interface.health import HealthVerdict
from sata_recorder.facts.units import BINS
from sata_recorder.core.phy import BistState, Fall, PhyState
from sata_recorder.interface.temperature import HeatVerdict

from .keywords import Running, keyword
from .messages import (AccessFigure, Block, Figure, Flag, FrameFigure, Kind, LaneFigure, Mistake, Name, Page,
                       Source)

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
    Name.HISTOGRAM: (TIMES, STALLS),
    Name.HEALTH: tuple(map(keyword, HealthVerdict)),
    Name.HEAT: tuple(map(keyword, HeatVerdict)),
    Name.LANE_LINK: ("down", "up"),
    Name.LANE_READY: _YES_NO,
    Name.LANE_MEMBER: tuple(map(keyword, MemberState)),
    Name.LANE_FAILED: _YES_NO,
    Name.LANE_FIRST: _YES_NO,
    Name.LANE_LEDGER: ("lane", "whole"),
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
HEALTH
HEAT
ok
"""

_IDENTIFY = """\
model {BLOCK:MODEL}
serial {BLOCK:SERIAL}
firmware {BLOCK:FIRMWARE}
capacity {DECIMAL:CAPACITY}
lba48 {NAME:LBA48}
{IF:LONG}logical-sector 4096
ok
"""

_OPERATION = """\
{IF:SPANNED}{NAME:RUNNING} {DECIMAL:LBA} {DECIMAL:SECTORS} {NAME:PATTERN}
{IF:PLACED}{NAME:RUNNING} {DECIMAL:LBA} {DECIMAL:SECTORS} {DECIMAL:PART} {DECIMAL:AFTER} {NAME:PATTERN}
{IF:FLUSHED}flush
{IF:DUMPED}dump {DECIMAL:LBA}
{IF:MOVED}sectors-done {DECIMAL:SECTORS_DONE}
{IF:MOVED}words {DECIMAL:WORDS}
FRAMES
{IF:PLACED}segment-count {DECIMAL:SEGMENTS}
clocks {DECIMAL:CLOCKS}
{IF:MOVED}mb-per-s {DECIMAL:RATE}
{IF:MOVED}stopped {NAME:STOPPED}
{IF:MOVED}retries {DECIMAL:RETRIES}
{IF:MOVED}skipped-sectors {DECIMAL:SKIPPED}
MISALIGNED
{IF:RECORDED}HEALTH
{IF:RECORDED}HEAT
CELSIUS
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
{IF:REPEATED}every {DECIMAL:AFTER}
slot {DECIMAL:SLOT}
bytes {DECIMAL:BYTES}
FRAMES
{IF:SEGMENTED}segment-count {DECIMAL:SEGMENTS}
clocks {DECIMAL:CLOCKS}
{IF:FILED}mb-per-s {DECIMAL:RATE}
stopped {NAME:STOPPED}
MISALIGNED
{IF:RECORDED}HEALTH
{IF:RECORDED}HEAT
CELSIUS
{IF:CAUSED}cause {NAME:FILE_CAUSE}
""" + _END["good"] + _END["bad"]

_ACCESS = f"""\
access {{DECIMAL:LBA}} {{DECIMAL:SECTORS}} {{MEMORY:{AccessFigure.SIZE:d}}} {{MEMORY:{AccessFigure.COUNT:d}}}
{{IF:PLAYED}}way read
{{IF:RECORDED}}way write
align {{MEMORY:{AccessFigure.ALIGN:d}}}
seed {{MEMORY:{AccessFigure.SEED:d}}}
sequential {{MEMORY:{AccessFigure.SEQUENTIAL:d}}}
accesses {{MEMORY:{AccessFigure.DONE:d}}}
words {{MEMORY:{AccessFigure.WORDS:d}}}
clocks {{DECIMAL:CLOCKS}}
mb-per-s {{DECIMAL:RATE}}
latency-least {{MEMORY:{AccessFigure.LEAST:d}}}
latency-sum {{MEMORY:{AccessFigure.SUM:d}}}
latency-most {{MEMORY:{AccessFigure.MOST:d}}}
stopped {{NAME:STOPPED}}
retries {{DECIMAL:RETRIES}}
{{IF:PLAYED}}mismatches {{DECIMAL:MISMATCHES}}
{{IF:DIFFERENT}}first-mismatch {{DECIMAL:FIRST}} expected 0x{{HEX8:EXPECTED}} got 0x{{HEX8:GOT}}
{{IF:FAILED}}drive-status 0x{{HEX2:DRIVE_STATUS}}
{{IF:FAILED}}drive-error 0x{{HEX2:DRIVE_ERROR}}
{{IF:FAILED}}error-lba {{DECIMAL:ERROR_LBA}}
{{IF:MARKED}}journal-entries {{DECIMAL:ENTRIES}}
""" + _END["good"] + _END["bad"]

_LANE = f"""\
lane {{MEMORY:{LaneFigure.LANE:d}}}
lanes {{MEMORY:{LaneFigure.LANES:d}}}
link {{NAME:LANE_LINK}}
ready {{NAME:LANE_READY}}
member {{NAME:LANE_MEMBER}}
failed {{NAME:LANE_FAILED}}
failed-first {{NAME:LANE_FIRST}}
ledger {{NAME:LANE_LEDGER}}
ok
"""

# Of a recording with frames.
_FRAMES = (f"{{IF:FRAMED}}stream-id {{MEMORY:{FrameFigure.STREAM_ID:d}}}\n"
           f"{{IF:FRAMED}}frame-words {{MEMORY:{FrameFigure.KEPT:d}}}\n")
# With the files' own commands where it became one.
_MISALIGNED = f"{{IF:RECORDED}}misaligned {{MEMORY:{FrameFigure.MISALIGNED:d}}}\n"
_CELSIUS = f"{{IF:WARM}}drive-celsius {{MEMORY:{FrameFigure.CELSIUS:d}}}\n"

_SECTOR = "dump {DECIMAL:LBA}\n{BLOCK:SECTOR}\nok\n"


def _counters(parts):
    entries = {entry["address"]: entry["name"] for entry in codes()["ledger"]}
    if LANES in parts:
        entries |= {int(one): one.name.lower() for one in WholeAccount}
    lines = [f"{entries[address].replace('_', '-')} {{MEMORY:{address}}}" for address in sorted(entries)]
    return "\n".join(["clocks {DECIMAL:CLOCKS}", *lines, "sectors-done {DECIMAL:SECTORS_DONE}",
                      "words {DECIMAL:WORDS}", "high-water {DECIMAL:HIGH_WATER}",
                      "held-cycles {DECIMAL:HELD_CYCLES}",
                      "longest-stall {DECIMAL:LONGEST_STALL}", "retries {DECIMAL:RETRIES}",
                      "skipped-sectors {DECIMAL:SKIPPED}", "ok", ""])


def _complete(page, parts):
    """The page with the lines of what not every board has in their places."""
    page = page.replace("FRAMES\n", _FRAMES if FRAMES in parts else "")
    page = page.replace("MISALIGNED\n", _MISALIGNED if ALIGNMENT in parts else "")
    page = page.replace("CELSIUS\n", _CELSIUS if TEMPERATURE in parts else "")
    for part, word, line in ((HEALTH, "HEALTH\n", "drive-health {NAME:HEALTH}\n"),
                             (TEMPERATURE, "HEAT\n", "drive-heat {NAME:HEAT}\n")):
        if part in parts:
            page = page.replace(word, line)
        page = page.replace(f"{{IF:RECORDED}}{word}", "").replace(word, "")
    return page


def _histogram(parts):
    if HISTOGRAMS not in parts:
        return ""
    return "\n".join(["histogram {NAME:HISTOGRAM}",
                      *(f"bin-{n} {{MEMORY:{n}}}" for n in range(BINS)), "ok", ""])


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
    known = _WORDS
    if ACCESSES not in parts:
        known = known | {Name.RUNNING: _WORDS[Name.RUNNING][:Running.ACCESS]}
    if LANES not in parts:
        known = known | {Name.LANE_MEMBER: _YES_NO, Name.LANE_LEDGER: _YES_NO}
    for name, words in known.items():
        same = [other for other in names if known[other] == words]
        if same:
            names[name] = names[same[0]]
            continue
        names[name] = len(items) // NAME_SIZE
        for word in words:
            assert len(word) < NAME_SIZE, word
            items += [*word.encode("ascii"), end, *[0] * (NAME_SIZE - 1 - len(word))]
    texts = {
        Page.STATUS: _complete(_STATUS, parts), Page.IDENTIFY: _IDENTIFY, Page.RAW: "{BLOCK:IDENTIFY}\nok\n",
        Page.OPERATION: _complete(_OPERATION, parts), Page.SECTOR: _SECTOR,
        Page.COUNTERS: _counters(parts),
        Page.VERSION: f"{version}ok\n", Page.HELP: "\n".join([*help_lines(parts), "ok", ""]),
        Page.MISTAKE: _END["bad"],
        Page.DONE: "ok\n", Page.JOURNAL: "entries {DECIMAL:ENTRIES}\n", Page.ENTRY: _ENTRY,
        Page.HISTOGRAM: _histogram(parts), Page.PHY: _PHY, Page.TASK: _TASK,
        Page.FILE: _complete(_FILE, parts),
        Page.LINK_EVENT: "{IF:UP}* link up generation {DECIMAL:GENERATION}\n{IF:DOWN}* link down\n",
        Page.READY_EVENT: "* ready {DECIMAL:CAPACITY}\n",
        Page.ERROR_EVENT: "* error {NAME:ERROR}\n", Page.HEALTH_EVENT: f"* {DRIVE_FAILING}\n",
        Page.HEAT_EVENT: f"* {DRIVE_TOO_HOT}\n", Page.ACCESS: _ACCESS if ACCESSES in parts else "", Page.LANE: _LANE,
    }
    pages = []
    for page in Page:
        if page == Page.ACCESS and not {ACCESSES, LANES} & set(parts) or page == Page.LANE and LANES not in parts:
            continue
        pages.append(len(items))
        items += [*_items(texts[page]), end]
    return items, pages, [names[name] for name in Name]

"""The requests of the line protocol: one table for the board's ROM, the host's checks, the help
texts and docs/console.md.

    python -m sata_recorder.pc.console.grammar docs/console.md

rewrites the table between the markers of that page. The words are frozen: a board may be older or
newer than the program that talks to it.
"""

import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ACCESSES", "ACCESS_SECTORS", "ACCESS_WAYS", "ALIGNMENT", "BIST", "CLEAR", "COMMANDS", "DRIVE_FAILING",
           "DRIVE_TOO_HOT", "ENDLESS", "EVERY", "EVERY_BITS", "FILES", "FILE_VERBS", "FLUSH", "FRAMES", "HEALTH",
           "HISTOGRAMS", "IN", "LANES", "LANE_WAYS",
           "LINE_CHARACTERS", "MODES", "NUMBER_BITS", "OPERATIONS", "PARTS", "PATTERNS", "PIO",
           "PLACE_WAYS", "PROTOCOL", "RAW", "RECORDED", "STALLS", "TEMPERATURE", "TIMES", "TRIM_SECTORS", "VERBS",
           "BadLine", "Verb", "checked", "help_lines", "markdown", "number", "overwrites"]

#: Version of the line protocol.
PROTOCOL = 1
#: Characters of the longest line, without its end.
LINE_CHARACTERS = 63
#: Numbers are below 2 to the power of this.
NUMBER_BITS = 48

#: The words that may follow the numbers of a line.
PATTERNS = ("inc32", "dec32")
RAW, FLUSH = "raw", "flush"
BIST, CLEAR = "bist", "clear"
TIMES, STALLS = "commands", "stalls"
IN, PIO = "in", "pio"
#: The word before a number of seconds, which is below 2 to the power of EVERY_BITS.
EVERY, EVERY_BITS = "every", 16
#: What a board may have, besides what all have: any ATA command; files; rings and segments of files;
#: histograms of times; recordings in frames; a count of misaligned commands; the drive's health; its
#: temperature; accesses anywhere; the lanes of an array.
(COMMANDS, FILES, MODES, HISTOGRAMS, FRAMES, ALIGNMENT, HEALTH, TEMPERATURE, ACCESSES, LANES) = PARTS = (
    "commands", "files", "modes", "histograms", "frames", "alignment", "health", "temperature", "accesses", "lanes")
#: Which lane of an array: the first one, or the next one. A number could not follow, for those of an operation are kept
#: while it runs. With the last word the lane stays, and the ledger is that of the array.
LANE_WAYS = ("first", "next", "whole")
#: The event of a drive that has reported in a recording that it is failing.
DRIVE_FAILING = "drive failing"
#: The event of one that has reported that it is above its specified maximum operating temperature.
DRIVE_TOO_HOT = "drive too hot"
#: Most sectors of one `trim`: 64 ranges of 65,535.
TRIM_SECTORS = 64 * 65535
#: Most sectors of one access.
ACCESS_SECTORS = 2048
#: What an access does, the first one if nothing is said, and how its place is found, likewise.
ACCESS_WAYS, PLACE_WAYS = ("read", "write"), ("random", "sequential")


@dataclass(frozen=True)
class Verb:
    """A request.

    ``name``: its first word. ``numbers``: names of the numbers that follow, all of them.
    ``choices``: groups of words; one of each group may come after the numbers, in any order.
    ``brief``: what the board's `help` prints about it; None if nothing. ``meaning``: the same
    for people with more room. ``operation``: the drive does it, and the answer comes when it has.
    ``parts`` that a board needs for it, and not every one has: COMMANDS, FILES, MODES, HISTOGRAMS,
    FRAMES, ACCESSES, LANES.
    ``every``: EVERY and a number of seconds may come after the numbers.
    """

    name: str
    brief: str | None
    meaning: str
    numbers: tuple = ()
    choices: tuple = ()
    operation: bool = False
    parts: tuple = ()
    every: bool = False

    @property
    def usage(self) -> str:
        """The line as it is written in help texts."""
        return " ".join([self.name, *self.numbers,
                         *(f"[{'|'.join(group)}]" for group in self.choices),
                         *([f"[{EVERY} SECONDS]"] if self.every else [])])


_EXTENT = ("LBA", "SECTORS")

#: The verbs by name, in the order of `help`.
VERBS = {verb.name: verb for verb in (
    Verb("status", "link, drive, operation", "present state of link, drive and operation"),
    Verb("identify", "the drive",
         "model, serial number, firmware and capacity of the drive; with `raw` the 512 bytes of "
         "IDENTIFY DEVICE data, the lower byte of each word first", choices=((RAW,),)),
    Verb("record", "", "records the pattern; with `flush` it ends with FLUSH CACHE", _EXTENT,
         (PATTERNS, (FLUSH,)), operation=True),
    Verb("play", "and verify", "plays back and verifies", _EXTENT, (PATTERNS,), operation=True),
    Verb("flush", "the drive's write cache",
         "FLUSH CACHE: the drive writes its cache to the medium", operation=True),
    Verb("file", "on a prepared drive",
         "records the pattern from its first word on into the next free slot of a prepared drive, as a "
         "file of BYTES bytes; 0: until `stop`, or until the slot is full; `every`: kept up to date", ("BYTES",),
         (PATTERNS,), operation=True, parts=(FILES,), every=True),
    Verb("ring", "in a file",
         "records the pattern into the next free slot, again and again over what is oldest, until "
         "`stop`. `every` as with `file`", (), (PATTERNS,), operation=True, parts=(FILES, MODES), every=True),
    Verb("segments", "in a file",
         "records the pattern into the next free slot: rings of PART sectors, each of which ends WORDS "
         "words after a trigger, until none has room or `stop`. `every` as with `file`", ("PART", "WORDS"),
         (PATTERNS,), operation=True, parts=(FILES, MODES), every=True),
    Verb("ring-at", "no file",
         "records the pattern into these sectors, again and again over what is oldest, until `stop`", _EXTENT,
         (PATTERNS, (FLUSH,)), operation=True, parts=(MODES,)),
    Verb("segments-at", "no file",
         "records the pattern into these sectors: rings of PART sectors, each of which ends WORDS words after "
         "a trigger, until none has room or `stop`", (*_EXTENT, "PART", "WORDS"), (PATTERNS, (FLUSH,)),
         operation=True, parts=(MODES,)),
    Verb("trigger", "a segment", "the trigger of the segment that is recorded", parts=(MODES,)),
    Verb("time", "of the next file",
         "the time, for the next `file`. EXFAT: a timestamp of exFAT in bits 31:0, steps of 10 ms in "
         "39:32, the offset from UTC in 47:40", ("EXFAT",), parts=(FILES,)),
    Verb("frames", "of recordings",
         "puts each recording from now on, except `segments`, into frames of VITA 49: the next one with the stream "
         "identifier STREAM, each one after it with the next number; 0: no more frames", ("STREAM",), parts=(FRAMES,)),
    Verb("dump", "a sector", "one sector: lines of an offset and 16 bytes, hexadecimal", ("LBA",),
         operation=True),
    Verb("command", "any ATA command",
         "any ATA command. REGISTERS: Command in bits 7:0, Device in 15:8, Features in 31:16, Count "
         "in 47:32. With `in` it brings 512 bytes by DMA, with `pio` by PIO", ("REGISTERS", "LBA"),
         ((IN, PIO),), operation=True, parts=(COMMANDS,)),
    Verb("trim", "sectors",
         f"DATA SET MANAGEMENT, TRIM: the drive may forget these sectors, at most "
         f"{TRIM_SECTORS}", _EXTENT, operation=True, parts=(COMMANDS,)),
    Verb("counters", "of the last operation",
         "the ledger of the last operation, and the recorder's counters"),
    Verb("histogram", "of times",
         "how long commands have taken since `histogram clear`, or with `stalls` how long the drive has stalled, from "
         "128 clocks on: `bin-N` counts those of 2^N to 2^(N+1) - 1 clocks",
         choices=((TIMES, STALLS, CLEAR),), parts=(HISTOGRAMS,)),
    Verb("journal", "what it left in doubt",
         "the journal of the operation that runs, or of the last one"),
    Verb("phy", "the line to the drive",
         "what the PHY does and has seen of the line; with `bist` its loop-back test begins, with "
         "`clear` its counts start over", choices=((BIST, CLEAR),)),
    Verb("stop", "the operation",
         "ends the recording or playback that runs; the answer to that operation follows"),
    Verb("reset", "link and drive",
         "resets the core: COMRESET, all counters 0; an operation that runs ends with "
         "`error reset`"),
    Verb("version", "of the station", "of the protocol and of the core"),
    Verb("help", None, "the verbs"),
    # A board without accesses knows none of their words.
    Verb("places", "of accesses",
         "where the next accesses go: multiples of ALIGN sectors, 1 or 8, after their first sector, drawn from SEED "
         "(`random`), or one after the other", ("ALIGN", "SEED"), (PLACE_WAYS,), parts=(ACCESSES,)),
    Verb("access", "anywhere",
         f"COUNT accesses of SIZE sectors each, at most {ACCESS_SECTORS}, within these SECTORS: they read and verify "
         "the pattern, or `write` it. `places` sets where they go; without it at random, at multiples of 8",
         (*_EXTENT, "SIZE", "COUNT"), (ACCESS_WAYS,), operation=True, parts=(ACCESSES,)),
    # Nor does a board with one drive know this one.
    Verb("lane", "of the array",
         "a lane of the array, or the `next` one: its link, its drive, whether it has failed. Ledger and IDENTIFY "
         "DEVICE data are those of this lane from then on; after `whole` the ledger is the array's",
         choices=(LANE_WAYS,),
         parts=(LANES,)),
)}
#: Names of the verbs whose answer comes when the drive has done it.
OPERATIONS = tuple(name for name, verb in VERBS.items() if verb.operation)
#: Those of them that make a file.
FILE_VERBS = ("file", "ring", "segments")
#: Those that record more than their sectors hold.
ENDLESS = ("ring-at", "segments-at")
#: All that record.
RECORDED = ("record", *ENDLESS, *FILE_VERBS)

_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]+")
_MOST = (1 << NUMBER_BITS) - 1


class BadLine(ValueError):
    """A line that no board would take; the text states why."""


def number(word: str) -> int:
    """The value of a number: decimal, or hexadecimal with 0x in front."""
    return int(word, 16 if word.startswith("0x") else 10)


def checked(words: Sequence[str]) -> str:
    """The line of ``words``, a verb and what follows it; raises :class:`BadLine`."""
    name, *rest = (word.lower() for word in words)
    if name not in VERBS:
        raise BadLine(f"{name}: no such verb; they are {', '.join(VERBS)}")
    verb = VERBS[name]
    wanted = len(verb.numbers)
    numbers, others = rest[:wanted], rest[wanted:]
    for meaning, word in zip(verb.numbers, numbers):
        _check_number(meaning, word, _MOST)
    if len(numbers) < wanted:
        raise BadLine(f"{name}: {verb.numbers[len(numbers)]} is missing: {verb.usage}")
    free = [*verb.choices, *([(EVERY,)] if verb.every else [])]
    more = iter(others)
    for word in more:
        group = next((group for group in free if word in group), None)
        if group is None:
            raise BadLine(f"{word}: does not belong here: {verb.usage}")
        free.remove(group)
        if word == EVERY:
            seconds = next(more, None)
            if seconds is None:
                raise BadLine(f"{name}: SECONDS is missing: {verb.usage}")
            _check_number("SECONDS", seconds, (1 << EVERY_BITS) - 1)
    return " ".join([name, *rest])


def overwrites(line: str) -> bool:
    """Whether the request ``line`` writes to sectors, or lets the drive forget them; not for ``command``."""
    verb, *rest = line.lower().split() or [""]
    return verb in (*RECORDED, "trim") or verb == "access" and "write" in rest


def _check_number(meaning, word, most):
    if not _NUMBER.fullmatch(word):
        raise BadLine(f"{meaning} = {word}: is no number, decimal or hexadecimal with 0x")
    if number(word) > most:
        raise BadLine(f"{meaning} = {word}: at most {most}")


def help_lines(parts: Collection[str] = PARTS) -> list[str]:
    """The lines of the answer to `help`, without its end, of a board that has these ``parts``."""
    return [f"{verb.usage}: {verb.brief}" if verb.brief else verb.usage
            for verb in VERBS.values()
            if verb.brief is not None and set(verb.parts) <= set(parts)]


BEGIN, END = "<!-- requests:begin -->\n", "<!-- requests:end -->"


def markdown() -> str:
    """The table of docs/console.md."""
    rows = [(f"`{verb.usage}`".replace("|", r"\|"), verb.meaning) for verb in VERBS.values()]
    return "".join(f"| {' | '.join(row)} |\n" for row in (("request", ""), ("---", "---"), *rows))


def _replace(path):
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{path}: the markers requests:begin and requests:end are missing")
    path.write_text(before + begin + markdown() + end + after)


if __name__ == "__main__":
    _replace(Path(sys.argv[1]))

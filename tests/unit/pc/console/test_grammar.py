"""The table of requests: what is made from it agrees with what has been spoken so far."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sata_recorder.cli.verbs import cli
from sata_recorder.pc.console import grammar
from sata_recorder_platforms.console_recorder.keywords import (
    Choice,
    Running,
    Verb,
    allowed,
    periodic,
    tree,
    wanted,
)

PAGE = Path(__file__).resolve().parents[4] / "docs/console.md"

# The words are frozen: new ones may be added.
FROZEN = """\
status: link, drive, operation
identify [raw]: the drive
record LBA SECTORS [inc32|dec32] [flush]
play LBA SECTORS [inc32|dec32]: and verify
flush: the drive's write cache
file BYTES [inc32|dec32] [every SECONDS]: on a prepared drive
ring [inc32|dec32] [every SECONDS]: in a file
segments PART WORDS [inc32|dec32] [every SECONDS]: in a file
ring-at LBA SECTORS [inc32|dec32] [flush]: no file
segments-at LBA SECTORS PART WORDS [inc32|dec32] [flush]: no file
trigger: a segment
time EXFAT: of the next file
frames STREAM: of recordings
dump LBA: a sector
command REGISTERS LBA [in|pio]: any ATA command
trim LBA SECTORS: sectors
counters: of the last operation
histogram [commands|stalls|clear]: of times
journal: what it left in doubt
phy [bist|clear]: the line to the drive
stop: the operation
reset: link and drive
version: of the station
places ALIGN SEED [random|sequential]: of accesses
access LBA SECTORS SIZE COUNT [read|write]: anywhere
lane [first|next|whole]: of the array
"""


def test_frozen():
    assert "".join(f"{line}\n" for line in grammar.help_lines()) == FROZEN
    assert grammar.OPERATIONS == ("record", "play", "flush", "file", "ring", "segments", "ring-at",
                                  "segments-at", "dump", "command", "trim", "access")
    assert (grammar.PROTOCOL, grammar.LINE_CHARACTERS, grammar.NUMBER_BITS) == (1, 63, 48)


def test_page():
    """`python -m sata_recorder.pc.console.grammar docs/console.md` has been run."""
    text = PAGE.read_text()
    assert grammar.markdown() in text
    assert text.partition(grammar.BEGIN)[2].partition(grammar.END)[0] == grammar.markdown()


def test_help():
    text = CliRunner().invoke(cli, ["console", "--help"], terminal_width=240).stdout
    for verb in grammar.VERBS.values():
        assert verb.usage in text and verb.meaning in text


def _member(word):
    return word.upper().replace("-", "_")


def test_numbers_of_the_gateware():
    assert [verb.name for verb in Verb] == ["NONE", *map(_member, grammar.VERBS)]
    assert [which.name for which in Running] == ["NONE", *map(_member, grammar.OPERATIONS)]
    assert {verb: wanted(verb) for verb in Verb if wanted(verb)} == {
        Verb.RECORD: 2, Verb.PLAY: 2, Verb.FILE: 1,
        Verb.SEGMENTS: 2, Verb.RING_AT: 2, Verb.SEGMENTS_AT: 4, Verb.TIME: 1, Verb.FRAMES: 1, Verb.DUMP: 1,
        Verb.COMMAND: 2, Verb.TRIM: 2, Verb.PLACES: 2, Verb.ACCESS: 4}
    assert {verb: allowed(verb) for verb in Verb if any(allowed(verb))} == {
        Verb.IDENTIFY: ([Choice.RAW], False),
        Verb.RECORD: ([Choice.INC32, Choice.DEC32], True),
        Verb.PLAY: ([Choice.INC32, Choice.DEC32], False),
        Verb.FILE: ([Choice.INC32, Choice.DEC32], False),
        Verb.RING: ([Choice.INC32, Choice.DEC32], False),
        Verb.RING_AT: ([Choice.INC32, Choice.DEC32], True),
        Verb.SEGMENTS_AT: ([Choice.INC32, Choice.DEC32], True),
        Verb.SEGMENTS: ([Choice.INC32, Choice.DEC32], False),
        Verb.COMMAND: ([Choice.IN, Choice.PIO], False),
        Verb.HISTOGRAM: ([Choice.COMMANDS, Choice.STALLS, Choice.CLEAR], False),
        Verb.PHY: ([Choice.BIST, Choice.CLEAR], False),
        Verb.PLACES: ([Choice.RANDOM, Choice.SEQUENTIAL], False),
        Verb.ACCESS: ([Choice.READ, Choice.WRITE], False),
        Verb.LANE: ([Choice.FIRST, Choice.NEXT, Choice.WHOLE], False)}
    found = [verb for verb in Verb if periodic(verb)]
    assert found == [Verb.FILE, Verb.RING, Verb.SEGMENTS]
    # The number after `every` has the place of the last one.
    assert max(map(wanted, found)) < max(map(wanted, Verb)) == 4


def find(word, root, nodes):
    """The meaning of ``word`` in the tree, as the gateware looks for it."""
    place, node = root, {"meaning": 0, "leaf": 0}
    for char in word.encode():
        if node["leaf"]:
            return 0
        while nodes[place]["char"] != char:
            place = nodes[place]["other"]
            if place == 0:
                return 0
        node = nodes[place]
        place += 1
    return node["meaning"]


@pytest.mark.parametrize("words, root", [(Verb, 1), (Choice, 2)])
def test_tree(words, root):
    found = tree(grammar.PARTS)
    for word in words:
        if word:
            name = word.name.lower().replace("_", "-")
            assert find(name, found[root], found[0]) == word
            assert find(name + "x", found[root], found[0]) == 0
            assert find("x" + name, found[root], found[0]) == 0
            assert find(name[:-1], found[root], found[0]) in (0, *words)
    assert len(found[0]) <= 256 and max(words) < 32       # what a node of LAYOUT can say


@pytest.mark.parametrize("word, value", [("0", 0), ("007", 7), ("0x1f", 31), ("10", 10)])
def test_number(word, value):
    assert grammar.number(word) == value
    assert grammar.checked(["Dump", word]) == f"dump {word}"


@pytest.mark.parametrize("line, told", [
    ("foo", "foo: no such verb; they are status, identify, record, play, flush, file, ring, "
            "segments, ring-at, segments-at, trigger, time, frames, dump, command, trim, counters, histogram, "
            "journal, phy, stop, reset, version, help, places, access, lane"),
    ("record 1", "record: SECTORS is missing: record LBA SECTORS [inc32|dec32] [flush]"),
    ("dump 0x", "LBA = 0x: is no number, decimal or hexadecimal with 0x"),
    ("dump 0x1000000000000", "LBA = 0x1000000000000: at most 281474976710655"),
    ("status now", "now: does not belong here: status"),
    ("ring every", "ring: SECONDS is missing: ring [inc32|dec32] [every SECONDS]"),
    ("file 5 every dec32", "SECONDS = dec32: is no number, decimal or hexadecimal with 0x"),
    ("ring every 65536", "SECONDS = 65536: at most 65535"),
    ("ring every 5 every 6", "every: does not belong here: ring [inc32|dec32] [every SECONDS]"),
    ("record 1 2 every 5", "every: does not belong here: record LBA SECTORS [inc32|dec32] [flush]"),
])
def test_bad_line(line, told):
    with pytest.raises(grammar.BadLine) as error:
        grammar.checked(line.split())
    assert str(error.value) == told


@pytest.mark.parametrize("line", ["file 5 every 0xffff dec32", "ring dec32 every 0", "segments 5 6 every 7"])
def test_every(line):
    assert grammar.checked(line.upper().split()) == line

"""Lines, as they are typed and as they must not be."""

import random

import pytest
from amaranth.sim import Simulator

from sata_recorder.pc.console.grammar import LINE_CHARACTERS as LONGEST, NUMBER_BITS
from sata_recorder_platforms.console_recorder.keywords import Choice, Verb
from sata_recorder_platforms.console_recorder.parser import NUMBERS, Parser
from sata_recorder_platforms.console_recorder.messages import Mistake


def requests(data, *, faults=(), keep=False, flushes=False, files=False, lates=False, accesses=False):
    """The requests in ``data``: (verb, choice, mistake, numbers), or with ``flushes``
    (choice, mistake, flush); bytes at ``faults`` are bad. ``files`` and ``accesses`` are those of the parser.
    With ``lates`` whether each is late.
    """
    parser = Parser(files=files, parts=["accesses", "lanes"] if accesses else [])
    words = [parser.numbers.word_select(place, NUMBER_BITS) for place in range(NUMBERS)]
    found = []

    async def feed(ctx):
        ctx.set(parser.keep, keep)
        for place, byte in enumerate(data):
            ctx.set(parser.i.payload, {"data": byte, "fault": place in faults})
            ctx.set(parser.i.valid, 1)
            await ctx.tick().until(parser.i.ready)
            ctx.set(parser.i.valid, 0)
        await ctx.tick().repeat(200)
        assert ctx.get(parser.empty) == (data[-1:] in (b"\r", b"\n", b""))

    async def take(ctx):
        rng = random.Random(1)
        while True:
            ctx.set(parser.o.ready, rng.random() < 0.1)
            _, _, valid, ready, request, *numbers = await ctx.tick().sample(
                parser.o.valid, parser.o.ready, parser.o.payload, *words)
            if valid and ready:
                found.append((Verb(request.verb), Choice(request.choice),
                              Mistake(request.mistake), numbers, request.flush, request.late))

    simulator = Simulator(parser)
    simulator.add_clock(1e-6)
    simulator.add_testbench(feed)
    simulator.add_testbench(take, background=True)
    simulator.run()
    if flushes:
        return [(choice, mistake, flush) for _, choice, mistake, _, flush, _ in found]
    if lates:
        return [bool(request[-1]) for request in found]
    return [request[:4] for request in found]


def test_verbs():
    verbs = [verb for verb in Verb if verb]
    arguments = {Verb.RECORD: " 1 2", Verb.PLAY: " 1 2", Verb.DUMP: " 1", Verb.COMMAND: " 1 2",
                 Verb.TRIM: " 1 2", Verb.FILE: " 1",
                 Verb.TIME: " 1", Verb.FRAMES: " 1", Verb.SEGMENTS: " 1 2", Verb.RING_AT: " 1 2",
                 Verb.SEGMENTS_AT: " 1 2 3 4", Verb.PLACES: " 1 2", Verb.ACCESS: " 1 2 3 4"}
    names = {verb: verb.name.replace("_", "-") for verb in verbs}
    lines = [f"{spelt}{arguments.get(verb, '')}\r" for verb, name in names.items()
             for spelt in (name.lower(), name, name.title())]
    assert [found[:3] for found in requests("".join(lines).encode(), accesses=True)] == \
        [(verb, Choice.NONE, Mistake.NONE) for verb in verbs for _ in range(3)]


@pytest.mark.parametrize("text, mistake", [
    (b"access 1 2 3 4\r", Mistake.UNKNOWN), (b"places 8 0\r", Mistake.UNKNOWN),
    (b"play 1 2 read\r", Mistake.ARGUMENTS), (b"play 1 2 random\r", Mistake.ARGUMENTS)])
def test_words_of_accesses_that_a_board_does_not_have(text, mistake):
    assert requests(text)[0][2] == mistake


@pytest.mark.parametrize("text, numbers, choice", [
    (b"record 0 1", [0, 1], Choice.NONE),
    (b"record 0x10 0XfF INC32", [0x10, 0xFF], Choice.INC32),
    (b" \tplay  281474976710655\t0xffffffffffff  dec32 ", [2**48 - 1, 2**48 - 1], Choice.DEC32),
    (b"play 007 0x000000000000000001", [7, 1], Choice.NONE),
])
def test_moves(text, numbers, choice):
    [request] = requests(text + b"\n")
    assert request[1:] == (choice, Mistake.NONE, [*numbers, 0, 0])


@pytest.mark.sample(2)
@pytest.mark.parametrize("text, choice, flush", [
    (b"record 0 1 flush", Choice.NONE, 1), (b"record 0 1 Inc32 FLUSH", Choice.INC32, 1),
    (b"record 0 1 flush dec32", Choice.DEC32, 1), (b"record 0 1 dec32", Choice.DEC32, 0),
    (b"flush", Choice.NONE, 0),
])
def test_flush(text, choice, flush):
    """A word of one line is none of the next one."""
    found = requests(text + b"\nrecord 0 1\n", flushes=True)
    assert found == [(choice, Mistake.NONE, flush), (Choice.NONE, Mistake.NONE, 0)]


@pytest.mark.wide
@pytest.mark.sample(2)
@pytest.mark.parametrize("text, choice, numbers", [
    (b"file 7 every 65535", Choice.NONE, [7, 0, 0, 65535]), (b"Ring Every 0x10", Choice.NONE, [0, 0, 0, 16]),
    (b"file 7 dec32 every 2", Choice.DEC32, [7, 0, 0, 2]), (b"file 7 every 2 inc32", Choice.INC32, [7, 0, 0, 2]),
    (b"segments 5 6 every 9", Choice.NONE, [5, 6, 0, 9])])
def test_every(text, choice, numbers):
    """Its number is in no line without it, but those of a line that is kept stay."""
    found = requests(text + b"\rring\rsegments-at 1 2 3 4\rfile 8\r", files=True)
    assert [request[1:] for request in found] == [
        (choice, Mistake.NONE, numbers), (Choice.NONE, Mistake.NONE, [*numbers[:3], 0]),
        (Choice.NONE, Mistake.NONE, [1, 2, 3, 4]), (Choice.NONE, Mistake.NONE, [8, 2, 3, 0])]
    assert requests(text + b"\r", files=True, keep=True)[0][3] == [0] * 4


WRONG_EVERY = (b"ring every", b"file every 5", b"file every 5 6", b"file 5 every", b"file 5 every 6 7",
               b"file 5 6 every 7", b"ring every 5 every 6", b"ring every every 5", b"segments 5 every 6 7",
               b"record 1 2 every 5", b"segments-at 1 2 3 4 every 5", b"time 5 every 5", b"file 5 ever 6",
               b"file 5 everyy 6")


@pytest.mark.wide
@pytest.mark.parametrize("files, lines", [(True, WRONG_EVERY), (False, (b"file 7 every 2", *WRONG_EVERY))])
def test_every_that_does_not_belong_there(files, lines):
    """A board without files has it nowhere. The next line is as if it had never been."""
    found = requests(b"".join(line + b"\rfile 3\r" for line in lines), files=files)
    assert [(line, wrong[2]) for line, wrong in zip(lines, found[::2])] == [
        (line, Mistake.ARGUMENTS) for line in lines]
    assert {right[:3] for right in found[1::2]} == {(Verb.FILE, Choice.NONE, Mistake.NONE)}


MISTAKES = [
    (b"foo", Mistake.UNKNOWN), (b"statu", Mistake.UNKNOWN), (b"statuss", Mistake.UNKNOWN),
    (b"s", Mistake.UNKNOWN), (b"5", Mistake.UNKNOWN), (b"\x80tatus", Mistake.UNKNOWN),
    (b"\xf3tatus", Mistake.UNKNOWN), (b"record@", Mistake.UNKNOWN), (b"inc32", Mistake.UNKNOWN),
    (b"record 1", Mistake.ARGUMENTS), (b"record 1 2 3", Mistake.ARGUMENTS),
    (b"record 1 2 3 4 5 6", Mistake.ARGUMENTS), (b"record", Mistake.ARGUMENTS),
    (b"record 1 2 flush flush", Mistake.ARGUMENTS), (b"play 1 2 flush", Mistake.ARGUMENTS),
    (b"record 1 2 inc32 flush dec32", Mistake.ARGUMENTS), (b"flush flush", Mistake.ARGUMENTS),
    (b"identify raw flush", Mistake.ARGUMENTS), (b"dump 1 flush", Mistake.ARGUMENTS),
    (b"record flush 1", Mistake.ARGUMENTS), (b"record 1 2 flus", Mistake.ARGUMENTS),
    (b"journal 1", Mistake.ARGUMENTS), (b"journa", Mistake.UNKNOWN),
    (b"record 1 2 raw", Mistake.ARGUMENTS), (b"record 1 2 inc32 dec32", Mistake.ARGUMENTS),
    (b"record 1 2 incsr", Mistake.ARGUMENTS), (b"record 1 2 inc3", Mistake.ARGUMENTS),
    (b"status 1", Mistake.ARGUMENTS), (b"status raw", Mistake.ARGUMENTS),
    (b"identify inc32", Mistake.ARGUMENTS), (b"record a 5", Mistake.ARGUMENTS),
    (b"record -1 5", Mistake.ARGUMENTS), (b"dump 1 2", Mistake.ARGUMENTS),
    (b"dump 281474976710656", Mistake.BAD_NUMBER), (b"dump 0x1000000000000", Mistake.BAD_NUMBER),
    (b"dump 999999999999999999999999", Mistake.BAD_NUMBER), (b"dump 0x", Mistake.BAD_NUMBER),
    (b"dump 12a", Mistake.BAD_NUMBER), (b"dump 1x2", Mistake.BAD_NUMBER),
    (b"dump 00x2", Mistake.BAD_NUMBER), (b"dump 0x0x1", Mistake.BAD_NUMBER),
    (b"dump 0xfg", Mistake.BAD_NUMBER), (b"dump 1.5", Mistake.BAD_NUMBER),
    (b"x" * (LONGEST + 1), Mistake.TOO_LONG), (b"status" + b" " * LONGEST, Mistake.TOO_LONG),
    (b"x" * 300, Mistake.TOO_LONG), (b"x" * LONGEST, Mistake.UNKNOWN),
]


@pytest.mark.wide
def test_mistakes():
    """Each is told, and the next line is as if it had never been."""
    found = requests(b"".join(text + b"\rdump 5\r" for text, _ in MISTAKES))
    assert [(text, wrong[2]) for (text, _), wrong in zip(MISTAKES, found[::2])] == MISTAKES
    for right in found[1::2]:
        assert right[:3] == (Verb.DUMP, Choice.NONE, Mistake.NONE) and right[3][0] == 5
    assert len(found) == 2 * len(MISTAKES)


def test_noise():
    wrong, right = requests(b"status\nstatus\n", faults=(2,))
    assert wrong[2] == Mistake.NOISE and right[:3] == (Verb.STATUS, Choice.NONE, Mistake.NONE)


@pytest.mark.parametrize("data", [b"\r\n\r\n\n", b"  \r \t \n", b""])
def test_nothing(data):
    assert requests(data) == []


def test_numbers_are_kept():
    assert requests(b"dump 7\rrecord 1 2\r", keep=True)[1][3] == [0] * 4


@pytest.mark.parametrize("files", [False, True])
def test_late(files):
    """Whose numbers are not its own is told of; with files the number after `every` is one that each has."""
    lines = b"dump 7\rstatus\rrecord 1 2 dec32\rflush\r"
    assert requests(lines, keep=True, files=files, lates=True) == [True, files, True, files]
    assert requests(lines, files=files, lates=True) == [False] * 4


def test_any_bytes(seed):
    """Garbage never stops the parser: each line with something in it is one request."""
    rng = random.Random(seed)
    words = [b"record", b"play", b"0x12", b"99", b"inc32", b"sta", b"\xff\x00", b"!", b"raw"]
    lines = [b" ".join(rng.choice(words) for _ in range(rng.randrange(1, 9)))
             for _ in range(40)]
    found = requests(b"\n".join([*lines, b"status\r"]))
    assert len(found) == 41 and found[-1][:3] == (Verb.STATUS, Choice.NONE, Mistake.NONE)

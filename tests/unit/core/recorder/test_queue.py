"""A recording of several extents: no boundary is seen in the stream, and a stop counts to the word.

The reference is a list: the words that were accepted, cut into the extents that were taken.
"""

import functools
import random
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts.fake_drive import FakeDrive
from contracts.knobs import Remedy
from sata_recorder.core.drive_port import Operation
from sata_recorder.facts.units import SECTOR_WORDS
from unit.core.recorder.on_fake import compiled

EXAMPLES = settings().max_examples
CAPACITY = 96
#: No command is kept short: all words will come.
ANY = 65536


@functools.cache
def bench(depth, **parameters):
    drive = FakeDrive(sectors=CAPACITY, command_sectors=16, queued=True)
    return compiled(drive, depth=depth, **parameters)


@dataclass
class QueueRun:
    """What became of a recording."""

    accepted: list = field(default_factory=list)
    taken: list = field(default_factory=list)
    #: Of each clock in which a word was refused: how many were accepted before, and how many the
    #: extents have that were taken 5 clocks earlier or more.
    refused: list = field(default_factory=list)
    clocks: int = 0
    clocks_after_stop: int = 0
    disk: list = field(default_factory=list)
    words: int = 0
    begun: int = 0


async def record(bench, spans, *, ahead=ANY, seed=0, user=1.0, drive=1.0, late=0, stop=None,
                 fails=None):
    """Records into ``spans``, the later ones from the queue, each offered ``late`` clocks after the
    one before was taken; ``stop`` with the word of that number."""
    rng, run = random.Random(seed), QueueRun()
    get, memory = bench.get, bench.component.drive.words
    bench.set(queue__ahead=ahead, knobs__longest=0, knobs__waits=0, knobs__fails=0,
              knobs__remedy=Remedy.AGAIN, knobs__retains=fails is not None)
    await bench.pulse(control__start=1, control__operation=Operation.RECORD_FLUSH,
                      control__lba=spans[0][0], control__sectors=spans[0][1])
    run.taken, clocks, coming, wait = [spans[0]], [0], [*spans[1:]], late
    total = sum(sectors for _, sectors in spans) * SECTOR_WORDS
    offered = stopped = False
    for run.clocks in range(200_000):
        if get("ready") and run.clocks > 10:
            break
        number = len(run.accepted)
        offered = offered or rng.random() < user
        ends = stop is not None and not stopped and number >= min(stop, total)
        if ends:
            offered, stopped = False, True
        wait = max(0, wait - 1)
        lba, sectors = coming[0] if coming else (0xBAD, 0xBAD)
        bench.set(i__valid=offered, i__payload=number + 1, knobs__stalls=rng.random() >= drive,
                  control__stop=ends, queue__valid=bool(coming) and not wait, queue__lba=lba,
                  queue__sectors=sectors)
        if fails is not None:
            # Not for ever: a command of many words would hardly come to its end.
            bench.set(knobs__fails=run.clocks < 20_000 and rng.random() < fails,
                      knobs__fail_after=rng.randrange(600))
        if offered and get("i__ready"):
            assert not stopped or ends, "a word is accepted after the stop"
            run.accepted.append(number + 1)
            offered = False
        elif offered and run.accepted and not stopped:
            run.refused.append((number, SECTOR_WORDS * sum(
                sectors for clock, (_, sectors) in zip(clocks, run.taken)
                if run.clocks - clock >= 5)))
        run.clocks_after_stop += stopped
        if get("queue__ready") and coming and not wait:
            run.taken.append(coming.pop(0))
            clocks.append(run.clocks)
            wait = late
        await bench.tick()
    else:
        raise AssertionError("the recording does not end")
    bench.set(i__valid=0, queue__valid=0, control__stop=0, knobs__fails=0)
    await bench.tick(12)
    run.words, run.begun = get("counters__words"), get("queue__begun")
    run.disk = [bench.peek(memory[n]) for n in range(SECTOR_WORDS * CAPACITY)]
    return run


def expected(spans, accepted):
    """The disk after a recording: LBA to the words of the sector that was written last; and the sectors
    for which no word came. A command that had begun before the stop has written zeros there."""
    disk, words, without = {}, [*accepted], set()
    for lba, sectors in spans:
        for sector in range(lba, lba + sectors):
            if words:
                piece, words = words[:SECTOR_WORDS], words[SECTOR_WORDS:]
                disk[sector] = piece + [0] * (SECTOR_WORDS - len(piece))
            else:
                without.add(sector)
    return disk, without


def check(run):
    disk, without = expected(run.taken, run.accepted)
    for sector, words in disk.items():
        found = run.disk[SECTOR_WORDS * sector:SECTOR_WORDS * (sector + 1)]
        assert found == words or sector in without and not any(found), sector
    written = {n // SECTOR_WORDS for n, word in enumerate(run.disk) if word}
    assert written <= set(disk) <= written | without, "nothing is written anywhere else"
    assert run.words == len(run.accepted)
    assert run.accepted == [*range(1, len(run.accepted) + 1)]


LAYOUTS = [((5, 3), (50, 2), (20, 7)), ((0, 1),) * 6, ((7, 4), (11, 4), (7, 4)), ((1, 9),)]


@pytest.mark.parametrize("ahead", [0, 1, ANY])
@pytest.mark.parametrize("spans", LAYOUTS)
def test_no_word_is_refused(spans, ahead):
    """The drive is as fast as the stream: from the first word to the last none waits."""
    run = bench(512).run(record, spans, ahead=ahead)
    check(run)
    assert run.taken == [*spans]
    assert len(run.accepted) == SECTOR_WORDS * sum(sectors for _, sectors in spans)
    assert [number for number, room in run.refused if number < room] == []
    if spans != LAYOUTS[1]:     # extents so short that the drive is at the last one it knows
        assert [number for number, _ in run.refused if number < len(run.accepted)] == []


@settings(max_examples=EXAMPLES // 5)
@given(data=st.data(), depth=st.sampled_from([128, 512]), seed=st.integers(0, 2**32 - 1),
       ahead=st.sampled_from([0, 1, 3, ANY]), late=st.sampled_from([0, 1, 100, 900]),
       user=st.sampled_from([1, 0.7, 0.2]), drive=st.sampled_from([1, 0.6, 0.3]))
def test_any_extents(data, depth, seed, ahead, late, user, drive):
    """Of any length, at any place, offered at any time; with a stop or without."""
    spans = data.draw(st.lists(st.tuples(st.integers(0, 80), st.integers(1, 9)), min_size=1,
                               max_size=6))
    stop = data.draw(st.none() | st.integers(0, 1500))
    run = bench(depth).run(record, spans, ahead=ahead, seed=seed, user=user, drive=drive,
                           late=late, stop=stop)
    check(run)
    room = SECTOR_WORDS * sum(sectors for _, sectors in run.taken)
    assert len(run.accepted) <= room
    if stop is None:
        assert len(run.accepted) == room
    if not ahead:
        # All that was begun is what was accepted: no command was longer.
        assert run.begun == -(-len(run.accepted) // SECTOR_WORDS)


@pytest.mark.parametrize("ahead", [0, 2])
@pytest.mark.parametrize("stop", [1, 127, 128, 129, 500, 1000])
def test_stop_is_short(stop, ahead):
    """From a stop to the end: what is in the buffer, and no more than ``ahead`` sectors of zeros."""
    run = bench(512).run(record, [(0, 90)], ahead=ahead, stop=stop)
    check(run)
    assert len(run.accepted) == stop
    assert run.begun <= -(-stop // SECTOR_WORDS) + ahead
    assert run.clocks_after_stop <= 2 * 512 + SECTOR_WORDS * ahead + 200


def test_stop_without_limit_fills_the_command():
    """As it was before: the command in flight is filled up with zeros."""
    run = bench(512).run(record, [(0, 90)], ahead=ANY, stop=500)
    check(run)
    assert run.begun == 16


@settings(max_examples=EXAMPLES // 10)
@example(seed=759, ahead=2, stop=None)
@given(seed=st.integers(0, 2**32 - 1), ahead=st.sampled_from([0, 2]),
       stop=st.none() | st.integers(0, 1200))
def test_commands_fail(seed, ahead, stop):
    """Whatever fails is moved again, across boundaries too; not a word is lost or doubled."""
    spans = [(5, 3), (50, 2), (20, 7), (60, 1)]
    run = bench(2048, retain=True).run(record, spans, ahead=ahead, seed=seed, user=0.8, stop=stop,
                                       fails=0.01)
    check(run)

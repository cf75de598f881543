"""The modes of a recording, against a list of words in Python."""

import functools
import random
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sata_recorder.core.drive_port import Operation
from sata_recorder.interface.recording import RecordingMode, RecordingState
from sata_recorder.facts.units import SECTOR_WORDS
from unit.compiled_bench import CompiledBench
from unit.bricks.modes.fake_core import recording_on_fake

EXAMPLES = settings().max_examples
DEPTH = 512
CAPACITY = 64
ANY = 65536
#: Clocks that ``oldest`` is late: on a line no data follow a command as soon.
_OLDEST_LATENCY = 3


@functools.cache
def bench(depth=DEPTH):
    return CompiledBench(recording_on_fake(depth=depth))


@dataclass
class RingRun:
    accepted: int = 0
    #: Words that were refused between the first one that was accepted and the last one.
    refused: int = 0
    clocks: int = 0
    disk: list = field(default_factory=list)
    newest: int = 0
    oldest: int = 0
    #: What oldest, newest and disk were at random clocks, oldest with its latency.
    looks: list = field(default_factory=list)


async def record(bench, mode, lba, sectors, *, words=0, ahead=0, stop=None, seed=0, user=1.0,
                 drive=1.0, looks=0.0):
    """A whole recording; ``stop`` comes when this many words have been accepted."""
    rng, run, get = random.Random(seed), RingRun(), bench.get
    memory = bench.component.core.drive.words

    def disk():
        return [bench.peek(memory[n]) for n in range(SECTOR_WORDS * CAPACITY)]

    await bench.pulse(user__control__start=1, user__control__operation=Operation.RECORD,
                      user__control__lba=lba, user__control__sectors=sectors,
                      user__recording__mode=mode, user__recording__words=words, user__recording__ahead=ahead)
    assert get("user__status__busy") and get("user__recording__state") == RecordingState.STARTING
    offered = stopped = False
    waits, content = 0, None
    for run.clocks in range(100_000):
        if get("user__status__done"):
            break
        offered = offered or rng.random() < user
        ends = not stopped and stop is not None and run.accepted >= stop
        stopped |= ends
        bench.set(user__i__valid=offered and not ends, user__i__payload=run.accepted + 1,
                  user__control__stop=ends, knobs__stalls=rng.random() >= drive)
        if offered and not ends:
            if get("user__i__ready"):
                assert not stopped, "a word is accepted after the stop"
                run.accepted += 1
                run.refused, waits, offered = run.refused + waits, 0, False
            else:
                waits += run.accepted > 0
        if run.clocks % 50 == 0 and rng.random() < looks:
            newest, content = get("user__recording__newest"), disk()
        elif run.clocks % 50 == _OLDEST_LATENCY and content:
            run.looks.append((get("user__recording__oldest"), newest, content))
            content = None
        await bench.tick()
    else:
        raise AssertionError("the recording does not end")
    bench.set(user__i__valid=0, user__control__stop=0)
    await bench.tick(4)
    assert get("user__recording__state") == RecordingState.IDLE and get("user__status__ready")
    assert get("user__counters__words") == run.accepted
    run.newest, run.oldest = get("user__recording__newest"), get("user__recording__oldest")
    run.disk = disk()
    return run


def sector_words(sector, accepted=1 << 30):
    """The words of a sector of a recording, in which each word is its number and 1."""
    first = SECTOR_WORDS * sector
    return [n + 1 if n < accepted else 0 for n in range(first, first + SECTOR_WORDS)]


def check_space(run, lba, sectors, *, disk=None, oldest=None, newest=None, accepted=None):
    """Each sector from the oldest to the newest is where it belongs."""
    disk = disk or run.disk
    accepted = run.accepted if accepted is None else accepted
    for sector in range(run.oldest if oldest is None else oldest,
                        run.newest if newest is None else newest):
        place = SECTOR_WORDS * (lba + sector % sectors)
        assert disk[place:place + SECTOR_WORDS] == sector_words(sector, accepted), sector


def check_around(run, lba, sectors):
    """Nothing is written outside of the space."""
    written = {n // SECTOR_WORDS for n, word in enumerate(run.disk) if word}
    assert written <= {*range(lba, lba + sectors)}


@pytest.mark.sample(6)
@pytest.mark.parametrize("ahead", [0, ANY])
@pytest.mark.parametrize("words", [1, 127, 128, 129, 500, 1024, 1279, 1280, 1281, 0])
def test_fixed(words, ahead):
    """This many words, or all of the space; no command is longer than the words need."""
    run = bench().run(record, RecordingMode.FIXED, 5, 10, words=words, ahead=ahead)
    assert run.accepted == min(words or 1280, 1280)
    assert (run.oldest, run.newest) == (0, -(-run.accepted // SECTOR_WORDS))
    check_space(run, 5, 10)
    check_around(run, 5, run.newest)
    assert run.refused == 0


@pytest.mark.parametrize("stop", [1, 128, 700, None])
def test_until_stopped(stop):
    """Until stop, or until the space is full."""
    run = bench().run(record, RecordingMode.UNTIL_STOPPED, 5, 10, stop=stop)
    assert run.accepted == (stop or 1280)
    assert (run.oldest, run.newest) == (0, -(-run.accepted // SECTOR_WORDS))
    check_space(run, 5, 10)
    check_around(run, 5, run.newest)
    assert run.refused == 0


@pytest.mark.parametrize("stop", [1, 1279, 1280, 1281, 3000, 5 * 1280 + 77])
def test_ring(stop):
    """Round and round without a word refused; what is left is the latest that the space holds."""
    run = bench().run(record, RecordingMode.RING, 5, 10, stop=stop)
    assert (run.accepted, run.refused) == (stop, 0)
    sectors = -(-stop // SECTOR_WORDS)
    assert (run.oldest, run.newest) == (max(0, sectors - 10), sectors)
    check_space(run, 5, 10)
    check_around(run, 5, 10)


@pytest.mark.parametrize("before", range(5))
def test_stop_while_it_starts(before):
    """From the clock after the start on a stop counts."""
    async def script(bench):
        await bench.pulse(user__control__start=1, user__control__operation=Operation.RECORD,
                          user__control__lba=1, user__control__sectors=9,
                          user__recording__mode=RecordingMode.RING, user__recording__ahead=0)
        bench.set(user__i__valid=1)
        await bench.tick(before)
        await bench.pulse(user__control__stop=1)
        for _ in range(2000):
            if bench.get("user__status__done"):
                return bench.get("user__counters__words")
            await bench.tick()
        raise AssertionError("the recording does not end")
    assert bench().run(script) <= 1


@settings(max_examples=EXAMPLES // 5)
# A readback in the clock in which the drive takes the first word over the oldest one.
@example(mode=RecordingMode.RING, lba=0, sectors=11, words=0, stop=2938, ahead=5, seed=0, user=1,
         drive=1)
@given(mode=st.sampled_from([RecordingMode.FIXED, RecordingMode.UNTIL_STOPPED, RecordingMode.RING]),
       lba=st.integers(0, 40), sectors=st.integers(4, 20), words=st.integers(0, 3000),
       stop=st.integers(0, 4000), ahead=st.sampled_from([0, 1, 5, ANY]),
       seed=st.integers(0, 2**32 - 1), user=st.sampled_from([1, 0.7, 0.3]),
       drive=st.sampled_from([1, 0.6]))
def test_any_recording(mode, lba, sectors, words, stop, ahead, seed, user, drive):
    """Two recordings, the second one after the first: each as the list of words has it."""
    async def script(bench):
        for extra in (0, 1):
            run = await record(bench, mode, lba, sectors, words=words, stop=stop, ahead=ahead,
                               seed=seed + extra, user=user, drive=drive, looks=0.2)
            room = SECTOR_WORDS * sectors
            most = {RecordingMode.FIXED: min(words or room, room), RecordingMode.UNTIL_STOPPED: room,
                    RecordingMode.RING: 1 << 30}[mode]
            assert run.accepted == min(stop, most)
            needed = -(-run.accepted // SECTOR_WORDS)
            assert needed <= run.newest <= needed + 2 * ahead
            if ahead == 0:
                assert run.newest == needed
            check_space(run, lba, sectors)
            for oldest, newest, disk in run.looks:
                # While it records, too; the last sector may be filled up already.
                check_space(run, lba, sectors, disk=disk, oldest=oldest,
                            newest=min(newest, run.accepted // SECTOR_WORDS))
    bench().run(script)


@pytest.mark.parametrize("operation", [Operation.PLAY, Operation.FLUSH])
def test_other_operations_pass_through(operation):
    async def script(bench):
        run = await record(bench, RecordingMode.FIXED, 5, 2, words=256)
        assert run.accepted == 256
        await bench.pulse(user__control__start=1, user__control__operation=operation,
                          user__control__lba=5, user__control__sectors=2)
        assert bench.get("user__status__busy") and bench.get("user__recording__state") == RecordingState.IDLE
        came = []
        bench.set(user__o__ready=1)
        for _ in range(3000):
            if bench.get("user__status__done"):
                return came
            if bench.get("user__o__valid"):
                came.append(bench.get("user__o__payload"))
            await bench.tick()
        raise AssertionError("it does not end")
    words = [*range(1, 257)] if operation == Operation.PLAY else []
    assert bench(4096).run(script) == words

"""The lengths of lines in the log of a recording: what the stage writes is what a PC expects, line by line."""

import functools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.bricks.files.fake_core import CLOCK_HZ, TIME, FilesCore, data_of
from unit.core.phy.compiled import Compiled

from sata_recorder.bricks.files.line_runs import LineRuns
from sata_recorder.bricks.files.table_format import LINE_RUNS
from sata_recorder.interface.file import FileError
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import LineLengths, Log, chosen, finalise

SLOT_SECTORS = 32


def kept(sizes, most_bytes=1 << 32, most_lines=1 << 32):
    """`LineLengths` of lines of these ``sizes``, as a log has them."""
    runs = []
    for size in sizes:
        if size > most_bytes - 4:
            break
        if runs and runs[-1][0] == size and runs[-1][1] < most_lines - 1:
            runs[-1] = size, runs[-1][1] + 1
        elif len(runs) == LINE_RUNS:
            break
        else:
            runs.append((size, 1))
    return LineLengths(len(sizes), tuple(runs))


def sizes_of(rng, kind, count):
    if kind == "equal":
        return [rng.randint(1, 90)] * count
    if kind == "two":
        return [rng.choice((20, 21)) for _ in range(count)]
    return [rng.randint(1, 90) for _ in range(count)]


@functools.cache
def line_runs(**bits):
    return Compiled(LineRuns(**bits))


@settings(max_examples=settings().max_examples // 4)
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(["equal", "two", "any"]), count=st.integers(0, 60),
       often=st.sampled_from([1, 0.5]))
def test_runs(seed, kind, count, often):
    """Also after another recording, and with lines of one word in each clock."""
    rng = random.Random(seed)
    for sizes in sizes_of(rng, "any", 3), sizes_of(rng, kind, count):
        assert counted(line_runs(), rng, sizes, often) == kept(sizes)


@pytest.mark.parametrize("sizes", [[12] * 70, [16] * 200, [20] * 3 + [124] * 3 + [20] * 3, [5, 125, 8], [128, 8],
                                   [8] * 16 + [4], [8] * 15 * 31 + [4], [8] * 15 * 32])
def test_more_than_a_number_has_bits_for(sizes):
    """Of a line, and of a run, with fewer bits."""
    assert counted(line_runs(word_bits=5, count_bits=4), random.Random(1), sizes, 1) == kept(sizes, 128, 16)


def counted(dut, rng, sizes, often):
    """What the brick has counted of lines of these ``sizes``; ``often``: how probable it is that a word passes."""
    dut.set(begin=1, passes=0)
    dut.edge(1)
    dut.set(begin=0)
    for size in sizes:
        words = -(-size // 4)
        for word in range(words):
            while rng.random() >= often:
                dut.set(passes=0, ends=rng.getrandbits(1))
                dut.edge(1)
            ends = word == words - 1
            dut.set(passes=1, ends=ends, spare=-size % 4 if ends else rng.randrange(4))
            dut.edge(1)
    dut.set(passes=0)
    for _ in range(4):
        dut.edge(1)
    runs = []
    for run in range(dut.get("runs")):
        dut.set(address=run)
        dut.edge(1)
        runs.append((dut.get("length"), dut.get("count")))
    return LineLengths(dut.get("lines"), tuple(runs))


def offer(core, rng, sizes):
    """Lines of these sizes, each of whole words in the stream; what each of them is."""
    lines = [rng.randbytes(size) for size in sizes]
    for line in lines:
        core.offer(line, last=True)
    return lines


def shown(lines, first, data):
    """Each line in ``data``, which begins with byte ``first`` of the recording: number, bytes, whether it is whole."""
    return [(one.number, data[one.first_byte:one.first_byte + one.bytes], one.whole)
            for one in lines.within(first, first + len(data))]


@pytest.mark.parametrize("by", ["stop", "length"])
@pytest.mark.parametrize("kind, count", [("equal", 40), ("any", 20), ("any", 90), ("two", 1), ("any", 0)])
def test_a_file(disk, seen, kind, count, by):
    """The log is that of the reference, and the lines are where it shows them."""
    before, rng = disk(), random.Random(count)
    core = FilesCore(disk(), lines=True, offers=0.7)
    assert core.find_slot()
    sizes = sizes_of(rng, kind, count)
    lines = offer(core, rng, sizes)
    rest = rng.randbytes(12)        # of a line that does not end
    core.offer(rest)
    size = 4 * len(core.words) - (by == "length")
    core.start(size if by == "length" else 0, time=TIME)
    core.until(lambda: not core.words)
    if by == "stop":
        core.tick(stop=1)
    core.until(lambda: core.done)
    assert (core.get("error"), core.get("bytes")) == (FileError.NONE, size)
    drive = seen(before)
    slot, recording = drive.slots[0], seen(core.disk).find(1)
    sector = bytes(before[512 * slot.directory_lba:512 * slot.directory_lba + 512])
    log = Log(1, size, slot.lba, CLOCK_HZ, started=TIME, crc32=recording.log.crc32, model="SATA DRIVE MODEL",
              serial="SN0001", lines=kept(sizes))
    _, wrote, _, _ = finalise(slot, sector, 4096, log)
    assert core.steps[-4] == (slot.log_lba, wrote.content)
    assert recording.log.lines == kept(sizes)
    got = shown(recording.log.lines, 0, data_of(core, seen))
    known = kept(sizes).known
    assert got[:known] == [(number, line, True) for number, line in enumerate(lines[:known])]
    if known == count:
        end = (count, rest[:12 - (by == "length")], False)
        assert got[known:] == [end]
    else:
        assert got[known:] == [] and not recording.log.lines.are_known


@pytest.mark.sample(4)
@pytest.mark.parametrize("interval", [0, 1])
@pytest.mark.parametrize("mode", [RecordingMode.RING, RecordingMode.TRIGGERED])
def test_in_the_order_of_the_recording(disk, seen, mode, interval):
    """Lines of a ring that has wrapped, and of segments, also where the recording is interrupted for updates."""
    rng = random.Random(mode)
    core = FilesCore(disk(3, recording_bytes=512 * SLOT_SECTORS), modes=True, lines=True, offers=0.3)
    assert core.find_slot()
    words = 128 * 50
    if mode == RecordingMode.RING:
        core.table = [(0, 0, words, 0, 0, 0, 0, 0)]
    else:
        core.firsts = [0, 20, 41]
        core.table = [(128 * first, 128 * first + 3, end, 0, 0, 0, 0, 3)
                      for first, end in ((0, 2560), (20, 5248), (41, words))]
    sizes = [400] * 30 + [95] + [400] * 40
    lines = offer(core, rng, sizes)
    while len(core.words) > words:
        core.words.pop()
    core.start(mode=mode, part=10, segments=3, interval=interval, time=TIME)
    core.until(lambda: not core.words)
    core.tick(stop=1)
    core.until(lambda: core.done)
    assert core.get("error") == FileError.NONE and bool(core.resumed) == bool(interval)
    drive = seen(core.disk)
    recording = drive.find(1)
    for segment in [one.number for one in recording.segments] if mode == RecordingMode.TRIGGERED else [None]:
        one = chosen(recording, segment)
        extents, size = recording.part(segment)
        data = b"".join(bytes(core.disk[512 * part.lba:512 * (part.lba + part.sectors)]) for part in extents)[:size]
        got = shown(recording.log.lines, 4 * one.first_word, data)
        assert all(line == lines[number] for number, line, whole in got if whole)
        assert sum(whole for *_, whole in got) > 8
        assert [number for number, *_ in got] == list(range(got[0][0], got[0][0] + len(got)))

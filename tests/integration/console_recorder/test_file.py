"""`file` of the console recorder: what it has recorded is a file on the PC."""

import struct

import pytest
from integration.console_recorder.bench import FILES, SKIPPING, ConsoleBench, fields

from sata_recorder.pc.volume import Timestamp, prepare, verify

pytestmark = pytest.mark.wide

#: Of what was prepared; the rest of the drive is nobody's.
SECTORS = 1 << 13
#: Of a short one: its slots are full soon.
ROOM = 64 << 10


def pattern(size, *, decreasing=False):
    """This many bytes of the pattern from its first word on."""
    words = range(-(-size // 4))
    return b"".join(struct.pack("<I", ~word & 0xFFFFFFFF if decreasing else word)
                    for word in words)[:size]


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "disk.img"
    prepare(path, sectors=SECTORS, recordings=4, align=16 << 10, recording_bytes=ROOM)
    return path.read_bytes()


@pytest.fixture
def board(content):
    board = ConsoleBench(configuration=FILES)
    board.image.write(0, content)
    yield board
    board.close()


def test_files(board, seen):
    verbs = {line.split()[0].rstrip(":") for line in board.ask("help")}
    assert verbs >= {"file", "ring", "segments", "trigger", "time"} and not verbs & {"command", "trim"}
    told = fields(board.ask("file 4001"))
    clocks, speed = int(told.pop("clocks")), float(told.pop("mb-per-s"))
    assert told == {"file": "4001 inc32", "slot": "1", "bytes": "4001", "stopped": "no", "ok": ""}
    # The speed is that of the words, not of what comes before and after; the clock has 1 MHz.
    assert 1001 <= clocks < 1400 and speed == pytest.approx(4000 / clocks, abs=0.011)
    # All other operations are as they are without files, also in between.
    assert board.ask("record 900000 4")[-1] == "ok"
    assert "mismatches 0" in board.ask("play 900000 4")
    told = fields(board.ask("file 300 dec32"))
    assert (told["file"], told["slot"], told["bytes"]) == ("300 dec32", "2", "300")
    drive = seen(board.image.read(0, 512 * SECTORS))
    result = verify(drive)
    assert result.problems == [] and len(result.checked) == 2
    assert drive.memmap(drive.find(1)).tobytes() == pattern(4001)
    assert drive.memmap(drive.find(2)).tobytes() == pattern(300, decreasing=True)


def test_time(board, seen):
    """It is that of the next file, not of those after it."""
    time = Timestamp(46 << 25 | 11 << 21 | 22 << 16 | 13 << 11, 150, 0x84)
    assert time.packed == time.seconds | time.ten_ms << 32 | time.offset << 40
    assert board.ask(f"time {time.packed:#x}") == ["ok"]
    assert board.ask("file 8")[-1] == board.ask("file 12")[-1] == "ok"
    drive = seen(board.image.read(0, 512 * SECTORS))
    first, second = drive.find(1), drive.find(2)
    assert first.created == time.datetime() == first.log.started.datetime()
    assert second.created != time.datetime() and second.log.started is None


def test_stop(board, seen):
    """It ends after the words that were taken, and status shows it meanwhile."""
    board.behaviour.throttle = 100, 400
    board.send(b"file 0\r")
    board.run(4000)
    assert "operation file" in board.ask("status") and "error busy" in board.ask("file 1")
    board.send(b"stop\r")
    lines = board.until("stopped yes")
    told = fields(lines + board.take())
    size = int(told["bytes"])
    assert told["slot"] == "1" and 0 < size <= ROOM and size % 4 == 0
    drive = seen(board.image.read(0, 512 * SECTORS))
    assert drive.memmap(drive.find(1)).tobytes() == pattern(size)


def words_of(drive, number, segment=None):
    """The words of a recording's segment, in the order in which they were recorded."""
    recording = drive.find(number)
    data = drive.read(recording, segment=segment).tobytes()
    return recording, struct.unpack(f"<{len(data) // 4}I", data)


def test_ring(board, seen):
    """It keeps the newest words, to the last one before `stop`."""
    board.send(b"ring\r")
    board.run(60_000)
    board.send(b"stop\r")
    told = fields(board.until("stopped yes"))
    assert (told["ring"], told["slot"], told["bytes"]) == ("inc32", "1", str(ROOM))
    assert "mb-per-s" not in told, "more was recorded than the file has"
    recording, words = words_of(seen(board.image.read(0, 512 * SECTORS)), 1)
    assert words == tuple(range(words[0], words[0] + len(words)))
    assert words[-1] == recording.order.words - 1 and words[0] == recording.segments[0].first_word
    assert ROOM // 4 - 128 < len(words) <= ROOM // 4 and words[-1] > 40_000


def test_segments(board, seen):
    """Two triggers, two segments, each with words before it and 300 after it; a part that was not
    triggered is there, too."""
    board.send(b"segments 40 300 dec32\r")
    for _ in range(2):
        board.run(30_000)
        assert board.ask("trigger")[-1] == "ok"
    board.run(20_000)
    board.send(b"stop\r")
    told = fields(board.until("stopped yes"))
    assert (told["segments"], told["segment-count"]) == ("40 300 dec32", "3")
    drive = seen(board.image.read(0, 512 * SECTORS))
    for number in 1, 2, 3:
        recording, words = words_of(drive, 1, number)
        segment = recording.segments[number - 1]
        first = segment.first_word
        assert [~word & 0xFFFFFFFF for word in words] == [*range(first, first + len(words))]
        assert len(words) > 1000
        if number < 3:
            assert segment.entry.end - segment.entry.trigger == 300
            assert words[-1] == ~(segment.entry.end - 1) & 0xFFFFFFFF


def test_every(board, seen):
    """A ring whose file is brought up to date: a power cut in its midst leaves it as it was then. The
    recording after it, whose line does not say it, is made at its end only."""
    board.send(b"ring every 60\r")
    board.run(60_000)
    drive = seen(board.image.read(0, 512 * SECTORS))
    recording, words = words_of(drive, 1)
    assert recording.is_file and not recording.log.ended
    assert words == tuple(range(words[0], words[0] + len(words))) and len(words) >= 3 * ROOM // 16
    board.send(b"stop\r")
    told = fields(board.until("stopped yes"))
    assert (told["ring"], told["every"], told["slot"]) == ("inc32", "60", "1")
    assert board.ask("ring every 65536") == ["error range"]
    board.send(b"ring dec32\r")
    board.run(60_000)
    assert [one.slot for one in seen(board.image.read(0, 512 * SECTORS)).recordings] == [1]
    board.send(b"stop\r")
    assert "every" not in fields(board.until("stopped yes"))


@pytest.mark.long
@pytest.mark.parametrize("seconds", [1, 2])
def test_every_counts_seconds(tmp_path, seen, seconds):
    """The clock has 1 MHz."""
    path, sectors = tmp_path / "disk.img", 1 << 16
    prepare(path, sectors=sectors, recordings=1, align=16 << 10)
    board = ConsoleBench(configuration=FILES)
    board.image.write(0, path.read_bytes())
    board.send(b"file 0 every %d\r" % seconds)
    health = board.port.drive.health
    while not health.written:       # the seconds count from the first words on, after the drive has been proved
        board.run(500)
    board.run(990_000 * seconds)
    assert seen(board.image.read(0, 512 * sectors)).recordings == []
    board.run(30_000 * seconds)
    recording = seen(board.image.read(0, 512 * sectors)).find(1)
    assert recording.is_file and recording.log is None
    assert 3.6e6 * seconds < recording.bytes < 4.0e6 * seconds
    board.send(b"stop\r")
    assert fields(board.until("stopped yes"))["every"] == str(seconds)
    board.close()


@pytest.mark.parametrize("line, error", [
    ("segments 0 5", "no-parts"), (f"segments {ROOM // 512 + 1} 5", "no-parts"),
    ("segments 5", "arguments"), ("ring 5", "arguments"), ("trigger", "not-running")])
def test_modes_that_are_refused(board, line, error):
    assert board.ask(line)[-1] == f"error {error}"


def test_full(board):
    """A slot is filled to its end; when none is free nothing is recorded."""
    for slot in 1, 2, 3, 4:
        told = fields(board.ask("file 0"))
        assert (told["slot"], told["bytes"]) == (str(slot), str(ROOM))
    lines = board.ask("file 4")
    assert lines[-1] == "error full" and {"slot 0", "bytes 0"} <= {*lines}
    assert board.ask("record 900000 4")[-1] == "ok"


def test_what_is_refused(board):
    lines = board.ask(f"file {ROOM + 1}")
    assert lines[-1] == "error no-room" and "bytes 0" in lines
    # Another system has given the disk another name.
    board.image.write(512 + 60, b"other")
    assert board.ask("file 4")[-1] == "error changed"
    board.image.write(1024 * 512, b"NO TABLE")
    assert board.ask("file 4")[-1] == "error not-prepared"
    board.behaviour.fail_lba = 1024
    lines = board.ask("file 4")
    assert lines[-2:] == ["cause drive-error", "error unreadable"]
    assert board.ask("file 1 2") == ["error arguments"]


def test_stop_before_a_slot_is_found(board):
    """The drive answers no more while the table is read; what was before does not show."""
    assert board.ask("file 12")[-1] == "ok"
    board.behaviour.mute = frozenset(["command"])
    board.send(b"file 8\r")
    board.run(4000)
    assert board.ask("time 5") == ["error busy"]
    board.send(b"stop\r")
    lines = board.until("error empty")
    assert {"slot 0", "bytes 0", "stopped yes"} <= {*lines}
    board.behaviour.mute = frozenset()
    board.run(300_000)      # the core brings the drive up again
    board.take()
    told = fields(board.ask("file 8"))
    assert (told["slot"], told["bytes"]) == ("2", "8")


def test_no_drive():
    board = ConsoleBench(plugged=False, configuration=FILES)
    board.run(6000)
    board.take()
    assert board.ask("file 4")[-1] == "error not-ready"
    board.close()


def test_no_files():
    board = ConsoleBench(configuration=SKIPPING)
    assert board.ask("file 4") == board.ask("time 4") == ["error no-files"]
    for line in "ring", "segments 1 2", "trigger":
        assert board.ask(line) == ["error no-modes"]
    board.close()


def test_reset(board):
    """A reset ends it; the slot is free as before."""
    board.behaviour.throttle = 100, 400
    board.send(b"file 0\r")
    board.run(4000)
    board.send(b"reset\r")
    lines = board.until("error reset")
    assert "ok" in lines
    board.behaviour.throttle = None
    board.run(6000)
    board.take()
    assert fields(board.ask("file 8"))["slot"] == "1"

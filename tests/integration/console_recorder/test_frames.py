"""The request `frames` of the console recorder."""

import struct

import pytest
from integration.console_recorder.bench import FILES, ConsoleBench, fields

from sata_recorder.pc.volume import prepare
from sata_recorder.pc.vita49 import VrlFrame, frames
from unit.bricks.frames.framed import Bytes

pytestmark = pytest.mark.wide

SECTORS = 1 << 13
#: Words of payload in a longest frame, of 16 sectors.
PAYLOAD = 2034


@pytest.fixture
def board(tmp_path):
    path = tmp_path / "disk.img"
    prepare(path, sectors=SECTORS, recordings=3, align=16 << 10, recording_bytes=128 << 10)
    board = ConsoleBench(configuration=FILES)
    board.image.write(0, path.read_bytes())
    yield board
    board.close()


def good(content, stream_id, begin=0):
    """How many words of the pattern from ``begin`` on the frames have."""
    found = [frame for frame in frames(Bytes(content)) if isinstance(frame, VrlFrame)]
    assert {frame.stream_id for frame in found} == {stream_id}
    assert [frame.last for frame in found] == [False] * (len(found) - 1) + [True]
    for frame in found:
        assert frame.payload == struct.pack(
            f"<{frame.words}I", *range(begin + frame.first, begin + frame.next_word))
    return found[-1].first


def test_recordings(board):
    """Each one has another stream identifier; 0 ends it."""
    assert board.ask("frames 0xfffffffe") == ["ok"]
    for stream_id in 0xFFFFFFFE, 0xFFFFFFFF, 1:
        told = fields(board.ask("record 5000 40"))
        assert (told["stream-id"], told["ok"]) == (str(stream_id), "")
        words = good(board.image.read_sectors(5000, 40), stream_id, 128 * 5000)
        assert words == int(told["frame-words"]) == 2 * PAYLOAD
    # It reports what the latest recording was, whatever comes after it.
    assert "stream-id" not in fields(board.ask("play 5000 1"))
    board.ask("frames 0")
    told = fields(board.ask("record 5000 40"))
    assert "stream-id" not in told and told["words"] == str(40 * 128)
    assert "mismatches 0" in board.ask("play 5000 40")


@pytest.mark.parametrize("line", ["file 0", "ring"])
def test_files_until_stop(board, line, seen):
    assert board.ask("frames 5") == ["ok"]
    board.send(f"{line}\r".encode())
    board.run(30_000)
    # While it runs the numbers are its own.
    assert board.ask("frames 9") == ["error busy"]
    board.send(b"stop\r")
    told = fields(board.until("stopped yes", limit=2_000_000))
    assert (told["stream-id"], told["slot"]) == ("5", "1")
    drive = seen(board.image.read(0, 512 * SECTORS))
    words = good(drive.memmap(drive.find(1)).tobytes(), 5)
    assert words == int(told["frame-words"]) > 5000


def test_mistakes(board):
    assert board.ask("frames") == ["error arguments"]
    assert board.ask("frames 0x100000000") == ["error range"]
    assert board.ask("frames 1 2") == ["error arguments"]


def test_a_board_without():
    board = ConsoleBench()
    assert board.ask("frames 1") == ["error no-frames"]
    assert not [line for line in board.ask("help") if line.startswith("frames")]
    board.close()

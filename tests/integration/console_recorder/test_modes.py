"""Rings and segments of the console recorder without a file: anywhere on the drive."""

import io
import struct

import pytest
from integration.console_recorder.bench import FILES, ConsoleBench, fields
from rich.console import Console

from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.show import show

LBA = 900_000


@pytest.fixture
def board():
    board = ConsoleBench(configuration=FILES)
    yield board
    board.close()


def words_of(board, lba, sectors):
    return struct.unpack(f"<{128 * sectors}I", board.image.read_sectors(lba, sectors))


def test_ring_at(board):
    """It keeps the newest words, to the last one before `stop`; zeros fill its last sector only."""
    sectors, base = 40, 128 * LBA
    board.send(b"ring-at 900000 40 flush\r")
    board.run(30_000)
    board.send(b"stop\r")
    told = fields(board.until("skipped-sectors 0"))
    assert told["ring-at"] == "900000 40 inc32 flush" and told["stopped"] == "yes"
    words = int(told["words"])
    assert words > 128 * sectors * 2 and int(told["sectors-done"]) == -(-words // 128)
    there = words_of(board, LBA, sectors)
    last = -(-words // 128)
    for sector in range(last - sectors, last):
        first = 128 * sector
        place = 128 * (sector % sectors)
        assert there[place:place + 128] == tuple(
            base + n if n < words else 0 for n in range(first, first + 128)), sector
    assert not any(words_of(board, LBA + sectors, 1)) and not any(words_of(board, LBA - 1, 1))
    # The next recording is as if there had been no ring.
    assert board.ask("record 5000 4")[0] == "record 5000 4 inc32"
    assert "mismatches 0" in board.ask("play 5000 4")


def test_segments_at(board):
    """Each part has the words around its trigger; the recording ends with the last one."""
    board.send(b"segments-at 900000 160 80 300 dec32\r")
    for _ in range(2):
        board.run(20_000)
        assert "ok" in board.ask("trigger")
    lines = board.take() or board.until("ok")
    told, answer = fields(lines), Answer(tuple(lines[:-1]), None)
    assert answer.fields() | {"operation": "segments-at", "lba": LBA, "sectors": 160, "part": 80,
                              "words_behind": 300, "pattern": "dec32", "flush": False,
                              "segment_count": 2} == answer.fields()
    console = Console(file=io.StringIO(), width=100)
    show(console, answer, 1e6)
    assert "80  sectors, 300 words after a trigger" in console.file.getvalue()
    assert told["segments-at"] == "900000 160 80 300 dec32"
    assert (told["segment-count"], told["stopped"]) == ("2", "no")
    base, words = 128 * LBA, int(told["words"])
    # The second part was begun where the first one ended, which only the words tell.
    first, second = ([~word & 0xFFFFFFFF for word in words_of(board, LBA + 80 * part, 80) if word]
                     for part in range(2))
    assert max(second) == base + words - 1
    assert len({*first}) == len(first) == 80 * 128 and base < min(first)
    assert max(first) < min(second)
    assert not any(words_of(board, LBA + 160, 1))


@pytest.mark.parametrize("line, mistake", [
    ("ring-at 5", "arguments"), ("ring-at 5 6 7", "arguments"),
    ("segments-at 5 6 7", "arguments"), ("segments-at 5 6 7 8 9", "arguments"),
    ("segments-at 5 6 7 8 9 10 11 12", "arguments"),
    ("segments-at 5 60 0 10", "zero-sectors"), ("ring-at 1048570 60", "out-of-range"),
    ("ring-a 1 2", "unknown")])
def test_refused(board, line, mistake):
    assert board.ask(line)[-1] == f"error {mistake}"


def test_a_board_without_modes():
    board = ConsoleBench()
    for line in "ring-at 1 2", "segments-at 1 200 40 5", "trigger":
        assert board.ask(line)[-1] == "error no-modes"
    board.close()

"""The console recorder and a drive with logical sectors of 4096 bytes."""

import struct

import pytest
from integration.console_recorder.bench import CAPACITY, ConsoleBench, fields


@pytest.fixture(scope="module")
def board():
    bench = ConsoleBench(logical_sector=4096)
    yield bench
    bench.close()


def test_identify_says_so(board):
    told = fields(board.ask("identify"))
    assert told["logical-sector"] == "4096" and told["capacity"] == str(CAPACITY)


def test_numbers_are_of_512_bytes(board):
    assert board.ask("record 80 24 flush")[-1] == "ok"
    assert fields(board.ask("play 80 24"))["mismatches"] == "0"
    assert struct.unpack("<I", board.image.read_sectors(88, 1)[:4]) != (0,)
    assert not any(board.image.read_sectors(104, 8)) and not any(board.image.read_sectors(640, 192))


@pytest.mark.parametrize("line, error", [
    ("record 84 8", "sector-size"), ("play 80 9", "sector-size"), ("dump 80", "sector-size"),
    ("trim 84 8", "range"), ("trim 80 12", "range"), ("trim 0 0", "range")])
def test_what_splits_a_logical_sector_is_refused(board, line, error):
    before = len(board.port.drive.completed)
    assert board.ask(line)[-1] == f"error {error}"
    assert len(board.port.drive.completed) == before


def test_trim_counts_with_it(board):
    """The ranges are the drive's, what was typed is not."""
    assert board.ask("record 80 64")[-1] == "ok"
    assert board.ask("trim 96 16")[-1] == "ok"
    written = [n for n in range(80, 144) if any(board.image.read_sectors(n, 1))]
    assert written == [*range(80, 96), *range(112, 144)]


def test_a_command_is_raw(board):
    """READ DMA EXT of logical sector 10: its first 512 bytes do not come alone, 8 blocks would."""
    assert board.ask("record 80 8")[-1] == "ok"
    lines = board.ask(f"command {0x25 | 0x40 << 8 | 1 << 32:#x} 10 in")
    assert lines[-1] != "ok" and "command" in lines
    board.run(40_000)
    board.take()
    assert board.ask("play 80 8")[-1] == "ok"

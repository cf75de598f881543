"""Lines that are typed while an operation runs, and ended when it has ended: the numbers are those of the
operation as long as it runs, so such a line must not do its work with them."""

import pytest
from integration.console_recorder.bench import FILES, ConsoleBench

from sata_recorder.pc.volume import prepare


@pytest.fixture
def board():
    board = ConsoleBench(configuration=FILES)
    yield board
    board.close()


def begun(board, line):
    """Sends ``line``, and lets the board run until its answer begins to be printed."""
    board.send(line)
    while not board.received:
        board.run(50)


@pytest.mark.parametrize("before, after", [(b"record 200 8\r", b""), (b"record 200 8", b"\r"),
                                            (b"record 200", b" 8\r")])
def test_nothing_is_written_over(board, before, after):
    """Its answer is printed meanwhile, which takes some time."""
    first = board.image.read_sectors(100, 4)
    begun(board, b"record 100 4 dec32\r")
    board.send(before)
    while b"\r\nok\r\n" not in board.received:
        board.run(50)
    board.send(after)
    assert board.until("error busy")[-1] == "error busy"
    assert not any(board.image.read_sectors(200, 8))
    assert board.image.read_sectors(100, 4) != first
    assert "mismatches 0" in board.ask("play 100 4 dec32")
    assert board.ask("record 200 8")[0] == "record 200 8 inc32" and board.ask("flush")[-1] == "ok"


def test_the_seconds_of_another_line(board, tmp_path):
    path = tmp_path / "disk.img"
    prepare(path, sectors=1 << 13, recordings=4, align=16 << 10, recording_bytes=64 << 10)
    board.image.write(0, path.read_bytes())
    board.send(b"ring every 60\r")
    board.run(30_000)
    begun(board, b"stop\r")
    board.send(b"ring ")
    board.until("stopped yes")
    board.send(b"dec32\r")
    assert board.until("error busy")[-1] == "error busy"
    board.send(b"ring\r")
    board.run(30_000)
    board.send(b"stop\r")
    assert not any(line.startswith("every") for line in board.until("stopped yes"))

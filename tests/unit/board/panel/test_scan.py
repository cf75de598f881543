"""Blocks of a range: which ones, and what becomes of their answers."""

import pytest

from sata_recorder.pc.console.answer import Answer
from sata_recorder.board.panel.scan import BadScan, Scan, planned_blocks


@pytest.mark.parametrize("lba, sectors, block, count, found", [
    (0, 1000, 100, 0, [(100 * n, 100) for n in range(10)]),
    (0, 1050, 100, 0, [(100 * n, 100) for n in range(10)]),
    (50, 1000, 100, 3, [(50, 100), (500, 100), (950, 100)]),
    (0, 1000, 100, 99, [(100 * n, 100) for n in range(10)]),
    (7, 100, 100, 5, [(7, 100)]),
    (0, 1000, 100, 1, [(0, 100)]),
])
def test_plan(lba, sectors, block, count, found):
    assert planned_blocks(lba, sectors, block, count, 2000) == found


@pytest.mark.parametrize("values, told", [
    ((0, 100, 0, 1), "sectors of a block = 0: at least 1"),
    ((-1, 100, 10, 1), "first sector = -1: 0 to 1,999"),
    ((2000, 100, 10, 1), "first sector = 2000: 0 to 1,999"),
    ((0, 9, 10, 1), "sectors = 9: at least 10"),
    ((1901, 100, 10, 1), "sectors = 100: at most 99"),
    ((0, 100, 10, -1), "blocks = -1: 1 to 10,000"),
])
def test_refusals(values, told):
    with pytest.raises(BadScan) as found:
        planned_blocks(*values, 2000)
    assert told in str(found.value)


def test_too_many_blocks():
    with pytest.raises(BadScan, match="blocks = 10001: 1 to 10,000"):
        planned_blocks(0, 10_001, 1, 0, 1 << 20)
    assert len(planned_blocks(0, 10_001, 1, 10_000, 1 << 20)) == 10_000


def answer(error=None, stopped="no", words=1280, clocks=2000):
    return Answer(("play 0 10 inc32", "sectors-done 10", f"words {words}", f"clocks {clocks}",
                   f"stopped {stopped}", "retries 0", "mismatches 3"), error)


@pytest.fixture
def scan():
    return Scan("play", "inc32", [(0, 10), (90, 10)])


def test_blocks_and_end(scan):
    assert scan.next_line() == "play 0 10 inc32"
    scan.told(answer(), 1e6)
    assert scan.running and scan.share == 0.5 and scan.next_line() == "play 90 10 inc32"
    scan.told(answer("mismatch", clocks=4000), 1e6)
    assert scan.state == "done" and scan.next_line() is None
    first, second = scan.blocks
    assert (first.ms, first.mb_per_s) == (2.0, pytest.approx(2.56))
    # Words that differ were read all the same.
    assert second.error is None and second.mismatches == 3 and second.ms == 4.0


def test_an_error_of_the_drive_is_that_of_its_block(scan):
    scan.told(answer("drive-error"), 1e6)
    assert scan.running and scan.blocks[0].error == "drive-error"


def test_a_block_whose_sectors_were_skipped_is_not_good(scan):
    scan.told(Answer((*answer().lines, "skipped-sectors 3"), None), 1e6)
    assert scan.running and scan.blocks[0].error == "sectors-skipped"


@pytest.mark.parametrize("error", ["timeout", "out-of-range", "busy", "link-lost"])
def test_any_other_error_ends_it(scan, error):
    scan.told(Answer((), error), 1e6)
    assert scan.state == "failed" and scan.error == error and scan.blocks == []


def test_stop(scan):
    scan.told(answer(stopped="yes"), 1e6)
    assert scan.state == "stopped"

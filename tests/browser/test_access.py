"""Accesses of a simulated board, from the page."""

import json

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.long


@pytest.fixture
def board(panel, tab):
    """A tab whose simulated board makes accesses."""
    desk = tab(panel("--simulate", "--accesses", "--capacity", "40000").url)
    desk.can("record")
    return desk


def test_accesses(board):
    board.fill(record_sectors=20_000)
    board["record"].click()
    board.sees("operations", "done")
    board.open("access")
    board.fill(access_sectors=20_000, access_count=300, access_seed=7)
    board.can("access")
    board["access"].click()
    board.sees("access-table", "sectors 0 to 19,999, at random, seed 7")
    board.sees("access-table", "300 of 300 accesses")
    board.sees("access-table", "time of a command")
    board.sees("what", "300 of 300 accesses")
    assert board.text("mismatches") == "0" and float(board.text("rate")) > 50
    # What the drive has instead of the pattern is found.
    board.can("access")
    board.fill(access_lba=30_000, access_sectors=800, access_count=5)
    board["access"].click()
    board.sees("operations", "mismatch")
    # The histogram is read after the operation.
    board.sees("access-table", "5 of 5 accesses")
    board.sees("access-table", "time of a command")
    board["save"].click()
    with board.page.expect_download() as found:
        board["save-json"].click()
    with open(found.value.path(), "rb") as file:
        access = json.load(file)["access"]
    assert (access["accesses"], access["size"], access["error"]) == (5, 8, "mismatch")
    assert access["iops"] > 1000 and sum(count for *_, count in access["command_times"]) == 5


def test_writes_in_order_and_what_is_refused(board):
    board.open("access")
    board.page.get_by_text("write", exact=True).last.click()
    board.page.get_by_text("in order", exact=True).click()
    expect(board["access-seed"]).not_to_be_visible()
    board.fill(access_lba=8, access_sectors=80, access_size=16, access_count=10)
    board["access"].click()
    board.sees("operations", "access 8 80 16 10 write")
    board.sees("access-table", "one after the other")
    board.can("access")
    board.fill(access_size=2049)
    board["access"].click()
    board.told("sectors of an access = 2049: 1 to 80, those of its span")

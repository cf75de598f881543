"""What somebody does who sees the panel for the first time: the first round of docs/panel.md.

Each control and each trouble has a test of its own with --long; this one runs always.
"""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.wide


def test_first_round(panel, tab):
    desk = tab(panel().url)
    desk["start"].click()
    desk.sees("simulated", "simulated")
    desk.open("record")
    desk.fill(record_lba=0, record_sectors=8000)
    desk.can("record")
    desk["record"].click()
    desk.sees("operations", "record 0 8000 inc32")
    desk.can("record")
    assert float(desk.text("rate")) > 250 and len(desk.series("throughput")["MB/s"]) >= 1
    desk.fill(break_lba=1500)
    desk["order-flip"].click()
    desk.sees("log", "one bit of sector 1500 has changed")
    desk.open("play")
    desk.fill(play_lba=1400, play_sectors=200)
    desk["play"].click()
    desk.sees("mismatches", "1")
    desk.sees("what", "in sector 1,500")
    desk["order-bad-sector"].click()
    desk.sees("log", "sector 1500 is bad")
    desk.open("scan")
    desk.fill(scan_lba=1000, scan_sectors=1000, scan_block=100, scan_count=0)
    desk["scan"].click()
    desk.sees("what", "scan done")
    found = desk.series("blocks")
    assert [lba for lba, _ in found["error"]] == [1500] and len(found["good"]) == 9
    desk["order-heal"].click()
    desk.page.reload()
    desk.sees("operations", "record 0 8000 inc32")
    desk["theme"].click()
    expect(desk.page.locator("body")).to_have_class(re.compile("body--dark"))

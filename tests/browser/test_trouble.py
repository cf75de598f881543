"""What goes wrong while somebody looks: connections, drives, lines, browsers."""

import json
import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.long


def begin(tab, sectors, lba=0):
    """Begins a recording, and waits until its first words are through."""
    tab.open("record")
    tab.fill(record_lba=lba, record_sectors=sectors)
    tab.can("record")
    tab["record"].click()
    tab.can("stop")
    expect(tab["share"]).to_have_text(re.compile(r"[1-9]"), timeout=120_000)


def test_bad_sector_in_a_recording(desk):
    """The error, its place and what is in doubt are told; healed, the drive works again."""
    desk.fill(break_lba=1500)
    desk["order-bad-sector"].click()
    desk.sees("log", "sector 1500 is bad")
    desk.open("record")
    desk.fill(record_lba=1000, record_sectors=1000)
    desk["record"].click()
    desk.sees("operations", "drive-error")
    desk.sees("journal-table", "in-doubt")
    desk.sees("journal-table", "1,000")
    desk.sees("what", "drive-error")
    desk["order-heal"].click()
    desk.told("the drive is good, and connected")
    desk.can("record")
    desk["record"].click()
    desk.sees("journal-table", "Empty")


def test_bad_sector_in_a_scan(desk):
    """The block is marked, and the scan continues."""
    desk.fill(break_lba=2050)
    desk["order-bad-sector"].click()
    desk.sees("log", "sector 2050 is bad")
    desk.open("scan")
    desk.fill(scan_lba=0, scan_sectors=8000, scan_block=100, scan_count=0)
    desk["scan"].click()
    desk.sees("what", "scan done")
    found = desk.series("blocks")
    assert [lba for lba, _ in found["error"]] == [2000] and len(found["good"]) == 79


def test_wrong_data(desk):
    desk.open("record")
    desk.fill(record_lba=0, record_sectors=2000)
    desk["record"].click()
    desk.sees("operations", "done")
    desk.can("record")
    desk.fill(break_lba=700)
    desk["order-flip"].click()
    desk.sees("log", "one bit of sector 700 has changed")
    desk.open("play")
    desk.fill(play_lba=0, play_sectors=2000)
    desk["play"].click()
    desk.sees("mismatches", "1")
    desk.sees("what", "in sector 700")


def test_drive_is_taken_away_while_it_records(desk):
    """Its words cannot be sent again: the recording ends, and reports what is in doubt."""
    begin(desk, 400_000)
    desk["order-unplug"].click()
    desk.sees("link", "no link to a drive")
    desk.sees("operations", "link-lost")
    desk.sees("journal-table", "in-doubt")
    desk.can("record", False)
    desk["order-plug"].click()
    desk.sees("log", "ready 400000")
    desk.can("record")


def test_reload_in_the_middle_of_a_recording(desk):
    """The page comes back with all that happened, and can stop it."""
    begin(desk, 400_000)
    desk.page.reload()
    desk.sees("what", "record, sectors 0 to 399,999")
    desk.can("record", False)
    assert len(desk.series("throughput")["MB/s"]) > 1
    desk.can("stop")
    desk["stop"].click()
    desk.sees("operations", "stopped")


def test_two_browsers_at_once(shared, desk, tab):
    """Both see the same, and only one operation can run."""
    other = tab(shared.url)
    begin(desk, 400_000)
    other.sees("what", "record, sectors 0 to 399,999")
    other.can("record", False)
    other.open("console")
    other.fill(line="play 0 8")
    other["send"].click()
    other.told("play: an operation runs; stop it first")
    other.can("stop")
    other["stop"].click()
    desk.sees("operations", "stopped")
    other.sees("operations", "stopped")


def test_lost_connection_and_another_one(panel, station, tab):
    """The board is gone in the middle of a recording: what was measured stays, and is marked."""
    board = station("--capacity", "400000")
    served = tab(panel("--port", board.port).url)
    # A drive that calls itself simulated is told to be, however it is reached.
    served.sees("simulated", "simulated")
    begin(served, 400_000)
    board.kill()
    served.sees("banner", board.port)
    served.sees("connection", "no connection")
    served.sees("operations", "lost")
    served.can("record", False)
    assert len(served.series("throughput")["MB/s"]) >= 1
    served["again"].click()
    served.sees("banner", "cannot be opened")


def test_a_recording_that_runs_already(panel, station, tab):
    """The panel ends and another one begins: the recording continues, and is found."""
    board = station("--capacity", "400000")
    first = panel("--port", board.port)
    before = tab(first.url)
    begin(before, 400_000)
    before.page.goto("about:blank")     # it would complain that its server is gone
    first.process.send_signal(2)
    first.process.wait(60)
    second = tab(panel("--port", board.port).url)
    second.sees("log", "found an operation running: record")
    second.can("stop")
    second["stop"].click()
    second.sees("operations", "record 0 400000 inc32")
    second.sees("operations", "stopped")


def test_slow_line(panel, tab):
    """At 9600 baud answers come late; everything works, and nothing is lost."""
    served = tab(panel("--simulate", "--capacity", "100000", "--line-baud", "9600").url)
    served.can("record")
    begin(served, 20_000)
    served.sees("operations", "done")
    served.open("sector")
    served.fill(dump_lba=3)
    served.can("dump")
    served["dump"].click()
    served.sees("hex", "80 01 00 00")


def test_no_such_port(panel, tab):
    served = tab(panel().url)
    served.fill(port="/dev/no-such-port")
    served["connect"].click()
    served.sees("banner", "/dev/no-such-port: cannot be opened")
    served.fill(port="")
    served["connect"].click()
    served.told("no port")


def test_something_else_answers(panel, tab):
    """A port that talks, but is no board."""
    served = tab(panel().url)
    served.fill(port="loop://")
    served["connect"].click()
    served.sees("banner", "no answer of a station")


def test_token(chromium, panel):
    """Without the token nothing is shown; with it the address forgets it."""
    served = panel("--token", "abcdefgh1234")
    assert "?token=abcdefgh1234" in served.url
    bare = served.url.partition("?")[0]
    context = chromium.new_context()
    page = context.new_page()
    assert page.goto(bare).status == 401
    assert page.goto(bare + "?token=wrong-token").status == 401
    assert page.goto(served.url).status == 200
    assert page.url == bare
    expect(page.locator("[data-testid=start]")).to_be_visible(timeout=120_000)
    cookies = context.cookies()
    assert [(cookie["httpOnly"], cookie["sameSite"]) for cookie in cookies
            if cookie["name"] == "sata_recorder_panel"] == [(True, "Strict")]
    context.close()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_sticks_out(shared, tab, width, dark):
    """No page is wider than its window, and no text of a card is cut."""
    found = tab(shared.url, width=width, height=844, color_scheme="dark" if dark else "light")
    found.can("record")
    for name in "play", "scan", "sector", "console", "record":
        found.open(name)
        expect(found[f"tab-{name}"]).to_have_attribute("aria-selected", "true")
        wide = found.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, name
    paper = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
    bright = sum(json.loads(paper.replace("rgb(", "[").replace(")", "]")))
    assert bright < 150 if dark else bright > 600

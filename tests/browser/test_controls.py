"""Each control of the panel, with the simulated station as its partner."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.long


def finish(desk, line="record"):
    """Waits until the operation that begins so has ended; its row of the table."""
    row = desk["operations"].locator("tbody tr").first
    ended = re.compile(rf"^{line}.*(done|stopped|mismatch|error|out-of-range)", re.DOTALL)
    expect(row).to_have_text(ended, timeout=120_000)
    return row.inner_text()


def record(desk, lba, sectors):
    desk.open("record")
    desk.fill(record_lba=lba, record_sectors=sectors)
    desk.can("record")
    desk["record"].click()
    return finish(desk, f"record {lba} {sectors}")


def play(desk, lba, sectors):
    desk.open("play")
    desk.fill(play_lba=lba, play_sectors=sectors)
    desk.can("play")
    desk["play"].click()
    return finish(desk, f"play {lba} {sectors}")


def test_says_that_it_is_simulated(desk):
    assert desk.text("simulated").lower() == "simulated"
    desk.sees("drive-facts", "SATA DRIVE MODEL")
    desk.sees("drive-facts", "400,000 sectors")
    assert "SMART" in desk.text("drive-facts")


def test_record_and_play(desk):
    assert "done" in record(desk, 1000, 12_000)
    assert float(desk.text("rate").replace(",", "")) > 250
    assert desk.text("share") == "100.0"
    assert "done" in play(desk, 1000, 12_000)
    desk.sees("mismatches", "0")
    points = desk.series("throughput")["MB/s"]
    # The first interval has the command in it, the last one the status.
    assert points and all(250 < rate < 300 for _, rate in points[1:-1])
    shares = desk.series("ledger")
    assert "payload" in shares and "align" in shares
    # Each moment is booked completely, whatever is shown of it.
    for column in zip(*shares.values()):
        assert sum(percent for _, percent in column) == pytest.approx(100, abs=0.1)
    places = [lba for lba, _ in desk.series("speed")["operation"]]
    assert places == sorted(places) and 1000 <= places[0] and places[-1] <= 13_000
    assert desk.series("buffer")["most words that waited so far"][-1][1] <= 4097
    desk.sees("counters-table", "payload")


def test_pattern_and_first_wrong_word(desk):
    record(desk, 0, 3000)
    desk.open("play")
    desk["play-pattern"].click()
    desk.page.get_by_role("option", name="dec32").click()
    assert "mismatch" in play(desk, 5, 10)
    desk.sees("mismatches", "1,280")
    desk.sees("what", "First wrong word: number 0, in sector 5")


def test_flush_with_and_after_a_recording(desk):
    desk.open("record")
    desk["record-flush"].click()
    assert "flush" in record(desk, 0, 100)
    desk["record-flush"].click()
    desk.can("flush")
    desk["flush"].click()
    assert "done" in finish(desk, "flush")


def test_sector(desk):
    record(desk, 70, 30)
    desk.open("sector")
    desk.fill(dump_lba=80)
    desk["dump"].click()
    desk.sees("hex", "sector 80")
    desk.sees("hex", "00 28 00 00")          # 80 x 128 = 0x2800
    desk.can("dump-next")
    desk["dump-next"].click()
    desk.sees("hex", "sector 81")
    desk.can("dump-previous")
    desk["dump-previous"].click()
    desk.sees("hex", "sector 80")


def test_scan(desk):
    desk.open("scan")
    desk.fill(scan_lba=0, scan_sectors=100_000, scan_block=200, scan_count=20)
    desk["scan"].click()
    desk.sees("what", "scan done")
    points = desk.series("blocks")["good"]
    assert len(points) == 20 and points[0][0] == 0 and points[-1][0] == 99_800
    assert all(0.3 < ms < 3 for _, ms in points)
    speeds = desk.series("speed")["block of the scan"]
    assert len(speeds) == 20 and all(100 < rate < 300 for _, rate in speeds)


def test_stop_of_a_recording_and_of_a_scan(desk):
    desk.open("record")
    desk.fill(record_lba=0, record_sectors=400_000)
    desk.can("stop", False)
    desk["record"].click()
    desk.can("stop")
    desk.can("record", False)
    desk["stop"].click()
    assert "stopped" in finish(desk)
    desk.open("scan")
    desk.fill(scan_lba=0, scan_sectors=0, scan_block=4000, scan_count=0)
    desk.can("scan")
    desk["scan"].click()
    desk.can("stop")
    desk["stop"].click()
    desk.sees("what", "scan stopped")
    desk.can("scan")
    assert len(desk.series("blocks")["good"]) < 100


def test_console_line(desk):
    desk.open("console")
    for line, told in (("version", "version: ok"), ("phy", "phy: no-phy"),
                       ("play 400000 1", "out-of-range")):
        desk.fill(line=line)
        desk["send"].click()
        desk.sees("log", told)
    desk.fill(line="explode")
    desk["send"].click()
    desk.told("explode: no such verb")
    assert desk["line"].input_value() == "explode"      # to be mended
    for name in "identify", "version", "help", "phy":
        desk[f"ask-{name}"].click()
    desk.sees("log", "help: ok")


def test_journal_counters_and_reset(desk):
    desk["journal"].click()
    desk.sees("log", "journal: ok")
    desk["counters"].click()
    desk["reset"].click()
    desk.sees("log", "reset: ok")
    desk.sees("log", "ready 400000")
    desk.can("record")


@pytest.mark.parametrize("fields, told", [
    ({"record_lba": "x"}, "first sector = x: is no number"),
    ({"record_lba": 0, "record_sectors": "1.5"}, "sectors = 1.5: is no number"),
])
def test_refusals_of_numbers(desk, fields, told):
    desk.open("record")
    desk.fill(record_lba=0, record_sectors=8)
    desk.fill(**fields)
    expect(desk.page.get_by_text(told).first).to_be_visible()
    desk["record"].click()
    desk.told(told)
    desk.can("record")


def test_refusals_of_a_scan(desk):
    desk.open("scan")
    desk.fill(scan_lba=0, scan_sectors=400_001, scan_block=1000, scan_count=10)
    desk["scan"].click()
    desk.told("sectors = 400001: at most 400,000")
    desk.fill(scan_sectors=100, scan_block=1000)
    desk["scan"].click()
    desk.told("sectors = 100: at least 1000")


def saved(desk, name):
    """What is downloaded: the name of the file, and its bytes."""
    desk["save"].click()
    with desk.page.expect_download() as found:
        desk[f"save-{name}"].click()
    with open(found.value.path(), "rb") as file:
        return found.value.suggested_filename, file.read()


def test_saving(desk):
    record(desk, 0, 8000)
    desk.open("scan")
    desk.fill(scan_lba=0, scan_sectors=10_000, scan_block=100, scan_count=7)
    desk["scan"].click()
    desk.sees("what", "scan done")
    name, page = saved(desk, "html")
    assert name.endswith(".html") and b"record 0 8000 inc32" in page
    assert b"Simulated: board and drive are software models" in page
    assert b"http://" not in page.replace(b"http://www.w3.org", b"")
    name, picture = saved(desk, "png")
    assert name.endswith(".png") and picture.startswith(b"\x89PNG") and len(picture) > 20_000
    _, table = saved(desk, "blocks")
    rows = list(csv.DictReader(io.StringIO(table.decode())))
    assert len(rows) == 7 and {row["simulated"] for row in rows} == {"True"}
    assert [int(row["sectors"]) for row in rows] == [100] * 7
    _, table = saved(desk, "intervals")
    kinds = {row["series"] for row in csv.DictReader(io.StringIO(table.decode()))}
    assert kinds == {"speed", "ledger"}
    _, text = saved(desk, "json")
    data = json.loads(text)
    assert data["simulated"] and data["operation"]["words"] == 8000 * 128
    assert len(data["scan"]["blocks"]) == 7


def test_light_and_dark(desk):
    body = desk.page.locator("body")
    expect(body).to_have_class(re.compile("body--light"))
    desk["theme"].click()
    expect(body).to_have_class(re.compile("body--dark"))
    desk["theme"].click()
    expect(body).to_have_class(re.compile("body--light"))

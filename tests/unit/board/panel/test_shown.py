"""What the page shows and what is saved: plots, tables, texts, files, of the same state."""

import csv
import io
import json
import struct

import pytest

from sata_recorder.pc.console.answer import Answer
from sata_recorder.board.panel import charts, tables, texts
from sata_recorder.board.panel.lane_card import lanes_html
from sata_recorder.board.panel.lanes import round_of, with_lane
from sata_recorder.board.panel.live import LiveOperation
from sata_recorder.board.panel.saving import blocks_csv, intervals_csv, session_data
from sata_recorder.board.panel.scan import Scan
from sata_recorder.pc.console.sound import ACCOUNTS
from sata_recorder.board.panel.state import PanelState
from sata_recorder.report import COLOURS, session_page, session_picture

SCAN = Scan("play", "inc32", [(0, 10)])
HOSTILE = "<script>alert(1)</script>"


def moved(verb="play", **more):
    operation = LiveOperation(verb, 1e6, lba=100, sectors=10, pattern="inc32")
    for n in 1, 2, 3:
        operation.told_status({"clocks": 500 * n, "words": 400 * n, "sectors_done": 3 * n,
                               "retries": 0})
        operation.told_counters(dict.fromkeys(ACCOUNTS, 0) | {
            "payload": 400 * n, "device_hold": 100 * n, "high_water": 50 * n, "held_cycles": n})
    lines = [f"{verb} 100 10 inc32", "sectors-done 10", "words 1280", "clocks 1600",
             "mb-per-s 3.20", "stopped no", "retries 0", "skipped-sectors 0",
             *(f"{name} {value}" for name, value in more.items())]
    operation.end(Answer(tuple(lines), None))
    return operation


@pytest.fixture
def state():
    """A session with a playback and a scan in which one block has failed."""
    found = PanelState()
    found.new_board("/dev/ttyX", 115200, False)
    found.connection = "open"
    found.version = {"station": 1, "core": "core-1", "clock_hz": 1_000_000, "buffer_words": 4096}
    found.identity = {"model": HOSTILE, "serial": "SN", "firmware": "1", "capacity": 1000,
                      "lba48": True}
    found.status = {"link": "up", "generation": 2, "ready": True, "capacity": 1000,
                    "recovering": False}
    found.begin(moved())
    scan = Scan("play", "inc32", [(0, 10), (990, 10)])
    for error in None, "drive-error":
        scan.told(Answer(("play 0 10 inc32", "words 1280", "clocks 2000", "stopped no",
                          "retries 0"), error), 1e6)
    found.scan = scan
    found.journal = [{"kind": "in-doubt", "cause": "drive-error", "lba": 5, "sectors": 7}]
    found.counters = dict.fromkeys(ACCOUNTS, 1) | {"turnaround_min": None, "words": 5000}
    found.note("event", HOSTILE)
    return found


def test_pages_look_while_things_happen(state):
    """What a page goes through does not change meanwhile: the board answers in another thread."""
    for line in state.log:
        state.note("event", f"after {line.text}")
    for operation in (*state.past, state.operation):
        state.begin(operation)
    for operation in state.past:
        state.begin(operation)
    assert [line.text for line in state.log][1:] == [f"after {HOSTILE}"]
    for n in range(600):
        state.note("event", str(n))
        state.begin(moved())
    assert [line.text for line in state.log] == [str(n) for n in range(100, 600)]
    assert len(state.past) == 50


def test_how_an_operation_ended(state):
    """What went wrong, where, and where to look; and why a stopped recording was slow."""
    lines = ("record 100 10 inc32", "words 0", "clocks 9", "stopped no", "retries 0",
             "error-lba 1500", "journal-entries 1")
    operation = LiveOperation("record", 1e6, lba=100, sectors=10, pattern="inc32")
    operation.end(Answer(lines, "drive-error"))
    state.scan = None
    state.begin(operation)
    assert texts.operation_words(state).endswith(
        "drive-error at sector 1,500; the journal shows what is in doubt")
    operation = LiveOperation("record", 1e6, lba=100, sectors=10, pattern="inc32")
    operation.end(Answer((*lines[:3], "stopped yes", "retries 0"), None))
    state.begin(operation)
    assert "its last command was completed" in texts.operation_words(state)


def test_the_journal_stays(state):
    """Showing a sector, a flush or a scan does not hide what a recording has left in doubt."""
    entries = state.journal
    for verb, series in ("dump", None), ("flush", None), ("play", SCAN):
        state.begin(LiveOperation(verb, 1e6, series=series))
        assert state.journal is entries
    state.begin(LiveOperation("play", 1e6))
    assert state.journal is None and "Not known" in tables.journal_table(state)


def test_sectors_that_were_skipped_are_told(state):
    """The board answers `ok`, and some sectors of the recording are not on the drive."""
    operation = LiveOperation("record", 1e6, lba=100, sectors=10, pattern="inc32")
    operation.end(Answer(("record 100 10 inc32", "words 1280", "clocks 9", "stopped no", "retries 0",
                          "skipped-sectors 2", "journal-entries 1"), None))
    state.scan = None
    state.begin(operation)
    assert texts.operation_words(state).endswith(
        "done, 2 sectors were skipped; the journal shows what is in doubt")
    assert "<td class='wrong'>done, 2 sectors were skipped</td>" in tables.operations_table(state)
    assert session_data(state)["operations"][-1]["skipped_sectors"] == 2


def test_words_of_a_scan_are_not_wrong(state):
    """A scan reads what may never have been written."""
    operation = moved(mismatches=5)
    operation.fields["first_mismatch"] = {"word": 0, "expected": 1, "got": 2}
    state.begin(operation)
    assert "First wrong word" in tables.first_mismatch(state)
    operation.series = SCAN
    assert tables.first_mismatch(state) == ""


@pytest.mark.parametrize("plot", charts.PLOTS, ids=lambda plot: plot.name)
def test_plots_of_nothing_and_of_something(plot, state):
    """Without data there is a hint; with data there are points, and JSON can hold them."""
    empty = PanelState()
    assert plot.empty(empty) and not any(one["data"] for one in plot.options(empty)["series"])
    assert plot.empty(state) is None
    options = plot.options(state)
    assert any(one["data"] for one in options["series"]) and json.loads(json.dumps(options))


def named(options):
    return {one["name"]: one["data"] for one in options["series"]}


def test_figures_of_the_plots(state):
    by_name = {plot.name: named(plot.options(state)) for plot in charts.PLOTS}
    # 400 words of 4 bytes in 500 clocks of 1 MHz.
    assert by_name["throughput"]["MB/s"][:2] == [[0.00025, 3.2], [0.00075, 3.2]]
    assert by_name["ledger"] == {"payload": [[0, 80], [0.0005, 80], [0.001, 80], [0.0015, 80]],
                                 "device hold": [[0, 20], [0.0005, 20], [0.001, 20], [0.0015, 20]]}
    assert by_name["blocks"] == {"good": [[0, 2.0]], "error": [[0, 2.0]]} or \
        by_name["blocks"] == {"good": [[0, 2.0]], "error": [[990, 2.0]]}
    assert by_name["speed"]["block of the scan"] == [[0, 2.56]]
    assert by_name["buffer"]["most words that waited so far"][-1] == [0.0015, 150]


def test_ledger_without_payload(state):
    options = charts.ledger_rest(state)
    assert [*named(options)] == ["device hold"] and "max" not in options["yAxis"]


def test_every_account_has_its_colour():
    assert [*COLOURS][0] == ACCOUNTS[0] and {*COLOURS} == {*ACCOUNTS}


def test_a_locked_drive():
    state = PanelState()
    state.identity = {"model": "M", "serial": "S", "firmware": "F", "capacity": 1000}
    for word, told in (0x0007, True), (0x0003, False), (0x0006, False), (0, False):
        state.identify_data = struct.pack("<256H", *(word if n == 128 else 0 for n in range(256)))
        shown = tables.drive_facts(state)
        assert ("class='wrong'>the drive is locked by ATA Security" in shown) == ("LOCKED" in shown) == told


@pytest.mark.parametrize("table", [tables.drive_facts, tables.counters_table, tables.journal_table,
                                   tables.operations_table, tables.log_lines])
def test_tables(table, state):
    """What a drive reports of itself is text, not markup; without a board there is a hint."""
    assert HOSTILE not in table(state) and "<" in table(state)
    assert "sr-hint" in table(PanelState())


def test_what_the_tables_say(state):
    assert "play 100 10 inc32" in tables.operations_table(state)
    assert "in-doubt" in tables.journal_table(state) and "7" in tables.journal_table(state)
    assert "7.14 %" in tables.counters_table(state) and "5,000" in tables.counters_table(state)
    assert "&lt;script&gt;" in tables.drive_facts(state)


def test_first_mismatch():
    state = PanelState()
    assert tables.first_mismatch(state) == ""
    state.begin(moved(**{"first-mismatch": "300 expected 0x00000001 got 0x00000002",
                         "mismatches": 4}))
    told = tables.first_mismatch(state)
    assert "number 300, in sector 102: expected 0x00000001, got 0x00000002" in told


def test_hex_view():
    view = tables.hex_view((7, b"<b>&" + bytes(508)))
    assert "sector 7" in view and "&lt;b&gt;&amp;" in view and "<b>&" not in view
    assert view.count("\n") == 32


def test_saved_data(state):
    data = session_data(state)
    assert json.loads(json.dumps(data)) == data
    assert data["simulated"] is False and "Told by the board" in data["statement"]
    assert data["operation"]["line"] == "play 100 10 inc32"
    state.identity["serial"] = "SIMULATED"
    assert session_data(state)["statement"].startswith("Simulated:")
    rows = list(csv.DictReader(io.StringIO(blocks_csv(data))))
    assert [(row["lba"], row["error"]) for row in rows] == [("0", ""), ("990", "drive-error")]
    kinds = [row["series"] for row in csv.DictReader(io.StringIO(intervals_csv(data)))]
    assert kinds.count("ledger") == 3 and kinds.count("speed") == 4


def test_saved_before_anything_happened():
    data = session_data(PanelState())
    assert json.loads(json.dumps(data)) == data
    assert intervals_csv(data).count("\n") == blocks_csv(data).count("\n") == 1


def test_page_and_picture(state):
    pytest.importorskip("matplotlib")
    data = session_data(state)
    page = session_page(data)
    assert HOSTILE not in page and "&lt;script&gt;" in page and "drive-error" in page
    assert data["statement"] in page and "default-src 'none'" in page
    assert session_picture(data).startswith(b"\x89PNG")
    assert session_picture(session_data(PanelState())).startswith(b"\x89PNG")


@pytest.mark.parametrize("count, told", [
    (0, "0 bytes"), (512, "512 bytes"), (1_048_576, "1.05 MB"), (32e9, "32 GB"), (8e12, "8 TB")])
def test_size(count, told):
    assert texts.size(count) == told


@pytest.mark.parametrize("seconds, told", [
    (None, "-"), (0.4, "0:00"), (65, "1:05"), (3599.6, "1 h 00 min"), (7500, "2 h 05 min")])
def test_duration(seconds, told):
    assert texts.duration(seconds) == told


@pytest.mark.parametrize("text, value", [
    ("17", 17), (" 1,000,000 ", 1_000_000), ("0x800", 2048), ("0X8_00", 2048), (5, 5)])
def test_numbers_as_people_type_them(text, value):
    assert texts.number_of(text, "sectors") == value


@pytest.mark.parametrize("text", ["", "1.5", "12k", "x", "0xg", "-"])
def test_what_is_no_number(text):
    with pytest.raises(ValueError, match="sectors = .*: is no number"):
        texts.number_of(text, "sectors")


def test_words_of_the_chips(state):
    assert texts.connection_words(state) == ("connected, /dev/ttyX", "good")
    assert texts.link_words(state) == ("Gen2, ready", "good")
    assert texts.operation_words(state).startswith("play, sectors 100 to 109")
    state.offline("lost", "gone")
    assert texts.connection_words(state)[1] == "wrong"
    assert texts.link_words(state) == ("drive unknown", "")


def lane(number, **more):
    fields = {"lane": number, "lanes": 2, "link": "up", "ready": "yes", "member": "blank", "failed": "no",
              "failed-first": "no"} | more
    return Answer(tuple(f"{name} {value}" for name, value in fields.items()), None)


def ledger(payload, held):
    accounts = dict.fromkeys(ACCOUNTS, 0) | {"payload": payload, "device_hold": held}
    return Answer(("clocks 9", *(f"{name.replace('_', '-')} {clocks}" for name, clocks in accounts.items()),
                   "high-water 1", "held-cycles 2"), None)


def test_lanes_beside_each_other():
    """Each has its own ledger; the counters of the operation are those with lane 0."""
    state = PanelState()
    assert lanes_html(state) == "<div class='sr-lanes'></div>"
    for line, answer in (("lane first", lane(0)), ("counters", ledger(300, 100)),
                         ("lane next", lane(1, link="down", ready="no", failed="yes", **{"failed-first": "yes"})),
                         ("counters", ledger(100, 300)), ("lane first", lane(0))):
        state.told(line, answer)
    assert [one.bytes for one in state.lanes] == [1200, 400] and state.counters["payload"] == 300
    state.status = {"last_error": "link-lost"}
    _, first, second = lanes_html(state).split("<section")
    assert "ready" in first and "75.0 % of all" in first and "payload 75.0 %" in first and "failed" not in first
    assert "no link" in second and "device hold 75.0 %" in second and "failed first: link-lost" in second
    assert round_of(state.lanes) == ["lane first", "counters", "lane next", "counters", "lane first"]
    assert not state.log


def test_a_lane_of_another_array_is_forgotten():
    lanes = with_lane((), lane(3, lanes=4).fields())
    assert [one.number for one in with_lane(lanes, lane(0).fields())] == [0]

"""The HTML report, without a browser: what it contains, and what it must not."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from sata_drive_model import Health
from unit.report.report_data import of_array, result, smart, transfer

from sata_recorder.report import page
from sata_recorder.simulation import WHOSE

VOID = {"meta", "link", "br", "hr", "img", "input"}
#: Attributes by which a page can ask for something else.
REFERENCES = {"src", "href", "xlink:href", "srcset", "action", "data", "poster", "background"}


class Page(HTMLParser):
    """Elements, references, ids, text by element; fails where tags do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.references, self.ids, self.texts = [], [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.references += [value for name, value in attributes if name in REFERENCES]
        self.ids += [value for name, value in attributes if name == "id"]
        assert not any(name.startswith("on") for name, _ in attributes)
        self.texts.setdefault(tag, []).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]][-1] += data


CASES = {
    "record and play": lambda: result(transfer(), transfer("play", hold=200, sensor=True)),
    "one command": lambda: result(transfer(commands=1)),
    "one sample": lambda: result(transfer(commands=2, samples=1)),
    "one sector": lambda: result(transfer(commands=1, sectors=1)),
    "no timeline": lambda: result(transfer(samples=0)),
    "two commands": lambda: result(transfer(commands=2, sectors=1)),
    "failed at once": lambda: result(transfer(commands=0, error="TIMEOUT"), problems=["record"]),
    "failed later": lambda: result(transfer(error="LINK_LOST"), problems=["record", "play"]),
    "no bring-up": lambda: result(problems=["bring-up ended"], model="", serial=""),
    "many commands": lambda: result(transfer(commands=20000, sectors=8, stall=(100, 9_000_000))),
    "hostile": lambda: result(transfer(), problems=["<b>&"], model="</script><script>alert(1)//",
                              serial="\"'><img src=x onerror=y>",
                              firmware="{{ 7*7 }}\x00\u202e$x$"),
    "profile": lambda: result(transfer(), profile="<hdd>"),
}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    data = CASES[request.param]()
    return data, page.render(data)


@pytest.mark.wide
@pytest.mark.sample(7)
def test_needs_nothing_else(case):
    _, text = case
    found = Page(text)
    assert {reference.split(":")[0] for reference in found.references
            if not reference.startswith("#")} == {"data"}
    inner = {reference[1:] for reference in found.references if reference.startswith("#")}
    assert inner <= set(found.ids)
    styles = " ".join(found.texts["style"]) + " ".join(re.findall(r'style="([^"]*)"', text))
    assert "@import" not in styles
    assert set(re.findall(r"url\(([^)]*)\)", text)) <= {f"#{name}" for name in found.ids}
    assert not re.search(r"https?://", text)
    assert "default-src 'none'" in text


@pytest.mark.wide
@pytest.mark.sample(11)
def test_ids_are_unique(case):
    ids = Page(case[1]).ids
    assert len(ids) == len(set(ids))


@pytest.mark.sample(4)
def test_every_number_of_the_ledger(case):
    data, text = case
    cells = Page(text).texts.get("td", [])
    for moved in data["transfers"]:
        for entry in moved["ledger"]:
            at = cells.index(entry["account"])
            assert cells[at + 2] == f"{entry['clocks']:,}"
            cells = cells[at:]
        cells = cells[cells.index("total"):]
        assert cells[2] == f"{moved['total']:,}"
        for part, numbers in moved["overhead"].items():
            if part != "recovery":
                at = cells.index(part, 4)
                assert cells[at + 1:at + 4] == [
                    f"{numbers['minimum']:,}", f"{numbers['mean']:,.1f}", f"{numbers['maximum']:,}"]


@pytest.mark.wide
def test_embedded_data(case):
    data, text = case
    scripts = Page(text).texts["script"]
    assert len(scripts) == 2
    assert json.loads(scripts[0]) == data


@pytest.mark.wide
def test_pictures_are_well_formed(case):
    for svg in re.findall(r"<svg.*?</svg>", case[1], flags=re.S):
        assert ElementTree.fromstring(svg).get("aria-label")


def test_lanes_of_an_array():
    """Each has its bar and its shares; the ledger below is that of the slowest, and no share is said to be that of the
    link."""
    lanes = [transfer(commands=3, seed=1), transfer(commands=4, seed=2, hold=300)]
    text = page.render(result(of_array(*lanes, slowest=1)))
    found = Page(text)
    assert "Lanes" in found.texts["h3"] and "Ledger of lane 1, which took longest" in found.texts["h3"]
    assert "of the array's" in text and "of the link's" not in text and "in 7 commands" in text
    cells = found.texts["td"]
    for name in "payload", "device_hold", "activate_wait":
        at = cells.index(name)
        for lane, cell in zip(lanes, cells[at + 2:at + 4]):
            [clocks] = [entry["clocks"] for entry in lane["ledger"] if entry["account"] == name]
            assert cell == page.share(100 * clocks / lane["total"])
    # No lane has any of this account.
    assert cells.index("flush") > cells.index("commands")
    for name, key in ("bytes", "bytes"), ("clocks", "total"), ("commands", "commands"):
        at = cells.index(name)
        assert cells[at + 2:at + 4] == [f"{lane[key]:,}" for lane in lanes]
    assert cells[cells.index("total") + 2] == f"{lanes[1]['total']:,}"
    assert 'data-raw=""' not in text, "a row of nothing would be copied"
    bars = re.findall(r'aria-label="Lane (\d): payload ([\d.]+)', text)
    assert [int(lane) for lane, _ in bars] == [0, 1] and bars[0][1] != bars[1][1]
    assert len(found.ids) == len(set(found.ids))


def test_ledger_of_an_array():
    """The shares, the verdict and the ledger are those of the array as a whole, if the result has its ledger."""
    lanes = [transfer(commands=3, seed=1), transfer(commands=4, seed=2)]
    booked = {"payload": 500, "lane_payload": 300, "activate_wait": 200}
    whole = {"ledger": [{"account": name, "whose": WHOSE[name], "clocks": booked.get(name, 0)} for name in WHOSE],
             "total": 1000, "commands": 7}
    text = page.render(result(of_array(*lanes, slowest=1) | {"whole": whole}))
    found = Page(text)
    assert "Ledger of the array" in found.texts["h3"]
    assert f"Of the array: {page.share(50)} of the time carried no payload, and most of that is the work of one" in text
    cells = found.texts["td"]
    at = cells.index("lane_payload")
    assert cells[at + 2:at + 4] == ["300", page.share(30)] and "no word crossed the stream" in cells[at + 5]
    assert cells[cells.index("total") + 2] == "1,000"


def test_one_drive_has_no_lanes():
    found = Page(page.render(result(transfer())))
    assert "Lanes" not in found.texts["h3"] and "Ledger" in found.texts["h3"]


def test_names_are_escaped():
    data = CASES["hostile"]()
    text = page.render(data)
    found = Page(text)
    assert found.texts["h1"] == [data["drive"]["model"]]
    assert "img" not in found.texts
    assert data["drive"]["serial"] in found.texts["td"]
    assert "{{ 7*7 }}\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}$x$" in found.texts["td"]
    assert "\x00" not in text and "\u202e" not in text
    assert found.texts["li"] == ["<b>&"]


@pytest.mark.wide
def test_the_same_data_give_the_same_page():
    data = CASES["record and play"]()
    assert page.render(data) == page.render(json.loads(json.dumps(data)))


@pytest.fixture
def undrawn(monkeypatch):
    """Pages without pictures, for tests of their text: to draw takes longer than all else."""
    monkeypatch.setattr(page, "pictures", lambda transfer: [])


def verdict(data):
    return re.search(r'<p class="why">(.*?)</p>', page.render(data)).group(1)


def test_who_stands_in_the_way(undrawn):
    assert "most of that is the drive&#39;s" in verdict(result(transfer(hold=300)))
    assert "above all device_hold" in verdict(result(transfer(hold=300)))
    assert "most of that is the protocol&#39;s" in verdict(result(transfer()))
    assert verdict(CASES["failed at once"]()) == "No clock was booked: no command was sent."


def test_a_failure_comes_first(undrawn):
    text = page.render(CASES["failed later"]())
    assert "Good." not in text
    assert text.index("LINK_LOST</strong>: phy_link_up fell") < text.index("MB/s")


def test_head_and_captions_say_what_is_simulated():
    data = result(transfer())
    told = "Simulated: the drive is a software model, timed as 970-pro (Shape of one, all rates " \
        "times 0.1: this is no SATA drive that exists)."
    data["simulation"] |= {"statement": told, "estimates": {"write.buffer_bytes": "not published"},
                           "fitted": {"write.mb_per_s": "table 1"}}
    text = page.render(data)
    head = text[:text.index("<main>")]
    assert told in head
    assert "Estimates, not published: write.buffer_bytes (not published)." in head
    assert "Fitted to published figures: write.mb_per_s (table 1)." in head
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", text)
    assert captions and all(caption.endswith(told) for caption in captions)


def test_an_answer_that_holds_for_these_bytes_only(undrawn):
    data = result(transfer())
    data |= {"verdict": "limited", "caveats": ["it fits into the cache"], "holds_for_bytes": 1000}
    text = page.render(data)
    head = text[:text.index("<main>")]
    assert "Good." not in text
    assert "Limited to these 1,000 bytes." in head and "<li>it fits into the cache</li>" in head


def rows(text, table):
    """The texts of the cells of a table, by row."""
    body = text.split(f'id="{table}"', 1)[1].split("</table>", 1)[0].split("<tbody>")[1]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in body.split("<tr>")[1:]]


def test_what_the_drive_says_of_itself(undrawn):
    before = Health(written_bytes=10**12, amplification=1.5)
    after = Health(written_bytes=2 * 10**12, amplification=1.5, celsius=72, fails_after=1)
    text = page.render(result(transfer(samples=0)) | smart(before, after))
    health = {name: values for name, *values in rows(text, "smart-health")}
    assert health["temperature"] == ["35 degrees Celsius", "72 degrees Celsius"]
    assert health["write amplification"] == ["1.50", "1.50"]
    assert health["raw bit error rate"] == ["unknown", "unknown"]
    assert health["verdict"] == ["good", "failing"]
    found = {row[0]: row[1:] for row in rows(text, "smart-attributes")}
    assert found["5"] == ["reallocated sectors", "0", "0", "100", "5", "10"]
    assert found["241"] == ["sectors written", "1,953,125,000", "3,906,250,000", "100", "100", "-"]
    assert "<strong>Failing</strong>: SMART RETURN STATUS" in text
    assert "72 degrees Celsius: drives throttle there" in text and "no real one" in text
    assert "smart." not in text.split('id="setup"')[1].split("</section>")[0]


@pytest.mark.wide
def test_looks_while_it_recorded():
    """What words waited with looks stands beside what they did without, and nowhere else where there were none."""
    both = {"least_room": 1925, "held_cycles": 7123, "longest_stall": 2156}
    looks = {"sectors": 16, "at": "latest", "ready": 15, "gone": 2, "failed": 0, "checked_words": 30_720,
             "clocks": 33_973, "with": both, "without": {**both, "held_cycles": 6001}}
    text = page.render(result(transfer()) | {"recording": {"looks": looks}})
    found = [" ".join(cell.split()) for cell in Page(text).texts["td"]]
    place = found.index("clocks in which the stream was held up")
    assert found[place + 1:place + 3] == ["7,123", "6,001"] and "words lost while it recorded" not in found
    assert "15 looks at 16 sectors each (latest), 2 gone, 0 failed; 30,720 words" in text
    for plain in ({}, {"recording": {"looks": None}}):
        assert "Readbacks while it recorded" not in page.render(result(transfer()) | plain)


def test_a_drive_that_says_nothing(undrawn):
    text = page.render(result(transfer(samples=0)) | smart(Health(), None))
    assert rows(text, "smart-health")[0] == ["worn", "0 %", "unknown"]
    assert rows(text, "smart-attributes")[0][:4] == ["5", "reallocated sectors", "0", "unknown"]
    assert "after: command: timeout" in text
    neither = page.render(result(transfer(samples=0)) | smart(None, None))
    assert "<strong>Unknown</strong>." in neither and 'id="smart-health"' not in neither
    assert 'id="smart"' not in page.render(result(transfer(samples=0)))


def test_losses_of_a_sensor(undrawn):
    data = result(transfer(sensor=True))
    text = page.render(data)
    assert "Good." not in text and "27,450 words lost." in text
    caveats = {"caveats": ["its rate is assumed by you"], "holds_for_bytes": 1000}
    assert "Limited" not in text and "<li>its rate is assumed by you</li>" in page.render(data | caveats)
    assert "27,450 of" in text and "in 60 gaps" in text
    assert "109,800 bytes" in text and "407 µs of the stream" in text
    cells = Page(text).texts["td"]
    assert cells[cells.index("100,000") + 1] == "300"
    assert "105,000" not in cells and "The first 20 of 60." in text
    data["transfers"][0]["sensor"].update(gap_count=123456)
    text = page.render(data)
    assert "in 123,456 gaps" in text and "The first 20 of 123,456." in text
    data["transfers"][0]["sensor"].update(lost=0, gaps=[], gap_count=0, fifo_words=None)
    text = page.render(data)
    assert "Good." in text and "no word was lost" in text and "Gaps" not in text


@pytest.mark.wide
def test_one_word_that_waits():
    data = result(transfer(sensor=True))
    data["transfers"][0]["sensor"].update(backlog_high=1, fifo_words=1)
    text = " ".join(page.render(data).split())
    assert "At most 1 word waited in front of the core, in a FIFO of 1 word." in text
    assert "of the sensor that wait" not in text and "room for 4,096 and a register" in text
    data["transfers"][0]["sensor"].update(backlog_high=7, fifo_words=8)
    assert "of the sensor that wait in front of it: at most 7, room for 8" in page.render(data)


def test_a_sensor_slower_than_the_link_is_no_fault_of_the_host(undrawn):
    data = result(transfer(sensor=True))
    assert "are less than the link carries" not in page.render(data)
    for entry in data["transfers"][0]["ledger"]:
        if entry["account"] == "host_hold":
            entry["clocks"] = data["transfers"][0]["total"] // 2
    text = " ".join(page.render(data).split())
    assert "The sensor has no more words: its 270.00 MB/s are less than the link carries." in text
    data["transfers"][0]["sensor"] = None
    assert "are less than the link carries" not in page.render(data)

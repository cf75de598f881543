"""The HTML report in a real browser, where Chromium is installed."""

import io

import pytest
from unit.report import browser
from sata_drive_model import Health
from unit.report.report_data import result, smart, transfer
from PIL import Image

from sata_recorder.report import page

pytestmark = [pytest.mark.wide,
              pytest.mark.skipif(browser.executable() is None, reason="needs chromium")]
HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def data():
    return result(transfer(commands=8), transfer("play", commands=8, hold=100, sensor=True),
                  model=HOSTILE) | smart(Health(), Health(written_bytes=10**13))


@pytest.fixture(scope="module")
def report(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page.render(data), encoding="utf-8")
    return path


@pytest.mark.wide
def test_console(report, tmp_path):
    _, console = browser.opened(report, "--dump-dom")
    assert not console
    broken = tmp_path / "broken.html"
    broken.write_text(report.read_text(encoding="utf-8").replace(
        "</body>", '<img src="https://example.org/x.png"></body>'), encoding="utf-8")
    _, console = browser.opened(broken, "--dump-dom")
    assert any("Content Security Policy" in line for line in console)


def test_the_drive_s_name_is_only_a_name(report):
    (title, heading, images), _ = browser.asked(report, """
        return [document.title, document.querySelector("h1").textContent,
                document.querySelectorAll("img").length];""")
    assert title == f"{HOSTILE}: SATA Recorder measurement"
    assert heading == HOSTILE
    assert images == 0


@pytest.mark.quick
def test_embedded_data(report, data):
    found, _ = browser.asked(report, """
        const link = document.querySelector("a[download]");
        const whole = await (await new Response(Uint8Array.from(
            atob(link.href.split(",")[1]), letter => letter.charCodeAt(0)))).text();
        return [JSON.parse(document.getElementById("measurement").textContent),
                JSON.parse(whole)];""")
    assert found == [data, data]


COPY = """
    const copied = [];
    {clipboard}
    for (const button of document.querySelectorAll("button[data-table]")) {{
        button.click();
        await new Promise(done => setTimeout(done, 20));
        copied.push([button.dataset.table, button.textContent, taken]);
    }}
    return copied;"""
CLIPBOARDS = {
    "api": """let taken;
        Object.defineProperty(navigator, "clipboard",
            {value: {writeText: async text => { taken = text; }}});""",
    "selection": """let taken;
        Object.defineProperty(navigator, "clipboard", {value: undefined});
        document.execCommand = name => {
            taken = name === "copy" ? document.activeElement.value.substring(
                document.activeElement.selectionStart, document.activeElement.selectionEnd) : null;
            return true;
        };""",
}


@pytest.mark.parametrize("clipboard", CLIPBOARDS)
def test_copy(report, data, clipboard):
    copied, console = browser.asked(report, COPY.format(clipboard=CLIPBOARDS[clipboard]))
    assert not console
    assert {label for _, label, _ in copied} == {"Copied"}
    tables = {name: [line.split("\t") for line in text.splitlines()] for name, _, text in copied}
    for n, moved in enumerate(data["transfers"]):
        head, *rows, total = tables[f"t{n}-ledger"]
        assert head == ["account", "whose", "clocks", "share (%)", "time (s)", "what"]
        assert [(row[0], int(row[2])) for row in rows] == [
            (entry["account"], entry["clocks"]) for entry in moved["ledger"]]
        assert sum(float(row[3]) for row in rows) == pytest.approx(100)
        assert (int(total[2]), float(total[4])) == (moved["total"], moved["seconds"])
        head, *rows = tables[f"t{n}-overhead"]
        assert head == ["whose", "min", "mean", "max", "mean (s)"]
        assert {row[0]: int(row[3]) for row in rows} == {
            part: numbers["maximum"] for part, numbers in moved["overhead"].items()
            if part != "recovery"}
    assert ["verdict", "good", "good"] in tables["smart-health"]
    assert ["241", "sectors written", "0", "19531250000", "100", "100", "-"] in tables["smart-attributes"]
    assert ["drive.model", HOSTILE] not in tables["facts-1"]
    assert ["model", HOSTILE] in tables["facts-1"]


def test_a_refused_copy_says_so(report):
    labels, _ = browser.asked(report, """
        Object.defineProperty(navigator, "clipboard", {value: undefined});
        document.execCommand = () => false;
        const button = document.querySelector("button[data-table]");
        button.click();
        await new Promise(done => setTimeout(done, 20));
        const refused = button.textContent;
        await new Promise(done => setTimeout(done, 2000));
        return [refused, button.textContent];""")
    assert labels == ["Your browser does not allow it", "Copy as TSV"]


@pytest.mark.parametrize("scheme, light", [(1, True), (0, False)])
def test_light_and_dark(report, tmp_path, scheme, light):
    shot = tmp_path / "shot.png"
    browser.opened(report, f"--screenshot={shot}", "--window-size=1200,900",
                   f"--blink-settings=preferredColorScheme={scheme}")
    picture = Image.open(io.BytesIO(shot.read_bytes())).convert("L")
    assert picture.size == (1200, 900)
    paper = picture.getpixel((5, 5))
    assert (paper > 200) == light
    levels = picture.histogram()
    ink = sum(levels[:80] if light else levels[180:])
    assert ink > 3000


def test_nothing_is_wider_than_the_window(report):
    widths, _ = browser.asked(report, """
        const text = document.querySelectorAll("svg text");
        return [innerWidth, document.documentElement.scrollWidth, text.length,
                Array.from(text).filter(element => {
                    const box = element.getBoundingClientRect();
                    const room = element.ownerSVGElement.getBoundingClientRect();
                    return box.left < room.left - 1 || box.right > room.right + 1
                        || box.top < room.top - 1 || box.bottom > room.bottom + 1;
                }).map(element => element.textContent)];""")
    inner, scroll, texts, outside = widths
    assert scroll <= inner
    assert texts > 100
    assert outside == []


def test_labels_do_not_overlap(report):
    overlaps, _ = browser.asked(report, """
        const found = [];
        for (const svg of document.querySelectorAll("svg")) {
            const boxes = Array.from(svg.querySelectorAll("text"),
                element => [element.getBoundingClientRect(), element.textContent]);
            boxes.forEach(([a, one], n) => boxes.slice(n + 1).forEach(([b, other]) => {
                if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
                    found.push([one, other]);
            }));
        }
        return found;""")
    assert overlaps == []


def test_print(report, tmp_path):
    printed = tmp_path / "report.pdf"
    browser.opened(report, f"--print-to-pdf={printed}", "--no-pdf-header-footer")
    assert printed.read_bytes().startswith(b"%PDF-")

"""The panel in headless Chromium, with the simulated station as its partner."""

import contextlib
import os
import re
import subprocess
import sys
import threading

import pytest
from unit.report import browser

from sata_recorder import extras

#: Longest wait in ms for what the page is to show; a busy machine is no failure.
PATIENCE = 120_000

_MAIN = ("import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
         "from sata_recorder.cli.main import main; main()")
#: NiceGUI behaves otherwise where it sees that pytest runs.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if "PYTEST" not in name}


def _missing():
    """Why there is no browser to test with, or None."""
    if browser.executable() is None:
        return "needs Chromium, which is not installed"
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "needs the Python package playwright, which has no wheel for this machine"
    return extras.missing("panel") and f"the panel {extras.missing('panel')}"


def pytest_collection_modifyitems(config, items):
    reason = _missing()
    for item in items:
        if reason and "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.skip(reason=reason))


class Panel:
    """`sata-recorder panel` in a process of its own: ``url`` of its page, ``lines`` it has
    printed."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [sys.executable, "-c", _MAIN, "panel", "--no-browser", "--web-port", "0", *options],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_ENVIRONMENT)
        first = self.process.stdout.readline()
        self.url = re.match(r"the panel is at (http://\S+); Ctrl-C ends it", first)[1]

    def close(self):
        """Ctrl-C ends it, without a complaint."""
        self.process.send_signal(2)
        _, told = self.process.communicate(timeout=60)
        return self.process.returncode, told


@pytest.fixture
def panel():
    """`panel(...)` starts one with these options; each must succeed."""
    made = []

    def make(*options):
        made.append(Panel(*options))
        return made[-1]

    yield make
    ended = [one.close() for one in made]
    assert ended == [(0, "")] * len(made)


@pytest.fixture(scope="session")
def chromium():
    """The browser; one for all tests of this process."""
    from playwright.sync_api import sync_playwright
    with sync_playwright() as made:
        # In a container there is no sandbox for root.
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        with contextlib.closing(made.chromium.launch(executable_path=str(browser.executable()),
                                                     args=options)) as found:
            yield found


class Tab:
    """A page of the panel: elements by the name that they have for tests."""

    def __init__(self, page):
        self.page = page
        self.faults = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: message.type == "error" and
                self.faults.append(message.text))

    def __getitem__(self, name):
        return self.page.locator(f"[data-testid={name}]")

    def fill(self, **fields):
        for name, value in fields.items():
            self[name.replace("_", "-")].fill(str(value))

    def text(self, name):
        return self[name].inner_text()

    def sees(self, name, text):
        """Waits until the element has this text somewhere."""
        from playwright.sync_api import expect
        expect(self[name]).to_contain_text(text, timeout=PATIENCE)

    def can(self, name, able=True):
        """Waits until the button is there and can be used, or cannot."""
        from playwright.sync_api import expect
        check = expect(self[name])
        if able:
            # One in a part of the page that is not shown counts as enabled.
            check.to_be_visible(timeout=PATIENCE)
        (check.to_be_enabled if able else check.to_be_disabled)(timeout=PATIENCE)

    def open(self, name):
        self[f"tab-{name}"].click()

    def told(self, text):
        """Waits for a message that comes up and goes."""
        from playwright.sync_api import expect
        expect(self.page.locator(".q-notification", has_text=text).first) \
            .to_be_visible(timeout=PATIENCE)

    def series(self, plot):
        """The data of a plot as the page has drawn them: name of a series to its points."""
        return self.page.evaluate(
            """name => {
                const box = document.querySelector(`[data-testid=plot-${name}] .sr-chart`);
                const chart = getElement(box.id.slice(1)).chart;
                return Object.fromEntries(chart.getOption().series.map(s => [s.name, s.data]));
            }""", plot)


@pytest.fixture
def tab(chromium):
    """`tab(url, ...)` opens a page in a browser of its own; none may complain."""
    made = []

    def open_tab(url, *, width=1440, height=1000, **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(PATIENCE)
        found = Tab(context.new_page())
        found.page.goto(url)
        made.append(found)
        return found

    yield open_tab
    faults = [found.faults for found in made]
    for found in made:
        found.page.context.close()
    assert not any(faults), faults


@pytest.fixture(scope="module")
def shared():
    """A panel with a simulated board, for tests that leave it as they found it."""
    made = Panel("--simulate", "--capacity", "400000")
    yield made
    assert made.close() == (0, "")


@pytest.fixture
def desk(shared, tab):
    """A tab of the shared panel whose board is ready."""
    found = tab(shared.url)
    found.can("record")
    yield found
    if found["order-heal"].is_visible():
        found["order-heal"].click()


@pytest.fixture
def station():
    """`station(...)` starts `sata-recorder station --pty` with these options; its process."""
    made = []

    def make(*options):
        process = subprocess.Popen([sys.executable, "-c", _MAIN, "station", "--pty", *options],
                                   text=True, bufsize=1, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        process.port = process.stdout.readline().split()[6].rstrip(";")
        threading.Thread(target=process.stdout.read, daemon=True).start()
        made.append(process)
        return process

    yield make
    for process in made:
        process.kill()
        process.wait()

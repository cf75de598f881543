"""Makes the pictures of docs/panel.md again: the panel with a simulated board, at the size of a desk
and of a phone, light and dark.

Needs Chromium and the packages of `tools/setup panel test`.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys

import results
from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = results.ROOT / "docs"
#: Name of a picture: width and height in CSS pixels, how many dots one has, colours.
PICTURES = {"panel.png": (1440, 1130, 1, "light"), "panel-dark.png": (1440, 1130, 1, "dark"),
            "panel-phone.png": (390, 1500, 1, "light")}
DRIVE = "x25-e"
BROWSERS = "chromium", "chromium-browser", "google-chrome"
_WAIT = 600_000


def main():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("panel_pictures.py needs Chromium: install the Debian package chromium")
    with served() as url, sync_playwright() as made:
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        with contextlib.closing(made.chromium.launch(executable_path=browser,
                                                     args=options)) as chromium:
            page = chromium.new_page(viewport={"width": 1440, "height": 1130})
            page.set_default_timeout(_WAIT)
            page.goto(url)
            operate(page)
            for name, (width, height, dots, scheme) in PICTURES.items():
                context = chromium.new_context(
                    viewport={"width": width, "height": height}, device_scale_factor=dots,
                    color_scheme=scheme, reduced_motion="reduce")
                shown = context.new_page()
                shown.set_default_timeout(_WAIT)
                shown.goto(url)
                shown.locator("[data-testid=what]", has_text="record").wait_for()
                shown.wait_for_timeout(2000)        # the plots are drawn
                save(shown.screenshot(), FOLDER / name)
                context.close()
    results.enter(*PICTURES)


@contextlib.contextmanager
def served():
    """The panel with a simulated board: the address of its page."""
    order = [os.path.join(os.path.dirname(sys.executable), "sata-recorder"), "panel", "--simulate",
             "--drive", DRIVE, "--no-browser", "--web-port", "0"]
    with subprocess.Popen(order, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield re.search(r"http://\S+/", process.stdout.readline())[0]
        finally:
            process.send_signal(2)


def operate(page):
    """A scan with a bad sector, then a recording during which the drive is slow for a while."""
    def element(name):
        return page.locator(f"[data-testid={name}]")

    def begin(name, **fields):
        element(f"tab-{name}").click()
        for field, value in fields.items():
            element(f"{name}-{field}").fill(str(value))
        page.locator(f"[data-testid={name}]:not([disabled])").click()
        page.locator("[data-testid=stop]:not([disabled])").wait_for()

    def order(name):
        page.locator(f"[data-testid=order-{name}]:not([disabled])").click()

    def through(percent):
        page.wait_for_function("percent => Number(document.querySelector('[data-testid=share]')"
                               ".textContent) >= percent", arg=percent)

    page.locator("[data-testid=record]:not([disabled])").wait_for()
    element("break-lba").fill("19965600")
    order("bad-sector")
    begin("scan", sectors=62_000_000, block=2048, count=60)
    page.locator("[data-testid=stop][disabled]").wait_for()
    order("heal")
    begin("record", lba=0, sectors=120_000)
    through(35)
    order("slow")
    through(65)
    order("heal")
    page.locator("[data-testid=stop][disabled]").wait_for()


def save(content, path):
    """The picture in 256 colours."""
    Image.open(io.BytesIO(content)).convert("RGB").quantize(256, dither=0).save(path, optimize=True)


if __name__ == "__main__":
    main()

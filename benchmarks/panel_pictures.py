"""Makes the pictures of docs/panel.md anew: the panel with the simulated board of a hard disk, at
the size of a desk and of a phone, light and dark.

Needs Chromium and the packages of `tools/setup panel test`.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys

import stamps
from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = stamps.ROOT / "docs"
#: Name of a picture: width and height in CSS pixels, how many dots one has, colours.
PICTURES = {"panel.png": (1440, 1130, 1, "light"), "panel-dark.png": (1440, 1130, 1, "dark"),
            "panel-phone.png": (390, 1500, 1, "light")}
DRIVE = "hds721050cla362"
BROWSERS = "chromium", "chromium-browser", "google-chrome"
#: Colours of a picture: enough for plots and letters, and small.
PALETTE = 160
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
                shown.locator("[data-testid=what]", has_text="play").wait_for()
                shown.wait_for_timeout(2000)        # the plots are drawn
                save(shown.screenshot(), FOLDER / name)
                context.close()
    stamps.enter(*PICTURES)


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
    """A recording, a scan of the whole drive, and a play-back."""
    def element(name):
        return page.locator(f"[data-testid={name}]")

    def run(name, **fields):
        for field, value in fields.items():
            element(f"{name}-{field}").fill(str(value))
        page.locator(f"[data-testid={name}]:not([disabled])").click()
        page.locator("[data-testid=stop]:not([disabled])").wait_for()
        page.locator("[data-testid=stop][disabled]").wait_for()

    run("record", lba=0, sectors=30_000)
    element("tab-scan").click()
    run("scan", block=512, count=60)
    element("tab-play").click()
    run("play", lba=0, sectors=30_000)


def save(content, path):
    """The picture with fewer colours."""
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    picture.quantize(PALETTE, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()

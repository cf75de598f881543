"""Makes docs/report.png again: the head of the report of the run that docs/report.md shows.

Needs Chromium.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import results

PAGE = results.ROOT / "docs/report.md"
PICTURE = "report.png"
SIZE = 1080, 1380
BROWSERS = "chromium", "chromium-browser", "google-chrome"


def main():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("report_picture.py needs Chromium: install the Debian package chromium")
    order = re.search(r"^```\n(sata-recorder measure .*?)\n```$", PAGE.read_text(),
                      re.MULTILINE | re.DOTALL)[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # Words are lost in this run, and its status says so.
        command = shlex.split(order.replace("\\\n", " "))[1:]
        subprocess.run([Path(sys.executable).with_name("sata-recorder"), *command], cwd=folder,
                       check=False)
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
             "--hide-scrollbars", "--virtual-time-budget=5000", f"--user-data-dir={folder}/browser",
             f"--window-size={SIZE[0]},{SIZE[1]}", f"--screenshot={folder}/{PICTURE}",
             Path(folder, "report.html").as_uri()], check=True, timeout=120, capture_output=True)
        shutil.copy(Path(folder, PICTURE), PAGE.with_name(PICTURE))
    results.enter(PICTURE)


if __name__ == "__main__":
    main()
